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
from paretonym.spaces.mondrian import numpy_improved_partition as plain
from paretonym.spaces.mondrian.partition import PartedTable, Parts, compiled
from paretonym.spaces.mondrian.partition_requirement import Required
from paretonym.spaces.mondrian.splits import Splits

# Parts of more distinct tuples are split by the most gain, without trying.
MOST_TRIED = 1 << 17
# Costs of all rows together stay below this power of two; a drawn factor has 13 bits more.
COST_BITS = 48


def improved_partition(cube: Cube, required: Required, seed: int, k: int) -> Parts:
    """Split the table as long as every part meets the requirements, so that little is lost, at cuts that may
    be shown in a release with this k. Strict: equal tuples stay together, and no cut goes through a part.

    Time: about depth² × tuples × quasi-identifiers² × 3, for parts of up to `MOST_TRIED` tuples.
    """
    table = PartedTable.of(cube, required, k)
    more = _improvement(cube, table, seed)
    if compiled(cube):
        arguments = (table.trees.for_kernels(), *table.asked.for_kernels(), table.own, more, table.waiting)
        found = library.call("improved_partition", *arguments)
    else:
        found = plain.improved_partition(table.trees, table.asked, table.own, more, table.waiting)
    return table.parts(found)


def _improvement(cube: Cube, table: PartedTable, seed: int) -> interface.Improvement:
    next_cut, last_cut = _allowed_cuts(table.trees)
    return interface.Improvement.made(
        tuples=cube.tuples,
        pieces=table.own.pieces,
        pieces_after=table.own.pieces_after,
        seed=seed,
        most=MOST_TRIED,
        prices=prices(cube),
        next_cut=next_cut,
        last_cut=last_cut,
    )


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


def _allowed_cuts(trees: Splits) -> tuple[interface.Small, interface.Small]:
    """The first allowed cut from each unit on, and the last one up to it."""
    units = np.arange(trees.cuttable.shape[1], dtype=np.int32)
    beyond = np.where(trees.cuttable, units, np.int32(len(units)))
    before = np.where(trees.cuttable, units, np.int32(-1))
    following = np.minimum.accumulate(beyond[:, ::-1], axis=1)[:, ::-1]
    return np.ascontiguousarray(following), np.ascontiguousarray(np.maximum.accumulate(before, axis=1))
