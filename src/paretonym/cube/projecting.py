"""Compiled: from the classes of a kept prefix straight to those of a node, all levels behind it at once."""

from __future__ import annotations

import numpy as np

from paretonym.cube.coding import add_codes, write_codes
from paretonym.cube.compiling import compiled


@compiled
def can_project(layout, state, levels):
    """Whether the table to count in is large enough for all that can stand behind the prefix."""
    if state.lookup.size:
        return True
    cells = 1
    for position in range(state.depth, len(layout.steps)):
        cells *= layout.groups[position, levels[position]]
    return cells <= state.dense.size


@compiled
def look_up_behind(layout, state, levels):
    """For all that can stand behind the kept positions in a key: which cell it falls into at these levels."""
    lookup = state.lookup
    lookup[0] = 0
    cells = np.int64(1)
    for position in range(len(layout.steps) - 1, state.depth - 1, -1):
        start = layout.starts[position, 0, levels[position]]
        width = np.int64(1) << layout.shifts[position]
        for group in range(layout.groups[position, 0] - 1, -1, -1):
            base = layout.mappings[start + group] * cells
            for behind in range(width):
                lookup[group * width + behind] = base + lookup[behind]
        cells *= layout.groups[position, levels[position]]


@compiled
def project(layout, state, levels, row, out):
    """All positions behind the kept ones at once: within a run of one prefix, classes are counted in a
    dense table. Their keys are not kept, since nothing is rolled up from them."""
    keys, counts, costs = state.keys[row], state.counts[row], state.costs[row]
    out_counts, out_costs = state.counts[out], state.costs[out]
    write_cells(layout, state, levels, keys[: state.lengths[row]])
    head = layout.shifts[state.depth - 1]
    prefix = np.int64(-1)
    first = classes = np.int64(0)
    for i in range(state.lengths[row]):
        if keys[i] >> head != prefix:
            prefix = keys[i] >> head
            for made in range(first, classes):
                state.dense[state.target[made]] = -1
            first = classes
        cell = np.uint64(state.codes[i])
        found = state.dense[cell]
        if found < 0:
            found = classes
            classes += 1
            state.dense[cell] = found
            state.target[found] = cell
            out_counts[found] = counts[i]
            for cost in range(len(costs)):
                out_costs[cost, found] = costs[cost, i] + dearer_behind(
                    layout, state.depth, levels, keys[i], cost
                )
            state.cells[out, found] = state.cells[row, i]
        else:
            out_counts[found] += counts[i]
            for value in range(state.cells.shape[2]):
                state.cells[out, found, value] += state.cells[row, i, value]
    for made in range(first, classes):
        state.dense[state.target[made]] = -1
    state.lengths[out] = classes


@compiled
def write_cells(layout, state, levels, keys):
    """Write to `codes` the cell that each class of a prefix falls into by what stands behind."""
    if state.lookup.size:
        look_up_behind(layout, state, levels)
        behind = (np.int64(1) << layout.shifts[state.depth - 1]) - 1
        for i in range(len(keys)):
            state.codes[i] = state.lookup[np.uint64(keys[i] & behind)]
    else:
        state.before[: state.depth] = levels[: state.depth]
        digits, _ = write_codes(layout, levels, state.before, state.codes_of, state.digits)
        state.codes[: len(keys)] = 0
        add_codes(layout, keys, state.digits, digits, state.codes_of, state.codes)


@compiled
def dearer_behind(layout, depth, levels, key, cost):
    """What a row costs more once the positions behind the kept ones are at their levels."""
    total = 0.0
    for position in range(depth, len(layout.steps)):
        group = (key >> layout.shifts[position]) & ((np.int64(1) << layout.bits[position]) - 1)
        total += layout.dearer[cost, layout.starts[position, 0, levels[position]] + group]
    return total
