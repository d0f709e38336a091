"""The boundary rule, written anew for audits: where numbers and dates are cut into sets of their own, labels
may show only what nobody's value decides.

For a cut let u and v be the highest value that stays before it and the lowest one behind it. Its boundary is
an edge of the schema. Where the schema has none between u and v, it is the roundest number or date if k rows
that stay have u and k have v, v if k have v, and what follows u if k have u. By the schema alone, a
column with granules shows only their edges; other boundaries that are no edges need the original.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from paretonym.audit.checks import Check, passes
from paretonym.audit.label_sets import LabelSets, label_ends
from paretonym.audit.manifest import GROUPS, REGIONS, Recoding
from paretonym.audit.original_comparison import OriginalComparison
from paretonym.audit.publishable_cells import labels_of
from paretonym.audit.released_table import ReleasedTable
from paretonym.audit.stated_costs import UNKNOWN_ROWS
from paretonym.base.arrays import Integers, Mask
from paretonym.base.errors import shown

if TYPE_CHECKING:
    from paretonym.tables.schema import ColumnSpec, Schema

NAME = "boundaries"
# The most pairs of values that are tried as the two sides of one boundary.
MOST_SIDES = 512


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
    """True if the schema says that a set begins there."""
    labels, lowest = labels_of(column), (column.levels or (0,))[0]
    has_edges = column.granularity is not None or labels.top > 1
    return has_edges and labels.separates(end, max(lowest, 1), None if lowest else column.granularity)


def check_boundaries_again(comparison: OriginalComparison, k: float) -> list[Check]:
    """Every boundary of a release computed again from the rows that stay, and in cuts every set of names; `k`
    is its smallest class."""
    recoding = comparison.manifest.recoding
    if recoding.space not in (GROUPS, REGIONS) or comparison.manifest.applied is not None:
        return []
    faults, number = [], 0
    for place, column in enumerate(comparison.columns):
        line = column.sets.column.cutting.line
        if line is None and recoding.space == GROUPS:
            number += len(column.labels)
            if odd := _other_names(comparison, place):
                tell = f"column '{column.sets.name}' shows sets that tell of rows which were left out"
                faults.append(f"{tell}: {shown(odd)}")
            continue
        cuts = None if line is None else _Cuts(comparison, place, line, k)
        boundaries = {} if cuts is None else cuts.boundaries
        number += len(boundaries)
        wrong = [label for point, label in sorted(boundaries.items()) if cuts and not cuts.is_right(point)]
        if wrong:
            shows = f"column '{column.sets.name}' shows boundaries that the rows do not give"
            faults.append(f"{shows}: {shown(wrong)}")
    if faults and comparison.guessed:
        return [Check("original", NAME, reason=f"cannot be decided: {UNKNOWN_ROWS}")]
    return [passes("original", NAME, "; ".join(faults))] if number else []


def _other_names(comparison: OriginalComparison, place: int) -> list[str]:
    """The labels of a column of names that would be others if the values did not exist that only rows have
    which were left out."""
    column, leaves = comparison.columns[place], comparison.original.leaves[place]
    present = np.bincount(leaves[comparison.placement.stays], minlength=len(column.sets.leaves)) > 0
    present[: column.sets.column.hierarchy.listed] = True
    present = np.isin(column.sets.atoms, column.sets.atoms[present])
    return [
        label
        for label, run in zip(column.labels, column.runs.tolist(), strict=True)
        if tuple(run) != _named_run(column.sets, present, slice(*run))
    ]


def _named_run(sets: LabelSets, present: Mask, run: slice) -> tuple[int, int]:
    """The set that shows the present leaves of a run: a single atom itself, all of them as everything, others
    as the coarsest set of a tree that holds no more of them."""
    held = np.flatnonzero(present[run]) + run.start
    if not len(held):
        # Rows that are not from the original: another check says so.
        return run.start, run.stop
    if len(np.unique(sets.atoms[held])) == 1:
        same = np.flatnonzero(sets.atoms == sets.atoms[held[0]])
        return int(same[0]), int(same[-1]) + 1
    if len(held) == present.sum():
        return 0, len(present)
    levels = () if sets.column.cutting.on_line else range(sets.height, sets.column.lowest - 1, -1)
    for first, after in (ends for level in levels for ends in sets.level(level).values()):
        if first <= held[0] and held[-1] < after and present[first:after].sum() == len(held):
            return first, after
    return run.start, run.stop


class _Cuts:
    """The cuts of a column whose values lie on a line, and the values on both sides of each."""

    def __init__(self, comparison: OriginalComparison, place: int, line: Any, k: float) -> None:
        self.comparison, self.line, self.k = comparison, line, k
        self.column, self.leaves = comparison.columns[place], comparison.original.leaves[place]
        self.sets = self.column.sets
        self.regions = comparison.manifest.recoding.space == REGIONS
        # How many rows or persons that stay have each value.
        self.rows = comparison.original.sizes(self.leaves, comparison.placement.stays, len(self.sets.leaves))
        self.staying = np.flatnonzero(self.rows[: len(line)])

    @cached_property
    def ends(self) -> list[tuple[Decimal | None, Decimal | None]]:
        """The ends of the set of each label; a single whole number or day ends at the next."""
        return [self._ends(label) for label in self.column.labels]

    def _ends(self, label: str) -> tuple[Decimal | None, Decimal | None]:
        words = self.sets.words.get(label, set())
        if any(after - first == 1 and after <= len(self.line) for first, after in words):
            point = Decimal(self.line.points[min(words)[0]])
            return point, point + self.line.step
        for low, high in label_ends(label):
            points = [None if end is None else self.sets.point(end) for end in (low, high)]
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
        """True if the schema has an edge at a boundary, or the rule puts it there, in regions for some values
        on both sides."""
        return point == int(point) and (
            self._edge(int(point) - 1, int(point)) is not None
            or any(point == self._boundary(u, v) for u, v in self._sides(point))
        )

    def _edge(self, low: int, high: int) -> int | None:
        """The roundest edge of the schema behind a point, up to another."""
        lowest = self.sets.column.lowest
        edge: int | None = self.line.edge(low, high, lowest, granular=not self.regions and lowest == 0)
        return edge

    def _boundary(self, leaf_u: int, leaf_v: int) -> int | None:
        """The boundary between two values where the schema has no edge; None if none can be shown."""
        line, u, v = self.line, self.sets.points[leaf_u], self.sets.points[leaf_v]
        before, behind = self.rows[leaf_u] >= self.k, self.rows[leaf_v] >= self.k
        if self._edge(u, v) is not None:
            return None
        if before and behind:
            return int(line.scale.roundest(u, v))
        if behind:
            return v
        whole = all(line.points[leaf] % line.step == 0 for leaf in self.staying.tolist())
        return u + int(line.step) if before and whole else None

    def _sides(self, point: Decimal) -> list[tuple[int, int]]:
        """The leaves that may be the highest before a boundary and the lowest behind it."""
        if self.regions:
            before, behind = self._extremes(1, point), self._extremes(0, point)
            if before and behind:
                return [(u, v) for u in before for v in behind][:MOST_SIDES]
        place = bisect_left(self.line.points, point)
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
        on_line = leaves < len(self.line.points)
        number, none = len(self.column.of_class), len(self.sets.leaves)
        lowest = np.full(number, none, dtype=np.int64)
        highest = np.full(number, -1, dtype=np.int64)
        np.minimum.at(lowest, classes[on_line], leaves[on_line])
        np.maximum.at(highest, classes[on_line], leaves[on_line])
        return np.where(lowest == none, -1, lowest), highest
