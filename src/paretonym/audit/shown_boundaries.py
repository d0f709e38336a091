"""The boundary rule, written anew for audits: where numbers and dates are cut into sets of their own, labels
may show only what nobody's value decides.

For a cut let u and v be the highest value that stays before it and the lowest one behind it. Its boundary is
an edge of the schema after u, up to v. Where the schema has none there, it is the roundest number or date if
k rows that stay have u and k have v, v if k have v, and what follows u if k have u. By the schema alone, a
column with granules shows only their edges; other boundaries that are no edges need the original.
"""

from __future__ import annotations

import datetime
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from paretonym.arrays import Integers
from paretonym.audit.checks import Check, passes
from paretonym.audit.label_sets import LabelSets, label_ends
from paretonym.audit.manifest import GROUPS, REGIONS, Recoding
from paretonym.audit.original_comparison import OriginalComparison
from paretonym.audit.placement import ShownColumn
from paretonym.audit.publishable_cells import labels_of
from paretonym.audit.released_table import ReleasedTable
from paretonym.errors import InputError, shown

if TYPE_CHECKING:
    from paretonym.schema import ColumnSpec, Schema

NAME = "boundaries"
# The most points of one roundness that are tried as edges, and pairs of values of one boundary.
MOST_TRIED = 512


def check_boundaries(table: ReleasedTable, schema: Schema, recoding: Recoding) -> list[Check]:
    """The boundaries in the labels of a release, by the schema alone: edges of the schema are right, other
    boundaries wrong where the column has granules; of the rest nothing is decided."""
    if recoding.space not in (GROUPS, REGIONS):
        return []
    columns = [schema.column(name) for name in table.names if name in schema.names]
    quasi = [column for column in columns if column.role == "quasi"]
    cells = table.cells([column.name for column in quasi])
    unknown: list[str] = []
    wrong: list[str] = []
    for column in quasi:
        if not all(_is_edge(column, end) for end in _ends_of(column, list(cells[column.name]))):
            granular = recoding.space == GROUPS and column.granularity is not None
            (wrong if granular else unknown).append(column.name)
    if wrong or not unknown:
        reason = f"{shown(wrong)} has boundaries that are not those of its granules" if wrong else ""
        return [passes("file", NAME, reason)]
    reason = f"{shown(unknown)} has boundaries that are no edges of the schema; the original would tell"
    return [Check("file", NAME, None, None, None, f"cannot be decided: {reason}")]


def _ends_of(column: ColumnSpec, labels: Sequence[str]) -> set[str]:
    """The numbers and dates that the labels of a column name as ends of sets that the hierarchy does not
    have."""
    labels_of_column = labels_of(column)
    levels = labels_of_column.of(labels)
    ends = {end for label in labels if not levels[label] for pair in label_ends(label) for end in pair if end}
    return {end for end in ends if labels_of_column.is_point(end)}


def _is_edge(column: ColumnSpec, end: str) -> bool:
    """Whether the schema says that a set begins there."""
    labels, lowest = labels_of(column), (column.levels or (0,))[0]
    has_edges = column.granularity is not None or labels.top > 1
    return has_edges and labels.separates(end, max(lowest, 1), None if lowest else column.granularity)


@dataclass(frozen=True, eq=False)
class BoundaryRule:
    """The rule for one column: `whole` if everything that stays is a whole number or a day, `k` the smallest
    class that stays, `granular` if granules are edges and not the sets of the lowest level."""

    spec: ColumnSpec
    sets: LabelSets
    granular: bool
    whole: bool
    k: float

    def allows(self, point: Decimal, u: Decimal, v: Decimal, of_u: float, of_v: float) -> bool:
        """Whether a boundary that is no edge of the schema is the one between u and v, which so many rows
        have: none where the schema has an edge, else the roundest point, v, or what comes after u."""
        if not u < point <= v or any(any(self._are_edges(points)) for points in self._candidates(u, v)):
            return False
        if of_u >= self.k and of_v >= self.k:
            return point == next(points[0] for points in self._candidates(u, v) if points)
        if of_v >= self.k:
            return point == v
        return of_u >= self.k and self.whole and point == u + 1

    def is_edge(self, point: Decimal) -> bool:
        return self._are_edges([point])[0]

    @property
    def _dated(self) -> bool:
        return self.sets.column.cutting.order == "dates"

    @property
    def _decimals(self) -> int:
        line = self.sets.column.cutting.line
        return 0 if line is None or self._dated else int(line.scale.decimals)

    def _candidates(self, u: Decimal, v: Decimal) -> Iterator[list[Decimal]]:
        """Points after u, up to v, the roundest first: those of each roundness in rising order."""
        if self._dated:
            yield from _round_days(int(u), int(v))
            return
        largest = max(abs(u), abs(v))
        for power in range(len(str(int(largest))), -self._decimals - 1, -1):
            step = Decimal(1).scaleb(power)
            first = (u // step + (1 if u >= 0 or u % step == 0 else 0)) * step
            yield [point for i in range(MOST_TRIED) if u < (point := first + i * step) <= v]

    def _are_edges(self, points: Sequence[Decimal]) -> list[bool]:
        """Whether a set of the schema begins at each point: the value just below it looks otherwise."""
        from paretonym.schema.hierarchies import Values, build, cutting_of

        if not points:
            return []
        least = Decimal(1) if self._dated else Decimal(1).scaleb(-self._decimals - 1)
        texts = [self._text(point) for edge in points for point in (edge - least, edge)]
        try:
            values = Values(self.spec.name, tuple(texts))
            built = build(self.spec, values, True)
            granules = cutting_of(self.spec, values, built).granules
        except InputError:
            # The schema has no place for one of them.
            return [False] * len(points)
        lowest, leaves, levels = (self.spec.levels or (0,))[0], built.codes.astype(np.int64), []
        if not (self.granular and granules is not None):
            levels.append(built.hierarchy.levels[min(max(lowest, 1), built.hierarchy.height)].groups)
        if granules is not None and lowest == 0:
            levels.append(granules.groups)
        differ = np.zeros(len(points), dtype=np.bool_)
        for groups in levels:
            differ |= groups[leaves[::2]] != groups[leaves[1::2]]
        return [bool(edge) for edge in differ]

    def _text(self, point: Decimal) -> str:
        if not self._dated:
            return format(point, "f")
        line = self.sets.column.cutting.line
        return "" if line is None else str(line.scale.text(int(point)))


def _round_days(u: int, v: int) -> Iterator[list[Decimal]]:
    """First days of years, of quarters, of months, and days, after u, up to v."""
    first, last = (datetime.date.fromordinal(day) for day in (u, v))
    months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    for step in (12, 3, 1):
        starts = (
            datetime.date(month // 12, month % 12 + 1, 1).toordinal() for month in months if month % step == 0
        )
        yield [Decimal(day) for day in starts if u < day <= v][:MOST_TRIED]
    yield [Decimal(day) for day in range(u + 1, min(v, u + MOST_TRIED) + 1)]


def check_boundaries_again(comparison: OriginalComparison, schema: Schema, k: float) -> list[Check]:
    """Every boundary of a release computed again from the rows that stay; `k` is its smallest class."""
    recoding = comparison.manifest.recoding
    if recoding.space not in (GROUPS, REGIONS) or comparison.manifest.applied is not None:
        return []
    faults, number = [], 0
    for place, column in enumerate(comparison.columns):
        cuts = _Cuts(comparison, place, schema.column(column.sets.name), k)
        number += len(cuts.boundaries)
        wrong = [label for point, label in sorted(cuts.boundaries.items()) if not cuts.is_right(point)]
        if wrong:
            shows = f"column '{column.sets.name}' shows boundaries that the rows do not give"
            faults.append(f"{shows}: {shown(wrong)}")
    return [passes("original", NAME, "; ".join(faults))] if number else []


class _Cuts:
    """The cuts of one column of a release, and the values on both sides of each."""

    def __init__(self, comparison: OriginalComparison, place: int, spec: ColumnSpec, k: float) -> None:
        self.comparison, self.leaves = comparison, comparison.original.leaves[place]
        self.column: ShownColumn = comparison.columns[place]
        self.sets = self.column.sets
        self.regions = comparison.manifest.recoding.space == REGIONS
        points = self.sets.points
        stays = comparison.placement.stays
        # How many rows or persons that stay have each value.
        self.rows = comparison.original.sizes(self.leaves, stays, len(self.sets.leaves))
        self.staying = np.flatnonzero(self.rows[: len(points)])
        whole = all(points[leaf] == points[leaf].to_integral_value() for leaf in self.staying.tolist())
        granular = not self.regions and self.sets.column.lowest == 0
        self.rule = BoundaryRule(spec, self.sets, granular, whole, k)

    @cached_property
    def ends(self) -> list[tuple[Decimal | None, Decimal | None]]:
        """The ends of the set of each label; a single whole number or day ends at the next."""
        return [self._ends(label) for label in self.column.labels]

    def _ends(self, label: str) -> tuple[Decimal | None, Decimal | None]:
        sets = self.sets
        if not sets.points:
            return None, None
        words = sets.words.get(label, set())
        if any(after - first == 1 and after <= len(sets.points) for first, after in words):
            point = sets.points[min(words)[0]]
            return point, point + 1
        for low, high in label_ends(label):
            points = [None if end is None else sets.point(end) for end in (low, high)]
            if all(end is None or point is not None for end, point in zip((low, high), points, strict=True)):
                return points[0], points[1]
        return None, None

    @cached_property
    def boundaries(self) -> dict[Decimal, str]:
        """The boundaries that labels name, each with a label that does."""
        return {
            end: label
            for label, ends in zip(self.column.labels, self.ends, strict=True)
            if not self.sets.words.get(label)
            for end in ends
            if end is not None
        }

    def is_right(self, point: Decimal) -> bool:
        """Whether the rule allows a boundary, in regions for some values on both sides."""
        points = self.sets.points
        return self.rule.is_edge(point) or any(
            self.rule.allows(point, points[u], points[v], self.rows[u], self.rows[v])
            for u, v in self._sides(point)
        )

    def _sides(self, point: Decimal) -> list[tuple[int, int]]:
        """The leaves that may be the highest before a boundary and the lowest behind it."""
        if self.regions:
            before, behind = self._extremes(1, point), self._extremes(0, point)
            if before and behind:
                return [(u, v) for u in before for v in behind][:MOST_TRIED]
        place = bisect_left(self.sets.points, point)
        before_it, behind_it = self.staying[self.staying < place], self.staying[self.staying >= place]
        return [(int(before_it[-1]), int(behind_it[0]))] if len(before_it) and len(behind_it) else []

    def _extremes(self, side: int, point: Decimal) -> list[int]:
        """The highest (lowest) leaf of each class whose set ends (begins) at a boundary."""
        labels = [number for number, ends in enumerate(self.ends) if ends[side] == point]
        classes = np.flatnonzero(np.isin(self.column.of_class, labels))
        extremes = self._leaf_ends[side][classes]
        return sorted(set(extremes[extremes >= 0].tolist()))

    @cached_property
    def _leaf_ends(self) -> tuple[Integers, Integers]:
        """The lowest and the highest leaf of each class among the rows that stay, -1 where there is none."""
        placement = self.comparison.placement
        sure = placement.of_row >= 0
        classes = np.concatenate([placement.of_row[sure], placement.several_classes])
        leaves = np.concatenate([self.leaves[sure], self.leaves[placement.several_rows]])
        on_line = leaves < len(self.sets.points)
        number, none = len(self.column.of_class), len(self.sets.leaves)
        lowest = np.full(number, none, dtype=np.int64)
        highest = np.full(number, -1, dtype=np.int64)
        np.minimum.at(lowest, classes[on_line], leaves[on_line])
        np.maximum.at(highest, classes[on_line], leaves[on_line])
        return np.where(lowest == none, -1, lowest), highest
