"""Dates by month, quarter, year, decade."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from paretonym.base.errors import did_you_mean
from paretonym.base.language import N_
from paretonym.tables.schema.hierarchies.date_line import months_of, roundest_first_day
from paretonym.tables.schema.hierarchies.hierarchy_kind import HierarchyKind, LoadFile
from paretonym.tables.schema.hierarchies.value_line import Bands, Edges, Scale
from paretonym.tables.schema.toml_section import Section


class Span(NamedTuple):
    """A span of time: how many months it has, the words for its level, and the label of the one that begins
    with a month of a year. Spans are numbered from the year 0 on."""

    months: int
    words: str
    text: Callable[[int, int], str]

    @property
    def bands(self) -> Bands:
        return Bands(
            lambda days: months_of(days) // self.months,
            self._edges,
            lambda low, high, scale: roundest_first_day(low, high, self.months, scale),
            lambda number: self.text(*self._first(number)),
        )

    def _first(self, number: int) -> tuple[int, int]:
        return number * self.months // 12, number * self.months % 12 + 1

    def _edges(self, number: int) -> Edges:
        year, month = self._first(number)
        # There is no year 0.
        return datetime.date(max(year, 1), month, 1).toordinal(), None


SPANS: Mapping[str, Span] = {
    "month": Span(1, N_("by month"), lambda year, month: f"{year:04d}-{month:02d}"),
    "quarter": Span(3, N_("by quarter"), lambda year, month: f"{year:04d}-Q{(month + 2) // 3}"),
    "year": Span(12, N_("by year"), lambda year, month: f"{year:04d}"),
    "decade": Span(120, N_("by decade"), lambda year, month: f"{year:04d}s"),
}
# Of a year or decade, a month or a quarter.
LABEL = re.compile(r"([0-9]{4})(?:s|-([0-9]{2})|-Q([1-4]))?")


@dataclass(frozen=True, slots=True)
class Dates(HierarchyKind):
    """Dates shown by month, quarter, year, decade: `units[i]` at level i + 1."""

    key = "date"
    reads = "dates"

    units: tuple[str, ...]

    def __post_init__(self) -> None:
        for unit in self.units:
            self._check_unit(unit)
        ranks = list(map(list(SPANS).index, self.units))
        if not ranks or any(after <= before for before, after in pairwise(ranks)):
            wrong = f"{list(self.units)} does not go from finer to coarser units"
            raise self.refusal(wrong, f"give some of {', '.join(SPANS)}, in this order")

    def _check_unit(self, unit: str) -> None:
        some = f"use some of {', '.join(SPANS)}"
        if unit == "week":
            raise self.refusal("weeks are not nested in months or years", some)
        if unit == "day":
            raise self.refusal("level 0 already shows the day", some)
        if unit not in SPANS:
            raise self.refusal(f"the unit '{unit}' is unknown", did_you_mean(unit, SPANS))

    @classmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> Dates | None:
        units = table.texts("date")
        return None if units is None else cls(units)

    def to_mapping(self) -> dict[str, Any]:
        return {"date": list(self.units)}

    @property
    def height(self) -> int:
        return len(self.units)

    def bands(self, scale: Scale) -> Sequence[Bands]:
        return [SPANS[unit].bands for unit in self.units]

    def words(self, level: int) -> str:
        return SPANS[self.units[level - 1]].words

    def possible_members(self, label: str) -> Iterable[str]:
        """The first day of a span, in ISO form."""
        span = LABEL.fullmatch(label)
        if span is None:
            return (label,)
        month = 3 * int(span[3]) - 2 if span[3] else int(span[2] or 1)
        return label, f"{max(int(span[1]), 1):04d}-{month:02d}-01"
