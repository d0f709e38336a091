"""A line: leaves in an order that means something, so that every run of them can be shown as one set."""

from __future__ import annotations

from dataclasses import dataclass

EVERYTHING_BUT_MISSING = "(not missing)"


@dataclass(frozen=True, slots=True)
class Line:
    """The first leaves of a hierarchy as points on a line: numbers, dates, or names in a given order. What is
    missing, or has no place, comes after them.

    `named` points are written by the first and the last of a run, others by where the run begins and ends:

    >>> numbers, names = Line(("17", "20", "31", "45")), Line(("low", "middle", "high"), named=True)
    >>> [numbers.label(*run) for run in ((0, 2), (1, 3), (2, 4), (1, 2))]
    ['<31', '[20, 45)', '31+', '20']
    >>> names.label(1, 3)
    'middle … high'
    """

    points: tuple[str, ...]
    named: bool = False

    def __len__(self) -> int:
        return len(self.points)

    def label(self, first: int, after: int) -> str:
        """What the points from `first` up to before `after` are shown as. The ends of the data stay open: a
        label says where a set was cut, not how far the data go."""
        if after - first == 1:
            return self.points[first]
        if first == 0 and after == len(self.points):
            return EVERYTHING_BUT_MISSING
        if self.named:
            return f"{self.points[first]} … {self.points[after - 1]}"
        if first == 0:
            return f"<{self.points[after]}"
        if after == len(self.points):
            return f"{self.points[first]}+"
        return f"[{self.points[first]}, {self.points[after]})"
