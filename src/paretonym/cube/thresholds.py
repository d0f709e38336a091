"""Compiled: what each threshold on the size of a class would leave of a node, from its class sizes alone.

One look at the sizes serves every k and every limit: sizes in rising order, each with the rows that would go
if all smaller classes went.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paretonym.cube.compiling import compiled
from paretonym.cube.layout import most_thresholds
from paretonym.cube.packing import Keys


class RunSpace(NamedTuple):
    """Scratch memory of one thread for `size_runs`. `histogram` is all zeros between calls."""

    histogram: Keys
    sorting: Keys
    sizes: Keys
    rows: Keys


def run_space(length: int, suppressible: int) -> RunSpace:
    most = most_thresholds(suppressible)
    return RunSpace(
        np.zeros(suppressible + 1, dtype=np.int64),
        np.empty(length, dtype=np.int64),
        np.empty(most, dtype=np.int64),
        np.empty(most, dtype=np.int64),
    )


@compiled
def size_runs(counts, length, suppressible, space):
    """Fill `space.sizes` with the class sizes, rising, that can be the smallest to stay, and `space.rows`
    with the rows in smaller classes (at most `suppressible`). Returns how many there are."""
    ones = 0
    for i in range(length):
        ones += counts[i] == 1
    if ones > suppressible:
        space.sizes[0] = 1
        space.rows[0] = 0
        return 1
    if suppressible > 8 * length:
        return runs_by_sorting(counts, length, suppressible, space)
    return runs_by_histogram(counts, length, suppressible, space)


@compiled
def runs_by_histogram(counts, length, suppressible, space):
    histogram = space.histogram
    above = np.int64(2) ** 62
    for i in range(length):
        count = counts[i]
        if count <= suppressible:
            histogram[count] += count
        elif count < above:
            above = count
    runs = 0
    gone = np.int64(0)
    full = False
    for size in range(1, suppressible + 1):
        if histogram[size]:
            if not full:
                space.sizes[runs] = size
                space.rows[runs] = gone
                runs += 1
                gone += histogram[size]
                full = gone > suppressible
            histogram[size] = 0
    if not full and above < np.int64(2) ** 62:
        space.sizes[runs] = above
        space.rows[runs] = gone
        runs += 1
    return runs


@compiled
def runs_by_sorting(counts, length, suppressible, space):
    """For few classes and a large limit: sorting a handful beats scanning a long histogram."""
    sizes = space.sorting[:length]
    sizes[:] = counts[:length]
    sizes.sort()
    runs = 0
    gone = np.int64(0)
    last = np.int64(0)
    for i in range(length):
        if sizes[i] != last:
            if gone > suppressible:
                break
            space.sizes[runs] = sizes[i]
            space.rows[runs] = gone
            runs += 1
            last = sizes[i]
        gone += sizes[i]
    return runs
