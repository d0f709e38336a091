"""Pruning: which nodes can still change the frontier; compiled, and in numpy where nothing is compiled.

The witnesses of a node are the rows of its smallest classes, whole classes only. At every specialization each
of these classes splits only within itself. So the witnesses form whole classes there too, and those of them
that are too small must be suppressed, whatever happens to all other rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paretonym.arrays import Floats, Integers, Mask
from paretonym.counts import Counted, Memory, Plan
from paretonym.counts import kernel_interface as interface
from paretonym.counts import kernel_library as library

# Nodes that are compared with the frontier at once.
_CHUNK = 512
_MOST_GONE = 2**31 - 1
# Cells of tuples that witnesses are counted with.
_MOST_CELLS = 10_000_000


def waiting_nodes(nodes: Integers, levels: Integers, least: Floats, per_row: Floats) -> interface.Waiting:
    """Nodes to be tested: their levels in the order of the bounds' positions, and their floors."""
    return interface.Waiting.made(node=nodes, levels=levels, least=least, per_row=per_row)


def best_costs(vectors: Floats) -> interface.Best:
    """The frontier so far, as costs. Its order may change."""
    return interface.Best.made(vectors=np.array(vectors, dtype=np.float64, order="C"))


# --- by what is known of more general nodes ----------------------------------------------------------------


def open_nodes(
    bounds: interface.Bounds,
    waiting: interface.Waiting,
    best: interface.Best,
    first: int,
    length: int,
    evaluated: Mask,
) -> Integers:
    """Inherit bounds from the more general neighbours of each of these nodes, then test those that are not
    evaluated: a node is closed if, for every size of its smallest class that is possible there, a known
    vector is nowhere worse. Returns the places of the others among the waiting."""
    if library.available():
        places = np.empty(length, dtype=np.int64)
        found = library.call("open", bounds, waiting, best, first, length, evaluated, places)
        return places[:found]
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
    """Whether some vector that a waiting node could have is neither dominated nor equalled by the frontier so
    far."""
    if library.available():
        still_open = np.empty(len(which), dtype=np.bool_)
        library.call("improve", bounds, waiting, best, len(which), which, still_open)
        return still_open
    ideal = ideal_costs(bounds, waiting, which)
    result: Mask = np.all(ideal <= bounds.required, axis=1)
    result[result] = ~_beaten(ideal[result], best.vectors)
    if bounds.size_place >= 0:
        left = which[result]
        result[result] = _some_stair(bounds, waiting, best, left, ideal[result])
    return result


def ideal_costs(bounds: interface.Bounds, waiting: interface.Waiting, which: Integers) -> Floats:
    """The best that each objective could be at waiting nodes, as costs."""
    nodes: Integers = waiting.node[which]
    ideal: Floats = waiting.least[which]
    for column, place in enumerate(bounds.place):
        holds = bounds.whole[nodes] >= bounds.conditional[column]
        known = np.where(holds, bounds.known[nodes, column], -np.inf)
        ideal[:, place] = np.maximum(ideal[:, place], known)
    return ideal


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
    parts = [
        np.any(np.all(best[None, :, :] <= vectors[start : start + _CHUNK, None, :], axis=2), axis=1)
        for start in range(0, len(vectors), _CHUNK)
    ]
    return np.concatenate([np.empty(0, dtype=np.bool_), *parts])


def enter_stairs(counted: Counted, bounds: interface.Bounds, rows: int) -> None:
    """Enter the rows in classes smaller than each size of the staircase, given all thresholds of each node;
    all rows if that is more than may be suppressed."""
    starts = np.flatnonzero(np.r_[True, counted.nodes[1:] != counted.nodes[:-1]])
    which = np.cumsum(np.bincount(starts, minlength=len(counted.nodes))) - 1
    # The sizes of all nodes in one array: one search serves them all.
    apart = np.int64(rows) + 1
    wanted = np.arange(len(starts))[:, None] * apart + np.minimum(bounds.sizes, rows)
    place = np.searchsorted(which * apart + counted.facts[:, 0], wanted)
    ends = np.append(starts[1:], len(counted.nodes))[:, None]
    gone = counted.facts[np.minimum(place, ends - 1), 1]
    # No more than 32 bits hold; a number that is too small is still a bound.
    bounds.staircase[counted.nodes[starts]] = np.minimum(np.where(place < ends, gone, rows), _MOST_GONE)


# --- by witnesses ------------------------------------------------------------------------------------------


class Answers(NamedTuple):
    """What witnesses say: which nodes are still open; for each of these the statistics of the plan over the
    witnesses that stay for sure, NaN where there is no such statistic; and how many tuples were counted."""

    still_open: Mask
    worst: Floats
    counted: int


class Scratch(NamedTuple):
    """Memory for collecting and asking witnesses."""

    table: interface.Table
    tally: interface.Tally


def scratch(plan: Plan, limit: int) -> Scratch:
    """Memory for the tuples of a plan, and for classes of up to this many rows."""
    tuples, positions = plan.tuples, plan.layout.positions
    tally = interface.Tally.made(
        tuples=tuples.length,
        words=tuples.words,
        limit=limit,
        sized=limit + 1,
        positions=positions,
        width=watched(plan),
    )
    return Scratch(interface.Table.for_classes(tuples.length), tally)


def watched(plan: Plan) -> int:
    """How many values of further columns witnesses are counted with: all, or none if these are too many."""
    tuples = plan.tuples
    return tuples.width if tuples.length * tuples.width <= _MOST_CELLS else 0


def nobody(plan: Plan, room: int, memory: Memory | None = None) -> interface.Witnesses:
    """No witnesses, and room for this many tuples."""
    none, memory = np.empty((0, plan.layout.positions), dtype=np.int64), memory or Memory()
    return interface.Witnesses.made(
        keys=memory.array("keys of witnesses", (room, plan.layout.words), np.uint64),
        shown=memory.array("shown by witnesses", (room, plan.layout.words), np.uint64),
        rows=memory.array("rows of witnesses", (room,), np.int64),
        cells=memory.array("values of witnesses", (room, watched(plan)), np.int32),
        starts=np.zeros(1, dtype=np.int64),
        levels=none,
    )


def with_room(witnesses: interface.Witnesses, plan: Plan, room: int) -> interface.Witnesses:
    """The witnesses with room for this many tuples in total."""
    if witnesses.room >= room:
        return witnesses
    used, larger = int(witnesses.starts[-1]), nobody(plan, 2 * room)
    for name in ("keys", "shown", "rows", "cells"):
        getattr(larger, name)[:used] = getattr(witnesses, name)[:used]
    return witnesses.replaced(
        room=larger.room, keys=larger.keys, shown=larger.shown, rows=larger.rows, cells=larger.cells
    )


def with_witnesses(
    witnesses: interface.Witnesses, plan: Plan, space: Scratch, levels: Integers, wanted: int, most: int
) -> tuple[interface.Witnesses, Integers]:
    """The witnesses with those of some more nodes, and the number of each as a holder; -1 if it would have
    more than `most` tuples. The witnesses of a node are the tuples of its smallest classes, of equal ones the
    first, until there are as many rows as wanted; no class of more rows than the tally's limit."""
    first = int(witnesses.starts[-1])
    roomy = with_room(witnesses, plan, first + most * len(levels))
    ends = np.full(len(levels), -1, dtype=np.int64)
    if library.available():
        library.call(
            "call", plan.layout, plan.tuples, space.table, space.tally, roomy, len(levels),
            np.ascontiguousarray(levels), wanted, most, first, ends,
        )  # fmt: skip
    else:
        for i, own in enumerate(levels):
            ends[i] = _call(roomy, plan, space.tally.limit, own, wanted, most, first)
            first = max(first, int(ends[i]))
    called = ends >= 0
    holders = np.where(called, witnesses.holders + np.cumsum(called) - 1, -1)
    result = roomy.replaced(
        holders=witnesses.holders + int(called.sum()),
        begins=witnesses.begins + int(called.sum()),
        starts=np.concatenate([witnesses.starts, ends[called]]),
        levels=np.concatenate([witnesses.levels, levels[called]]),
    )
    return result, holders


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
    """Test waiting nodes against the witnesses of more general nodes: `holders[i]` is the holder for
    `places[i]`, none if it is below 0. What follows for class sizes is entered in `bounds`, where it serves
    all nodes below too. Levels are in the plan's order."""
    still_open = np.ones(len(places), dtype=np.bool_)
    worst = np.full((len(places), plan.requests.statistics), np.nan)
    ranked = np.argsort(holders, kind="stable")
    asked = ranked[np.searchsorted(holders[ranked], 0) :]
    if len(asked) == 0:
        return Answers(still_open, worst, 0)
    if library.available():
        answers, heard = np.empty(len(asked), dtype=np.bool_), np.full((len(asked), worst.shape[1]), np.nan)
        sorting = np.empty(plan.requests.values, dtype=np.int64)
        counted = library.call(
            "settle", plan.layout, plan.requests, witnesses, space.table, space.tally, bounds, waiting, best,
            len(asked), places[asked], holders[asked], sorting, answers, heard,
        )  # fmt: skip
        still_open[asked], worst[asked] = answers, heard
        return Answers(still_open, worst, counted)
    counted = 0
    for own in np.split(asked, np.flatnonzero(np.diff(holders[asked])) + 1):
        levels = waiting.levels[places[own]]
        found, here = split(plan, witnesses, int(holders[own[0]]), levels)
        counted += here
        for place, (sizes, cells) in zip(own.tolist(), found, strict=True):
            node = int(waiting.node[places[place]])
            raise_bounds(bounds, node, rows_by_size(sizes, space.tally.limit))
            if witnesses.width:
                largest = -bounds.known[node, bounds.place == bounds.size_place]
                worst[place] = plan.worst_of(sizes, cells, largest.min(initial=np.inf))
    still_open[asked] = can_improve(bounds, waiting, best, places[asked])
    worst[~still_open] = np.nan
    return Answers(still_open, worst, counted)


def split(
    plan: Plan, witnesses: interface.Witnesses, holder: int, levels: Integers
) -> tuple[list[tuple[Integers, Integers]], int]:
    """The sizes and cells of the witnesses' classes at more specific nodes, and how many tuples and classes
    of tuples were counted: they are grouped once for all nodes, and each continues from there."""
    part, lowest = slice(*witnesses.starts[holder : holder + 2].tolist()), levels.min(axis=0)
    codes = recoded(plan.layout, witnesses.keys[part], np.zeros_like(lowest), lowest)
    target, classes = numbered(codes)
    rows, cells = (sizes_of(target, classes, each[part]) for each in (witnesses.rows, witnesses.cells))
    shared = codes[np.sort(np.unique(target, return_index=True)[1])]
    found, counted = [], len(codes)
    for own in levels:
        here = rows, cells
        if (own != lowest).any():
            target, classes = numbered(recoded(plan.layout, shared, lowest, own))
            here = sizes_of(target, classes, rows), sizes_of(target, classes, cells)
            counted += len(shared)
        found.append(here)
    return found, counted


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


def first_above(levels: Integers, others: Integers) -> Integers:
    """For each node, the first of the others that is nowhere less general; -1 if there is none."""
    places = np.full(len(levels), -1, dtype=np.int64)
    if library.available():
        library.call("first_above", len(levels), len(others), levels.shape[1], levels, others, places)
        return places
    for i, own in enumerate(levels):
        above = np.flatnonzero((others >= own).all(axis=1))
        if len(above):
            places[i] = above[0]
    return places


# --- keys in plain numpy -----------------------------------------------------------------------------------


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
    """The class of each key, numbered by first occurrence, and the number of classes.

    >>> numbered(np.array([[7], [3], [7]], dtype=np.uint64))
    (array([0, 1, 0]), 2)
    """
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
