"""Bucketization by Anatomy: each bucket takes one row of each of the ℓ most frequent remaining values."""

from __future__ import annotations

from functools import partial

import numpy as np

from paretonym.arrays import Floats, Integers
from paretonym.counts import Cube
from paretonym.errors import InputError, NoSolution, Place
from paretonym.recoding import Buckets, Classes, ShownSets
from paretonym.spaces.mondrian.partition import Parts


def anatomy(totals: Integers, variety: int) -> Integers:
    """How often each value is in each bucket, given how often it occurs: at most once in any bucket.

    As long as at least `variety` values remain, a bucket takes one row of each of the most frequent remaining
    ones, ties broken by the order of the values. The remaining rows go, one by one, to the first bucket that
    does not have their value yet.

    Time: rows × values. Reference: Xiao & Tao 2006, Figure 3.

    >>> anatomy(np.array([2, 2, 1]), 2).tolist()
    [[1, 1, 1], [1, 1, 0]]
    >>> anatomy(np.array([3, 1]), 2)
    Traceback (most recent call last):
    paretonym.errors.NoSolution: One sensitive value is in more than 1 of 2 rows. Require less than l=2.
    """
    if totals.max(initial=0) * variety > totals.sum():
        raise NoSolution(
            f"One sensitive value is in more than 1 of {variety} rows. Require less than l={variety}."
        )
    remaining = totals.copy()
    buckets: list[Integers] = []
    while (remaining > 0).sum() >= variety:
        chosen = np.argsort(-remaining, kind="stable")[:variety]
        bucket = np.zeros(len(remaining), dtype=np.int64)
        bucket[chosen] = 1
        remaining[chosen] -= 1
        buckets.append(bucket)
    cells = np.array(buckets, dtype=np.int64).reshape(len(buckets), len(totals))
    for value in np.flatnonzero(remaining).tolist():
        free = np.flatnonzero(cells[:, value] == 0)[: remaining[value]]
        cells[free, value] += 1
    return cells


def whole_variety(bound: float, place: Place) -> int:
    """Anatomy's ℓ, a whole number of at least 2."""
    if bound != int(bound) or bound < 2:
        raise InputError.of(
            place,
            f"Anatomy cannot make buckets for l={bound:g}",
            "give a whole number of at least 2, such as l=4",
        )
    return int(bound)


def as_they_are(cube: Cube, buckets: Buckets) -> Classes:
    """Every tuple unchanged, as a class of its own, with the buckets that its rows are in."""
    sets = tuple(ShownSets.of_level(axis, axis.lowest) for axis in cube.axes)
    groups = [cube.groups[:, j] for j in range(len(cube.axes))]
    plain = Classes.by_column(cube, list(groups), sets)
    return Classes(plain.of_tuple, plain.shown, plain.sets, plain.rows, buckets)


def mixed_in_parts(cube: Cube, parts: Parts) -> Buckets:
    """Every part is a bucket: a row may have any of its values, with their frequency as its probability."""
    cells = tuple(margin.cells(parts.of_tuple, len(parts)) for margin in cube.sensitive)
    expected = partial(_mixed, parts.of_tuple, len(parts))
    tuples = np.arange(cube.tuples)
    guesses = tuple(
        expected(margin.by_rows.cells(tuples, cube.tuples).astype(np.float64)) for margin in cube.sensitive
    )
    return Buckets(cells, guesses, expected)


def _mixed(part_of_tuple: Integers, parts: int, values: Floats) -> Floats:
    """The counts of values in each tuple if those of its part are equally likely for each of its rows."""
    pooled = np.zeros((parts, values.shape[1]))
    np.add.at(pooled, part_of_tuple, values)
    shares = pooled / np.maximum(pooled.sum(axis=1, keepdims=True), 1e-300)
    mixed: Floats = shares[part_of_tuple] * values.sum(axis=1, keepdims=True)
    return mixed


def anatomized(cube: Cube, variety: int) -> Buckets:
    """Anatomy's buckets of at least `variety` different values. Which values share a bucket follows from
    their counts alone; which rows of a value go to which of its buckets is drawn when a release is written.
    The values that a reader expects of a row are therefore the mean over all such draws."""
    (margin,) = cube.sensitive
    cells = anatomy(margin.totals, variety)
    shares = cells / cells.sum(axis=1, keepdims=True)
    # partners[v, w]: the probability that a reader gives to value w for a row of value v.
    partners: Floats = (cells.T @ shares) / np.maximum(margin.totals, 1)[:, None]
    expected = partial(_partnered, partners)
    values = margin.cells(np.arange(cube.tuples), cube.tuples).astype(np.float64)
    return Buckets((cells,), (expected(values),), expected)


def _partnered(partners: Floats, values: Floats) -> Floats:
    """The counts of values in each tuple as a reader expects them, given the true ones."""
    expected: Floats = values @ partners
    return expected
