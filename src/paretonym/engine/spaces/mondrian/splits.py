"""Where a quasi-identifier may be split: at the boundaries of a line, or into the children of a node.

With `binary` splits, every part is cut in two: categories, too, lie on a line, in the order of their leaves,
and the lower half of a line ends with the median row's value (LeFevre, DeWitt & Ramakrishnan 2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Integers
from paretonym.base.factorize import starts_of
from paretonym.engine.counts import Axis, Cube
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.recoding import Gaps

Run: TypeAlias = tuple[int, int]
Groups: TypeAlias = npt.NDArray[np.int32]


def splits(cube: Cube, binary: bool) -> interface.Splits:
    """The nodes of all axes in one array; those of axis j are `roots[j]` to `roots[j + 1]`, its root first.

    A node holds the units (groups at the lowest level) from `first` up to but excluding `after`; its children
    are the nodes from `child` up to but excluding `child_after`, none where both are equal. A `line` node may
    be cut where the boundary rule can show it: see `recoding.boundaries` for the ranks of gaps, the `sizes`
    of units, those that are `followed`, and the axes whose values are all `whole`. `leaves_before[j, u]`
    counts the domain values before unit u.
    """
    axes, gaps = cube.axes, unit_gaps(cube, binary)
    tables = [_nodes(axis, binary) for axis in axes]
    roots = starts_of([len(table) for table in tables])
    for root, table in zip(roots[:-1].tolist(), tables, strict=True):
        table[:, 2:4] += root
    first, after, child, child_after, line = (
        np.ascontiguousarray(column) for column in np.concatenate(tables).T
    )
    width = max(len(gaps_of_axis.ends) for gaps_of_axis in gaps)
    whole = [is_whole(axis, gaps_of_axis) for axis, gaps_of_axis in zip(axes, gaps, strict=True)]
    before = [
        np.minimum(gaps_of_axis.ends, axis.hierarchy.domain)
        for gaps_of_axis, axis in zip(gaps, axes, strict=True)
    ]
    return interface.Splits.made(
        roots=roots,
        first=first,
        after=after,
        child=child,
        child_after=child_after,
        line=line.astype(np.bool_),
        leaves_before=_padded(before, width).astype(np.int64),
        domains=np.array([axis.hierarchy.domain for axis in axes], dtype=np.int64),
        sizes=_padded([unit_sizes(axis) for axis in axes], width).astype(np.int64),
        whole=np.array(whole, dtype=np.int64),
        edge_ranks=_padded([gaps_of_axis.edge_ranks for gaps_of_axis in gaps], width).astype(np.int32),
        round_ranks=_padded([gaps_of_axis.round_ranks for gaps_of_axis in gaps], width).astype(np.int32),
        followed=_padded([gaps_of_axis.followed for gaps_of_axis in gaps], width).astype(np.bool_),
        binary=int(binary),
    )


def unit_gaps(cube: Cube, binary: bool) -> tuple[Gaps, ...]:
    """The gaps between the units of every axis, computed once."""

    def made() -> tuple[Gaps, ...]:
        return tuple(Gaps.of(axis, axis.unit_ends, in_order=binary) for axis in cube.axes)

    return cube.once(("gaps of units", binary), made)


def unit_sizes(axis: Axis) -> Integers:
    """Number of rows, or persons, with the values of each unit."""
    before = starts_of(axis.leaf_sizes)
    return np.diff(before[axis.unit_ends]).astype(np.int64)


def is_whole(axis: Axis, gaps: Gaps) -> bool:
    """True if all values of a line that occur are whole numbers or days."""
    occurring = unit_sizes(axis)[: gaps.length] > 0
    return bool(gaps.whole[: gaps.length][occurring].all())


def _padded(columns: Sequence[npt.NDArray[Any]], width: int) -> npt.NDArray[np.int64]:
    """Rows of equal length, filled with zeros."""
    table = np.zeros((len(columns), width), dtype=np.int64)
    for row, column in zip(table, columns, strict=True):
        row[: len(column)] = column
    return table


def _nodes(axis: Axis, binary: bool) -> Integers:
    """One row per node: first, after, child, child_after, line. The children of a node are consecutive."""
    rows = [[0, axis.groups(axis.lowest), 0, 0, 0]]
    levels = [axis.mapping(axis.lowest, level) for level in range(axis.hierarchy.height, axis.lowest - 1, -1)]
    place = 0
    while place < len(rows):
        first, after = rows[place][:2]
        on_line, children = _children(axis, levels, (first, after), binary)
        rows[place][2:] = [len(rows), len(rows) + len(children), int(on_line)]
        rows.extend([low, high, 0, 0, 0] for low, high in children)
        place += 1
    return np.array(rows, dtype=np.int64)


def _children(axis: Axis, levels: Sequence[Groups], units: Run, binary: bool) -> tuple[bool, list[Run]]:
    """True if these units lie on a line, and what they are split into if not. `levels` holds the groups of
    all units at each level, the highest first."""
    if not (axis.cutting.on_line or binary):
        return False, _groups_below(levels, units)
    line = len(axis.hierarchy.leaves) - axis.cutting.alone
    on_line = int(np.searchsorted(axis.unit_ends, line))
    if units[1] <= on_line:
        return units[1] - units[0] > 1, []
    # Missing values and values outside the hierarchy are separate from the line.
    rest = [(unit, unit + 1) for unit in range(max(units[0], on_line), units[1])]
    children = [(units[0], on_line), *rest] if units[0] < on_line else rest
    return False, children if len(children) > 1 else []


def _groups_below(levels: Sequence[Groups], units: Run) -> list[Run]:
    """The sets of the highest level at which these units are no longer one set."""
    first, after = units
    for every in levels if after - first > 1 else ():
        groups = every[first:after]
        if groups[0] != groups[-1]:
            cuts = first + 1 + np.flatnonzero(np.diff(groups))
            ends = [first, *cuts.tolist(), after]
            return list(pairwise(ends))
    return []
