"""Layout of a cube for visiting nodes: packed keys, mappings between levels, costs, value counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Integers
from paretonym.base.errors import InputError
from paretonym.engine.counts.class_statistics import Statistic, requests_for
from paretonym.engine.counts.cube import Cube, Margin
from paretonym.engine.counts.kernel_interface import Classes, Entries, Layout, Requests, Small, Words
from paretonym.engine.counts.kernel_library import MOST_ROWS

CellCosts: TypeAlias = Sequence[Sequence[Sequence[Integers]]]

# Counts of values are listed in place of a table where a table is this wide, and this many times as large.
_WIDE = 64
_EMPTY = 8
_NOBODY = (np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32))


@dataclass(frozen=True, eq=False)
class Plan:
    """A cube laid out: `order[p]` is the axis at position p, levels count from the lowest. `layout` says what
    levels do to keys, `tuples` are the classes of the lowest levels, the tuples in the order `rank`, with the
    counts of the `margins`' values side by side, or without if most are 0: then the others are the `entries`.
    For `jumping` the classes of the first few positions' levels are kept once they are known. With `persons`
    classes are counted in persons (see `kernels/persons.c`): a count of a tuple holds persons and rows, or,
    where a person may have several tuples, the entries say which of the `holders` is in which tuple.
    """

    order: tuple[int, ...]
    layout: Layout
    tuples: Classes
    entries: Entries
    requests: Requests
    suppressible: int
    every_threshold: bool
    jumping: bool
    rank: Integers
    statistics: tuple[Statistic, ...] = ()
    margins: tuple[Margin, ...] = ()
    persons: bool = False
    holders: tuple[Small, Small] = _NOBODY

    @classmethod
    def of(
        cls,
        cube: Cube,
        cell_costs: CellCosts,
        suppressible: int,
        every_threshold: bool,
        statistics: Sequence[Statistic] = (),
        order: tuple[int, ...] | None = None,
        listed: bool | None = None,
    ) -> Plan:
        """Lay a cube out. `cell_costs[c][j][l]` holds what a row costs in each group of axis j's l-th level;
        the values of the columns that `statistics` need are counted for every class: side by side, or
        `listed` where they are many."""
        jumping = order is not None
        order = order or cube.walking_order
        packing = Packing.of([_groups(cube, j) for j in order])
        rank, keys = cube.once(("keys", order), lambda: _keys(cube, order, packing))
        margins = cube.margins_of(statistic.column for statistic in statistics)
        if cube.rows > MOST_ROWS:
            raise InputError.of(
                "the table",
                f"it has {cube.rows:,} rows, and at most {MOST_ROWS:,} can be counted in classes",
                "explore a part of it",
            )
        persons = cube.persons is not None
        listed = are_listed(margins, cube.tuples) if listed is None else listed
        # Many values of persons are held as those of persons in several classes are.
        overlapping = persons and (listed or not cube.adds_up)
        listed = listed or overlapping
        none = np.zeros((len(keys), 0), dtype=np.int32)
        wide = () if listed else margins
        cells = np.concatenate([none, *(_dense(m, cube.tuples)[rank] for m in wide)], axis=1)
        counts = cube.once("packed", lambda: _packed(cube)) if persons and not overlapping else cube.counts
        tuples = Classes.made(keys=keys, counts=counts[rank], cells=cells)
        requests = requests_for(margins, statistics)
        layout = _layout(cube, order, packing, cell_costs)
        entries, holders = _entries(margins if listed else (), rank), _NOBODY
        if overlapping:
            entries, holders = _held(cube, margins, rank)
        further = (tuple(statistics), tuple(margins), persons, holders)
        return cls(
            order, layout, tuples, entries, requests, suppressible, every_threshold, jumping, rank, *further
        )

    @property
    def work(self) -> int:
        """Amount of counting at the lowest levels: tuples, and counts of values in them."""
        return int(self.tuples.length * (1 + self.tuples.width) + self.entries.length)


def _packed(cube: Cube) -> Integers:
    """The persons of each tuple above, its rows below."""
    return (cube.class_sizes(np.arange(cube.tuples), cube.counts) << 32) | cube.counts


def _keys(cube: Cube, order: tuple[int, ...], packing: Packing) -> tuple[Integers, Words]:
    """The order of the tuples, and their keys in that order: equal prefixes are adjacent, so that tuples that
    are merged in a roll-up are mostly adjacent too."""
    keys = packing.pack([cube.groups[:, j] for j in order])
    # The first position has the highest bits, of the last word.
    rank = np.argsort(keys[:, 0], kind="stable") if packing.words == 1 else np.lexsort(keys.T)
    return rank, keys[rank]


def _layout(cube: Cube, order: tuple[int, ...], packing: Packing, cell_costs: CellCosts) -> Layout:
    steps = np.array([cube.axes[j].steps for j in order], dtype=np.int64)
    widest = int(steps.max()) + 1
    mappings, starts = cube.once(("mappings", order), lambda: _mappings(cube, order, packing, widest))
    units, unit_starts = _units(cube, order, cell_costs, widest)
    return Layout.made(
        words=packing.words,
        word=np.array(packing.word, dtype=np.int64),
        shift=np.array(packing.shift, dtype=np.int64),
        bits=np.array(packing.bits, dtype=np.int64),
        steps=steps,
        single=_single(cube, order, widest),
        starts=starts,
        unit_starts=unit_starts,
        mappings=mappings,
        units=units,
    )


def _single(cube: Cube, order: tuple[int, ...], widest: int) -> Integers:
    """Which levels have one group only."""
    result = np.zeros((len(order), widest), dtype=np.int64)
    for p, j in enumerate(order):
        axis = cube.axes[j]
        result[p, : axis.steps + 1] = [axis.groups(axis.lowest + n) == 1 for n in range(axis.steps + 1)]
    return result


def _groups(cube: Cube, j: int) -> int:
    return cube.axes[j].groups(cube.axes[j].lowest)


def _mappings(cube: Cube, order: tuple[int, ...], packing: Packing, widest: int) -> tuple[Words, Integers]:
    """The mappings from every level to every higher one, one after another, with the groups shifted to their
    places."""
    starts = np.zeros((len(order), widest, widest), dtype=np.int64)
    mappings: list[Words] = [np.empty(0, dtype=np.uint64)]
    place = 0
    for p, j in enumerate(order):
        axis = cube.axes[j]
        for low in range(axis.steps + 1):
            for high in range(low, axis.steps + 1):
                mapping = axis.mapping(axis.lowest + low, axis.lowest + high).astype(np.uint64)
                mappings.append(mapping << np.uint64(packing.shift[p]))
                starts[p, low, high] = place
                place += len(mapping)
    return np.concatenate(mappings), starts


def _units(
    cube: Cube, order: tuple[int, ...], cell_costs: CellCosts, widest: int
) -> tuple[Integers, Integers]:
    """The cost of a row in each group of each level, one after another."""
    starts = np.zeros((len(order), widest), dtype=np.int64)
    units: list[Integers] = [np.empty((len(cell_costs), 0), dtype=np.int64)]
    place = 0
    for p, j in enumerate(order):
        axis = cube.axes[j]
        for level in range(axis.steps + 1):
            groups = axis.groups(axis.lowest + level)
            units.append(np.array([cost[j][level] for cost in cell_costs]).reshape(len(cell_costs), groups))
            starts[p, level] = place
            place += groups
    return np.ascontiguousarray(np.concatenate(units, axis=1), dtype=np.int64), starts


def are_listed(margins: Sequence[Margin], tuples: int) -> bool:
    """True if the values are so many that most counts of them are 0."""
    width = sum(len(margin.labels) for margin in margins)
    return width >= _WIDE and _EMPTY * sum(len(margin.counts) for margin in margins) <= width * tuples


def _entries(margins: Sequence[Margin], rank: Integers) -> Entries:
    """The counts of the margins' values in the tuples, which are in this order; the values of all margins are
    numbered one after another."""
    place, first = _places(rank), _first_values(margins)
    none = np.empty(0, dtype=np.int32)
    value = np.concatenate([none, *(m.values + start for m, start in zip(margins, first, strict=False))])
    owner = np.concatenate([none, *(place[m.tuples] for m in margins)])
    count = np.concatenate([none, *(m.counts for m in margins)])
    order = np.lexsort((owner, value))
    return Entries.made(**{
        name: array[order].astype(np.int32)
        for name, array in (("value", value), ("owner", owner), ("count", count))
    })  # fmt: skip


def _held(cube: Cube, margins: Sequence[Margin], rank: Integers) -> tuple[Entries, tuple[Small, Small]]:
    """Who has rows with each tuple, in this order, and each value: entries by holder, and the person and
    value of each holder. Values that are counted in rows are nobody's (-1); where there are no others,
    persons have none (-1)."""
    parts: list[tuple[npt.NDArray[np.integer], ...]] = []
    someone = cube.persons
    for margin, start in zip(margins, _first_values(margins), strict=False):
        if (holders := margin.holders) is None or holders.values is None:
            nobody = np.full(len(margin.tuples), -1)
            parts.append((nobody, margin.values + start, margin.tuples, margin.counts))
        else:
            someone = None
            parts.append((holders.ids, holders.values + start, holders.tuples, np.ones_like(holders.ids)))
    if someone is not None:
        ones = np.ones_like(someone.ids)
        parts.append((someone.ids, -ones, someone.tuples, ones))
    person, value, tuples, count = (np.concatenate(column) for column in zip(*parts, strict=True))
    owner = _places(rank)[tuples]
    order = np.lexsort((owner, value, person))
    person, value = person[order].astype(np.int32), value[order].astype(np.int32)
    new = np.append(True, (person[1:] != person[:-1]) | (value[1:] != value[:-1]))
    entries = Entries.made(
        value=(np.cumsum(new) - 1).astype(np.int32), owner=owner[order], count=count[order].astype(np.int32)
    )
    return entries, (person[new], value[new])


def _places(rank: Integers) -> Small:
    """The place of every tuple in this order."""
    place = np.empty(len(rank), dtype=np.int32)
    place[rank] = np.arange(len(rank), dtype=np.int32)
    return place


def _first_values(margins: Sequence[Margin]) -> list[int]:
    """The number of each margin's first value: the values of all margins are numbered one after another."""
    return list(accumulate((len(margin.labels) for margin in margins), initial=0))


def _dense(margin: Margin, tuples: int) -> Small:
    if margin.holders is not None:
        return margin.cells(np.arange(tuples), tuples).astype(np.int32)
    cells = np.zeros((tuples, len(margin.labels)), dtype=np.int32)
    cells[margin.tuples, margin.values] = margin.counts
    return cells


WORD_BITS = 64


@dataclass(frozen=True, slots=True)
class Packing:
    """The group of quasi-identifier j is in word `word[j]`, `bits[j]` wide from `shift[j]` on.

    Places stay the same at all levels, so that a roll-up rewrites one digit and leaves the others.

    >>> Packing.of([72, 7, 2])
    Packing(word=(0, 0, 0), shift=(4, 1, 0), bits=(7, 3, 1))
    """

    word: tuple[int, ...]
    shift: tuple[int, ...]
    bits: tuple[int, ...]

    @classmethod
    def of(cls, groups: Sequence[int]) -> Packing:
        bits = [(count - 1).bit_length() for count in groups]
        places, word, used = [], 0, 0
        for width in reversed(bits):
            if used and used + width > WORD_BITS:
                word, used = word + 1, 0
            places.append((word, used if width else 0))
            used += width
        words, shifts = zip(*reversed(places), strict=True)
        return cls(words, shifts, tuple(bits))

    @property
    def words(self) -> int:
        return max(self.word) + 1

    def pack(self, columns: Sequence[npt.NDArray[np.integer]]) -> Words:
        """The keys of tuples, a row of words each."""
        keys = np.zeros((len(columns[0]), self.words), dtype=np.uint64)
        for column, word, shift in zip(columns, self.word, self.shift, strict=True):
            keys[:, word] |= column.astype(np.uint64) << np.uint64(shift)
        return keys
