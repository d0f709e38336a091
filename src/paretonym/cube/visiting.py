"""Compiled: go from node to node, rolling classes up, and take the facts of each.

Every position keeps the classes that it was last rolled up to, with everything behind it at its lowest
level. In dictionary order (last position fastest) most steps are one roll-up of classes that are coarse
already. For jumps, the classes of the first few positions' levels are kept, and everything behind them is
counted from there at once.
"""

from __future__ import annotations

import numpy as np

from paretonym.cube.compiling import compiled
from paretonym.cube.gathering import gather
from paretonym.cube.kernels import (
    Classes,
    add_up_cells,
    add_up_cells_in_order,
    carry,
    merge_inner,
    merge_last,
)
from paretonym.cube.projecting import can_project, project
from paretonym.cube.thresholds import size_runs

SMALLEST, GONE, CLASSES, SQUARES, ALL_SQUARES, UNIQUE = range(6)
FACTS = 6


@compiled
def visit(layout, state, merge, runs, numbers, levels, out):
    """Take the counts of each node of `levels` (one row each, in walking order) and write its candidates to
    `out`. Returns how many."""
    written = 0
    for i in range(len(numbers)):
        row = arrive(layout, state, merge, levels[i])
        found = record(layout, state, row, runs, out, written)
        made = found if layout.every_threshold else 1
        out.nodes[written : written + made] = numbers[i]
        written += made
    return written


@compiled
def arrive(layout, state, merge, levels):
    """Go to a node; returns the row with its classes."""
    if layout.columns.size:
        gather(layout, state, levels, state.rows[len(levels)], state.rows[-1])
        return state.rows[-1]
    if state.depth == 0:
        return state.rows[move(layout, state, merge, levels, 0)]
    for position in range(state.depth):
        if state.levels[position] != levels[position]:
            state.rows[state.depth - 1] = prefix_row(layout, state, merge, levels)
            # All behind stands at its lowest: the classes of the prefix are those of every longer one.
            state.origin[state.depth - 1 :] = state.depth - 1
            state.levels[: state.depth] = levels[: state.depth]
            state.levels[state.depth :] = 0
            break
    if can_project(layout, state, levels):
        project(layout, state, levels, state.rows[state.depth - 1], state.rows[-1])
        return state.rows[-1]
    return state.rows[move(layout, state, merge, levels, state.depth)]


@compiled
def move(layout, state, merge, levels, first):
    """Go on from the classes of the levels before position `first`; returns the position that holds the
    node's classes."""
    positions = len(layout.steps)
    while first < positions and state.levels[first] == levels[first]:
        first += 1
    for position in range(first, positions):
        low = np.int64(0)
        origin = state.origin[position - 1] if position else positions
        high = levels[position]
        if position == first and 0 < state.levels[position] < high:
            low = state.levels[position]
            origin = position
        state.levels[position] = high
        if high == low:
            state.origin[position] = origin
        else:
            roll(layout, state, merge, position, origin, layout.starts[position, low, high])
            state.origin[position] = position
    return state.origin[positions - 1]


@compiled
def prefix_row(layout, state, merge, levels):
    """The row with the classes of the levels at the first `depth` positions alone, everything behind at its
    lowest. Each is rolled up once and kept, as are the shorter prefixes on the way."""
    row = state.rows[len(layout.steps)]
    place = np.int64(0)
    for position in range(state.depth):
        place *= layout.steps[position] + 1
        slot = state.slots[position] + place
        state.kept[slot] = row
        for level in range(1, levels[position] + 1):
            if state.kept[slot + level] < 0:
                out = state.unused[0]
                state.unused[0] += 1
                start = layout.starts[position, level - 1, level]
                roll_rows(layout, state, merge, position, state.kept[slot + level - 1], out, start)
                state.kept[slot + level] = out
        row = state.kept[slot + levels[position]]
        place += levels[position]
    return row


@compiled
def roll(layout, state, merge, position, origin, start):
    """Roll the classes at `origin` up at `position`: the last digit in place, another into the spare row,
    which then takes the place of the position's own."""
    row = state.rows[origin]
    if layout.shifts[position] == 0:
        roll_rows(layout, state, merge, position, row, state.rows[position], start)
    else:
        out = state.rows[-1]
        roll_rows(layout, state, merge, position, row, out, start)
        state.rows[-1] = state.rows[position]
        state.rows[position] = out


@compiled
def roll_rows(layout, state, merge, position, row, out, start):
    """Roll the classes in `row` up at `position`, into row `out`."""
    if layout.shifts[position] == 0:
        roll_last(layout, state, position, row, out, start)
    else:
        roll_inner(layout, state, merge, position, row, out, start)


@compiled
def roll_last(layout, state, position, row, out, start):
    """Linear passes, as keys stay in order. In place too, since no class ever moves back."""
    length = state.lengths[row]
    mask = (np.int64(1) << layout.bits[position]) - 1
    mapping = layout.mappings[start:]
    if len(layout.dearer) > 1:
        # The first kind of cost is carried below; further ones need the old keys, so they go first.
        carry_last(state, row, out, mask, mapping, layout.dearer[:, start:])
    state.lengths[out] = merge_last(
        state.keys[row],
        state.counts[row],
        state.costs[row, 0],
        length,
        mask,
        mapping,
        layout.dearer[0, start:],
        state.keys[out],
        state.counts[out],
        state.costs[out, 0],
        state.target,
    )
    if state.cells.shape[2]:
        add_up_cells_in_order(state.cells[row], state.target, length, state.cells[out])


@compiled
def carry_last(state, row, out, mask, mapping, dearer):
    """What a roll-up of the last digit does to the second and further kinds of cost."""
    keys = state.keys[row]
    for cost in range(1, len(dearer)):
        costs, out_costs = state.costs[row, cost], state.costs[out, cost]
        written = np.uint64(0)
        last = np.int64(-1)
        for i in range(state.lengths[row]):
            group = np.uint64(keys[i] & mask)
            key = (keys[i] & ~mask) | mapping[group]
            written += np.uint64(key != last)
            out_costs[written - np.uint64(1)] = costs[i] + dearer[cost, group]
            last = key


@compiled
def roll_inner(layout, state, merge, position, row, out, start):
    """Merge runs; `out` must be another row."""
    length = state.lengths[row]
    shift, bits = layout.shifts[position], layout.bits[position]
    keys, target = state.keys[row], state.target
    classes = merge_inner(
        keys,
        state.counts[row],
        state.costs[row, 0],
        length,
        shift,
        bits,
        layout.mappings[start:],
        layout.dearer[0, start:],
        Classes(state.keys[out], state.counts[out], state.costs[out, 0]),
        target,
        merge,
    )
    for cost in range(1, len(layout.dearer)):
        dearer = layout.dearer[cost, start:]
        carry(keys, length, shift, bits, dearer, state.costs[row, cost], target, state.costs[out, cost])
    if state.cells.shape[2]:
        add_up_cells(state.cells[row], target, length, classes, state.cells[out])
    state.lengths[out] = classes


@compiled
def record(layout, state, row, runs, out, written):
    """The counts of one node: a candidate for each threshold on class size, or only for the highest that the
    limit allows. Returns the number of thresholds."""
    counts, length = state.counts[row], state.lengths[row]
    found = size_runs(counts, length, layout.suppressible, runs)
    first = 0 if layout.every_threshold else found - 1
    squares = square_sum(counts, length)
    unique = count_ones(counts, length)
    for run in range(first, found):
        facts = out.facts[written + run - first]
        facts[SMALLEST] = runs.sizes[run]
        facts[GONE] = runs.rows[run]
        facts[CLASSES] = length
        facts[SQUARES] = squares
        facts[ALL_SQUARES] = squares
        facts[UNIQUE] = unique if runs.sizes[run] == 1 else 0
        out.costs[written + run - first, :] = 0.0
    if found > 1:
        subtract(counts, state.costs[row], length, runs, found, first, out.facts, out.costs, written)
    return found


@compiled
def count_ones(counts, length):
    ones = 0
    for i in range(length):
        ones += counts[i] == 1
    return ones


@compiled
def square_sum(counts, length):
    total = np.int64(0)
    for i in range(length):
        total += counts[i] * counts[i]
    return total


@compiled
def subtract(counts, unit_costs, length, runs, found, first, facts, costs, written):
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
