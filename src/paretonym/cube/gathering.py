"""Compiled: the classes of a node from the tuples themselves, where a key of all digits would not fit into a
word. Digits are taken as many at a time as fit; the classes that they make are numbered, and these numbers
are what the next digits add to."""

from __future__ import annotations

import numpy as np

from paretonym.cube.coding import add_codes, write_some_codes
from paretonym.cube.compiling import compiled

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@compiled
def gather(layout, state, levels, row, out):
    """Count the classes that the tuples of a row form at a node."""
    length = state.lengths[row]
    classes = number_classes(layout, state, levels, state.keys[row], length)
    state.counts[out, :classes] = 0
    state.cells[out, :classes] = 0
    for i in range(length):
        found = state.target[i]
        if state.counts[out, found] == 0:
            for cost in range(len(layout.dearer)):
                state.costs[out, cost, found] = state.costs[row, cost, i] + dearer(
                    layout, levels, state.keys[row, i], cost
                )
        state.counts[out, found] += state.counts[row, i]
        for value in range(state.cells.shape[2]):
            state.cells[out, found, value] += state.cells[row, i, value]
    state.lengths[out] = classes


@compiled
def dearer(layout, levels, place, cost):
    """What a row of a tuple costs more at these levels."""
    total = 0.0
    for position in range(len(levels)):
        start = layout.starts[position, 0, levels[position]]
        total += layout.dearer[cost, start + layout.columns[place, position]]
    return total


@compiled
def number_classes(layout, state, levels, keys, length):
    """Write to `target` the number of each tuple's class. Returns how many classes there are."""
    numbers = state.target
    numbers[:length] = 0
    classes, position = np.int64(1), 0
    while position < len(levels):
        digits, _, position = write_some_codes(
            layout, levels, state.before, state.codes_of, state.digits, position, classes
        )
        add_codes(layout, keys[:length], state.digits, digits, state.codes_of, numbers)
        found = np.int64(0)
        for i in range(length):
            code = numbers[i]
            slot = slot_of(state, code)
            if state.dense[slot] < 0:
                state.dense[slot] = found
                state.lookup[slot] = code
                state.slots_used[found] = slot
                found += 1
            numbers[i] = state.dense[slot]
        for number in range(found):
            state.dense[state.slots_used[number]] = -1
        classes = found
    return classes


@compiled
def slot_of(state, code):
    """Where a code stands in a table of codes, or the free place where it goes."""
    last = np.uint64(len(state.dense) - 1)
    slot = (np.uint64(code) * _GOLDEN) >> np.uint64(32) & last
    while state.dense[slot] >= 0 and state.lookup[slot] != code:
        slot = (slot + np.uint64(1)) & last
    return slot
