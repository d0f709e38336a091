"""Units that are suppressed as a whole: a suppressed row takes all rows of its person or household with it.

Each unit that goes makes other classes smaller, so this is repeated until no class is below the threshold.
What stays then is the largest set of whole units in which every class has the required size: sets with this
property are closed under union, so there is one largest. A set with it at a node has it at every more general
node, where classes are unions of classes. So for every size the number of suppressed rows never rises when a
node is generalized: k under a limit is monotone, and the staircase bounds hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from paretonym.base.arrays import Codes, Integers, Mask
from paretonym.base.factorize import group_sums, summed
from paretonym.engine.counts.person_counts import FurtherCounts, count_further
from paretonym.tables.schema import BoundSchema, HouseholdColumn, PersonColumn
from paretonym.tables.source import Counts


class UnitCells(NamedTuple):
    """Unit `ids[i]` has `rows[i]` rows with value `values[i]` of a further column in tuple `tuples[i]`."""

    tuples: Integers
    values: Codes
    ids: Integers
    rows: Integers


@dataclass(frozen=True, eq=False)
class SuppressionUnits:
    """Unit `ids[i]`, one of `number`, has `rows[i]` rows with tuple `tuples[i]`. `column` says which; if
    `persons`, the size of a class is the number of its units. `cells` holds the same by the values of further
    columns."""

    column: str
    number: int
    persons: bool
    tuples: Integers
    ids: Integers
    rows: Integers
    cells: Mapping[str, UnitCells]

    def sizes(self, of_tuple: Integers, classes: int, units: Mask) -> tuple[Integers, Integers]:
        """The rows and the size of each class, of some units alone."""
        entries = units[self.ids]
        places, ids = of_tuple[self.tuples[entries]], self.ids[entries]
        rows = group_sums(places, self.rows[entries], classes)
        if not self.persons:
            return rows, rows
        pairs = np.unique(places.astype(np.int64) * self.number + ids)
        return rows, np.bincount(pairs // self.number, minlength=classes)

    def staying(self, of_tuple: Integers, classes: int, least: float, units: Mask | None = None) -> Mask:
        """Which units stay if every class must have a size of at least `least`; `units` are those that stay
        at a lower threshold, if that is known."""
        units_left = np.ones(self.number, dtype=np.bool_) if units is None else units.copy()
        while units_left.any():
            rows, sizes = self.sizes(of_tuple, classes, units_left)
            small = (rows > 0) & (sizes < least)
            gone = self.ids[small[of_tuple[self.tuples]] & units_left[self.ids]]
            if not len(gone):
                break
            units_left[gone] = False
        return units_left

    def steps(self, of_tuple: Integers, classes: int, suppressible: int) -> Iterator[Mask]:
        """Which units stay at each threshold that suppresses few enough rows and leaves any, ascending; every
        set of units once."""
        total, units_left = int(self.rows.sum()), np.ones(self.number, dtype=np.bool_)
        while units_left.any():
            rows, sizes = self.sizes(of_tuple, classes, units_left)
            if total - int(rows.sum()) > suppressible:
                return
            yield units_left
            units_left = self.staying(of_tuple, classes, int(sizes[rows > 0].min()) + 1, units_left)

    def rows_of_tuples(self, units: Mask, tuples: int) -> Integers:
        """Number of rows with each tuple that stay, of these units alone."""
        entries = units[self.ids]
        return group_sums(self.tuples[entries], self.rows[entries], tuples)

    def cells_of(self, name: str, width: int, units: Mask) -> tuple[Integers, Integers]:
        """The cells of a further column, tuple times `width` and value, with their rows, of these units
        alone."""
        cells = self.cells[name]
        entries = units[cells.ids]
        return summed(cells.tuples[entries] * width + cells.values[entries], cells.rows[entries])


def count_units(
    source: Counts,
    bound: BoundSchema,
    column: PersonColumn | HouseholdColumn,
    levels: Sequence[int],
    tuples: int,
) -> SuppressionUnits:
    """The units of a column that are suppressed as a whole, by the tuples at these levels, `tuples` in
    number.

    Cost: one query for the distinct tuples with their units, and one for each sensitive, class and required-k
    column.
    """

    def cells(further: dict[str, Codes]) -> FurtherCounts:
        return count_further(source, bound, levels, {**further, column.name: column.lookup}, tuples)

    by_value = {}
    for bound_column in (*bound.sensitive, *bound.classes, *bound.sizes_required):
        owned = cells({bound_column.name: bound_column.lookup})
        values, owners = owned.values
        by_value[bound_column.name] = UnitCells(owned.tuples, values, owners.astype(np.int64), owned.counts)
    owned = cells({})
    ids = owned.values[0].astype(np.int64)
    persons = isinstance(column, PersonColumn)
    return SuppressionUnits(column.name, column.number, persons, owned.tuples, ids, owned.counts, by_value)
