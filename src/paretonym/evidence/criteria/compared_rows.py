"""The rows of a table beside the rows that it was made from, and others of the same population.

A cell of the table stands for a set of values, a value of the original for itself. How near a value is to a
cell is its mean nearness to the values of the set: for categories 1 if they are equal, so that a cell that
holds the value counts 1/size; for numbers 1 less their difference in ranks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Integers, Mask

# How many sums are held at once.
_MOST_CELLS = 1 << 21
# Sums of nearness that differ by less are equal.
TIE = 1e-5


@dataclass(frozen=True, eq=False)
class ComparedColumn:
    """A column that both tables have. `values` are those of all tables, in ascending order if they are
    `numbers`. Cell i of the table stands for the value `single[i]`, or, if that is -1, for the values that
    `sets[set_of[i]]` marks."""

    name: str
    values: tuple[str, ...]
    single: Integers
    set_of: Integers
    sets: Mask
    numbers: npt.NDArray[np.float64] | None = None

    @classmethod
    def of_sets(
        cls, name: str, values: Sequence[str], cells: Sequence[Mask], numbers: npt.NDArray[np.float64] | None
    ) -> ComparedColumn:
        """A column whose cells stand for the values that are marked for each."""
        single = np.array([np.argmax(mask) if mask.sum() == 1 else -1 for mask in cells], dtype=np.int64)
        several = single < 0
        set_of = np.where(several, np.cumsum(several) - 1, -1)
        sets = [mask for mask, alone in zip(cells, single, strict=True) if alone < 0]
        table = np.array(sets, dtype=np.bool_).reshape(len(sets), len(values))
        return cls(name, tuple(values), single, set_of, table, numbers)

    @property
    def alike(self) -> Integers:
        """For each cell the first one that stands for the same values; itself if it stands for none."""
        first: dict[int | bytes, int] = {}
        cells = enumerate(zip(self.single.tolist(), self.set_of.tolist(), strict=True))
        places = [
            place
            if value < 0 and not self.sets[number].any()
            else first.setdefault(value if value >= 0 else self.sets[number].tobytes(), place)
            for place, (value, number) in cells
        ]
        return np.array(places, dtype=np.int64)

    def members(self, cell: int) -> Mask:
        """Mark the values that a cell stands for."""
        if self.single[cell] < 0:
            return np.asarray(self.sets[self.set_of[cell]])
        return np.asarray(np.arange(len(self.values)) == self.single[cell])

    def meeting(self, values: Mask) -> Mask:
        """Mark the cells that stand for some of the values that are marked."""
        by_set = np.append((self.sets & values).any(axis=1), False)
        return np.asarray(np.where(self.single >= 0, values[self.single], by_set[self.set_of]))

    def possible(self, cells: Integers) -> Mask:
        """Mark the values that some cells stand for."""
        marked: Mask = np.any(self.sets[np.unique(self.set_of[cells][self.single[cells] < 0])], axis=0)
        marked[self.single[cells][self.single[cells] >= 0]] = True
        return marked

    def votes(self, cells: Integers, weights: Integers) -> npt.NDArray[np.float64]:
        """Votes of cells with their weights: each for the values of its set in equal shares."""
        alone = self.single[cells] >= 0
        votes = np.bincount(self.single[cells[alone]], weights[alone], len(self.values)).astype(np.float64)
        if not alone.all():
            number = np.bincount(self.set_of[cells[~alone]], weights[~alone], len(self.sets))
            votes += (number / np.maximum(self.sets.sum(axis=1), 1)) @ self.sets
        return votes

    def nearness(self, values: Integers, cells: Integers) -> npt.NDArray[np.float32]:
        """Nearness of each value to each cell, a row for a value."""
        single = self.single[cells]
        if self.numbers is None:
            near = (single[None, :] == values[:, None]).astype(np.float32)
        else:
            near = 1 - np.abs(single[None, :] - values[:, None]).astype(np.float32) / self._longest
        several = np.flatnonzero(single < 0)
        if len(several):
            near[:, several] = self._of_sets[values][:, self.set_of[cells[several]]]
        return np.asarray(near)

    @property
    def _longest(self) -> int:
        return max(len(self.values) - 1, 1)

    @cached_property
    def _of_sets(self) -> npt.NDArray[np.float32]:
        """Nearness of each value to each set: its mean nearness to the members."""
        sizes = np.maximum(self.sets.sum(axis=1), 1)
        if self.numbers is None:
            return np.asarray((self.sets / sizes[:, None]).T.astype(np.float32))
        # From one value to the next the sum of distances grows by one for each member before, and falls by
        # one for each member behind.
        before = np.cumsum(self.sets, axis=1)
        steps = 2 * before - before[:, -1:]
        first = self.sets @ np.arange(len(self.values))
        distance = first[:, None] + np.cumsum(steps, axis=1) - steps
        near = (1 - distance / sizes[:, None] / self._longest) * np.any(self.sets, axis=1, keepdims=True)
        return np.asarray(near.T.astype(np.float32))


@dataclass(frozen=True, eq=False)
class ComparedRows:
    """`cells[r, j]`: the cell of column j in distinct row r of the table, which occurs `weights[r]` times;
    `original` and `control` hold one row for each person, values by number."""

    columns: tuple[ComparedColumn, ...]
    cells: Integers
    weights: Integers
    original: Integers
    control: Integers

    def places(self, names: Sequence[str]) -> list[int]:
        """Where some columns are."""
        by_name = {column.name: place for place, column in enumerate(self.columns)}
        return [by_name[name] for name in names if name in by_name]

    @property
    def once(self) -> ComparedRows:
        """The distinct rows of the table, each once: to repeat rows hides nobody."""
        return replace(self, weights=np.ones_like(self.weights))

    def projected(self, places: Sequence[int]) -> Projection:
        """The distinct combinations of cells in some columns."""
        cells, of_row = np.unique(self.cells[:, places], axis=0, return_inverse=True)
        return Projection(
            tuple(self.columns[place] for place in places), tuple(places), cells, of_row.ravel()
        )


@dataclass(frozen=True, eq=False)
class Projection:
    """The distinct combinations that a table shows in the columns at `places`, and which of them each of its
    distinct rows has."""

    columns: tuple[ComparedColumn, ...]
    places: tuple[int, ...]
    cells: Integers
    of_row: Integers

    def nearness(self, targets: Integers) -> Iterator[npt.NDArray[np.float32]]:
        """Nearness of each target to every combination, target after target."""
        length = max(1, _MOST_CELLS // max(len(self.cells), 1))
        for first in range(0, len(targets), length):
            people = targets[first : first + length]
            total = np.zeros((len(people), len(self.cells)), dtype=np.float32)
            for column, place, cells in zip(self.columns, self.places, self.cells.T, strict=True):
                total += column.nearness(people[:, place], cells)
            yield from total


def chosen(table: Integers, number: int, generator: np.random.Generator) -> Integers:
    """Targets: that many different rows of a table, or all."""
    if len(table) <= number:
        return table
    return table[np.sort(generator.choice(len(table), number, replace=False))]
