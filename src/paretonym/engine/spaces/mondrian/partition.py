"""The partition of a table under a requirement, and the classes that it forms: Mondrian's, and improved ones
that lose less, because every split is tried out to its end before it is made.

Mondrian splits the widest quasi-identifier at the median and never looks back. In an improved partition a
part may be split along every quasi-identifier, on a line at the cut with the most gain, at the median and in
the middle. Each of these splits is tried out: its pieces are split further, greedily, until nothing can be
split, once by the most gain and once by gains that are multiplied by drawn numbers. The split after which
the rows lose least is made, and its pieces are treated in the same way; so what was merged in the trial is
split anew as long as that helps. The gain is what the rows then lose less: rows × (values of the region −
values of the piece). The same table, requirement and seed give the same parts with any number of threads:
costs are whole numbers.

References: LeFevre, DeWitt & Ramakrishnan 2006 (Mondrian); Duin & Voß 1999 (the pilot method).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from paretonym.base.arrays import Integers
from paretonym.base.errors import Field, InputError, NoSolution
from paretonym.base.factorize import distinct_rows, group_sums
from paretonym.engine.counts import Axis, Cube
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.counts import kernel_library as library
from paretonym.engine.measures import CLASS_SIZE, meeting
from paretonym.engine.recoding import BEHIND, EDGE, Classes, Cut, Gaps, ShownSets, run_labels
from paretonym.engine.spaces.mondrian.partition_requirement import Required, as_conditions, conditions
from paretonym.engine.spaces.mondrian.splits import is_whole, splits, unit_gaps, unit_sizes

# How often parts are made again for the k that they have.
_MOST_ROUNDS = 20


@dataclass(frozen=True, eq=False)
class Parts:
    """`of_tuple[t]` is the part of tuple t; part p holds on axis j the units (groups at the lowest level)
    from `low[p, j]` up to but excluding `high[p, j]`, between the boundaries `low_kinds` and `high_kinds`
    (`recoding.boundaries`)."""

    of_tuple: Integers
    low: Integers
    high: Integers
    low_kinds: Integers
    high_kinds: Integers

    def __len__(self) -> int:
        return len(self.low)

    def smallest_class(self, cube: Cube) -> int:
        """The size of the smallest class; parts that show equal sets are one class."""
        regions = np.concatenate([self.low, self.high, self.low_kinds, self.high_kinds], axis=1)
        of_part = np.unique(regions, axis=0, return_inverse=True)[1].reshape(-1)
        of_tuple = of_part[self.of_tuple]
        rows = group_sums(of_tuple, cube.counts)
        return int(cube.class_sizes(of_tuple, rows).min())


class Shown(NamedTuple):
    """Cuts are made that can be shown if the smallest class has `cut` rows (persons, if these are counted),
    and placed as if it had `labelled`, which are no more."""

    cut: int
    labelled: int


# For parts that are not shown: cuts may be anywhere.
ANYWHERE = Shown(0, 0)


def shown_partition(cube: Cube, required: Required, made: Callable[[Shown], Parts]) -> Parts:
    """Parts whose regions can be shown with the k that they have.

    Unless it is required, k is not known in advance: the partition is made again for the resulting k until it
    has that k. The k for which cuts are made only rises.
    """
    k = max(1, *(math.ceil(limit.bound) for limit in required if limit.name == CLASS_SIZE), 1)
    limits, sizes = Shown(k, k), _sizes_beside_gaps(cube)
    for _ in range(_MOST_ROUNDS):
        parts = made(limits)
        k = parts.smallest_class(cube)
        low, high = sorted((limits.labelled, k))
        if not ((sizes >= low) & (sizes < high)).any():
            # Every boundary is as it would be for this k.
            return parts
        limits = Shown(max(limits.cut, k), k)
    raise NoSolution("No parts were found whose boundaries can be shown. Require another k.")


def _sizes_beside_gaps(cube: Cube) -> Integers:
    """Number of rows (persons) with a value beside a gap in which the schema has no edge."""
    sizes = [np.empty(0, dtype=np.int64)]
    for axis, gaps in zip(cube.axes, unit_gaps(cube, False), strict=True):
        bare = np.flatnonzero(gaps.edge_ranks[1 : gaps.length] < 0) + 1
        sizes.append(unit_sizes(axis)[np.unique(np.concatenate([bare - 1, bare]))])
    return np.concatenate(sizes)


def partition(cube: Cube, required: Required, shown: Shown = ANYWHERE, binary: bool = False) -> Parts:
    """Split the table as long as every part meets the requirements.

    The quasi-identifier with the widest span of the part's rows, relative to its domain, is split first, ties
    broken by schema order; if a piece would not meet the requirement, the next one is tried. On a line the
    cut lies at the median of the rows, or as near to it as one may be shown; a node of a tree is split into
    its children; with `binary` splits, in two (`splits`). Rows with equal values on the split
    quasi-identifier stay together.

    No part is coarser than the highest level that the schema allows: the sets of that level are the initial
    parts, whatever is required.

    Time: about depth × tuples × quasi-identifiers. Reference: LeFevre, DeWitt & Ramakrishnan 2006.
    """
    table = PartedTable.of(cube, required, binary)
    arguments = (table.trees, *table.conditions, table.own, table.waiting)
    return table.parts(library.call("partition", *arguments, np.array(shown, dtype=np.int64)))


class PartedTable(NamedTuple):
    """A table that is to be split: where, what is required of the parts, and its tuples in the initial parts,
    which wait from `waiting` on."""

    trees: interface.Splits
    conditions: tuple[interface.Requests, interface.Conditions]
    own: interface.Partition
    waiting: int

    @classmethod
    def of(cls, cube: Cube, required: Required, binary: bool) -> PartedTable:
        if cube.rows > library.MOST_ROWS:
            raise InputError.of(
                Field("space"),
                f"parts can be formed of at most {library.MOST_ROWS:,} rows",
                f"use {Field('space', 'lattice')}",
            )
        required_of_part, trees = conditions(required, cube), splits(cube, binary)
        first = coarsest(cube, binary)
        if cube.adds_up:
            _require_of_all(cube, required, first)
        order = np.argsort(first.of_tuple, kind="stable")
        begins = np.searchsorted(first.of_tuple[order], np.arange(len(first) + 1))
        room, waiting = _room(cube, trees, required_of_part[1]), cube.tuples - len(first)
        room.order[:], room.starts[waiting:], room.stops[waiting:] = order, begins[:-1], begins[1:]
        room.low[waiting:], room.high[waiting:] = (
            4 * first.low + first.low_kinds,
            4 * first.high + first.high_kinds,
        )
        return cls(trees, required_of_part, room, waiting)

    def parts(self, number: int) -> Parts:
        """The parts, once there are so many."""
        low, high = (ends[:number].astype(np.int64) for ends in (self.own.low, self.own.high))
        return Parts(self.own.of_tuple, low >> 2, high >> 2, low & 3, high & 3)


def coarsest(cube: Cube, binary: bool = False) -> Parts:
    """The initial parts: the sets of the highest levels that the schema allows, often one part of all rows.
    These may be single values, beside which the schema has no edge."""
    mappings = [axis.mapping(axis.lowest, axis.highest) for axis in cube.axes]
    columns = [mapping[cube.groups[:, j]] for j, mapping in enumerate(mappings)]
    first, of_tuple, _ = distinct_rows(columns, [axis.groups(axis.highest) for axis in cube.axes])
    ends = [(m, column[first]) for m, column in zip(mappings, columns, strict=True)]
    low = np.stack([np.searchsorted(m, sets) for m, sets in ends], axis=1)
    high = np.stack([np.searchsorted(m, sets, side="right") for m, sets in ends], axis=1)
    ranks = [gaps.edge_ranks for gaps in unit_gaps(cube, binary)]
    kinds = [
        np.stack([np.where(rank[sets[:, j]] >= 0, EDGE, BEHIND) for j, rank in enumerate(ranks)], axis=1)
        for sets in (low, high)
    ]
    return Parts(of_tuple, low, high, *kinds)


def _require_of_all(cube: Cube, required: Required, first: Parts) -> None:
    """Refuse a requirement that an initial part does not meet, because then its parts cannot meet it
    either."""
    classes = Classes.of(cube, first.of_tuple, np.zeros((len(first), 0), dtype=np.int64), ())
    short = int((~meeting(cube, classes, as_conditions(required))).sum())
    if short:
        raise NoSolution(_too_much(cube, required, short, len(first)))


def _too_much(cube: Cube, required: Required, short: int, parts: int) -> str:
    wanted = " and ".join(f"{limit.name}={limit.bound:g}" for limit in required)
    bounds = [
        f"'{a.name}' no coarser than level {a.highest}" for a in cube.axes if a.highest < a.hierarchy.height
    ]
    if not bounds:
        return f"Even the whole table as one part does not have {wanted}. Require less."
    return (
        f"With {', '.join(bounds)} (levels in the schema), {short:,} of {parts:,} parts miss {wanted} "
        "before anything is split. Raise a highest level there, or require less."
    )


def _room(cube: Cube, trees: interface.Splits, asked: interface.Conditions) -> interface.Partition:
    """The tuples of a table, and memory for splitting them."""
    pieces = max(2, int((trees.child_after - trees.child).max(initial=0)))
    return interface.Partition.made(
        units=trees.leaves_before.shape[1],
        pieces=pieces,
        pieces_after=pieces + 1,
        values=asked.values,
        groups=np.ascontiguousarray(cube.groups, dtype=np.int32),
        counts=cube.counts,
    )


def shown_by(cube: Cube, parts: Parts, binary: bool) -> Classes:
    """Classes of parts: the region between their cuts and the ends of the domain. Parts that show equal sets
    are one class."""
    groups, sets = [], []
    for j, (axis, gaps) in enumerate(zip(cube.axes, unit_gaps(cube, binary), strict=True)):
        ends = np.stack(
            [bounds[:, j] for bounds in (parts.low, parts.high, parts.low_kinds, parts.high_kinds)]
        )
        places, chosen = _axis_sets(axis, gaps, ends)
        groups.append(places)
        sets.append(chosen)
    return Classes.by_column(cube, [column[parts.of_tuple] for column in groups], tuple(sets))


def _axis_sets(axis: Axis, gaps: Gaps, regions: Integers) -> tuple[Integers, ShownSets]:
    """The distinct sets that parts show on one axis, and which of them each part shows; the rows of `regions`
    are the units from which and up to which each part goes, and what these boundaries are."""
    leaves, domain, units = gaps.ends, axis.hierarchy.domain, len(gaps.ends) - 1
    # A value outside the hierarchy is shown as the whole domain.
    everything = np.array([[0], [units], [0], [0]])
    regions = np.where(leaves[regions[0]] >= domain, everything, regions)
    distinct, places = np.unique(regions, axis=1, return_inverse=True)
    first, after, *_ = distinct
    sizes = np.where(leaves[after] > domain, domain, leaves[after] - leaves[first])
    line = axis.cutting.line is not None
    ends = tuple(_ends(gaps, *end) for end in distinct.T.tolist()) if line else ()
    if line:
        top = axis.hierarchy.levels[-1].labels[0]
        labels = gaps.labels(first, after, ends, is_whole(axis, gaps), top)
    else:
        labels = run_labels(axis, first, after)
    sets = ShownSets(labels, sizes, leaves[first], leaves[after], ends=ends)
    return places.reshape(-1).astype(np.int64), sets


def _ends(gaps: Gaps, first: int, after: int, low: int, high: int) -> tuple[int | None, int | None]:
    """The points of a line from which and up to which a region goes, None where it is open."""
    return (
        gaps.point(Cut(first, low)) if 0 < first < gaps.length else None,
        gaps.point(Cut(after, high)) if 0 < after < gaps.length else None,
    )


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
    arguments = (table.trees, *table.conditions, table.own, more, table.waiting)
    return table.parts(library.call("improved_partition", *arguments, np.array(shown, dtype=np.int64)))


def prices(cube: Cube) -> Integers:
    """Price of one more value in the shown set for a row on each axis, in whole numbers: importance / (D −
    1)."""
    whole = sum(axis.importance for axis in cube.axes)
    scale = 1 << (COST_BITS - int(cube.rows).bit_length())
    prices_of_axes = [
        round(axis.importance * scale / (whole * (axis.hierarchy.domain - 1)))
        if axis.hierarchy.domain > 1 and whole
        else 0
        for axis in cube.axes
    ]
    return np.array(prices_of_axes, dtype=np.int64)
