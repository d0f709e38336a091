"""The line on which numbers and dates lie: the levels of a hierarchy as bands of it, and the edges on it that
the schema gives: where an interval, a granule, what is coded at an end, a month, quarter, year or decade
begins. No edge depends on the values of a table, and neither does which of several points is the roundest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Codes, Mask
from paretonym.schema.hierarchies.hierarchy_draft import NO_PLACE, Draft, Shown, as_is, runs
from paretonym.schema.hierarchies.text_matrix import lengths_of, picked, respelled

Points: TypeAlias = npt.NDArray[Any]
"""64-bit integers, or Python's own where those do not suffice."""
Edges: TypeAlias = tuple[int | None, int | None]
"""The ends of a band: from the first, below the second; None is no end."""


class Scale(Protocol):
    """What the points of a line mean: whole multiples of a power of ten with `decimals` decimal places, or
    days since year 1, written in a `layout` (None: ISO)."""

    @property
    def decimals(self) -> int: ...
    @property
    def layout(self) -> str | None: ...

    def text(self, point: int) -> str: ...

    def writes(self, point: int) -> bool:
        """Whether `text` can write this very point."""
        ...

    def roundness(self, point: int) -> int:
        """The rank of a point among all: the more, the rounder."""
        ...

    def roundest(self, low: int, high: int) -> int:
        """The roundest point behind `low`, up to `high`, and of equally round ones the lowest."""
        ...


class Bands(NamedTuple):
    """One level of a line: the number of each point's band, the edges of a band, the roundest edge behind a
    point and up to another (None: there is none), and a band's label if the edges do not make it."""

    numbers: Callable[[Points], Points]
    edges: Callable[[int], Edges]
    roundest: Callable[[int, int, Scale], int | None]
    label: Callable[[int], str] | None = None

    @classmethod
    def of_width(cls, width: int, origin: int) -> Bands:
        """Intervals of one width."""
        return cls(
            lambda points: (points - origin) // width,
            lambda number: (number * width + origin, (number + 1) * width + origin),
            lambda low, high, scale: roundest_multiple(low, high, width, origin),
        )

    @classmethod
    def between(cls, cuts: Sequence[int]) -> Bands:
        """The bands that cuts in ascending order make."""
        ends: list[int | None] = [None, *cuts, None]
        return cls(
            lambda points: np.searchsorted(np.array(cuts, dtype=points.dtype), points, side="right"),
            lambda number: (ends[number], ends[number + 1]),
            lambda low, high, scale: roundest_of([cut for cut in cuts if low < cut <= high], scale),
        )

    def name(self, low: int, high: int) -> str | None:
        """The label of the band from `low` up to but excluding `high`, if it has one of its own."""
        if self.label is None:
            return None
        number = int(self.numbers(np.array([low]))[0])
        begins = self.edges(number)[0] == low and self.edges(number + 1)[0] == high
        return self.label(number) if begins else None


def roundest_of(points: Sequence[int], scale: Scale) -> int | None:
    """The roundest of some points that can be written, and of equally round ones the lowest."""
    written = [point for point in points if scale.writes(point)]
    return min(written, key=lambda point: (-scale.roundness(point), point), default=None)


def roundest_multiple(low: int, high: int, width: int, origin: int) -> int | None:
    """Of the points behind `low`, up to `high`, that lie whole widths from the origin: the multiple of the
    highest power of ten, and of several the lowest.

    >>> [roundest_multiple(low, high, 4, 0) for low, high in ((17, 19), (17, 23), (17, 41), (-3, 9))]
    [None, 20, 20, 0]
    """
    if low < 0 <= high and origin % width == 0:
        return 0
    for power in range(len(str(max(abs(low), abs(high)))), -1, -1):
        step = int(10**power)
        shared = gcd(step, width)
        if origin % shared:
            continue
        # Multiples of the step that lie whole widths from the origin (Chinese remainder theorem).
        turns = origin // shared * pow(step // shared, -1, width // shared) % (width // shared)
        first = low + 1 + (turns * step - low - 1) % (step // shared * width)
        if first <= high:
            return first
    return None


@dataclass(frozen=True, eq=False)
class PointLine:
    """The distinct numbers or dates of a column in ascending order, as leaves; `codes` gives the leaf of each
    text. Everything below the bottom is one leaf, and everything from the top on. `granules` are the finest
    bands, if the schema gives a granularity; `origin` says in words where the domain comes from."""

    points: Points
    leaves: tuple[str, ...]
    codes: Codes
    scale: Scale
    origin: str
    bottom: int | None = None
    top: int | None = None
    granules: Bands | None = None

    @property
    def coded(self) -> Mask:
        """Which points stand for all that is coded at an end."""
        coded = np.zeros(len(self.points), dtype=np.bool_)
        if self.bottom is not None:
            coded |= np.asarray(self.points < self.bottom, dtype=np.bool_)
        if self.top is not None:
            coded |= np.asarray(self.points >= self.top, dtype=np.bool_)
        return coded

    def draft(self, levels: Iterable[Bands] = ()) -> Draft:
        """Level 0 with the leaves in their order, and these levels above it."""
        drawn = (as_is(self.leaves), *map(self._shown, levels))
        return Draft(self.leaves, drawn, self.codes, self.origin, always_top=len(drawn) > 1)

    def _shown(self, bands: Bands) -> Shown:
        """One level; what is coded is a set of its own, whatever its band."""
        numbers, coded = bands.numbers(self.points), self.coded
        changes = np.asarray(numbers[1:] != numbers[:-1], dtype=np.bool_) | coded[1:] | coded[:-1]
        groups, first = runs(changes, len(self.points))
        if bands.label is None:
            labels = list(self._labels(map(bands.edges, numbers[first].tolist())))
        else:
            labels = list(map(bands.label, numbers[first].tolist()))
        for group in np.flatnonzero(coded[first]).tolist():
            labels[group] = self.leaves[int(first[group])]
        return Shown(groups, tuple(labels))

    def _labels(self, edges: Iterable[Edges]) -> Iterable[str]:
        """The labels of bands, clipped to what is not coded, so that they stay true: with 90 coded,
        [80, 120) becomes [80, 90)."""
        if self.bottom is None and self.top is None and self.scale.decimals == 0:
            # As below, without a call for each of perhaps a hundred thousand.
            return (
                f"[{low}, {high})" if low is not None and high is not None else self._label(low, high)
                for low, high in edges
            )
        return (self._label(*self._clipped(low, high)) for low, high in edges)

    def _clipped(self, low: int | None, high: int | None) -> Edges:
        if self.bottom is not None and (low is None or low < self.bottom):
            low = self.bottom
        if self.top is not None and (high is None or high > self.top):
            high = self.top
        return low, high

    def _label(self, low: int | None, high: int | None) -> str:
        return band_label(self.scale, low, high)

    def line(self, levels: Sequence[Bands] = ()) -> Line:
        """The line with the edges that the schema gives, by levels from the finest to the coarsest."""
        points = tuple(int(point) for point in self.points.tolist())
        step = 10**self.scale.decimals
        return Line(points, self.scale, step, tuple(levels), self.granules, self.bottom, self.top)


def band_label(scale: Scale, low: int | None, high: int | None) -> str:
    """The label of a band between two points, of which one may be missing."""
    if low is None:
        return "*" if high is None else f"<{scale.text(high)}"
    return f"{scale.text(low)}+" if high is None else f"[{scale.text(low)}, {scale.text(high)})"


def placed_points(points: Points, readable: Mask) -> tuple[Points, Codes]:
    """The distinct points in ascending order, and the place of each readable one among them."""
    distinct, inverse = np.unique(points[readable], return_inverse=True)
    codes = np.full(len(points), NO_PLACE, dtype=np.int32)
    codes[readable] = inverse
    return distinct, codes


def spelled(
    texts: tuple[str, ...], codes: Codes, points: Points, canonical: Callable[[int], str], longest: int = 0
) -> tuple[str, ...]:
    """Each point as it is written, or its canonical text where it is written in several ways or in more than
    the `longest` number of characters, if there is one."""
    placed = np.flatnonzero(codes != NO_PLACE)
    written = np.zeros(len(points), dtype=np.int64)
    written[codes[placed]] = placed
    leaves = picked(texts, written)
    anew = np.bincount(codes[placed], minlength=len(points)) > 1
    if longest:
        for place in np.flatnonzero(lengths_of(texts)[written] > longest).tolist():
            anew[place] |= len(leaves[place].strip()) > longest
    places = np.flatnonzero(anew).tolist()
    return respelled(leaves, places, (canonical(int(points[place])) for place in places))


@dataclass(frozen=True, eq=False)
class Line:
    """The values of a column in ascending order: `points[i]` is leaf i. `levels[i]` are the bands of level
    i + 1, `granules` those of the schema's granularity. Nothing is told apart below `bottom` and from `top`
    on, which are edges themselves. From a whole number or a day to the next it is one `step`."""

    points: tuple[int, ...]
    scale: Scale
    step: int = 1
    levels: tuple[Bands, ...] = ()
    granules: Bands | None = None
    bottom: int | None = None
    top: int | None = None

    def __len__(self) -> int:
        return len(self.points)

    def edge(self, low: int, high: int, lowest: int = 0, granular: bool = False) -> int | None:
        """The roundest edge of the schema behind `low`, up to `high`, where nothing finer than the level
        `lowest` is shown; with `granular`, only edges of granules count. None if there is none."""
        low = low if self.bottom is None else max(low, self.bottom - 1)
        high = high if self.top is None else min(high, self.top)
        coded = [end for end in (self.bottom, self.top) if end is not None and low < end <= high]
        every = [bands.roundest(low, high, self.scale) for bands in self._bands(lowest, granular)]
        return roundest_of([*coded, *(point for point in every if point is not None)], self.scale)

    def _bands(self, lowest: int, granular: bool) -> tuple[Bands, ...]:
        if self.granules is None or lowest:
            return self.levels[max(lowest - 1, 0) :]
        return (self.granules,) if granular else (*self.levels, self.granules)

    def name(self, low: int, high: int) -> str | None:
        """The name that the schema has for the values from `low` up to but excluding `high`."""
        return next((name for bands in self.levels if (name := bands.name(low, high)) is not None), None)

    def rescaled(self, point: int, other: Line) -> int:
        """A point of this line as one of another, whose scale is as fine."""
        return int(point * 10 ** (other.scale.decimals - self.scale.decimals))
