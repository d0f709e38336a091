"""How a tuple of groups becomes a key: a few bits for each quasi-identifier, in one word or more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from paretonym.cube.structures import Words

WORD_BITS = 64


@dataclass(frozen=True, slots=True)
class Packing:
    """The group of quasi-identifier j stands in word `word[j]`, `bits[j]` wide from `shift[j]` on.

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
