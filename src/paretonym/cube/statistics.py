"""Compiled: numbers that belong to one class, made from the counts of a column's values in it.

A column's counts in class i are `cells[i, start:stop]`, `size` is their sum and `reference` what to
compare with. Places are passed instead of slices: a slice for every class would cost more than the sums.
"""

from __future__ import annotations

import numpy as np

from paretonym.cube.compiling import compiled
from paretonym.cube.requests import Reference

SHARE, DISTINCT, ENTROPY, RECURSIVE, VARIATION, ORDERED, TREE, DIVERGENCE, RATIO, MAJORITY, PAIRS = range(11)
LEAST, MOST, SUM = range(3)
DECIMALS = 1e12


@compiled
def largest(cells, i, start, stop):
    most = np.int32(0)
    for value in range(start, stop):
        most = max(most, cells[i, value])
    return most


@compiled
def distinct(cells, i, start, stop):
    found = np.int32(0)
    for value in range(start, stop):
        found += np.int32(cells[i, value] > 0)
    return found


@compiled
def entropy(cells, i, start, stop, size):
    total = 0.0
    for value in range(start, stop):
        count = np.float64(cells[i, value])
        if count > 1.0:
            total += count * np.log(count)
    return np.log(np.float64(size)) - total / size


@compiled
def recursive(cells, i, start, stop, constant):
    """The largest ℓ with r_1 < c·(r_ℓ + … + r_m), counts r falling; 0 if there is none."""
    counts = np.sort(cells[i, start:stop])
    most = counts[-1]
    tail = 0
    for value in range(len(counts)):
        tail += counts[value]
        if counts[value] > 0 and most < constant * tail:
            return len(counts) - value
    return 0


@compiled
def variation(cells, i, start, stop, size, reference):
    """In whole numbers, so that the sum is exact; as products of 32 bits, which are taken several at once."""
    own, whole = np.uint64(np.uint32(size)), np.uint64(np.uint32(reference.whole))
    total = np.int64(0)
    for value in range(start, stop):
        here = np.int64(np.uint64(np.uint32(cells[i, value])) * whole)
        total += abs(here - np.int64(np.uint64(np.uint32(reference.counts[value - start])) * own))
    return total / (2.0 * size * reference.whole)


@compiled
def ordered(cells, i, start, stop, size, reference):
    total = 0.0
    difference = 0.0
    for value in range(start, stop - np.uint64(1)):
        difference += cells[i, value] / size - reference.shares[value - start]
        total += abs(difference)
    steps = np.int64(stop - start) - 1
    return total / steps if steps else 0.0


@compiled
def over_tree(cells, i, start, stop, size, reference, groups, levels):
    """Every step up the tree costs half a step's share of the height: what must leave each set, summed."""
    width = np.int64(stop - start)
    total = 0.0
    for level in range(levels):
        difference = 0.0
        for value in range(width):
            difference += cells[i, start + np.uint64(value)] / size - reference.shares[value]
            place = level * width + value
            if value + 1 == width or groups[place + 1] != groups[place]:
                total += abs(difference)
                difference = 0.0
    return total / (2.0 * levels)


@compiled
def divergence(cells, i, start, stop, size, reference):
    """Jensen–Shannon, natural logarithm, no root. Where p is 0, half of q·ln 2 is all there is."""
    total = 0.0
    for value in range(start, stop):
        q = reference.shares[value - start]
        count = cells[i, value]
        if count == 0:
            total += q * 0.6931471805599453
        else:
            p = count / size
            half = (p + q) / 2.0
            total += p * np.log(p / half)
            if q > 0.0:
                total += q * np.log(q / half)
    return max(total / 2.0, 0.0)


@compiled
def ratio(cells, i, start, stop, size, reference):
    worst = 0.0
    for value in range(start, stop):
        q = reference.shares[value - start]
        if q > 0.0:
            if cells[i, value] == 0:
                return np.inf
            worst = max(worst, abs(np.log(cells[i, value] / size / q)))
    return worst


@compiled
def pairs(cells, i, start, stop):
    total = np.int64(0)
    for value in range(start, stop):
        total += np.int64(cells[i, value]) * np.int64(cells[i, value])
    return total


@compiled
def count_statistic(kind, cells, i, start, stop, size, parameter):
    """The statistics that need no reference."""
    if kind == SHARE:
        return largest(cells, i, start, stop) / size
    if kind == DISTINCT:
        return np.float64(distinct(cells, i, start, stop))
    if kind == ENTROPY:
        return np.rint(entropy(cells, i, start, stop, size) * DECIMALS) / DECIMALS
    if kind == RECURSIVE:
        return np.float64(recursive(cells, i, start, stop, parameter))
    if kind == MAJORITY:
        return np.float64(largest(cells, i, start, stop))
    return np.float64(pairs(cells, i, start, stop))


@compiled
def distance(kind, cells, i, start, stop, size, reference, groups, levels):
    """The distances from a reference; rounded to twelve decimals, so that equal ones are equal numbers."""
    if kind == VARIATION:
        value = variation(cells, i, start, stop, size, reference)
    elif kind == ORDERED:
        value = ordered(cells, i, start, stop, size, reference)
    elif kind == TREE:
        value = over_tree(cells, i, start, stop, size, reference, groups, levels)
    elif kind == DIVERGENCE:
        value = divergence(cells, i, start, stop, size, reference)
    else:
        value = ratio(cells, i, start, stop, size, reference)
    return np.rint(value * DECIMALS) / DECIMALS


@compiled
def variations(cells, counts, length, least, start, stop, reference, values):
    """Total variation of every class with at least `least` rows: a loop of its own, since it is asked for
    most and a choice for every class would cost more than the sums."""
    for i in range(np.uint64(length)):
        if counts[i] >= least:
            value = variation(cells, i, start, stop, counts[i], reference)
            values[i] = np.rint(value * DECIMALS) / DECIMALS


@compiled
def largest_shares(cells, counts, length, least, start, stop, values):
    """The same for the share of the most frequent value."""
    for i in range(np.uint64(length)):
        if counts[i] >= least:
            values[i] = largest(cells, i, start, stop) / counts[i]


@compiled
def distinct_values(cells, counts, length, least, start, stop, values):
    """The same for the number of values."""
    for i in range(np.uint64(length)):
        if counts[i] >= least:
            values[i] = distinct(cells, i, start, stop)


@compiled
def of_column(requests, which):
    """The input's distribution of the column that a statistic is about."""
    start, stop = requests.starts[which], requests.starts[which] + requests.widths[which]
    every = requests.reference
    return Reference(every.shares[start:stop], every.counts[start:stop], every.whole)


@compiled
def class_statistics(requests, which, cells, counts, length, least, reference, values):
    """One statistic of every class with at least `least` rows, into `values`."""
    # Unsigned, so that no place is checked for being negative.
    start = np.uint64(requests.starts[which])
    stop = start + np.uint64(requests.widths[which])
    levels = requests.tree_levels[which]
    groups = requests.groups[requests.tree_starts[which] :]
    kind, parameter = requests.kinds[which], requests.parameters[which]
    if kind == VARIATION:
        variations(cells, counts, length, least, start, stop, reference, values)
    elif kind == SHARE:
        largest_shares(cells, counts, length, least, start, stop, values)
    elif kind == DISTINCT:
        distinct_values(cells, counts, length, least, start, stop, values)
    elif VARIATION <= kind <= RATIO:
        for i in range(np.uint64(length)):
            if counts[i] >= least:
                values[i] = distance(kind, cells, i, start, stop, counts[i], reference, groups, levels)
    else:
        for i in range(np.uint64(length)):
            if counts[i] >= least:
                values[i] = count_statistic(kind, cells, i, start, stop, counts[i], parameter)


@compiled
def neutral(combine):
    if combine == LEAST:
        return np.inf
    return -np.inf if combine == MOST else 0.0


@compiled
def combined(combine, one, other):
    if combine == LEAST:
        return min(one, other)
    return max(one, other) if combine == MOST else one + other
