"""Sampling weights of a table: how many people of the population its rows stand for."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.engine.counts.person_counts import Persons

# Sums of weights stay below this.
_MOST = 1 << 62


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights as whole numbers of `1 / unit`, so that sums do not depend on their order.

    `rows[t]` is the sum over the rows of tuple t, in which everybody's weight counts as often as the person
    has rows. `people[t]` counts everybody once; it is the same if every row is a person. `each` holds the
    weight of every person, if a column says whose a row is.
    """

    rows: Integers
    people: Integers
    unit: int
    each: Integers | None = None
    persons: Persons | None = None

    @property
    def total(self) -> Fraction:
        """The number of people that all rows stand for."""
        return Fraction(int(self.people.sum() if self.each is None else self.each.sum()), self.unit)

    def people_in(self, of_tuple: Integers, classes: int) -> Floats:
        """Number of people that each class stands for, given the class of every tuple."""
        if self.persons is None or self.each is None or self.persons.one_tuple_each:
            return self._in(self.people, of_tuple, classes)
        number = self.persons.number
        pairs = np.unique(of_tuple[self.persons.tuples] * number + self.persons.ids)
        return self._in(self.each[pairs % number], pairs // number, classes)

    def rows_in(self, of_tuple: Integers, classes: int) -> Floats:
        """The weight of the rows of each class."""
        return self._in(self.rows, of_tuple, classes)

    def _in(self, numbers: Integers, places: Integers, classes: int) -> Floats:
        sums = np.zeros(classes, dtype=np.int64)
        np.add.at(sums, places, numbers)
        return sums / self.unit


def whole_weights(values: Floats, rows: int) -> tuple[Integers, int]:
    """Weights as whole numbers of `1 / unit`, and the unit: exact if they have few decimals, otherwise
    rounded to the finest unit that the sum over this many rows allows.

    >>> whole_weights(np.array([0.5, 12.25]), 100)
    (array([  50, 1225]), 100)
    """
    most = float(values.max(initial=1.0)) * max(rows, 1)
    for decimals in range(10):
        unit = 10**decimals
        scaled = values * unit
        near = np.rint(scaled)
        if most * unit < _MOST and (np.abs(scaled - near) <= 1e-9 * np.minimum(values, 1)).all():
            return near.astype(np.int64), unit
    unit = 1 << max(int(_MOST / most).bit_length() - 1, 0)
    return np.maximum(np.rint(values * unit), 1).astype(np.int64), unit
