"""A reader who also knows how often each value of a quasi-identifier occurs among the rows that stay.

Classes show sets. The reader starts from equally likely values and scales them, value by value, until every
column has the shares that are known: iterative proportional fitting inside classes. Each factor belongs to
one value of one column, so that inside a class the columns stay independent, and each is fitted for itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.engine.measures.estimates.released_regions import Regions, Seen, shown_leaves
from paretonym.engine.measures.estimates.squared_error import coarse_tuples

# Fitted until no value is off by more than this share of the rows, or this often.
CLOSE, ROUNDS = 1e-9, 2_000
# Weights become whole numbers: shares of sets are exact to far less than a digit that is kept.
_WHOLE = 1 << 50


def leaf_ends(seen: Seen) -> list[Integers]:
    """For each quasi-identifier, where its leaves begin and end on a scale on which equally long stretches
    are equally likely to this reader."""
    fine = seen.cube.of_values
    class_of = seen.classes.of_tuple[coarse_tuples(fine, seen.cube)]
    stays, rows = seen.stays[class_of], seen.classes.rows[seen.stays].astype(np.float64)
    low, high = shown_leaves(seen)
    ends = []
    for j, axis in enumerate(fine.axes):
        units = np.minimum(axis.unit_ends, axis.hierarchy.domain)
        values = np.bincount(fine.groups[stays, j], fine.counts[stays], len(units) - 1)
        first, after = np.searchsorted(units, low[j]), np.searchsorted(units, high[j])
        likely = fitted(np.diff(units).astype(np.float64), values.astype(np.float64), first, after, rows)
        leaves = np.repeat(likely / np.maximum(np.diff(units), 1), np.diff(units))
        running = np.concatenate([[0.0], np.cumsum(leaves)])
        whole = np.rint(running / running[-1] * _WHOLE).astype(np.int64)
        ends.append(np.append(whole, np.full(len(axis.hierarchy.leaves) + 1 - len(whole), whole[-1])))
    return ends


def fitted(likely: Floats, known: Floats, first: Integers, after: Integers, rows: Floats) -> Floats:
    """Likelihood of each value, if class c of so many rows shows the values from `first[c]` up to but
    excluding `after[c]`, and each value is known to occur so often; `likely` is where to begin."""
    for _ in range(ROUNDS):
        running = np.concatenate([[0.0], np.cumsum(likely)])
        density = np.zeros(len(known) + 1)
        per_class = rows / np.maximum(running[after] - running[first], 1e-300)
        np.add.at(density, first, per_class)
        np.add.at(density, after, -per_class)
        expected = likely * np.cumsum(density)[:-1]
        if np.abs(expected - known).max(initial=0.0) <= CLOSE * rows.sum():
            break
        likely = np.where(expected > 0, likely * known / np.maximum(expected, 1e-300), 0.0)
    return likely


def stretched(regions: Regions, ends: Sequence[Integers]) -> Regions:
    """The regions on the scales of this reader."""
    low, high = ([each[own] for each, own in zip(ends, side, strict=True)] for side in regions[:2])
    return Regions(np.stack(low), np.stack(high), regions.cells)
