"""Fast counting for a search of chains: which tuples reach k at a node, and what their rows lose.

The keys of a node are sums of one number for each column and level, so that two nodes that differ in one
column differ in one term. Where all combinations of values fit into a machine word, keys are exact; otherwise
the numbers are drawn at random, and two different combinations may, once in 2⁶⁴, get one key. That can only
mislead the search: what it finds is counted again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from queue import Empty, SimpleQueue
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Codes, Floats, Integers
from paretonym.counts import Axis, Cube
from paretonym.counts import kernel_interface as interface
from paretonym.counts import kernel_library as library
from paretonym.recoding import ShownSets
from paretonym.spaces.local.local_recoding import Chain, Levels

Keys: TypeAlias = npt.NDArray[np.uint64]
# What is known of a class: its key, one of its tuples, its rows or persons, and its rows.
_KEY, _SHOWN_BY, _SIZE, _ROWS = range(4)


class Waiting(NamedTuple):
    """Tuples that no node has shown yet, in their classes at the last one."""

    levels: Levels
    classes: interface.ChainClasses

    @property
    def tuples(self) -> Codes:
        members: Codes = self.classes.members
        return members

    @property
    def rows(self) -> int:
        return int(self.classes.values[:, _ROWS].sum())


@dataclass(frozen=True, eq=False)
class ChainCounts:
    """`table` holds the group of each tuple at each level of each column, the levels of column j from place
    `starts[j]` on, what each group adds to a key, and what a row loses there; the rows of each tuple, and its
    rows or persons. Where a person has several tuples, sums of these are too high, which can only mislead the
    search. `exact` says that neither that nor equal keys of different combinations occur. `more` is
    how much more the rows of each tuple lose one place higher."""

    table: interface.ChainTable
    starts: tuple[int, ...]
    lowest: Levels
    exact: bool
    more: Floats
    memory: SimpleQueue[interface.ChainSpace] = field(default_factory=SimpleQueue)

    @classmethod
    def of(cls, cube: Cube) -> ChainCounts:
        """The tuples of a cube at every level of every column; kept for further questions."""
        return cube.once("chain counts", lambda: cls._made(cube))

    @classmethod
    def _made(cls, cube: Cube) -> ChainCounts:
        groups = [axis.groups(axis.lowest) for axis in cube.axes]
        exact, generator = prod(groups) < 1 << 63, np.random.default_rng(0)
        weight = max(float(sum(axis.importance for axis in cube.axes)), 1e-300)
        places, starts = list[Codes](), list[int]()
        numbers, losses = list[Keys](), list[Floats]()
        for j, axis in enumerate(cube.axes):
            starts.append(len(places))
            stride = np.uint64(prod(groups[j + 1 :]) if exact else 0)
            for level in range(axis.lowest, axis.highest + 1):
                own = np.arange(axis.groups(level), dtype=np.uint64) * stride
                if not exact:
                    own = generator.integers(0, 1 << 64, axis.groups(level), dtype=np.uint64)
                places.append(axis.mapping(axis.lowest, level)[cube.groups[:, j]])
                numbers.append(own)
                losses.append(_losses(axis, level) / weight)
        rows = np.ascontiguousarray(cube.counts, dtype=np.int64)
        sizes = np.ascontiguousarray(cube.class_sizes(np.arange(cube.tuples), rows), dtype=np.int64)
        ends = np.cumsum([len(own) for own in numbers])
        table = interface.ChainTable.made(
            groups=np.ascontiguousarray(np.array(places, dtype=np.int32).T),
            starts=np.concatenate([[0], ends[:-1]]).astype(np.int64),
            rows=rows,
            sizes=sizes,
            numbers=np.concatenate(numbers),
            losses=np.concatenate(losses),
        )
        lowest = tuple(axis.lowest for axis in cube.axes)
        each = np.array([loss[place] for loss, place in zip(losses, places, strict=True)])
        more: Floats = np.diff(each, axis=0) * rows
        return cls(table, tuple(starts), lowest, exact and cube.persons is None, more)

    @cached_property
    def everything(self) -> Waiting:
        """All tuples, each a class of its own, at the lowest node."""
        table, every = self.table, np.arange(self.table.tuples, dtype=np.int32)
        keys = np.zeros(table.tuples, dtype=np.uint64)
        for place in self.places(self.lowest).tolist():
            keys += table.numbers[self.units(place, every)]
        values = np.stack(
            [keys, *(each.astype(np.uint64) for each in (every, table.sizes, table.rows))], axis=1
        )
        classes = interface.ChainClasses.made(members=every, class_of=every, values=values)
        return Waiting(self.lowest, classes)

    def places(self, levels: Levels) -> Integers:
        """Where the table holds the levels of a node."""
        each = zip(self.starts, levels, self.lowest, strict=True)
        return np.array([start + level - low for start, level, low in each], dtype=np.int64)

    def units(self, place: int, tuples: Codes | Integers) -> Integers:
        """The groups of some tuples at a place, numbered over all places."""
        units: Integers = self.table.starts[place] + self.table.groups[tuples, place]
        return units

    def reached(self, waiting: Waiting, column: int, k: int) -> tuple[int, float]:
        """How many rows are in classes of at least k rows, or persons, one level higher in one column, and
        how much more all rows lose there, in rows."""
        place = self.starts[column] + waiting.levels[column] - self.lowest[column]
        more = float(self.more[place].take(waiting.tuples).sum())
        space = self._space()
        rows = library.call("reached_rows", self.table, space, waiting.classes, place, place + 1, k)
        self.memory.put(space)
        return rows, more

    def shown_at(self, levels: Levels, waiting: Waiting, k: int) -> tuple[Waiting, float]:
        """What waits after a node above the last one, where classes of at least k rows, or persons, are
        shown; and what these lose, in rows."""
        space, own = self._space(), waiting.classes
        places = self.places(waiting.levels), self.places(levels)
        left = library.call("show_at_node", self.table, space, own, len(levels), *places, k)
        classes = interface.ChainClasses.made(
            members=space.tuples_left[:left].copy(),
            class_of=space.class_left[:left].copy(),
            values=space.merged[: space.left[0]].copy(),
        )
        loss = float(space.terms[: own.tuples - left].sum())
        self.memory.put(space)
        return Waiting(levels, classes), loss

    def _space(self) -> interface.ChainSpace:
        try:
            return self.memory.get_nowait()
        except Empty:
            return interface.ChainSpace.for_tuples(self.table.tuples, len(self.starts))

    def nodes_of_tuples(self, chain: Chain, k: int) -> Integers:
        """The place in the chain of the node that shows each tuple; the number of nodes where none does."""
        found, waiting = np.full(self.table.tuples, len(chain), dtype=np.int64), self.everything
        for place, levels in enumerate(chain):
            found[waiting.tuples] = place
            waiting, _ = self.shown_at(levels, waiting, k)
            found[waiting.tuples] = len(chain)
        return found


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
        self._left: dict[Chain, tuple[Waiting, float]] = {(): (counts.everything, 0.0)}

    def left(self, chain: Chain) -> tuple[Waiting, float]:
        """The tuples that reach k at no node of a chain, and what the others lose, in rows."""
        known = self._left.get(chain)
        if known is None:
            rest, loss = self.left(chain[:-1])
            left, more = self.counts.shown_at(chain[-1], rest, self.k)
            known = self._left[chain] = (left, loss + more)
        return known

    def total(self, chain: Chain) -> tuple[float, int]:
        """What all rows lose, in rows, and how many of them are suppressed."""
        self.evaluated += 1
        rest, loss = self.left(chain)
        return loss + rest.rows, rest.rows

    def forget(self, chain: Chain) -> None:
        """Keep what belongs to the beginnings of one chain only."""
        begins = {chain[:length] for length in range(len(chain) + 1)}
        self._left = {begin: known for begin, known in self._left.items() if begin in begins}
