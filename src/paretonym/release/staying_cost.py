"""What a release costs, by the rows that stay alone.

Where a hierarchy does not list its values, the domain of a quasi-identifier is the values that occur, also
those that only suppressed rows have. A `gl` with that domain would tell whoever knows the values of the rows
that stay that there was another one. So what is published takes the domain from the rows that stay.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from paretonym.arrays import Codes, Integers
from paretonym.counts.cube import Axis
from paretonym.measures.recoded_counts import Realized
from paretonym.recoding.atoms import Atoms
from paretonym.recoding.equivalence_classes import ShownSets
from paretonym.release.small_counts import Cost
from paretonym.release.tuple_index import RowTuples
from paretonym.schema.bound_schema import BoundSchema
from paretonym.source.table import Table


def staying_cost(table: Table, bound: BoundSchema, realized: Realized) -> Cost:
    """Rows suppressed, and what generalization costs the rows that stay, in rows."""
    classes, weight, spent = realized.classes, Fraction(0), Fraction(0)
    tuples = RowTuples.of(table, bound, realized.cube).every()
    # Dropped rows have the tuple -1, the last entry.
    stays = np.append(realized.stays[classes.of_tuple], np.False_)[tuples]
    rows = np.where(realized.stays, classes.rows, 0)
    for j, (axis, column) in enumerate(zip(realized.cube.axes, bound.quasi, strict=True)):
        leaves = np.append(column.codes, np.int32(column.null_code))[table.column(column.name).codes[stays]]
        sizes, domain = _sizes(axis, classes.sets[j], leaves)
        weight += axis.importance
        if domain > 1:
            wide = int((rows * (sizes - 1)[classes.shown[:, j]]).sum())
            spent += axis.importance * Fraction(wide, domain - 1)
    return Cost(realized.suppressed, float(spent / weight))


def _sizes(axis: Axis, sets: ShownSets, leaves: Codes) -> tuple[Integers, int]:
    """The values in each set and in all: those that the schema lists, and those of these leaves."""
    hierarchy = axis.hierarchy
    occurs = np.bincount(leaves, minlength=len(hierarchy.leaves)) > 0
    occurs[: hierarchy.listed] = True
    values = np.flatnonzero(occurs[: hierarchy.domain])
    if sets.domain is not None and axis.cutting.granules is not None:
        # A granule is one value.
        atoms = np.searchsorted(Atoms.of(axis).edges, values, side="right")
        values = values[np.unique(atoms, return_index=True)[1]]
    sizes = np.searchsorted(values, sets.after) - np.searchsorted(values, sets.first)
    # A set without a value stands for all of them.
    return np.where(sizes == 0, len(values), sizes), len(values)
