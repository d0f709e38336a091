"""Evaluation of nodes on all cores: by the kernels, or in numpy what these do not count."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TypeAlias

import numpy as np

from paretonym.arrays import Integers
from paretonym.counts import Counted, Memory, Plan, Visits, counts_compiled, node_facts
from paretonym.counts import kernel_interface as interface
from paretonym.counts import kernel_library as library
from paretonym.search.problem import Problem
from paretonym.search.pruning import enter_stairs

# Counts the candidates of some nodes, given by their numbers.
Evaluator: TypeAlias = Callable[[Integers], Counted]


def evaluator(problem: Problem, every_threshold: bool | None = None) -> Evaluator:
    """The counter for nodes of this problem. May be called from several threads at once. Nodes cost least in
    walking order."""
    every = problem.every_threshold if every_threshold is None else every_threshold
    return evaluators(problem, 1, every)[0]


def evaluators(
    problem: Problem,
    lanes: int,
    every_threshold: bool,
    order: tuple[int, ...] | None = None,
    plan: Plan | None = None,
    bounds: interface.Bounds | None = None,
    memory: Memory | None = None,
    table: Integers | None = None,
) -> list[Evaluator]:
    """Several counters that share what is constant but remember different nodes: what one has rolled up,
    another would have to roll up again.

    With `every_threshold` all thresholds on class size are counted, whatever the problem's rule. Nodes cost
    least in dictionary order, with the axes in `order`. The plan may be made beforehand. The staircase of
    every node that is evaluated goes to `bounds`. With `memory`, which the first one takes, only one thread
    may call. With a `table` of nodes, places in it are given and returned, and `bounds` are those of these
    nodes alone.
    """
    if not compiled(problem):
        return [plain_evaluator(problem, every_threshold, bounds, table)] * lanes
    plan = plan or plan_for(problem, every_threshold, order)
    return [_visiting(problem, plan, bounds, memory, table) for _ in range(lanes)]


def compiled(problem: Problem) -> bool:
    """Whether compiled code counts for this problem."""
    if problem.cube.units is not None:
        # Rows that go together are counted in numpy.
        return False
    few = problem.cube.rows <= library.MOST_ROWS
    countable = counts_compiled(problem.cube, problem.statistics)
    return few and countable


def plan_for(problem: Problem, every_threshold: bool, order: tuple[int, ...] | None) -> Plan:
    """The cube laid out for visits."""
    costs = problem.unit_costs
    return Plan.of(problem.cube, costs, problem.suppressible, every_threshold, problem.statistics, order)


def _visiting(
    problem: Problem,
    plan: Plan,
    bounds: interface.Bounds | None,
    memory: Memory | None,
    table: Integers | None,
) -> Evaluator:
    # Visits hold much memory: each is lent to one thread at a time and returned afterwards.
    idle: SimpleQueue[Visits] = SimpleQueue()

    def evaluate(numbers: Integers) -> Counted:
        try:
            visits = idle.get_nowait()
        except Empty:
            visits = Visits(plan, None if problem.by_size else problem.threshold_places, bounds, memory)
        try:
            return visits.visit(numbers, problem.above_lowest(_nodes(numbers, table)))
        finally:
            idle.put(visits)

    return evaluate


def _nodes(numbers: Integers, table: Integers | None) -> Integers:
    nodes: Integers = numbers if table is None else table[numbers]
    return nodes


def plain_evaluator(
    problem: Problem,
    every_threshold: bool | None = None,
    bounds: interface.Bounds | None = None,
    table: Integers | None = None,
) -> Evaluator:
    """Node by node, in numpy."""
    every = problem.every_threshold if every_threshold is None else every_threshold
    stairs = bounds is not None and bounds.stairs > 0
    costs = problem.unit_costs

    def evaluate(numbers: Integers) -> Counted:
        parts = [
            node_facts(
                problem.cube,
                levels,
                costs,
                problem.statistics,
                problem.suppressible,
                every or stairs,
                [o.statistics for o in problem.thresholds] if not problem.by_size else ((),),
            )
            for levels in problem.lattice.level_table(_nodes(numbers, table)).tolist()
        ]
        lengths = [len(facts) for facts, _, _ in parts]
        nodes = np.repeat(numbers, lengths)
        counted = Counted(nodes, *(np.concatenate(column) for column in zip(*parts, strict=True)))
        if bounds is None or not stairs:
            return counted
        enter_stairs(counted, bounds, problem.cube.rows)
        # The limit's own candidate is the last threshold of each node.
        return counted if every else counted.take(np.cumsum(lengths) - 1)

    return evaluate
