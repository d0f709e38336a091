"""Cells as our releases and other tools write them."""

from __future__ import annotations

import numpy as np
import pytest

from paretonym.criteria.cell_sets import read_cells

AGES = [str(age) for age in range(17, 91)]


def members(cell: str, values: list[str], labels: dict[str, frozenset[str]] | None = None) -> list[str]:
    reading = read_cells("column", values, [cell], labels or {})
    assert reading.unread == ()
    return list(np.array(reading.column.values)[reading.column.members(0)])


@pytest.mark.parametrize(
    ("cell", "first", "last"),
    [
        ("[20, 30)", 20, 29), ("[20, 40[", 20, 39), ("20-39", 20, 39), ("20 – 39", 20, 39),
        ("]20, 40]", 21, 40), ("(20,30)", 21, 29), ("<18", 17, 17), ("<= 18", 17, 18), ("65+", 65, 90),
        (">65", 66, 90), ("*", 17, 90), ("", 17, 90), ("NA", 17, 90), ("37", 37, 37), ("{17, 18}", 17, 18),
    ],
)  # fmt: skip
def test_numbers(cell: str, first: int, last: int) -> None:
    assert members(cell, AGES) == [str(age) for age in range(first, last + 1)]


def test_categories() -> None:
    jobs = ["clerk", "cook", "nurse"]
    assert members("cook", jobs) == ["cook"]
    assert members("{clerk, nurse}", jobs) == ["clerk", "nurse"]
    assert members("*", jobs) == jobs
    assert members("office", jobs, {"office": frozenset(("clerk",))}) == ["clerk"]


def test_what_is_made_up_is_a_value_of_its_own() -> None:
    number = read_cells("age", ["1", "2", "10"], ["2.5", "10"], {})
    assert number.column.values == ("1", "2", "2.5", "10")
    assert number.unread == ()
    text = read_cells("job", ["cook"], ["baker", "cook"], {})
    assert text.column.values == ("cook", "baker")
    assert text.unread == ("baker",)
