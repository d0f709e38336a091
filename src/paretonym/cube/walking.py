"""A walk over a stretch of the lattice in dictionary order, each node rolled up from a finer one.

The walk is an odometer: the last quasi-identifier turns fastest, and each position keeps the classes that it
was last rolled up to, with everything behind it at its lowest level. So a step costs one roll-up of classes
that are already coarse, and memory is one set of classes for each quasi-identifier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.compiling import compiled
from paretonym.cube.cube import Cube
from paretonym.cube.kernels import (
    MergeSpace,
    add_up,
    carry,
    carry_last,
    merge_inner,
    merge_last,
    merge_space,
)
from paretonym.cube.packing import Keys, Packing
from paretonym.cube.thresholds import RunSpace, most_thresholds, run_space, size_runs

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

NODE, SMALLEST, GONE, CLASSES, SQUARES, ALL_SQUARES = range(6)
FACTS = 6


class Layout(NamedTuple):
    """What stays the same over a walk. Positions are in walking order, levels count from the lowest.

    `mappings[starts[p, l] + g]` is the group at level l+1 of group g at level l, `dearer[c, starts[p, l] + g]`
    what a row of that group then costs more; `weights` turn levels into the node's number in the schema's
    order.
    """

    shifts: Integers
    bits: Integers
    steps: Integers
    weights: Integers
    mappings: npt.NDArray[np.int32]
    starts: Integers
    dearer: Floats
    suppressible: int
    every_threshold: bool


class State(NamedTuple):
    """Where a walk stands. Row p of `keys`, `counts` and `costs` holds the classes kept at position p, row s
    the tuples (`costs[p, c, i]`: what each row of class i costs); `origin[p]` says in which row the classes are that position p goes on from."""

    keys: Keys
    counts: Integers
    costs: Floats
    lengths: Integers
    origin: Integers
    levels: Integers
    target: Integers


@dataclass(frozen=True, eq=False)
class Plan:
    """The layout of a cube for walking, and its tuples as sorted packed keys."""

    order: tuple[int, ...]
    layout: Layout
    keys: Keys
    counts: Integers
    costs: Floats
    cube: Cube
    cell_costs: Sequence[Sequence[Sequence[Floats]]]

    @property
    def nodes(self) -> int:
        return int(np.prod(self.layout.steps + 1))


def walking_order(cube: Cube) -> tuple[int, ...]:
    """Schema positions in walking order: the quasi-identifier with the most levels turns last and fastest,
    since its roll-ups are the cheapest; ties by number of groups, then by schema order."""
    ranked = sorted(range(len(cube.axes)), key=lambda j: (cube.axes[j].steps, _groups(cube, j), j))
    return tuple(ranked)


def plan_walk(
    cube: Cube, cell_costs: Sequence[Sequence[Sequence[Floats]]], suppressible: int, every_threshold: bool
) -> Plan:
    """Lay out a cube. `cell_costs[c][j][l]` holds what a row costs in each group of axis j's l-th level."""
    order = walking_order(cube)
    axes = [cube.axes[j] for j in order]
    packing = Packing.of([axis.groups(axis.lowest) for axis in axes])
    keys = packing.pack([cube.groups[:, j] for j in order])
    rank = np.argsort(keys, kind="stable")
    steps = [[a.hierarchy.step(level) for level in range(a.lowest, a.highest)] for a in axes]
    mappings, starts = _concatenated(steps, np.int32)
    dearer = [
        _concatenated([[_dearer(cost[j], l, m) for l, m in enumerate(row)] for j, row in zip(order, steps)], float)[0]
        for cost in cell_costs
    ]
    unit = [sum(cost[j][0][cube.groups[rank, j]] for j in order) for cost in cell_costs]
    layout = Layout(
        shifts=np.array(packing.shifts, dtype=np.int64),
        bits=np.array(packing.bits, dtype=np.int64),
        steps=np.array([axis.steps for axis in axes], dtype=np.int64),
        weights=np.array([_weight(cube, j) for j in order], dtype=np.int64),
        mappings=mappings.astype(np.int32),
        starts=starts,
        dearer=np.array(dearer, dtype=np.float64).reshape(len(cell_costs), len(mappings)),
        suppressible=suppressible,
        every_threshold=every_threshold,
    )
    costs = np.array(unit, dtype=np.float64).reshape(len(cell_costs), len(keys))
    return Plan(order, layout, keys[rank], cube.counts[rank], costs, cube, cell_costs)


def _dearer(levels: Sequence[Floats], level: int, mapping: npt.NDArray[np.int32]) -> Floats:
    """What one row costs more in each group after going up from `level` along `mapping`."""
    result: Floats = levels[level + 1][mapping] - levels[level]
    return result


def _groups(cube: Cube, j: int) -> int:
    return cube.axes[j].groups(cube.axes[j].lowest)


def _weight(cube: Cube, j: int) -> int:
    weight = 1
    for axis in cube.axes[j + 1 :]:
        weight *= axis.steps + 1
    return weight


def _concatenated(
    parts: Sequence[Sequence[npt.NDArray[np.generic]]], kind: type[np.generic]
) -> tuple[npt.NDArray[np.generic], Integers]:
    """All arrays behind one another, and where each begins."""
    width = max((len(row) for row in parts), default=0)
    starts = np.zeros((len(parts), width + 1), dtype=np.int64)
    flat: list[npt.NDArray[np.generic]] = [np.empty(0, dtype=kind)]
    place = 0
    for p, row in enumerate(parts):
        for level, part in enumerate(row):
            starts[p, level] = place
            place += len(part)
            flat.append(part)
    return np.concatenate(flat), starts


class Walk:
    """One thread's walk. `seek` goes to a node, `advance` takes facts of the nodes from there on."""

    def __init__(self, plan: Plan) -> None:
        positions, length = len(plan.order), len(plan.keys)
        self.plan = plan
        self.state = State(
            keys=np.empty((positions + 1, length), dtype=np.int64),
            counts=np.empty((positions + 1, length), dtype=np.int64),
            costs=np.empty((positions + 1, *plan.costs.shape), dtype=np.float64),
            lengths=np.zeros(positions + 1, dtype=np.int64),
            origin=np.full(positions, positions, dtype=np.int64),
            levels=np.zeros(positions, dtype=np.int64),
            target=np.empty(length, dtype=np.int64),
        )
        self.state.keys[positions] = plan.keys
        self.state.counts[positions] = plan.counts
        self.state.costs[positions] = plan.costs
        self.state.lengths[positions] = length
        self.merge: MergeSpace = merge_space(length)
        self.runs: RunSpace = run_space(length, plan.layout.suppressible)

    def seek(self, number: int) -> None:
        """Go to a node by its number in walking order, straight from the tuples."""
        layout, state = self.plan.layout, self.state
        positions = len(layout.steps)
        levels = np.unravel_index(number, tuple(int(step) + 1 for step in layout.steps))
        state.levels[:] = np.array(levels, dtype=np.int64)
        origin = positions
        for position in range(positions):
            if state.levels[position]:
                mapping, dearer = self._lift(position, int(state.levels[position]))
                roll(layout, state, self.merge, position, origin, mapping, dearer)
                origin = position
            state.origin[position] = origin

    def _lift(self, position: int, level: int) -> tuple[npt.NDArray[np.int32], Floats]:
        """The mapping from the lowest level up to `level` at once, and what rows then cost more."""
        j = self.plan.order[position]
        axis = self.plan.cube.axes[j]
        mapping = axis.mapping(axis.lowest, axis.lowest + level)
        dearer = [cost[j][level][mapping] - cost[j][0] for cost in self.plan.cell_costs]
        return mapping, np.array(dearer, dtype=np.float64).reshape(len(dearer), len(mapping))

    def advance(self, nodes: int) -> tuple[Integers, Floats]:
        """Facts of up to `nodes` nodes from here, one row for each candidate, and their costs."""
        layout = self.plan.layout
        per_node = most_thresholds(layout.suppressible) if layout.every_threshold else 1
        facts = np.empty((nodes * per_node, FACTS), dtype=np.int64)
        costs = np.empty((nodes * per_node, len(layout.dearer)), dtype=np.float64)
        written = take_facts(layout, self.state, self.merge, self.runs, nodes, facts, costs)
        return facts[:written], costs[:written]


@compiled
def take_facts(layout, state, merge, runs, nodes, facts, costs):  # type: ignore[no-untyped-def]
    """Evaluate node after node; returns the number of candidates written."""
    written = 0
    for done in range(nodes):
        row = state.origin[len(layout.steps) - 1]
        written = record(layout, state, row, runs, facts, costs, written)
        if done + 1 < nodes and not step(layout, state, merge):
            break
    return written


@compiled
def step(layout, state, merge):  # type: ignore[no-untyped-def]
    """Turn the odometer by one node; False at the end of the lattice."""
    position = len(layout.steps) - 1
    while position >= 0 and state.levels[position] == layout.steps[position]:
        position -= 1
    if position < 0:
        return False
    start = layout.starts[position, state.levels[position]]
    roll(
        layout, state, merge, position, state.origin[position], layout.mappings[start:], layout.dearer[:, start:]
    )
    state.levels[position] += 1
    state.origin[position] = position
    for behind in range(position + 1, len(layout.steps)):
        state.levels[behind] = 0
        state.origin[behind] = position
    return True


@compiled
def roll(layout, state, merge, position, origin, mapping, dearer):  # type: ignore[no-untyped-def]
    """Roll the classes of row `origin` up at `position`, into row `position`."""
    if layout.shifts[position] == 0:
        roll_last(layout, state, position, origin, mapping, dearer)
    else:
        roll_inner(layout, state, merge, position, origin, mapping, dearer)


@compiled
def roll_last(layout, state, position, origin, mapping, dearer):  # type: ignore[no-untyped-def]
    """Linear passes, as keys stay in order. In place too, since no class ever moves back."""
    length = state.lengths[origin]
    mask = (np.int64(1) << layout.bits[position]) - 1
    keys, counts, out_counts = state.keys[origin], state.counts[origin], state.counts[position]
    costs, out_costs = state.costs[origin], state.costs[position]
    for cost in range(1, len(dearer)):
        carry_last(keys, length, mask, mapping, dearer[cost], costs[cost], out_costs[cost])
    state.lengths[position] = merge_last(
        keys, counts, costs[0], length, mask, mapping, dearer[0], state.keys[position], out_counts, out_costs[0]
    )


@compiled
def roll_inner(layout, state, merge, position, origin, mapping, dearer):  # type: ignore[no-untyped-def]
    length = state.lengths[origin]
    shift, bits = layout.shifts[position], layout.bits[position]
    keys, counts, target = state.keys[origin], state.counts[origin], state.target
    out_keys, out_counts, out_costs = merge.out_keys, merge.out_counts, merge.out_costs
    classes = merge_inner(keys, length, shift, bits, mapping, out_keys, target, merge)
    add_up(counts, target, length, classes, out_counts)
    for cost in range(len(dearer)):
        carry(keys, length, shift, bits, dearer[cost], state.costs[origin, cost], target, out_costs)
        state.costs[position, cost, :classes] = out_costs[:classes]
    state.keys[position, :classes] = out_keys[:classes]
    state.counts[position, :classes] = out_counts[:classes]
    state.lengths[position] = classes


@compiled
def record(layout, state, row, runs, facts, costs, written):  # type: ignore[no-untyped-def]
    """Write the facts of one node: a row for each threshold, or only for the highest that the limit allows."""
    counts, length = state.counts[row], state.lengths[row]
    found = size_runs(counts, length, layout.suppressible, runs)
    first = 0 if layout.every_threshold else found - 1
    node = np.int64(0)
    for position in range(len(layout.steps)):
        node += state.levels[position] * layout.weights[position]
    squares = square_sum(counts, length)
    for run in range(first, found):
        place = written + run - first
        facts[place, NODE] = node
        facts[place, SMALLEST] = runs.sizes[run]
        facts[place, GONE] = runs.rows[run]
        facts[place, CLASSES] = length
        facts[place, SQUARES] = squares
        facts[place, ALL_SQUARES] = squares
        costs[place, :] = 0.0
    if found > 1:
        subtract(counts, state.costs[row], length, runs, found, first, facts, costs, written)
    return written + found - first


@compiled
def square_sum(counts, length):  # type: ignore[no-untyped-def]
    total = np.int64(0)
    for i in range(length):
        total += counts[i] * counts[i]
    return total


@compiled
def subtract(counts, unit_costs, length, runs, found, first, facts, costs, written):  # type: ignore[no-untyped-def]
    """Take the suppressed classes off.

    A class smaller than the size of run r is gone from r on; its share is entered at the first such run and
    summed up over the runs afterwards. The histogram, all zeros here, serves as the way from size to run.
    """
    largest = runs.sizes[found - 1]
    for run in range(found - 1):
        runs.histogram[runs.sizes[run]] = max(run + 1 - first, 0)
    for i in range(length):
        count = counts[i]
        if count < largest:
            place = written + runs.histogram[count]
            facts[place, CLASSES] -= 1
            facts[place, SQUARES] -= count * count
            for cost in range(len(unit_costs)):
                costs[place, cost] += count * unit_costs[cost, i]
    for run in range(found - 1):
        runs.histogram[runs.sizes[run]] = 0
    for place in range(written + 1, written + found - first):
        facts[place, CLASSES] += facts[place - 1, CLASSES] - length
        facts[place, SQUARES] += facts[place - 1, SQUARES] - facts[place, ALL_SQUARES]
        for cost in range(len(unit_costs)):
            costs[place, cost] += costs[place - 1, cost]
