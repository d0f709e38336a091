"""Compiled roll-up: the classes of a coarser node from the classes of a finer one.

Keys are packed integers in rising order, groups are numbered in the order of the leaves. So when a digit is
replaced by its group, the keys fall into a few rising runs for each new group, which are merged.

`target` becomes the class of the coarser node that each finer class goes into. Whatever is counted for
classes is then added up along `target`.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.compiling import compiled
from paretonym.cube.packing import Keys

Floats: TypeAlias = npt.NDArray[np.float64]


class MergeSpace(NamedTuple):
    """Scratch memory of one thread: two buffers of keys with their origins, the costs of rows, and for each
    run its bounds and what its rows cost more."""

    keys: Keys
    origins: Keys
    spare_keys: Keys
    spare_origins: Keys
    costs: Floats
    bounds: Keys
    extras: Floats


class Classes(NamedTuple):
    """Where merged classes go."""

    keys: Keys
    counts: Keys
    costs: Floats


def merge_space(length: int) -> MergeSpace:
    def whole() -> Keys:
        return np.empty(length + 2, dtype=np.int64)

    def real() -> Floats:
        return np.empty(length + 2, dtype=np.float64)

    return MergeSpace(whole(), whole(), whole(), whole(), real(), whole(), real())


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
def merge_inner(keys, counts, costs, length, shift, bits, mapping, dearer, out, target, space):
    """Replace a digit that has others behind it, and add counts and costs up on the way. `out` must be apart
    from the input."""
    mask = (np.int64(1) << bits) - 1
    low = (np.int64(1) << shift) - 1
    written = np.int64(0)
    start = np.int64(0)
    while start < length:
        high = keys[start] >> (shift + bits)
        digit = (keys[start] >> shift) & mask
        base = ((high << bits) | mapping[digit]) << shift
        runs = find_runs(keys, start, length, shift, bits, mapping, space.bounds)
        end = space.bounds[runs]
        if runs == 1:
            copy_run(keys, counts, costs, start, end, low, base, dearer[digit], out, target, written)
            written += end - start
        else:
            for run in range(runs):
                space.extras[run] = dearer[(keys[space.bounds[run]] >> shift) & mask]
            if runs == 2:
                written = merge_two(keys, counts, costs, low, base, out, target, written, space)
            else:
                written = merge_many(keys, counts, costs, runs, low, base, out, target, written, space)
        start = end
    return written


@compiled
def copy_run(keys, counts, costs, start, end, low, base, extra, out, target, written):
    """A run that is alone in its group."""
    place = np.uint64(written)
    for i in range(np.uint64(start), np.uint64(end)):
        out.keys[place] = base | (keys[i] & low)
        out.counts[place] = counts[i]
        out.costs[place] = costs[i] + extra
        target[i] = place
        place += np.uint64(1)


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
def merge_two(keys, counts, costs, low, base, out, target, written, space):
    """Two runs into one, without branches: both heads are given the place, whichever of them goes there; the
    one that stays is given another later."""
    bounds = space.bounds
    left, middle, end = np.uint64(bounds[0]), np.uint64(bounds[1]), np.uint64(bounds[2])
    left_extra, right_extra = space.extras[0], space.extras[1]
    right = middle
    place = np.uint64(written)
    while left < middle and right < end:
        left_key = keys[left] & low
        right_key = keys[right] & low
        from_left = left_key <= right_key
        from_right = right_key <= left_key
        out.keys[place] = base | min(left_key, right_key)
        out.counts[place] = from_left * counts[left] + from_right * counts[right]
        out.costs[place] = costs[left] + left_extra if from_left else costs[right] + right_extra
        target[left] = place
        target[right] = place
        left += np.uint64(from_left)
        right += np.uint64(from_right)
        place += np.uint64(1)
    copy_run(keys, counts, costs, left, middle, low, base, left_extra, out, target, place)
    place += middle - left
    copy_run(keys, counts, costs, right, end, low, base, right_extra, out, target, place)
    return np.int64(place + end - right)


@compiled
def merge_many(keys, counts, costs, runs, low, base, out, target, written, space):
    """Merge neighbouring runs pair by pair until one is left, then add up what is equal.

    The largest run is moved to the end, so that it takes part in few of the passes.
    """
    start, end = space.bounds[0], space.bounds[runs]
    now_keys, now_origins = space.keys, space.origins
    next_keys, next_origins = space.spare_keys, space.spare_origins
    gather_runs(keys, costs, runs, low, space)
    while runs > 1:
        runs = merge_pairs(now_keys, now_origins, next_keys, next_origins, space.bounds, runs)
        now_keys, next_keys = next_keys, now_keys
        now_origins, next_origins = next_origins, now_origins
    last = np.int64(-1)
    place = np.uint64(written - 1)
    for i in range(np.uint64(start), np.uint64(end)):
        origin = np.uint64(now_origins[i])
        if now_keys[i] != last:
            last = now_keys[i]
            place += np.uint64(1)
            out.keys[place] = base | last
            out.counts[place] = counts[origin]
            out.costs[place] = space.costs[origin]
        else:
            out.counts[place] += counts[origin]
        target[origin] = place
    return np.int64(place + np.uint64(1))


@compiled
def gather_runs(keys, costs, runs, low, space):
    """Copy the runs of a group for merging, the largest last, and set their new bounds."""
    bounds = space.bounds
    largest = 0
    for run in range(runs):
        if bounds[run + 1] - bounds[run] > bounds[largest + 1] - bounds[largest]:
            largest = run
    first, after = bounds[largest], bounds[largest + 1]
    moved = after - first
    place = bounds[0]
    for run in range(runs):
        for i in range(bounds[run], bounds[run + 1]):
            space.costs[i] = costs[i] + space.extras[run]
        if run != largest:
            for i in range(bounds[run], bounds[run + 1]):
                space.keys[place] = keys[i] & low
                space.origins[place] = i
                place += 1
    for i in range(first, after):
        space.keys[place] = keys[i] & low
        space.origins[place] = i
        place += 1
    for run in range(largest, runs - 1):
        bounds[run + 1] = bounds[run + 2] - moved


@compiled
def merge_pairs(now_keys, now_origins, next_keys, next_origins, bounds, runs):
    """One pass: runs 0 and 1, 2 and 3, … become one run each; of an odd number the last waits, copied."""
    made = 0
    one = np.uint64(1)
    for run in range(0, runs, 2):
        left, middle = np.uint64(bounds[run]), np.uint64(bounds[run + 1])
        end = np.uint64(bounds[min(run + 2, runs)])
        right = middle
        place = left
        bounds[made] = np.int64(left)
        made += 1
        while left < middle and right < end:
            first = now_keys[left] <= now_keys[right]
            head = left if first else right
            next_keys[place] = now_keys[head]
            next_origins[place] = now_origins[head]
            left += np.uint64(first)
            right += np.uint64(not first)
            place += one
        rest = left if left < middle else right
        while place < end:
            next_keys[place] = now_keys[rest]
            next_origins[place] = now_origins[rest]
            rest += one
            place += one
    bounds[made] = bounds[runs]
    return made


@compiled
def add_up_cells(cells, target, length, classes, out):
    """Add the counts of values, one row for a class, along `target`. `out` must not be `cells`."""
    width = np.uint64(cells.shape[1])
    out[:classes, :] = 0
    for i in range(np.uint64(length)):
        place = np.uint64(target[i])
        for value in range(width):
            out[place, value] += cells[i, value]


@compiled
def add_up_cells_in_order(cells, target, length, out):
    """The same where `target` never falls; `out` may be `cells`."""
    width = np.uint64(cells.shape[1])
    last = np.int64(-1)
    for i in range(np.uint64(length)):
        place = np.uint64(target[i])
        if target[i] != last:
            for value in range(width):
                out[place, value] = cells[i, value]
        else:
            for value in range(width):
                out[place, value] += cells[i, value]
        last = target[i]


@compiled
def carry(keys, length, shift, bits, dearer, costs, target, out_costs):
    """What a row of each coarser class costs: what it cost before, and what the changed digit adds. All
    finer classes that fall together give the same sum."""
    mask = (np.int64(1) << bits) - 1
    for i in range(length):
        group = np.uint64((keys[i] >> shift) & mask)
        out_costs[np.uint64(target[i])] = costs[i] + dearer[group]
