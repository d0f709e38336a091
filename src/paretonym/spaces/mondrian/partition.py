"""The partition of a table under a requirement, and the classes that it forms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from paretonym.arrays import Integers
from paretonym.counts import Axis, Cube
from paretonym.counts import kernel_interface as interface
from paretonym.counts import kernel_library as library
from paretonym.errors import NoSolution
from paretonym.factorize import distinct_rows
from paretonym.measures import CLASS_SIZE
from paretonym.recoding import Boundaries, Classes, ShownSets, Units
from paretonym.spaces.mondrian import numpy_partition as plain
from paretonym.spaces.mondrian.partition_requirement import Conditions, Required, conditions
from paretonym.spaces.mondrian.splits import Splits, splits

# The labels of runs of units of one axis, by their first ones and those after their last; and of all axes.
Called: TypeAlias = Callable[[Integers, Integers], tuple[str, ...]]
Labelled: TypeAlias = Sequence[Called]


@dataclass(frozen=True, eq=False)
class Parts:
    """`of_tuple[t]` is the part of tuple t; part p holds on axis j the units (groups at the lowest level)
    from `low[p, j]` up to but excluding `high[p, j]`."""

    of_tuple: Integers
    low: Integers
    high: Integers

    def __len__(self) -> int:
        return len(self.low)

    def smallest_class(self, cube: Cube) -> int:
        """The size of the smallest class; parts that show equal sets are one class."""
        regions = np.concatenate([self.low, self.high], axis=1)
        of_part = np.unique(regions, axis=0, return_inverse=True)[1].reshape(-1)
        of_tuple = of_part[self.of_tuple]
        rows = np.rint(np.bincount(of_tuple, weights=cube.counts)).astype(np.int64)
        return int(cube.class_sizes(of_tuple, rows).min())


def shown_partition(cube: Cube, required: Required, made: Callable[[int], Parts]) -> tuple[Parts, int]:
    """Parts whose regions can be shown, and their k: no cut shows a value that fewer than k rows (persons, if
    these are counted) have. `made` gives the parts whose cuts may be shown in a release with some k.

    Unless it is required, k is not known in advance: the partition is made again for the resulting k until no
    cut shows more than that k allows. k only rises, so this ends.
    """
    k = max(1, *(math.ceil(limit.bound) for limit in required if limit.name == CLASS_SIZE), 1)
    while True:
        parts = made(k)
        found = parts.smallest_class(cube)
        if found <= k or _most_shown(cube, parts) >= found:
            return parts, found
        k = found


def _most_shown(cube: Cube, parts: Parts) -> int:
    """The largest k for which all cuts of parts may be shown."""
    most = [
        Boundaries.of(axis, axis.unit_ends).weights[np.unique([parts.low[:, j], parts.high[:, j]])].min()
        for j, axis in enumerate(cube.axes)
    ]
    return int(min(most))


def partition(cube: Cube, required: Required, k: int = 0) -> Parts:
    """Split the table as long as every part meets the requirements, at cuts that may be shown in a release
    with this k; anywhere if parts are not shown.

    The quasi-identifier with the widest span of the part's rows, relative to its domain, is split first, ties
    broken by schema order; if a piece would not meet the requirement, the next one is tried. On a line the
    cut lies at the median of the rows, or as near to it as one may be shown; a node of a tree is split into
    its children. Strict: rows with equal values on the split quasi-identifier stay together.

    No part is coarser than the highest level that the schema allows: the sets of that level are the initial
    parts, whatever is required.

    Time: about depth × tuples × quasi-identifiers. Reference: LeFevre, DeWitt & Ramakrishnan 2006.
    """
    table = PartedTable.of(cube, required, k)
    if compiled(cube):
        arguments = (table.trees.for_kernels(), *table.asked.for_kernels(), table.own, table.waiting)
        found = library.call("partition", *arguments)
    else:
        found = plain.partition(table.trees, table.asked, table.own, table.waiting)
    return table.parts(found)


class PartedTable(NamedTuple):
    """A table that is to be split: where, what is required of the parts, and its tuples in the initial parts,
    which wait from `waiting` on."""

    trees: Splits
    asked: Conditions
    own: interface.Partition
    waiting: int

    @classmethod
    def of(cls, cube: Cube, required: Required, k: int) -> PartedTable:
        asked, trees = conditions(required, cube), splits(cube.axes, k)
        first = coarsest(cube)
        if cube.adds_up:
            _require_of_all(cube, asked, required, first)
        order = np.argsort(first.of_tuple, kind="stable")
        begins = np.searchsorted(first.of_tuple[order], np.arange(len(first) + 1))
        own, waiting = _room(cube, trees, asked), cube.tuples - len(first)
        own.order[:], own.starts[waiting:], own.stops[waiting:] = order, begins[:-1], begins[1:]
        own.low[waiting:], own.high[waiting:] = first.low, first.high
        return cls(trees, asked, own, waiting)

    def parts(self, found: int) -> Parts:
        """The parts, once so many were found."""
        low, high = (each[:found].astype(np.int64) for each in (self.own.low, self.own.high))
        return Parts(self.own.of_tuple, low, high)


def compiled(cube: Cube) -> bool:
    """Whether compiled code can count the rows of a table."""
    return library.available() and cube.rows <= library.MOST_ROWS


def coarsest(cube: Cube) -> Parts:
    """The initial parts: the sets of the highest levels that the schema allows, often one part of all
    rows."""
    mappings = [axis.mapping(axis.lowest, axis.highest) for axis in cube.axes]
    columns = [mapping[cube.groups[:, j]] for j, mapping in enumerate(mappings)]
    shown, of_tuple, _ = distinct_rows(columns, [axis.groups(axis.highest) for axis in cube.axes])
    low = [np.searchsorted(m, c[shown]) for m, c in zip(mappings, columns, strict=True)]
    high = [np.searchsorted(m, c[shown], side="right") for m, c in zip(mappings, columns, strict=True)]
    return Parts(of_tuple, np.stack(low, axis=1), np.stack(high, axis=1))


def _require_of_all(cube: Cube, asked: Conditions, required: Required, first: Parts) -> None:
    """Refuse a requirement that an initial part does not meet, because then its parts cannot meet it
    either."""
    none = np.zeros((len(first), 0), dtype=np.int64)
    each = (margin.cells(first.of_tuple, len(first)) for margin in asked.margins)
    cells = np.concatenate([none, *each], axis=1)
    rows = np.rint(np.bincount(first.of_tuple, weights=cube.counts)).astype(np.int64)
    sizes = cube.class_sizes(first.of_tuple, rows)
    if compiled(cube):
        small, sorting = cells.astype(np.int32), np.zeros(asked.width, dtype=np.int64)
        short = library.call("count_short", *asked.for_kernels(), len(sizes), small, sizes, sorting)
    else:
        short = sum(not asked.met(each, size) for each, size in zip(cells, sizes, strict=True))
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


def _room(cube: Cube, trees: Splits, asked: Conditions) -> interface.Partition:
    """The tuples of a table, and memory for splitting them."""
    pieces = max(2, int((trees.child_after - trees.child).max(initial=0)))
    return interface.Partition.made(
        units=trees.leaves_before.shape[1],
        pieces=pieces,
        pieces_after=pieces + 1,
        values=asked.width,
        groups=np.ascontiguousarray(cube.groups, dtype=np.int32),
        counts=cube.counts,
    )


def shown_by(cube: Cube, parts: Parts, labelled: Labelled) -> Classes:
    """What parts show: the region between their cuts and the ends of the domain. Parts that show equal sets
    are one class. `labelled` gives the labels of runs of units, axis by axis."""
    shown, sets = [], []
    for j, axis in enumerate(cube.axes):
        places, chosen = _axis_sets(axis, parts.low[:, j], parts.high[:, j], labelled[j])
        shown.append(places)
        sets.append(chosen)
    first, class_of_part, _ = distinct_rows(shown, [len(each.labels) for each in sets])
    of_tuple = class_of_part[parts.of_tuple]
    rows = np.bincount(of_tuple, weights=cube.counts, minlength=len(first))
    return Classes(
        of_tuple,
        np.stack([column[first] for column in shown], axis=1).astype(np.int64),
        tuple(sets),
        np.rint(rows).astype(np.int64),
        persons=None if cube.persons is None else cube.persons.in_classes(of_tuple, len(first)),
    )


def part_labels(cube: Cube, k: int) -> Labelled:
    """The labels of runs of units if every class has k rows, or persons."""
    return [Units.of_parts(axis, k).called_between for axis in cube.axes]


def _axis_sets(axis: Axis, low: Integers, high: Integers, called: Called) -> tuple[Integers, ShownSets]:
    """The distinct sets that parts show on one axis, and which of them each part shows."""
    ends, domain = axis.unit_ends, axis.hierarchy.domain
    units = len(ends) - 1
    # A value outside the hierarchy is shown as the whole domain.
    stray = ends[low] >= domain
    low, high = np.where(stray, 0, low), np.where(stray, units, high)
    keys, places = np.unique(low * (units + 1) + high, return_inverse=True)
    first, after = np.divmod(keys, units + 1)
    sizes = np.where(ends[after] > domain, domain, ends[after] - ends[first])
    return places.astype(np.int64), ShownSets(called(first, after), sizes, ends[first], ends[after])
