"""Counting weights: how many people of the population each tuple stands for, by the weights of its rows."""

from __future__ import annotations

import numpy as np

from paretonym.arrays import Floats, Integers
from paretonym.counts.cube import Cube
from paretonym.errors import Bug, InputError
from paretonym.factorize import run_starts
from paretonym.schema import BoundSchema
from paretonym.source import DataSource, TupleCounts


def count_weights(source: DataSource, bound: BoundSchema, cube: Cube) -> Floats | None:
    """The sum of the weights of each tuple of the cube's values, None if no column holds weights. A person
    counts once in each tuple, however many rows there are, and must have one weight.

    Cost: one query for the distinct tuples with their weights.
    """
    weight, person = bound.weight, bound.person
    if weight is None:
        return None
    # As the cube was counted: by values or, if there are too many, by the sets of the lowest levels.
    coding = {each.name: each.groups(each.lowest if bound.coarse else 0) for each in bound.quasi}
    whose = {} if person is None else {person.name: person.lookup}
    found = source.omitting(bound.omitted).tuples({**coding, weight.name: weight.lookup, **whose})
    first = run_starts(found.codes[: len(coding)])
    if len(first) != (cube.finest or cube).tuples:
        raise Bug("weights were counted by other tuples than rows")
    if person is not None:
        _check_one_each(source.name, weight.name, found, person.number)
    holders: Integers = found.counts if person is None else np.ones_like(found.counts)
    return np.asarray(np.add.reduceat(weight.values[found.codes[len(coding)]] * holders, first))


def _check_one_each(table: str, column: str, found: TupleCounts, persons: int) -> None:
    """Refuse persons whose rows have different weights: it is not known how many people they stand for."""
    *_, weights, ids = found.codes
    pairs = TupleCounts.of([ids, weights], found.counts).codes[0]
    several = int((np.bincount(pairs, minlength=persons) > 1).sum())
    if several:
        raise InputError.of(
            f"{table}, column '{column}'",
            f"weights differ between the rows of {several:,} of {persons:,} people",
            'give everybody one weight, or give the column the role "drop"',
        )
