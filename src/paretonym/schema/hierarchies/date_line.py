"""Dates on a line: read in ISO form or in the layout that the schema gives. Times of day are ignored."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.errors import InputError
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn
from paretonym.schema.hierarchies.level_table import LevelTable, Values, on_line, placed_points
from paretonym.schema.hierarchies.text_matrix import characters_of
from paretonym.schema.hierarchies.value_line import Bands, Line, Scale

ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].+)?")
TWO_WAYS = re.compile(r"(0?[1-9]|1[0-2])([./-])(0?[1-9]|1[0-2])\2[0-9]{2,4}(?:[T ].*)?")
CLOCK = re.compile(r"%-?[HIMSpfcXzZ]")
EPOCH = datetime.date(1970, 1, 1).toordinal()
ISO_DATE = "2020-03-31"
DASHES = (4, 7)

Days: TypeAlias = npt.NDArray[np.int64]
"""Dates as days since year 1 (`date.toordinal`)."""


def date_table(column: HierarchyColumn, values: Values, bands: Sequence[Bands] = ()) -> LevelTable:
    """The values as dates: two spellings of one date, or two times of one day, are one leaf."""
    # A column that the table holds as dates is written in ISO form, whatever the schema says.
    layout = None if values.type == "date" else column.format
    days = read_days(values.texts, layout)
    if layout is None:
        _refuse_two_ways(values, days)
    wrong = "not dates such as 2020-03-31" if layout is None else f"not dates of the format '{layout}'"
    remedy = "fix the format or the values"
    if layout is None:
        remedy = 'give the format, such as format = "%d.%m.%Y"'
    remedy += ', or set unknown = "top", or list them in null if they mean missing'
    values.require(days >= 0, wrong, remedy, "format")
    points, codes = placed_points(days, days >= 0)
    # A date with a time of day is written anew, in ISO form.
    clock = layout is not None and CLOCK.search(layout) is not None
    longest = len(ISO_DATE) if layout is None else int(clock)
    return on_line(Line(points, Calendar(layout), tuple(bands)), "dates", values.texts, codes, longest)


def read_days(texts: tuple[str, ...], layout: str | None) -> Days:
    """The day in each text, -1 if it is not a date in this layout (None: ISO)."""
    if layout is None and (days := _plain_days(texts)) is not None:
        return days
    read = _iso_day if layout is None else lambda text: read_day(text, layout)
    return np.fromiter(map(read, texts), dtype=np.int64, count=len(texts))


def _plain_days(texts: tuple[str, ...]) -> Days | None:
    """The fast path for the usual case: every text is written like 2020-03-31."""
    rows = characters_of(texts, len(ISO_DATE))
    if rows is None or rows.shape[1] < len(ISO_DATE):
        return None
    digits, dashes = np.delete(rows, DASHES, axis=1), rows[:, DASHES]
    if (digits - np.uint8(ord("0")) > 9).any() or (dashes != ord("-")).any():
        return None
    try:
        days = np.array(texts, dtype="datetime64[D]").astype(np.int64) + EPOCH
    except ValueError:
        return None
    # There is no year 0.
    return np.where(days >= 1, days, -1)


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


@dataclass(frozen=True, slots=True)
class Calendar:
    """Points are days since year 1, written in a layout (None: ISO)."""

    layout: str | None = None
    decimals: ClassVar[int] = 0

    def text(self, point: int) -> str:
        date = datetime.date.fromordinal(point)
        return date.isoformat() if self.layout is None else _laid_out(date, self.layout)

    def canonical(self, point: int) -> str:
        return datetime.date.fromordinal(point).isoformat()

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
