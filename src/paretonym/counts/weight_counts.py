"""Counting weights: how many people of the population each tuple stands for, by the weights of its rows."""

from __future__ import annotations

import numpy as np

from paretonym.counts.cube import Cube
from paretonym.counts.sampling_weights import Weights, whole_weights
from paretonym.errors import Bug, InputError
from paretonym.factorize import run_starts
from paretonym.schema import BoundSchema
from paretonym.source import DataSource, TupleCounts


def count_weights(source: DataSource, bound: BoundSchema, cube: Cube) -> Weights:
    """The weights of the tuples of a cube: the one that was counted, or its `finest`. A person must have one
    weight.

    Cost: one query for the distinct tuples with their weights.
    """
    weight, person = bound.weight, bound.person
    if weight is None:
        raise Bug("no column holds weights")
    lowest = {axis.name: axis.lowest for axis in cube.axes}
    coding = {each.name: each.groups(lowest[each.name]) for each in bound.quasi}
    whose = {} if person is None else {person.name: person.lookup}
    found = source.omitting(bound.omitted).tuples({**coding, weight.name: weight.lookup, **whose})
    first = run_starts(found.codes[: len(coding)])
    if len(first) != cube.tuples:
        raise Bug("weights were counted by other tuples than rows")
    values, unit = whole_weights(weight.values, cube.rows)
    weights = values[found.codes[len(coding)]]
    rows = np.add.reduceat(weights * found.counts, first)
    if person is None:
        return Weights(rows, rows, unit)
    _check_one_each(source.name, weight.name, found, person.number)
    each = np.zeros(person.number, dtype=np.int64)
    each[found.codes[-1]] = weights
    return Weights(rows, np.add.reduceat(weights, first), unit, each, cube.persons)


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
