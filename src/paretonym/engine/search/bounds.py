"""Bounds: the best value that each objective could have at a node, known before it is evaluated.

Three kinds of bounds, each proven. *Floors*: a cost with nothing suppressed follows from column totals, or is
at least what it is at a more specific node, and suppression never lowers it. *Inherited*: an objective that
cannot improve when a node is specialized is at best what it is at a more general node. *Staircase*: for every
size a, the number of rows in classes smaller than a never decreases when a node is specialized, so reaching
k = a costs at least as many suppressed rows as at the more general node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.engine.counts import Counted
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.counts import kernel_library as library
from paretonym.engine.frontier import as_costs
from paretonym.engine.measures import CellCosts, Facts, Objective, WeightedFloors
from paretonym.engine.search.problem import Problem

MOST_STAIRS = 48
_STAIRCASE_BYTES = 200_000_000
# One in the last digit of a distance, which is at most 1.
_LAST_DIGIT = 1e-10
# The floors of nodes are rounded outward by more than a value is rounded: a node with the same value as
# another one is evaluated, and not closed because that value was rounded down.
_OUTWARD = 1 - 1e-9
_MOST_GONE = 2**31 - 1
# Up to this many nodes are examined one by one.
MOST_NODES = 20_000_000


def inherited(problem: Problem) -> tuple[int, ...]:
    """Places of the objectives whose best value is that of a more general node."""
    return tuple(place for place, o in enumerate(problem.objectives) if _inherits(problem, o))


def _inherits(problem: Problem, objective: Objective) -> bool:
    bounded = is_reached(problem, objective) or is_capped(problem, objective)
    return is_monotone(problem, objective) or bounded or bool(objective.reach)


def is_monotone(problem: Problem, objective: Objective) -> bool:
    """True if it never improves when a node is specialized. If a person can be in several classes, only the
    size of a class and its distinct values are known to behave so."""
    good = "rises" if objective.direction == "max" else "falls"
    algebra = objective.card.algebra
    if not (problem.cube.adds_up or objective.card.grows_with_any_class):
        return False
    return algebra.limited == good or (problem.suppressible == 0 and algebra.unsuppressed == good)


def is_reached(problem: Problem, objective: Objective) -> bool:
    """True if it is known what no specialization can reach, although it may improve."""
    of_values = objective.card.algebra.classwise and bool(objective.statistics)
    bounded = of_values and all(statistic.bounded for statistic in objective.statistics)
    return bounded and _counts_rows(problem)


def is_capped(problem: Problem, objective: Objective) -> bool:
    """True if its value with nothing suppressed is as good as any at a more specific node.

    Σ|C|² and the squared counts of each value are such sums (`spread-k`, `spread-l`). A class of node n is a
    union of classes A, B, … of its specialization m, and (a + b + …)² ≥ a² + b² + …, so that the sum over all
    classes of m is at most that of n. Suppression takes terms away, none of which is negative. So whatever is
    suppressed at m, its value is at most that of n with nothing suppressed. Sizes must be rows: two classes
    that share a person can have fewer when merged than their sum.
    """
    better, worse = ("rises", "falls") if objective.direction == "max" else ("falls", "rises")
    algebra = objective.card.algebra
    return (algebra.unsuppressed, algebra.suppression) == (better, worse) and _counts_rows(problem)


def is_inherited_whole(objective: Objective) -> bool:
    """True if it never improves when a node is specialized and no row is suppressed there: a class of the
    more general node is then a union of classes that stay."""
    good = "rises" if objective.direction == "max" else "falls"
    algebra = objective.card.algebra
    return algebra.classwise and bool(objective.statistics) and algebra.unsuppressed == good


def slack(problem: Problem, places: tuple[int, ...]) -> Floats:
    """By how much rounding alone can make a value better than the one it inherits.

    Sums over an order or a tree can be equal for classes with different shares, and then differ by one in the
    last digit. All other inherited measures are exact, or equal only for equal shares.
    """
    statistics = [problem.objectives[place].statistics for place in places]
    summed = [any(s.summed for s in each) for each in statistics]
    return np.where(summed, 2 * _LAST_DIGIT, 0.0)


class Reach(NamedTuple):
    """Facts of candidates, and the best that inherited objectives can be at their nodes and below, as
    costs; and the least that costs which grow from below can be there and above."""

    facts: Facts
    values: Floats
    best: Floats
    least: Floats


class Inheritance:
    """The objectives that more specific nodes inherit bounds of, and how these follow from what is counted.
    `problem` counts what bounds specializations besides what `plain` asks for. `places` are those of the
    objectives; the last `conditional` ones hold only where nothing is suppressed, and are there if it is
    known before an evaluation where that is: `sized`. `below` are the places of the costs that more general
    nodes inherit a floor of, if these are wanted: `from_below`. At the places `_capped` more specific nodes
    inherit the value with nothing suppressed."""

    def __init__(self, plain: Problem, sized: bool = False, from_below: bool = False) -> None:
        self.plain, own = plain, inherited(plain)
        loose = [p for p in own if not is_monotone(plain, plain.objectives[p])]
        self._capped = [p for p in loose if is_capped(plain, plain.objectives[p])]
        self._reached = [p for p in loose if p not in self._capped]
        self._whole = [p for p in self._reached if sized and is_inherited_whole(plain.objectives[p])]
        self.places, self.conditional = (*own, *self._whole), len(self._whole)
        self.below = tuple(p for p in floored_below(plain) if from_below)
        unsuppressed = tuple(plain.objectives[p] for p in (*self._whole, *self._capped, *self.below))
        self.problem = replace(plain, with_reaches=bool(self._reached), unsuppressed=unsuppressed)
        self._slack = slack(plain, self.places)

    def reach(self, counted: Counted) -> Reach:
        facts = self.problem.facts(counted)
        values = self.problem.values(facts)
        best = values.copy()
        for place in self._reached:
            best[:, place] = self.problem.reachable(facts, self.problem.objectives[place])
        whole = [self.problem.with_nothing_suppressed(facts, o) for o in self.problem.unsuppressed]
        whole, rest = whole[: self.conditional], whole[self.conditional :]
        for place, value in zip(self._capped, rest, strict=False):
            best[:, place] = value
        below = rest[len(self._capped) :]
        directions = [self.problem.directions[place] for place in self.places]
        every = np.column_stack([best[:, self.places[: len(self.places) - self.conditional]], *whole])
        least = np.column_stack([np.empty((len(values), 0)), *below]) * _OUTWARD
        return Reach(facts, values, as_costs(every, tuple(directions)) - self._slack, least)

    def own(self, counted: Counted) -> Counted:
        """Counts for the plain problem."""
        return counted._replace(statistics=counted.statistics[:, : len(self.plain.statistics)])


def has_floor(objective: Objective) -> bool:
    """True if cell costs bound it from below."""
    return objective.card.algebra.floor in ("all-rows", "weighted-rows", "staying-rows")


def floored_below(problem: Problem) -> tuple[int, ...]:
    """Places of the costs that are at least what they are at any more specific node with nothing
    suppressed."""
    return tuple(place for place, o in enumerate(problem.objectives) if _is_floored_below(problem, o))


def _is_floored_below(problem: Problem, objective: Objective) -> bool:
    return objective.card.algebra.per_suppressed_row is not None and _counts_rows(problem)


def _counts_rows(problem: Problem) -> bool:
    """True if whole classes are suppressed, and their sizes are rows."""
    return problem.cube.persons is None and problem.cube.units is None


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
    algebra, rule = objective.card.algebra, objective.card.counted.rule or ""
    if algebra.floor == "all-rows":
        cost, name = problem.costs[rule], ("floors", rule)
        floor = problem.at_nodes(name, lambda each: np.stack(_of_all_rows(cost, each, each)), nodes)
        return floor[0] * _OUTWARD, floor[1]
    above = problem.above_lowest(nodes)
    return _box_floor(problem, objective, above, above)


def box_floors(problem: Problem, low: Integers, high: Integers) -> Floors:
    """The floors of all nodes between two, given the levels of both above the lowest; one row for a box.

    What all rows cost never falls when a node is generalized, and neither does what one row costs at most: so
    the first is that of the lower end, and what a suppressed row costs more is that of the upper end.
    """
    least = np.empty((len(low), len(problem.objectives)))
    per_row = np.zeros_like(least)
    for place, objective in enumerate(problem.objectives):
        least[:, place], per_row[:, place] = _box_floor(problem, objective, low, high)
    return Floors(least, per_row)


def _box_floor(
    problem: Problem, objective: Objective, low: Integers, high: Integers
) -> tuple[Floats | float, Floats | float]:
    algebra, rule = objective.card.algebra, objective.card.counted.rule or ""
    if algebra.floor == "weighted-rows":
        return WeightedFloors.of(rule, problem.cube).at(low), 0.0
    if algebra.floor == "all-rows":
        return _of_all_rows(problem.costs[rule], low, high)
    if algebra.floor == "staying-rows":
        cost = problem.costs[rule]
        # A suppressed row saves its own cost, which is at most that of the most expensive row.
        spent = cost.dearest_rows(high) * problem.suppressible
        return np.maximum((cost.node_totals(low) - spent) / cost.rule.whole, 0.0), 0.0
    if algebra.floor == "suppressed-rows":
        return 0.0, 1.0 / problem.cube.rows
    if _is_floored_below(problem, objective):
        return _best(problem, objective), more_per_row(problem, objective, problem.suppressible)
    return _best(problem, objective), 0.0


def more_per_row(problem: Problem, objective: Objective, most: int) -> float:
    """The least that each row of a suppressed class of at most so many rows adds to a cost."""
    per_row = objective.card.algebra.per_suppressed_row
    labels = max((len(problem.cube.margin(s.column).labels) for s in objective.statistics), default=0)
    return 0.0 if per_row is None else per_row(problem.cube.rows, most, labels)


def _of_all_rows(cost: CellCosts, low: Integers, high: Integers) -> tuple[Floats, Floats]:
    """The cost of all rows at nodes with these lowest levels, and the additional cost of a suppressed row at
    nodes with these highest ones."""
    more = (cost.rule.most - cost.dearest_rows(high)) / cost.rule.whole
    least = (cost.node_totals(low) - cost.rule.base) / cost.rule.whole
    return least, np.maximum(more, 0.0)


def _best(problem: Problem, objective: Objective) -> float:
    """The best possible value of the measure, as a cost."""
    if objective.card.is_class_size:
        return -float(problem.cube.rows)
    if objective.direction == "max":
        return -np.inf if objective.card.scale.highest is None else -objective.card.scale.highest
    return -np.inf if objective.card.scale.lowest is None else objective.card.scale.lowest


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


def nothing_known(inheritance: Inheritance, order: Sequence[int]) -> interface.Bounds:
    """The bounds before anything is evaluated; `order` is that of the axes in tables of levels."""
    problem = inheritance.problem
    size = problem.lattice.size
    sizes = stairs(problem, most=_STAIRCASE_BYTES // (4 * size))
    if problem.suppressible == 0:
        # A class smaller than the best k that is possible costs too much in any case.
        sizes = sizes[:1]
    staircase = np.zeros((size, len(sizes)), dtype=np.int32)
    bounds = _bounds(problem, inheritance.places, order, sizes, staircase)
    bounds.conditional[len(inheritance.places) - inheritance.conditional :] = 1
    return bounds


def batch_bounds(
    problem: Problem, places: tuple[int, ...], length: int, sizes: Integers | None = None
) -> interface.Bounds:
    """The bounds of so many nodes without neighbours, before anything is known of them. The sizes of the
    staircase may be given."""
    sizes = stairs(problem, most=MOST_STAIRS) if sizes is None else sizes
    return _bounds(problem, places, (), sizes, np.zeros((length, len(sizes)), dtype=np.int32))


def _bounds(
    problem: Problem,
    places: tuple[int, ...],
    order: Sequence[int],
    sizes: Integers,
    staircase: npt.NDArray[np.int32],
) -> interface.Bounds:
    return interface.Bounds.made(
        size_place=next((i for i, o in enumerate(problem.objectives) if o.card.is_class_size), -1),
        suppressible=problem.suppressible,
        known=np.full((len(staircase), len(places)), -np.inf),
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


# --- which nodes can still change the frontier --------------------------------------------------------------


def waiting_nodes(nodes: Integers, levels: Integers, least: Floats, per_row: Floats) -> interface.Waiting:
    """Nodes to be tested: their levels in the order of the bounds' positions, and their floors."""
    return interface.Waiting.made(node=nodes, levels=levels, least=least, per_row=per_row)


def best_costs(vectors: Floats) -> interface.Best:
    """The frontier so far, as costs. Its order may change."""
    return interface.Best.made(vectors=np.array(vectors, dtype=np.float64, order="C"))


def open_nodes(
    bounds: interface.Bounds,
    waiting: interface.Waiting,
    best: interface.Best,
    first: int,
    length: int,
    evaluated: Mask,
) -> Integers:
    """Inherit bounds from the more general neighbours of each of these nodes, then test those that are not
    evaluated: a node is closed if, for every size of its smallest class that is possible there, a known
    vector is nowhere worse. Returns the places of the others among the waiting."""
    places = np.empty(length, dtype=np.int64)
    number = library.call("open", bounds, waiting, best, first, length, evaluated, places)
    return places[:number]


def ideal_costs(bounds: interface.Bounds, waiting: interface.Waiting, which: Integers) -> Floats:
    """The best that each objective could be at waiting nodes, as costs."""
    nodes: Integers = waiting.node[which]
    ideal: Floats = waiting.least[which]
    for column, place in enumerate(bounds.place):
        holds = bounds.whole[nodes] >= bounds.conditional[column]
        bounds_of_nodes = np.where(holds, bounds.known[nodes, column], -np.inf)
        ideal[:, place] = np.maximum(ideal[:, place], bounds_of_nodes)
    return ideal


def enter_stairs(counted: Counted, bounds: interface.Bounds, rows: int) -> None:
    """Enter the rows in classes smaller than each size of the staircase, given all thresholds of each node;
    all rows if that is more than may be suppressed."""
    starts = np.flatnonzero(np.r_[True, counted.nodes[1:] != counted.nodes[:-1]])
    which = np.cumsum(np.bincount(starts, minlength=len(counted.nodes))) - 1
    # The sizes of all nodes in one array: one search serves them all.
    apart = np.int64(rows) + 1
    wanted = np.arange(len(starts))[:, None] * apart + np.minimum(bounds.sizes, rows)
    place = np.searchsorted(which * apart + counted.facts[:, 0], wanted)
    ends = np.append(starts[1:], len(counted.nodes))[:, None]
    gone = counted.facts[np.minimum(place, ends - 1), 1]
    # No more than 32 bits hold; a number that is too small is still a bound.
    bounds.staircase[counted.nodes[starts]] = np.minimum(np.where(place < ends, gone, rows), _MOST_GONE)
