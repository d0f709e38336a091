"""Dates by month, quarter, year and decade."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from paretonym.base.errors import InputError
from paretonym.tables.schema.bound_schema import QuasiColumn

Quasi = Callable[..., QuasiColumn]
UNITS = {"date": ["month", "quarter", "year", "decade"]}


def labels(column: QuasiColumn) -> list[tuple[str, ...]]:
    return [level.labels for level in column.hierarchy.levels]


def test_every_unit_has_its_label(quasi: Quasi) -> None:
    column = quasi(["2020-03-31", "2020-01-01", "2019-12-31", "2011-01-01"], hierarchy=UNITS)
    assert labels(column) == [
        ("2011-01-01", "2019-12-31", "2020-01-01", "2020-03-31"),
        ("2011-01", "2019-12", "2020-01", "2020-03"),
        ("2011-Q1", "2019-Q4", "2020-Q1"),
        ("2011", "2019", "2020"),
        ("2010s", "2020s"),
        ("*",),
    ]
    assert column.hierarchy.origin == "the distinct dates that occur"


def test_a_format_says_how_dates_are_written(quasi: Quasi) -> None:
    column = quasi(["03.04.2020", "04.03.2020"], hierarchy={"date": ["month"]}, format="%d.%m.%Y")
    assert labels(column)[:2] == [("04.03.2020", "03.04.2020"), ("2020-03", "2020-04")]


def test_times_of_day_are_left_out(quasi: Quasi) -> None:
    cells = ["2020-03-01T10:15", "2020-03-01 23:59:59", "2020-03-02T00:00:00Z", "2020-03-03"]
    column = quasi(cells, hierarchy={"date": ["year"]})
    assert column.hierarchy.leaves == ("2020-03-01", "2020-03-02", "2020-03-03")
    assert column.codes.tolist() == [0, 0, 1, 2]
    column = quasi(["1.2.2020 5.30"], hierarchy={"date": ["year"]}, format="%d.%m.%Y %H.%M")
    assert column.hierarchy.leaves == ("2020-02-01",)


def test_a_column_of_dates_needs_no_format(quasi: Quasi) -> None:
    column = quasi(["2020-03-01"], kind="date", hierarchy={"date": ["year"]}, format="%d.%m.%Y")
    assert labels(column)[1] == ("2020",)


def test_a_date_that_could_be_read_two_ways_is_an_error(quasi: Quasi) -> None:
    with pytest.raises(InputError) as caught:
        quasi(["2020-01-01", "03/04/2020", "25/12/2020"], hierarchy=UNITS, type="date")
    two_ways, strange = map(str, caught.value.problems)
    assert two_ways == (
        "the schema, column 'x': could be read as day and month or as month and day: 1 value ('03/04/2020'); "
        'set format = "%d/%m/%Y" or format = "%m/%d/%Y"'
    )
    assert "not dates such as 2020-03-31: 1 value ('25/12/2020')" in strange


def test_what_is_no_date_is_listed(quasi: Quasi) -> None:
    with pytest.raises(InputError) as caught:
        quasi(["2020-02-30", "25/12/2020", "2020-01-01"], hierarchy=UNITS)
    assert str(caught.value) == (
        "the schema, column 'x': not dates such as 2020-03-31: 2 values ('2020-02-30', '25/12/2020'); "
        "give the "
        'format, such as format = "%d.%m.%Y", or set unknown = "top", or list them in null if they mean '
        "missing"
    )
    with pytest.raises(
        InputError, match=r"not dates of the format '%d.%m.%Y': 1 value \('2020-01-01'\); fix the"
    ):
        quasi(["2020-01-01"], hierarchy=UNITS, format="%d.%m.%Y")


@pytest.mark.parametrize("layout", ["%d.%m.", "nothing", "%Q", "%"])
def test_a_format_must_give_what_the_units_need(quasi: Quasi, layout: str) -> None:
    with pytest.raises(InputError) as caught:
        quasi(["2020"], hierarchy=UNITS, format=layout)
    assert str(caught.value) == (
        f"the schema, column 'x': the format '{layout}' does not give the month and the year of a date; "
        'give one such as "%d.%m.%Y"'
    )


def test_a_format_may_lack_what_no_unit_needs(quasi: Quasi) -> None:
    assert labels(quasi(["2020", "2011"], hierarchy={"date": ["decade"]}, format="%Y"))[1] == (
        "2010s",
        "2020s",
    )


def test_flat_dates_are_in_order_of_time(quasi: Quasi) -> None:
    column = quasi(["01.02.2020", "02.01.2020"], type="date", hierarchy={"flat": True}, format="%d.%m.%Y")
    assert column.hierarchy.leaves == ("02.01.2020", "01.02.2020")
