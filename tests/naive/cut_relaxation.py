"""Bounds over boxes of cuts in plain numpy, one by one: the readable twin of the compiled code, with the same
results."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats, Integers
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.spaces.cuts.cut_relaxation import Bounded, Boxes
from paretonym.engine.spaces.cuts.genome_space import Bits

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


@dataclass(frozen=True, eq=False)
class _Axis:
    """One axis of a box: where its places begin, whether each begins a run between forced cuts, what a row
    costs in every run of places and at most, the rows of every context at every place, and up to which size
    labels may show the boundary in front of every place (-1: they never do)."""

    edges: Integers
    begins: Bits
    unit: Floats
    most: float
    rows: Integers
    boundary: Integers

    @property
    def places(self) -> int:
        return len(self.edges) - 1

    @cached_property
    def rows_before(self) -> Integers:
        return np.concatenate([[0], np.cumsum(self.rows.sum(axis=0))]).astype(np.int64)

    def firsts(self, after: int) -> list[int]:
        """Where a group that ends before a place can begin."""
        run = int(np.flatnonzero(self.begins[:after])[-1])
        return [run + int(place) for place in np.flatnonzero(np.isfinite(self.unit[run:after, after]))]

    def is_one(self, first: int, after: int) -> bool:
        """Whether a group is a single atom."""
        return bool(self.edges[after] - self.edges[first] == 1)

    def coarsest_cost(self, start: float) -> float:
        """What the axis costs with the forced cuts alone, added to something."""
        for first, after in pairwise([*np.flatnonzero(self.begins).tolist(), self.places]):
            unit = self.unit[first, after] if np.isfinite(self.unit[first, after]) else self.most
            start += float(unit) * float(self.rows_before[after] - self.rows_before[first])
        return start


# What stands beside a boundary: several atoms, one, or one whose rows are all lost.
_SEVERAL, _ONE, _ONE_LOST = range(3)


@dataclass(frozen=True, eq=False)
class _Groups:
    """The groups of an axis, by the first place and the one after the last, for some sizes."""

    axis: _Axis
    sizes: Integers

    @cached_property
    def lost(self) -> Floats:
        """The rows of every group that are lost for every size."""
        axis = self.axis
        before = np.cumsum(np.concatenate([np.zeros_like(axis.rows[:, :1]), axis.rows], axis=1), axis=1)
        found = np.zeros((axis.places, axis.places + 1, len(self.sizes)))
        for after in range(1, axis.places + 1):
            for first in axis.firsts(after):
                rows = before[:, after] - before[:, first]
                place = np.searchsorted(self.sizes, rows, side="right")
                by_size = np.bincount(place, weights=rows, minlength=len(self.sizes) + 1)
                found[first, after] = np.cumsum(by_size[:-1])
        return found

    def kinds(self, first: int, after: int) -> Integers:
        """What a group is beside a boundary, by size."""
        if not self.axis.is_one(first, after):
            return np.full(len(self.sizes), _SEVERAL)
        return np.where(self.all_lost(first, after), _ONE_LOST, _ONE)

    def all_lost(self, first: int, after: int) -> Bits:
        rows = self.axis.rows_before[after] - self.axis.rows_before[first]
        return np.asarray(self.lost[first, after] == rows, dtype=np.bool_)

    def may_meet(self, place: int, before: Integers, after: Integers) -> Bits:
        """Whether groups of these kinds may meet at a place, by size. Two single atoms show no boundary."""
        bound = self.axis.boundary[place]
        if bound < 0:
            return np.ones(len(self.sizes), dtype=np.bool_)
        kept = (before != _ONE_LOST) & (after != _ONE_LOST) & (self.sizes <= bound)
        return np.asarray(kept | ((before != _SEVERAL) & (after != _SEVERAL)), dtype=np.bool_)

    def costs(self, first: int, after: int, multiplier: Floats) -> tuple[float, Floats]:
        """What a group costs if nothing is lost, and what its lost rows add: infinity if it has several atoms
        and a boundary, but no row that stays."""
        axis, unit = self.axis, float(self.axis.unit[first, after])
        more = (axis.most - unit + multiplier) * self.lost[first, after]
        if not axis.is_one(first, after) and max(axis.boundary[first], axis.boundary[after]) >= 0:
            more = np.where(self.all_lost(first, after), np.inf, more)
        return unit * float(axis.rows_before[after] - axis.rows_before[first]), more

    def divided(self, multiplier: Floats) -> _Division:
        """The best divisions, where a lost row costs a multiplier more than the maximum."""
        shape = 3, self.axis.places + 1, len(self.sizes)
        result = _Division(self, np.full(shape, np.inf), np.zeros(shape), np.zeros(shape, dtype=np.int64))
        result.least[:, 0] = 0.0
        for after in range(1, self.axis.places + 1):
            for first in self.axis.firsts(after):
                every, more = self.costs(first, after, multiplier)
                kinds = self.kinds(first, after)
                before, gone, _ = result.before(first, kinds)
                for kind in np.unique(kinds):
                    better = (kinds == kind) & (before + every + more < result.least[kind, after])
                    result.least[kind, after, better] = (before + every + more)[better]
                    result.gone[kind, after, better] = (gone + self.lost[first, after])[better]
                    result.first[kind, after, better] = first
        return result


class _Division(NamedTuple):
    """For every kind of the last group, place and size: the least cost of the places before it, the rows that
    are lost there, and where the last group begins."""

    groups: _Groups
    least: Floats
    gone: Floats
    first: Integers

    def before(self, place: int, kinds: Integers) -> tuple[Floats, Floats, Integers]:
        """The best divisions before a place that groups of these kinds may follow, by size: what they cost,
        the rows that they lose, and the kind of their last group."""
        every = np.arange(3)[:, None]
        can = np.array([self.groups.may_meet(place, np.full(len(kinds), kind), kinds) for kind in range(3)])
        cost = np.where(can, self.least[:, place], np.inf)
        best = cost.argmin(axis=0)
        chosen = every == best
        gone = np.where(chosen, self.gone[:, place], 0.0).sum(axis=0)
        return cost.min(axis=0), gone, best

    def whole(self) -> tuple[Floats, Floats]:
        """What divisions of all places cost, and the rows that they lose."""
        cost, gone, _ = self.before(self.groups.axis.places, np.full(len(self.groups.sizes), _SEVERAL))
        return cost, np.where(np.isfinite(cost), gone, 0.0)

    def cuts(self) -> Bits:
        """The cuts of the best division at the first size, one entry for each gap."""
        axis = self.groups.axis
        found, after, kinds = np.zeros(int(axis.edges[-1]) - 1, dtype=np.bool_), axis.places, np.array([0])
        while True:
            kind = int(self.before(after, kinds)[2][0])
            first = int(self.first[kind, after, 0])
            if first == 0:
                return found
            found[axis.edges[first] - 1] = True
            after, kinds = first, np.array([kind])


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
        rows = self._class_rows()
        decided, lost = self._decided(axes, rows)
        shown = min(self._shown_up_to(j, rows) for j in range(self.table.axes))
        too_many = (lost[low:high] > self.suppressible) | (self.sizes[low:high] > shown)
        impossible = np.flatnonzero(too_many) + low
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
                bound[low:high] += self._relaxed(_Groups(axis, self.sizes[low:high]))[0] - floors[j]
        widest = low + int((known[low:high] - least[low:high]).argmax())
        return self._branch(axes, self.sizes[widest : widest + 1])

    def _branch(self, axes: list[int], size: Integers) -> tuple[int, Bits]:
        """The gap whose cut saves most at one size, and a genome of the box."""
        result, best, most_saved, genome = -1, -1.0, -np.inf, self.forced
        for j in axes:
            groups, start = _Groups(self._axis(j), size), int(self.table.atom_starts[j]) - j
            gap, gain, saved, cuts = _best_gap(groups, self._relaxed(groups)[1])
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

    def _class_rows(self) -> Floats:
        """The rows of each tuple's class under the forced cuts."""
        _, classes = np.unique(self.forced_groups, axis=0, return_inverse=True)
        rows = np.bincount(classes.ravel(), weights=self.table.counts).astype(np.float64)
        return rows[classes.ravel()]

    def _boundary(self, j: int) -> Integers:
        start, after = self.table.atom_starts[j : j + 2].tolist()
        bounds: Integers = self.table.boundary[start:after]
        return bounds

    def _shown_up_to(self, j: int, rows: Floats) -> float:
        """Up to which size the labels of an axis without undecided cuts may show its boundaries: a group
        beside a boundary keeps rows as long as its largest class does."""
        if (self.forced[self._part(j)] != self.allowed[self._part(j)]).any():
            return np.inf
        edges = self._edges(j)
        largest = [rows[self.forced_groups[:, j] == group].max(initial=0) for group in range(len(edges) - 1)]
        found = np.inf
        for group, (first, place, after) in enumerate(zip(edges, edges[1:], edges[2:], strict=False)):
            bound = self._boundary(j)[place]
            if bound >= 0 and after - first > 2:
                found = min(found, bound, *largest[group : group + 2])
        return found

    def _decided(self, axes: list[int], rows: Floats) -> tuple[Floats, Integers]:
        """What all other axes cost with all allowed cuts, and the rows that the forced cuts lose, by size."""
        others = [j for j in range(self.table.axes) if j not in axes]
        cost = sum((self._finest_units(j) for j in others), np.zeros(self.table.tuples))
        most = float(sum(self.table.most[j] for j in others))
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
        boundary = np.concatenate([self._boundary(j)[edges[:-1]], [-1]])
        return _Axis(edges, begins, unit, float(self.table.most[j]), rows, boundary)

    def _relaxed(self, groups: _Groups) -> tuple[Floats, Floats]:
        """What the best division costs at least, and the multiplier that shows it, by size."""
        limit, whole = float(self.suppressible), float(self.table.whole[0])
        multiplier = np.zeros(len(groups.sizes))
        many, many_gone = groups.divided(multiplier).whole()
        best, open_sizes = many.copy(), many_gone > limit
        if not open_sizes.any():
            return best, multiplier
        tried = np.where(open_sizes, 2.0 * whole * self.table.rows, 0.0)
        few, few_gone = groups.divided(tried).whole()
        few -= tried * few_gone
        best[open_sizes & (few_gone > limit)] = np.inf
        open_sizes &= few_gone <= limit
        for _ in range(_IMPROVEMENTS):
            slope = np.floor((few - many) / np.where(open_sizes, many_gone - few_gone, 1.0))
            tried = np.where(open_sizes, np.clip(slope, 0.0, _LARGEST * whole), 0.0)
            open_sizes &= tried > 0
            if not open_sizes.any():
                break
            cost, gone = groups.divided(tried).whole()
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


def _best_gap(groups: _Groups, multiplier: Floats) -> tuple[int, float, float, Bits]:
    """The gap of an axis whose exclusion costs most at one size, what it costs, what the best division saves,
    and its cuts."""
    axis, division = groups.axis, groups.divided(multiplier)
    several, least = np.array([_SEVERAL]), float(division.whole()[0][0])
    # The best division behind each place, by the kind of its first group, and all without each cut.
    back, without = np.full((3, axis.places + 1), np.inf), np.full(axis.places + 1, np.inf)
    back[:, -1] = 0.0
    pairs = [(first, after) for after in range(1, axis.places + 1) for first in axis.firsts(after)]
    for first, after in sorted(pairs, key=lambda pair: (-pair[0], pair[1])):
        every, more = groups.costs(first, after, multiplier)
        kind = groups.kinds(first, after)
        can = [bool(groups.may_meet(after, kind, np.array([other]))[0]) for other in range(3)]
        cost = every + float(more[0]) + float(back[can, after].min(initial=np.inf))
        back[kind[0], first] = min(back[kind[0], first], cost)
        before = float(division.before(first, several)[0][0])
        without[first + 1 : after] = np.minimum(without[first + 1 : after], before + cost)
    gap, gain = -1, 0.0
    for place in np.flatnonzero(~axis.begins).tolist():
        if gap < 0 or without[place] - least > gain:
            gap, gain = int(axis.edges[place]) - 1, float(without[place] - least)
    return gap, gain, axis.coarsest_cost(-least), division.cuts()
