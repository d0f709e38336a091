"""Compiled: what a node must lose at least, told by a few of its rows.

The witnesses of a node are rows of its smallest classes, whole classes only. At every specialization each of
these classes falls apart among itself. So classes of witnesses alone are whole classes there too, and those
among them that are too small are lost for sure, whatever becomes of all other rows.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.closing import can_improve
from paretonym.cube.coding import MOST_CODES, add_codes, write_codes
from paretonym.cube.compiling import compiled
from paretonym.cube.layout import ASPECTS, Layout
from paretonym.cube.packing import Keys

Integers: TypeAlias = npt.NDArray[np.int64]

# A class is split into at most so many parts, else its witnesses are not heard.
_MOST_PARTS = 1 << 16
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class Called(NamedTuple):
    """Witnesses of several nodes behind one another, class by class: packed tuples with their rows, those
    of the first tuple of a class counted as less than none. Those of the i-th node, which stands at
    `levels[i]`, lie from `starts[i]` to `starts[i + 1]`."""

    keys: Keys
    rows: Integers
    starts: Integers
    levels: Integers


class Tally(NamedTuple):
    """Scratch memory of one thread. `codes` and `rows` are a hash table of classes, empty where rows is 0;
    `used` lists its taken slots, `slots` the code of each tuple, then its slot. `codes_of` holds for each
    digit what each of its groups adds to the code of a class, `digits` which of them do; `parts` counts the
    parts that one class falls into, by their code; `by_size` the rows in classes of each size."""

    codes: Integers
    rows: Integers
    used: Integers
    slots: Integers
    codes_of: Integers
    digits: Integers
    parts: Integers
    by_size: Integers


def tally(layout: Layout, tuples: int, largest: int) -> Tally:
    """Memory for so many tuples, and for classes of up to so many rows."""
    slots = 2 << max(tuples - 1, 1).bit_length()
    return Tally(
        codes=np.zeros(slots, dtype=np.int64),
        rows=np.zeros(slots, dtype=np.int64),
        used=np.zeros(tuples, dtype=np.int64),
        slots=np.zeros(tuples, dtype=np.int64),
        codes_of=np.zeros(layout.codes, dtype=np.int64),
        digits=np.zeros((len(layout.bits), ASPECTS), dtype=np.int64),
        parts=np.zeros(_MOST_PARTS, dtype=np.int64),
        by_size=np.zeros(largest + 1, dtype=np.int64),
    )


@compiled
def first_above(levels, others, places):
    """For each node the first of the others that is nowhere less general; -1 if there is none."""
    for i in range(len(levels)):
        places[i] = -1
        for j in range(len(others)):
            position = 0
            while position < levels.shape[1] and others[j, position] >= levels[i, position]:
                position += 1
            if position == levels.shape[1]:
                places[i] = j
                break


@compiled
def settle(layout, called, places, space, bounds, nodes, levels, least, per_row, best, is_open):
    """Test nodes against what the witnesses of more general nodes tell of them: `places[i]` says whose of
    `called`, or is below 0. What they tell is noted in `bounds`, where it serves all below too."""
    ideal, vector = np.empty(least.shape[1]), np.empty(least.shape[1])
    for i in range(len(nodes)):
        if places[i] >= 0:
            largest = split(layout, levels[i], called, places[i], space)
            raise_bounds(bounds, nodes[i], space.by_size, largest)
            space.by_size[: largest + 1] = 0
            is_open[i] = can_improve(bounds, nodes[i], least[i], per_row[i], best, ideal, vector)


@compiled
def split(layout, levels, called, place, space):
    """Count the witnesses of a node by the size of their classes at a more special one. Only the levels that
    differ tell parts of a class from each other. Returns the largest size."""
    digits, parts = write_codes(layout, levels, called.levels[place], space.codes_of, space.digits)
    largest = np.int64(0)
    if parts > len(space.parts):
        return largest
    first, end = called.starts[place], called.starts[place + 1]
    codes, rows = space.slots[: end - first], called.rows[first:end]
    codes[:] = 0
    add_codes(layout, called.keys[first:end], space.digits, digits, space.codes_of, codes)
    found = 0
    for i in range(len(codes)):
        if rows[i] < 0:
            largest = max(largest, close_class(space, found))
            found = 0
        if space.parts[codes[i]] == 0:
            space.used[found] = codes[i]
            found += 1
        space.parts[codes[i]] += abs(rows[i])
    return max(largest, close_class(space, found))


@compiled
def close_class(space, found):
    """Enter the parts of a class by their size. Returns the largest size entered."""
    largest = np.int64(0)
    for part in range(found):
        code = space.used[part]
        size = space.parts[code]
        space.parts[code] = 0
        if size < len(space.by_size):
            space.by_size[size] += size
            largest = max(largest, size)
    return largest


@compiled
def raise_bounds(bounds, node, by_size, largest):
    """A node loses at least the rows in classes smaller than its k; where that is too many, k is less."""
    gone, stair = np.int64(0), 0
    staircase, sizes = bounds.staircase[node], bounds.sizes
    size = np.int64(1)
    while size <= largest + 1 and gone <= bounds.suppressible:
        while stair < len(sizes) and sizes[stair] <= size:
            staircase[stair] = max(staircase[stair], gone)
            stair += 1
        gone += by_size[size] if size <= largest else 0
        size += 1
    for later in range(stair, len(sizes)):
        staircase[later] = max(staircase[later], gone)
    if gone > bounds.suppressible:
        for i in range(len(bounds.places)):
            if bounds.places[i] == bounds.size_place:
                bounds.known[node, i] = max(bounds.known[node, i], -np.float64(size - 1))


@compiled
def call(layout, levels, keys, rows, space, wanted, called, first, end):
    """Write the witnesses of a node to `called` from `first` on: the smallest classes, until there are as
    many rows as wanted. Returns where they end; -1 if that is behind `end`."""
    found = count(layout, levels, keys, rows, space)
    if found == 0:
        return first
    for i in range(found):
        size = space.rows[space.used[i]]
        if size < len(space.by_size):
            space.by_size[size] += size
    smaller, limit = np.int64(0), 1
    while limit < len(space.by_size) - 1 and smaller + space.by_size[limit] < wanted:
        smaller += space.by_size[limit]
        limit += 1
    space.by_size[:] = 0
    for i in range(found):
        size = space.rows[space.used[i]]
        if size > limit or (size == limit and smaller >= wanted):
            space.rows[space.used[i]] = 0
        elif size == limit:
            smaller += size
    written = write_members(keys, rows, space, found, called, first, end)
    for i in range(found):
        space.rows[space.used[i]] = 0
    return written


@compiled
def count(layout, levels, keys, rows, space):
    """Enter the classes that all tuples form at a node. Returns how many there are, 0 if they cannot be told
    apart."""
    digits, codes = write_codes(layout, levels, np.full(len(levels), -1), space.codes_of, space.digits)
    if codes > MOST_CODES:
        return 0
    last = np.uint64(len(space.rows) - 1)
    shift = np.uint64(64)
    while np.uint64(1) << (np.uint64(64) - shift) <= last:
        shift -= np.uint64(1)
    space.slots[:] = 0
    add_codes(layout, keys, space.digits, digits, space.codes_of, space.slots)
    found = 0
    for i in range(len(keys)):
        code = space.slots[i]
        slot = (np.uint64(code) * _GOLDEN) >> shift
        while space.rows[slot] > 0 and space.codes[slot] != code:
            slot = (slot + np.uint64(1)) & last
        if space.rows[slot] == 0:
            space.codes[slot] = code
            space.used[found] = np.int64(slot)
            found += 1
        space.rows[slot] += rows[i]
        space.slots[i] = np.int64(slot)
    return found


@compiled
def write_members(keys, rows, space, found, called, first, end):
    """The tuples of all classes that still have rows in the table, class by class. There, the rows of a
    class give way to the place where its next tuple goes."""
    codes, members = space.codes, space.rows
    for i in range(found):
        codes[space.used[i]] = 0
    for i in range(len(keys)):
        codes[space.slots[i]] += 1
    place = first
    for i in range(found):
        slot = space.used[i]
        if members[slot] > 0:
            members[slot] = place + 1
            place += codes[slot]
    if place > end:
        return np.int64(-1)
    for i in range(len(keys)):
        slot = space.slots[i]
        if members[slot] > 0:
            goes = members[slot] - 1
            called.keys[goes] = keys[i]
            called.rows[goes] = -rows[i] if codes[slot] > 0 else rows[i]
            codes[slot] = 0
            members[slot] += 1
    return place
