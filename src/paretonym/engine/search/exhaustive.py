"""Exhaustive search: every node of the lattice, in blocks, on all cores. The frontier is exact.

Lattices that are too large to prove are searched by going from neighbour to neighbour. Top, bottom and a
node between them give a first frontier; then the neighbours of its solutions, old and new, are evaluated
until nothing new is found. If time is left, every node is evaluated after that, unless the number of
evaluations is limited.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Integers
from paretonym.base.budget import Checkpoint, Limits, SearchState
from paretonym.base.thread_pool import in_parallel, workers
from paretonym.engine.search.archive import Collector, Found, best_of, nodes_of
from paretonym.engine.search.bounds import MOST_NODES
from paretonym.engine.search.node_evaluation import Evaluator, evaluator
from paretonym.engine.search.optimality_gap import stopped
from paretonym.engine.search.problem import Problem
from paretonym.engine.search.search_options import STANDARD, Tuning

_LONGEST_STRETCH = 2048
_MOST_CANDIDATES = 500_000
# The kind of state that a sweep over all nodes keeps.
SWEEP = "sweep"


def search_exhaustive(problem: Problem, limits: Limits, tuning: Tuning = STANDARD) -> Found:
    """Evaluate every node; return what was found so far when the time is over."""
    collector, evaluate = Collector(problem), evaluator(problem)
    seen = unseen(problem)
    if limits.seconds is not None:
        # Always evaluated, whatever the time: the unchanged table, and everything hidden.
        ends = np.unique(np.array([0, problem.lattice.size - 1], dtype=np.int64))
        collector.add(best_of(problem, evaluate(ends)))
        if seen is not None:
            seen[ends] = True
    with workers(limits.threads) as pool:
        done = sweep(problem, collector, evaluate, pool, limits, seen)
    return stopped(problem, collector.best(), done if seen is None else int(seen.sum()), seen)


def unseen(problem: Problem) -> npt.NDArray[np.bool_] | None:
    """A mark for every node, if that fits into memory."""
    size = problem.lattice.size
    return np.zeros(size, dtype=np.bool_) if size <= MOST_NODES else None


def sweep(
    problem: Problem,
    collector: Collector,
    evaluate: Evaluator,
    pool: Executor | None,
    limits: Limits,
    seen: npt.NDArray[np.bool_] | None,
) -> int:
    """All nodes in the order that costs least, until the time is over. Returns how many."""
    total, walked = problem.lattice.size, _Walked(problem, limits.checkpoint)
    done = walked.done
    if done or walked.best:
        # The first node of the walk, too: perhaps no release was admissible at any node so far.
        again = np.array(sorted({0, *walked.best}), dtype=np.int64)
        collector.add(best_of(problem, evaluate(again)))
        for numbers in stretches(problem, 0, done):
            if seen is not None:
                seen[numbers] = True
    pieces = stretches(problem, done, total)
    for numbers, best in in_parallel(lambda n: best_of(problem, evaluate(n)), pieces, pool, limits.threads):
        collector.add(best)
        done += len(numbers)
        walked.add(numbers)
        limits.checkpoint.offer(lambda: walked.state(collector))
        if seen is not None:
            seen[numbers] = True
        limits.progress(done, total)
        limits.estimate(done, total)
        if limits.over:
            break
    return done


class _Walked:
    """Number of nodes, counted in walking order, that are all evaluated; others beyond them may be too."""

    def __init__(self, problem: Problem, checkpoint: Checkpoint) -> None:
        stored = checkpoint.resumed(SWEEP) or {"done": 0, "best": []}
        self.done, self.best = int(stored["done"]), stored["best"]
        self._pieces = stretches(problem, self.done, problem.lattice.size)
        self._next = next(self._pieces, None)
        self._ahead: set[int] = set()

    def add(self, numbers: Integers) -> None:
        self._ahead.add(int(numbers[0]))
        while self._next is not None and int(self._next[0]) in self._ahead:
            self._ahead.remove(int(self._next[0]))
            self.done += len(self._next)
            self._next = next(self._pieces, None)

    def state(self, collector: Collector) -> SearchState:
        """State that is needed to go on: nodes, and nothing that was counted."""
        return {"kind": SWEEP, "done": self.done, "best": nodes_of(collector)}


def stretches(problem: Problem, first: int = 0, after: int | None = None) -> Iterator[Integers]:
    """All nodes in walking order, or some of them, in pieces that share out evenly and bound the memory of
    their facts."""
    order = problem.cube.walking_order
    shape = tuple(problem.lattice.shape[j] for j in order)
    total = problem.lattice.size
    length = max(1, min(_LONGEST_STRETCH, total // 32, _MOST_CANDIDATES // problem.most_candidates))
    weights = np.array([problem.lattice.weights[j] for j in order], dtype=np.int64)
    end = total if after is None else after
    for start in range(first, end, length):
        walked = np.arange(start, min(start + length, end), dtype=np.int64)
        levels = np.stack(np.unravel_index(walked, shape), axis=1)
        yield levels @ weights


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
    near = [nodes[above[:, j] > 0] - weight for j, weight in enumerate(problem.lattice.weights)] + [
        nodes[above[:, j] < extent - 1] + weight
        for j, (weight, extent) in enumerate(zip(problem.lattice.weights, problem.lattice.shape, strict=True))
    ]
    return np.unique(np.concatenate(near))
