"""Sequences of nodes, the cheapest first: each shows what reaches k among the rows that are left.

For the smallest k all nodes are tried. Those that show rows, and their neighbours, are tried for the next
larger k of a few, and so on. What is between two of these k uses the nodes that show rows for either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from paretonym.arrays import Integers
from paretonym.counts import Cube, Plan
from paretonym.counts import kernel_interface as interface
from paretonym.counts import kernel_library as library
from paretonym.measures import CellCosts

# Nodes times tuples; larger lattices have no sequences.
MOST_TRIED = 1 << 29
# Further nodes are tried for sizes that are often required, and for the next k so many times as large.
USUAL_SIZES = (2, 3, 5, 10, 15, 20, 30, 50, 100, 200, 500, 1000)
STEP = 1.6


@dataclass(frozen=True, eq=False)
class SequenceCounts:
    """The tuples as packed keys, `plan.rank` in order; the size of each, and what all rows lose at each level
    of each axis."""

    plan: Plan
    totals: tuple[Integers, ...]

    @classmethod
    def of(cls, cube: Cube) -> SequenceCounts:
        sizes = cube.class_sizes(np.arange(cube.tuples), cube.counts)
        counted = replace(cube.without("person", "unit"), counts=sizes)
        plan = Plan.of(counted, (), 0, False, (), counted.walking_order)
        totals = CellCosts.of("generalization", cube).totals
        return cls(plan, tuple(totals[j] for j in plan.order))

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(totals) for totals in self.totals)

    @property
    def small(self) -> bool:
        """Whether all nodes can be tried."""
        return prod(self.shape) * len(self.plan.rank) <= MOST_TRIED

    def nodes(self) -> Integers:
        """All nodes, one row of levels above the lowest for each, the cheapest first."""
        return self.ordered(np.indices(self.shape).reshape(len(self.shape), -1).T)

    def ordered(self, nodes: Integers) -> Integers:
        """Nodes, one row of levels for each, without those that come again."""
        numbers = np.unique(np.ravel_multi_index(tuple(nodes.T), self.shape))
        levels = np.stack(np.unravel_index(numbers, self.shape), axis=1).astype(np.int64)
        costs = sum((own[levels[:, j]] for j, own in enumerate(self.totals)), start=np.zeros(len(levels)))
        return np.ascontiguousarray(levels[np.argsort(costs, kind="stable")])

    def near(self, nodes: Integers) -> Integers:
        """Some nodes, and those that differ from one of them by one level of one column."""
        step = np.eye(nodes.shape[1], dtype=np.int64)
        steps = np.concatenate([step[:1] * 0, step, -step])
        around = (nodes[:, None, :] + steps).reshape(-1, nodes.shape[1])
        inside = ((around >= 0) & (around < np.array(self.shape))).all(axis=1)
        return self.ordered(around[inside])

    def shown(self, nodes: Integers, k: int) -> tuple[Integers, Integers]:
        """The class of each tuple, -1 where no node shows it, and the nodes that show some."""
        layout, left = self.plan.layout, self.plan.tuples
        tuples, place = left.length, np.arange(left.length)
        of_tuple, number = np.full(tuples, -1, dtype=np.int64), 0
        lowest, showing = np.zeros(layout.positions, dtype=np.int64), list[int]()
        table, target = interface.Table.for_classes(max(tuples, 1)), np.empty(tuples, dtype=np.int64)
        codes = np.empty((tuples, layout.words), dtype=np.uint64)
        merged = interface.Classes.made(length=tuples, words=layout.words, width=0)
        for node, levels in enumerate(nodes):
            if not len(place):
                break
            classes = library.call("group", layout, table, lowest, levels, left, merged, codes, target)
            large = merged.counts[:classes] >= k
            if not large.any():
                continue
            showing.append(node)
            stays = large[target]
            numbers = number + np.cumsum(large) - 1
            of_tuple[place[stays]] = numbers[target[stays]]
            number = int(numbers[-1]) + 1
            place, rest = place[~stays], ~stays
            left = interface.Classes.made(
                keys=left.keys[rest], counts=left.counts[rest], cells=left.cells[rest]
            )
            merged = interface.Classes.made(length=len(place), words=layout.words, width=0)
            codes, target = codes[: len(place)], target[: len(place)]
        result = np.empty(tuples, dtype=np.int64)
        result[self.plan.rank] = of_tuple
        return result, nodes[showing]

    def sequences(self, sizes: Sequence[int]) -> dict[int, Integers]:
        """For each k the nodes of a sequence."""
        tried: dict[int, Integers] = {}
        last, nodes = 0.0, np.empty((0, len(self.shape)), dtype=np.int64)
        for k in sorted(sizes):
            if k in USUAL_SIZES or k >= last * STEP or k == max(sizes):
                _, nodes = self.shown(self.near(self.near(nodes)) if tried else self.nodes(), k)
                tried[k], last = nodes, k
        return {k: self._between(tried, k) for k in sizes}

    def _between(self, tried: dict[int, Integers], k: int) -> Integers:
        if k in tried:
            return tried[k]
        below, above = max(size for size in tried if size < k), min(size for size in tried if size > k)
        return self.ordered(np.concatenate([tried[below], tried[above]]))
