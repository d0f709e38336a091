"""Branch and bound over boxes of the lattice, for lattices of which no array can hold all nodes.

A box holds all nodes between two, its lower and its upper end. What the upper end cannot reach, nothing in
the box can; and no cost is below the floor of the lower end. If a known vector is nowhere worse than all that
this leaves, the box is closed, however many nodes are in it. Otherwise it is cut in two. The upper part keeps
its upper end and has a higher floor; the lower part has another upper end, which is evaluated. Where the
floor of a cost is not known before, the lower end is evaluated too. So every node is evaluated at most once,
and memory holds the open boxes only.

The boxes in which most could be gained come first, so that a search that is stopped has bounds that are close
to what it found.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.base.budget import SHORT, Limits, SearchState
from paretonym.base.rounding import rounded
from paretonym.base.thread_pool import in_parallel, workers
from paretonym.engine.counts import Counted
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.frontier import as_costs
from paretonym.engine.search.archive import Collector, Found, nodes_of
from paretonym.engine.search.bounds import (
    Floors,
    Inheritance,
    batch_bounds,
    box_floors,
    has_floor,
    ideal_costs,
    open_nodes,
    waiting_nodes,
)
from paretonym.engine.search.box_queue import NOWHERE, Box, Boxes, BoxQueue, End, Known, Side
from paretonym.engine.search.exhaustive import neighbours, search_every_node
from paretonym.engine.search.node_evaluation import evaluators, plan_for
from paretonym.engine.search.optimality_gap import OptimalityGap, rivals
from paretonym.engine.search.problem import Problem

# Boxes that are taken at once; the result must not depend on the number of threads, so neither does this.
_BATCH = 128
# The most nodes that are evaluated to find good solutions before boxes are bounded.
_MOST_FIRST = 10_000
# Boxes of each depth that are cut to estimate how many there are.
_SAMPLE = 48
# Boxes are ranked by what could be gained in them, in steps of this share of the cost.
_STEPS = 1024
# In lattices of at most this many nodes, all are evaluated if boxes would take more than this share of that,
# as far as this many evaluations show: a box costs about six times as much as one node in a sweep over all,
# three times as much where values in classes are counted too.
_MOST_SWEPT = 1_000_000
_TOO_MANY, _TOO_MANY_WITH_VALUES = 1 / 6, 1 / 3
_ENOUGH = 150
# There, at most this share of the nodes is evaluated to find good solutions.
_FIRST = 1 / 32
# The kind of state that this search keeps.
BOXES = "boxes"


def search_boxes(problem: Problem, limits: Limits) -> Found:
    """The proven frontier; or, when the time is over or there may be no more evaluations, what was found of
    it, and what is open."""
    with workers(limits.threads) as pool:
        result = _BranchAndBound(problem, limits, pool).run()
    return result or search_every_node(problem, limits)


class _BranchAndBound:
    """The open boxes, the frontier so far, and the clock."""

    def __init__(self, problem: Problem, limits: Limits, pool: Executor | None) -> None:
        self.inheritance = Inheritance(problem, from_below=True)
        self.plain, self.problem = problem, self.inheritance.problem
        self.limits, self.pool = limits, pool
        self.order = list(problem.cube.jumping_order)
        self.weights = np.array(problem.lattice.weights, dtype=np.int64)
        self.nodes = np.zeros(_BATCH, dtype=np.int64)
        self.bounds = batch_bounds(problem, self.inheritance.places, _BATCH)
        plan = plan_for(self.problem, problem.every_threshold, tuple(self.order))
        self.lanes = evaluators(
            self.problem, limits.threads, problem.every_threshold, tuple(self.order), plan, self.bounds,
            table=self.nodes,
        )  # fmt: skip
        priced = [place for place, o in enumerate(problem.objectives) if has_floor(o)]
        self.cost = (*priced, *self.inheritance.below)[0]
        self.collector, self.queue = Collector(problem), BoxQueue()
        self.first: dict[int, Known] = {}
        self.spans = _spans(problem, self.cost) if priced else np.empty((0, 0))
        self.count, self.resumed, self.begun = 0, False, time.monotonic()
        self.large = problem.lattice.size > _MOST_SWEPT

    def run(self) -> Found | None:
        """The result; None if bounds close so little that evaluating all nodes takes less time."""
        total, stored = self.problem.lattice.size, self.limits.checkpoint.resumed(BOXES)
        if not len(self.spans):
            self.spans = self.spans_from_below()
        if stored is None:
            self.spread()
            self.rank_by_gain()
            self.estimate()
            self.queue.add([Box(0, 0, 0, total - 1)])
        else:
            self.resume(stored)
        volume_left, before = self.volume(list(self.queue)), self.count
        while self.queue and not self.limits.over and self.limits.left(self.count):
            volume_left -= self.step()
            self.limits.progress(total - volume_left, total)
            self.limits.checkpoint.offer(self.state)
            if not self.large and self.too_many(self.count - before, volume_left):
                return None
        return self.result()

    def too_many(self, spent: int, left: int) -> bool:
        """True if all boxes will take longer than a sweep over all nodes, if those that are left take as many
        evaluations as those before."""
        total = self.problem.lattice.size
        most = (_TOO_MANY_WITH_VALUES if self.problem.statistics else _TOO_MANY) * total
        return spent >= _ENOUGH and self.count + spent * left / max(total - left, 1) > most

    # --- good solutions to begin with ----------------------------------------------------------------------

    def spread(self) -> None:
        """Evaluate both ends and a node between them, then the neighbours of the best until nothing new is
        found: good solutions close boxes early."""
        total = self.problem.lattice.size
        most = _MOST_FIRST if self.large else min(_MOST_FIRST, max(_BATCH, int(_FIRST * total)))
        most = min(most, max(self.limits.left(self.count) // 2, 1))
        waiting = sorted({0, total - 1} - self.first.keys())
        while waiting:
            for start in range(0, len(waiting), _BATCH):
                batch = np.array(waiting[start : start + _BATCH], dtype=np.int64)
                self.first.update(zip(batch.tolist(), self.evaluate(batch), strict=True))
                if self.limits.over or len(self.first) >= most:
                    return
            near = neighbours(self.problem, np.unique(self.collector.best().counted.nodes))
            waiting = sorted({*near.tolist(), total // 2} - self.first.keys())

    def spans_from_below(self) -> Floats:
        """Cost that each level of each axis alone adds: nodes above the most specific one are
        evaluated. On a scale on which equal factors have equal weight; what one suppressed row adds is its
        unit."""
        shape, place = self.problem.lattice.shape, self.inheritance.below.index(self.cost)
        chains = [[level * int(w) for level in range(n)] for n, w in zip(shape, self.weights, strict=True)]
        self.first.update(self.evaluated(sorted({node for chain in chains for node in chain})))
        bottom = np.zeros((1, len(shape)), dtype=np.int64)
        unit = max(float(box_floors(self.problem, bottom, bottom).per_row[0, self.cost]), 1e-12)
        spans = np.full((len(shape), max(shape)), np.inf)
        for axis, chain in enumerate(chains):
            spans[axis, : len(chain)] = [np.log(unit + self.first[node].least[place]) for node in chain]
        spans -= spans[:, :1]
        return spans

    def rank_by_gain(self) -> None:
        """Take the costs of the solutions found so far, for each size of the staircase, as those to beat."""
        self.beginning = nodes_of(self.collector)
        costs = as_costs(self.collector.best().values, self.problem.directions)
        cost, k = costs[:, self.cost], self.bounds.size_place
        sizes = self.bounds.sizes if k >= 0 else np.zeros(1)
        reached = -costs[:, k] if k >= 0 else np.zeros(len(costs))
        most = float(cost.max(initial=0.0))
        self.to_beat = np.array([cost[reached >= size].min(initial=most) for size in sizes])
        self.unit = max(most, 1e-12) / _STEPS

    def estimate(self) -> None:
        """Say how many evaluations all boxes will take, and how long. Some of the boxes of each depth, drawn
        at random, are cut, and the others are taken to be like them; each evaluation takes as long as those
        so far, on average. What is evaluated here is not evaluated again."""
        total, chance = self.problem.lattice.size, np.random.default_rng(0)
        if (time.monotonic() - self.begun) * total / max(self.count, 1) < SHORT:
            return
        boxes, factor, evaluations = [Box(0, 0, 0, total - 1)], 1.0, float(self.count)
        while boxes and not self.limits.over:
            some = min(len(boxes), _SAMPLE, _BATCH)
            factor *= len(boxes) / some
            boxes = [boxes[place] for place in sorted(chance.choice(len(boxes), some, replace=False))]
            before = self.count
            boxes = self.open(boxes)
            boxes = self.open(self.cut(self.judge(boxes, keep=True)))
            evaluations += factor * (self.count - before)
        if not boxes:
            rate = (time.monotonic() - self.begun) / self.count
            self.limits.foretell(total, min(int(evaluations), total), rate * evaluations)

    # --- a state that is kept and resumed ------------------------------------------------------------------

    def state(self) -> SearchState:
        """Everything from which the search goes on as if it had not been stopped: nodes, and ranks in coarse
        steps. Bounds are counts of rows, so they are not in it; they are counted again where needed."""
        ranked, stack = (
            [[b.rank, b.low, b.high, b.upper.source, b.lower.source] for b in part]
            for part in self.queue.parts()
        )
        return {
            "kind": BOXES,
            "evaluated": self.count,
            "beginning": self.beginning,
            "best": nodes_of(self.collector),
            "ranked": ranked,
            "stack": stack,
        }

    def resume(self, kept: SearchState) -> None:
        # The first node was evaluated before all others; perhaps no release was admissible at any of them.
        self.evaluated(sorted({0, *kept["beginning"]}))
        self.rank_by_gain()
        self.evaluated(kept["best"])
        self.count, self.resumed = kept["evaluated"], True
        self.queue.restore(
            *(
                [Box(b[0], 0, b[1], b[2], End(b[3]), End(b[4])) for b in kept[part]]
                for part in ("ranked", "stack")
            )
        )

    def recall(self, boxes: Boxes) -> Boxes:
        """The boxes with what is known of their sources, which is counted again in a resumed search."""
        ends = [end for box in boxes for end in (box.upper, box.lower)]
        lost = sorted({end.source for end in ends if end.known is None and end.source != NOWHERE})
        count, evaluated = self.count, self.evaluated(lost)
        self.count = count
        return [
            box._replace(
                upper=End(box.upper.source, evaluated.get(box.upper.source, box.upper.known)),
                lower=End(box.lower.source, evaluated.get(box.lower.source, box.lower.known)),
            )
            for box in boxes
        ]

    # --- one step ------------------------------------------------------------------------------------------

    def step(self) -> int:
        """Take some boxes, evaluate their upper ends, cut those that are still open and keep the open parts.
        Returns how many nodes were closed or evaluated."""
        taken = self.recall(self.queue.take(_BATCH))
        boxes = self.judge(self.open(taken))
        parts = self.open(self.cut(boxes))
        self.queue.add(parts)
        return self.volume(taken) - self.volume(parts)

    def judge(self, boxes: Boxes, keep: bool = False) -> Boxes:
        """The boxes that are still open once their upper ends are evaluated, and their lower ends where a
        floor depends on them. What is evaluated may be kept for later."""
        boxes = self.open(self.with_ends(boxes, "upper", keep))
        return self.open(self.with_ends(boxes, "lower", keep)) if self.inheritance.below else boxes

    def with_ends(self, boxes: Boxes, side: Side, keep: bool) -> Boxes:
        """The boxes with one of their ends evaluated."""
        ends = [box.high if side == "upper" else box.low for box in boxes]
        by_node = {end.source: end.known for box in boxes for end in (box.upper, box.lower)}
        by_node |= {node: self.first[node] for node in ends if node in self.first}
        new = self.evaluated([node for node in ends if node not in by_node])
        if keep:
            self.first.update(new)
        by_node |= new
        return [box.with_end(side, End(node, by_node[node])) for box, node in zip(boxes, ends, strict=True)]

    def evaluated(self, nodes: list[int]) -> dict[int, Known]:
        """Facts of nodes once they are evaluated."""
        by_node: dict[int, Known] = {}
        for start in range(0, len(nodes), _BATCH):
            batch = nodes[start : start + _BATCH]
            by_node.update(zip(batch, self.evaluate(np.array(batch, dtype=np.int64)), strict=True))
        return by_node

    def cut(self, boxes: Boxes) -> Boxes:
        """Both parts of each box, cut along the axis whose levels differ most in cost, in the middle of that
        cost. Nothing is left of a box with one node that is evaluated."""
        boxes = [box for box in boxes if box.low < box.high]
        if not boxes:
            return []
        low, high = self.ends(boxes)
        axes, rows = np.arange(low.shape[1]), np.arange(len(boxes))
        below, above = self.spans[axes, low], self.spans[axes, high]
        axis = np.argmax(np.where(high > low, above - below, -1.0), axis=1)
        middle = (below[rows, axis] + above[rows, axis]) / 2
        level = (self.spans[axis] <= middle[:, None]).sum(axis=1) - 1
        level = np.clip(level, low[rows, axis], high[rows, axis] - 1)
        down = (high[rows, axis] - level) * self.weights[axis]
        up = (level + 1 - low[rows, axis]) * self.weights[axis]
        parts: Boxes = []
        for box, lower, upper in zip(boxes, down.tolist(), up.tolist(), strict=True):
            parts += [box._replace(high=box.high - lower), box._replace(low=box.low + upper)]
        return [part for part in parts if not part.done]

    def open(self, boxes: Boxes) -> Boxes:
        """The boxes that could still add to the frontier, ranked by how much."""
        if not boxes:
            return []
        bounds, waiting = self.bounded(boxes)
        evaluated = np.zeros(len(boxes), dtype=np.bool_)
        open_places = open_nodes(bounds, waiting, self.collector.best_costs(), 0, len(boxes), evaluated)
        ranks = self.ranks(bounds, waiting)
        return [boxes[place]._replace(rank=ranks[place]) for place in open_places.tolist()]

    def ranks(self, bounds: interface.Bounds, waiting: interface.Waiting) -> list[int]:
        least, more = waiting.least[:, self.cost, None], waiting.per_row[:, self.cost, None]
        gain = self.to_beat - least
        if bounds.size_place >= 0:
            gain = gain - more * bounds.staircase
            largest = -bounds.known[:, bounds.place == bounds.size_place].min(axis=1, keepdims=True)
            possible = (bounds.sizes <= largest) & (bounds.staircase <= bounds.suppressible)
            gain = np.where(possible, gain, -np.inf)
        steps: list[int] = np.ceil(-np.maximum(gain.max(axis=1), -self.unit) / self.unit).astype(int).tolist()
        return steps

    def bounded(self, boxes: Sequence[Box]) -> tuple[interface.Bounds, interface.Waiting]:
        """The bounds of boxes, each in its own place, and their floors."""
        bounds = batch_bounds(self.plain, self.inheritance.places, len(boxes), self.bounds.sizes)
        for place, box in enumerate(boxes):
            if box.upper.known is not None:
                bounds.known[place], bounds.staircase[place], _ = box.upper.known
        places = np.arange(len(boxes), dtype=np.int64)
        return bounds, waiting_nodes(places, np.empty((len(boxes), 0), dtype=np.int64), *self.floors(boxes))

    def floors(self, boxes: Sequence[Box]) -> Floors:
        """The floors of boxes: what is known from levels alone, and from nodes evaluated at lower ends."""
        floors, below = box_floors(self.problem, *self.ends(boxes)), list(self.inheritance.below)
        for place, box in enumerate(boxes if below else ()):
            if box.lower.known is not None:
                floors.least[place, below] = box.lower.known.least
        return floors

    def ends(self, boxes: Sequence[Box]) -> tuple[Integers, Integers]:
        """The levels of both ends of boxes."""
        low, high = (np.array([box[end] for box in boxes], dtype=np.int64) for end in (2, 3))
        return self.problem.above_lowest(low), self.problem.above_lowest(high)

    def volume(self, boxes: Sequence[Box]) -> int:
        """Number of nodes of some boxes that are neither closed nor evaluated."""
        return int(self.volumes(boxes).sum()) if boxes else 0

    def volumes(self, boxes: Sequence[Box]) -> Integers:
        low, high = self.ends(boxes)
        evaluated = np.array([box.evaluated for box in boxes], dtype=np.int64)
        result: Integers = np.prod(high - low + 1, axis=1) - evaluated
        return result

    # --- evaluation ----------------------------------------------------------------------------------------

    def evaluate(self, nodes: Integers) -> list[Known]:
        """Evaluate a batch of nodes, enter the best candidates, and return what holds below each node."""
        if len(nodes) == 0:
            return []
        self.nodes[: len(nodes)] = nodes
        best = np.full((len(nodes), len(self.inheritance.places)), -np.inf)
        least = np.zeros((len(nodes), len(self.inheritance.below)))
        shares = list(self.shares(nodes))
        for _, counted in in_parallel(self.visit, shares, self.pool, self.limits.threads):
            starts = np.flatnonzero(np.r_[True, counted.nodes[1:] != counted.nodes[:-1]])
            places = counted.nodes[starts]
            counted = counted._replace(nodes=self.nodes[counted.nodes])
            facts, values, reach, floor = self.inheritance.reach(counted)
            best[places], least[places] = np.minimum.reduceat(reach, starts), floor[starts]
            self.collector.enter(self.inheritance.own(counted), self.plain.admissible(facts), values)
        self.count += len(nodes)
        stairs = self.bounds.staircase
        return [Known(best[i].copy(), stairs[i].copy(), least[i].copy()) for i in range(len(nodes))]

    def shares(self, nodes: Integers) -> Iterator[tuple[int, Integers]]:
        """The places of a batch's nodes for each lane, in the order of the plan; nodes with the same first
        levels share a lane, because the classes of these levels are kept there."""
        levels = self.problem.above_lowest(nodes)[:, self.order]
        ranked = np.lexsort(levels.T[::-1])
        lane_of = levels[ranked, 0] % len(self.lanes)
        for lane in range(len(self.lanes)):
            if (lane_of == lane).any():
                yield lane, ranked[lane_of == lane]

    def visit(self, share: tuple[int, Integers]) -> Counted:
        lane, places = share
        return self.lanes[lane](places)

    # --- the result ----------------------------------------------------------------------------------------

    def result(self) -> Found:
        """Solutions that were found, and what the open boxes could still hold."""
        best = self.collector.best()
        total = self.problem.lattice.size
        open_boxes = self.open(list(self.queue))
        # A resumed search may have evaluated a node twice, so its count proves nothing.
        volume = self.volume(open_boxes) if self.resumed else min(self.volume(open_boxes), total - self.count)
        self.count = min(self.count, total - volume)
        if not volume:
            return Found(best, self.count, complete=True)
        bounds, waiting = self.bounded(open_boxes)
        ideal = ideal_costs(bounds, waiting, waiting.node)
        unresolved = rivals(rounded(ideal), best.values, self.problem.directions, self.volumes(open_boxes))
        gap = OptimalityGap(self.problem, best.values)
        gap.add(bounds, waiting.node, waiting.least, waiting.per_row)
        return Found(best, self.count, False, volume, unresolved, least_costs=gap.closed())


def _spans(problem: Problem, place: int) -> Floats:
    """Amount that each level of each axis adds to the floor of an objective; levels that do not exist add
    infinity."""
    shape = problem.lattice.shape
    spans = np.full((len(shape), max(shape)), np.inf)
    for axis, extent in enumerate(shape):
        levels = np.zeros((extent, len(shape)), dtype=np.int64)
        levels[:, axis] = np.arange(extent)
        spans[axis, :extent] = box_floors(problem, levels, levels).least[:, place]
    spans -= spans[:, :1]
    return spans
