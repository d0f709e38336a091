"""Levels in words, for every kind of hierarchy, with the data and without."""

from __future__ import annotations

import re
from typing import Any

import pytest

from paretonym.study.study import Study
from paretonym.tables.schema.hierarchies.level_words import level_words
from paretonym.tables.schema.schema_file import schema_from

TREE = {"Europe": ["France", "Italy"], "Asia": {"East": ["China", "Japan"], "South": ["India"]}}
LONG = {f"group {i}": [f"value {i}"] for i in range(9)}

CASES: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {
    "intervals": (
        {"hierarchy": {"intervals": [5, 10, 40]}},
        ["7", "23", "61"],
        ["unchanged", "in steps of 5", "in steps of 10", "in steps of 40", "not shown"],
    ),
    "coded": (
        {"hierarchy": {"intervals": [20]}, "bottom": 18, "top": 90},
        ["7", "23", "99"],
        [
            "unchanged, all below 18 together, all from 90 on together",
            "in steps of 20, all below 18 together, all from 90 on together",
            "not shown",
        ],
    ),
    "fractions": ({"hierarchy": {"intervals": [0.5, 1]}}, ["0.2", "3"], ["unchanged", "in steps of 0.5",
                  "in whole numbers", "not shown"]),
    "mask": (
        {"hierarchy": {"mask": 2}},
        ["123", "456"],
        ["unchanged", "last character masked", "last 2 characters masked", "not shown"],
    ),
    "keep": (
        {"hierarchy": {"keep": [3, 1]}},
        ["1234", "2345"],
        ["unchanged", "first 3 characters", "first character", "not shown"],
    ),
    "date": (
        {"hierarchy": {"date": ["month", "quarter", "year", "decade"]}},
        ["2020-03-01", "1999-12-31"],
        ["unchanged", "by month", "by quarter", "by year", "by decade", "not shown"],
    ),
    "flat": ({"hierarchy": {"flat": True}}, ["a", "b"], ["unchanged", "not shown"]),
    "tree": (
        {"hierarchy": {"tree": TREE}},
        ["France", "Japan"],
        ["unchanged", "in 4 groups (France, Italy, East, South)", "in 2 groups (Europe, Asia)", "not shown"],
    ),
    "many labels": (
        {"hierarchy": {"tree": LONG}}, ["value 1", "value 2"], ["unchanged", "in 9 groups", "not shown"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_words(case: str) -> None:
    entry, values, expected = CASES[case]
    column = schema_from({"columns": {"x": {"role": "quasi", **entry}}}).columns[0]
    hierarchy = _hierarchy(entry, values)
    assert hierarchy.height == len(expected) - 1
    levels = enumerate(hierarchy.levels)
    assert [str(level_words(column, number, hierarchy, level.labels)) for number, level in levels] == expected
    unnamed = [
        re.sub(r"in \d groups.*", f"at level {number} of its hierarchy", words)
        for number, words in enumerate(expected)
    ]
    assert [str(level_words(column, level)) for level in range(len(expected))] == unnamed


def test_only_sets_that_are_shown_are_counted_and_named() -> None:
    column = schema_from({"columns": {"x": {"role": "quasi", "hierarchy": {"tree": TREE}}}}).columns[0]
    assert str(level_words(column, 1, None, ["Italy", "South"])) == "in 2 groups (Italy, South)"
    assert str(level_words(column, 2, None, ["Asia"])) == "in one group (Asia)"


def _hierarchy(entry: dict[str, Any], values: list[str]) -> Any:
    import pyarrow

    schema = {"columns": {"x": {"role": "quasi", **entry}}}
    return Study(pyarrow.table({"x": values}), schema).bound.quasi[0].hierarchy


def test_bands_are_named_where_the_data_say_which() -> None:
    entry = {"hierarchy": {"breaks": [[10, 20, 50], [20]]}}
    column = schema_from({"columns": {"x": {"role": "quasi", **entry}}}).columns[0]
    assert [str(level_words(column, level)) for level in (1, 2, 3)] == [
        "in 4 bands",
        "in 2 bands",
        "not shown",
    ]
    hierarchy = _hierarchy(entry, ["5", "15", "70"])
    assert str(level_words(column, 2, hierarchy, hierarchy.levels[2].labels)) == "in 2 bands (<20, 20+)"


def test_a_mask_that_leaves_nothing_is_the_top() -> None:
    """Only the labels say how long values are."""
    column = schema_from({"columns": {"x": {"role": "quasi", "hierarchy": {"mask": 3}}}}).columns[0]
    hierarchy = _hierarchy({"hierarchy": {"mask": 3}}, ["123", "456"])
    assert str(level_words(column, 3, hierarchy, ["***"])) == "not shown"
    assert str(level_words(column, 3, hierarchy, ["***", "4***"])) == "last 3 characters masked"


def test_a_hierarchy_file(tmp_path: Any) -> None:
    from paretonym.tables.schema.schema_file import read_schema

    (tmp_path / "x.csv").write_text("a;one\nb;one\nc;two\n")
    (tmp_path / "s.toml").write_text('[columns.x]\nrole = "quasi"\nhierarchy.file = "x.csv"\n')
    column = read_schema(tmp_path / "s.toml").columns[0]
    assert [str(level_words(column, level)) for level in range(3)] == [
        "unchanged",
        "at level 1 of its hierarchy",
        "not shown",
    ]


def test_labels_cannot_break_a_line() -> None:
    entry = {"hierarchy": {"tree": {"\x1b[31m": ["a"], "x" * 60: ["b"]}}}
    column = schema_from({"columns": {"x": {"role": "quasi", **entry}}}).columns[0]
    words = level_words(column, 1, None, ["\x1b[31m", "x" * 60])
    assert "\x1b" not in str(words)
    assert max(map(len, words.labels)) == 40
