"""Numbers on a line: read exactly, coded at the ends, put into bands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import chain, compress
from typing import ClassVar, TypeAlias

import numpy as np

from paretonym.arrays import Codes
from paretonym.schema.hierarchies.exact_numbers import (
    Numbers,
    Wholes,
    comma_remedy,
    number_text,
    parse_number,
    read_numbers,
)
from paretonym.schema.hierarchies.hierarchy_draft import (
    NO_PLACE,
    OCCURRING,
    Draft,
    Shown,
    Values,
    as_is,
    runs,
)
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn
from paretonym.schema.hierarchies.text_matrix import picked, respelled
from paretonym.schema.hierarchies.value_line import Line

Edges: TypeAlias = tuple[int | None, int | None]
"""The ends of a band: from the first, below the second; None is no end."""

# Every coded text has one of them.
SIGNS = "+<>≤≥"
CODED = re.compile(r"(?P<above>[^<>≤≥=+]+)\+|(?:>=?|≥) ?(?P<from>[^+]+)|(?P<sign><=|<|≤) ?(?P<to>[^+]+)")


@dataclass(frozen=True, eq=False)
class NumberLine:
    """The distinct numbers in ascending order, as leaves, with the ends at which they are coded: everything
    below the bottom is one leaf, and everything from the top on."""

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

    def end_label(self, zone: int) -> str:
        """The label of what is coded at the bottom (-1) or at the top (1)."""
        return self.label((None, self.bottom) if zone < 0 else (self.top, None))

    def interval_labels(self, lows: list[int], width: int) -> Iterator[str]:
        """The labels of intervals of one width, clipped."""
        if self.bottom is None and self.top is None and self.numbers.decimals == 0:
            # As `label`, without four calls for each of perhaps a hundred thousand.
            return (f"[{low}, {low + width})" for low in lows)
        return (self.label(self.clipped((low, low + width))) for low in lows)


def number_line(column: HierarchyColumn, values: Values, settings: Iterable[Decimal] = ()) -> NumberLine:
    """The values as numbers, on a scale that holds the settings too: two spellings of one number are one
    leaf, and so are all values that are coded at an end."""
    ends = [end for end in (column.bottom, column.top) if end is not None]
    texts = values.texts
    if ends and _may_be_coded(texts):
        texts = tuple(_coded_text(text, column.bottom, column.top) for text in texts)
    numbers = read_numbers(texts, (*settings, *ends))
    values.require(
        numbers.readable, "not numbers",
        comma_remedy(
            "fix them, or set unknown = \"top\", or list them in null if they mean missing",
            compress(texts, ~numbers.readable),
        ), "hierarchy",
    )  # fmt: skip
    bottom, top = (None if end is None else numbers.scale(end) for end in (column.bottom, column.top))
    points, inverse = np.unique(_coded(numbers.scaled[numbers.readable], bottom, top), return_inverse=True)
    codes = np.full(len(values.texts), NO_PLACE, dtype=np.int32)
    codes[numbers.readable] = inverse
    line = NumberLine(numbers, points, _spelled(values.texts, codes, numbers, points), codes, bottom, top)
    return replace(line, leaves=_labelled(line))


def _coded(points: Wholes, bottom: int | None, top: int | None) -> Wholes:
    """The points, where one stands for all below the bottom, and one for all from the top on."""
    coded = points.copy()
    if bottom is not None:
        coded[np.asarray(points < bottom, dtype=np.bool_)] = bottom - 1
    if top is not None:
        coded[np.asarray(points >= top, dtype=np.bool_)] = top
    return coded


def _labelled(line: NumberLine) -> tuple[str, ...]:
    """The leaves, those of coded values with the label of their set."""
    zones = line.zones()
    ends = np.flatnonzero(zones).tolist()
    return respelled(line.leaves, ends, (line.end_label(zones[place]) for place in ends))


def _may_be_coded(texts: tuple[str, ...]) -> bool:
    together = "".join(texts)
    return any(sign in together for sign in SIGNS)


def _coded_text(text: str, bottom: Decimal | None, top: Decimal | None) -> str:
    """A number to be read in place of a text: a value that the table itself has coded, such as `95+` or `<5`,
    belongs to those that the schema codes if every number that it may be does.

    >>> [_coded_text(text, Decimal(18), Decimal(90)) for text in ("95+", ">= 90", "85+", "<5", "<= 17", "30")]
    ['95', '90', '85+', '17', '17', '30']
    """
    found = CODED.fullmatch(text.strip())
    number = None if found is None else parse_number(found["above"] or found["from"] or found["to"])
    if found is None or number is None:
        return text
    if found["to"] is None:
        return str(number) if top is not None and number >= top else text
    # Whatever `<18` is, it is below 18.
    below = bottom is not None and (number <= bottom if found["sign"] == "<" else number < bottom)
    return str(bottom - 1) if below and bottom is not None else text


def _spelled(texts: tuple[str, ...], codes: Codes, numbers: Numbers, points: Wholes) -> tuple[str, ...]:
    """Each number as it is written, or its canonical text where it is written in several ways."""
    placed = np.flatnonzero(codes != NO_PLACE)
    spellings = np.bincount(codes[placed], minlength=len(points))
    written = np.zeros(len(points), dtype=np.int64)
    written[codes[placed]] = placed
    leaves = picked(texts, written)
    anew = np.flatnonzero(spellings > 1).tolist()
    return respelled(leaves, anew, (numbers.text(int(points[index])) for index in anew))


def number_draft(line: NumberLine, levels: Iterable[Shown] = ()) -> Draft:
    """Level 0 with the leaves in the order of the numbers, and the given levels above it."""
    shown = (as_is(line.leaves), *levels)
    return Draft(line.leaves, shown, line.codes, OCCURRING, always_top=len(shown) > 1)


def banded(line: NumberLine, index: Wholes, labels: Callable[[list[int]], Iterable[str]]) -> Shown:
    """One level from the band of each point; what is coded is one set, whatever its bands."""
    zones = line.zones()
    inner = (zones[1:] == 0) & np.asarray(index[1:] != index[:-1], dtype=np.bool_)
    groups, first = runs((zones[1:] != zones[:-1]) | inner, len(line.points))
    texts = list(labels(first.tolist()))
    for group in np.flatnonzero(zones[first] != 0).tolist():
        texts[group] = line.end_label(zones[first[group]])
    return Shown(groups, tuple(texts))


@dataclass(frozen=True, slots=True)
class NumberScale:
    """Points are whole multiples of a power of ten."""

    decimals: int
    layout: ClassVar[None] = None

    def text(self, point: int) -> str:
        return number_text(point, self.decimals)

    def writes(self, point: int) -> bool:
        return True

    def roundest(self, low: int, high: int) -> int:
        """A multiple of the largest of …, 100, 50, 20, 10, 5, 2, 1, … that has one; of several the one
        nearest to the middle.

        >>> gaps = (17, 18), (38, 42), (12, 47), (40000, 987654), (-3, 9)
        >>> [NumberScale(0).roundest(*gap) for gap in gaps]
        [18, 40, 20, 500000, 0]
        """
        if low < 0 <= high:
            return 0
        power: int = 10 ** len(str(max(abs(low), abs(high))))
        while True:
            for step in (power, power // 2, power // 5):
                if step and high // step * step > low:
                    first, last = low // step + 1, high // step
                    middle = (low + high) // (2 * step)
                    near = {min(max(middle + more, first), last) * step for more in (0, 1)}
                    return min(near, key=lambda point: (abs(2 * point - low - high), point))
            power //= 10


Starts: TypeAlias = Callable[[NumberLine, tuple[int, ...]], Iterable[Iterable[int]]]


def numbers_on_line(
    column: HierarchyColumn, values: Values, settings: Iterable[Decimal] = (), starts: Starts | None = None
) -> Line:
    """The line of a column of numbers. Boundaries are given by what is coded, by the levels of a kind
    (`starts`: where the set of each point begins, from the coarsest level on) and by granules."""
    origin = column.kind.origin
    granules = [] if column.granularity is None else [column.granularity]
    made = number_line(column, values, [origin, *settings, *granules])
    points, scale = tuple(int(point) for point in made.points.tolist()), made.numbers.scale
    coded = [end for end in (made.bottom, made.top) if end is not None]
    begun = chain(
        [starts_of_bands(points, coded)],
        () if starts is None else starts(made, points),
        (starts_of_widths(points, scale(width), scale(origin)) for width in granules),
    )
    return Line.of(points, begun, NumberScale(made.numbers.decimals), made.numbers.decimals == 0)


NUMBER_IN_LABEL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


def numbers_in(label: str) -> Iterator[str]:
    """Numbers that may lie in the band with this label: its ends, and one below an end.

    >>> list(numbers_in("[-5, 0.5)")), list(numbers_in("<18"))
    (['-5', '0.5'], ['18', '17'])
    """
    for text in NUMBER_IN_LABEL.findall(label):
        yield text
        if label.startswith("<"):
            yield str(Decimal(text) - 1)


def starts_of_bands(points: tuple[int, ...], cuts: list[int]) -> Iterator[int]:
    """The last cut up to each point; the least point where there is none."""
    return (max((cut for cut in cuts if cut <= point), default=points[0]) for point in points)


def starts_of_widths(points: Iterable[int], width: int, origin: int) -> Iterator[int]:
    """Where the interval of each point begins."""
    return ((point - origin) // width * width + origin for point in points)
