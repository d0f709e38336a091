"""Hierarchies of dates: by month, quarter, year, decade. Times of day are left out."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Codes
from paretonym.errors import InputError, Place
from paretonym.schema.hierarchies.hierarchy_draft import NO_PLACE, Draft, Shown, Values, as_is, runs
from paretonym.schema.hierarchies.specifications import Dates, HierarchyColumn

ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].+)?")
TWO_WAYS = re.compile(r"(0?[1-9]|1[0-2])([./-])(0?[1-9]|1[0-2])\2[0-9]{2,4}(?:[T ].*)?")
CLOCK = re.compile(r"%-?[HIMSpfcXzZ]")
ORIGIN = "the distinct dates that occur"

Days: TypeAlias = npt.NDArray[np.int64]
"""Dates as days since year 1 (`date.toordinal`)."""


@dataclass(frozen=True, eq=False)
class DateLine:
    """The distinct dates in rising order, as leaves."""

    dates: tuple[datetime.date, ...]
    leaves: tuple[str, ...]
    codes: Codes


def build_dates(column: HierarchyColumn, kind: Dates, values: Values) -> Draft:
    """Level 0 as is, then one level a unit."""
    if column.format is not None and values.type != "date":
        check_format(column.format, kind.units[0], values.place)
    line = date_line(column, values)
    levels = [_level(line.dates, UNITS[unit]) for unit in kind.units]
    shown = (as_is(line.leaves), *levels)
    return Draft(line.leaves, shown, line.codes, ORIGIN, always_top=True)


def build_flat_dates(column: HierarchyColumn, values: Values) -> Draft:
    """Level 0 alone, in the order of the dates."""
    line = date_line(column, values)
    return Draft(line.leaves, (as_is(line.leaves),), line.codes, ORIGIN)


def date_line(column: HierarchyColumn, values: Values) -> DateLine:
    """The values as dates: two spellings of one date, or two times of one day, are one leaf."""
    # A column that the table holds as dates is written in ISO form, whatever the schema says.
    layout = None if values.type == "date" else column.format
    days = read_days(values.texts, layout)
    if layout is None:
        _refuse_two_ways(values, days)
    values.require(days >= 0, _expected(layout), _remedy(layout), "format")
    points, inverse = np.unique(days[days >= 0], return_inverse=True)
    codes = np.full(len(days), NO_PLACE, dtype=np.int32)
    codes[days >= 0] = inverse
    dates = tuple(datetime.date.fromordinal(day) for day in points.tolist())
    return DateLine(dates, _spelled(values.texts, codes, dates, layout), codes)


def read_days(texts: tuple[str, ...], layout: str | None) -> Days:
    """The day in each text, -1 where it is no date of this layout (None: ISO)."""
    read = _iso_day if layout is None else lambda text: _day(text, layout)
    return np.fromiter((read(text) for text in texts), dtype=np.int64, count=len(texts))


def check_format(layout: str, finest: str, place: Place) -> None:
    """Raise unless the format gives all that the finest unit needs."""
    sample = datetime.datetime(2019, 11, 28)
    try:
        day = _day(sample.strftime(layout), layout)
    except ValueError:
        day = -1
    found = datetime.date.fromordinal(day) if day >= 0 else None
    needs_month = finest in ("month", "quarter")
    if found is None or found.year != sample.year or (needs_month and found.month != sample.month):
        wrong = (
            f"the format '{layout}' does not say the {'month and the ' if needs_month else ''}year of a date"
        )
        raise InputError.of(place, wrong, 'give one such as "%d.%m.%Y"', "format")


def _iso_day(text: str) -> int:
    stripped = text.strip()
    if not ISO.fullmatch(stripped):
        return -1
    try:
        return datetime.datetime.fromisoformat(stripped).toordinal()
    except ValueError:
        return -1


def _day(text: str, layout: str) -> int:
    try:
        return datetime.datetime.strptime(text.strip(), layout).toordinal()
    # A format that strptime cannot use raises re.error or IndexError on some versions.
    except (ValueError, re.error, IndexError, KeyError, OverflowError):
        return -1


def _refuse_two_ways(values: Values, days: Days) -> None:
    if values.unknown_to_top:
        return
    unclear = [
        values.texts[index]
        for index in np.flatnonzero(days < 0)
        if TWO_WAYS.fullmatch(values.texts[index].strip())
    ]
    if unclear:
        wrong = f"could be read as day and month or as month and day: {values.counted(unclear)}"
        remedy = 'say which: format = "%d/%m/%Y" or format = "%m/%d/%Y"'
        raise InputError.of(values.place, wrong, remedy, "format")


def _expected(layout: str | None) -> str:
    return "not dates such as 2020-03-31" if layout is None else f"not dates of the format '{layout}'"


def _remedy(layout: str | None) -> str:
    say = (
        'give the format, such as format = "%d.%m.%Y"' if layout is None else "mend the format or the values"
    )
    return f'{say}, or say unknown = "top", or list them in null if they mean missing'


def _spelled(
    texts: tuple[str, ...], codes: Codes, dates: tuple[datetime.date, ...], layout: str | None
) -> tuple[str, ...]:
    """Each date as it is written, or in ISO form where it is written in several ways or has a time of day."""
    leaves: list[str | None] = [None] * len(dates)
    several = np.bincount(codes[codes != NO_PLACE], minlength=len(dates)) > 1
    for text, code in zip(texts, codes.tolist(), strict=True):
        if code != NO_PLACE:
            timed = len(text.strip()) > len("2020-03-31") if layout is None else CLOCK.search(layout)
            leaves[code] = dates[code].isoformat() if several[code] or timed else text
    return tuple(leaf for leaf in leaves if leaf is not None)


def _level(dates: tuple[datetime.date, ...], unit: Unit) -> Shown:
    numbers = np.fromiter((unit.number(date) for date in dates), dtype=np.int64, count=len(dates))
    groups, first = runs(numbers[1:] != numbers[:-1], len(dates))
    return Shown(groups, tuple(unit.label(dates[index]) for index in first.tolist()))


@dataclass(frozen=True)
class Unit:
    """A span of time: a number that only dates in the same span share, its label, and its first day."""

    number: Callable[[datetime.date], int]
    label: Callable[[datetime.date], str]
    start: Callable[[datetime.date], datetime.date]


UNITS: Mapping[str, Unit] = {
    "month": Unit(
        lambda date: date.year * 12 + date.month,
        lambda date: f"{date.year:04d}-{date.month:02d}",
        lambda date: date.replace(day=1),
    ),
    "quarter": Unit(
        lambda date: date.year * 4 + (date.month - 1) // 3,
        lambda date: f"{date.year:04d}-Q{(date.month + 2) // 3}",
        lambda date: date.replace(month=(date.month - 1) // 3 * 3 + 1, day=1),
    ),
    "year": Unit(
        lambda date: date.year,
        lambda date: f"{date.year:04d}",
        lambda date: date.replace(month=1, day=1),
    ),
    "decade": Unit(
        lambda date: date.year // 10,
        lambda date: f"{date.year // 10 * 10:04d}s",
        # There is no year 0.
        lambda date: datetime.date(max(date.year // 10 * 10, 1), 1, 1),
    ),
}
