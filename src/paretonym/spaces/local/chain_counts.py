"""Fast counting for a search of chains: which tuples reach k at a node, and what their rows lose.

The keys of a node are sums of one number for each column and level, so that two nodes that differ in one
column differ in one term. Where all combinations of values fit into a machine word, keys are exact; otherwise
the numbers are drawn at random, and two different combinations may, once in 2⁶⁴, get one key. That can only
mislead the search: what it finds is counted again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import prod
from queue import Empty, SimpleQueue
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats, Integers, Mask
from paretonym.counts import Axis, Cube
from paretonym.counts import kernel_interface as interface
from paretonym.counts import kernel_library as library
from paretonym.recoding import ShownSets
from paretonym.spaces.local.local_recoding import Chain, Levels

Keys: TypeAlias = npt.NDArray[np.uint64]
Entry = TypeVar("Entry")


class Scratch(NamedTuple):
    """Memory for counting the classes of some tuples."""

    table: interface.Table
    numbers: tuple[Integers, Integers, Integers]

    @classmethod
    def for_tuples(cls, tuples: int) -> Scratch:
        first, second, third = (np.empty(tuples, dtype=np.int64) for _ in range(3))
        return cls(interface.Table.for_classes(tuples), (first, second, third))


@dataclass(frozen=True, eq=False)
class ChainCounts:
    """`keys[j][l]` and `costs[j][l]` hold, for each tuple, the key and the loss of one row in column j at its
    l-th usable level, `key_steps` and `cost_steps` how much more they are one level higher, for all rows of
    the tuple; `rows` are the rows of each tuple, `sizes` its rows or persons. Where a person has several
    tuples, sums of these are too high, which can only mislead the search."""

    keys: tuple[tuple[Keys, ...], ...]
    costs: tuple[tuple[Floats, ...], ...]
    rows: Integers
    sizes: Integers
    lowest: Levels
    key_steps: tuple[tuple[Keys, ...], ...]
    cost_steps: tuple[tuple[Floats, ...], ...]
    memory: SimpleQueue[Scratch] = field(default_factory=SimpleQueue)

    @classmethod
    def of(cls, cube: Cube) -> ChainCounts:
        """The tuples of a cube at every level of every column; kept for further questions."""
        return cube.once("chain counts", lambda: cls._made(cube))

    @classmethod
    def _made(cls, cube: Cube) -> ChainCounts:
        groups = [axis.groups(axis.lowest) for axis in cube.axes]
        exact, generator = prod(groups) < 1 << 63, np.random.default_rng(0)
        weight = max(float(sum(axis.importance for axis in cube.axes)), 1e-300)
        keys, costs = [], []
        for j, axis in enumerate(cube.axes):
            places = [
                axis.mapping(axis.lowest, level)[cube.groups[:, j]]
                for level in range(axis.lowest, axis.highest + 1)
            ]
            stride = np.uint64(prod(groups[j + 1 :]) if exact else 0)
            numbers = [
                np.arange(axis.groups(level), dtype=np.uint64) * stride
                if exact
                else generator.integers(0, 1 << 64, axis.groups(level), dtype=np.uint64)
                for level in range(axis.lowest, axis.highest + 1)
            ]
            keys.append(tuple(own[place] for own, place in zip(numbers, places, strict=True)))
            losses = [_losses(axis, level) / weight for level in range(axis.lowest, axis.highest + 1)]
            costs.append(tuple(loss[place] for loss, place in zip(losses, places, strict=True)))
        lowest = tuple(axis.lowest for axis in cube.axes)
        rows = np.ascontiguousarray(cube.counts, dtype=np.int64)
        sizes = np.ascontiguousarray(cube.class_sizes(np.arange(cube.tuples), rows), dtype=np.int64)
        key_steps = tuple(tuple(high - low for low, high in pairwise(own)) for own in keys)
        cost_steps = tuple(tuple((high - low) * rows for low, high in pairwise(own)) for own in costs)
        return cls(tuple(keys), tuple(costs), rows, sizes, lowest, key_steps, cost_steps)

    def node_keys(self, levels: Levels, tuples: Integers) -> Keys:
        """The keys of some tuples at a node: equal where they look the same."""
        own = _at(self.keys, levels, self.lowest)
        result: Keys = np.sum([each[tuples] for each in own], axis=0, dtype=np.uint64)
        return result

    def raised_keys(self, keys: Keys, column: int, level: int, tuples: Integers) -> Keys:
        """The keys one level higher in one column."""
        return keys + self.key_steps[column][level - self.lowest[column]][tuples]

    def reaching(self, keys: Keys, tuples: Integers, k: int) -> Mask:
        """Which of some tuples are in classes of at least k rows, or persons."""
        if not library.available():
            return self._reaching_plain(keys, tuples, k)
        try:
            scratch = self.memory.get_nowait()
        except Empty:
            scratch = Scratch.for_tuples(len(self.rows))
        length, result = len(keys), np.empty(len(keys), dtype=np.bool_)
        room = (each[:length] for each in scratch.numbers)
        library.call(
            "reaching", scratch.table, len(self.rows), self.sizes, length, tuples, keys, k, *room, result
        )
        self.memory.put(scratch)
        return result

    def _reaching_plain(self, keys: Keys, tuples: Integers, k: int) -> Mask:
        """The twin of the kernel `reaching`."""
        order = np.argsort(keys)
        ordered = keys[order]
        first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        sizes = np.add.reduceat(self.sizes[tuples[order]], first)
        result = np.empty(len(keys), dtype=np.bool_)
        result[order] = np.repeat(sizes >= k, np.diff(first, append=len(keys)))
        return result

    def step_loss(self, column: int, level: int, tuples: Integers) -> float:
        """How much more some tuples lose one level higher in one column, in rows."""
        return float(self.cost_steps[column][level - self.lowest[column]][tuples].sum())

    def loss(self, levels: Levels, tuples: Integers) -> float:
        """What the rows of some tuples lose at a node, in rows."""
        each = np.sum([cost[tuples] for cost in _at(self.costs, levels, self.lowest)], axis=0)
        return float((each * self.rows[tuples]).sum())


def _at(table: tuple[tuple[Entry, ...], ...], levels: Levels, lowest: Levels) -> list[Entry]:
    """What a table of columns and levels holds for one node."""
    return [own[level - low] for own, level, low in zip(table, levels, lowest, strict=True)]


def _losses(axis: Axis, level: int) -> Floats:
    """What one row loses in each group of a level, weighted by importance."""
    domain = axis.hierarchy.domain
    sizes = ShownSets.of_level(axis, level).sizes
    return np.asarray((sizes - 1) / max(domain - 1, 1) * float(axis.importance))


class ChainCounter:
    """Counts chains for one k. The rows that are left after a beginning are kept, since the next chain often
    begins in the same way."""

    def __init__(self, counts: ChainCounts, k: int) -> None:
        self.counts, self.k, self.evaluated = counts, k, 0
        self._left: dict[Chain, tuple[Integers, float]] = {
            (): (np.arange(len(counts.rows), dtype=np.int64), 0.0)
        }

    def left(self, chain: Chain) -> tuple[Integers, float]:
        """The tuples that reach k at no node of a chain, and what the others lose, in rows."""
        known = self._left.get(chain)
        if known is None:
            rest, loss = self.left(chain[:-1])
            shown = np.zeros(0, dtype=np.bool_)
            if len(rest):
                shown = self.counts.reaching(self.counts.node_keys(chain[-1], rest), rest, self.k)
                loss += self.counts.loss(chain[-1], rest[shown])
            known = self._left[chain] = (rest[~shown], loss)
        return known

    def total(self, chain: Chain) -> tuple[float, int]:
        """What all rows lose, in rows, and how many of them are suppressed."""
        self.evaluated += 1
        rest, loss = self.left(chain)
        gone = int(self.counts.rows[rest].sum())
        return loss + gone, gone

    def forget(self, chain: Chain) -> None:
        """Keep what belongs to the beginnings of one chain only."""
        begins = {chain[:length] for length in range(len(chain) + 1)}
        self._left = {begin: known for begin, known in self._left.items() if begin in begins}
