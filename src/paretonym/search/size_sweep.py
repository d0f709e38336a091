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

from paretonym.arrays import Floats, Integers
from paretonym.budget import Limits
from paretonym.frontier import as_costs
from paretonym.measures import Objective
from paretonym.search.bounds import Floors, has_floor, inherited
from paretonym.search.exhaustive import stretches
from paretonym.search.node_evaluation import evaluator
from paretonym.search.problem import Problem
from paretonym.thread_pool import in_parallel

# The costs of all nodes are kept.
_MOST_NODES = 2_000_000
# With more objectives, nearly every node adds a vector that its sizes alone do not exclude.
_MOST_OBJECTIVES = 4


class SizeSweep(NamedTuple):
    """The objectives at `places`, as costs, one row for a node."""

    places: Integers
    costs: Floats

    def raised(self, floors: Floors, nodes: Integers) -> Floors:
        """Floors with the costs that are known: suppressed rows are included in them."""
        floors.least[:, self.places] = self.costs[nodes]
        floors.per_row[:, self.places] = 0.0
        return floors


def sweep_helps(problem: Problem, limits: Limits) -> bool:
    """Whether there are measures of sensitive values, all of them bounded, beside one that has no bound but
    follows from sizes. A node must have one candidate, and the time must suffice."""
    bounded = inherited(problem)
    valued = [place for place, o in enumerate(problem.objectives) if not _of_sizes(o)]
    loose = [o for o in problem.objectives if _of_sizes(o) and not o.card.is_class_size and not has_floor(o)]
    few = len(problem.objectives) <= _MOST_OBJECTIVES
    small = few and problem.lattice.size <= _MOST_NODES and limits.seconds is None
    one = problem.by_size and not problem.every_threshold
    return small and one and bool(loose) and bool(valued) and all(place in bounded for place in valued)


def swept(problem: Problem, limits: Limits, pool: Executor | None) -> SizeSweep:
    """Count the classes of all nodes."""
    places = [place for place, o in enumerate(problem.objectives) if _of_sizes(o)]
    own = replace(problem, objectives=tuple(problem.objectives[p] for p in places), requirements=())
    own = replace(own, with_reaches=False)
    evaluate, costs = evaluator(own), np.empty((problem.lattice.size, len(places)))

    def counted(nodes: Integers) -> Floats:
        found = evaluate(nodes)
        return as_costs(own.values(own.facts(found)), own.directions)[np.argsort(found.nodes, kind="stable")]

    for nodes, values in in_parallel(counted, stretches(own), pool, limits.threads):
        costs[np.sort(nodes)] = values
    return SizeSweep(np.array(places, dtype=np.int64), costs)


def _of_sizes(objective: Objective) -> bool:
    """Whether the sizes of the classes, and what they show, say all about an objective."""
    card = objective.card
    return not (objective.statistics or card.from_classes or card.needs)
