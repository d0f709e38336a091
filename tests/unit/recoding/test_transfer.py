"""Sets of one column carried over to a column with more values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from paretonym.counts.cube import Axis
from paretonym.recoding.transfer import Carried, Units
from paretonym.run.study import Study

WIDTHS = {"role": "quasi", "hierarchy": {"intervals": [10]}}
FLAT = {"role": "quasi", "hierarchy": {"flat": True}}


def axis(values: list[Any], entry: dict[str, Any]) -> Axis:
    return Study(pa.table({"q": values}), {"columns": {"q": entry}}).cube.axes[0]


def carried(
    old: list[Any], new: list[Any], runs: list[tuple[int, int]], entry: dict[str, Any], kind: str
) -> Carried:
    """Runs of the old values, in places of the old and new ones together."""
    units = [
        Units.of_cuts(each) if kind == "cuts" else Units.of_parts(each)
        for each in (axis(old, entry), axis([*old, *new], entry))
    ]
    places = {text: place for place, text in enumerate(units[1].axis.hierarchy.leaves)}
    leaves = np.array([places[text] for text in units[0].axis.hierarchy.leaves])
    return units[0].carried(units[1], leaves, runs)


@pytest.mark.parametrize("kind", ["cuts", "parts"])
def test_nothing_new(kind: str) -> None:
    assert carried([1, 2, 3], [2], [(0, 1), (1, 3)], FLAT, kind) == Carried(((0, 1), (1, 3)))


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        # 1, 3, 5, 7 shown as <5 and 5+
        ([4, 0, 9], Carried(((0, 4), (4, 7)))),
        ([6], Carried(((0, 2), (2, 5)))),
    ],
)
def test_a_range_holds_what_lies_before_the_next_one(new: list[int], expected: Carried) -> None:
    assert carried([1, 3, 5, 7], new, [(0, 2), (2, 4)], FLAT, "cuts") == expected


def test_a_single_value_holds_itself() -> None:
    """1, [2, 6), 7: there is no place for 6 and 8; 2 lies behind the boundary."""
    found = carried([1, 3, 5, 7], [2, 6, 8], [(0, 1), (1, 3), (3, 4)], FLAT, "cuts")
    assert found == Carried(((0, 1), (1, 4), (5, 6)), outside=(4, 6))


@pytest.mark.parametrize("kind", ["cuts", "parts"])
def test_the_only_value_holds_itself(kind: str) -> None:
    """Everybody was 7, and the label is 7: it does not hold 3 and 9."""
    assert carried([7], [3, 9], [(0, 1)], FLAT, kind) == Carried(((1, 2),), outside=(0, 2))


@pytest.mark.parametrize("kind", ["cuts", "parts"])
def test_what_is_coded_alike_holds_no_other_values(kind: str) -> None:
    """Everybody was shown as 40+: 60 belongs there, 15 does not."""
    found = carried([47, 51], [15, 60], [(0, 1)], {**FLAT, "type": "integer", "top": 40}, kind)
    assert found == Carried(((1, 2),), outside=(0,))


def test_a_named_set_begins_where_its_name_says() -> None:
    """21 and 25 are [20, 30), in parts by name and in cuts by what the schema gives: 20 and 29 belong there,
    30 does not."""
    old, new, runs = [11, 21, 25, 35], [20, 29, 30], [(0, 1), (1, 3), (3, 4)]
    assert carried(old, new, runs, WIDTHS, "parts") == Carried(((0, 1), (1, 5), (6, 7)), outside=(5,))
    assert carried(old, new, runs, WIDTHS, "cuts") == Carried(((0, 1), (1, 5), (6, 7)), outside=(5,))


@pytest.mark.parametrize("kind", ["cuts", "parts"])
def test_a_value_between_two_sets_lies_in_one_of_them(kind: str) -> None:
    """<20 does not hold 20, [20, 30) does."""
    found = carried([5, 15, 21, 25], [20], [(0, 2), (2, 4)], WIDTHS, kind)
    assert found == Carried(((0, 2), (2, 5)))


def test_a_word_holds_no_others() -> None:
    found = carried(list("acz"), ["b"], [(0, 1), (1, 2), (2, 3)], FLAT, "cuts")
    assert found == Carried(((0, 1), (2, 3), (3, 4)), outside=(1,))


def test_everything_holds_anything() -> None:
    assert carried(list("acz"), ["b", "d"], [(0, 3)], FLAT, "cuts") == Carried(((0, 5),))
