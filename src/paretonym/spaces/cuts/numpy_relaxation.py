"""Bounds over boxes of cuts in plain numpy, one by one: the readable twin of the compiled code, with the same
results."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats, Integers
from paretonym.counts import kernel_interface as interface
from paretonym.spaces.cuts.branches import Bits
from paretonym.spaces.cuts.genome_boxes import Bounded, Boxes

# How often a multiplier of the suppression limit is improved, and how large it may be, in suppressed rows.
_IMPROVEMENTS = 6
_LARGEST = 64.0


def plain_bounds(
    table: interface.CutTable,
    sizes: Integers,
    suppressible: int,
    most_places: int,
    boxes: Boxes,
    known: Floats,
) -> Bounded:
    """The bounds of boxes, the gap at which to divide each, and a genome of each."""
    least, genomes = boxes.least.copy(), np.zeros_like(boxes.forced)
    gaps = np.full(len(least), -1, dtype=np.int64)
    for number, (forced, allowed) in enumerate(zip(boxes.forced, boxes.allowed, strict=True)):
        box = _Box.of(table, forced, allowed, sizes, suppressible, most_places)
        gaps[number], genomes[number] = box.bound(
            int(boxes.low[number]), int(boxes.high[number]), known, least[number]
        )
    return Bounded(least, gaps, genomes)


class _Division(NamedTuple):
    """For every place and size, the least cost of the places before it, the rows that are lost there, and
    where the last group begins."""

    least: Floats
    gone: Floats
    first: Integers


@dataclass(frozen=True, eq=False)
class _Axis:
    """One axis of a box: where its places begin, whether each begins a run between forced cuts, what a row
    costs in every run of places and at most, and the rows of every context at every place."""

    edges: Integers
    begins: Bits
    unit: Floats
    most: float
    rows: Integers

    @property
    def places(self) -> int:
        return len(self.edges) - 1

    @cached_property
    def rows_before(self) -> Integers:
        return np.concatenate([[0], np.cumsum(self.rows.sum(axis=0))]).astype(np.int64)

    def firsts(self, after: int) -> Integers:
        """Where a group that ends before a place can begin."""
        run = int(np.flatnonzero(self.begins[:after])[-1])
        return run + np.flatnonzero(np.isfinite(self.unit[run:after, after]))

    def lost(self, sizes: Integers) -> Floats:
        """The rows of every group, by its first place and the one after its last, that are lost for every
        size."""
        before = np.cumsum(np.concatenate([np.zeros_like(self.rows[:, :1]), self.rows], axis=1), axis=1)
        found = np.zeros((self.places, self.places + 1, len(sizes)))
        for after in range(1, self.places + 1):
            for first in self.firsts(after).tolist():
                rows = before[:, after] - before[:, first]
                place = np.searchsorted(sizes, rows, side="right")
                by_size = np.bincount(place, weights=rows, minlength=len(sizes) + 1)
                found[first, after] = np.cumsum(by_size[:-1])
        return found

    def costs(self, after: int, lost: Floats, multiplier: Floats) -> tuple[Floats, Floats]:
        """What each group that ends before a place costs if nothing is lost, and what its lost rows add."""
        firsts = self.firsts(after)
        unit = self.unit[firsts, after]
        every = unit * (self.rows_before[after] - self.rows_before[firsts])
        return every, (self.most - unit[:, None] + multiplier) * lost[firsts, after]

    def divided(self, lost: Floats, multiplier: Floats) -> _Division:
        """The best division for every size, where a lost row costs a multiplier more than the maximum."""
        shape = self.places + 1, lost.shape[2]
        least, gone, chosen = np.full(shape, np.inf), np.zeros(shape), np.zeros(shape, dtype=np.int64)
        least[0] = 0.0
        for after in range(1, self.places + 1):
            firsts = self.firsts(after)
            if len(firsts):
                every, more = self.costs(after, lost, multiplier)
                cost = least[firsts] + every[:, None] + more
                best = cost.argmin(axis=0)[None, :]
                least[after] = np.take_along_axis(cost, best, axis=0)
                all_gone = gone[firsts] + lost[firsts, after]
                gone[after] = np.take_along_axis(all_gone, best, axis=0)
                chosen[after] = firsts[best[0]]
        return _Division(least, np.where(np.isfinite(least), gone, 0.0), chosen)

    def coarsest_cost(self, start: float) -> float:
        """What the axis costs with the forced cuts alone, added to something."""
        for first, after in pairwise([*np.flatnonzero(self.begins).tolist(), self.places]):
            unit = self.unit[first, after] if np.isfinite(self.unit[first, after]) else self.most
            start += float(unit) * float(self.rows_before[after] - self.rows_before[first])
        return start


@dataclass(frozen=True, eq=False)
class _Box:
    table: interface.CutTable
    forced: Bits
    allowed: Bits
    sizes: Integers
    suppressible: int
    most_places: int
    # The group of every tuple in every axis under the forced and the allowed cuts.
    forced_groups: Integers
    allowed_groups: Integers

    @classmethod
    def of(
        cls,
        table: interface.CutTable,
        forced: Bits,
        allowed: Bits,
        sizes: Integers,
        suppressible: int,
        most: int,
    ) -> _Box:
        groups = [_groups_of_tuples(table, bits) for bits in (forced, allowed)]
        return cls(table, forced, allowed, sizes, suppressible, most, *groups)

    def bound(self, low: int, high: int, known: Floats, least: Floats) -> tuple[int, Bits]:
        """Raise the bounds for sizes from place `low` to `high`; return the gap at which to divide the box
        (-1: nothing in it is better than what is known, or it is a single genome), and a genome of it."""
        axes = [j for j in range(self.table.axes) if self._is_open(j)]
        decided, lost = self._decided(axes)
        impossible = np.flatnonzero(lost[low:high] > self.suppressible) + low
        high = int(impossible.min(initial=high))
        least[impossible] = np.inf
        floors = {j: self._finest(j) for j in axes}
        bound = decided + sum(floors.values())
        for j in (*range(self.table.axes), -1):
            least[low:high] = np.maximum(least[low:high], bound[low:high])
            while low < high and least[low] >= known[low]:
                low += 1
            while low < high and least[high - 1] >= known[high - 1]:
                high -= 1
            if low == high:
                return -1, np.zeros_like(self.forced)
            if j in axes:
                axis = self._axis(j)
                bound[low:high] += self._relaxed(axis, axis.lost(self.sizes[low:high]))[0] - floors[j]
        widest = low + int((known[low:high] - least[low:high]).argmax())
        return self._branch(axes, self.sizes[widest : widest + 1])

    def _branch(self, axes: list[int], size: Integers) -> tuple[int, Bits]:
        """The gap whose cut saves most at one size, and a genome of the box."""
        result, best, most_saved, genome = -1, -1.0, -np.inf, self.forced
        for j in axes:
            axis, start = self._axis(j), int(self.table.atom_starts[j]) - j
            lost = axis.lost(size)
            gap, gain, saved, cuts = _best_gap(axis, lost, self._relaxed(axis, lost)[1])
            if gap >= 0 and gain > best:
                result, best = start + gap, gain
            if saved > most_saved:
                most_saved, genome = saved, self.forced.copy()
                genome[start : start + len(cuts)] = cuts
        return (result if result >= 0 else self._middle()), genome

    def _is_open(self, j: int) -> bool:
        forced, allowed = (int(bits[self._part(j)].sum()) for bits in (self.forced, self.allowed))
        return forced != allowed and allowed < self.most_places

    def _part(self, j: int) -> slice:
        start, after = self.table.atom_starts[j : j + 2].tolist()
        return slice(start - j, after - j - 1)

    def _units(self, j: int) -> Floats:
        atoms = int(np.diff(self.table.atom_starts)[j])
        start = int(self.table.cost_starts[j])
        units: Floats = self.table.cost[start : start + (atoms + 1) ** 2].reshape(atoms + 1, atoms + 1)
        return units

    def _edges(self, j: int) -> Integers:
        atoms = int(np.diff(self.table.atom_starts)[j])
        return np.concatenate([[0], np.flatnonzero(self.allowed[self._part(j)]) + 1, [atoms]]).astype(
            np.int64
        )

    def _finest_units(self, j: int) -> Floats:
        """What a row of every tuple costs in an axis with all allowed cuts."""
        edges = self._edges(j)
        units: Floats = self._units(j)[edges[:-1], edges[1:]][self.allowed_groups[:, j]]
        return units

    def _finest(self, j: int) -> float:
        return float((self._finest_units(j) * self.table.counts).sum())

    def _decided(self, axes: list[int]) -> tuple[Floats, Integers]:
        """What all other axes cost with all allowed cuts, and the rows that the forced cuts lose, by size."""
        others = [j for j in range(self.table.axes) if j not in axes]
        cost = sum((self._finest_units(j) for j in others), np.zeros(self.table.tuples))
        most = float(sum(self.table.most[j] for j in others))
        _, classes = np.unique(self.forced_groups, axis=0, return_inverse=True)
        rows = np.bincount(classes.ravel(), weights=self.table.counts)[classes.ravel()]
        gone = rows[:, None] < self.sizes
        all_rows = np.where(gone, most, cost[:, None]) * self.table.counts[:, None]
        return all_rows.sum(axis=0), (gone * self.table.counts[:, None]).sum(axis=0)

    def _axis(self, j: int) -> _Axis:
        edges = self._edges(j)
        unit = self._units(j)[np.ix_(edges, edges)]
        begins = np.concatenate([[True], self.forced[self._part(j)][edges[1:-1] - 1]])
        others = np.delete(self.forced_groups, j, axis=1)
        _, context = np.unique(others, axis=0, return_inverse=True)
        rows = np.zeros((int(context.max()) + 1, len(edges) - 1), dtype=np.int64)
        np.add.at(rows, (context.ravel(), self.allowed_groups[:, j]), self.table.counts)
        return _Axis(edges, begins, unit, float(self.table.most[j]), rows)

    def _relaxed(self, axis: _Axis, lost: Floats) -> tuple[Floats, Floats]:
        """What the best division costs at least, and the multiplier that shows it, by size."""
        limit, whole = float(self.suppressible), float(self.table.whole[0])
        multiplier = np.zeros(lost.shape[2])
        many, many_gone = _ends(axis.divided(lost, multiplier))
        best, open_sizes = many.copy(), many_gone > limit
        if not open_sizes.any():
            return best, multiplier
        tried = np.where(open_sizes, 2.0 * whole * self.table.rows, 0.0)
        few, few_gone = _ends(axis.divided(lost, tried))
        few -= tried * few_gone
        best[open_sizes & (few_gone > limit)] = np.inf
        open_sizes &= few_gone <= limit
        for _ in range(_IMPROVEMENTS):
            slope = np.floor((few - many) / np.where(open_sizes, many_gone - few_gone, 1.0))
            tried = np.where(open_sizes, np.clip(slope, 0.0, _LARGEST * whole), 0.0)
            open_sizes &= tried > 0
            if not open_sizes.any():
                break
            cost, gone = _ends(axis.divided(lost, tried))
            better = open_sizes & (cost - tried * limit > best)
            best[better], multiplier[better] = (cost - tried * limit)[better], tried[better]
            above = open_sizes & (gone > limit)
            below = open_sizes & (gone <= limit)
            # The same division again: nothing is left to improve.
            open_sizes &= np.where(above, gone != many_gone, gone != few_gone)
            many[above], many_gone[above] = (cost - tried * gone)[above], gone[above]
            few[below], few_gone[below] = (cost - tried * gone)[below], gone[below]
        return best, multiplier

    def _middle(self) -> int:
        """The middle gap of the run with most undecided ones, in the first axis that is not decided."""
        for j in range(self.table.axes):
            part = self._part(j)
            gaps = np.flatnonzero(self.allowed[part] & ~self.forced[part])
            if len(gaps):
                run = np.cumsum(self.forced[part])[gaps]
                longest = gaps[run == np.bincount(run).argmax()]
                return int(part.start + longest[len(longest) // 2])
        return -1


def _groups_of_tuples(table: interface.CutTable, bits: Bits) -> npt.NDArray[np.int64]:
    columns = []
    for j in range(table.axes):
        start, after = table.atom_starts[j : j + 2].tolist()
        of_atom = np.concatenate([[0], np.cumsum(bits[start - j : after - j - 1])])
        columns.append(of_atom[table.tuple_atoms[:, j]])
    return np.stack(columns, axis=1).astype(np.int64)


def _best_gap(axis: _Axis, lost: Floats, multiplier: Floats) -> tuple[int, float, float, Bits]:
    """The gap of an axis whose exclusion costs most at one size, what it costs, what the best division saves,
    and its cuts."""
    division, back = axis.divided(lost, multiplier), np.full(axis.places + 1, np.inf)
    least, without, back[-1] = division.least[:, 0], np.full(axis.places + 1, np.inf), 0.0
    groups = [
        (first, after, float(every + more[0]))
        for after in range(1, axis.places + 1)
        for first, every, more in zip(
            axis.firsts(after).tolist(), *axis.costs(after, lost, multiplier), strict=True
        )
    ]
    for first, after, cost in sorted(groups, key=lambda group: (-group[0], group[1])):
        within = slice(first + 1, after)
        without[within] = np.minimum(without[within], least[first] + cost + back[after])
        back[first] = min(back[first], cost + back[after])
    gap, gain = -1, 0.0
    for place in np.flatnonzero(~axis.begins).tolist():
        if gap < 0 or without[place] - least[-1] > gain:
            gap, gain = int(axis.edges[place]) - 1, float(without[place] - least[-1])
    cuts, after = np.zeros(int(axis.edges[-1]) - 1, dtype=np.bool_), axis.places
    while (after := int(division.first[after, 0])) > 0:
        cuts[axis.edges[after] - 1] = True
    return gap, gain, axis.coarsest_cost(-float(least[-1])), cuts


def _ends(division: _Division) -> tuple[Floats, Floats]:
    """What whole divisions cost, and the rows that they lose."""
    return division.least[-1].copy(), division.gone[-1].copy()
