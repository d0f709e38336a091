"""Partitions that lose less than Mondrian's: every split is tried out to its end before it is made.

Mondrian splits the widest quasi-identifier at the median and never looks back. Here a part may be split along
every quasi-identifier, on a line at the cut with the most gain, at the median and in the middle. Each of
these splits is tried out: its pieces are split further, greedily, until nothing can be split, once by the
most gain and once by gains that are multiplied by drawn numbers. The split after which the rows lose least is
made, and its pieces are treated in the same way; so what was merged in the trial is split anew as long as
that helps. The gain is what the rows then lose less: rows × (values of the region − values of the piece).

The same table, requirement and seed give the same parts with any number of threads: costs are whole numbers.

References: LeFevre, DeWitt & Ramakrishnan 2006 (Mondrian); Duin & Voß 1999 (the pilot method).
"""

from __future__ import annotations

import numpy as np

from paretonym.arrays import Integers
from paretonym.counts import Cube
from paretonym.counts import kernel_interface as interface
from paretonym.counts import kernel_library as library
from paretonym.spaces.mondrian.partition import PartedTable, Parts, Shown
from paretonym.spaces.mondrian.partition_requirement import Required

# Parts of more distinct tuples are split by the most gain, without trying.
MOST_TRIED = 1 << 17
# Costs of all rows together stay below this power of two; a drawn factor has 13 bits more.
COST_BITS = 48


def improved_partition(
    cube: Cube, required: Required, seed: int, shown: Shown, binary: bool = False
) -> Parts:
    """Split the table as long as every part meets the requirements, so that little is lost. Equal tuples stay
    together, and no cut goes through a part.

    Time: about depth² × tuples × quasi-identifiers² × 3, for parts of up to `MOST_TRIED` tuples.
    """
    table = PartedTable.of(cube, required, binary)
    more = interface.Improvement.made(
        tuples=cube.tuples,
        pieces=table.own.pieces,
        pieces_after=table.own.pieces_after,
        units_after=table.own.units,
        seed=seed,
        most=MOST_TRIED,
        prices=prices(cube),
    )
    arguments = (table.trees.for_kernels(), *table.asked.for_kernels(), table.own, more, table.waiting)
    return table.parts(library.call("improved_partition", *arguments, np.array(shown, dtype=np.int64)))


def prices(cube: Cube) -> Integers:
    """What one more value in the shown set costs a row on each axis, in whole numbers: importance / (D −
    1)."""
    whole = sum(axis.importance for axis in cube.axes)
    scale = 1 << (COST_BITS - int(cube.rows).bit_length())
    each = [
        round(axis.importance * scale / (whole * (axis.hierarchy.domain - 1)))
        if axis.hierarchy.domain > 1 and whole
        else 0
        for axis in cube.axes
    ]
    return np.array(each, dtype=np.int64)
