"""Dates on a line: read in ISO form or in the layout that the schema gives. Times of day are ignored."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Mask
from paretonym.base.errors import InputError, Place
from paretonym.tables.arrow import pa
from paretonym.tables.schema.hierarchies.hierarchy_kind import HierarchyColumn, HierarchyKind
from paretonym.tables.schema.hierarchies.level_table import (
    MANY,
    Fault,
    LevelTable,
    Values,
    arrow_texts,
    line_table,
    placed_points,
)
from paretonym.tables.schema.hierarchies.value_line import Line, Scale

ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].+)?")
TWO_WAYS = re.compile(r"(0?[1-9]|1[0-2])([./-])(0?[1-9]|1[0-2])\2[0-9]{2,4}(?:[T ].*)?")
CLOCK = re.compile(r"%-?[HIMSpfcXzZ]")
EPOCH = datetime.date(1970, 1, 1).toordinal()
ISO_LENGTH = len("2020-03-31")

Days: TypeAlias = npt.NDArray[np.int64]
"""Dates as days since year 1 (`date.toordinal`)."""


def date_table(column: HierarchyColumn, kind: HierarchyKind, values: Values) -> LevelTable:
    """The values as dates: two spellings of one date, or two times of one day, are one leaf."""
    # A column that the table holds as dates is written in ISO form, whatever the schema says.
    layout = None if values.type == "date" else column.format
    if layout is not None and kind.height:
        _check_layout(layout, kind.words(1) in ("by month", "by quarter"), values.place)
    days = read_days(values.texts, layout)
    unread = days < 0
    missing = ', or set unknown = "top", or list them in null if they mean missing'
    faults: tuple[Fault, ...]
    if layout is None:
        remedy = f'give the format, such as format = "%d.%m.%Y"{missing}'
        two_ways = _read_two_ways(values, unread)
        strange = Fault(unread & ~two_ways.values, "not dates such as 2020-03-31", remedy, "format")
        faults = (two_ways, strange)
        rewritten = np.array([len(text.strip()) > ISO_LENGTH for text in values.texts], dtype=np.bool_)
    else:
        remedy = f"fix the format or the values{missing}"
        faults = (Fault(unread, f"not dates of the format '{layout}'", remedy, "format"),)
        rewritten = np.full(len(days), CLOCK.search(layout) is not None)
    points, codes = placed_points(days, ~unread)
    scale = Calendar(layout)
    # A date with a time of day is written anew, in ISO form.
    return line_table(
        Line(points, scale, tuple(kind.bands(scale))), "dates", values, codes, faults, rewritten
    )


def _read_two_ways(values: Values, unread: Mask) -> Fault:
    unclear = [bool(TWO_WAYS.fullmatch(text.strip())) for text in values.where(unread)]
    two_ways = unread.copy()
    two_ways[unread] = unclear
    wrong = "could be read as day and month or as month and day"
    return Fault(two_ways, wrong, 'set format = "%d/%m/%Y" or format = "%m/%d/%Y"', "format")


def _check_layout(layout: str, months: bool, place: Place) -> None:
    """Raise unless the layout gives all that the finest level needs: the year, and the month."""
    sample = datetime.datetime(2019, 11, 28)
    try:
        day = read_day(sample.strftime(layout), layout)
    except ValueError:
        day = -1
    date = datetime.date.fromordinal(day) if day >= 0 else None
    if date is None or date.year != sample.year or (months and date.month != sample.month):
        parts = "the month and the year" if months else "the year"
        wrong = f"the format '{layout}' does not give {parts} of a date"
        raise InputError.of(place, wrong, 'give one such as "%d.%m.%Y"', "format")


def read_days(texts: tuple[str, ...], layout: str | None) -> Days:
    """The day in each text, -1 if it is not a date in this layout (None: ISO)."""
    if layout is None and len(texts) >= MANY and (days := _plain_days(texts)) is not None:
        return days
    read = _iso_day if layout is None else lambda text: read_day(text, layout)
    return np.fromiter(map(read, texts), dtype=np.int64, count=len(texts))


def _plain_days(texts: tuple[str, ...]) -> Days | None:
    """The fast path for many texts: every one is written like 2020-03-31."""
    cells = arrow_texts(texts)
    if cells is None:
        return None
    try:
        days = cells.cast(pa.date32()).cast(pa.int32()).to_numpy().astype(np.int64) + EPOCH
    except pa.ArrowInvalid:
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


@dataclass(frozen=True, slots=True)
class Calendar:
    """Points are days since year 1, written in a layout (None: ISO)."""

    layout: str | None = None
    decimals: ClassVar[int] = 0

    def point(self, number: Decimal) -> int:
        return int(number)

    def text(self, point: int) -> str:
        date = datetime.date.fromordinal(point)
        if self.layout is None:
            return date.isoformat()
        # With four digits, which strftime leaves out on some systems.
        return date.strftime(self.layout.replace("%Y", f"{date.year:04d}"))

    def canonical(self, point: int) -> str:
        return datetime.date.fromordinal(point).isoformat()

    def writes(self, point: int) -> bool:
        """True if the layout can write this very day."""
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
        if first is not None:
            return first
        return next((day for day in range(low + 1, high) if self.writes(day)), high)


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
