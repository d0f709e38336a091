"""A cache of evaluated nodes, for searches that visit the same nodes repeatedly."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor

import numpy as np

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.base.budget import Limits
from paretonym.base.thread_pool import in_parallel
from paretonym.engine.counts import Counted
from paretonym.engine.search import Best, Evaluator, Found, Problem, admitted, evaluators

_BATCH = 256


class Ledger:
    """The nodes counted so far. A *place* is the number of one candidate in it."""

    def __init__(
        self,
        problem: Problem,
        limits: Limits,
        pool: Executor | None = None,
        evaluate: Evaluator | None = None,
    ) -> None:
        self.problem = problem
        self._order = problem.cube.jumping_order
        order = self._order if problem.by_size else None
        self._evaluate = evaluate or evaluators(problem, 1, problem.every_threshold, order)[0]
        self._limits, self._pool = limits, pool
        self._places: dict[int, range] = {}
        self._parts: list[Counted] = []
        self.values: Floats = np.empty((0, len(problem.objectives)))
        self.admissible: Mask = np.empty(0, dtype=np.bool_)

    @property
    def evaluated(self) -> int:
        """Number of nodes that were evaluated, each counted once."""
        return len(self._places)

    def new(self, nodes: Integers) -> Integers:
        """Those of the nodes that were not evaluated yet, in order, each once."""
        return np.array(sorted({int(node) for node in nodes} - self._places.keys()), dtype=np.int64)

    def look(self, nodes: Integers) -> None:
        """Evaluate the nodes that were not evaluated yet."""
        new = self.new(nodes)
        if len(new) == 0:
            return
        # In the order in which neighbours share the most work.
        levels = self.problem.above_lowest(new)[:, self._order[::-1]]
        batches = np.array_split(new[np.lexsort(levels.T)], max(1, -(-len(new) // _BATCH)))
        for _, counted in in_parallel(self._evaluate, batches, self._pool, self._limits.threads):
            self._enter(counted)
        self._limits.progress(self.evaluated, self.problem.lattice.size)

    def places(self, nodes: Iterable[int]) -> list[range]:
        """The candidates of each node; all must have been evaluated."""
        return [self._places[int(node)] for node in nodes]

    def first_places(self, nodes: Integers) -> Integers:
        """The first candidate of each node: the only one if suppression has a limit."""
        return np.array([places.start for places in self.places(nodes)], dtype=np.int64)

    def node(self, place: int) -> int:
        return int(self._counted().nodes[place])

    def nodes(self) -> Integers:
        """All nodes that were evaluated, in order."""
        return np.array(sorted(self._places), dtype=np.int64)

    def best(self, places: Iterable[int]) -> Best:
        """The best of some candidates that meet the requirements; of equal ones, the lowest node that was
        evaluated represents all."""
        wanted = {tuple(vector) for vector in self.values[list(places)].tolist()}
        equal = [place for place, vector in enumerate(self.values.tolist()) if tuple(vector) in wanted]
        chosen = np.array(equal, dtype=np.int64)
        return admitted(
            self.problem, self._counted().take(chosen), self.admissible[chosen], self.values[chosen]
        )

    def found(self, places: Iterable[int]) -> Found:
        """The result of a search that proves nothing: the nodes that it did not evaluate stay open."""
        left = self.problem.lattice.size - self.evaluated
        return Found(self.best(places), self.evaluated, complete=False, open=left)

    def _enter(self, counted: Counted) -> None:
        starts = np.flatnonzero(np.concatenate([[True], counted.nodes[1:] != counted.nodes[:-1]]))
        ends = [*starts[1:].tolist(), len(counted.nodes)]
        before = len(self.values)
        for start, end in zip(starts.tolist(), ends, strict=True):
            self._places[int(counted.nodes[start])] = range(before + start, before + end)
        facts = self.problem.facts(counted)
        self._parts.append(counted)
        self.values = np.concatenate([self.values, self.problem.values(facts)])
        self.admissible = np.concatenate([self.admissible, self.problem.admissible(facts)])

    def _counted(self) -> Counted:
        if len(self._parts) > 1:
            self._parts = [Counted.joined(self._parts)]
        return self._parts[0]


def tabled(problem: Problem, counted: Counted) -> Evaluator:
    """Looks up the counts of all nodes, in the order of their numbers: many searches of one problem then
    count only once, while each still reports which nodes it would have evaluated."""
    starts = np.searchsorted(counted.nodes, np.arange(problem.lattice.size + 1))

    def evaluate(numbers: Integers) -> Counted:
        places = [np.arange(starts[n], starts[n + 1]) for n in numbers.tolist()]
        return counted.take(np.concatenate(places))

    return evaluate
