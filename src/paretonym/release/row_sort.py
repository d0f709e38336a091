"""Sorting rows as integers: every row is packed into one integer from which all its cells can be read
again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Codes, Integers
from paretonym.factorize import rank, summed

FIRST_BITS = 62
# Every word after the first shares a machine word with the rank of all words before it.
FURTHER_BITS = 31


class Digit(NamedTuple):
    """The position of a column in its word."""

    column: int
    shift: int
    bits: int


@dataclass(frozen=True, slots=True)
class Words:
    """Columns packed side by side, the first one highest, in as many machine words as they need.

    >>> Words.of([3, 2]).digits
    ((Digit(column=0, shift=1, bits=2), Digit(column=1, shift=0, bits=1)),)
    """

    digits: tuple[tuple[Digit, ...], ...]

    @classmethod
    def of(cls, sizes: Sequence[int]) -> Words:
        """The layout for columns with these numbers of distinct values."""
        words: list[list[tuple[int, int]]] = [[]]
        for column, size in enumerate(sizes):
            bits = max(size - 1, 0).bit_length()
            room = FIRST_BITS if len(words) == 1 else FURTHER_BITS
            if sum(used for _, used in words[-1]) + bits > room:
                words.append([])
            words[-1].append((column, bits))
        return cls(tuple(_placed(word) for word in words))

    def pack(self, codes: Sequence[npt.NDArray[np.integer]]) -> list[Integers]:
        """The words of rows, given the codes of each column."""
        return [_packed(word, codes) for word in self.digits]


def _placed(word: list[tuple[int, int]]) -> tuple[Digit, ...]:
    after = sum(bits for _, bits in word)
    digits = []
    for column, bits in word:
        after -= bits
        digits.append(Digit(column, after, bits))
    return tuple(digits)


def _packed(word: tuple[Digit, ...], codes: Sequence[npt.NDArray[np.integer]]) -> Integers:
    packed = np.zeros(len(codes[0]), dtype=np.int64)
    for digit in word:
        packed <<= digit.bits
        packed |= codes[digit.column]
    return packed


@dataclass(frozen=True, eq=False)
class SortedRows:
    """Rows in ascending order of their columns, the first column first.

    `keys` holds the last word of each row and above it the rank of the words before; `ranked[i]` lists what
    comes before word i + 1, by rank. With `counts`, the keys are those of the distinct rows, and each row
    occurs that often.
    """

    words: Words
    keys: Integers
    ranked: tuple[Integers, ...]
    counts: Integers | None = None

    def __len__(self) -> int:
        return len(self.keys) if self.counts is None else int(self.counts.sum())

    def codes(self, start: int, stop: int) -> list[Codes]:
        """The codes of each column in some rows."""
        if self.counts is None:
            return self._unpacked(self.keys[start:stop])
        stop = min(stop, len(self))
        first, last = np.searchsorted(self._ends, [start, stop - 1], side="right")
        after = last + 1
        ends = np.clip(self._ends[first:after], start, stop)
        often = np.diff(ends, prepend=start)
        return [np.repeat(codes, often) for codes in self._unpacked(self.keys[first:after])]

    @cached_property
    def _ends(self) -> Integers:
        """The number of rows up to and including each key."""
        return np.cumsum(self.distinct[1])

    @cached_property
    def distinct(self) -> tuple[list[Codes], Integers]:
        """The codes of each column in the distinct rows, and how often each row occurs."""
        if self.counts is not None:
            return self._unpacked(self.keys), self.counts
        changes = np.flatnonzero(self.keys[1:] != self.keys[:-1]) + 1
        first = np.concatenate([np.zeros(1, dtype=np.int64), changes])[: len(self.keys)]
        counts = np.diff(np.append(first, len(self.keys)))
        return self._unpacked(self.keys[first]), counts

    def _unpacked(self, word: Integers) -> list[Codes]:
        found: dict[int, Codes] = {}
        for i in range(len(self.words.digits) - 1, -1, -1):
            for digit in self.words.digits[i]:
                found[digit.column] = ((word >> digit.shift) & ((1 << digit.bits) - 1)).astype(np.int32)
            if i:
                word = self.ranked[i - 1][word >> _bits(self.words.digits[i])]
        return [found[column] for column in range(len(found))]


def sort_rows(words: Words, packed: Sequence[Integers], weights: Integers | None = None) -> SortedRows:
    """Sort rows that were packed into words. The first array is used for the result. With `weights`, each row
    counts that often, and equal rows are combined."""
    keys, ranked = packed[0], []
    for word, further in zip(words.digits[1:], packed[1:], strict=True):
        ranked.append(rank(keys).distinct)
        keys <<= _bits(word)
        keys |= further
    if weights is not None:
        distinct, counts = summed(keys, weights)
        return SortedRows(words, distinct, tuple(ranked), counts)
    keys.sort()
    return SortedRows(words, keys, tuple(ranked))


def _bits(word: tuple[Digit, ...]) -> int:
    return sum(digit.bits for digit in word)
