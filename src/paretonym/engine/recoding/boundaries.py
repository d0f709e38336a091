"""The labels of neighbouring values: nodes of a tree, ranges of an order and, by the boundary rule, ranges of
numbers or dates. What these show is decided by the rows that stay.

Let u and v be the highest value that stays before a cut and the lowest one behind it. One boundary b, with
u < b ≤ v, serves both sides: the roundest edge of the schema; without an edge there, the roundest number or
date if k rows that stay have u and k have v; v itself if k have v; the next whole number or day after u if k
have u; otherwise the cut cannot be shown. k is the smallest class that stays. Where a column says whose a row
is, read persons for rows.

A column is cut in the *gaps* between its units: gap i lies in front of unit i, between the values that occur
there. The roundest point behind u, up to v, is the roundest one of a gap between them, so for every gap only
its own roundest points are computed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Integers, Mask
from paretonym.base.errors import Bug
from paretonym.engine.counts import Axis

# What a boundary is: an edge of the schema, the roundest point, the value behind the cut, the next whole
# number or day after the value before it. The compiled code has the same numbers.
EDGE, ROUND, BEHIND, NEXT = range(4)
# The largest k with which a boundary at an edge of the schema may be shown.
ALWAYS_SHOWN = 2**62


# The points from which and up to which a set goes, None where it is open.
Ends: TypeAlias = tuple[int | None, int | None]


class Cut(NamedTuple):
    """A boundary that is shown: in front of which unit it lies, and what it is."""

    gap: int
    kind: int


@dataclass(frozen=True, eq=False)
class Gaps:
    """The gaps of one column. `ends[i]` is the first leaf of unit i, the last entry the number of leaves; the
    first `length` units lie on the line. `edges[i]` and `rounds[i]` are the roundest edge of the schema (None
    if there is none) and the roundest point of gap i. The higher its rank, the rounder a point, or the lower
    among equally round ones; rank -1 is none. `whole` units are whole numbers or days, and after those that
    are `followed` the next one can be written."""

    axis: Axis
    ends: Integers
    length: int
    edges: tuple[int | None, ...]
    rounds: tuple[int, ...]
    edge_ranks: npt.NDArray[np.int32]
    round_ranks: npt.NDArray[np.int32]
    whole: Mask
    followed: Mask

    @classmethod
    def of(cls, axis: Axis, ends: Integers, granular: bool = False, in_order: bool = False) -> Gaps:
        """The gaps between units; `granular` ones consist of the schema's granules. A tree has a line only
        if its leaves are to be cut `in_order`."""
        line, units = axis.cutting.line, len(ends) - 1
        length = int(np.searchsorted(ends, len(axis.hierarchy.leaves) - axis.cutting.alone))
        if line is None:
            return cls._of_order(axis, ends, length if axis.cutting.on_line or in_order else 0)
        spans = [(line.points[first - 1], line.points[first]) for first in ends[1:length].tolist()]
        edges = (None, *(line.edge(low, high, axis.lowest, granular) for low, high in spans))
        rounds = (0, *(line.scale.roundest(low, high) for low, high in spans))
        single = np.zeros(units, dtype=np.bool_)
        single[:length] = np.diff(ends[: length + 1]) == 1
        points = [line.points[first] for first in ends[:length].tolist()]
        whole, followed = single.copy(), single.copy()
        whole[:length] &= np.array([point % line.step == 0 for point in points], dtype=np.bool_)
        next_written = [line.scale.writes(point + line.step) for point in points]
        followed[:length] &= np.array(next_written, dtype=np.bool_)
        edge_ranks, round_ranks = (_ranks(axis, marks, units) for marks in (edges, (None, *rounds[1:])))
        return cls(axis, ends, length, edges, rounds, edge_ranks, round_ranks, whole, followed)

    @classmethod
    def _of_order(cls, axis: Axis, ends: Integers, length: int) -> Gaps:
        """Of a listed order every gap is an edge, and none is rounder than another; a tree has no line."""
        none = np.full(len(ends), -1, dtype=np.int32)
        edges, flags = none.copy(), np.zeros(len(ends) - 1, dtype=np.bool_)
        edges[1:length] = np.arange(length - 1, 0, -1)
        return cls(axis, ends, length, (), (), edges, none, flags, flags)

    @property
    def numeric(self) -> bool:
        """True if units are numbers or dates, so that what stays decides where cuts are shown. Values that
        the schema lists are shown as they are cut."""
        return self.axis.cutting.line is not None

    def shown(self, u: int, v: int, sizes: Integers, k: int, whole: bool) -> Cut | None:
        """The boundary between the last unit that stays before a cut and the first one behind it; None if the
        cut cannot be shown. `sizes` counts the rows (persons) of each unit that stay; `whole` if everything
        that stays in the column is a whole number or a day."""
        between = slice(u + 1, v + 1)
        edge = int(np.argmax(self.edge_ranks[between])) + u + 1
        if self.edge_ranks[edge] >= 0:
            return Cut(edge, EDGE)
        before, behind = sizes[u] >= k, sizes[v] >= k
        if before and behind:
            return Cut(int(np.argmax(self.round_ranks[between])) + u + 1, ROUND)
        if behind:
            return Cut(v, BEHIND)
        return Cut(u + 1, NEXT) if before and whole and self.followed[u] else None

    def point(self, cut: Cut) -> int:
        """Where on the line a boundary lies."""
        line, leaf, edge = self.axis.cutting.line, int(self.ends[cut.gap]), self.edges[cut.gap]
        if line is None or (cut.kind == EDGE and edge is None):
            raise Bug("a boundary lies on no line")
        if cut.kind == EDGE and edge is not None:
            return edge
        if cut.kind == ROUND:
            return self.rounds[cut.gap]
        return line.points[leaf] if cut.kind == BEHIND else line.points[leaf - 1] + line.step

    def labels(
        self, firsts: Integers, afters: Integers, ends: Sequence[Ends], whole: bool, everything: str
    ) -> tuple[str, ...]:
        """The labels of runs of units of a line, which go from one point to another; a value beside the line
        has its own, all units together that of `everything`."""
        lowest, units = self.axis.hierarchy.levels[self.axis.lowest], len(self.ends) - 1
        return tuple(
            everything if after - first == units
            else lowest.labels[lowest.groups[self.ends[first]]] if first >= self.length
            else line_label(self.axis, *points, whole)
            for first, after, points in zip(firsts.tolist(), afters.tolist(), ends, strict=True)
        )  # fmt: skip

    def shown_up_to(self, sizes: Integers) -> Integers:
        """For each gap, the largest k with which some release may show a boundary there; `sizes` counts all
        rows (persons) of each unit. The roundest point of a gap is shown as long as nothing rounder lies
        between u and v, so both lie where it is the roundest."""
        most = np.full(len(self.ends) - 1, ALWAYS_SHOWN, dtype=np.int64)
        for gap in np.flatnonzero(self.edge_ranks[1 : self.length] < 0).tolist():
            low = high = here = gap + 1
            while low > 1 and self.round_ranks[low - 1] < self.round_ranks[here]:
                low -= 1
            while high + 1 < self.length and self.round_ranks[high + 1] < self.round_ranks[here]:
                high += 1
            both = min(sizes[low - 1 : here].max(), sizes[here : high + 1].max())
            most[here] = max(both, sizes[here - 1], sizes[here])
        return most


def _ranks(axis: Axis, points: Sequence[int | None], units: int) -> npt.NDArray[np.int32]:
    """The rank of each gap's point: rounder ones higher, of equally round ones the lower."""
    line, ranks = axis.cutting.line, np.full(units + 1, -1, dtype=np.int32)
    if line is None:
        return ranks
    keys = [
        (line.scale.roundness(point), -point, gap) for gap, point in enumerate(points) if point is not None
    ]
    ranks[[gap for _, _, gap in sorted(keys)]] = np.arange(len(keys))
    return ranks


def line_label(axis: Axis, low: int | None, high: int | None, whole: bool) -> str:
    """The label of the numbers or dates from `low` up to but excluding `high`: `[15, 25)`, `<18`, `65+`. A
    single number or day is shown as it is where only whole ones stay. The groups at the ends are open: not
    even the interval that the least or the largest value lies in is disclosed."""
    line, dates = axis.cutting.line, axis.cutting.order == "dates"
    if line is None:
        raise Bug("a column has no line")
    begin = "" if low is None else line.scale.text(low)
    end = "" if high is None else line.scale.text(high)
    if low is None or high is None:
        if low is None and high is None:
            # Nothing but missing values besides.
            return "any date" if dates else "any number"
        if low is None:
            return f"before {end}" if dates else f"<{end}"
        return f"from {begin}" if dates else f"{begin}+"
    leaf = bisect_left(line.points, low)
    if whole and high - low == line.step and line.points[leaf] == low:
        return axis.hierarchy.leaves[leaf]
    return line.name(low, high) or (f"{begin} … before {end}" if dates else f"[{begin}, {end})")


Places: TypeAlias = npt.NDArray[np.integer]
Run: TypeAlias = tuple[int, int]


def run_labels(axis: Axis, firsts: Places, afters: Places) -> tuple[str, ...]:
    """A label for each run of groups of the lowest level. Two different runs never share a label."""
    labels, whole = axis.hierarchy.levels[axis.lowest].labels, axis.hierarchy.levels[-1].labels[0]
    named = set_labels(axis)
    taken = {whole: (0, len(labels)), **{label: (i, i + 1) for i, label in enumerate(labels)}}
    result = []
    for first, after in zip(firsts.tolist(), afters.tolist(), strict=True):
        if after - first == 1:
            result.append(labels[first])
        elif after - first == len(labels):
            # A value outside the hierarchy has the same label: it is shown as everything.
            result.append(whole)
        else:
            label = named.get((first, after)) or _listed(axis, labels[first:after])
            result.append(_free(label, (first, after), taken))
    return tuple(result)


def _listed(axis: Axis, labels: Sequence[str]) -> str:
    """Neighbours that have no name together: their ends in an order, all of them in a tree."""
    return f"{labels[0]} … {labels[-1]}" if axis.cutting.on_line else f"{{{', '.join(labels)}}}"


def _free(label: str, run: Run, taken: dict[str, Run]) -> str:
    """The label, or the first of its variants that no other run has; it is reserved from now on."""
    free, number = label, 2
    while taken.setdefault(free, run) != run:
        free, number = f"{label} ({number})", number + 1
    return free


def set_labels(axis: Axis) -> dict[Run, str]:
    """The labels of the sets of a tree, by the groups of the lowest level that they hold; the coarsest
    level's counts, as a ragged tree shows one set at several levels. An order has none."""
    names: dict[Run, str] = {}
    if axis.cutting.on_line:
        return names
    lowest = axis.hierarchy.levels[axis.lowest].groups
    for level in axis.hierarchy.levels[axis.lowest :]:
        begin, end = lowest[level.edges[:-1]], lowest[level.edges[1:] - 1] + 1
        names.update(zip(zip(begin.tolist(), end.tolist(), strict=True), level.labels, strict=True))
    return names
