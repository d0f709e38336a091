"""Every kind of hierarchy sits the exam, and the exam finds what is wrong."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from paretonym.base.errors import InputError
from paretonym.research.exams.candidates import ExamFailed
from paretonym.tables.schema.hierarchies.hierarchy_builder import HIERARCHY_KINDS
from paretonym.tables.schema.hierarchies.hierarchy_kind import HierarchyKind
from paretonym.tables.schema.hierarchies.intervals import Intervals
from paretonym.tables.schema.hierarchies.masks import Keep
from paretonym.tables.schema.hierarchies.value_line import Bands, Scale
from tests.exams.hierarchy_exam import HIERARCHY_CHECKS, HierarchyCase, sit_hierarchy_exam

SOURCES = Path(__file__).parents[2] / "src" / "paretonym"
NUMBERS = ("7", "23", "-4", "38", "61", "12.5")
WORDS = ("12345", "12399", "20001", "20999", "31000")
LEAVES = ("a", "b", "c", "d")
TREE = {"tree": [{"vowels": ["a", "e"]}, {"others": [{"early": ["b", "c"]}, "d"]}]}
LINES = "a;vowels;*\ne;vowels;*\nb;others;*\nc;others;*\nd;others;*\n"
LEVELLESS = ({"flat": False}, {"flat": 1}, {"flat": True, "tree": {}})

CASES: Mapping[str, tuple[HierarchyCase, ...]] = {
    "intervals": (
        HierarchyCase(
            {"intervals": [5, 10, 40], "origin": 1},
            NUMBERS,
            ({"intervals": []}, {"intervals": [0]}, {"intervals": [10, 15]}, {"intervals": "10"}),
        ),
        HierarchyCase({"intervals": [10]}, NUMBERS, ({"intervals": [-1]},), further={"bottom": 5, "top": 60}),
        HierarchyCase({"intervals": [2]}, NUMBERS, ({"intervals": [5, 5]},), further={"granularity": 2.5}),
    ),
    "breaks": (
        HierarchyCase(
            {"breaks": [[0, 10, 20, 50], [20]]},
            NUMBERS,
            ({"breaks": []}, {"breaks": [[20, 10]]}, {"breaks": [[10], [20]]}, {"breaks": [[10], [10]]}),
        ),
    ),
    "mask": (HierarchyCase({"mask": 4}, WORDS, ({"mask": 0}, {"mask": 101}, {"mask": -1})),),
    "ready": (
        HierarchyCase(
            {"ready": "countries"}, ("DE", "FR", "US", "JP", "AQ"), ({"ready": "lands"}, {"ready": 1})
        ),
        HierarchyCase({"ready": "icd10"}, ("E11.9", "E11.2", "E66", "C50", "D48", "D50.1"), ({"ready": ""},)),
        HierarchyCase({"ready": "nuts"}, ("DE212", "DE21", "DE300", "AT", "FR101"), ({"ready": "nut"},)),
        HierarchyCase({"ready": "isco08"}, ("2111", "2112", "2211", "0110"), ({"ready": "isco"},)),
        HierarchyCase({"ready": "nace2"}, ("62.01", "6202", "01.1", "35"), ({"ready": "nace"},)),
    ),
    "keep": (HierarchyCase({"keep": [3, 1]}, WORDS, ({"keep": []}, {"keep": [1, 3]}, {"keep": [2, 0]})),),
    "date": (
        HierarchyCase(
            {"date": ["month", "quarter", "year", "decade"]},
            ("2019-11-28", "2019-12-01", "2020-02-29", "2008-01-01", "1999-12-31"),
            ({"date": []}, {"date": ["year", "month"]}, {"date": ["week"]}, {"date": ["day"]}),
        ),
        HierarchyCase(
            {"date": ["year"]},
            ("28.11.2019", "01.12.2019", "29.02.2020"),
            ({"date": ["century"]},),
            further={"format": "%d.%m.%Y"},
        ),
    ),
    "file": (
        HierarchyCase({"file": "leaves.csv"}, LEAVES, ({"file": ""}, {"file": 1}), {"leaves.csv": LINES}),
    ),
    "flat": (
        HierarchyCase({"flat": True}, LEAVES, LEVELLESS),
        HierarchyCase({"flat": True}, NUMBERS, LEVELLESS, further={"type": "decimal"}),
        HierarchyCase({"flat": True}, ("2019-11-28", "2008-01-01"), LEVELLESS, further={"type": "date"}),
    ),
    "tree": (
        HierarchyCase(
            TREE, LEAVES, ({"tree": []}, {"tree": 1}, {"tree": ["a", "a"]}, {"tree": [{"x": [{"x": ["a"]}]}]})
        ),
    ),
}
EVERY = [(key, number) for key, cases in CASES.items() for number in range(len(cases))]


def test_every_kind_sits_the_exam() -> None:
    assert set(CASES) == set(HIERARCHY_KINDS)
    assert all(case.key == key for key, cases in CASES.items() for case in cases)


def test_every_kind_stands_under_its_own_key() -> None:
    assert {key: kind.key for key, kind in HIERARCHY_KINDS.items()} == {key: key for key in HIERARCHY_KINDS}


def test_the_page_has_a_field_for_every_kind() -> None:
    text = (SOURCES / "interfaces" / "web" / "static" / "hierarchies.js").read_text(encoding="utf-8")
    kinds = re.findall(r"^  (\w+): \{$", text.split("export const KINDS")[1].split("\n};")[0], flags=re.M)
    assert set(kinds) == set(HIERARCHY_KINDS)


def test_nobody_else_asks_which_kind_it_is() -> None:
    """A kind is known to its folder alone; `model.py` says what a column without a hierarchy is."""
    modules = {f"{kind.__module__}" for kind in HIERARCHY_KINDS.values()}
    for path in sorted(SOURCES.rglob("*.py")):
        where = path.relative_to(SOURCES).as_posix()
        if where.startswith("tables/schema/hierarchies/") or where == "tables/schema/model.py":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert not imported & modules, f"{where} imports a kind of hierarchy"


@pytest.mark.parametrize(("key", "number"), EVERY)
def test_exam(key: str, number: int) -> None:
    sit_hierarchy_exam(CASES[key][number])


class Misspelled(Intervals):
    """Writes another width than it has."""

    def to_mapping(self) -> dict[str, Any]:
        return {"intervals": [5], "origin": 0}


class Speechless(Keep):
    def words(self, level: int) -> str:
        return "first characters"


class Trusting(Keep):
    def __post_init__(self) -> None:
        pass


class Unplaced(Keep):
    """Refuses a value without saying which setting."""

    @classmethod
    def refusal(cls, wrong: str, remedy: str) -> InputError:
        return InputError.of("somewhere", "it is wrong", "fix it")


class Offline(Intervals):
    """Gives bands, but no edges between them."""

    def bands(self, scale: Scale) -> Sequence[Bands]:
        return [bands._replace(roundest=lambda low, high, scale: None) for bands in super().bands(scale)]


class Closed(Keep):
    def possible_members(self, label: str) -> Iterable[str]:
        return ("another",)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (Misspelled, "does not read back"),
        (Speechless, "the same words"),
        (Trusting, "is accepted"),
        (Unplaced, "does not name the setting"),
        (Offline, "has no edge where its sets end"),
        (Closed, "is not seen to show"),
    ],
)
def test_the_exam_finds_what_is_wrong(
    wrong: type[HierarchyKind], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(HIERARCHY_KINDS, wrong.key, wrong)
    with pytest.raises(ExamFailed, match=words):
        sit_hierarchy_exam(CASES[wrong.key][0])


def test_the_exam_covers_the_contract() -> None:
    """Whatever a kind may answer is asked for."""
    asked = {"round trip", "levels", "words", "errors", "order", "listed", "labels"}
    assert set(HIERARCHY_CHECKS) == asked
