"""Where a column may be cut without showing a value that fewer than k rows have, and what a cut is called.

A column is cut between its units, the smallest things that a space tells apart. The schema gives some of the
boundaries; the others are made of values (`schema.line`), and can be shown in a release whose classes have at
least k rows only where at least k rows of the input have such a value. So no label tells where a value lies
that fewer rows have: as long as it keeps its place in the order, it may move and every label stays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paretonym.arrays import Integers
from paretonym.counts import Axis
from paretonym.errors import InputError

# What stands for the weight of a boundary that shows no value at all.
ALWAYS_SHOWN = 2**62


@dataclass(frozen=True, eq=False)
class Boundaries:
    """`edges[i]` is the first leaf of unit i, the last entry the number of leaves. The boundary in front of
    unit i may be shown in releases with k up to `weights[i]`."""

    axis: Axis
    edges: Integers
    weights: Integers

    @classmethod
    def of(cls, axis: Axis, edges: Integers) -> Boundaries:
        weights = np.full(len(edges), ALWAYS_SHOWN, dtype=np.int64)
        line = axis.cutting.line
        for unit in range(1, len(edges) - 1) if line is not None else ():
            leaf = int(edges[unit])
            if line is not None and leaf < len(line) and line.given[leaf] is None:
                sides = ((True, False), (False, True))
                rows = (int(axis.leaf_rows[leaf - 1]), int(axis.leaf_rows[leaf]))
                known = [
                    n for n, side in zip(rows, sides, strict=True) if line.boundary(leaf, *side) is not None
                ]
                weights[unit] = max(known)
        return cls(axis, edges, weights)

    def point(self, unit: int, k: int) -> int:
        """Where on the line the boundary in front of a unit lies, in a release with this k."""
        line, leaf = self.axis.cutting.line, int(self.edges[unit])
        enough = self.axis.leaf_rows[leaf - 1] >= k, self.axis.leaf_rows[leaf] >= k
        found = None if line is None else line.boundary(leaf, *map(bool, enough))
        if found is None:
            raise InputError.of(
                f"column '{self.axis.name}'",
                "a cut of this run would show a value of fewer people than a class must have",
                "explore again: earlier versions allowed such cuts",
            )
        return found

    def text(self, unit: int, k: int) -> str:
        """The boundary as labels write it."""
        line = self.axis.cutting.line
        found = self.point(unit, k)
        return "" if line is None else line.scale.text(found)


def unit_ends(axis: Axis) -> Integers:
    """The first leaf of each unit, and the number of leaves at the end."""
    groups = axis.hierarchy.levels[axis.lowest].groups
    starts = np.searchsorted(groups, np.arange(axis.groups(axis.lowest)))
    return np.append(starts, len(groups)).astype(np.int64)
