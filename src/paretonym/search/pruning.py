"""Pruning: which nodes can still change the frontier.

The witnesses of a node are the rows of its smallest classes, whole classes only. At every specialization each
of these classes splits only within itself. So the witnesses form whole classes there too, and those of them
that are too small must be suppressed, whatever happens to all other rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paretonym.arrays import Floats, Integers, Mask
from paretonym.counts import Counted, Plan
from paretonym.counts import kernel_interface as interface
from paretonym.counts import kernel_library as library

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
    places = np.empty(length, dtype=np.int64)
    number = library.call("open", bounds, waiting, best, first, length, evaluated, places)
    return places[:number]


def can_improve(
    bounds: interface.Bounds, waiting: interface.Waiting, best: interface.Best, which: Integers
) -> Mask:
    """Whether some vector that a waiting node could have is neither dominated nor equalled by the frontier so
    far."""
    still_open = np.empty(len(which), dtype=np.bool_)
    library.call("improve", bounds, waiting, best, len(which), which, still_open)
    return still_open


def ideal_costs(bounds: interface.Bounds, waiting: interface.Waiting, which: Integers) -> Floats:
    """The best that each objective could be at waiting nodes, as costs."""
    nodes: Integers = waiting.node[which]
    ideal: Floats = waiting.least[which]
    for column, place in enumerate(bounds.place):
        holds = bounds.whole[nodes] >= bounds.conditional[column]
        bounds_of_nodes = np.where(holds, bounds.known[nodes, column], -np.inf)
        ideal[:, place] = np.maximum(ideal[:, place], bounds_of_nodes)
    return ideal


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


def nobody(plan: Plan, room: int) -> interface.Witnesses:
    """No witnesses, and room for this many tuples."""
    return interface.Witnesses.made(
        keys=np.empty((room, plan.layout.words), dtype=np.uint64),
        shown=np.empty((room, plan.layout.words), dtype=np.uint64),
        rows=np.empty(room, dtype=np.int64),
        cells=np.empty((room, watched(plan)), dtype=np.int32),
        starts=np.zeros(1, dtype=np.int64),
        levels=np.empty((0, plan.layout.positions), dtype=np.int64),
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
    library.call(
        "call", plan.layout, plan.tuples, space.table, space.tally, roomy, len(levels),
        np.ascontiguousarray(levels), wanted, most, first, ends,
    )  # fmt: skip
    called = ends >= 0
    holders = np.where(called, witnesses.holders + np.cumsum(called) - 1, -1)
    result = roomy.replaced(
        holders=witnesses.holders + int(called.sum()),
        begins=witnesses.begins + int(called.sum()),
        starts=np.concatenate([witnesses.starts, ends[called]]),
        levels=np.concatenate([witnesses.levels, levels[called]]),
    )
    return result, holders


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
    claimed = ranked[np.searchsorted(holders[ranked], 0) :]
    if len(claimed) == 0:
        return Answers(still_open, worst, 0)
    answers, heard = np.empty(len(claimed), dtype=np.bool_), np.full((len(claimed), worst.shape[1]), np.nan)
    sorting = np.empty(plan.requests.values, dtype=np.int64)
    counted = library.call(
        "settle", plan.layout, plan.requests, witnesses, space.table, space.tally, bounds, waiting, best,
        len(claimed), places[claimed], holders[claimed], sorting, answers, heard,
    )  # fmt: skip
    still_open[claimed], worst[claimed] = answers, heard
    return Answers(still_open, worst, counted)


def first_above(levels: Integers, others: Integers) -> Integers:
    """For each node, the first of the others that is nowhere less general; -1 if there is none."""
    places = np.full(len(levels), -1, dtype=np.int64)
    library.call("first_above", len(levels), len(others), levels.shape[1], levels, others, places)
    return places
