"""Dates by month, quarter, year, decade."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, Self

from paretonym.errors import InputError, Place, did_you_mean
from paretonym.schema.hierarchies.date_line import date_table, months_of, read_day, roundest_first_day
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn, HierarchyKind, LoadFile
from paretonym.schema.hierarchies.level_table import LevelTable, Values
from paretonym.schema.hierarchies.value_line import Bands, Edges
from paretonym.schema.toml_section import Section


class Unit(NamedTuple):
    """A span of time: how many months it has, and the label of the one that begins with a month of a year."""

    months: int
    label: Callable[[int, int], str]

    @property
    def bands(self) -> Bands:
        """The spans as bands of a line of days, numbered from the year 0 on."""

        def first(number: int) -> tuple[int, int]:
            return number * self.months // 12, number * self.months % 12 + 1

        def edges(number: int) -> Edges:
            year, month = first(number)
            # There is no year 0.
            return datetime.date(max(year, 1), month, 1).toordinal(), None

        return Bands(
            lambda days: months_of(days) // self.months,
            edges,
            lambda low, high, scale: roundest_first_day(low, high, self.months, scale),
            lambda number: self.label(*first(number)),
        )


UNITS: Mapping[str, Unit] = {
    "month": Unit(1, lambda year, month: f"{year:04d}-{month:02d}"),
    "quarter": Unit(3, lambda year, month: f"{year:04d}-Q{(month + 2) // 3}"),
    "year": Unit(12, lambda year, month: f"{year:04d}"),
    "decade": Unit(120, lambda year, month: f"{year:04d}s"),
}


# A year or decade, a month or a quarter.
LABEL = re.compile(r"([0-9]{4})(?:s|-([0-9]{2})|-Q([1-4]))?")


@dataclass(frozen=True, slots=True)
class Dates(HierarchyKind):
    """Dates shown by month, quarter, year, decade: `units[i]` at level i + 1. `ready` is the name of the
    ready hierarchy that they are, if the schema gives that instead."""

    key = "date"
    reads = "dates"

    units: tuple[str, ...]
    ready: str = ""

    def __post_init__(self) -> None:
        for unit in self.units:
            self._check_unit(unit)
        ranks = [list(UNITS).index(unit) for unit in self.units]
        if not ranks or any(after <= before for before, after in pairwise(ranks)):
            wrong = f"{list(self.units)} does not go from finer to coarser units"
            raise self.refusal(wrong, f"give some of {', '.join(UNITS)}, in this order")

    def _check_unit(self, unit: str) -> None:
        if unit == "week":
            wrong = "weeks are not nested in months or years"
            raise self.refusal(wrong, f"use some of {', '.join(UNITS)}")
        if unit == "day":
            raise self.refusal("level 0 already shows the day", f"use some of {', '.join(UNITS)}")
        if unit not in UNITS:
            raise self.refusal(f"the unit '{unit}' is unknown", did_you_mean(unit, UNITS))

    @classmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> Self | None:
        units = table.texts("date")
        return None if units is None else cls(units)

    def to_mapping(self) -> dict[str, Any]:
        return {"ready": self.ready} if self.ready else {"date": list(self.units)}

    def levels(self, column: HierarchyColumn, values: Values) -> LevelTable:
        if column.format is not None and values.type != "date":
            _check_format(column.format, self.units[0], values.place)
        return date_table(column, values, [UNITS[unit].bands for unit in self.units])

    def words(self, level: int) -> str | None:
        return f"by {self.units[level - 1]}" if level <= len(self.units) else None

    def possible_members(self, label: str) -> Iterable[str]:
        """The first day of a span, in ISO form."""
        span = LABEL.fullmatch(label)
        if span is None:
            return (label,)
        month = 3 * int(span[3]) - 2 if span[3] else int(span[2] or 1)
        return label, f"{max(int(span[1]), 1):04d}-{month:02d}-01"


def _check_format(layout: str, finest: str, place: Place) -> None:
    """Raise unless the format gives all that the finest unit needs."""
    sample = datetime.datetime(2019, 11, 28)
    try:
        day = read_day(sample.strftime(layout), layout)
    except ValueError:
        day = -1
    date = datetime.date.fromordinal(day) if day >= 0 else None
    needs_month = finest in ("month", "quarter")
    if date is None or date.year != sample.year or (needs_month and date.month != sample.month):
        wrong = f"the format '{layout}' does not give the year of a date"
        if needs_month:
            wrong = f"the format '{layout}' does not give the month and the year of a date"
        raise InputError.of(place, wrong, 'give one such as "%d.%m.%Y"', "format")
