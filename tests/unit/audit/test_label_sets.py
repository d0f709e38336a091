"""Labels read back: every form that releases write, and those that cannot be read."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from paretonym.audit.label_sets import LabelSets, UnreadableLabel
from paretonym.audit.original import read_original
from paretonym.tables.schema import schema_from, wanted_of
from paretonym.tables.source.engines import open_source

NUMBERS = {"hierarchy": {"intervals": [10]}, "missing": "value"}
ORDER = {"order": ["low", "middle", "high"]}
DATES = {"hierarchy": {"date": ["month"]}}
FLAT = {"hierarchy": {"flat": True}}
TREE = {"hierarchy": {"tree": {"north": ["Kiel", "Husum"], "south": ["Ulm"]}}}
AGES = ["7", "12", "15", "20", "31", None]
DAYS = ["2020-01-05", "2020-01-20", "2020-02-01"]
CASES = [
    (NUMBERS, AGES, {"7": (0, 1), "[10, 20)": (1, 3), "[12, 20)": (1, 3), "<20": (0, 3), "20+": (3, 5)}),
    (NUMBERS, AGES, {"*": (0, 6), "(missing)": (5, 6), "any number": (0, 5), "(not missing)": (0, 5)}),
    (ORDER, ["low"], {"low … middle": (0, 2), "high": (2, 3)}),
    (DATES, DAYS, {"2020-01": (0, 2), "before 2020-02-01": (0, 2), "from 2020-01-20": (1, 3)}),
    (DATES, DAYS, {"2020-01-20 … before 2020-02-01": (1, 2), "<2020-02-01": (0, 2), "2020-02": (2, 3)}),
    (TREE, ["Ulm"], {"north": (0, 2), "Husum": (1, 2), "*": (0, 3), "Kiel | Husum": (0, 2)}),
    (FLAT, ["a", "b", "c, d", "e"], {"{a, b}": (0, 2), "{b, c, d}": (1, 3), "b | c, d | e": (1, 4)}),
]
WRONG = [
    (
        NUMBERS,
        AGES,
        [
            "8",
            "[10 20)",
            "<7",
            "[20, 12)",
            "40+",
            "elsewhere",
            "{7, 12}x",
            "",
            "[nan, 20)",
            "inf+",
            "9e999999+",
            "[1_2, 20)",
        ],
    ),
    (ORDER, ["low"], ["middle … low", "low … nobody", "<middle (2)x"]),
    (FLAT, ["a", "b", "c"], ["{a, c}", "a | c", "{b}", "{b, a}"]),
]


def reader(settings: dict[str, Any], cells: list[str | None]) -> LabelSets:
    schema = schema_from({"columns": {"q": {"role": "quasi", **settings}}})
    table = pa.table({"q": pa.array(cells, pa.string())})
    (sets,) = read_original(lambda _, wanted: open_source(table, wanted_of(wanted)), schema, added=False).sets
    return sets


@pytest.mark.parametrize(("settings", "cells", "expected"), CASES)
def test_every_form_is_read(settings: dict[str, Any], cells: list[str | None], expected: Any) -> None:
    reading = reader(settings, cells)
    assert {label: reading.run(label, True) for label in expected} == expected


@pytest.mark.parametrize(("settings", "cells", "labels"), WRONG)
def test_what_means_nothing_is_refused(
    settings: dict[str, Any], cells: list[str | None], labels: Any
) -> None:
    reading = reader(settings, cells)
    for label in labels:
        with pytest.raises(UnreadableLabel, match="does not mean a set of values"):
            reading.run(label, True)


def test_two_readings_are_refused() -> None:
    """A value's own text comes first; of ranges that are written alike neither does."""
    reading = reader(FLAT, ["a | a", "a | a | a", "z"])
    assert reading.run("a | a | a", True) == (1, 2)
    ordered = reader({"order": ["a", "b … c", "a … b", "c"]}, ["a"])
    with pytest.raises(UnreadableLabel, match="in several ways"):
        ordered.run("a … b … c", True)
