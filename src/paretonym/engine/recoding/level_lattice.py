"""The lattice: one level for each quasi-identifier, and a number for each vector of levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.engine.counts import Cube

Levels: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Lattice:
    """All vectors of levels between `lowest` and `highest`, numbered in dictionary order.

    >>> lattice = Lattice(("age", "sex"), lowest=(0, 0), highest=(2, 1))
    >>> lattice.size, lattice.levels(5), lattice.number((2, 1))
    (6, (2, 1), 5)
    """

    names: tuple[str, ...]
    lowest: Levels
    highest: Levels

    @classmethod
    def of(cls, cube: Cube) -> Lattice:
        return cls(
            tuple(axis.name for axis in cube.axes),
            tuple(axis.lowest for axis in cube.axes),
            tuple(axis.highest for axis in cube.axes),
        )

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(high - low + 1 for low, high in zip(self.lowest, self.highest, strict=True))

    @property
    def size(self) -> int:
        size = 1
        for extent in self.shape:
            size *= extent
        return size

    @property
    def weights(self) -> tuple[int, ...]:
        """The amount that one level more of each quasi-identifier adds to a node's number."""
        weights = [1]
        for extent in reversed(self.shape[1:]):
            weights.append(weights[-1] * extent)
        return tuple(reversed(weights))

    def levels(self, number: int) -> Levels:
        levels: list[int] = []
        for extent, low in zip(reversed(self.shape), reversed(self.lowest), strict=True):
            number, level = divmod(number, extent)
            levels.append(low + level)
        return tuple(reversed(levels))

    def number(self, levels: Levels) -> int:
        number = 0
        for level, extent, low in zip(levels, self.shape, self.lowest, strict=True):
            number = number * extent + (level - low)
        return number

    def level_table(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The levels of many nodes at once, one row each."""
        table = np.stack(np.unravel_index(numbers, self.shape), axis=1).astype(np.int64)
        result: npt.NDArray[np.int64] = table + np.array(self.lowest, dtype=np.int64)
        return result

    def named(self, levels: Levels) -> Mapping[str, int]:
        return dict(zip(self.names, levels, strict=True))

    def __iter__(self) -> Iterator[Levels]:
        return (self.levels(number) for number in range(self.size))
