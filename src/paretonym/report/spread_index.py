"""Two releases of one table, person by person: who is in a larger class in one of them, and by how much."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paretonym.arrays import Floats
from paretonym.measures import Realized


class SpreadIndex(NamedTuple):
    """Two releases by their ids. `gain` sums, over the rows whose class is larger in the second, how much
    larger it is; `loss` the same for those whose class is larger in the first. `better` and `worse` are the
    shares of rows that these are. The rest of the rows are in classes of equal size."""

    first: str
    second: str
    gain: float
    loss: float
    better: float
    worse: float


def spread_index(first: tuple[str, Realized], second: tuple[str, Realized]) -> SpreadIndex:
    """The binary spread index of the size of everybody's class, in both directions: Σ max(size in one − size
    in the other, 0) over all rows. A suppressed row has size 0 and stands in no class.

    Two releases of equal k can treat people very differently; the sum over all rows (`spread-k`) says which
    index is larger, not for how many.

    Reference: Dewri et al., property-based generalizations, Definition 2 and Section 4.1.
    """
    one, rows = _sizes(first[1])
    other, _ = _sizes(second[1])
    more = other - one
    total = float(rows.sum())
    return SpreadIndex(
        first[0],
        second[0],
        float((np.maximum(more, 0) * rows).sum()),
        float((np.maximum(-more, 0) * rows).sum()),
        float(rows[more > 0].sum()) / total,
        float(rows[more < 0].sum()) / total,
    )


def _sizes(realized: Realized) -> tuple[Floats, Floats]:
    """For every tuple of the table the size of its class, on average over its rows, and its rows."""
    if realized.before is not None and realized.units is not None and realized.before.cube.units is not None:
        # Whole persons or households are suppressed: some rows of a tuple may stay.
        whole = realized.before.cube
        stay = realized.before.cube.units.rows_of_tuples(realized.units, whole.tuples)
        sizes = np.zeros(whole.tuples)
        sizes[stay > 0] = realized.classes.sizes[realized.classes.of_tuple]
        return sizes * stay / whole.counts, whole.counts.astype(np.float64)
    classes = realized.classes
    sizes = np.where(realized.stays, classes.sizes, 0)[classes.of_tuple].astype(np.float64)
    return sizes, realized.cube.counts.astype(np.float64)
