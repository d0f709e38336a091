"""Evaluation of nodes on all cores: visits, or one node after the other where units are suppressed whole."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TypeAlias

import numpy as np

from paretonym.base.arrays import Integers
from paretonym.engine.counts import Counted, Plan, Visits, count_units_at
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.search.bounds import enter_stairs
from paretonym.engine.search.problem import Problem

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
    table: Integers | None = None,
) -> list[Evaluator]:
    """Several counters that share what is constant but remember different nodes: what one has rolled up,
    another would have to roll up again.

    With `every_threshold` all thresholds on class size are counted, whatever the problem's rule. Nodes cost
    least in dictionary order, with the axes in `order`. The plan may be made beforehand. The staircase of
    every node that is evaluated goes to `bounds`. With a `table` of nodes, places in it are given and
    returned, and `bounds` are those of these nodes alone.
    """
    if problem.cube.units is not None:
        return [_by_units(problem, every_threshold, bounds, table)] * lanes
    plan = plan or plan_for(problem, every_threshold, order)
    return [_visiting(problem, plan, bounds, table) for _ in range(lanes)]


def plan_for(problem: Problem, every_threshold: bool, order: tuple[int, ...] | None) -> Plan:
    """The cube laid out for visits."""
    costs = problem.unit_costs
    return Plan.of(problem.cube, costs, problem.suppressible, every_threshold, problem.statistics, order)


def _visiting(
    problem: Problem,
    plan: Plan,
    bounds: interface.Bounds | None,
    table: Integers | None,
) -> Evaluator:
    # Visits hold much memory: each is lent to one thread at a time and returned afterwards.
    idle: SimpleQueue[Visits] = SimpleQueue()

    def evaluate(numbers: Integers) -> Counted:
        try:
            visits = idle.get_nowait()
        except Empty:
            visits = Visits(plan, None if problem.by_size else problem.threshold_places, bounds)
        try:
            return visits.visit(numbers, problem.above_lowest(_nodes(numbers, table)))
        finally:
            idle.put(visits)

    return evaluate


def _nodes(numbers: Integers, table: Integers | None) -> Integers:
    nodes: Integers = numbers if table is None else table[numbers]
    return nodes


def _by_units(
    problem: Problem, every_threshold: bool, bounds: interface.Bounds | None, table: Integers | None
) -> Evaluator:
    """Node by node, where a suppressed row takes others with it."""
    stairs = bounds is not None and bounds.stairs > 0

    def evaluate(numbers: Integers) -> Counted:
        levels = problem.lattice.level_table(_nodes(numbers, table)).tolist()
        parts = [
            count_units_at(
                problem.cube,
                number,
                levels_of_node,
                problem.unit_costs,
                problem.statistics,
                problem.suppressible,
                every_threshold or stairs,
            )
            for number, levels_of_node in zip(numbers.tolist(), levels, strict=True)
        ]
        counted = Counted.joined(parts)
        if bounds is None or not stairs:
            return counted
        enter_stairs(counted, bounds, problem.cube.rows)
        # The limit's own candidate is the last threshold of each node.
        ends = np.cumsum([len(part.nodes) for part in parts])
        return counted if every_threshold else counted.take(ends - 1)

    return evaluate
