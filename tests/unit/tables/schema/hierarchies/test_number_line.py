"""Intervals, breaks, bottom and top coding."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from paretonym.base.errors import InputError
from paretonym.tables.schema.bound_schema import QuasiColumn
from paretonym.tables.schema.hierarchies.number_line import (
    all_numbers,
    number_text,
    parse_number,
    read_numbers,
)

Quasi = Callable[..., QuasiColumn]


def labels(column: QuasiColumn) -> list[tuple[str, ...]]:
    return [level.labels for level in column.hierarchy.levels]


def test_intervals_are_nested_and_end_in_one_set(quasi: Quasi) -> None:
    column = quasi(["23", "7", "41", "28"], hierarchy={"intervals": [10, 20]})
    assert labels(column) == [
        ("7", "23", "28", "41"),
        ("[0, 10)", "[20, 30)", "[40, 50)"),
        ("[0, 20)", "[20, 40)", "[40, 60)"),
        ("*",),
    ]
    assert column.hierarchy.leaves == ("7", "23", "28", "41")
    assert column.codes.tolist() == [1, 0, 3, 2]
    assert column.hierarchy.levels[1].groups.tolist() == [0, 1, 1, 2]
    assert column.hierarchy.levels[1].sizes.tolist() == [1, 2, 1]
    assert (column.hierarchy.domain, column.hierarchy.origin) == (4, "the distinct values that occur")


def test_the_number_of_levels_hangs_on_the_schema_alone(quasi: Quasi) -> None:
    assert labels(quasi(["3"], hierarchy={"intervals": [5, 10]})) == [
        ("3",),
        ("[0, 5)",),
        ("[0, 10)",),
        ("*",),
    ]


def test_intervals_are_exact_and_may_start_anywhere(quasi: Quasi) -> None:
    column = quasi(["0.1", "0.3", "-0.1"], hierarchy={"intervals": [0.1, 0.3], "origin": 0.1})
    assert labels(column)[1:3] == [("[-0.1, 0)", "[0.1, 0.2)", "[0.3, 0.4)"), ("[-0.2, 0.1)", "[0.1, 0.4)")]


def test_spellings_of_one_number_are_one_value(quasi: Quasi) -> None:
    column = quasi(["7", "07", "7.0", "08"], hierarchy={"intervals": [10]})
    assert column.hierarchy.leaves == ("7", "08")
    assert column.codes.tolist() == [0, 0, 0, 1]
    assert column.hierarchy.domain == 2


def test_huge_and_tiny_numbers_stay_exact(quasi: Quasi) -> None:
    huge = "123456789012345678901234567890"
    column = quasi([huge, "0.000000000000000000001", "1e30"], hierarchy={"intervals": [10]})
    assert column.hierarchy.leaves == ("0.000000000000000000001", huge, "1e30")
    assert labels(column)[1][1] == "[123456789012345678901234567890, 123456789012345678901234567900)"


def test_values_that_are_no_numbers_are_listed(quasi: Quasi) -> None:
    with pytest.raises(InputError) as caught:
        quasi(["1", "n/a", "1,5", "inf"], hierarchy={"intervals": [10]})
    assert str(caught.value) == (
        "the schema, column 'x': not numbers: 3 values ('n/a', '1,5', 'inf'); fix them, or set unknown = "
        '"top", '
        'or list them in null if they mean missing; set decimal = "," if that is their decimal comma'
    )


def test_at_most_twenty_values_are_listed(quasi: Quasi) -> None:
    with pytest.raises(InputError, match=r"not numbers: 25 values \('a0', .*'a19' and 5 more\)"):
        quasi([f"a{number}" for number in range(25)], hierarchy={"intervals": [10]})


def test_breaks_give_open_ends(quasi: Quasi) -> None:
    column = quasi(
        ["9000", "10000", "30000", "50000"], hierarchy={"breaks": [[10000, 20000, 50000], [20000]]}
    )
    assert labels(column)[1:] == [
        ("<10000", "[10000, 20000)", "[20000, 50000)", "50000+"),
        ("<20000", "20000+"),
        ("*",),
    ]


def test_one_plain_list_of_breaks_is_one_level(quasi: Quasi) -> None:
    assert labels(quasi(["1", "5"], hierarchy={"breaks": [3]}))[1] == ("<3", "3+")


def test_coding_holds_at_every_level_and_clips_its_neighbours(quasi: Quasi) -> None:
    cells = ["3", "16", "18", "50", "79", "85", "90", "101"]
    column = quasi(cells, hierarchy={"intervals": [10, 40]}, bottom=18, top=90)
    assert labels(column) == [
        ("<18", "18", "50", "79", "85", "90+"),
        ("<18", "[18, 20)", "[50, 60)", "[70, 80)", "[80, 90)", "90+"),
        ("<18", "[18, 40)", "[40, 80)", "[80, 90)", "90+"),
        ("*",),
    ]
    assert column.hierarchy.domain == 6
    assert column.hierarchy.leaves == ("<18", "18", "50", "79", "85", "90+")
    assert column.hierarchy.levels[0].sizes.tolist() == [1] * 6
    assert column.hierarchy.levels[1].sizes.tolist() == [1] * 6
    assert column.hierarchy.levels[2].sizes.tolist() == [1, 1, 2, 1, 1]


def test_coding_clips_open_bands(quasi: Quasi) -> None:
    column = quasi(["1", "6", "12", "30"], hierarchy={"breaks": [[10, 20]]}, bottom=5, top=25)
    assert labels(column)[1] == ("<5", "[5, 10)", "[10, 20)", "25+")


def test_a_flat_column_may_be_coded_too(quasi: Quasi) -> None:
    assert labels(quasi(["9", "10", "95"], hierarchy={"flat": True}, top=90)) == [("9", "10", "90+"), ("*",)]


def test_coding_needs_numbers(quasi: Quasi) -> None:
    with pytest.raises(InputError) as caught:
        quasi(["1234"], hierarchy={"mask": 2}, top=90)
    assert str(caught.value) == (
        "the schema, column 'x': bottom and top are given, but the values are not numbers; omit them, "
        "or use "
        'hierarchy.intervals, hierarchy.breaks or type = "integer"'
    )


def test_a_flat_column_of_numbers_is_ordered_as_numbers(quasi: Quasi) -> None:
    assert quasi(["10", "9"], kind="integer", hierarchy={"flat": True}).hierarchy.leaves == ("9", "10")
    assert quasi(["10", "9"], type="integer", hierarchy={"flat": True}).hierarchy.leaves == ("9", "10")
    assert quasi(["10", "9"], hierarchy={"flat": True}).hierarchy.leaves == ("10", "9")


@pytest.mark.parametrize("text", ["", "1_000", "0x1F", "nan", "inf", "1e9999", "٣", "1 2", "--1", "9" * 500])
def test_what_is_no_number(text: str) -> None:
    assert parse_number(text) is None
    assert not all_numbers([text])


def test_scales_hold_texts_and_settings() -> None:
    numbers = read_numbers(["1.5", "2"], [Decimal("0.25")])
    assert (numbers.scaled.tolist(), numbers.decimals) == ([150, 200], 2)
    assert [number_text(value, numbers.decimals) for value in (150, -5, 200, 0)] == ["1.5", "-0.05", "2", "0"]
    assert not all_numbers([])


def test_what_the_table_has_coded_belongs_to_what_the_schema_codes(quasi: Quasi) -> None:
    """95+ is 90 or more whatever it is; 85+ may be either, and is no number."""
    hierarchy = {"intervals": [10]}
    made = quasi(["<5", "17", "30", "90", "95+"], hierarchy=hierarchy, bottom=18, top=90, unknown="top")
    assert labels(made)[0] == ("<18", "30", "90+")
    with pytest.raises(InputError, match=r"not numbers: 1 value \('85\+'\)"):
        quasi(["30", "85+"], hierarchy=hierarchy, top=90)
    with pytest.raises(InputError, match="not numbers"):
        quasi(["30", "95+"], hierarchy=hierarchy)
