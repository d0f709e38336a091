"""Hierarchies of numbers: intervals, own breaks, bottom and top coding."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

import numpy as np

from paretonym.arrays import Codes
from paretonym.errors import InputError
from paretonym.schema.hierarchies.exact_numbers import Numbers, Wholes, parse_number, read_numbers
from paretonym.schema.hierarchies.hierarchy_draft import NO_PLACE, Draft, Shown, Values, runs
from paretonym.schema.hierarchies.specifications import Breaks, HierarchyColumn, Intervals

Edges: TypeAlias = tuple[int | None, int | None]
"""The ends of a band: from the first, below the second; None is no end."""

CODED = re.compile(r"(?P<above>[^<>≤≥=+]+)\+|(?:>=?|≥) ?(?P<from>[^+]+)|(?P<sign><=|<|≤) ?(?P<to>[^+]+)")
ORIGIN = "the distinct values that occur"


@dataclass(frozen=True, eq=False)
class NumberLine:
    """The distinct numbers in rising order, as leaves, with the ends at which they are coded."""

    numbers: Numbers
    points: Wholes
    leaves: tuple[str, ...]
    codes: Codes
    bottom: int | None
    top: int | None

    def zones(self) -> Wholes:
        """-1 below the bottom, 1 from the top on, 0 between."""
        zones = np.zeros(len(self.points), dtype=np.int8)
        if self.bottom is not None:
            zones[np.asarray(self.points < self.bottom, dtype=np.bool_)] = -1
        if self.top is not None:
            zones[np.asarray(self.points >= self.top, dtype=np.bool_)] = 1
        return zones

    def clipped(self, edges: Edges) -> Edges:
        """A band without what is coded, so that its label stays true: [80, 120) becomes [80, 90)."""
        low, high = edges
        if self.bottom is not None and (low is None or low < self.bottom):
            low = self.bottom
        if self.top is not None and (high is None or high > self.top):
            high = self.top
        return low, high

    def label(self, edges: Edges) -> str:
        low, high = edges
        if low is None:
            return "*" if high is None else f"<{self.numbers.text(high)}"
        if high is None:
            return f"{self.numbers.text(low)}+"
        return f"[{self.numbers.text(low)}, {self.numbers.text(high)})"


def build_intervals(column: HierarchyColumn, kind: Intervals, values: Values) -> Draft:
    """Level 0 as is, then one level a width."""
    line = number_line(column, values, (*kind.widths, kind.origin))
    origin = line.numbers.scale(kind.origin)
    levels = [_interval_level(line, line.numbers.scale(width), origin) for width in kind.widths]
    return _draft(line, levels)


def build_breaks(column: HierarchyColumn, kind: Breaks, values: Values) -> Draft:
    """Level 0 as is, then one level a list of breaks."""
    line = number_line(column, values, [cut for cuts in kind.bands for cut in cuts])
    return _draft(
        line, [_break_level(line, [line.numbers.scale(cut) for cut in cuts]) for cuts in kind.bands]
    )


def build_flat_numbers(column: HierarchyColumn, values: Values) -> Draft:
    """Level 0 alone, in the order of the numbers."""
    return _draft(number_line(column, values, ()), [])


def number_line(
    column: HierarchyColumn, values: Values, settings: tuple[Decimal, ...] | list[Decimal]
) -> NumberLine:
    """The values as numbers: two spellings of one number are one leaf."""
    ends = [end for end in (column.bottom, column.top) if end is not None]
    texts = values.texts
    if ends:
        texts = tuple(_coded_text(text, column.bottom, column.top) for text in texts)
    numbers = read_numbers(texts, (*settings, *ends))
    values.require(
        numbers.readable, "not numbers",
        'fix them, or say unknown = "top", or list them in null if they mean missing', "hierarchy",
    )  # fmt: skip
    points, inverse = np.unique(numbers.scaled[numbers.readable], return_inverse=True)
    codes = np.full(len(values.texts), NO_PLACE, dtype=np.int32)
    codes[numbers.readable] = inverse
    return NumberLine(
        numbers, points, _spelled(values.texts, codes, numbers, points), codes,
        None if column.bottom is None else numbers.scale(column.bottom),
        None if column.top is None else numbers.scale(column.top),
    )  # fmt: skip


def _coded_text(text: str, bottom: Decimal | None, top: Decimal | None) -> str:
    """A number to be read in place of a text: a value that the table itself has coded, such as `95+` or `<5`,
    lies among those that the schema codes if all of what it may be does.

    >>> [_coded_text(text, Decimal(18), Decimal(90)) for text in ("95+", ">= 90", "85+", "<5", "<= 17", "30")]
    ['95', '90', '85+', '17', '17', '30']
    """
    found = CODED.fullmatch(text.strip())
    number = None if found is None else parse_number(found["above"] or found["from"] or found["to"])
    if found is None or number is None:
        return text
    if found["to"] is None:
        return str(number) if top is not None and number >= top else text
    # What is below `<18` is below 18, whatever it is.
    below = bottom is not None and (number <= bottom if found["sign"] == "<" else number < bottom)
    return str(bottom - 1) if below and bottom is not None else text


def refuse_coding(column: HierarchyColumn, values: Values) -> None:
    """Bottom and top need numbers."""
    if column.bottom is not None or column.top is not None:
        raise InputError.of(
            values.place,
            "bottom and top are given, but the values are not numbers",
            'leave them out, or use hierarchy.intervals, hierarchy.breaks or type = "integer"',
            "bottom",
        )


def _spelled(texts: tuple[str, ...], codes: Codes, numbers: Numbers, points: Wholes) -> tuple[str, ...]:
    """Each number as it is written, or its canonical text where it is written in several ways."""
    placed = np.flatnonzero(codes != NO_PLACE)
    spellings = np.bincount(codes[placed], minlength=len(points))
    written = np.zeros(len(points), dtype=np.int64)
    written[codes[placed]] = placed
    leaves = [texts[index] for index in written.tolist()]
    for index in np.flatnonzero(spellings > 1).tolist():
        leaves[index] = numbers.text(int(points[index]))
    return tuple(leaves)


def _draft(line: NumberLine, levels: list[Shown]) -> Draft:
    shown = (_level_zero(line), *levels)
    return Draft(line.leaves, shown, line.codes, ORIGIN, always_top=bool(levels))


def _level_zero(line: NumberLine) -> Shown:
    return _level(line, np.arange(len(line.points)), lambda first: iter([line.leaves[i] for i in first]))


def _interval_level(line: NumberLine, width: int, origin: int) -> Shown:
    index = (line.points - origin) // width

    def labels(first: list[int]) -> Iterator[str]:
        for low in (index[first] * width + origin).tolist():
            yield line.label(line.clipped((low, low + width)))

    return _level(line, index, labels)


def _break_level(line: NumberLine, cuts: list[int]) -> Shown:
    index = np.searchsorted(np.array(cuts, dtype=line.points.dtype), line.points, side="right")
    ends: list[int | None] = [None, *cuts, None]

    def labels(first: list[int]) -> Iterator[str]:
        for band in index[first].tolist():
            yield line.label(line.clipped((ends[band], ends[band + 1])))

    return _level(line, index, labels)


def _level(line: NumberLine, index: Wholes, labels: Callable[[list[int]], Iterator[str]]) -> Shown:
    """One level from the band of each point; what is coded is one set, whatever its bands."""
    zones = line.zones()
    inner = (zones[1:] == 0) & np.asarray(index[1:] != index[:-1], dtype=np.bool_)
    groups, first = runs((zones[1:] != zones[:-1]) | inner, len(line.points))
    texts = list(labels(first.tolist()))
    for group in np.flatnonzero(zones[first] != 0).tolist():
        texts[group] = line.label((None, line.bottom) if zones[first[group]] < 0 else (line.top, None))
    return Shown(groups, tuple(texts))
