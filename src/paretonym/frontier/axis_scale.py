"""Places of values on a scale from 0 to 1: how far apart two values are for people, and in pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values to positions 0 … 1, straight or by their logarithm.

    >>> Scale.of([1, 100]).place(10), Scale.of([0, 100]).place(10)
    (0.5, 0.1)
    """

    low: float
    high: float
    logarithmic: bool

    @classmethod
    def of(cls, values: Sequence[float], straight: bool = False) -> Scale:
        """By logarithm where positive values span a factor of a hundred, unless `straight` is wanted."""
        finite = [value for value in values if math.isfinite(value)] or [0.0]
        low, high = min(finite), max(finite)
        return cls(low, high, logarithmic=not straight and low > 0 and high / low >= 100)

    def place(self, value: float) -> float:
        """0 for the lowest, 1 for the highest; what is infinite lies at its end."""
        if math.isinf(value):
            return 1.0 if value > 0 else 0.0
        if self.high == self.low:
            return 0.5
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)
