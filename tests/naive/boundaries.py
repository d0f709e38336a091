"""The boundary rule point by point, as the definitions say it: what the rows that stay show of one column.
Points are whole numbers: integers, tenths or days."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise


@dataclass(frozen=True)
class Column:
    """A column without missing values: how a point is written, where the schema has an edge, how far it is to
    the next whole number; and the first day, if points are days since then."""

    text: Callable[[int], str]
    edge: Callable[[int], bool] = lambda point: False
    step: int = 1
    day: Callable[[int], date] | None = None

    def roundness(self, point: int) -> int:
        if self.day is not None:
            day = self.day(point)
            return 0 if day.day > 1 else 3 if day.month == 1 else 2 if day.month in (4, 7, 10) else 1
        return max(power for power in range(20) if point % 10**power == 0)

    def roundest(self, points: Sequence[int]) -> int:
        return min(points, key=lambda point: (-self.roundness(point), point))

    def boundary(self, u: int, v: int, rows: Sequence[int], sizes: Counter[int], k: int) -> int | None:
        """The boundary between u and v, given all values that stay and how many rows (persons) have each."""
        between = range(u + 1, v + 1)
        edges = [point for point in between if self.edge(point)]
        if edges:
            return self.roundest(edges)
        if sizes[u] >= k and sizes[v] >= k:
            return self.roundest(between)
        if sizes[v] >= k:
            return v
        whole = all(point % self.step == 0 for point in rows)
        return u + self.step if sizes[u] >= k and whole else None

    def label(self, low: int | None, high: int | None, rows: Sequence[int]) -> str:
        dates = self.day is not None
        if low is None and high is None:
            return "*"
        if low is None or high is None:
            if low is None:
                return f"before {self.text(high or 0)}" if dates else f"<{self.text(high or 0)}"
            return f"from {self.text(low)}" if dates else f"{self.text(low)}+"
        if high - low == self.step and all(point % self.step == 0 for point in rows):
            return self.text(low)
        return self._span(low, high) or (
            f"{self.text(low)} … before {self.text(high)}"
            if dates
            else f"[{self.text(low)}, {self.text(high)})"
        )

    def _span(self, low: int, high: int) -> str | None:
        """The name of a month or year of which the schema has the edges."""
        if self.day is None or not self.edge(low):
            return None
        first, after = self.day(low), self.day(high)
        if first.day == after.day == 1 and (after.year - first.year) * 12 + after.month - first.month == 1:
            return f"{first.year}-{first.month:02d}"
        whole = (first.month, first.day, after.month, after.day) == (
            1,
            1,
            1,
            1,
        ) and after.year - first.year == 1
        return str(first.year) if whole else None


def shown_rows(
    column: Column, rows: Sequence[tuple[int, int]], sizes: Counter[int], k: int
) -> list[str] | None:
    """The label of each row that stays, given its value and its group as made; None if a cut cannot be
    shown."""
    values = [value for value, _ in rows]
    groups = sorted({group for _, group in rows})
    ends: list[int | None] = [None]
    for before, behind in pairwise(groups):
        u = max(value for value, group in rows if group == before)
        v = min(value for value, group in rows if group == behind)
        point = column.boundary(u, v, values, sizes, k)
        if point is None:
            return None
        ends.append(point)
    ends.append(None)
    labels = {group: column.label(ends[place], ends[place + 1], values) for place, group in enumerate(groups)}
    return [labels[group] for _, group in rows]
