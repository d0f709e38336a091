"""Counting at nodes, on all cores: compiled where that is possible, in plain numpy where it is not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from paretonym.cube import compiling
from paretonym.cube.counted import Counted
from paretonym.cube.packing import Packing
from paretonym.cube.plain import node_facts
from paretonym.search.problem import Problem

Integers: TypeAlias = npt.NDArray[np.int64]
Result = TypeVar("Result")
# Counts the candidates of some nodes, given by their numbers.
Evaluator: TypeAlias = Callable[[Integers], Counted]


def evaluator(problem: Problem) -> Evaluator:
    """What counts at nodes of this problem. May be called from several threads at once."""
    packing = Packing.of([axis.groups(axis.lowest) for axis in problem.cube.axes])
    return _compiled(problem) if compiling.available() and packing.fits else plain_evaluator(problem)


def _compiled(problem: Problem) -> Evaluator:
    from paretonym.cube.layout import lay_out
    from paretonym.cube.walking import Walk

    costs = [cost.units for cost in problem.costs.values()]
    plan = lay_out(problem.cube, costs, problem.suppressible, problem.every_threshold, problem.statistics)
    own = threading.local()

    def evaluate(numbers: Integers) -> Counted:
        if not hasattr(own, "walk"):
            own.walk = Walk(plan)
        counted: Counted = own.walk.visit(numbers, problem.above_lowest(numbers))
        return counted

    return evaluate


def plain_evaluator(problem: Problem) -> Evaluator:
    """Node by node, without a compiler."""
    costs = [cost.units for cost in problem.costs.values()]

    def evaluate(numbers: Integers) -> Counted:
        parts = [
            node_facts(
                problem.cube,
                levels,
                costs,
                problem.statistics,
                problem.suppressible,
                problem.every_threshold,
            )
            for levels in problem.lattice.level_table(numbers).tolist()
        ]
        nodes = np.repeat(numbers, [len(facts) for facts, _, _ in parts])
        return Counted(nodes, *(np.concatenate(column) for column in zip(*parts, strict=True)))

    return evaluate


def in_parallel(
    work: Callable[[Integers], Result], batches: Iterable[Integers], threads: int
) -> Iterator[tuple[Integers, Result]]:
    """Each batch with its result, as they come in; only a few are under way, so an interrupt stops soon."""
    if threads == 1:
        yield from ((batch, work(batch)) for batch in batches)
        return
    waiting = iter(batches)
    pool = ThreadPoolExecutor(threads, thread_name_prefix="paretonym")
    try:
        running: dict[Future[Result], Integers] = {}
        while True:
            for batch in islice(waiting, 2 * threads - len(running)):
                running[pool.submit(work, batch)] = batch
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
