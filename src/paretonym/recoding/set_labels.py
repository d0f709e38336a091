"""What any run of neighbouring values is called (an interval, a node of a tree, a range), and where a column
may be cut without showing a value that fewer than k rows have.

A column is cut between its units, the smallest things that a space tells apart. The schema gives some of the
boundaries; the others are made of values (`schema.hierarchies.value_line`), and can be shown in a release
whose classes have at least k rows only where at least k rows of the input have such a value. So no label
shows where a value lies that fewer rows have: if it moves without changing the order, every label stays the
same. Where a column says whose a row is, read persons for rows: one with many rows shows no boundary.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers
from paretonym.counts import Axis
from paretonym.errors import InputError

Places: TypeAlias = npt.NDArray[np.integer]
Run: TypeAlias = tuple[int, int]
# The label of the boundary in front of a unit.
Boundary: TypeAlias = Callable[[int], str]

# The weight of a boundary that shows no value at all.
ALWAYS_SHOWN = 2**62
_INTERVAL = re.compile(r"\[(.+), (.+)\)")


def run_labels(
    axis: Axis,
    labels: tuple[str, ...],
    firsts: Places,
    afters: Places,
    named: Mapping[Run, str],
    boundary: Boundary,
) -> tuple[str, ...]:
    """A label for each run, given those of what runs are made of, in the order of the leaves: groups at the
    lowest level, or granules. `named` runs already have a name. Two different runs never share a label.
    """
    whole = axis.hierarchy.levels[-1].labels[0]
    taken = {whole: (0, len(labels)), **{label: (i, i + 1) for i, label in enumerate(labels)}}
    result = []
    for first, after in zip(firsts.tolist(), afters.tolist(), strict=True):
        if after - first == 1:
            result.append(labels[first])
        elif after - first == len(labels):
            # A value outside the hierarchy has the same label: it is shown as everything.
            result.append(whole)
        else:
            label = named.get((first, after)) or _joined(axis, labels, first, after, boundary)
            result.append(_free(label, (first, after), taken))
    return tuple(result)


def _free(label: str, run: Run, taken: dict[str, Run]) -> str:
    """The label, or the first of its variants that no other run has; it is reserved from now on."""
    free, number = label, 2
    while taken.setdefault(free, run) != run:
        free, number = f"{label} ({number})", number + 1
    return free


def set_labels(axis: Axis) -> dict[Run, str]:
    """The labels of all sets of the hierarchy, by the groups of the lowest level that they hold; the coarsest
    level's counts, as a ragged tree shows one set at several levels."""
    lowest = axis.hierarchy.levels[axis.lowest].groups
    found: dict[Run, str] = {}
    for level in axis.hierarchy.levels[axis.lowest :]:
        numbers = np.arange(len(level.labels))
        begin = lowest[np.searchsorted(level.groups, numbers)]
        end = lowest[np.searchsorted(level.groups, numbers, side="right") - 1] + 1
        found.update(zip(zip(begin.tolist(), end.tolist(), strict=True), level.labels, strict=True))
    return found


def _joined(axis: Axis, labels: tuple[str, ...], first: int, after: int, boundary: Boundary) -> str:
    last = after == len(labels) - axis.cutting.alone
    if axis.cutting.order == "numbers":
        return _interval(labels, first, None if last else after, after - 1, boundary)
    if axis.cutting.order == "dates":
        return _period(first, None if last else after, labels.__getitem__ if axis.lowest else boundary)
    return f"{labels[first]} … {labels[after - 1]}"


def _interval(labels: tuple[str, ...], first: int, after: int | None, last: int, boundary: Boundary) -> str:
    """From one boundary to below the next: `[15, 25)`, `<18`, `65+`. The minimum and the maximum of the table
    are not disclosed, not even the interval that they lie in: the groups at the ends are open."""
    begin, end = _INTERVAL.fullmatch(labels[first]), _INTERVAL.fullmatch(labels[last])
    low = None if first == 0 else begin[1] if begin else boundary(first)
    high = None if after is None else end[2] if end else boundary(after)
    if low is None:
        return "any number" if high is None else f"<{high}"
    return f"{low}+" if high is None else f"[{low}, {high})"


def _period(first: int, after: int | None, boundary: Boundary) -> str:
    """From one date to before the next; the groups at the ends are open, as those of numbers are."""
    if first == 0:
        # Nothing but missing values besides: every date.
        return "any date" if after is None else f"before {boundary(after)}"
    return f"from {boundary(first)}" if after is None else f"{boundary(first)} … before {boundary(after)}"


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
                sizes = (int(axis.leaf_sizes[leaf - 1]), int(axis.leaf_sizes[leaf]))
                known = [
                    n for n, side in zip(sizes, sides, strict=True) if line.boundary(leaf, *side) is not None
                ]
                weights[unit] = max(known)
        return cls(axis, edges, weights)

    def point(self, unit: int, k: int) -> int:
        """Where on the line the boundary in front of a unit lies, in a release with this k."""
        line, leaf = self.axis.cutting.line, int(self.edges[unit])
        enough = self.axis.leaf_sizes[leaf - 1] >= k, self.axis.leaf_sizes[leaf] >= k
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
