"""The line on which numbers and dates lie: the levels of a hierarchy as bands of it, and the boundaries on it
that disclose nobody's value.

A boundary b between two neighbouring values u < v means "below b" and "from b on", with u < b ≤ v. The schema
may give one: the edge of an interval, of a granule, of what is coded at an end, or the first day of a month,
quarter, year or decade. Otherwise it has to be made of values that enough rows have: the roundest number or
date after u, up to v, if both are such values; v itself or the next value after u if only one is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
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

    def roundest(self, low: int, high: int) -> int:
        """The roundest point behind `low`, up to `high`."""
        ...


class Bands(NamedTuple):
    """One level of a line: the number of each point's band, the edges of a band, and its label if the edges
    do not make it."""

    numbers: Callable[[Points], Points]
    edges: Callable[[int], Edges]
    label: Callable[[int], str] | None = None

    @classmethod
    def of_width(cls, width: int, origin: int) -> Bands:
        """Intervals of one width."""
        return cls(
            lambda points: (points - origin) // width,
            lambda number: (number * width + origin, (number + 1) * width + origin),
        )

    @classmethod
    def between(cls, cuts: Sequence[int]) -> Bands:
        """The bands that cuts in ascending order make."""
        ends: list[int | None] = [None, *cuts, None]
        return cls(
            lambda points: np.searchsorted(np.array(cuts, dtype=points.dtype), points, side="right"),
            lambda number: (ends[number], ends[number + 1]),
        )


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
        """The line with the boundaries that the schema gives: by what is coded, by levels from the finest to
        the coarsest, and by granules. A boundary in front of a point is where its set begins, at the first
        level, the coarsest first, at which that is after the previous point; and no point that the scale
        cannot write."""
        ends = [end for end in (self.bottom, self.top) if end is not None]
        bands = [Bands.between(ends), *reversed(levels), *([self.granules] if self.granules else [])]
        points = tuple(int(point) for point in self.points.tolist())
        boundaries: list[int | None] = [None] * len(points)
        for level in bands:
            for place, number in enumerate(level.numbers(self.points).tolist()):
                begin = level.edges(number)[0]
                if place and boundaries[place] is None and begin is not None and begin > points[place - 1]:
                    boundaries[place] = begin
        written = (point if point is None or self.scale.writes(point) else None for point in boundaries)
        return Line(points, tuple(written), self.scale, stepped=self.scale.decimals == 0)


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
    """The values of a column in ascending order: `points[i]` is leaf i. `given[i]` is the schema's boundary
    between leaf i - 1 and leaf i, None where it has none. `stepped` if the next value after any is known, as
    for whole numbers and days."""

    points: tuple[int, ...]
    given: tuple[int | None, ...]
    scale: Scale
    stepped: bool

    def __len__(self) -> int:
        return len(self.points)

    def boundary(self, place: int, before: bool, after: bool) -> int | None:
        """The boundary in front of leaf `place`. `before` and `after` say whether enough rows have the leaf
        in front of it and the leaf itself; None if it would show a value that too few have."""
        stated, low, high = self.given[place], self.points[place - 1], self.points[place]
        if stated is not None:
            return stated
        if before and after:
            return self.scale.roundest(low, high)
        if after:
            return high
        return low + 1 if before and self.stepped and self.scale.writes(low + 1) else None

    def rescaled(self, point: int, other: Line) -> int:
        """A point of this line as one of another, whose scale is as fine."""
        return int(point * 10 ** (other.scale.decimals - self.scale.decimals))
