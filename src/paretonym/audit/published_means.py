"""Published means beside the original: what must hold whatever the classes are. Whose rows a mean is of, a
file does not say, so that is not decided. But every row stays, unchanged columns with it, and means are sums.

Let a class of s rows show the number m. Of the rows that its other sets hold, the s smallest values have a
mean of at most m, and the s largest one of at least m. So it is for all classes together, added up from the
lowest number and from the highest; over a whole column, size times number adds up to the sum of its values.
All that within the rounding: half of the last digit, or of a granule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.audit.audit_database import listed
from paretonym.audit.checks import ROWS, Check, counts_none, passes, same_rounded
from paretonym.audit.label_sets import LabelSets
from paretonym.audit.manifest import GENERALIZATION, LOSS, SUPPRESSION, Manifest
from paretonym.audit.original import Original
from paretonym.audit.original_comparison import ANY_NUMBER, CLASSES, OriginalComparison, shown_columns
from paretonym.audit.placement import NONE, NotDecided, Placement, place_rows
from paretonym.audit.released_table import ReleasedTable
from paretonym.audit.row_checks import FOREIGN, MISSING, unmatched_rows
from paretonym.base.arrays import Integers, Mask
from paretonym.base.sql_literals import sql_text

UNCHANGED, SETS, NUMBERS = "unchanged columns", "sets of categories", "means"
WHOSE = "cannot be decided: a mean does not say whose rows it is of"
ALL_STAY = "every row stays, but rows were removed or added"
# Sums of 64-bit integers below this are exact; classes by rows that are compared set by set.
SAFE, MOST_COMPARED = 1 << 61, 1 << 31

Exact: TypeAlias = npt.NDArray[Any]
"""64-bit integers, or Python's own where those do not suffice."""
Means: TypeAlias = Mapping[str, int | None]
"""The point of each label that is a number; None where it is finer than the values of its column."""


def check_means(table: ReleasedTable, original: Original, manifest: Manifest) -> Iterator[Check]:
    """Check what can be checked; raises `UnreadableLabel`."""
    yield counts_none("original", MISSING, abs(original.rows - table.rows), ALL_STAY)
    means = {sets.name: shown_means(table, sets) for sets in original.sets if shows_means(sets)}
    comparison, placed = _without_numbers(table, original, manifest, means)
    changed = _changed(comparison)
    yield counts_none("original", UNCHANGED, changed, "rows differ in columns that are released unchanged")
    crowded = "; ".join(_crowded(comparison))
    yield passes("original", SETS, crowded)
    foreign = unmatched_rows(comparison) if placed else None
    if foreign is None:
        yield Check(
            "original", FOREIGN, None, None, None, "cannot be decided: too many rows fit several classes"
        )
    else:
        yield counts_none(
            "original", FOREIGN, foreign, "cells do not lie in the sets that are shown for them"
        )
    columns = (
        _Column.of(comparison, place, means.get(name)) for place, name in enumerate(_names(comparison))
    )
    yield passes("original", NUMBERS, "; ".join(fault for one in columns if one for fault in one.faults()))
    yield Check("original", ROWS, None, None, None, WHOSE)
    for name in (LOSS, GENERALIZATION, SUPPRESSION):
        if name in manifest.statements:
            stated, nothing = manifest.statements[name], 0.0 if name == SUPPRESSION else None
            holds = None if nothing is None else same_rounded(stated, nothing)
            yield Check("statement", name, stated, nothing, holds, WHOSE if holds is None else "")


def shows_means(sets: LabelSets) -> bool:
    """True if classes show a number: of numbers, where the schema allows these as they are."""
    return sets.column.cutting.order == "numbers" and bool(sets.points) and sets.column.lowest == 0


def shown_means(table: ReleasedTable, sets: LabelSets) -> Means:
    """The labels of a column that are numbers."""
    points = {label: sets.point(label) for label in table.cells([sets.name])[sets.name]}
    return {
        label: int(point) if point == int(point) else None
        for label, point in points.items()
        if point is not None
    }


def _names(comparison: OriginalComparison) -> list[str]:
    return [sets.name for sets in comparison.original.sets]


def _without_numbers(
    table: ReleasedTable, original: Original, manifest: Manifest, means: Mapping[str, Means]
) -> tuple[OriginalComparison, bool]:
    """The release beside its original, a mean being the set of all numbers (its label is in the column m…),
    and whether rows could be placed."""
    cells = []
    for name in table.names:
        place, numbers = table.column(name), listed([sql_text(label) for label in means.get(name, ())])
        covered = f"if({place} in ({numbers}), '{ANY_NUMBER}', {place}) as {place}" if numbers else place
        cells += [covered, f"{place} as m{place}"]
    view = table.database.make("without_numbers", f"select {listed(cells)}, n from {table.view}")
    table = replace(table, view=view)
    columns = shown_columns(table, original.sets, manifest.recoding)
    try:
        placement, placed = place_rows(columns, original.leaves), True
    except NotDecided:
        nothing = np.empty(0, dtype=np.int64)
        nowhere = np.full(len(original.counts), NONE, dtype=np.int64)
        placement, placed = Placement(nowhere, nothing, nothing), False
    return OriginalComparison(table, manifest, original, original, columns, placement), placed


def _changed(comparison: OriginalComparison) -> int:
    """Number of released rows whose unchanged columns no row of the original has, together."""
    columns = listed(comparison.kept)
    if not columns:
        return 0
    both = (
        f"select {columns}, n as released, 0 as given from {comparison.released} union all "
        f"select {columns}, 0 as released, n as given from {comparison.entries}"
    )
    sums = f"select sum(released) - sum(given) as more from ({both}) group by {columns}"
    return comparison.table.database.count(f"select sum(greatest(more, 0)) from ({sums})")


def _crowded(comparison: OriginalComparison) -> Iterator[str]:
    """A fault for each column in which more rows are shown in a set, or in sets inside it, than lie there."""
    for column, leaves in zip(comparison.columns, comparison.original.leaves, strict=True):
        sizes = np.bincount(column.of_class, comparison.sizes, len(column.labels))
        of_leaf = np.bincount(leaves, comparison.original.counts, len(column.sets.leaves))
        before = np.concatenate([[0], np.cumsum(of_leaf)])
        first, after = column.runs.T
        inside = (first[:, None] <= first) & (after <= after[:, None])
        if (inside @ sizes > before[after] - before[first]).any():
            yield f"column '{column.sets.name}' shows sets for more rows than lie in them"


@dataclass(frozen=True, eq=False)
class _Column:
    """A column of numbers: the value of each entry, and which have one; for each number that is shown for
    some set of the other columns, its point, how many rows show it and the set. `width` is what a number is
    rounded to."""

    comparison: OriginalComparison
    name: str
    values: Exact
    marked: Mask
    points: Exact
    rows: Integers
    sets: Integers
    width: int
    odd: bool

    @classmethod
    def of(cls, comparison: OriginalComparison, place: int, means: Means | None) -> _Column | None:
        """None for a column that shows no means."""
        if not means:
            return None
        sets, leaves, table = (
            comparison.original.sets[place],
            comparison.original.leaves[place],
            comparison.table,
        )
        column = table.column(sets.name)
        counted = table.database.rows(
            f"select class, m{column}, sum(n)::bigint from {table.view} join {CLASSES} using "
            f"({listed(comparison.keys)}) group by 1, 2 order by 1, 2"
        )
        numbers = [(number, means[label], rows) for number, label, rows in counted if label in means]
        exact = [entry for entry in numbers if entry[1] is not None]
        marked = leaves < len(sets.points)
        values = np.append(np.array(sets.points, dtype=object), 0)[np.where(marked, leaves, -1)]
        points = np.array([point for _, point, _ in exact], dtype=object)
        largest = max((abs(int(value)) for value in (*sets.points, *points.tolist())), default=0)
        kind = np.int64 if 2 * largest * comparison.original.rows < SAFE else object
        width, odd = _rounding(sets, points.tolist())
        return cls(
            comparison,
            sets.name,
            values.astype(kind),
            marked,
            points.astype(kind),
            np.array([rows for _, _, rows in exact], dtype=np.int64),
            np.array([number for number, _, _ in exact], dtype=np.int64),
            width,
            odd or len(exact) < len(numbers),
        )

    def faults(self) -> Iterator[str]:
        """Sentences that name what no classes of these rows can show."""
        place = f"column '{self.name}'"
        if self.odd:
            yield f"{place} shows numbers that are finer than the schema and its values allow"
            return
        counts, total = self.comparison.original.counts, int(self.rows.sum())
        more = int((self.values * counts)[self.marked].sum()) - int((self.points * self.rows).sum())
        if total == counts[self.marked].sum() and 2 * abs(more) > total * self.width:
            yield f"{place}: size times number, added up over the classes, is not the sum of its values"
        elif not self._fits(self.marked, np.ones(len(self.rows), dtype=np.bool_)):
            yield f"{place} shows numbers that no classes of its values have as their means"
        elif self._misplaced():
            yield f"{place} shows numbers that are no means of values that lie in the sets beside them"

    def _fits(self, entries: Mask, shown: Mask) -> bool:
        """True if some of the entries can have the means that are shown."""
        values, counts = self.values[entries], self.comparison.original.counts[entries]
        points, rows = self.points[shown], self.rows[shown]
        return all(_reaches(sign * values, counts, sign * points, rows, self.width) for sign in (1, -1))

    def _misplaced(self) -> bool:
        """True if a number cannot be the mean of rows that lie in the sets beside it."""
        comparison = self.comparison
        if len(comparison.sizes) * len(self.values) > MOST_COMPARED:
            return False
        for number in np.unique(self.sets).tolist():
            inside = self.marked.copy()
            for column, leaves in zip(comparison.columns, comparison.original.leaves, strict=True):
                first, after = column.runs[column.of_class[number]].tolist()
                inside &= (first <= leaves) & (leaves < after)
            if not self._fits(inside, self.sets == number):
                return True
        return False


def _rounding(sets: LabelSets, points: list[int]) -> tuple[int, bool]:
    """The width that the means of a column are rounded to, in points; and whether some are not."""
    line = sets.column.cutting.line
    if line is None or line.granules is None or not points:
        return 1, False
    numbers = line.granules.numbers(np.array(points, dtype=line.values.dtype)).tolist()
    ends = [line.granules.edges(number) for number in numbers]
    low, high = ends[0]
    return int(high or 0) - int(low or 0), any(
        low != point for (low, _), point in zip(ends, points, strict=True)
    )


def _reaches(values: Exact, counts: Integers, points: Exact, rows: Integers, width: int) -> bool:
    """True if, from the lowest mean up, so many rows can have so small a sum.

    >>> ages, one = np.array([20, 30, 40, 50]), np.ones(4, dtype=int)
    >>> _reaches(ages, one, np.array([25, 45]), np.array([2, 2]), 1)
    True
    >>> _reaches(ages, one, np.array([21, 49]), np.array([2, 2]), 1)
    False
    """
    order, lowest = np.argsort(values, kind="stable"), np.argsort(points, kind="stable")
    values, counts = values[order], counts[order]
    number, sums = np.cumsum(rows[lowest]), np.cumsum((points * rows)[lowest])
    upto, least = np.cumsum(counts), np.cumsum(values * counts)
    if not len(number):
        return True
    if not len(upto) or number[-1] > upto[-1]:
        return False
    place = np.searchsorted(upto, number)
    smallest = least[place] - (upto[place] - number) * values[place]
    return bool((2 * sums + number * width >= 2 * smallest).all())
