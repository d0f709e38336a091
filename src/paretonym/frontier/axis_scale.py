"""Positions of values on a scale from 0 to 1: how far apart two values are for people, and in figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values to positions from 0 to 1, linearly or by their logarithm.

    >>> Scale.of([1, 100]).place(10), Scale.of([0, 100]).place(10)
    (0.5, 0.1)
    """

    low: float
    high: float
    logarithmic: bool

    @classmethod
    def of(cls, values: Sequence[float], straight: bool = False) -> Scale:
        """A logarithmic scale if positive values span a factor of at least a hundred, unless `straight`."""
        finite = [value for value in values if math.isfinite(value)] or [0.0]
        low, high = min(finite), max(finite)
        return cls(low, high, logarithmic=not straight and low > 0 and high / low >= 100)

    def place(self, value: float) -> float:
        """0 for the lowest and 1 for the highest value; infinite values lie at the ends."""
        if math.isinf(value):
            return 1.0 if value > 0 else 0.0
        if self.high == self.low:
            return 0.5
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)
