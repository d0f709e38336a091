"""Witness bounds: a few rows that show what happens at more specific nodes, before all rows are counted
there.

The witnesses of a node are the rows of its smallest classes, whole classes only. At every specialization each
of these classes splits only within itself. So the witnesses form whole classes there too, and those of them
that are too small must be suppressed, whatever happens to all other rows.

They are collected once a node below needs them, and are useful if few rows may be suppressed: then few
witnesses show that more would have to be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.base.rounding import rounded
from paretonym.engine.counts import Plan
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.counts import kernel_library as library
from paretonym.engine.frontier import as_costs
from paretonym.engine.search.bounds import is_reached
from paretonym.engine.search.problem import Problem

# The rows wanted: some more than may be suppressed, and never too few to show anything.
_PER_SUPPRESSIBLE = 4
_LEAST = 100
# More than this share of the tuples would cost as much as counting all of them.
_MOST = 0.3
# The most tuples that are kept for all witnesses together.
_MOST_KEPT = 10_000_000
# Cells of tuples that witnesses are counted with.
_MOST_CELLS = 10_000_000
# The witnesses of a node are collected when this many nodes of one layer need them.
_ENOUGH = 3
# There is room for the witnesses of this many nodes to begin with.
_HOLDERS = 64
# Asking witnesses may cost as many evaluations as it has saved, plus this many, plus this share of all that
# were made. It saves little near the top, where most nodes add something, and much further down: early
# results do not predict whether it will pay.
_ADVANCE = 32
_SHARE = 0.25


class Witnessing:
    """The nodes whose witnesses can be collected, the witnesses collected so far, and how many nodes they
    settled."""

    def __init__(self, problem: Problem, plan: Plan, bounds: interface.Bounds) -> None:
        self._problem, self._plan, self._bounds = problem, plan, bounds
        self._wanted = witnesses_wanted(problem)
        self._space = scratch(plan, 4 * self._wanted)
        self._called = nobody(plan, _HOLDERS * self._wanted)
        self._evaluated = np.empty(0, dtype=np.int64)
        self._levels = np.empty((0, len(plan.order)), dtype=np.int64)  # of those, in the plan's order
        self._watched = {
            place: objective
            for place, objective in enumerate(problem.objectives)
            if self._called.width and is_reached(problem, objective)
        }
        self.settled = self.counted = 0

    @property
    def effort(self) -> float:
        """The tuples counted, in units of evaluations."""
        return self.counted / int(self._plan.tuples.length)

    @property
    def worth_it(self) -> bool:
        return self.effort <= self.settled + _ADVANCE + _SHARE * len(self._evaluated)

    def evaluated(self, nodes: Integers) -> None:
        """Record evaluated nodes: their witnesses can be collected."""
        self._evaluated = np.concatenate([self._evaluated, nodes])
        levels = self._problem.above_lowest(nodes)[:, self._plan.order]
        self._levels = np.concatenate([self._levels, levels])

    def unsettled(self, waiting: interface.Waiting, places: Integers, best: interface.Best) -> Integers:
        """The places of nodes that could still add to the frontier after witnesses were asked: those
        collected already first, then nearer ones if enough nodes need them."""
        left = self._ask(waiting, places, best, self._at_hand(waiting.levels[places]))
        if len(left):
            others, nearest = self._nearest(waiting.levels[left])
            # The last place is for nodes without one.
            waited_for = np.bincount(nearest, minlength=len(others) + 1)[:-1] >= _ENOUGH
            holder_of = np.full(len(others) + 1, -1, dtype=np.int64)
            holder_of[:-1][waited_for] = self._call(others[waited_for])
            left = self._ask(waiting, left, best, holder_of[nearest])
        self.settled += len(places) - len(left)
        return left

    def _ask(
        self, waiting: interface.Waiting, places: Integers, best: interface.Best, holders: Integers
    ) -> Integers:
        """The places of nodes that are still open after these holders' witnesses were asked."""
        answers = settle(self._plan, self._called, self._space, self._bounds, waiting, best, places, holders)
        self.counted += answers.counted
        left: Integers = places[answers.still_open]
        if not len(left) or not self._watched:
            return left
        self._raise_floors(waiting, left, answers.worst[answers.still_open])
        return left[can_improve(self._bounds, waiting, best, left)]

    def _raise_floors(self, waiting: interface.Waiting, places: Integers, worst: Floats) -> None:
        """No objective of a node is better than over those witnesses that stay for sure."""
        statistics = self._problem.statistics
        for place, objective in self._watched.items():
            heard = [worst[:, statistics.index(s)] for s in objective.statistics]
            known = np.all(np.isfinite(heard), axis=0)
            values = rounded(objective.of_statistics([each[known] for each in heard]))
            costs = as_costs(values[:, None], (objective.direction,))[:, 0]
            waiting.least[places[known], place] = np.maximum(waiting.least[places[known], place], costs)

    def _at_hand(self, levels: Integers) -> Integers:
        """For each node, the place of the nearest witnesses collected already; -1 if there are none."""
        order = np.argsort(self._called.levels.sum(axis=1), kind="stable")
        return np.append(order, -1)[first_above(levels, self._called.levels[order])]

    def _nearest(self, levels: Integers) -> tuple[Integers, Integers]:
        """The levels of evaluated nodes, and for each node the place of the nearest more general one among
        them, their number without: the one with the least k of those, since more of its rows are in small
        classes."""
        nodes, place = self._evaluated, np.flatnonzero(self._bounds.place == self._bounds.size_place)[0]
        k = -self._bounds.known[nodes, place]
        others = self._levels[np.lexsort((nodes, k, self._levels.sum(axis=1)))]
        nearest = first_above(levels, others)
        return others, np.where(nearest < 0, len(others), nearest)

    def _call(self, levels: Integers) -> Integers:
        """Collect the witnesses of some nodes: the number of each as a holder, -1 if its witnesses were
        collected already or may be too many."""
        length, most = self._plan.tuples.length, int(_MOST * self._plan.tuples.length)
        holders = np.full(len(levels), -1, dtype=np.int64)
        if len(levels) == 0:
            return holders
        known = (self._called.levels[None, :, :] == levels[:, None, :]).all(axis=2).any(axis=1)
        fresh = np.flatnonzero(~known)[: max(0, (_MOST_KEPT - int(self._called.starts[-1])) // max(most, 1))]
        self._called, called = with_witnesses(
            self._called, self._plan, self._space, levels[fresh], self._wanted, most
        )
        self.counted += length * len(fresh)
        holders[fresh] = called
        return holders


def witnesses_wanted(problem: Problem) -> int:
    return int(_PER_SUPPRESSIBLE * problem.suppressible) + _LEAST


def witnesses_help(problem: Problem) -> bool:
    """True if few enough rows can show what happens to k, which counts rows."""
    if problem.cube.persons is not None or problem.cube.units is not None:
        return False
    few = witnesses_wanted(problem) <= _MOST * problem.cube.rows
    return few and any(objective.card.is_class_size for objective in problem.objectives)


# --- collecting and asking ----------------------------------------------------------------------------------


class Answers(NamedTuple):
    """Answers of witnesses: which nodes are still open; for each of these the statistics of the plan over the
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
    """Number of values of further columns that witnesses are counted with: all, or none if too many."""
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


def can_improve(
    bounds: interface.Bounds, waiting: interface.Waiting, best: interface.Best, which: Integers
) -> Mask:
    """True if some vector that a waiting node could have is neither dominated nor equalled by the frontier so
    far."""
    still_open = np.empty(len(which), dtype=np.bool_)
    library.call("improve", bounds, waiting, best, len(which), which, still_open)
    return still_open
