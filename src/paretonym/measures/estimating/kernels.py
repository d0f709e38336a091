"""Compiled: large populations, what a release says about them, and counting queries.

A population is a list of predicates, one for each of some axes in rising order. All of them stand in one list
in the order of a walk through the tree of their beginnings: entry i adds predicate `predicates[i]` to the
first `depths[i] - 1` predicates of the entry before. Without a compiler the same functions run slowly.
"""

from __future__ import annotations

import numpy as np

from paretonym.cube.compiling import available, compiled

LN2 = 0.6931471805599453

kernel = compiled if available() else lambda function: function


@kernel
def find(groups, counts, axis, first, after, starts, least, depths, predicates):
    """All populations with at least `least` rows into `depths` and `predicates`; how many, -1 if too many.

    Predicate p selects the units from `first[p]` up to before `after[p]` of axis `axis[p]`; those of axis j
    are the predicates from `starts[j]` on.
    """
    tuples, axes = groups.shape
    total = len(axis)
    active = np.empty((axes + 1, tuples), dtype=np.int32)
    lengths = np.zeros(axes + 1, dtype=np.int64)
    cursor = np.zeros(axes + 1, dtype=np.int64)
    supports = np.zeros((axes + 1, total), dtype=np.int64)
    units = groups.max() + 1
    for p in range(total):
        units = max(units, after[p])
    before = np.zeros(units + 1, dtype=np.int64)
    active[0] = np.arange(tuples)
    lengths[0] = tuples
    support(groups, counts, axis, first, after, 0, active[0, :tuples], before, supports[0])
    depth, found = 0, 0
    while depth >= 0:
        p = cursor[depth]
        if p == total:
            depth -= 1
            continue
        cursor[depth] = p + 1
        if supports[depth, p] < least:
            continue
        if found == len(depths):
            return -1
        depths[found], predicates[found] = depth + 1, p
        found += 1
        following = starts[axis[p] + 1]
        if following < total:
            length = select(groups, axis[p], first[p], after[p], active, lengths, depth)
            depth += 1
            cursor[depth] = following
            support(
                groups, counts, axis, first, after, following, active[depth, :length], before, supports[depth]
            )
    return found


@kernel
def select(groups, j, first, after, active, lengths, depth):
    """The active tuples of a depth that lie in a predicate become those of the next; how many."""
    length = 0
    for i in range(lengths[depth]):
        row = active[depth, i]
        if first <= groups[row, j] < after:
            active[depth + 1, length] = row
            length += 1
    lengths[depth + 1] = length
    return length


@kernel
def support(groups, counts, axis, first, after, start, active, before, supports):
    """The rows of the active tuples in each predicate from `start` on: differences of running sums."""
    p = start
    while p < len(axis):
        j = axis[p]
        before[:] = 0
        for i in range(len(active)):
            before[groups[active[i], j] + 1] += counts[active[i]]
        for unit in range(1, len(before)):
            before[unit] += before[unit - 1]
        while p < len(axis) and axis[p] == j:
            supports[p] = before[after[p]] - before[first[p]]
            p += 1


@kernel
def estimate(depths, predicates, axis, first, after, low, high, cells, result):
    """How often each value is expected in each population, into `result`.

    Predicate p selects the leaves from `first[p]` up to before `after[p]`; class c shows on axis j the leaves
    from `low[j, c]` up to before `high[j, c]` and has `cells[c]` rows of each value: inside a class every
    shown leaf is equally likely, whatever the value.
    """
    axes, classes = low.shape
    active = np.empty((axes + 1, classes), dtype=np.int32)
    weights = np.empty((axes + 1, classes), dtype=np.float64)
    lengths = np.zeros(axes + 1, dtype=np.int64)
    active[0] = np.arange(classes)
    weights[0] = 1.0
    lengths[0] = classes
    for i in range(len(depths)):
        depth, p = depths[i], predicates[i]
        j, start, stop = axis[p], first[p], after[p]
        length = 0
        for place in range(lengths[depth - 1]):
            c = active[depth - 1, place]
            overlap = min(high[j, c], stop) - max(low[j, c], start)
            if overlap > 0:
                weight = weights[depth - 1, place] * overlap / (high[j, c] - low[j, c])
                active[depth, length] = c
                weights[depth, length] = weight
                length += 1
                for value in range(cells.shape[1]):
                    result[i, value] += weight * cells[c, value]
        lengths[depth] = length


@kernel
def mean_divergence(truth, guess, start, stop):
    """The mean over populations of the Jensen–Shannon divergence of the true and the estimated shares of the
    values from `start` up to before `stop`; ln 2 where nothing is estimated."""
    total = 0.0
    for i in range(len(truth)):
        true_rows, guessed_rows = 0.0, 0.0
        for value in range(start, stop):
            true_rows += truth[i, value]
            guessed_rows += guess[i, value]
        if guessed_rows <= 0.0:
            total += LN2
            continue
        divergence = 0.0
        for value in range(start, stop):
            p, q = truth[i, value] / true_rows, guess[i, value] / guessed_rows
            half = (p + q) / 2.0
            if p > 0.0:
                divergence += p * np.log(p / half)
            if q > 0.0:
                divergence += q * np.log(q / half)
        total += max(divergence / 2.0, 0.0)
    return total / max(len(truth), 1)


@kernel
def answer(involved, chosen, starts, values, low, high, cells, result):
    """What a release answers to each counting query, into `result`.

    Query i is about the axes with `involved[i, j]` and selects the leaves whose running count rises in
    `chosen[i, starts[j] :]`, and the values marked in `values[i]`.
    """
    axes, classes = low.shape
    for i in range(len(result)):
        total = 0.0
        for c in range(classes):
            weight = 1.0
            for j in range(axes):
                if involved[i, j]:
                    begin, end = low[j, c], high[j, c]
                    inside = chosen[i, starts[j] + end] - chosen[i, starts[j] + begin]
                    if inside == 0:
                        weight = 0.0
                        break
                    weight *= inside / (end - begin)
            if weight > 0.0:
                rows = 0.0
                for value in range(cells.shape[1]):
                    rows += cells[c, value] * values[i, value]
                total += weight * rows
        result[i] = total
