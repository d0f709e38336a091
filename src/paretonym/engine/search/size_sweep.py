"""The size sweep: what follows from the sizes of classes alone, counted for all nodes before anything else.

Classes without the values in them are counted in a fraction of the time that an evaluation takes. k, the
losses, discernibility, the share of suppressed rows and the like follow from that exactly, so that only the
measures of sensitive values have to be bounded, and only nodes that could still add something are evaluated.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.base.budget import Limits
from paretonym.base.thread_pool import in_parallel
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.frontier import as_costs
from paretonym.engine.measures import Facts, Objective
from paretonym.engine.search.bounds import (
    Floors,
    batch_bounds,
    floored_below,
    has_floor,
    inherited,
    is_capped,
    more_per_row,
)
from paretonym.engine.search.exhaustive import stretches
from paretonym.engine.search.node_evaluation import evaluators
from paretonym.engine.search.problem import Problem
from paretonym.engine.search.witness_bounds import witnesses_help

# The costs of all nodes are kept.
_MOST_NODES = 2_000_000
# In larger lattices bounds close a larger share, and counting all sizes would take longer.
_FEW_NODES = 50_000
# What suppressed rows cost is taken off at every node: where more than this share of the rows may go,
# counting sizes takes half as long as evaluating all nodes, and bounds of values are too loose to make up for
# it. With a measure that has no other bound it pays a little longer, if class size is asked for too, so that
# there are witnesses, or if suppressed rows are the only cost, so that few nodes have the least of it.
_FEW_ROWS = 0.04
_SOME_ROWS = 0.06
# Suppressed classes of up to this many rows are told apart by their size.
_SMALL = 8


class SizeSweep(NamedTuple):
    """The objectives at `places`, as costs, one row for a node; and whether nothing is suppressed there.
    `more` is what the suppressed rows add at least to each cost that is bounded from below."""

    places: Integers
    costs: Floats
    whole: Mask
    more: Floats

    def enter(self, bounds: interface.Bounds) -> None:
        """Enter what is known into the bounds of all nodes."""
        bounds.whole[:] = self.whole
        for column in np.flatnonzero(bounds.place == bounds.size_place):
            bounds.known[:, column] = self.costs[:, self.places == bounds.size_place][:, 0]

    def raised(self, floors: Floors, nodes: Integers) -> Floors:
        """Floors with the costs that are known: suppressed rows are included in them."""
        floors.least[:, self.places] = self.costs[nodes]
        floors.per_row[:, self.places] = 0.0
        return floors


def sweep_is_needed(problem: Problem, limits: Limits) -> bool:
    """True if there is a measure that has no bound but follows from sizes, beside measures of sensitive
    values that have bounds."""
    sized = [o for o in problem.objectives if _of_sizes(o)]
    costs = [o for o in sized if not o.card.is_class_size]
    longer = len(costs) < len(sized) or all(o.card.algebra.floor == "suppressed-rows" for o in costs)
    share = _SOME_ROWS if longer else _FEW_ROWS
    bounded = all(has_floor(o) or is_capped(problem, o) for o in costs)
    return not bounded and _possible(problem, limits, _MOST_NODES, share)


def sweep_pays(problem: Problem, limits: Limits) -> bool:
    """True if sizes are counted first: they are needed, or some rows may be suppressed, so that bounds of
    sensitive values are loose, and visits that count sizes alone take much less time."""
    if sweep_is_needed(problem, limits):
        return True
    loose = problem.suppressible > 0 and witnesses_help(problem)
    return loose and _possible(problem, limits, _FEW_NODES, _FEW_ROWS)


def ascent_pays(problem: Problem, limits: Limits) -> bool:
    """True if sizes are counted first because all other measures are bounded by more specific nodes."""
    below = floored_below(problem) if problem.suppressible else ()
    return _possible(problem, limits, _FEW_NODES, _FEW_ROWS, below)


def _possible(
    problem: Problem, limits: Limits, most: int, share: float, bounded: tuple[int, ...] | None = None
) -> bool:
    """True if all measures of values are bounded (by more general nodes, unless others are given), and each
    node has one candidate. The time must suffice."""
    valued = [place for place, o in enumerate(problem.objectives) if not _of_sizes(o)]
    one = problem.by_size and not problem.every_threshold
    small = problem.lattice.size <= most and limits.seconds is limits.evaluations is None
    small = small and problem.suppressible <= share * problem.cube.rows
    bounded = inherited(problem) if bounded is None else bounded
    return small and one and 0 < len(valued) < len(problem.objectives) and set(valued) <= set(bounded)


def swept(problem: Problem, limits: Limits, pool: Executor | None, below: tuple[int, ...] = ()) -> SizeSweep:
    """Count the classes of all nodes; at the places `below` are costs that are bounded from below."""
    places = [place for place, o in enumerate(problem.objectives) if _of_sizes(o)]
    single = replace(problem, objectives=tuple(problem.objectives[p] for p in places), requirements=())
    single = replace(single, with_reaches=False)
    size = problem.lattice.size
    costs, whole, more = np.empty((size, len(places))), np.empty(size, np.bool_), np.zeros((size, len(below)))
    stairs = batch_bounds(single, (), size, np.arange(1, _SMALL + 2)) if below else None
    evaluate = evaluators(single, 1, False, bounds=stairs)[0]

    def counted(nodes: Integers) -> tuple[Integers, Floats, Mask]:
        facts = single.facts(evaluate(nodes))
        if stairs is not None:
            more[facts.node] = _more(problem, below, facts, stairs.staircase[facts.node])
        return facts.node, as_costs(single.values(facts), single.directions), facts.gone == 0

    for _, (nodes, values, none_gone) in in_parallel(counted, stretches(single), pool, limits.threads):
        costs[nodes], whole[nodes] = values, none_gone
    return SizeSweep(np.array(places, dtype=np.int64), costs, whole, more)


def _more(problem: Problem, below: tuple[int, ...], facts: Facts, stairs: Integers) -> Floats:
    """The least that suppressed rows of each node add to some costs: those of small classes, size by size,
    then all others. The stairs are the rows in classes of fewer than 1, 2, … rows."""
    sizes = np.arange(1, _SMALL + 1)
    of_size = np.where(sizes < facts.smallest[:, None], np.diff(stairs, axis=1), 0)
    others = facts.gone - of_size.sum(axis=1)
    result = np.empty((len(facts), len(below)))
    for column, place in enumerate(below):
        objective = problem.objectives[place]
        each = np.array([more_per_row(problem, objective, size) for size in sizes.tolist()])
        result[:, column] = of_size @ each + others * more_per_row(problem, objective, problem.suppressible)
    return result


def _of_sizes(objective: Objective) -> bool:
    """True if the sizes of the classes, and what they show, say all about an objective."""
    return not (objective.statistics or objective.is_of_classes or objective.card.needs)
