"""Cells as our releases and other tools write them."""

from __future__ import annotations

import numpy as np
import pytest

from paretonym.evidence.criteria.cell_sets import read_cells

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


@pytest.mark.parametrize(
    ("values", "cells", "numbers"),
    [
        (["34", "7"], ["34 years", "7 years"], [34, 7]),
        (["12345", "99999"], ["DE-12345", "DE-99999"], [12345, 99999]),
        (["70.1", "8"], ["70.1 kg", "8.5 kg", "*"], [70.1, 8.5]),
        (["-5", "3"], ["-5 °C", "3 °C"], [-5, 3]),
        (["34 years", "7 years"], ["34", "7"], [34, 7]),
        (["34", "7"], ["34.0", "07"], [34, 7]),
    ],
)  # fmt: skip
def test_a_number_with_a_unit_or_prefix_is_a_number(
    values: list[str], cells: list[str], numbers: list[float]
) -> None:
    reading = read_cells("column", values, cells, {})
    column = reading.column
    assert reading.unread == ()
    assert column.numbers is not None
    for cell, number in enumerate(numbers):
        assert column.numbers[column.members(cell)].tolist() == [number]


def test_intervals_have_units_too() -> None:
    assert members("[20, 40) years", AGES) == [str(age) for age in range(20, 40)]
    assert members("20-39 years", AGES) == [str(age) for age in range(20, 40)]


def test_where_not_all_cells_have_one_unit_they_are_texts() -> None:
    """Nobody has them, and nothing is near them."""
    reading = read_cells("age", AGES, ["34 years", "1 year"], {})
    assert reading.unread == ("34 years", "1 year")
    assert not reading.column.members(0).any()
    assert not reading.column.nearness(np.arange(len(AGES)), np.arange(2)).any()


def test_case_and_space_do_not_make_another_value() -> None:
    assert members(" hiv ", ["HIV", "flu"]) == ["HIV"]


def test_cells_that_stand_for_the_same_are_alike() -> None:
    column = read_cells("age", AGES, ["20-29", "[20, 30)", "20", "20.0", "*", "x"], {}).column
    assert column.alike.tolist() == [0, 0, 2, 2, 4, 5]
