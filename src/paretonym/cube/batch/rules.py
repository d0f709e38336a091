"""Compiled: which classes of a genome stay under a rule of suppression, and what is counted of them."""

from __future__ import annotations

import numpy as np

from paretonym.cube.batch.classes import class_costs, count_values, find_classes
from paretonym.cube.batch.layout import Staircase
from paretonym.cube.compiling import compiled
from paretonym.cube.requests import Reference
from paretonym.cube.staircase import (
    ALL_SQUARES,
    CLASSES,
    GONE,
    SMALLEST,
    SQUARES,
    UNIQUE,
    measure_classes,
    record_stairs,
)
from paretonym.cube.statistics import class_statistics, combined, neutral

# By the first number of a class (its size, or what a threshold is about), then by the second: the lowest go
# first, as long as few enough rows go; those below the mean go; or every threshold is a candidate of its own.
ORDER, MEAN, ANY = range(3)
WEIGHTED = UNIQUE + 1
SIZE, NOTHING = -1, -2


@compiled
def count_genomes(tuples, requests, thresholds, rule, whole, suppressible, genomes, scratch, out):
    """The candidates of each genome. Returns how many, and how many genomes had room for theirs."""
    written = 0
    for number in range(len(genomes)):
        find_classes(tuples, genomes[number], scratch)
        if len(requests.kinds):
            count_values(tuples, scratch)
        if rule == ANY:
            made = every_threshold(tuples, requests, thresholds, suppressible, scratch, out, written)
        else:
            made = one_candidate(
                tuples, requests, thresholds, rule, whole, suppressible, scratch, out, written
            )
        if made < 0:
            return written, number
        out.nodes[written : written + made] = number
        written += made
    return written, len(genomes)


@compiled
def every_threshold(tuples, requests, thresholds, suppressible, scratch, out, written):
    """A candidate for each tight pair of thresholds; -1 if there is no room."""
    length = scratch.held.lengths[0]
    for which in range(length):
        class_costs(tuples, scratch, which)
    staircase = Staircase(suppressible, scratch.stairs)
    made = record_stairs(staircase, requests, thresholds, scratch.held, 0, staircase, out, written)
    for place in range(written, written + made):
        out.facts[place, WEIGHTED] = out.facts[place, ALL_SQUARES]
        for cost in range(len(tuples.costs)):
            out.costs[place, cost] = scratch.totals[cost] - out.costs[place, cost]
    return made


@compiled
def one_candidate(tuples, requests, thresholds, rule, whole, suppressible, scratch, out, written):
    """What a rule leaves; -1 if there is no room."""
    if written >= len(out.nodes):
        return -1
    length, counts, stays = scratch.held.lengths[0], scratch.held.counts[0], scratch.stays
    if len(requests.kinds):
        measure_classes(requests, thresholds, scratch.held, 0, scratch.stairs)
    if whole:
        take_whole(scratch.stairs.goodness, length)
    by_size = thresholds[0, 0] == SIZE
    weighted = weigh(counts, length, by_size, scratch.stairs.goodness[0])
    if rule == MEAN:
        for i in range(length):
            number = counts[i] if by_size else scratch.stairs.goodness[0, i]
            stays[i] = number * tuples.rows >= weighted
    elif by_size and thresholds[1, 0] == NOTHING:
        least = least_size(counts, length, suppressible, scratch.histogram)
        for i in range(length):
            stays[i] = counts[i] >= least
    else:
        keep_in_order(counts, length, suppressible, scratch)
    record(tuples, requests, scratch, out, written, np.int64(weighted))
    return 1


@compiled
def take_whole(goodness, length):
    """Whole numbers in place of both; of the most frequent value's share, which comes with a minus sign, how
    often it goes into one. A quotient that is whole but for rounding is whole."""
    for key in range(2):
        for i in range(length):
            number = goodness[key, i]
            goodness[key, i] = np.floor((-1.0 / number if number < 0 else number) * (1 + 1e-12))


@compiled
def weigh(counts, length, by_size, goodness):
    """Σ over rows of the number of their class."""
    total = 0.0
    for i in range(length):
        total += counts[i] * (counts[i] if by_size else goodness[i])
    return total


@compiled
def least_size(counts, length, suppressible, histogram):
    """The size of the smallest classes that stay when smaller ones go, as long as few enough rows go."""
    histogram[:] = 0
    for i in range(length):
        if counts[i] <= suppressible:
            histogram[counts[i]] += counts[i]
    gone = 0
    for size in range(1, suppressible + 1):
        gone += histogram[size]
        if gone > suppressible:
            return size
    return suppressible + 1


@compiled
def keep_in_order(counts, length, suppressible, scratch):
    """Classes with the lowest first number go first, those with the lowest second one among them; equals
    together; as long as few enough rows go."""
    first, second, stays = scratch.stairs.goodness[0], scratch.stairs.goodness[1], scratch.stays
    order = np.argsort(second[:length], kind="mergesort")
    order = order[np.argsort(first[order], kind="mergesort")]
    stays[:length] = True
    gone, start = 0, 0
    while start < length:
        end, rows = start, 0
        one, other = first[order[start]], second[order[start]]
        while end < length and first[order[end]] == one and second[order[end]] == other:
            rows += counts[order[end]]
            end += 1
        gone += rows
        if gone > suppressible:
            return
        for i in range(start, end):
            stays[order[i]] = False
        start = end


@compiled
def record(tuples, requests, scratch, out, place, weighted):
    """Counts, costs and statistics of the classes that stay."""
    counts, length, stays = scratch.held.counts[0], scratch.held.lengths[0], scratch.stays
    smallest, gone, classes = np.int64(2) ** 62, np.int64(0), np.int64(0)
    squares, every, unique = np.int64(0), np.int64(0), np.int64(0)
    for cost in range(len(tuples.costs)):
        out.costs[place, cost] = scratch.totals[cost]
    for i in range(length):
        count = counts[i]
        every += count * count
        if stays[i]:
            smallest = min(smallest, count)
            classes += 1
            squares += count * count
            unique += count == 1
        else:
            gone += count
            class_costs(tuples, scratch, i)
            for cost in range(len(tuples.costs)):
                out.costs[place, cost] -= count * scratch.held.costs[0, cost, i]
    facts = out.facts[place]
    facts[SMALLEST], facts[GONE], facts[CLASSES], facts[SQUARES] = smallest, gone, classes, squares
    facts[ALL_SQUARES], facts[UNIQUE], facts[WEIGHTED] = every, unique, weighted
    for which in range(len(requests.kinds)):
        out.statistics[place, which] = over_staying(requests, which, scratch)


@compiled
def over_staying(requests, which, scratch):
    """One statistic, combined over the classes that stay."""
    length, values = scratch.held.lengths[0], scratch.stairs.values[which]
    if requests.released[which]:
        cells, counts = scratch.held.cells[0], scratch.held.counts[0]
        begin, width = requests.starts[which], requests.widths[which]
        shares, totals = scratch.stairs.shares[:width], scratch.stairs.totals[:width]
        totals[:] = 0
        whole = np.int64(0)
        for i in range(length):
            if scratch.stays[i]:
                whole += counts[i]
                for value in range(width):
                    totals[value] += cells[i, begin + value]
        shares[:] = totals / whole
        reference = Reference(shares, totals, whole)
        class_statistics(requests, which, cells, counts, length, 0, reference, values)
    total = neutral(requests.combines[which])
    for i in range(length):
        if scratch.stays[i]:
            total = combined(requests.combines[which], total, values[i])
    return total
