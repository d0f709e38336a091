"""The kernels of pruning and estimates once more in plain numpy: slow, and easy to follow."""

from __future__ import annotations

import numpy as np

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.engine.counts import Cube
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.counts.class_statistics import Combine
from paretonym.engine.counts.tuple_layout import Plan
from paretonym.engine.measures.estimates.reader_estimates import Intervals
from paretonym.engine.measures.estimates.released_regions import Regions
from paretonym.engine.search.bounds import ideal_costs
from paretonym.engine.search.witness_bounds import Answers, Scratch, with_room

_LN2 = 0.6931471805599453


# --- pruning.c: bounds -------------------------------------------------------------------------------------


def open_nodes(
    bounds: interface.Bounds,
    waiting: interface.Waiting,
    best: interface.Best,
    first: int,
    length: int,
    evaluated: Mask,
) -> Integers:
    """Inherit bounds from more general neighbours, then test the nodes that are not evaluated."""
    places = np.arange(first, first + length)
    levels, tested = waiting.levels[places], waiting.node[places]
    steps = [(levels[:, p] < bounds.tops[p], bounds.weights[p]) for p in range(bounds.positions)]
    for below, weight in steps:
        nodes = tested[below]
        bounds.known[nodes] = np.maximum(bounds.known[nodes], bounds.known[nodes + weight])
    matter = _stairs_that_matter(bounds, tested)
    for below, weight in steps:
        nodes = tested[below]
        above = np.where(matter[below], bounds.staircase[nodes + weight], 0)
        bounds.staircase[nodes] = np.maximum(bounds.staircase[nodes], above)
    places = places[~evaluated[tested]]
    result: Integers = places[can_improve(bounds, waiting, best, places)]
    return result


def _stairs_that_matter(bounds: interface.Bounds, nodes: Integers) -> Mask:
    """Which stairs can matter at each node and at all below it: a class larger than the largest k is never
    needed, and no rows are in classes smaller than 1."""
    largest = np.full(len(nodes), np.inf)
    for place in np.flatnonzero(bounds.place == bounds.size_place):
        largest = -bounds.known[nodes, place]
    matter: Mask = (bounds.sizes <= largest[:, None]) & (largest[:, None] >= 2)
    return matter


def can_improve(
    bounds: interface.Bounds, waiting: interface.Waiting, best: interface.Best, which: Integers
) -> Mask:
    """Whether some vector that a waiting node could have is neither dominated nor equalled so far."""
    ideal = ideal_costs(bounds, waiting, which)
    result: Mask = np.all(ideal <= bounds.required, axis=1)
    result[result] = ~_beaten(ideal[result], best.vectors)
    if bounds.size_place >= 0:
        result[result] = _some_stair(bounds, waiting, best, which[result], ideal[result])
    return result


def _some_stair(
    bounds: interface.Bounds, waiting: interface.Waiting, best: interface.Best, which: Integers, ideal: Floats
) -> Mask:
    """Whether some size of the smallest class, with the fewest rows that it costs, is not dominated."""
    k, sizes = bounds.size_place, bounds.sizes
    result, possible = np.zeros(len(which), dtype=np.bool_), np.ones(len(which), dtype=np.bool_)
    largest = -ideal[:, k]
    for stair in range(bounds.stairs):
        gone = bounds.staircase[waiting.node[which], stair]
        possible &= (sizes[stair] <= largest) & (gone <= bounds.suppressible)
        vector = ideal + waiting.per_row[which] * gone[:, None]
        upper = np.float64(sizes[stair + 1] - 1) if stair + 1 < bounds.stairs else largest
        vector[:, k] = -np.minimum(upper, largest)
        tried = np.flatnonzero(possible & ~result & (vector[:, k] <= bounds.required[k]))
        result[tried] = ~_beaten(vector[tried], best.vectors)
    return result


def _beaten(vectors: Floats, best: Floats) -> Mask:
    """Which vectors are dominated or equalled by some vector of the frontier."""
    beaten: Mask = np.any(np.all(best[None, :, :] <= vectors[:, None, :], axis=2), axis=1)
    return beaten


def first_above(levels: Integers, others: Integers) -> Integers:
    """For each node, the first of the others that is nowhere less general; -1 if there is none."""
    places = np.full(len(levels), -1, dtype=np.int64)
    for i, node in enumerate(levels):
        above = np.flatnonzero((others >= node).all(axis=1))
        if len(above):
            places[i] = above[0]
    return places


# --- pruning.c: witnesses ----------------------------------------------------------------------------------


def with_witnesses(
    witnesses: interface.Witnesses, plan: Plan, space: Scratch, levels: Integers, wanted: int, most: int
) -> tuple[interface.Witnesses, Integers]:
    """The witnesses with those of some more nodes, and the number of each as a holder."""
    first = int(witnesses.starts[-1])
    roomy = with_room(witnesses, plan, first + most * len(levels))
    ends = np.full(len(levels), -1, dtype=np.int64)
    for i, node in enumerate(levels):
        ends[i] = _call(roomy, plan, space.tally.limit, node, wanted, most, first)
        first = max(first, int(ends[i]))
    called = ends >= 0
    result = roomy.replaced(
        holders=witnesses.holders + int(called.sum()),
        begins=witnesses.begins + int(called.sum()),
        starts=np.concatenate([witnesses.starts, ends[called]]),
        levels=np.concatenate([witnesses.levels, levels[called]]),
    )
    return result, np.where(called, witnesses.holders + np.cumsum(called) - 1, -1)


def _call(
    witnesses: interface.Witnesses,
    plan: Plan,
    limit: int,
    levels: Integers,
    wanted: int,
    most: int,
    first: int,
) -> int:
    """Write the witnesses of one node; return where they end, -1 if they are too many."""
    tuples = plan.tuples
    shown = recoded(plan.layout, tuples.keys, np.zeros_like(levels), levels)
    target, classes = numbered(shown)
    sizes = sizes_of(target, classes, tuples.counts)
    ranked = np.argsort(sizes, kind="stable")
    before = np.cumsum(sizes[ranked]) - sizes[ranked]
    chosen = np.zeros(classes, dtype=np.bool_)
    chosen[ranked] = (before < wanted) & (sizes[ranked] <= limit)
    members = np.argsort(target, kind="stable")
    members = members[chosen[target[members]]]
    end = first + len(members)
    if len(members) > most:
        return -1
    witnesses.keys[first:end] = tuples.keys[members]
    witnesses.shown[first:end] = shown[members]
    witnesses.rows[first:end] = tuples.counts[members]
    if witnesses.width:
        witnesses.cells[first:end] = tuples.cells[members]
    return end


def settle(
    plan: Plan,
    witnesses: interface.Witnesses,
    space: Scratch,
    bounds: interface.Bounds,
    waiting: interface.Waiting,
    best: interface.Best,
    places: Integers,
    holders: Integers,
) -> Answers:
    """Test waiting nodes against the witnesses of more general nodes."""
    still_open = np.ones(len(places), dtype=np.bool_)
    worst = np.full((len(places), plan.requests.statistics), np.nan)
    ranked = np.argsort(holders, kind="stable")
    asked = ranked[np.searchsorted(holders[ranked], 0) :]
    counted = 0
    for group in np.split(asked, np.flatnonzero(np.diff(holders[asked])) + 1):
        parts, tuples = split(plan, witnesses, int(holders[group[0]]), waiting.levels[places[group]])
        counted += tuples
        for place, (sizes, cells) in zip(group.tolist(), parts, strict=True):
            node = int(waiting.node[places[place]])
            raise_bounds(bounds, node, rows_by_size(sizes, space.tally.limit))
            if witnesses.width:
                largest = -bounds.known[node, bounds.place == bounds.size_place]
                worst[place] = _worst_of(plan, sizes, cells, largest.min(initial=np.inf))
    still_open[asked] = can_improve(bounds, waiting, best, places[asked])
    worst[~still_open] = np.nan
    return Answers(still_open, worst, counted)


def _worst_of(plan: Plan, sizes: Integers, cells: Integers, least: float) -> Floats:
    """The statistics over those classes that have at least so many rows; nothing that could be worse if
    there are none, NaN where it is not the least or the most of classes. `cells` as those of tuples."""
    ends = np.cumsum([len(margin.labels) for margin in plan.margins]).tolist()
    named = {margin.name: (margin, end) for margin, end in zip(plan.margins, ends, strict=True)}
    values = np.full(len(plan.statistics), np.nan)
    for place, statistic in enumerate(plan.statistics):
        if statistic.released or statistic.combine not in (Combine.LEAST, Combine.MOST):
            continue
        margin, end = named[statistic.column]
        large = cells[sizes >= least, end - len(margin.labels) : end]
        values[place] = np.inf if statistic.combine is Combine.LEAST else -np.inf
        if len(large):
            values[place] = statistic.combined(statistic.of_classes(margin, large, margin.shares))
    return values


def split(
    plan: Plan, witnesses: interface.Witnesses, holder: int, levels: Integers
) -> tuple[list[tuple[Integers, Integers]], int]:
    """The sizes and cells of the witnesses' classes at more specific nodes, and how many tuples and classes
    of tuples were counted: they are grouped once for all nodes, and each continues from there."""
    part, lowest = slice(*witnesses.starts[holder : holder + 2].tolist()), levels.min(axis=0)
    codes = recoded(plan.layout, witnesses.keys[part], np.zeros_like(lowest), lowest)
    target, classes = numbered(codes)
    rows, cells = (sizes_of(target, classes, counts[part]) for counts in (witnesses.rows, witnesses.cells))
    shared = codes[np.sort(np.unique(target, return_index=True)[1])]
    result, counted = [], len(codes)
    for node in levels:
        pair = rows, cells
        if (node != lowest).any():
            target, classes = numbered(recoded(plan.layout, shared, lowest, node))
            pair = sizes_of(target, classes, rows), sizes_of(target, classes, cells)
            counted += len(shared)
        result.append(pair)
    return result, counted


def rows_by_size(sizes: Integers, limit: int) -> Integers:
    """How many rows lie in classes of each size up to a limit."""
    by_size: Integers = np.bincount(sizes[sizes <= limit], minlength=limit + 1) * np.arange(limit + 1)
    return by_size


def raise_bounds(bounds: interface.Bounds, node: int, by_size: Integers) -> None:
    """A node loses at least the rows in classes smaller than its k; if these are too many, k is lower."""
    # lost[a]: rows in classes smaller than a. More than too many need not be known.
    lost = np.concatenate([[0], np.cumsum(by_size)])
    too_many = np.flatnonzero(lost > bounds.suppressible)
    if len(too_many):
        lost = np.minimum(lost, lost[too_many[0]])
        known = bounds.known[node]
        k = np.flatnonzero(bounds.place == bounds.size_place)
        known[k] = np.maximum(known[k], -np.float64(too_many[0] - 1))
    stairs = lost[np.minimum(bounds.sizes, len(lost) - 1)]
    bounds.staircase[node] = np.maximum(bounds.staircase[node], stairs)


# --- grouping.c: keys --------------------------------------------------------------------------------------


def recoded(
    layout: interface.Layout, keys: interface.Words, low: Integers, high: Integers
) -> interface.Words:
    """Keys at levels `high` of keys at levels `low`."""
    result = keys.copy()
    for p in range(layout.positions):
        if low[p] == high[p]:
            continue
        word, shift = result[:, layout.word[p]], np.uint64(layout.shift[p])
        mask = np.uint64((1 << int(layout.bits[p])) - 1)
        groups = ((word >> shift) & mask).astype(np.int64)
        place = layout.starts[p, low[p], high[p]]
        result[:, layout.word[p]] = (word & ~(mask << shift)) | layout.mappings[place + groups]
    return result


def numbered(keys: interface.Words) -> tuple[Integers, int]:
    """The class of each key, numbered by first occurrence, and the number of classes."""
    ids = np.zeros(len(keys), dtype=np.int64)
    for column in keys.T:
        digits = np.unique(column, return_inverse=True)[1]
        ids = np.unique(ids * (int(digits.max(initial=0)) + 1) + digits, return_inverse=True)[1]
    _, first, which = np.unique(ids, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[which], len(first)


def sizes_of(target: Integers, classes: int, rows: Integers) -> Integers:
    """The rows of each class."""
    sizes = np.zeros((classes, *rows.shape[1:]), dtype=np.int64)
    np.add.at(sizes, target, rows)
    return sizes


# --- estimates.c -------------------------------------------------------------------------------------------


def find_populations(cube: Cube, asked: Intervals, least: int, room: int) -> tuple[Integers, Integers] | None:
    """All populations with at least `least` rows, depth first: their depths and predicates; None if there are
    more than there is room for."""
    total = len(asked.axis)
    depths, chosen = list[int](), list[int]()
    waiting = [(1, p, np.arange(cube.tuples)) for p in reversed(range(total))]
    while waiting:
        depth, p, active = waiting.pop()
        groups = cube.groups[active, asked.axis[p]]
        active = active[(asked.first[p] <= groups) & (groups < asked.after[p])]
        if cube.counts[active].sum() < least:
            continue
        if len(depths) == room:
            return None
        depths.append(depth)
        chosen.append(p)
        following = int(asked.starts[asked.axis[p] + 1])
        waiting.extend((depth + 1, q, active) for q in reversed(range(following, total)))
    return np.array(depths, dtype=np.int64), np.array(chosen, dtype=np.int64)


def estimates(asked: Intervals, depths: Integers, chosen: Integers, shown: Regions) -> Floats:
    """How often each value is expected in each population."""
    (axes, classes), values = shown.low.shape, shown.cells.shape[1]
    result, levels = np.zeros((len(depths), values)), axes + 1
    active, weights = [np.arange(classes)] * levels, [np.ones(classes)] * levels
    for i, (depth, p) in enumerate(zip(depths.tolist(), chosen.tolist(), strict=True)):
        which = active[depth - 1]
        low, high = shown.low[asked.axis[p], which], shown.high[asked.axis[p], which]
        overlap = np.minimum(high, asked.after[p]) - np.maximum(low, asked.first[p])
        inside = overlap > 0
        weight = (weights[depth - 1] * overlap / np.maximum(high - low, 1))[inside]
        active[depth], weights[depth] = which[inside], weight
        result[i] = weight @ shown.cells[which[inside]]
    return result


def mean_divergence(truth: Floats, guess: Floats, start: int, stop: int) -> float:
    """The mean over populations of the Jensen–Shannon divergence; ln 2 where nothing is estimated."""
    true, guessed = truth[:, start:stop], guess[:, start:stop]
    total = guessed.sum(axis=1)
    some = total > 0
    p, q = true[some] / true[some].sum(axis=1, keepdims=True), guessed[some] / total[some, None]
    half = (p + q) / 2
    divergence = np.full(len(true), _LN2)
    divergence[some] = np.maximum((_x_log(p, half) + _x_log(q, half)).sum(axis=1) / 2, 0.0)
    return float(divergence.mean()) if len(divergence) else 0.0


def _x_log(p: Floats, half: Floats) -> Floats:
    """p · ln(p / half), 0 where p is 0."""
    some = p > 0
    result: Floats = p * np.log(np.where(some, p, 1.0) / np.where(some, half, 1.0))
    return result


def answers(involved: Mask, running: Integers, starts: Integers, marks: Mask, shown: Regions) -> Floats:
    """What a release answers to each counting query."""
    result = np.zeros(len(involved))
    for i in range(len(involved)):
        weight = np.ones(shown.low.shape[1])
        for j in np.flatnonzero(involved[i]).tolist():
            leaves = running[i, starts[j] :]
            size = np.maximum(shown.high[j] - shown.low[j], 1)
            weight *= (leaves[shown.high[j]] - leaves[shown.low[j]]) / size
        result[i] = weight @ (shown.cells @ marks[i])
    return result
