"""The tuples of a table laid out for the search of partitions: sequences of nodes, with which it begins, and
partitions that are improved.

A partition is an array with the class of each tuple, -1 where it is suppressed. Costs are those of `loss`.
Where a person has several tuples, sizes are sums over tuples: too many persons, which can only mislead the
search, since what it finds is counted again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from paretonym.base.arrays import Codes, Integers
from paretonym.engine.counts import Cube, Plan
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.counts import kernel_library as library
from paretonym.engine.measures import CellCosts, CostRule
from paretonym.engine.recoding import ShownSets

# Orders of the tuples in which neighbours are looked for.
ORDERS = 12
# Blocks of fewer tuples are not divided further on the line.
SMALL_BLOCK = 250
# Of neighbouring classes, at most so many are divided together. In a long search more of them are if they are
# small: two, and further ones of so many tuples, but three at least.
MOST_TOGETHER, TUPLES_TOGETHER = 4, 18
# A long search has so many rounds or more. A block may then cost so much more at first, as a share of the
# most that a row can lose, in the mean; nothing after this share of the rounds.
LONG, HEAT, COOL = 500, 0.03, 0.9
# Bits in a word of a key.
WORD = 64
# Costs of all rows, over all columns, stay below this.
MOST_COST = 1 << 61


@dataclass(frozen=True, eq=False)
class LocalTable:
    """The group of each tuple at each place, a level of a column; `table` holds what it costs there. If a
    schema forbids the top level of a column, showing it costs as much as suppression, and `highest` is the
    last place that is allowed."""

    table: interface.LocalTable
    groups: Codes
    highest: Integers

    @classmethod
    def of(cls, cube: Cube) -> LocalTable:
        return cube.once("local table", lambda: cls._made(cube))

    @classmethod
    def _made(cls, cube: Cube) -> LocalTable:
        rule = CostRule.named("generalization", cube)
        groups, costs = list[Codes](), list[Integers]()
        first, highest = list[int](), list[int]()
        for j, axis in enumerate(cube.axes):
            first.append(len(groups))
            highest.append(len(groups) + axis.steps)
            for level in sorted({*range(axis.lowest, axis.highest + 1), axis.hierarchy.height}):
                groups.append(axis.mapping(axis.lowest, level)[cube.groups[:, j]])
                cost = rule.unit(axis, ShownSets.of_level(axis, level))
                costs.append(cost if level <= axis.highest else np.full_like(cost, rule.most))
        # Many sets cost the same: few numbers stay at hand.
        values, numbers = np.unique(np.concatenate(costs), return_inverse=True)
        number_of = np.split(numbers, np.cumsum([len(part) for part in costs])[:-1])
        prices = [number[codes] for number, codes in zip(number_of, groups, strict=True)]
        # A column that is forbidden costs a row as much as all of them.
        scale = max(1, rule.most * cube.rows * (len(cube.axes) + 1) // MOST_COST + 1)
        sizes = cube.class_sizes(np.arange(cube.tuples), cube.counts)
        keys, bits = _keys(groups, [*first[1:], len(groups)])
        table = interface.LocalTable.made(
            columns=len(first),
            most=rule.most // scale,
            words=keys.shape[1],
            keys=np.ascontiguousarray(keys),
            **bits,
            prices=np.ascontiguousarray(np.array(prices, dtype=np.int32).T),
            first=np.array(first, dtype=np.int64),
            rows=np.ascontiguousarray(cube.counts, dtype=np.int64),
            sizes=np.ascontiguousarray(sizes, dtype=np.int64),
            costs=values.astype(np.int64) // scale,
        )
        columns = np.ascontiguousarray(np.array(groups, dtype=np.int32).T)
        return cls(table, columns, np.array(highest, dtype=np.int64))

    def space(self) -> interface.LocalSpace:
        """Memory for one thread."""
        return interface.LocalSpace.made(
            tuples=self.table.tuples, columns=self.table.columns, words=self.table.words
        )

    def orders(self, seed: int) -> Integers:
        """Orders of the tuples, drawn: by one level of each column after the other."""
        generator, table = np.random.default_rng(seed), self.table
        ends = np.append(table.first[1:], table.places)
        lines = []
        for _ in range(ORDERS):
            places = generator.integers(table.first, ends)[generator.permutation(len(ends))]
            lines.append(np.lexsort(self.groups[:, places].T))
        return np.array(lines)

    @cached_property
    def line(self) -> Integers:
        """An order in which neighbours are alike: again and again the rows of a block go to the children of
        the set by which they gain most."""
        table, blocks = self.table, list[Integers]()
        waiting = [(np.arange(table.tuples), np.append(table.first[1:], table.places) - 1)]
        while waiting:
            members, places = waiting.pop()
            gains = [self._gain(members, place) if place > low else -1.0
                     for place, low in zip(places.tolist(), table.first.tolist(), strict=True)]  # fmt: skip
            column = int(np.argmax(gains))
            if len(members) < SMALL_BLOCK or gains[column] < 0:
                blocks.append(members)
                continue
            below = np.where(np.arange(len(places)) == column, places - 1, places)
            groups = self.groups[members, below[column]]
            order = np.argsort(groups, kind="stable")
            parts = np.split(members[order], np.flatnonzero(np.diff(groups[order])) + 1)
            waiting += [(part, below) for part in parts]
        return np.concatenate([np.empty(0, dtype=np.int64), *blocks])

    def _gain(self, members: Integers, place: int) -> float:
        """Mean loss that a row of some tuples is spared if one column goes from a place to the lower
        one."""
        table = self.table
        costs = [table.costs[table.prices[members, p]] for p in (place, place - 1)]
        return float((costs[0] - costs[1]).mean())

    def allowed(self, of_tuple: Integers) -> Integers:
        """A partition without the classes that would show a level that is forbidden."""
        result, table = of_tuple.copy(), self.table
        for place in self.highest.tolist():
            groups = self.groups[:, place]
            if groups.any():
                low, high = np.full((2, table.tuples), groups.max(), dtype=np.int64)
                high[:] = 0
                staying = result >= 0
                np.minimum.at(low, result[staying], groups[staying])
                np.maximum.at(high, result[staying], groups[staying])
                result[staying & (low < high)[np.maximum(result, 0)]] = -1
        return result

    def divided(self, k: int, length: int, space: interface.LocalSpace) -> Integers:
        """A first partition: neighbours on the line, so many at a time, in classes of at least k."""
        members = self.line.astype(np.int32)
        ends = np.append(np.arange(length, self.table.tuples, length), self.table.tuples)
        classes = np.full(self.table.tuples, -1, dtype=np.int32)
        # No class is too dear at first, since all are suppressed.
        library.call(
            "divide", self.table, space, len(ends), ends, np.zeros_like(ends), k, 0, members, classes
        )
        return _of_tuple(members, classes)

    def rebuilt(
        self,
        of_tuple: Integers,
        k: int,
        suppressible: int,
        orders: Integers,
        rounds: int,
        generator: np.random.Generator,
        space: interface.LocalSpace,
        passed: Callable[[], float] = lambda: 0.0,
    ) -> Integers:
        """A partition that costs less: in each round all classes, a few neighbours at a time, are divided
        anew wherever that does not cost more. In a long search it may cost a little more at first (simulated
        annealing). At most so many rows are suppressed. `passed` is the share of the time that is over."""
        table, heat = self.table, HEAT * self.table.most * min(1.0, rounds / LONG) ** 2
        together = MOST_TOGETHER
        if rounds >= LONG:
            together = max(3, 2 + round(TUPLES_TOGETHER * len(np.unique(of_tuple)) / len(of_tuple)))
        for done in range(rounds):
            share = max(done / rounds, passed())
            if share >= 1:
                break
            line = orders[generator.integers(len(orders))]
            number = int(generator.integers(2, together + 1))
            members, classes, ends = blocks(of_tuple, line, number, generator)
            slack = generator.exponential(heat * max(0.0, 1 - share / COOL) ** 2, len(ends)).astype(np.int64)
            left = suppressible - int(table.rows[of_tuple < 0].sum())
            library.call("divide", table, space, len(ends), ends, slack, k, max(left, 0), members, classes)
            of_tuple = _of_tuple(members, classes)
        return of_tuple


def _keys(groups: Sequence[Codes], ends: Sequence[int]) -> tuple[interface.Words, dict[str, Any]]:
    """The keys of the tuples and the meaning of their bits, given the group of each tuple at each place, and
    where the places of each column end. A column has a word at most: what is further down does not count."""
    words, free = [np.zeros(len(groups[0]) if groups else 0, dtype=np.uint64)], WORD
    place, column = np.zeros((2, WORD * len(ends)), dtype=np.int64)
    below, above = np.zeros((2, WORD * len(ends)), dtype=np.uint64)
    for j, (low, high) in enumerate(pairwise([0, *ends])):
        digits, width = list[tuple[int, Integers, int]](), 0
        for lower in range(high - 2, low - 1, -1):
            # Which of the children of its parent a group is.
            parent = groups[lower + 1].astype(np.int64)
            both, child = np.unique(parent << 32 | groups[lower], return_inverse=True)
            child -= np.searchsorted(both >> 32, parent)
            width += (bits := int(child.max(initial=0)).bit_length())
            if width > WORD:
                break
            digits.append((lower, child, bits))
        if (needed := sum(bits for *_, bits in digits)) > free:
            words.append(np.zeros_like(words[0]))
            free = WORD
        bottom, top = free - needed, free
        for lower, child, bits in digits:
            if bits:
                words[-1] |= child.astype(np.uint64) << np.uint64(top - bits)
                numbers = WORD * (len(words) - 1) + np.arange(top - bits, top)
                place[numbers], column[numbers] = lower + 1, j
                below[numbers] = (1 << bottom) - 1
                above[numbers] = (1 << WORD) - (1 << top) + (1 << bottom) - 1
                top -= bits
        free = bottom
    meaning = {"place": place, "column": column, "below": below, "above": above}
    return np.stack(words, axis=1), {name: bits[: WORD * len(words)] for name, bits in meaning.items()}


def _of_tuple(members: Codes, classes: Codes) -> Integers:
    result = np.empty(len(members), dtype=np.int64)
    result[members] = classes
    return result


def blocks(
    of_tuple: Integers, line: Integers, together: int, generator: np.random.Generator
) -> tuple[Codes, Codes, Integers]:
    """The tuples, some neighbouring classes of a line after the other, those of each class together, with
    their classes by new numbers; and where the blocks of several classes end."""
    tuples = len(of_tuple)
    # Suppressed tuples are classes of their own for the moment.
    own = np.where(of_tuple < 0, tuples + np.arange(tuples), of_tuple)
    place = np.empty(tuples, dtype=np.int64)
    place[line] = (np.arange(tuples) + int(generator.integers(tuples))) % tuples
    # A class is where one of its tuples is, whichever is written last.
    shuffled = generator.permutation(tuples)
    position, taken = np.empty(2 * tuples, dtype=np.int64), np.zeros(tuples, dtype=np.int64)
    position[own[shuffled]] = place[shuffled]
    taken[position[own]] = 1
    number = (np.cumsum(taken) - 1)[position[own[shuffled]]]
    # Numbers of two bytes are sorted much faster.
    order = shuffled[np.argsort(number.astype(np.uint16) if tuples <= 1 << 16 else number, kind="stable")]
    begins = np.flatnonzero(np.diff(own[order], prepend=-1))
    number = np.cumsum(np.diff(own[order], prepend=-1) != 0) - 1
    classes = np.where(of_tuple[order] < 0, -1, begins[number])
    ends = np.append(begins[together::together], tuples)
    return order.astype(np.int32), classes.astype(np.int32), ends.astype(np.int64)


# Nodes times tuples; larger lattices have no sequences.
MOST_TRIED = 1 << 31
# Further nodes are tried for sizes that are often required, and for the next k so many times as large.
USUAL_SIZES = (2, 3, 5, 10, 15, 20, 30, 50, 100, 200, 500, 1000)
STEP = 1.6


@dataclass(frozen=True, eq=False)
class SequenceCounts:
    """The tuples as packed keys, `plan.rank` in order; the size of each, and what all rows lose at each level
    of each axis. From these come sequences of nodes, the cheapest first, each of which shows what reaches k
    among the rows that are left.

    For the smallest k all nodes are tried. Those that show rows, and their neighbours, are tried for the next
    larger k of a few, and so on. What is between two of these k uses the nodes that show rows for either.
    """

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
        """True if all nodes can be tried."""
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
