"""Exact search: the proven frontier, without evaluating most nodes.

The lattice is walked from the top, layer by layer (all nodes with the same sum of levels). A node whose
bounds show that it cannot add a vector to the frontier is closed; only open nodes are evaluated, and their
values bound everything below. A dive from top to bottom comes first, to find solutions that close nodes
early. If no bound can close anything, every node is evaluated instead, in the cheapest order.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.base.budget import Limits
from paretonym.base.rounding import rounded
from paretonym.base.thread_pool import in_parallel, workers
from paretonym.engine.counts import Counted
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.frontier import finite, frontier_places
from paretonym.engine.measures import Objective
from paretonym.engine.search.archive import Collector, Found
from paretonym.engine.search.bounds import (
    Inheritance,
    floored_below,
    floors,
    has_floor,
    heights,
    ideal_costs,
    inherited,
    nothing_known,
    open_nodes,
    waiting_nodes,
)
from paretonym.engine.search.branch_and_bound import search_boxes
from paretonym.engine.search.evaluation_log import WALK, Evaluation, EvaluationLog
from paretonym.engine.search.exhaustive import (
    SWEEP,
    search_every_node,
    search_exhaustive,
    search_large,
    sweep,
)
from paretonym.engine.search.node_evaluation import evaluator, evaluators, plan_for
from paretonym.engine.search.optimality_gap import OptimalityGap, rivals, stopped
from paretonym.engine.search.problem import Problem
from paretonym.engine.search.search_options import STANDARD, Tuning
from paretonym.engine.search.size_sweep import SizeSweep, ascent_pays, sweep_is_needed, sweep_pays, swept
from paretonym.engine.search.witness_bounds import Witnessing, can_improve, witnesses_help

# Beyond this many nodes, boxes of them are bounded instead of single ones.
MOST_NODES = 1_000_000
_BATCH = 128
# From this many nodes on, solutions of all kinds are searched for first: the walk is long, and may be
# stopped.
_LARGE = 50_000
# A single node costs three to five times as much as one in a sweep over all. That is cheaper if more than
# this share of a layer has to be evaluated, a layer of at least a fiftieth of the lattice (and of so many
# nodes), or of the layers before. Where bounds help, they close more from layer to layer: of a question for
# which nearly all nodes near the top are open, a fifth of all may be.
_TOO_MANY = 0.8
_SOON = 300
_FIRST = 0.02
# Where values in classes are counted, or all thresholds, that is what takes time, and a single node costs
# little more than one in a sweep.
_ALMOST_ALL = 0.95
_CHUNK = 4096
# From the bottom up, bounds are given up if more than this share of all nodes was evaluated.
_HALF = 0.5
# A lattice of so many times as many nodes as may be evaluated is searched to the end: all of them in a sweep
# take about as long.
_AS_DEAR = 6
# The floors of this many nodes are computed at once.
_AT_ONCE = 1 << 17
# A node with this few tuples, and counts of values in them, is counted before another thread has woken up.
_FEW_TUPLES = 40_000


def search_exact(problem: Problem, limits: Limits, tuning: Tuning = STANDARD) -> Found:
    """The proven frontier; or, when the time is over or there may be no more evaluations, what was found of
    it, and what is open."""
    if limits.evaluations is not None and problem.lattice.size <= _AS_DEAR * limits.evaluations:
        limits = replace(limits, evaluations=None)
    bounded = bool(inherited(problem)) and problem.by_size
    prunable = bounded and any(has_floor(o) for o in problem.objectives)
    from_below = bounded and bool(floored_below(problem))
    if limits.checkpoint.resumed(SWEEP) is not None:
        # Bounds had closed too little before.
        return search_exhaustive(problem, limits)
    if problem.lattice.size > MOST_NODES:
        return search_boxes(problem, limits) if prunable or from_below else search_large(problem, limits)
    sized, ascends = sweep_is_needed(problem, limits), ascent_pays(problem, limits)
    if from_below and not sized and not ascends:
        return (
            search_boxes(problem, limits)
            if boxes_pay(problem, limits)
            else search_every_node(problem, limits)
        )
    if not prunable and not sized and not ascends:
        return search_every_node(problem, limits)
    with workers(limits.threads) as pool:
        walk = _Ascent(problem, limits, pool) if ascends else _Descent(problem, limits, pool)
        found = walk.run()
    return found or search_every_node(problem, limits)


def boxes_pay(problem: Problem, limits: Limits) -> bool:
    """True if boxes may close enough of a lattice to make up for the solutions that they need to begin with.
    In a small one they do not if rows may be suppressed, so that floors are loose, and there are several
    objectives that only floors bound. If the time is limited, boxes say what is open when it is over."""
    costs = len(problem.objectives) - len(inherited(problem))
    tight = costs == 1 or problem.suppressible == 0
    return tight or problem.lattice.size > _LARGE or limits.seconds is not None


class _Descent:
    """One walk from the top: bounds of all nodes, the frontier so far, and the clock. With `sizes`, bounds
    come from below."""

    def __init__(
        self,
        problem: Problem,
        limits: Limits,
        pool: Executor | None,
        sizes: SizeSweep | None = None,
    ) -> None:
        self.upward = sizes is not None
        sized = self.upward or sweep_pays(problem, limits)
        self.inheritance = Inheritance(problem, sized, from_below=self.upward)
        self.plain, self.problem = problem, self.inheritance.problem
        problem, self.limits, self.pool = self.problem, limits, pool
        self.order = problem.cube.jumping_order
        self.bounds = nothing_known(self.inheritance, self.order)
        self.evaluated = np.zeros(problem.lattice.size, dtype=np.bool_)
        self.passed = self.taken = 0  # nodes of the layers so far, and those of them that were evaluated
        self.unsettled_share = 1.0  # of the last layer's open nodes, those that witnesses did not settle
        self.collector, self.log = Collector(self.plain), EvaluationLog(limits.checkpoint.resumed(WALK))
        every, plan = problem.every_threshold, plan_for(problem, problem.every_threshold, self.order)
        lanes = limits.threads if plan.work > _FEW_TUPLES else 1
        self.lanes = evaluators(problem, lanes, every, self.order, plan, self.bounds)
        self.sizes = sizes
        if sized:
            # What follows from the sizes of classes is known exactly from now on.
            self.sizes = sizes or swept(self.plain, limits, pool)
            self.sizes.enter(self.bounds)
        self.witnessing = None
        if witnesses_help(problem) and not self.upward:
            self.witnessing = Witnessing(problem, plan, self.bounds)

    def run(self) -> Found | None:
        """The result; None if bounds close too little for the evaluations that there may be."""
        total, done = self.problem.lattice.size, 0
        self.take(np.unique(np.array([0, total - 1], dtype=np.int64)))
        if self.sizes is None and (total >= _LARGE or self.limits.seconds is not None):
            self.dive()
        for number, (waiting, first, length) in enumerate(self.layers()):
            remaining = self.open(waiting, first, length)
            if self.too_many(len(remaining), length):
                return self.sweep_all() if self.limits.evaluations is None else None
            before = self.taken
            for start in range(0, len(remaining), _CHUNK):
                batch = self.unsettled(waiting, remaining[start : start + _CHUNK])[
                    : self.limits.left(self.count)
                ]
                self.take(batch)
                self.taken += len(batch)
                if self.limits.over or not self.limits.left(self.count):
                    return self.unfinished(number)
            self.unsettled_share = (self.taken - before) / max(len(remaining), 1)
            done += length
            self.limits.progress(done, total)
        return self.told(Found(self.collector.best(), self.count, complete=True))

    @property
    def count(self) -> int:
        return int(self.evaluated.sum())

    def told(self, found: Found) -> Found:
        """The result, with the number of nodes that witnesses or sizes settled."""
        if self.sizes is not None:
            return replace(found, in_part=self.problem.lattice.size - found.evaluated)
        return found if self.witnessing is None else replace(found, in_part=self.witnessing.settled)

    def too_many(self, left: int, length: int) -> bool:
        """True if a sweep over all nodes is cheaper than jumping from one of those left to the next. It never
        is where classes are formed again for each node, whichever comes before it."""
        # The top says little once sizes are counted: what they do not say becomes known on the way down.
        if self.sizes is not None or any(_formed_again(o) for o in self.problem.objectives):
            return False
        enough = max(_SOON, _FIRST * self.problem.lattice.size)
        slow = self.problem.every_threshold or bool(self.problem.statistics)
        most = _ALMOST_ALL if slow else _TOO_MANY
        if self.passed >= enough and self.taken > most * self.passed:
            return True
        self.passed += length
        return length >= enough and left * self.unsettled_share > most * length

    def sweep_all(self) -> Found:
        """Evaluate all nodes: bounds close too few for jumping from one open node to the next to pay."""
        evaluate, passed = evaluator(self.plain), self.passed
        # The sweep starts from the beginning, but progress must not go back.
        onward = replace(self.limits, progress=lambda n, total: self.limits.progress(max(n, passed), total))
        done = sweep(self.plain, self.collector, evaluate, self.pool, onward, self.evaluated)
        # Nodes that witnesses settled before are evaluated like all others: no count in part remains.
        return stopped(self.plain, self.collector.best(), max(done, self.count), self.evaluated)

    def layers(self, skipped: int = 0) -> Iterator[tuple[interface.Waiting, int, int]]:
        """Nodes by the sum of their levels, the most general first: where each layer begins among the nodes
        of a block, and how many it has. Many small layers share a block."""
        ranked, ends = self.problem.for_lattice("layers", lambda: _layers(self.problem.lattice.shape))
        starts = [0, *ends[:-1]]
        waiting, offset, until = None, 0, 0
        for start, end in zip(starts[skipped:], ends[skipped:], strict=True):
            if waiting is None or end > until:
                offset, until = start, min(max(end, start + _AT_ONCE), len(ranked))
                waiting = self.waiting(ranked, offset, until)
            yield waiting, start - offset, end - start

    def waiting(self, ranked: Integers, first: int, after: int) -> interface.Waiting:
        """Some of the nodes with their levels in the order of the plan, and their floors."""
        nodes = ranked[first:after]
        levels = (
            self.levels(nodes)
            if len(nodes) < len(ranked)
            else self.problem.for_lattice("levels of layers", lambda: self.levels(ranked))
        )
        floors_of_nodes = floors(self.problem, nodes)
        return waiting_nodes(
            nodes, levels, *(self.sizes.raised(floors_of_nodes, nodes) if self.sizes else floors_of_nodes)
        )

    def levels(self, nodes: Integers) -> Integers:
        return np.ascontiguousarray(self.problem.above_lowest(nodes)[:, self.order])

    def dive(self) -> None:
        """Go down from the top, each time to the neighbour that loses least of the first inherited objective
        for the cost it saves; all neighbours on the way are evaluated."""
        node = self.problem.lattice.size - 1
        while node and not self.limits.over:
            levels = self.problem.above_lowest(np.array([node]))[0, self.order]
            below = node - self.bounds.weights[levels > 0]
            self.take(below[~self.evaluated[below]])
            around = np.append(below, node)
            reached = _scaled(finite(self.bounds.known[around, :1])[:, 0])
            saved = self.floor(around)
            rate = (reached[:-1] - reached[-1]) / np.maximum(saved[-1] - saved[:-1], 1e-12)
            node = int(below[np.argmin(np.nan_to_num(rate, nan=0.0))])

    def floor(self, nodes: Integers) -> Floats:
        """The floor of the first objective that has one."""
        place = next(i for i, o in enumerate(self.problem.objectives) if has_floor(o))
        return floors(self.problem, nodes).least[:, place]

    def open(self, waiting: interface.Waiting, first: int, length: int) -> Integers:
        """The places of a layer's nodes that could still add to the frontier, by what is known of the layer
        above."""
        return open_nodes(self.bounds, waiting, self.collector.best_costs(), first, length, self.evaluated)

    def unsettled(self, waiting: interface.Waiting, places: Integers) -> Integers:
        """The nodes that may still add something according to the witnesses."""
        if self.witnessing is not None and self.witnessing.worth_it and len(places):
            places = self.witnessing.unsettled(waiting, places, self.collector.best_costs())
        nodes: Integers = waiting.node[places]
        return nodes

    def take(self, nodes: Integers) -> None:
        """Evaluate nodes, record the bounds that follow, and keep the best candidates."""
        for evaluation in self.log.earlier(nodes):
            self.bounds.staircase[evaluation.nodes] = evaluation.stairs
            self.note(evaluation)
        nodes = self.log.new(nodes)
        if len(nodes) == 0:
            return
        batches = list(self.shared_out(nodes))
        pool = self.pool if len(batches) > 1 and len(self.lanes) > 1 else None
        for (_, batch), counted in in_parallel(self.evaluate, batches, pool, self.limits.threads):
            facts, values, best, least = self.inheritance.reach(counted)
            stairs, own = self.bounds.staircase[batch], self.inheritance.own(counted)
            known = least if self.upward else best
            evaluation = Evaluation(batch, stairs, own, self.plain.admissible(facts), values, known)
            self.log.add(evaluation)
            self.note(evaluation)
            self.limits.checkpoint.offer(self.log.state)

    def shared_out(self, nodes: Integers) -> Iterator[tuple[int, Integers]]:
        """Nodes in the order of the plan and in batches, each with its lane: nodes with the same first levels
        share a lane, because the classes of these levels are kept there."""
        levels = self.levels(nodes)
        ranked = np.lexsort(levels.T[::-1])
        ordered, lane_of = nodes[ranked], levels[ranked, 0] % len(self.lanes)
        shares = [ordered[lane_of == lane] for lane in range(len(self.lanes))]
        for start in range(0, max(len(share) for share in shares), _BATCH):
            for lane, share in enumerate(shares):
                if start < len(share):
                    yield lane, share[start : start + _BATCH]

    def evaluate(self, batch: tuple[int, Integers]) -> Counted:
        lane, nodes = batch
        return self.lanes[lane](nodes)

    def note(self, found: Evaluation) -> None:
        """Record the bounds that follow from evaluated nodes, and enter their candidates."""
        self.evaluated[found.nodes] = True
        if self.witnessing is not None:
            self.witnessing.evaluated(found.nodes)
        self.enter(found.counted.nodes, found.best)
        self.collector.enter(found.counted, found.admitted, found.values)

    def enter(self, candidates: Integers, best: Floats) -> None:
        """Record what bounds other nodes, given the node of each candidate."""
        starts = np.flatnonzero(np.r_[True, candidates[1:] != candidates[:-1]])
        self.bounds.known[candidates[starts]] = np.minimum.reduceat(best, starts)

    def unfinished(self, first: int) -> Found:
        """The result when the time is over in this layer: what was found, and for each solution what could
        still dominate it."""
        best, ideals = self.collector.best(), []
        gap = OptimalityGap(self.problem, best.values)
        for waiting, start, length in self.layers(first):
            remaining = self.open(waiting, start, length)
            gap.add(
                self.bounds,
                waiting.node[remaining],
                waiting.least[remaining],
                waiting.per_row[remaining],
            )
            ideals.append(self.ideals(waiting, remaining))
        ideal = np.concatenate(ideals)
        if not len(ideal):
            return self.told(Found(best, self.count, complete=True))
        unresolved = rivals(ideal, best.values, self.problem.directions)
        return self.told(Found(best, self.count, False, len(ideal), unresolved, least_costs=gap.closed()))

    def ideals(self, waiting: interface.Waiting, left: Integers) -> Floats:
        """The best values that each objective could have at open nodes, as costs."""
        return rounded(ideal_costs(self.bounds, waiting, left))


class _Ascent(_Descent):
    """One walk from the bottom, with the sizes of all classes known: each other objective is a cost that is
    at least what it is at any more specific node with nothing suppressed, and what the suppressed rows add.
    `least` holds the highest of these floors that is known of each node."""

    def __init__(self, problem: Problem, limits: Limits, pool: Executor | None) -> None:
        self.known_sizes = swept(problem, limits, pool, floored_below(problem))
        super().__init__(problem, limits, pool, self.known_sizes)
        self.least = np.zeros((problem.lattice.size, len(self.inheritance.below)))

    def run(self) -> Found:
        problem, total = self.problem, self.problem.lattice.size
        self.take(self.best_by_sizes())
        ranked, ends = problem.for_lattice("layers", lambda: _layers(problem.lattice.shape))
        for start, end in reversed(list(zip([0, *ends[:-1]], ends, strict=True))):
            waiting = self.waiting(ranked, start, end)
            self.inherit(waiting)
            for first in range(0, end - start, _CHUNK):
                places = np.arange(first, min(first + _CHUNK, end - start))
                places = places[~self.evaluated[waiting.node[places]]]
                places = places[can_improve(self.bounds, waiting, self.collector.best_costs(), places)]
                self.take(waiting.node[places])
            if self.count > _HALF * total:
                return self.sweep_all()
            self.limits.progress(total - start, total)
        return self.told(Found(self.collector.best(), self.count, complete=True))

    def best_by_sizes(self) -> Integers:
        """The nodes that nothing dominates in what follows from sizes: good solutions close nodes early."""
        costs = self.known_sizes.costs
        return frontier_places(costs, ["min"] * costs.shape[1], np.arange(len(costs)))

    def inherit(self, waiting: interface.Waiting) -> None:
        """Take the floors of the more specific neighbours, and enter what follows into the costs of waiting
        nodes."""
        nodes, levels = waiting.node, waiting.levels
        least = self.least[nodes]
        for axis, weight in enumerate(self.bounds.weights):
            above = levels[:, axis] > 0
            least[above] = np.maximum(least[above], self.least[nodes[above] - weight])
        self.least[nodes] = least
        floor = least + self.known_sizes.more[nodes]
        below = list(self.inheritance.below)
        waiting.least[:, below] = np.maximum(waiting.least[:, below], floor)

    def enter(self, candidates: Integers, best: Floats) -> None:
        self.least[candidates] = np.maximum(self.least[candidates], best)


def _layers(shape: tuple[int, ...]) -> tuple[Integers, list[int]]:
    """All nodes by the sum of their levels, the most general first, and where each sum ends."""
    height = heights(shape)
    ranked = np.argsort(-height, kind="stable").astype(np.int64)
    edges = np.flatnonzero(np.diff(height[ranked])) + 1
    return ranked, [*edges.tolist(), len(ranked)]


def _scaled(costs: Floats) -> Floats:
    """Privacy on a scale on which equal steps have equal weight: orders of magnitude for counts."""
    result: Floats = -np.log(np.maximum(-costs, 1e-12)) if (costs < 0).all() else costs
    return result


def _formed_again(objective: Objective) -> bool:
    """True if an objective is bounded, and measured from classes that are formed anew at each node."""
    return objective.reach is not None or (objective.is_of_classes and has_floor(objective))
