"""Exact search: the proven frontier, most nodes never evaluated.

The lattice is walked from the top, layer by layer (all nodes with the same sum of levels). A node whose
bounds show that it cannot add a vector to the frontier is closed; only open nodes are evaluated, and what
they turn out to be bounds everything below. A dive from top to bottom comes first, for solutions that close
nodes early. Where no bound can close anything, every node is evaluated in the cheapest order instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube import compiling
from paretonym.cube.counted import Counted
from paretonym.cube.layout import jumping_order
from paretonym.frontier.dominance import as_costs, finite
from paretonym.measures.numbers import rounded
from paretonym.search.bounds import floors, has_floor, inherited, required_costs, stairs
from paretonym.search.collecting import Collector, admitted
from paretonym.search.evaluating import evaluator, evaluators, in_parallel, workers
from paretonym.search.exhaustive import search_exhaustive, sweep
from paretonym.search.found import Found
from paretonym.search.limits import Limits
from paretonym.search.problem import Problem
from paretonym.search.rivals import MOST_NODES, rivals, stopped
from paretonym.search.scouting import search_large
from paretonym.search.tuning import STANDARD, Tuning

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

_STAIRCASE_BYTES = 200_000_000
_BATCH = 128
# A node on its own costs about ten times as much as one in a sweep over all. If more than this share of a
# layer that is large enough to tell is open, the sweep is cheaper.
_TELLING = 1000
_TOO_MANY = 0.3
_CHUNK = 4096
# A node of so few tuples is counted before another thread has woken up.
_FEW_TUPLES = 40_000


def search_exact(problem: Problem, limits: Limits, tuning: Tuning = STANDARD) -> Found:
    """The frontier, proven; or what was found of it when the time is over, with what is open."""
    places = inherited(problem)
    prunable = bool(places) and any(has_floor(o) for o in problem.objectives)
    prunable = prunable and problem.by_size and compiling.available()
    if problem.lattice.size > MOST_NODES:
        return search_large(problem, limits)
    if not prunable:
        return search_exhaustive(problem, limits)
    with workers(limits.threads) as pool:
        return _Descent(problem, places, limits, pool).run()


class _Descent:
    """One walk from the top: bounds of all nodes, the frontier so far, and the clock."""

    def __init__(
        self, problem: Problem, places: tuple[int, ...], limits: Limits, pool: Executor | None
    ) -> None:
        from paretonym.cube.closing import Bounds

        size, sizes = problem.lattice.size, stairs(problem)
        if size * len(sizes) * 4 > _STAIRCASE_BYTES:
            sizes = sizes[:1]
        self.problem, self.limits, self.pool = problem, limits, pool
        self.bounds = Bounds(
            known=np.full((size, len(places)), -np.inf),
            staircase=np.zeros((size, len(sizes)), dtype=np.int32),
            sizes=sizes,
            places=np.array(places, dtype=np.int64),
            size_place=next((i for i, o in enumerate(problem.objectives) if o.name == "k"), -1),
            suppressible=problem.suppressible,
            required=required_costs(problem),
        )
        self.evaluated = np.zeros(size, dtype=np.bool_)
        self.collector = Collector(problem)
        self.order = jumping_order(problem.cube)
        lanes = limits.threads if problem.cube.tuples > _FEW_TUPLES else 1
        self.lanes = evaluators(problem, lanes, True, self.order)
        self.weights = np.array(problem.lattice.weights, dtype=np.int64)
        self.tops = np.array(problem.lattice.shape, dtype=np.int64) - 1

    def run(self) -> Found:
        self.dive()
        total, done = self.problem.lattice.size, 0
        layers = self.layers()
        for number, nodes in enumerate(layers):
            waiting = nodes[self.open(nodes) & ~self.evaluated[nodes]]
            if len(nodes) >= _TELLING and len(waiting) > _TOO_MANY * len(nodes):
                return self.sweep_all()
            for batch in np.array_split(waiting, max(1, -(-len(waiting) // _CHUNK))):
                self.take(batch)
                if self.limits.over:
                    return self.unfinished(layers[number:])
            done += len(nodes)
            self.limits.progress(done, total)
            self.limits.estimate(int(self.evaluated.sum()), total)
        return Found(self.collector.best(), int(self.evaluated.sum()), complete=True)

    def sweep_all(self) -> Found:
        """Bounds close too few nodes to be worth jumping from one open node to the next: evaluate all."""
        evaluate = evaluator(self.problem)
        done = sweep(self.problem, self.collector, evaluate, self.pool, self.limits, self.evaluated)
        return stopped(
            self.problem, self.collector.best(), max(done, int(self.evaluated.sum())), self.evaluated
        )

    def layers(self) -> list[Integers]:
        """Nodes by the sum of their levels, the most general first."""
        heights = np.zeros(1, dtype=np.int16)
        for extent in self.problem.lattice.shape:
            heights = np.add.outer(heights, np.arange(extent, dtype=np.int16)).ravel()
        ranked = np.argsort(-heights, kind="stable")
        return np.split(ranked.astype(np.int64), np.flatnonzero(np.diff(heights[ranked])) + 1)

    def dive(self) -> None:
        """Go down from the top, each time to the neighbour that gives up the least of the first inherited
        objective for the cost it saves; all neighbours on the way are evaluated, and the bottom."""
        here = self.problem.lattice.size - 1
        self.take(np.unique(np.array([0, here], dtype=np.int64)))
        while here and not self.limits.over:
            below = here - self.weights[self.problem.above_lowest(np.array([here]))[0] > 0]
            self.take(below[~self.evaluated[below]])
            around = np.append(below, here)
            given = _scaled(finite(self.bounds.known[around, :1])[:, 0])
            saved = self.floor(around)
            rate = (given[:-1] - given[-1]) / np.maximum(saved[-1] - saved[:-1], 1e-12)
            here = int(below[np.argmin(np.nan_to_num(rate, nan=0.0))])

    def floor(self, nodes: Integers) -> Floats:
        """The floor of the first objective that has one."""
        place = next(i for i, o in enumerate(self.problem.objectives) if has_floor(o))
        return floors(self.problem, nodes).least[:, place]

    def open(self, nodes: Integers) -> npt.NDArray[np.bool_]:
        """Which nodes of a layer could still add to the frontier."""
        from paretonym.cube.closing import open_nodes

        result = np.zeros(len(nodes), dtype=np.bool_)
        floor = floors(self.problem, nodes)
        best = as_costs(self.collector.best().values, self.problem.directions)
        levels = self.problem.above_lowest(nodes)
        open_nodes(
            nodes, levels, self.tops, self.weights, self.bounds, floor.least, floor.per_row, best, result
        )
        return result

    def take(self, nodes: Integers) -> None:
        """Evaluate nodes, note what they bound, and keep what is best."""
        if len(nodes) == 0:
            return
        levels = self.problem.above_lowest(nodes)
        ordered = nodes[np.lexsort(levels[:, self.order[::-1]].T)]
        batches = list(self.shared_out(ordered))
        pool = self.pool if len(batches) > 1 and len(self.lanes) > 1 else None
        for (_, batch), counted in in_parallel(self.evaluate, batches, pool, self.limits.threads):
            self.evaluated[batch] = True
            self.note(counted)

    def shared_out(self, ordered: Integers) -> Iterator[tuple[int, Integers]]:
        """Nodes in batches, each with its lane: what begins alike goes the same way, since classes of the
        first levels are kept there."""
        lane_of = self.problem.above_lowest(ordered)[:, self.order[0]] % len(self.lanes)
        shares = [ordered[lane_of == lane] for lane in range(len(self.lanes))]
        for start in range(0, max(len(share) for share in shares), _BATCH):
            for lane, share in enumerate(shares):
                if start < len(share):
                    yield lane, share[start : start + _BATCH]

    def evaluate(self, batch: tuple[int, Integers]) -> Counted:
        lane, nodes = batch
        return self.lanes[lane](nodes)

    def note(self, counted: Counted) -> None:
        starts = np.flatnonzero(np.r_[True, counted.nodes[1:] != counted.nodes[:-1]])
        if len(self.bounds.sizes):
            stairs_of(counted, starts, self.bounds.sizes, self.problem.cube.rows, self.bounds.staircase)
        if not self.problem.every_threshold:
            # The limit's own candidate is the last threshold of each node.
            counted = counted.take(np.append(starts[1:], len(counted.nodes)) - 1)
            starts = np.arange(len(counted.nodes))
        facts = self.problem.facts(counted)
        values = self.problem.values(facts)
        costs = as_costs(values, self.problem.directions)[:, self.bounds.places]
        self.bounds.known[counted.nodes[starts]] = np.minimum.reduceat(costs, starts)
        self.collector.add(admitted(self.problem, counted, self.problem.admissible(facts), values))

    def unfinished(self, layers: list[Integers]) -> Found:
        """The time is over: what is found, and for each solution what could still beat it."""
        best = self.collector.best()
        ideals = [self.ideals(nodes[self.open(nodes) & ~self.evaluated[nodes]]) for nodes in layers]
        ideal = np.concatenate(ideals)
        return Found(
            best,
            int(self.evaluated.sum()),
            complete=len(ideal) == 0,
            open=len(ideal),
            unresolved=rivals(ideal, best.values, self.problem.directions) if len(ideal) else (),
        )

    def ideals(self, nodes: Integers) -> Floats:
        """The best that each objective could be at open nodes, as costs."""
        least = floors(self.problem, nodes).least
        least[:, self.bounds.places] = np.maximum(least[:, self.bounds.places], self.bounds.known[nodes])
        return rounded(least)


def _scaled(costs: Floats) -> Floats:
    """Privacy on a scale where equal steps count alike: orders of magnitude for counts."""
    result: Floats = -np.log(np.maximum(-costs, 1e-12)) if (costs < 0).all() else costs
    return result


def stairs_of(
    counted: Counted, starts: Integers, sizes: Integers, rows: int, staircase: npt.NDArray[np.int32]
) -> None:
    """Enter the rows in classes smaller than each of `sizes`; all rows where that is more than may go."""
    which = np.cumsum(np.bincount(starts, minlength=len(counted.nodes))) - 1
    # Sizes of all nodes behind one another: one search serves them all.
    apart = np.int64(rows) + 1
    wanted = np.arange(len(starts))[:, None] * apart + np.minimum(sizes, rows)
    place = np.searchsorted(which * apart + counted.facts[:, 0], wanted)
    ends = np.append(starts[1:], len(counted.nodes))[:, None]
    gone = counted.facts[np.minimum(place, ends - 1), 1]
    staircase[counted.nodes[starts]] = np.where(place < ends, gone, rows)
