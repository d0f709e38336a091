"""Compiled: every threshold on one or two numbers of a class, and what each would leave of a node.

Each class has a first and a second goodness (more is better; with one threshold the second is the same for
all). A pair of thresholds (a, b) suppresses the classes that miss either. Only pairs that are tight are put
up: some class that stays has exactly a, and some has exactly b. So every set of classes comes once.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.compiling import compiled
from paretonym.cube.requests import Reference
from paretonym.cube.statistics import MOST, class_statistics, combined, distance, neutral, of_column

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

SMALLEST, GONE, CLASSES, SQUARES, ALL_SQUARES, UNIQUE = range(6)


class Stairs(NamedTuple):
    """Scratch memory of one thread. `goodness[0]` and `[1]` belong to the two thresholds, `values[s]` to the
    statistics; the rest is kept for each distinct first goodness, of the classes that the second one leaves,
    `smallest` and `statistics` of that goodness and all better ones together."""

    goodness: Floats
    values: Floats
    smallest: Integers
    statistics: Floats
    shares: Floats
    totals: Integers
    ranks: Integers
    rows: Integers
    classes: Integers
    squares: Integers
    unique: Integers
    costs: Floats


def stairs_space(length: int, statistics: int, costs: int, width: int) -> Stairs:
    def whole() -> Integers:
        return np.zeros(length, dtype=np.int64)

    return Stairs(
        np.zeros((2, length)),
        np.zeros((statistics, length)),
        whole(),
        np.zeros((length, statistics)),
        np.zeros(width),
        np.zeros(width, dtype=np.int64),
        whole(),
        whole(),
        whole(),
        whole(),
        whole(),
        np.zeros((length, costs)),
    )


@compiled
def record_stairs(layout, requests, thresholds, state, row, space, out, written):
    """The candidates of one node. Returns how many, or -1 if `out` has no room for them."""
    counts, length, stairs = state.counts[row], state.lengths[row], space.stairs
    measure_classes(requests, thresholds, state, row, stairs)
    distinct = rank_classes(stairs, counts, state.costs[row], length)
    second = np.argsort(stairs.goodness[1, :length])
    whole, squares = sums(stairs, distinct)
    made = 0
    gone = np.int64(0)
    start = 0
    while start < length and gone <= layout.suppressible:
        end, top = level_of(stairs, second, start, length)
        combine_upwards(requests, counts, stairs, distinct, second, start, length)
        here = climb(layout, stairs, distinct, top, gone, whole, squares, out, written + made)
        if here < 0:
            return -1
        for which in range(len(requests.kinds)):
            if requests.released[which]:
                against_itself(requests, which, state, row, stairs, second, start, out, written + made, here)
        made += here
        for i in range(start, end):
            gone += counts[second[i]]
            take_off(stairs, counts, state.costs[row], second[i])
        start = end
    return made


@compiled
def sums(stairs, distinct):
    """The costs and squared sizes of all classes."""
    whole = np.zeros(stairs.costs.shape[1])
    squares = np.int64(0)
    for rank in range(distinct):
        whole += stairs.costs[rank]
        squares += stairs.squares[rank]
    return whole, squares


@compiled
def measure_classes(requests, thresholds, state, row, stairs):
    """All statistics of all classes, and what the two thresholds are about."""
    counts, length = state.counts[row], state.lengths[row]
    for which in range(len(requests.kinds)):
        reference = of_column(requests, which)
        class_statistics(
            requests, which, state.cells[row], counts, length, 0, reference, stairs.values[which]
        )
    for key in range(2):
        goodness = stairs.goodness[key]
        if thresholds[key, 0] == -2:
            goodness[:length] = 0.0
        elif thresholds[key, 0] == -1:
            goodness[:length] = counts[:length]
        else:
            goodness[:length] = np.inf
            for column in range(thresholds.shape[1]):
                which = thresholds[key, column]
                if which >= 0:
                    sign = -1.0 if requests.combines[which] == MOST else 1.0
                    for i in range(length):
                        goodness[i] = min(goodness[i], sign * stairs.values[which, i])


@compiled
def rank_classes(stairs, counts, costs, length):
    """Number the distinct first goodnesses, rising, and add up what has each. Returns how many there are."""
    first = stairs.goodness[0]
    order = np.argsort(first[:length])
    rank = -1
    last = np.nan
    for i in range(length):
        which = order[i]
        if first[which] != last:
            rank += 1
            last = first[which]
            stairs.rows[rank] = 0
            stairs.classes[rank] = 0
            stairs.squares[rank] = 0
            stairs.unique[rank] = 0
            stairs.costs[rank, :] = 0.0
        count = counts[which]
        stairs.ranks[which] = rank
        stairs.rows[rank] += count
        stairs.classes[rank] += 1
        stairs.squares[rank] += count * count
        stairs.unique[rank] += count == 1
        for cost in range(len(costs)):
            stairs.costs[rank, cost] += count * costs[cost, which]
    return rank + 1


@compiled
def take_off(stairs, counts, costs, which):
    """A class misses the second threshold from now on."""
    rank, count = stairs.ranks[which], counts[which]
    stairs.rows[rank] -= count
    stairs.classes[rank] -= 1
    stairs.squares[rank] -= count * count
    stairs.unique[rank] -= count == 1
    for cost in range(len(costs)):
        stairs.costs[rank, cost] -= count * costs[cost, which]


@compiled
def level_of(stairs, second, start, length):
    """Where the classes with the same second goodness end, and the highest first rank among them."""
    level = stairs.goodness[1, second[start]]
    end, top = start, np.int64(0)
    while end < length and stairs.goodness[1, second[end]] == level:
        top = max(top, stairs.ranks[second[end]])
        end += 1
    return end, top


@compiled
def combine_upwards(requests, counts, stairs, distinct, second, start, length):
    """The smallest class and all statistics of the classes left, for each first goodness and better ones."""
    for rank in range(distinct):
        stairs.smallest[rank] = np.int64(2) ** 62
        for which in range(len(requests.kinds)):
            stairs.statistics[rank, which] = neutral(requests.combines[which])
    for i in range(start, length):
        member = second[i]
        rank = stairs.ranks[member]
        stairs.smallest[rank] = min(stairs.smallest[rank], counts[member])
        for which in range(len(requests.kinds)):
            value = combined(
                requests.combines[which], stairs.statistics[rank, which], stairs.values[which, member]
            )
            stairs.statistics[rank, which] = value
    for rank in range(distinct - 2, -1, -1):
        stairs.smallest[rank] = min(stairs.smallest[rank], stairs.smallest[rank + 1])
        for which in range(len(requests.kinds)):
            value = combined(
                requests.combines[which], stairs.statistics[rank, which], stairs.statistics[rank + 1, which]
            )
            stairs.statistics[rank, which] = value


@compiled
def climb(layout, stairs, distinct, top, gone, whole, all_squares, out, written):
    """A candidate for every first threshold up to `top`. Returns how many, or -1 without room."""
    costs, squares = sums(stairs, distinct)
    classes = np.sum(stairs.classes[:distinct])
    unique = np.sum(stairs.unique[:distinct])
    made = 0
    for rank in range(top + 1):
        if gone > layout.suppressible:
            break
        if stairs.classes[rank]:
            place = written + made
            if place >= len(out.nodes):
                return -1
            facts = out.facts[place]
            facts[SMALLEST], facts[GONE], facts[CLASSES] = stairs.smallest[rank], gone, classes
            facts[SQUARES], facts[ALL_SQUARES], facts[UNIQUE] = squares, all_squares, unique
            out.costs[place] = whole - costs
            out.statistics[place] = stairs.statistics[rank]
            # The rank itself waits here until the release's own distribution has been looked at.
            out.nodes[place] = rank
            made += 1
            gone += stairs.rows[rank]
            classes -= stairs.classes[rank]
            squares -= stairs.squares[rank]
            unique -= stairs.unique[rank]
            costs -= stairs.costs[rank]
    return made


@compiled
def against_itself(requests, which, state, row, stairs, second, start, out, written, made):
    """A distance from the distribution of the classes that stay, for each of some candidates."""
    counts, cells, length = state.counts[row], state.cells[row], state.lengths[row]
    begin, width = requests.starts[which], requests.widths[which]
    groups = requests.groups[requests.tree_starts[which] :]
    levels = requests.tree_levels[which]
    shares, totals = stairs.shares[:width], stairs.totals[:width]
    for place in range(written, written + made):
        totals[:] = 0
        whole = np.int64(0)
        for i in range(start, length):
            if stairs.ranks[second[i]] >= out.nodes[place]:
                whole += counts[second[i]]
                for value in range(width):
                    totals[value] += cells[second[i], begin + value]
        shares[:] = totals / whole
        reference = Reference(shares, totals, whole)
        worst = 0.0
        for i in range(start, length):
            member = second[i]
            if stairs.ranks[member] >= out.nodes[place]:
                value = distance(
                    requests.kinds[which],
                    cells,
                    np.uint64(member),
                    np.uint64(begin),
                    np.uint64(begin + width),
                    counts[member],
                    reference,
                    groups,
                    levels,
                )
                worst = max(worst, value)
        out.statistics[place, which] = worst
