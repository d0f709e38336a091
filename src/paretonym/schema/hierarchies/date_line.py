"""Dates on a line: read in ISO form or in the layout that the schema gives. Times of day are ignored."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.errors import InputError
from paretonym.schema.hierarchies.hierarchy_draft import Values
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn
from paretonym.schema.hierarchies.text_matrix import characters_of
from paretonym.schema.hierarchies.value_line import PointLine, Scale, placed_points, spelled

ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].+)?")
TWO_WAYS = re.compile(r"(0?[1-9]|1[0-2])([./-])(0?[1-9]|1[0-2])\2[0-9]{2,4}(?:[T ].*)?")
CLOCK = re.compile(r"%-?[HIMSpfcXzZ]")
EPOCH = datetime.date(1970, 1, 1).toordinal()
ISO_DATE = "2020-03-31"
# Where it has its digits.
YEAR, MONTH, DAY = (0, 1, 2, 3), (5, 6), (8, 9)

Days: TypeAlias = npt.NDArray[np.int64]
"""Dates as days since year 1 (`date.toordinal`)."""


def date_line(column: HierarchyColumn, values: Values) -> PointLine:
    """The values as dates: two spellings of one date, or two times of one day, are one leaf."""
    # A column that the table holds as dates is written in ISO form, whatever the schema says.
    layout = None if values.type == "date" else column.format
    days = read_days(values.texts, layout)
    if layout is None:
        _refuse_two_ways(values, days)
    values.require(days >= 0, _expected(layout), _remedy(layout), "format")
    points, codes = placed_points(days, days >= 0)
    # A date with a time of day is written anew, in ISO form.
    clock = layout is not None and CLOCK.search(layout) is not None
    longest = len(ISO_DATE) if layout is None else int(clock)
    leaves = spelled(values.texts, codes, points, Calendar().text, longest)
    return PointLine(points, leaves, codes, Calendar(layout), "the distinct dates that occur")


def read_days(texts: tuple[str, ...], layout: str | None) -> Days:
    """The day in each text, -1 if it is not a date in this layout (None: ISO)."""
    if layout is None and (days := _plain_days(texts)) is not None:
        return days
    read = _iso_day if layout is None else lambda text: read_day(text, layout)
    return np.fromiter(map(read, texts), dtype=np.int64, count=len(texts))


def _plain_days(texts: tuple[str, ...]) -> Days | None:
    """The fast path for the usual case: no text is longer than 2020-03-31, and all are ASCII."""
    rows = characters_of(texts, len(ISO_DATE))
    if rows is None or rows.shape[1] < len(ISO_DATE):
        return None
    columns = np.ascontiguousarray(rows.T)
    digits = columns - np.uint8(ord("0"))
    written = (columns[4] == ord("-")) & (columns[7] == ord("-"))
    for place in (*YEAR, *MONTH, *DAY):
        written &= digits[place] <= 9
    year, month, day = (_number(digits, places) for places in (YEAR, MONTH, DAY))
    written &= (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1)
    # Of what is no date any month will do.
    months = np.where(written, year * 12 + month - 1, 0)
    first = _first_days()[months]
    return np.where(written & (day <= _first_days()[months + 1] - first), first + day - 1, -1)


def _number(digits: npt.NDArray[np.uint8], places: Sequence[int]) -> npt.NDArray[np.int32]:
    """The number that the digits at some places make, of each column."""
    number = np.zeros(digits.shape[1], dtype=np.int32)
    for place in places:
        number *= 10
        number += digits[place]
    return number


@cache
def _first_days() -> Days:
    """The first day of each month, from January of the year 0 to that of the year 10000."""
    months = np.arange(12 * 10000 + 1) - 12 * 1970
    return months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) + EPOCH


def months_of(days: Days) -> Days:
    """The month of each day, counted from January of the year 0."""
    return (days - EPOCH).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) + 12 * 1970


def _iso_day(text: str) -> int:
    stripped = text.strip()
    if not ISO.fullmatch(stripped):
        return -1
    try:
        return datetime.datetime.fromisoformat(stripped).toordinal()
    except ValueError:
        return -1


def read_day(text: str, layout: str) -> int:
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
        remedy = 'set format = "%d/%m/%Y" or format = "%m/%d/%Y"'
        raise InputError.of(values.place, wrong, remedy, "format")


def _expected(layout: str | None) -> str:
    if layout is None:
        return "not dates such as 2020-03-31"
    return f"not dates of the format '{layout}'"


def _remedy(layout: str | None) -> str:
    if layout is None:
        return (
            'give the format, such as format = "%d.%m.%Y", or set unknown = "top", or list them in '
            "null if they mean missing"
        )
    return 'fix the format or the values, or set unknown = "top", or list them in null if they mean missing'


@dataclass(frozen=True, slots=True)
class Calendar:
    """Points are days since year 1, written in a layout (None: ISO)."""

    layout: str | None = None
    decimals: ClassVar[int] = 0

    def text(self, point: int) -> str:
        date = datetime.date.fromordinal(point)
        return date.isoformat() if self.layout is None else _laid_out(date, self.layout)

    def writes(self, point: int) -> bool:
        """Whether the layout can write this very day."""
        return int(read_days((self.text(point),), self.layout)[0]) == point

    def roundness(self, point: int) -> int:
        """3 for the first day of a year, 2 of a quarter, 1 of a month, otherwise 0."""
        date = datetime.date.fromordinal(point)
        if date.day > 1:
            return 0
        return 3 if date.month == 1 else 2 if date.month % 3 == 1 else 1

    def roundest(self, low: int, high: int) -> int:
        """The first day of a year, of a quarter, of a month, or the next day.

        >>> day = datetime.date.toordinal
        >>> ends = day(datetime.date(1988, 5, 3)), day(datetime.date(2012, 9, 30))
        >>> Calendar().text(Calendar().roundest(*ends))
        '1989-01-01'
        """
        first = roundest_first_day(low, high, 1, self)
        return (
            next((day for day in range(low + 1, high) if self.writes(day)), high) if first is None else first
        )


def roundest_first_day(low: int, high: int, months: int, scale: Scale) -> int | None:
    """Of the first days of every so many months behind `low`, up to `high`: that of a year, of a quarter, of
    a month, the first that can be written."""
    for span in (12, 3, 1):
        if span % months == 0 or months % span == 0:
            days = first_days(low, high, max(span, months))
            written = next((day for day in days if scale.writes(day)), None)
            if written is not None:
                return written
    return None


def first_days(low: int, high: int, months: int) -> Iterator[int]:
    """The first days of every so many months behind `low`, up to `high`."""
    first, last = (datetime.date.fromordinal(point) for point in (low, high))
    begin = (12 * first.year + first.month - 1) // months * months
    for month in range(begin, 12 * last.year + last.month, months):
        # There is no year 0.
        if month >= 12:
            day = datetime.date(month // 12, month % 12 + 1, 1).toordinal()
            if low < day <= high:
                yield day


def _laid_out(date: datetime.date, layout: str) -> str:
    """The year with four digits, which strftime leaves out on some systems."""
    year = f"{date.year:04d}"
    return date.strftime(layout.replace("%Y", year)) if "%Y" in layout else date.strftime(layout)
