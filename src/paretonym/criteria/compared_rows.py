"""The rows of a table beside the rows that it was made from, and others of the same population.

A cell of the table stands for a set of values, a value of the original for itself. How near a value is to a
cell is its mean nearness to the values of the set: for categories 1 if they are equal, so that a cell that
holds the value counts 1/size; for numbers 1 less their difference in ranks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers, Mask

# How many sums are held at once.
_MOST_CELLS = 1 << 21
# Sums of nearness that differ by less are equal.
TIE = 1e-5


@dataclass(frozen=True, eq=False)
class ComparedColumn:
    """A column that both tables have. `values` are those of original and control, in ascending order if they
    are `numbers`; `sets[i]` marks the values that cell i of the table stands for."""

    name: str
    values: tuple[str, ...]
    sets: Mask
    numbers: npt.NDArray[np.float64] | None = None

    @cached_property
    def nearness(self) -> npt.NDArray[np.float32]:
        """How near each value is to each cell, a row for a value."""
        shares = self.sets / np.maximum(self.sets.sum(axis=1, keepdims=True), 1)
        if self.numbers is None:
            return shares.T.astype(np.float32)
        ranks = np.arange(len(self.values))
        distance = np.abs(ranks[:, None] - ranks[None, :]) / max(len(ranks) - 1, 1)
        return ((1 - distance) @ shares.T).astype(np.float32)


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

    def projected(self, places: Sequence[int]) -> Projection:
        """The distinct combinations of cells in some columns."""
        cells, of_row = np.unique(self.cells[:, places], axis=0, return_inverse=True)
        return Projection(tuple(self.columns[place] for place in places), tuple(places), cells, of_row.ravel())


@dataclass(frozen=True, eq=False)
class Projection:
    """The distinct combinations that a table shows in the columns at `places`, and which of them each of its
    distinct rows has."""

    columns: tuple[ComparedColumn, ...]
    places: tuple[int, ...]
    cells: Integers
    of_row: Integers

    def nearness(self, targets: Integers) -> Iterator[npt.NDArray[np.float32]]:
        """How near each target is to every combination, target after target."""
        length = max(1, _MOST_CELLS // max(len(self.cells), 1))
        for first in range(0, len(targets), length):
            people = targets[first : first + length]
            total = np.zeros((len(people), len(self.cells)), dtype=np.float32)
            for column, place, cells in zip(self.columns, self.places, self.cells.T, strict=True):
                total += column.nearness[people[:, place]][:, cells]
            yield from total


def chosen(table: Integers, number: int, generator: np.random.Generator) -> Integers:
    """Targets: that many different rows of a table, or all."""
    if len(table) <= number:
        return table
    return table[np.sort(generator.choice(len(table), number, replace=False))]
