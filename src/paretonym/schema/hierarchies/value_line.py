"""The line on which numbers and dates lie, and the boundaries on it that show nobody's own value.

A boundary b between two neighbouring values u < v says "below b" and "from b on", with u < b ≤ v. The schema
may give one: the edge of an interval, of a granule, of what is coded at an end, or the first day of a month,
quarter, year or decade. Otherwise it has to be made of values that enough rows have: the roundest number or
date behind u up to v where both are such values, v itself or the next value behind u where only one is.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from paretonym.schema.hierarchies.dates import UNITS, read_days
from paretonym.schema.hierarchies.exact_numbers import number_text

MULTIPLES = (1000, 500, 200, 100, 50, 20, 10, 5, 2, 1)
MONTHS = (6, 3, 1)


class Scale(Protocol):
    """What the points of a line stand for."""

    def text(self, point: int) -> str: ...

    def roundest(self, low: int, high: int) -> int:
        """The roundest point behind `low`, up to `high`."""
        ...


@dataclass(frozen=True, slots=True)
class NumberScale:
    """Points are whole multiples of a power of ten."""

    decimals: int

    def text(self, point: int) -> str:
        return number_text(point, self.decimals)

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


@dataclass(frozen=True, slots=True)
class Calendar:
    """Points are days since year 1, written in a layout (None: ISO)."""

    layout: str | None = None

    def text(self, point: int) -> str:
        date = datetime.date.fromordinal(point)
        return date.isoformat() if self.layout is None else _laid_out(date, self.layout)

    def writes(self, point: int) -> bool:
        """Whether the layout can write this very day."""
        return int(read_days((self.text(point),), self.layout)[0]) == point

    def roundest(self, low: int, high: int) -> int:
        """The first day of a millennium, … decade, … year, half, quarter, month, or the last day there is.

        >>> day = datetime.date.toordinal
        >>> ends = day(datetime.date(1988, 5, 3)), day(datetime.date(2012, 9, 30))
        >>> Calendar().text(Calendar().roundest(*ends))
        '2000-01-01'
        """
        first, last = (datetime.date.fromordinal(point) for point in (low, high))
        for months in (*(12 * years for years in MULTIPLES), *MONTHS):
            number = (12 * last.year + last.month - 1) // months * months
            if number >= 12 and number > 12 * first.year + first.month - 1:
                point = datetime.date(number // 12, number % 12 + 1, 1).toordinal()
                if low < point <= high and self.writes(point):
                    return point
        return high


def _laid_out(date: datetime.date, layout: str) -> str:
    """The year with four digits, which strftime leaves out on some systems."""
    year = f"{date.year:04d}"
    return date.strftime(layout.replace("%Y", year)) if "%Y" in layout else date.strftime(layout)


@dataclass(frozen=True, eq=False)
class Line:
    """The values of a column in rising order: `points[i]` is leaf i. `given[i]` is the schema's boundary
    between leaf i - 1 and leaf i, None where it has none. `stepped` if the next value behind any is known:
    that of whole numbers and of days is."""

    points: tuple[int, ...]
    given: tuple[int | None, ...]
    scale: NumberScale | Calendar
    stepped: bool

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
        return low + 1 if before and self.stepped and self._writable(low + 1) else None

    def rescaled(self, point: int, other: Line) -> int:
        """A point of this line as one of another, whose scale is as fine."""
        if isinstance(self.scale, NumberScale) and isinstance(other.scale, NumberScale):
            return int(point * 10 ** (other.scale.decimals - self.scale.decimals))
        return point

    def _writable(self, point: int) -> bool:
        return isinstance(self.scale, NumberScale) or self.scale.writes(point)


def edges_of_widths(points: Iterable[int], width: int, origin: int) -> Iterator[int]:
    """Where the interval of each point begins."""
    return ((point - origin) // width * width + origin for point in points)


def starts_of_units(points: Iterable[int], unit: str) -> Iterator[int]:
    """The first day of the month, quarter, year or decade of each day."""
    return (UNITS[unit].start(datetime.date.fromordinal(point)).toordinal() for point in points)
