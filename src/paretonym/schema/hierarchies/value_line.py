"""The line on which numbers and dates lie, and the boundaries on it that disclose nobody's value.

A boundary b between two neighbouring values u < v means "below b" and "from b on", with u < b ≤ v. The schema
may give one: the edge of an interval, of a granule, of what is coded at an end, or the first day of a month,
quarter, year or decade. Otherwise it has to be made of values that enough rows have: the roundest number or
date after u, up to v, if both are such values; v itself or the next value after u if only one is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol


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


@dataclass(frozen=True, eq=False)
class Line:
    """The values of a column in ascending order: `points[i]` is leaf i. `given[i]` is the schema's boundary
    between leaf i - 1 and leaf i, None where it has none. `stepped` if the next value after any is known, as
    for whole numbers and days."""

    points: tuple[int, ...]
    given: tuple[int | None, ...]
    scale: Scale
    stepped: bool

    @classmethod
    def of(
        cls, points: tuple[int, ...], starts: Iterable[Iterable[int]], scale: Scale, stepped: bool
    ) -> Line:
        """`starts` says, level by level, where the set of each point begins. The boundary in front of a point
        is where its set begins, at the first of the levels at which that is after the previous point."""
        given: list[int | None] = [None] * len(points)
        for level in starts:
            for place, begin in enumerate(level):
                if place and given[place] is None and begin > points[place - 1]:
                    given[place] = begin
        written = (point if point is None or scale.writes(point) else None for point in given)
        return cls(points, tuple(written), scale, stepped)

    def __len__(self) -> int:
        return len(self.points)

    def boundary(self, place: int, before: bool, after: bool) -> int | None:
        """The boundary in front of leaf `place`. `before` and `after` say whether enough rows have the leaf
        in front of it and the leaf itself; None if it would show a value that too few have."""
        given, low, high = self.given[place], self.points[place - 1], self.points[place]
        if given is not None:
            return given
        if before and after:
            return self.scale.roundest(low, high)
        if after:
            return high
        return low + 1 if before and self.stepped and self.scale.writes(low + 1) else None

    def rescaled(self, point: int, other: Line) -> int:
        """A point of this line as one of another, whose scale is as fine."""
        return int(point * 10 ** (other.scale.decimals - self.scale.decimals))
