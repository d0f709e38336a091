"""Compiled roll-up: the classes of a coarser node from the classes of a finer one.

Keys are packed integers in rising order, groups are numbered in the order of the leaves. So when a digit is
replaced by its group, the keys fall into a few rising runs for each new group, which are merged.

`target` becomes the class of the coarser node that each finer class goes into. Whatever is counted for
classes is then added up along `target`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paretonym.cube.compiling import compiled
from paretonym.cube.packing import Keys


class MergeSpace(NamedTuple):
    """Scratch memory of one thread: two buffers of keys with their origins, and the bounds of runs."""

    keys: Keys
    origins: Keys
    spare_keys: Keys
    spare_origins: Keys
    bounds: Keys


def merge_space(length: int) -> MergeSpace:
    buffers = [np.empty(length + 2, dtype=np.int64) for _ in range(5)]
    return MergeSpace(*buffers)


@compiled
def merge_last(keys, counts, costs, length, mask, mapping, dearer, out_keys, out_counts, out_costs, target):
    """Replace the last digit, and add counts and costs up on the way. Keys stay in order, so equal ones lie
    side by side: one linear pass, also in place.

    Unsigned places and no branch make it three times as fast: nothing is checked for being negative, and
    whether two neighbours fall together cannot be predicted.
    """
    written = np.uint64(0)
    last = np.int64(-1)
    total = np.int64(0)
    for i in range(length):
        group = np.uint64(keys[i] & mask)
        key = (keys[i] & ~mask) | mapping[group]
        new = key != last
        written += np.uint64(new)
        total = counts[i] if new else total + counts[i]
        place = written - np.uint64(1)
        out_costs[place] = costs[i] + dearer[group]
        out_keys[place] = key
        out_counts[place] = total
        target[i] = place
        last = key
    return np.int64(written)


@compiled
def merge_inner(keys, length, shift, bits, mapping, out_keys, target, space):
    """Replace a digit that has others behind it. `out_keys` must not be `keys`."""
    mask = (np.int64(1) << bits) - 1
    low = (np.int64(1) << shift) - 1
    written = np.int64(0)
    start = np.int64(0)
    while start < length:
        high = keys[start] >> (shift + bits)
        group = np.int64(mapping[(keys[start] >> shift) & mask])
        base = ((high << bits) | group) << shift
        runs = find_runs(keys, start, length, shift, bits, mapping, space.bounds)
        end = space.bounds[runs]
        if runs == 1:
            for i in range(start, end):
                out_keys[written] = base | (keys[i] & low)
                target[i] = written
                written += 1
        elif runs == 2:
            written = merge_two(keys, space.bounds, low, base, out_keys, target, written)
        else:
            written = merge_many(keys, runs, low, base, out_keys, target, written, space)
        start = end
    return written


@compiled
def find_runs(keys, start, length, shift, bits, mapping, bounds):
    """Bounds of the rising runs that fall into one group with `keys[start]`; returns how many there are."""
    mask = (np.int64(1) << bits) - 1
    high = keys[start] >> (shift + bits)
    group = mapping[(keys[start] >> shift) & mask]
    head = keys[start] >> shift
    bounds[0] = start
    runs = 0
    i = start + 1
    while i < length:
        if keys[i] >> shift != head:
            head = keys[i] >> shift
            if head >> bits != high or mapping[head & mask] != group:
                break
            runs += 1
            bounds[runs] = i
        i += 1
    bounds[runs + 1] = i
    return runs + 1


@compiled
def merge_two(keys, bounds, low, base, out_keys, target, written):
    left, middle, end = bounds[0], bounds[1], bounds[2]
    right = middle
    while left < middle and right < end:
        left_key = keys[left] & low
        right_key = keys[right] & low
        out_keys[written] = base | min(left_key, right_key)
        if left_key <= right_key:
            target[left] = written
            left += 1
        if right_key <= left_key:
            target[right] = written
            right += 1
        written += 1
    for i in range(left, middle):
        out_keys[written] = base | (keys[i] & low)
        target[i] = written
        written += 1
    for i in range(right, end):
        out_keys[written] = base | (keys[i] & low)
        target[i] = written
        written += 1
    return written


@compiled
def merge_many(keys, runs, low, base, out_keys, target, written, space):
    """Merge neighbouring runs pair by pair until one is left, then number the distinct keys."""
    start, end = space.bounds[0], space.bounds[runs]
    now_keys, now_origins = space.keys, space.origins
    next_keys, next_origins = space.spare_keys, space.spare_origins
    for i in range(start, end):
        now_keys[i] = keys[i] & low
        now_origins[i] = i
    while runs > 1:
        runs = merge_pairs(now_keys, now_origins, next_keys, next_origins, space.bounds, runs)
        now_keys, next_keys = next_keys, now_keys
        now_origins, next_origins = next_origins, now_origins
    last = np.int64(-1)
    for i in range(start, end):
        if now_keys[i] != last:
            last = now_keys[i]
            out_keys[written] = base | last
            written += 1
        target[now_origins[i]] = written - 1
    return written


@compiled
def merge_pairs(now_keys, now_origins, next_keys, next_origins, bounds, runs):
    """One pass: runs 0 and 1, 2 and 3, … become one run each; an odd one at the end is copied."""
    made = 0
    for run in range(0, runs, 2):
        left, middle = bounds[run], bounds[run + 1]
        end = bounds[min(run + 2, runs)]
        right = middle
        bounds[made] = left
        made += 1
        for place in range(left, end):
            if left < middle and (right >= end or now_keys[left] <= now_keys[right]):
                next_keys[place] = now_keys[left]
                next_origins[place] = now_origins[left]
                left += 1
            else:
                next_keys[place] = now_keys[right]
                next_origins[place] = now_origins[right]
                right += 1
    bounds[made] = bounds[runs]
    return made


@compiled
def add_up(counts, target, length, classes, out):
    """Add the counts of finer classes along `target`. `out` must not be `counts`."""
    for i in range(classes):
        out[i] = 0
    for i in range(length):
        out[np.uint64(target[i])] += counts[i]


@compiled
def add_up_cells(cells, target, length, classes, out):
    """The same for the counts of values, one row for a class. `out` must not be `cells`."""
    width = cells.shape[1]
    out[:classes, :] = 0
    for i in range(length):
        row = out[target[i]]
        for value in range(width):
            row[value] += cells[i, value]


@compiled
def add_up_cells_in_order(cells, target, length, out):
    """The same where `target` never falls; `out` may be `cells`."""
    width = cells.shape[1]
    last = np.int64(-1)
    for i in range(length):
        place = target[i]
        if place != last:
            for value in range(width):
                out[place, value] = cells[i, value]
        else:
            for value in range(width):
                out[place, value] += cells[i, value]
        last = place


@compiled
def carry(keys, length, shift, bits, dearer, costs, target, out_costs):
    """What a row of each coarser class costs: what it cost before, and what the changed digit adds. All
    finer classes that fall together give the same sum."""
    mask = (np.int64(1) << bits) - 1
    for i in range(length):
        group = np.uint64((keys[i] >> shift) & mask)
        out_costs[np.uint64(target[i])] = costs[i] + dearer[group]
