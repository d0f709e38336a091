"""The door for Python."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

import paretonym
from paretonym.base.errors import InputError, did_you_mean, shown
from paretonym.engine.spaces.lattice.lattice_space import LATTICE
from paretonym.research.exams.random_tables import random_table


@pytest.fixture(scope="module")
def study() -> paretonym.Study:
    return random_table(Random(5)).study()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"space": "latice"},
            "space: unknown space 'latice'; did you mean 'lattice'?",
        ),
        (
            {"search": "exhaustiv"},
            f"search: the space lattice has no search 'exhaustiv'; "
        f"{did_you_mean('exhaustiv', LATTICE.searches)}",
        ),
        ({"suppress": 1.0}, "suppress: with '1.0' no row need stay; give a share below 100 %, or "
         "suppress='any:1', which tries every threshold"),
    ],
)  # fmt: skip
def test_refused(study: paretonym.Study, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as error:
        study.explore(**options)
    assert str(error.value) == said


def test_any_needs_a_measure_of_one_class(study: paretonym.Study) -> None:
    with pytest.raises(InputError) as error:
        study.explore("gl", "sl", space="lattice")
    assert str(error.value) == (
        "suppress: 'any:0.1' needs an objective that belongs to one class alone, and there is none; "
        "add k to the objectives, or give a limit such as suppress=0.01"
    )


def test_defaults(study: paretonym.Study) -> None:
    front = study.explore(space="lattice")
    assert [(o.name, o.direction) for o in front.objectives] == [("k", "max"), ("loss", "min")]
    assert front.search.suppress == "any:0.1"
    assert front.search.complete


@pytest.mark.parametrize("space", ["lattice", "cuts"])
def test_a_requirement_heeds_what_is_set(space: str) -> None:
    """With c = 1 fewer releases are recursively diverse than with c = 3."""
    study = random_table(Random(17), rows=(40, 40), sensitive=1).study()
    settings = {"l-recursive": {"c": 1.0}}
    options: dict[str, Any] = {"space": space, "suppress": "0", "at_least": {"l-recursive": 2.0}}
    strict, usual = study.explore(**options, settings=settings), study.explore(**options)
    for solution in strict:
        assert study.realized(solution.recoding).measure("l-recursive", settings=settings)["l-recursive"] >= 2
    assert strict[-1].values["loss"] > usual[-1].values["loss"]


def test_progress_is_told(study: paretonym.Study) -> None:
    told: list[tuple[int, int]] = []
    front = study.explore(progress=lambda done, total: told.append((done, total)), space="lattice")
    assert told[-1] == (front.search.size, front.search.size)


def test_nothing_changes_behind_the_caller(study: paretonym.Study) -> None:
    before = study.cube.counts.copy(), study.cube.groups.copy()
    assert study.explore(space="lattice") == study.explore(space="lattice")
    assert (study.cube.counts == before[0]).all()
    assert (study.cube.groups == before[1]).all()


def test_the_path_is_kept_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "people.csv").write_text("sex\nf\nm\nf\n")
    monkeypatch.chdir(tmp_path)
    schema = {"columns": {"sex": {"role": "quasi", "hierarchy": {"flat": True}}}}
    record = paretonym.Study("people.csv", schema).explore(space="lattice").record
    assert record is not None
    assert record.path == str(tmp_path / "people.csv")


def test_no_such_example() -> None:
    with pytest.raises(InputError) as error:
        paretonym.example("adults")
    assert str(error.value) == ("example 'adults': unknown example; did you mean 'adult'?")


def test_only_what_there_is() -> None:
    assert set(dir(paretonym)) == set(paretonym.__all__)
    for name in paretonym.__all__:
        assert getattr(paretonym, name) is not None
    with pytest.raises(AttributeError, match="module 'paretonym' has no attribute 'nothing'"):
        paretonym.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_at_most_twenty_values_are_shown() -> None:
    text = shown(str(number) for number in range(25))
    assert text.endswith("'19' and 5 more")
