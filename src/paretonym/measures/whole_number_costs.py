"""Costs as whole numbers, so that sums of them are exact in any order.

Compiled code adds floats, and a float holds whole numbers exactly up to 2^53. If costs over a common
denominator need more, each is written in two or three digits, and every digit is summed separately: no sum of
digits reaches 2^53, so none is ever rounded. Only the quotient at the end is rounded.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats

Counts: TypeAlias = npt.NDArray[np.int64]

# Whole numbers up to here are exact in a float.
EXACT = 2**53
# Two lower digits together stay exact in a float.
_MOST_BITS = 26


@dataclass(frozen=True, slots=True)
class Radix:
    """How numerators are written: the number of digits, and the bits of all but the first."""

    digits: int = 1
    bits: int = 0

    @classmethod
    def of(cls, digits: int, cells: int) -> Radix:
        """Digits as long as sums over `cells` cells allow."""
        free = max(51 - int(cells).bit_length(), 1)
        return cls(digits, (0, free, min(free, _MOST_BITS))[digits - 1])

    @property
    def capacity(self) -> int:
        """The number that every sum must stay below."""
        return EXACT << (self.bits * (self.digits - 1))

    def written(self, numbers: Iterable[int]) -> Floats:
        """Numbers in digits, the highest first: one row for a digit."""
        low = (1 << self.bits) - 1
        shifts = range(self.bits * (self.digits - 1), -1, -max(self.bits, 1))
        rows = [[n >> s if i == 0 else (n >> s) & low for i, s in enumerate(shifts)] for n in numbers]
        return np.array(rows, dtype=np.float64).reshape(len(rows), self.digits).T.copy()


def radix_for(largest: int, cells: int) -> Radix | None:
    """The fewest digits that sums up to `largest` over this many cells need; None if three are not enough."""
    radixes = (Radix.of(digits, cells) for digits in (1, 2, 3))
    return next((radix for radix in radixes if largest < radix.capacity), None)


@dataclass(frozen=True, eq=False, slots=True)
class Numerators:
    """Whole numbers in digits: `digits[d, i]` is the d-th digit of the i-th, not carried over yet."""

    digits: Floats
    radix: Radix

    @classmethod
    def of(cls, numbers: Iterable[int], radix: Radix) -> Numerators:
        return cls(radix.written(numbers), radix)

    def __add__(self, other: Numerators) -> Numerators:
        return Numerators(self.digits + other.digits, self.radix)

    def __sub__(self, other: Numerators) -> Numerators:
        return Numerators(self.digits - other.digits, self.radix)

    def times(self, counts: Counts | int) -> Numerators:
        return Numerators(self.digits * counts, self.radix)

    def take(self, places: Counts) -> Numerators:
        return Numerators(self.digits[:, places], self.radix)

    def over(self, whole: float) -> Floats:
        """The quotients. Digits are carried over first, so that equal numbers give equal quotients and a
        larger number never gives a smaller quotient: the remaining division is rounded once."""
        carried = [self.digits[0]]
        for digit in self.digits[1:]:
            carry = np.floor(np.ldexp(digit, -self.radix.bits))
            carried = [*_carried(carried, carry, self.radix.bits), digit - np.ldexp(carry, self.radix.bits)]
        lower = np.zeros_like(carried[0])
        for digit in carried[1:]:
            lower = np.ldexp(lower, self.radix.bits) + digit
        result: Floats = (np.ldexp(carried[0], self.radix.bits * (self.radix.digits - 1)) + lower) / whole
        return result


def _carried(digits: list[Floats], carry: Floats, bits: int) -> list[Floats]:
    """Higher digits after something was carried over to the last of them."""
    if len(digits) == 1:
        return [digits[0] + carry]
    summed = digits[-1] + carry
    onward = np.floor(np.ldexp(summed, -bits))
    return [*_carried(digits[:-1], onward, bits), summed - np.ldexp(onward, bits)]
