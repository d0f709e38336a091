"""Where a quasi-identifier may be split: at the boundaries of a line, or into the children of a node."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers
from paretonym.counts import Axis
from paretonym.counts import kernel_interface as interface
from paretonym.recoding import Boundaries

Run: TypeAlias = tuple[int, int]


class Splits(NamedTuple):
    """The nodes of all axes in one array; those of axis j are `roots[j]` to `roots[j + 1]`, its root first. A
    node holds the units (groups at the lowest level) from `first` up to but excluding `after`; its children
    are the nodes from `child` up to but excluding `child_after`, none where both are equal. A `line` node may
    be cut in front of any unit u with `cuttable[j, u]`. `leaves_before[j, u]` counts the domain values before
    it."""

    roots: Integers
    first: Integers
    after: Integers
    child: Integers
    child_after: Integers
    line: npt.NDArray[np.bool_]
    leaves_before: Integers
    domains: Integers
    cuttable: npt.NDArray[np.bool_]

    def for_kernels(self) -> interface.Splits:
        """The form that the compiled code takes."""
        return interface.Splits.made(**self._asdict())


def splits(axes: Sequence[Axis], k: int) -> Splits:
    """The nodes of every axis, and the cuts that may be shown where every class has k rows; 0 for parts that
    show no region, which may be cut anywhere."""
    tables = [_nodes(axis) for axis in axes]
    roots = np.concatenate([[0], np.cumsum([len(table) for table in tables])]).astype(np.int64)
    for root, table in zip(roots[:-1].tolist(), tables, strict=True):
        table[:, 2:4] += root
    nodes = np.concatenate(tables)
    units = max(axis.groups(axis.lowest) for axis in axes)
    before = np.zeros((len(axes), units + 1), dtype=np.int64)
    cuttable = np.ones((len(axes), units + 1), dtype=np.bool_)
    for j, axis in enumerate(axes):
        ends = axis.unit_ends
        before[j, : len(ends)] = np.minimum(ends, axis.hierarchy.domain)
        cuttable[j, : len(ends)] = Boundaries.of(axis, ends).weights >= k
    domains = np.array([axis.hierarchy.domain for axis in axes], dtype=np.int64)
    first, after, child, child_after, line = (np.ascontiguousarray(column) for column in nodes.T)
    return Splits(roots, first, after, child, child_after, line.astype(np.bool_), before, domains, cuttable)


def _nodes(axis: Axis) -> Integers:
    """One row per node: first, after, child, child_after, line. The children of a node are consecutive."""
    rows = [[0, axis.groups(axis.lowest), 0, 0, 0]]
    place = 0
    while place < len(rows):
        first, after = rows[place][:2]
        on_line, children = _children(axis, (first, after))
        rows[place][2:] = [len(rows), len(rows) + len(children), int(on_line)]
        rows.extend([low, high, 0, 0, 0] for low, high in children)
        place += 1
    return np.array(rows, dtype=np.int64)


def _children(axis: Axis, units: Run) -> tuple[bool, list[Run]]:
    """Whether these units lie on a line, and what they are split into if not."""
    if not axis.cutting.on_line:
        return False, _groups_below(axis, units)
    line = len(axis.hierarchy.leaves) - axis.cutting.alone
    on_line = int(np.searchsorted(axis.unit_ends, line))
    if units[1] <= on_line:
        return units[1] - units[0] > 1, []
    # Missing values and values outside the hierarchy are separate from the line.
    rest = [(unit, unit + 1) for unit in range(max(units[0], on_line), units[1])]
    children = [(units[0], on_line), *rest] if units[0] < on_line else rest
    return False, children if len(children) > 1 else []


def _groups_below(axis: Axis, units: Run) -> list[Run]:
    """The sets of the highest level at which these units are no longer one set."""
    first, after = units
    for level in range(axis.hierarchy.height, axis.lowest - 1, -1):
        groups = axis.mapping(axis.lowest, level)[first:after]
        if groups[0] != groups[-1]:
            cuts = first + 1 + np.flatnonzero(np.diff(groups))
            ends = [first, *cuts.tolist(), after]
            return list(pairwise(ends))
    return []
