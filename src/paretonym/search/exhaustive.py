"""Exhaustive search: every node of the lattice, in stretches, on all cores. The frontier is exact."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube import compiling
from paretonym.cube.packing import Packing
from paretonym.cube.plain import node_facts
from paretonym.search.collecting import Collector
from paretonym.search.problem import Problem
from paretonym.search.progress import Progress

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Counted: TypeAlias = tuple[int, Integers, Floats]
Stretch: TypeAlias = tuple[int, int]
Worker: TypeAlias = Callable[[Stretch], Counted]

_LONGEST_STRETCH = 2048
_MOST_BYTES = 32_000_000


def search_exhaustive(problem: Problem, threads: int, progress: Progress) -> tuple[Collector, int]:
    """Evaluate every node. Returns what was collected and the number of nodes evaluated."""
    total = problem.lattice.size
    collector = Collector(problem)
    done = 0
    for nodes, counted, spent in _in_parallel(_worker(problem), _stretches(problem), threads):
        collector.add(counted, spent)
        done += nodes
        progress(done, total)
    return collector, done


def _worker(problem: Problem) -> Worker:
    packing = Packing.of([axis.groups(axis.lowest) for axis in problem.cube.axes])
    return _compiled_worker(problem) if compiling.available() and packing.fits else _plain_worker(problem)


def _compiled_worker(problem: Problem) -> Worker:
    from paretonym.cube.walking import Walk, plan_walk

    plan = plan_walk(
        problem.cube,
        [cost.units for cost in problem.costs.values()],
        problem.suppressible,
        problem.every_threshold,
    )
    local = threading.local()

    def evaluate(stretch: Stretch) -> Counted:
        if not hasattr(local, "walk"):
            local.walk = Walk(plan)
        start, nodes = stretch
        local.walk.seek(start)
        counted, spent = local.walk.advance(nodes)
        return nodes, counted, spent

    return evaluate


def _plain_worker(problem: Problem) -> Worker:
    costs = [cost.units for cost in problem.costs.values()]

    def evaluate(stretch: Stretch) -> Counted:
        start, nodes = stretch
        parts = [
            node_facts(
                problem.cube,
                node,
                problem.lattice.levels(node),
                costs,
                problem.suppressible,
                problem.every_threshold,
            )
            for node in range(start, start + nodes)
        ]
        return nodes, np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])

    return evaluate


def _stretches(problem: Problem) -> Iterator[Stretch]:
    """Pieces of the lattice, small enough to share out evenly and to bound the memory of their facts."""
    total = problem.lattice.size
    per_node = 1
    if problem.every_threshold:
        from paretonym.cube.thresholds import most_thresholds

        per_node = most_thresholds(problem.suppressible)
    length = max(1, min(_LONGEST_STRETCH, total // 32, _MOST_BYTES // (64 * per_node)))
    return ((start, min(length, total - start)) for start in range(0, total, length))


def _in_parallel(worker: Worker, stretches: Iterator[Stretch], threads: int) -> Iterator[Counted]:
    """Results as they come in, with only a few stretches under way, so that an interrupt stops soon."""
    if threads == 1:
        yield from map(worker, stretches)
        return
    pool = ThreadPoolExecutor(threads, thread_name_prefix="paretonym")
    try:
        running: set[Future[Counted]] = {pool.submit(worker, s) for s in islice(stretches, 2 * threads)}
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                running |= {pool.submit(worker, s) for s in islice(stretches, 1)}
                yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
