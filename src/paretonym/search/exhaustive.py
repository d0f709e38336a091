"""Exhaustive search: every node of the lattice, in stretches, on all cores. The frontier is exact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.layout import walking_order
from paretonym.search.collecting import Best, Collector, best_of
from paretonym.search.evaluating import evaluator, in_parallel
from paretonym.search.problem import Problem
from paretonym.search.progress import Progress

Integers: TypeAlias = npt.NDArray[np.int64]

_LONGEST_STRETCH = 2048
_MOST_CANDIDATES = 500_000


def search_exhaustive(problem: Problem, threads: int, progress: Progress) -> tuple[Best, int]:
    """Evaluate every node. Returns the frontier and the number of nodes evaluated."""
    total = problem.lattice.size
    collector = Collector(problem)
    evaluate = evaluator(problem)
    done = 0
    for numbers, best in in_parallel(lambda n: best_of(problem, evaluate(n)), stretches(problem), threads):
        collector.add(best)
        done += len(numbers)
        progress(done, total)
    return collector.best(), done


def stretches(problem: Problem) -> Iterator[Integers]:
    """All nodes in walking order, in pieces that share out evenly and bound the memory of their facts."""
    order = walking_order(problem.cube)
    shape = tuple(problem.lattice.shape[j] for j in order)
    total = problem.lattice.size
    length = max(1, min(_LONGEST_STRETCH, total // 32, _MOST_CANDIDATES // problem.most_candidates))
    weights = np.array([problem.lattice.weights[j] for j in order], dtype=np.int64)
    for start in range(0, total, length):
        walked = np.arange(start, min(start + length, total), dtype=np.int64)
        levels = np.stack(np.unravel_index(walked, shape), axis=1)
        yield levels @ weights
