"""Witnesses: rows that tell what becomes of more special nodes, before all rows are counted there.

A node that was evaluated calls its witnesses once a node below it needs them. They are worth asking where
few rows may be suppressed, so that few witnesses tell whether more would have to go.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.closing import Bounds
from paretonym.cube.layout import Plan
from paretonym.cube.witnesses import Called, call, first_above, settle, tally
from paretonym.search.bounds import Floors
from paretonym.search.problem import Problem

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

# Rows wanted: some more than may be suppressed, and never too few to tell anything.
_PER_SUPPRESSIBLE = 4
_LEAST = 100
# More than this share of the tuples would cost as much as counting all of them.
_MOST = 0.3
# So many tuples are kept of all witnesses together.
_MOST_KEPT = 10_000_000
# A node calls its witnesses when so many nodes of one layer wait for them.
_ENOUGH = 3
# Witnesses are given up if, after so many questions, fewer than this share was answered.
_TELLING = 300
_TOO_FEW = 0.08


class Witnessing:
    """The nodes that can call witnesses, the witnesses called so far, and how many nodes they settled."""

    def __init__(self, problem: Problem, plan: Plan, bounds: Bounds) -> None:
        self._problem, self._plan, self._bounds = problem, plan, bounds
        self._wanted = witnesses_wanted(problem)
        self._space = tally(plan.layout, len(plan.keys), 4 * self._wanted)
        self._called = nobody(8 * self._wanted, len(plan.order))
        self._evaluated = np.empty(0, dtype=np.int64)
        self.asked = self.settled = self.counted = 0

    @property
    def effort(self) -> float:
        """The tuples counted, in whole evaluations."""
        return self.counted / len(self._plan.keys)

    @property
    def worth_it(self) -> bool:
        return self.asked < _TELLING or self.settled > _TOO_FEW * self.asked

    def evaluated(self, nodes: Integers) -> None:
        """These can call witnesses of their own."""
        self._evaluated = np.concatenate([self._evaluated, nodes])

    def unsettled(self, waiting: Floors, best: Floats) -> Integers:
        """The nodes that could still add to the frontier, after witnesses were asked: those at hand first,
        then nearer ones if enough nodes wait for them."""
        levels = self._levels(waiting.nodes)
        is_open = np.ones(len(levels), dtype=np.bool_)

        def ask(places: Integers) -> None:
            floors = (waiting.least, waiting.per_row)
            known = (self._plan.layout, self._called, places, self._space, self._bounds)
            settle(*known, waiting.nodes, levels, *floors, best, is_open)
            asked = places[places >= 0]
            self.asked += len(asked)
            self.counted += int(np.diff(self._called.starts)[asked].sum())

        ask(self._at_hand(levels))
        others, nearest = self._nearest(levels)
        nearest[~is_open] = -1
        waited_for, waiting_for_it = np.unique(nearest[nearest >= 0], return_counts=True)
        for other in waited_for[waiting_for_it >= _ENOUGH].tolist():
            if self._call(others[other]):
                ask(np.where(nearest == other, len(self._called.levels) - 1, -1))
        self.settled += int((~is_open).sum())
        return waiting.nodes[is_open]

    def _at_hand(self, levels: Integers) -> Integers:
        """For each node the place of the nearest witnesses that are called already, -1 without."""
        order = np.argsort(self._called.levels.sum(axis=1), kind="stable")
        return np.append(order, -1)[_first_above(levels, self._called.levels[order])]

    def _nearest(self, levels: Integers) -> tuple[Integers, Integers]:
        """The levels of evaluated nodes, and for each node the place of the nearest more general one among
        them: the one with the least k of those, since more of its rows are in small classes."""
        nodes, place = self._evaluated, np.flatnonzero(self._bounds.places == self._bounds.size_place)[0]
        others, k = self._levels(nodes), -self._bounds.known[nodes, place]
        others = others[np.lexsort((nodes, k, others.sum(axis=1)))]
        return others, _first_above(levels, others)

    def _levels(self, nodes: Integers) -> Integers:
        return np.ascontiguousarray(self._problem.above_lowest(nodes)[:, self._plan.order])

    def _call(self, levels: Integers) -> bool:
        """Call the witnesses of a node; False if they are called already, or may be too many."""
        known, first = self._called.levels, int(self._called.starts[-1])
        end = first + int(_MOST * len(self._plan.keys))
        if end > _MOST_KEPT or (known == levels).all(axis=1).any():
            return False
        self._called = with_room(self._called, end)
        layout, keys, rows = self._plan.layout, self._plan.keys, self._plan.counts
        last = call(layout, levels, keys, rows, self._space, self._wanted, self._called, first, end)
        self.counted += len(keys)
        if last <= first:
            return False
        starts = np.append(self._called.starts, last)
        self._called = self._called._replace(starts=starts, levels=np.append(known, levels[None, :], axis=0))
        return True


def _first_above(levels: Integers, others: Integers) -> Integers:
    places = np.empty(len(levels), dtype=np.int64)
    first_above(levels, others, places)
    return places


def witnesses_wanted(problem: Problem) -> int:
    return int(_PER_SUPPRESSIBLE * problem.suppressible) + _LEAST


def witnesses_help(problem: Problem, bounds: Bounds) -> bool:
    """Whether few enough rows can tell what becomes of k."""
    few = witnesses_wanted(problem) <= _MOST * problem.cube.rows
    return few and bounds.size_place >= 0


def nobody(tuples: int, positions: int) -> Called:
    """No witnesses, and room for so many tuples."""
    room = np.empty((2, tuples), dtype=np.int64)
    return Called(room[0], room[1], np.zeros(1, dtype=np.int64), np.empty((0, positions), dtype=np.int64))


def with_room(called: Called, tuples: int) -> Called:
    """The same with room for so many tuples in all."""
    if len(called.keys) >= tuples:
        return called
    result = nobody(2 * tuples, called.levels.shape[1])
    used = int(called.starts[-1])
    result.keys[:used], result.rows[:used] = called.keys[:used], called.rows[:used]
    return result._replace(starts=called.starts, levels=called.levels)
