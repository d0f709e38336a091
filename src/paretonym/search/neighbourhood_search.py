"""Neighbourhood search, for lattices that are too large to prove: solutions are found by going from neighbour
to neighbour.

Top, bottom and a node between them give a first frontier; then the neighbours of its solutions, old and new,
are evaluated until nothing new is found. If time is left, every node is evaluated after that, unless the
number of evaluations is limited.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import replace

import numpy as np

from paretonym.arrays import Integers
from paretonym.budget import Limits
from paretonym.search.archive import Collector, Found, best_of
from paretonym.search.exhaustive import search_exhaustive, sweep
from paretonym.search.node_evaluation import Evaluator, evaluator
from paretonym.search.optimality_gap import stopped
from paretonym.search.problem import Problem
from paretonym.thread_pool import in_parallel, workers

_BATCH = 64


def search_every_node(problem: Problem, limits: Limits) -> Found:
    """Evaluate every node, or only the neighbours of good solutions if evaluations are limited."""
    return (search_exhaustive if limits.evaluations is None else search_large)(problem, limits)


def search_large(problem: Problem, limits: Limits) -> Found:
    """Search the neighbourhood of good solutions, then all nodes as far as the time allows; only the first if
    there may be so many evaluations."""
    collector = Collector(problem)
    evaluate = evaluator(problem)
    with workers(limits.threads) as pool:
        seen = _spread(problem, collector, evaluate, pool, limits)
        # The sweep starts from the beginning, but progress must not go back.
        onward = replace(limits, progress=lambda n, total: limits.progress(max(n, seen), total))
        ends = limits.over or limits.evaluations is not None
        done = 0 if ends else sweep(problem, collector, evaluate, pool, onward, None)
    return stopped(problem, collector.best(), max(done, seen), None)


def _spread(
    problem: Problem, collector: Collector, evaluate: Evaluator, pool: Executor | None, limits: Limits
) -> int:
    """Evaluate neighbours of the frontier until nothing new is found or the time is over. Returns how
    many."""
    seen: set[int] = set()
    waiting = np.unique(np.array([0, problem.lattice.size // 2, problem.lattice.size - 1], dtype=np.int64))
    while len(waiting):
        batches = np.array_split(waiting, -(-len(waiting) // _BATCH))
        for batch, best in in_parallel(
            lambda numbers: best_of(problem, evaluate(numbers)), batches, pool, limits.threads
        ):
            seen.update(batch.tolist())
            collector.add(best)
            limits.progress(len(seen), problem.lattice.size)
            if limits.over:
                return len(seen)
        near = neighbours(problem, np.unique(collector.best().counted.nodes))
        waiting = np.array(sorted(set(near.tolist()) - seen), dtype=np.int64)[: limits.left(len(seen))]
    return len(seen)


def neighbours(problem: Problem, nodes: Integers) -> Integers:
    """All nodes one level up or down from some nodes."""
    above = problem.above_lowest(nodes)
    found = [nodes[above[:, j] > 0] - weight for j, weight in enumerate(problem.lattice.weights)] + [
        nodes[above[:, j] < extent - 1] + weight
        for j, (weight, extent) in enumerate(zip(problem.lattice.weights, problem.lattice.shape, strict=True))
    ]
    return np.unique(np.concatenate(found))
