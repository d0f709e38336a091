"""Publishable counts of suppressed and dropped rows, for the manifest and the public report.

Counts are published in blocks of k: of n rows, that they are from k·⌊n/k⌋ to k·⌊n/k⌋ + k − 1. So 0, 1, … k −
1 are published alike, and a larger count only up to k − 1 more. Costs are computed as if the first number of
its block were the count. Anybody with the file knows the R rows that stay and can compute what their
generalization costs, G in rows: a gl of G/N with enough digits gives N = R + S and so the suppressed rows S.
As published, with S' = k·⌊S/k⌋,

    gl = G/(R + S')   sl = S'/(R + S')   loss = gl + sl

all three depend on R, G and S' alone: every S of the block fits them, however many digits they have.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from paretonym.base.arrays import Mask
from paretonym.base.language import _, format_number, ngettext
from paretonym.engine.measures import GENERALIZATION, LOSS, SUPPRESSION, Realized
from paretonym.engine.recoding import sizes_among
from paretonym.release.released_rows import row_tuples, without_units
from paretonym.tables.schema import BoundSchema
from paretonym.tables.source import Counts

# Statements depend on the input, and say no more about it than people need.
DECIMALS = 3


class CountBlock(NamedTuple):
    """A number of rows as it is published: from `low` to `high`."""

    low: int
    high: int

    def __str__(self) -> str:
        """
        >>> print(block(3, k=5), "/", block(12, k=5), "/", block(0, k=2), "/", block(7, k=1))
        fewer than 5 rows, perhaps none / 10 to 14 rows / at most one row, perhaps none / 7 rows
        """
        if self.low == self.high:
            return ngettext("one row", "{number} rows", self.low) if self.low else _("none")
        if self.low == 0:
            if self.high == 1:
                return _("at most one row, perhaps none")
            return _("fewer than {high} rows, perhaps none", high=format_number(f"{self.high + 1:,}"))
        low, high = format_number(f"{self.low:,}"), format_number(f"{self.high:,}")
        return _("{low} to {high} rows", low=low, high=high)


class Cost(NamedTuple):
    """The cost of a release: rows suppressed, and what the rows that stay lose, in rows; None if that was not
    measured. `persons` is the smallest number of persons in a class, if a column says whose a row is, and
    `most_rows` how many rows of one person stay at most; `households` the smallest number of households that
    show the same members, if a column says which rows belong together; `population` the smallest number of
    people in the population class of a class, if a table of the population was given, and `presence` the
    shares of its people who are in the table."""

    suppressed: int
    generalization: float | None
    persons: int | None = None
    most_rows: int = 1
    households: int | None = None
    population: int | None = None
    presence: Mapping[str, float] = MappingProxyType({})

    def block_size(self, k: int) -> int:
        """In blocks of how many rows suppressed rows are counted, in a release whose smallest class has k
        rows.

        If a person may have several rows, those of fewer than `persons` people who have no more rows than
        anybody who stays must look like none: a multiple of k that is not below `persons` times the rows of
        one person that stay at most. Suppressed rows must not count here: the size is published.

        >>> Cost(7, 20.0).block_size(5), Cost(7, 20.0, persons=2, most_rows=6).block_size(5)
        (5, 15)
        """
        return k if self.persons is None else k * -(-self.persons * self.most_rows // k)

    def gone(self, k: int) -> int:
        """The suppressed rows as they are published, the first number of their block."""
        return block(self.suppressed, self.block_size(k)).low


def block(count: int, k: int) -> CountBlock:
    """The block of a count; k is the smallest class of the release.

    >>> block(0, 5) == block(4, 5), block(5, 5)
    (True, CountBlock(low=5, high=9))
    """
    low = count - count % k
    return CountBlock(low, low + k - 1)


def published_costs(cost: Cost, stay: int, k: int) -> dict[str, float]:
    """`loss`, `gl` and `sl` as they are published, `sl` = `loss` − `gl` in their last digit too; only `sl`
    where generalization was not measured. `stay` rows are in the release.

    >>> published_costs(Cost(7, 20.0), stay=95, k=5)
    {'loss': 0.25, 'gl': 0.2, 'sl': 0.05}
    """
    gone = cost.gone(k)
    sl = round(gone / (stay + gone), DECIMALS)
    if cost.generalization is None:
        return {SUPPRESSION: sl}
    gl = round(cost.generalization / (stay + gone), DECIMALS)
    return {LOSS: round(gl + sl, DECIMALS), GENERALIZATION: gl, SUPPRESSION: sl}


def staying_cost(table: Counts, bound: BoundSchema, realized: Realized) -> Cost:
    """Rows suppressed, and what generalization costs the rows that stay, in rows.

    If a hierarchy does not list its values, the domain of a quasi-identifier consists of the values that
    occur, including those that only suppressed rows have. A `gl` with that domain would disclose that another
    value existed to somebody who knows the values of the rows that stay. So the domain is taken from the rows
    that stay.
    """
    classes, weight, spent = realized.classes, Fraction(0), Fraction(0)
    tuples = row_tuples(table, without_units(bound, realized), realized.cube)
    # Dropped rows have the tuple -1, the last entry.
    stays = np.append(realized.stays[classes.of_tuple], np.False_)[tuples]
    rows = np.where(realized.stays, classes.rows, 0)
    for j, (axis, column) in enumerate(zip(realized.cube.axes, bound.quasi, strict=True)):
        leaves = column.lookup[table.column(column.name).codes[stays]]
        sizes, domain = sizes_among(axis, classes.sets[j], leaves)
        weight += axis.importance
        if domain > 1:
            wide = int((rows * (sizes - 1)[classes.shown[:, j]]).sum())
            spent += axis.importance * Fraction(wide, domain - 1)
    cost = Cost(
        realized.suppressed,
        float(spent / weight),
        households=realized.smallest_household,
        population=realized.smallest_population,
        presence=realized.population_shares,
    )
    if classes.persons is None:
        return cost
    return cost._replace(persons=int(realized.sizes.min()), most_rows=most_rows(table, bound, stays))


def most_rows(table: Counts, bound: BoundSchema, stays: Mask) -> int:
    """The most rows of one person among the entries that stay."""
    if bound.person is None:
        return 1
    weights = None if table.weights is None else table.weights[stays]
    whose = bound.person.lookup[table.column(bound.person.name).codes[stays]]
    return int(np.bincount(whose, weights).max(initial=1))
