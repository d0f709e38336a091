"""The line on which numbers and dates lie, and the edges on it that the schema gives: where an interval, a
granule, what is coded at an end, a month, quarter, year or decade begins. No edge depends on the values of a
table, and neither does which of several points is the roundest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from math import gcd
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Mask

Points: TypeAlias = npt.NDArray[Any]
"""64-bit integers, or Python's own where those do not suffice."""
Edges: TypeAlias = tuple[int | None, int | None]
"""The ends of a band: from the first, below the second; None is no end."""


class Scale(Protocol):
    """Scale of the points of a line: whole multiples of a power of ten with `decimals` decimal places, or
    days since year 1, written in a `layout` (None: ISO)."""

    @property
    def decimals(self) -> int: ...
    @property
    def layout(self) -> str | None: ...

    def point(self, number: Decimal) -> int:
        """A number of the schema as a point."""
        ...

    def text(self, point: int) -> str: ...

    def canonical(self, point: int) -> str:
        """A point as it is written where the table does not say how: dates in ISO form."""
        ...

    def writes(self, point: int) -> bool:
        """True if `text` can write this very point."""
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
class Line:
    """The values of a column in ascending order: point i is that of leaf i. `bands[i]` are those of level
    i + 1, `granules` those of the schema's granularity. Nothing is told apart below `bottom` and from `top`
    on, which are edges themselves: everything there is one leaf each."""

    values: Points
    scale: Scale
    bands: tuple[Bands, ...] = ()
    granules: Bands | None = None
    bottom: int | None = None
    top: int | None = None

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def points(self) -> tuple[int, ...]:
        return tuple(self.values.tolist())

    @property
    def step(self) -> int:
        """The way from a whole number or a day to the next."""
        return int(10**self.scale.decimals)

    @property
    def coded(self) -> Mask:
        """Which points stand for all that is coded at an end."""
        coded = np.zeros(len(self), dtype=np.bool_)
        if self.bottom is not None:
            coded |= np.asarray(self.values < self.bottom, dtype=np.bool_)
        if self.top is not None:
            coded |= np.asarray(self.values >= self.top, dtype=np.bool_)
        return coded

    def coded_label(self, point: int) -> str:
        """The label of what is coded at the end where a point lies."""
        low = self.bottom is not None and point < self.bottom
        return self._interval(None, self.bottom) if low else self._interval(self.top, None)

    def band_label(self, bands: Bands, number: int) -> str:
        """The label of a band, clipped to what is not coded, so that it stays true: with 90 coded, [80, 120)
        becomes [80, 90)."""
        if bands.label is not None:
            return bands.label(number)
        low, high = bands.edges(number)
        if self.bottom is not None and (low is None or low < self.bottom):
            low = self.bottom
        if self.top is not None and (high is None or high > self.top):
            high = self.top
        return self._interval(low, high)

    def _interval(self, low: int | None, high: int | None) -> str:
        if low is None:
            return "*" if high is None else f"<{self.scale.text(high)}"
        begin = self.scale.text(low)
        return f"{begin}+" if high is None else f"[{begin}, {self.scale.text(high)})"

    def edge(self, low: int, high: int, lowest: int = 0, granular: bool = False) -> int | None:
        """The roundest edge of the schema behind `low`, up to `high`, where nothing finer than the level
        `lowest` is shown; with `granular`, only edges of granules count. None if there is none."""
        low = low if self.bottom is None else max(low, self.bottom - 1)
        high = high if self.top is None else min(high, self.top)
        if self.granules is None or lowest:
            levels = self.bands[max(lowest - 1, 0) :]
        else:
            levels = (self.granules,) if granular else (*self.bands, self.granules)
        coded = [end for end in (self.bottom, self.top) if end is not None and low < end <= high]
        edges = (bands.roundest(low, high, self.scale) for bands in levels)
        return roundest_of([*coded, *(edge for edge in edges if edge is not None)], self.scale)

    def name(self, low: int, high: int) -> str | None:
        """The name that the schema has for the values from `low` up to but excluding `high`."""
        return next((name for bands in self.bands if (name := bands.name(low, high)) is not None), None)

    def rescaled(self, point: int, other: Line) -> int:
        """A point of this line as one of another, whose scale is as fine."""
        return int(point * 10 ** (other.scale.decimals - self.scale.decimals))
