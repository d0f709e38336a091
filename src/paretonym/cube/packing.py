"""How a tuple of groups becomes one integer: a few bits for each quasi-identifier, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Keys: TypeAlias = npt.NDArray[np.int64]

MOST_BITS = 62


@dataclass(frozen=True, slots=True)
class Packing:
    """`shifts[j]` and `bits[j]` say where the group of quasi-identifier j stands in a key.

    Positions stay the same at all levels, so that a roll-up rewrites one digit and leaves the others.

    >>> Packing.of([72, 7, 2])
    Packing(shifts=(4, 1, 0), bits=(7, 3, 1))
    """

    shifts: tuple[int, ...]
    bits: tuple[int, ...]

    @classmethod
    def of(cls, groups: Sequence[int]) -> Packing:
        bits = tuple((count - 1).bit_length() for count in groups)
        return cls(tuple(sum(bits[j + 1 :]) for j in range(len(bits))), bits)

    @property
    def fits(self) -> bool:
        """Whether a key fits into one machine word."""
        return sum(self.bits) <= MOST_BITS

    def pack(self, columns: Sequence[npt.NDArray[np.integer]]) -> Keys:
        keys = np.zeros(len(columns[0]), dtype=np.int64)
        for column, shift in zip(columns, self.shifts, strict=True):
            keys |= column.astype(np.int64) << shift
        return keys

    def digit(self, keys: Keys, position: int) -> Keys:
        mask = (1 << self.bits[position]) - 1
        return (keys >> self.shifts[position]) & mask
