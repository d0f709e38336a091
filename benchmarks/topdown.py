"""The plain walk that exact search is compared with: from the top, layer by layer, with two bounds only.

A node is evaluated unless a known solution is nowhere worse than (the least k of its evaluated
generalizations, its loss with nothing suppressed). No dive for early solutions, no staircase.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats, Integers
from paretonym.engine.frontier.dominance import as_costs
from paretonym.engine.recoding.suppression import parse_suppression
from paretonym.engine.search.archive import Collector, filtered
from paretonym.engine.search.bounds import floors
from paretonym.engine.search.node_evaluation import evaluator
from paretonym.engine.search.problem import Problem
from paretonym.study.study import Study


class Walked(NamedTuple):
    evaluated: int
    found: int


def walk(study: Study, suppress: str) -> Walked:
    """Find the frontier of (k, loss) under a limit; how many nodes that took."""
    problem = Problem.of(study.cube, ("k", "loss"), parse_suppression(suppress))
    evaluate, collector = evaluator(problem), Collector(problem)
    known = np.full(problem.lattice.size, -np.inf)
    evaluated = 0
    for nodes in layers(problem):
        inherit(problem, nodes, known)
        waiting = nodes if evaluated == 0 else nodes[is_open(problem, nodes, known, collector)]
        if len(waiting) == 0:
            continue
        counted = evaluate(waiting)
        values = problem.values(problem.facts(counted))
        known[counted.nodes] = -values[:, 0]
        collector.add(filtered(problem, counted, values))
        evaluated += len(waiting)
    return Walked(evaluated, len(collector.best().values))


def layers(problem: Problem) -> list[Integers]:
    """Nodes by the sum of their levels, the most general first."""
    nodes = np.arange(problem.lattice.size, dtype=np.int64)
    heights = problem.above_lowest(nodes).sum(axis=1)
    return [nodes[heights == height] for height in range(int(heights.max()), -1, -1)]


def inherit(problem: Problem, nodes: Integers, known: Floats) -> None:
    """A node's k is at most the least k of its direct generalizations; `known` holds -k, as a cost."""
    levels = problem.above_lowest(nodes)
    for axis, weight in enumerate(problem.lattice.weights):
        below = nodes[levels[:, axis] < problem.lattice.shape[axis] - 1]
        known[below] = np.maximum(known[below], known[below + weight])


def is_open(problem: Problem, nodes: Integers, known: Floats, collector: Collector) -> npt.NDArray[np.bool_]:
    """Whether no solution so far is nowhere worse than the best that a node could be."""
    best = as_costs(collector.best().values, problem.directions)
    floor = floors(problem, nodes).least[:, 1]
    closed = (best[None, :, 0] <= known[nodes, None]) & (best[None, :, 1] <= floor[:, None])
    return np.asarray(~closed.any(axis=1), dtype=np.bool_)
