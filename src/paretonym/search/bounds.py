"""Bounds: the best value that each objective could have at a node, known before it is evaluated.

Three kinds of bounds, each proven. *Floors*: a cost with nothing suppressed follows from column totals, and
suppression never lowers it. *Inherited*: an objective that cannot improve when a node is specialized is at
best what it is at a more general node. *Staircase*: for every size a, the number of rows in classes smaller
than a never decreases when a node is specialized, so reaching k = a costs at least as many suppressed rows as
at the more general node.

The same bounds say what could still dominate each solution after a search was stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats, Integers, Mask
from paretonym.counts import Memory
from paretonym.counts import kernel_interface as interface
from paretonym.frontier import as_costs
from paretonym.measures import CellCosts, Objective
from paretonym.rounding import rounded
from paretonym.search.archive import Best, Found, Unresolved
from paretonym.search.problem import Problem

MOST_STAIRS = 48
_STAIRCASE_BYTES = 200_000_000
# Distances of classes are rounded to twelve decimal places.
DECIMALS = 1e12
# Up to this many nodes are examined one by one.
MOST_NODES = 20_000_000
_CHUNK = 200_000


def inherited(problem: Problem) -> tuple[int, ...]:
    """Places of the objectives whose best value is that of a more general node."""
    return tuple(place for place, o in enumerate(problem.objectives) if _inherits(problem, o))


def _inherits(problem: Problem, objective: Objective) -> bool:
    return is_monotone(problem, objective) or is_reached(problem, objective) or bool(objective.card.reach)


def is_monotone(problem: Problem, objective: Objective) -> bool:
    """Whether it never improves when a node is specialized."""
    good = "rises" if objective.direction == "max" else "falls"
    algebra = objective.card.algebra
    return algebra.limited == good or (problem.suppressible == 0 and algebra.unsuppressed == good)


def is_reached(problem: Problem, objective: Objective) -> bool:
    """Whether it is known what no specialization can reach, although it may improve."""
    of_values = objective.card.algebra.classwise and bool(objective.statistics)
    return of_values and all(statistic.bounded for statistic in objective.statistics)


def slack(problem: Problem, places: tuple[int, ...]) -> Floats:
    """By how much rounding alone can make a value better than the one it inherits.

    Sums over an order or a tree can be equal for classes with different shares, and then differ by one in the
    last of twelve decimal places. All other inherited measures are exact, or equal only for equal shares.
    """
    statistics = [problem.objectives[place].statistics for place in places]
    summed = [any(s.summed for s in each) for each in statistics]
    return np.where(summed, 2 / DECIMALS, 0.0)


def has_floor(objective: Objective) -> bool:
    """Whether cell costs bound it from below."""
    return objective.card.algebra.floor in ("all-rows", "staying-rows")


class Floors(NamedTuple):
    """As costs (less is better): the best value of each objective at some nodes, and the additional cost of
    every suppressed row."""

    least: Floats
    per_row: Floats


def floors(problem: Problem, nodes: Integers) -> Floors:
    """The floors of some nodes."""
    least = np.empty((len(nodes), len(problem.objectives)))
    per_row = np.zeros_like(least)
    for place, objective in enumerate(problem.objectives):
        least[:, place], per_row[:, place] = _floor(problem, objective, nodes)
    return Floors(least, per_row)


def _floor(problem: Problem, objective: Objective, nodes: Integers) -> tuple[Floats | float, Floats | float]:
    card = objective.card
    if card.algebra.floor == "all-rows":
        cost = problem.costs[card.costs[0]]
        floor = problem.at_nodes(("floors", card.costs[0]), lambda above: _of_all_rows(cost, above), nodes)
        return floor[0], floor[1]
    if card.algebra.floor == "staying-rows":
        cost, above = problem.costs[card.costs[0]], problem.above_lowest(nodes)
        # A suppressed row saves its own cost, which is at most that of the most expensive row of the node.
        spent = cost.dearest_rows(above).times(problem.suppressible)
        return np.maximum((cost.node_totals(above) - spent).over(cost.rule.whole), 0.0), 0.0
    if card.algebra.floor == "suppressed-rows":
        return 0.0, 1.0 / problem.cube.rows
    return _best(problem, objective), 0.0


def _of_all_rows(cost: CellCosts, above: Integers) -> Floats:
    """The cost of all rows at nodes with these levels, and the additional cost of a suppressed row."""
    more = (cost.rule.most - cost.dearest_rows(above)).over(cost.rule.whole)
    least = (cost.node_totals(above) - cost.rule.base).over(cost.rule.whole)
    return np.stack([least, np.maximum(more, 0.0)])


def _best(problem: Problem, objective: Objective) -> float:
    """The best possible value of the measure, as a cost."""
    if objective.card.is_class_size:
        return -float(problem.cube.rows)
    if objective.direction == "max":
        return -np.inf if objective.card.highest is None else -objective.card.highest
    return -np.inf if objective.card.lowest is None else objective.card.lowest


def stairs(problem: Problem, most: int) -> Integers:
    """The sizes at which the staircase is known: all small ones, then at growing intervals. Empty without
    k."""
    if not any(objective.card.is_class_size for objective in problem.objectives):
        return np.empty(0, dtype=np.int64)
    half = max(min(most, MOST_STAIRS) // 2, 1)
    small = np.arange(1, half + 1)
    large = np.geomspace(small[-1], max(problem.cube.rows, small[-1] + 1), half)
    return np.unique(np.concatenate([small, np.rint(large)]).astype(np.int64))


def required_costs(problem: Problem) -> Floats:
    """The worst value of each objective that meets the requirements, as costs and before rounding."""
    required = {objective.name: np.inf for objective in problem.objectives}
    for requirement in problem.requirements:
        name = requirement.objective.name
        if name in required and requirement.prunes:
            required[name] = min(required[name], requirement.worst_cost)
    return np.array(list(required.values()), dtype=np.float64)


def nothing_known(
    problem: Problem, places: tuple[int, ...], order: Sequence[int], memory: Memory
) -> interface.Bounds:
    """The bounds before anything is evaluated; `order` is that of the axes in tables of levels."""
    size = problem.lattice.size
    sizes = stairs(problem, most=_STAIRCASE_BYTES // (4 * size))
    staircase = memory.array("staircase", (size, len(sizes)), np.int32)
    staircase.fill(0)
    return interface.Bounds.made(
        size_place=next((i for i, o in enumerate(problem.objectives) if o.card.is_class_size), -1),
        suppressible=problem.suppressible,
        known=np.full((size, len(places)), -np.inf),
        staircase=staircase,
        sizes=sizes,
        place=np.array(places, dtype=np.int64),
        tops=np.array([problem.lattice.shape[j] - 1 for j in order], dtype=np.int64),
        weights=np.array([problem.lattice.weights[j] for j in order], dtype=np.int64),
        required=required_costs(problem),
    )


def heights(shape: tuple[int, ...]) -> npt.NDArray[np.int16]:
    """The sum of levels of each node."""
    result = np.zeros(1, dtype=np.int16)
    for extent in shape:
        result = np.add.outer(result, np.arange(extent, dtype=np.int16)).ravel()
    return result


def rivals(ideal: Floats, values: Floats, directions: tuple[str, ...]) -> tuple[Unresolved, ...]:
    """For each solution, the open nodes that could be nowhere worse, and the best value of each objective
    there.

    `ideal` holds the best values that each open node could have, as costs.
    """
    results = []
    for row in as_costs(values, directions):
        could = ideal[(ideal <= row).all(axis=1) & (ideal < row).any(axis=1)]
        best = could.min(axis=0) if len(could) else row
        results.append(Unresolved(len(could), tuple(as_costs(best[None, :], directions)[0].tolist())))
    return tuple(results)


def stopped(problem: Problem, best: Best, evaluated: int, seen: Mask | None) -> Found:
    """The result of a search without bounds when its time is over: a node that was not evaluated may have any
    values that its floors allow. Without `seen` (the lattice is too large), the floors of the bottom node are
    used for all."""
    total = problem.lattice.size
    if evaluated == total:
        return Found(best, evaluated, complete=True)
    if seen is None:
        ideal = np.minimum(floors(problem, np.zeros(1, dtype=np.int64)).least, 0.0)  # no loss is below 0
        reach = tuple(as_costs(ideal, problem.directions)[0].tolist())
        every = tuple(Unresolved(total - evaluated, reach) for _ in best.values)
        return Found(best, evaluated, complete=False, open=total - evaluated, unresolved=every)
    left = np.flatnonzero(~seen)
    parts = [
        rivals(rounded(floors(problem, left[start : start + _CHUNK]).least), best.values, problem.directions)
        for start in range(0, len(left), _CHUNK)
    ]
    together = tuple(_together(chunk, problem.directions) for chunk in zip(*parts, strict=True))
    return Found(best, evaluated, complete=False, open=len(left), unresolved=together)


def _together(parts: tuple[Unresolved, ...], directions: tuple[str, ...]) -> Unresolved:
    costs = as_costs(np.array([part.values for part in parts]), directions).min(axis=0)
    best = as_costs(costs[None, :], directions)[0]
    return Unresolved(sum(part.nodes for part in parts), tuple(best.tolist()))
