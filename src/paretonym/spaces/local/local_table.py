"""The tuples of a table laid out for the search of partitions, and partitions of them that are improved.

A partition is an array with the class of each tuple, -1 where it is suppressed. Costs are those of `loss`.
Where a person has several tuples, sizes are sums over tuples: too many persons, which can only mislead the
search, since what it finds is counted again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paretonym.arrays import Codes, Integers
from paretonym.counts import Cube
from paretonym.counts import kernel_interface as interface
from paretonym.counts import kernel_library as library
from paretonym.measures import CostRule
from paretonym.recoding import ShownSets

# Orders of the tuples in which neighbours are looked for.
ORDERS = 12
# Blocks of fewer tuples are not divided further on the line.
SMALL_BLOCK = 250
# Of neighbouring classes, at most so many are divided together; more of them in a long search for classes of
# few tuples.
MOST_TOGETHER, MORE_TOGETHER, SMALL_CLASSES = 4, 6, 8
# A long search has so many rounds or more. A block may then cost so much more at first, as a share of the
# most that a row can lose, in the mean; nothing after this share of the rounds.
LONG, HEAT, COOL = 500, 0.03, 0.9
# Costs of all rows, over all columns, stay below this.
MOST_COST = 1 << 61


@dataclass(frozen=True, eq=False)
class LocalTable:
    """`table` holds the group of each tuple at each level of each column. If a schema forbids the top level
    of a column, showing it costs as much as suppression, and `highest` is the last place that is allowed."""

    table: interface.LocalTable
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
        ends = np.cumsum([len(part) for part in costs])
        # A column that is forbidden costs a row as much as all of them.
        scale = max(1, rule.most * cube.rows * (len(cube.axes) + 1) // MOST_COST + 1)
        sizes = cube.class_sizes(np.arange(cube.tuples), cube.counts)
        table = interface.LocalTable.made(
            columns=len(first),
            most=rule.most // scale,
            groups=np.ascontiguousarray(np.array(groups, dtype=np.int32).T),
            first=np.array(first, dtype=np.int64),
            starts=np.concatenate([[0], ends[:-1]]).astype(np.int64),
            rows=np.ascontiguousarray(cube.counts, dtype=np.int64),
            sizes=np.ascontiguousarray(sizes, dtype=np.int64),
            costs=np.concatenate(costs).astype(np.int64) // scale,
        )
        return cls(table, np.array(highest, dtype=np.int64))

    def space(self) -> interface.LocalSpace:
        """Memory for one thread."""
        return interface.LocalSpace.made(tuples=self.table.tuples, columns=self.table.columns)

    def orders(self, seed: int) -> Integers:
        """Orders of the tuples, drawn: by one level of each column after the other."""
        generator, table = np.random.default_rng(seed), self.table
        ends = np.append(table.first[1:], table.groups.shape[1])
        lines = []
        for _ in range(ORDERS):
            places = generator.integers(table.first, ends)[generator.permutation(len(ends))]
            lines.append(np.lexsort(table.groups[:, places].T))
        return np.array(lines)

    @cached_property
    def line(self) -> Integers:
        """An order in which neighbours are alike: again and again the rows of a block go to the children of
        the set by which they gain most."""
        table, blocks = self.table, list[Integers]()
        waiting = [(np.arange(table.tuples), np.append(table.first[1:], table.groups.shape[1]) - 1)]
        while waiting:
            members, places = waiting.pop()
            gains = [self._gain(members, place) if place > low else -1.0
                     for place, low in zip(places.tolist(), table.first.tolist(), strict=True)]  # fmt: skip
            column = int(np.argmax(gains))
            if len(members) < SMALL_BLOCK or gains[column] < 0:
                blocks.append(members)
                continue
            below = np.where(np.arange(len(places)) == column, places - 1, places)
            groups = table.groups[members, below[column]]
            order = np.argsort(groups, kind="stable")
            parts = np.split(members[order], np.flatnonzero(np.diff(groups[order])) + 1)
            waiting += [(part, below) for part in parts]
        return np.concatenate([np.empty(0, dtype=np.int64), *blocks])

    def _gain(self, members: Integers, place: int) -> float:
        """What a row of some tuples loses less, in the mean, if one column goes from a place to the lower
        one."""
        table = self.table
        costs = [table.costs[table.starts[p] + table.groups[members, p]] for p in (place, place - 1)]
        return float((costs[0] - costs[1]).mean())

    def allowed(self, of_tuple: Integers) -> Integers:
        """A partition without the classes that would show a level that is forbidden."""
        result, table = of_tuple.copy(), self.table
        for place in self.highest.tolist():
            groups = table.groups[:, place]
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
        small = rounds >= LONG and len(of_tuple) < SMALL_CLASSES * int(of_tuple.max(initial=0) + 1)
        together = MORE_TOGETHER if small else MOST_TOGETHER
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
    position = np.empty(2 * tuples, dtype=np.int64)
    position[own[shuffled]] = place[shuffled]
    order = shuffled[np.argsort(position[own[shuffled]], kind="stable")]
    begins = np.flatnonzero(np.diff(own[order], prepend=-1))
    number = np.cumsum(np.diff(own[order], prepend=-1) != 0) - 1
    classes = np.where(of_tuple[order] < 0, -1, begins[number])
    ends = np.append(begins[together::together], tuples)
    return order.astype(np.int32), classes.astype(np.int32), ends.astype(np.int64)
