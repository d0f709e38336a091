"""What `make test` leaves out: cases of what takes long, never the same for long."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from tests import sampling
from tests.house.test_layers import PACKAGE
from tests.sampling import ALWAYS, FEWEST, SHARE, TURNS, Family, family_of, sample, stored

ROOT = PACKAGE.parents[1]
SLOW = [f"tests/a.py::slow[{n}]" for n in range(12)]
MANY = [f"tests/a.py::many[{n}]" for n in range(100)]
QUICK = [f"tests/a.py::quick[{n}]" for n in range(9)]
KEPT = [f"tests/{ALWAYS[0]}.py::kept[{n}]" for n in range(12)]
TESTS = [*SLOW, *MANY, *QUICK, *KEPT, "tests/b.py::alone"]
DURATIONS = {
    "tests/a.py::slow": Family(12, 60.0),
    "tests/a.py::many": Family(100, 50.0),
    "tests/a.py::quick": Family(9, 1.5),
    KEPT[0].partition("[")[0]: Family(12, 60.0),
    "tests/b.py::alone": Family(1, 30.0),
}


@pytest.mark.parametrize("turn", ["", "7f3", "a commit"])
def test_long_families_get_two_cases_or_as_many_as_fit(turn: str) -> None:
    chosen = sample(TESTS, DURATIONS, turn)
    assert len(chosen.intersection(SLOW)) == FEWEST == 2
    assert len(chosen.intersection(MANY)) == SHARE / 0.5
    assert chosen.issuperset([*QUICK, *KEPT])
    assert sample(TESTS, DURATIONS, turn) == chosen


def test_every_case_has_its_turn() -> None:
    """Cases stand far from each other in a list; none is left out for long."""
    turns = [sample(TESTS, DURATIONS, str(commit)) for commit in range(60)]
    assert set().union(*turns) == set(TESTS)
    assert 60 / TURNS / 2 < sum("tests/b.py::alone" in chosen for chosen in turns) < 60 / TURNS * 2
    for chosen in turns:
        first, second = sorted(SLOW.index(test) for test in chosen.intersection(SLOW))
        assert second - first == 6


def test_both_parts_are_everything_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "stored", lambda: DURATIONS)
    found: dict[str | None, list[str]] = {}
    marked: set[str] = set()
    for part in (None, "sample", "rest"):
        left: list[Any] = []
        hook = SimpleNamespace(pytest_deselected=lambda items, left=left: left.extend(items))
        config: Any = SimpleNamespace(getoption=lambda _, part=part: part, hook=hook)
        items: list[Any] = [
            SimpleNamespace(nodeid=test, add_marker=lambda _, test=test: marked.add(family_of(test)))
            for test in TESTS
        ]
        sampling.pytest_collection_modifyitems(config, items)
        found[part] = [item.nodeid for item in items]
        assert sorted(found[part] + [item.nodeid for item in left]) == sorted(TESTS)
    assert found[None] == TESTS
    assert set(found["sample"]) == sample(TESTS, DURATIONS, sampling.commit())
    assert sorted(found["sample"] + found["rest"]) == sorted(TESTS)
    assert marked == {family_of(SLOW[0]), family_of(KEPT[0]), "tests/b.py::alone"}


def test_durations_are_of_tests_that_are_there() -> None:
    """A test that moves takes its line along, or is measured again: python -m scripts.measure_tests FILE."""
    lost = []
    for name in stored():
        path, _, function = name.partition("::")
        file = ROOT / path
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        if not re.search(rf"def {function.rpartition('::')[2]}\b", text):
            lost.append(name)
    assert lost == []


def test_what_is_never_left_out_is_there() -> None:
    for name in ALWAYS:
        assert len(list((ROOT / "tests").rglob(f"{name}.py"))) == 1, name
