"""Anatomy's way to buckets: each takes one row of each of the ℓ values that are left most often."""

from __future__ import annotations

import numpy as np

from paretonym.arrays import Integers
from paretonym.errors import InputError, NoSolution


def anatomy(totals: Integers, variety: int) -> Integers:
    """How often each value stands in each bucket, given how often it occurs: at most once in any bucket.

    As long as at least `variety` values are left, a bucket takes one row of each of those of which most are
    left, ties by the order of the values. What is left then goes, row by row, to the first bucket that does
    not have the value yet.

    Time: rows × values. Reference: Xiao & Tao 2006, Figure 3.

    >>> anatomy(np.array([2, 2, 1]), 2).tolist()
    [[1, 1, 1], [1, 1, 0]]
    >>> anatomy(np.array([3, 1]), 2)
    Traceback (most recent call last):
    paretonym.errors.NoSolution: One sensitive value is in more than 1 of 2 rows. Ask for less than l=2.
    """
    if totals.max(initial=0) * variety > totals.sum():
        raise NoSolution(
            f"One sensitive value is in more than 1 of {variety} rows. Ask for less than l={variety}."
        )
    left = totals.copy()
    buckets: list[Integers] = []
    while (left > 0).sum() >= variety:
        chosen = np.argsort(-left, kind="stable")[:variety]
        bucket = np.zeros(len(left), dtype=np.int64)
        bucket[chosen] = 1
        left[chosen] -= 1
        buckets.append(bucket)
    cells = np.array(buckets, dtype=np.int64).reshape(len(buckets), len(totals))
    for value in np.flatnonzero(left).tolist():
        free = np.flatnonzero(cells[:, value] == 0)[: left[value]]
        cells[free, value] += 1
    return cells


def whole_variety(bound: float, place: str) -> int:
    """Anatomy's ℓ, a whole number of at least 2."""
    if bound != int(bound) or bound < 2:
        raise InputError.of(
            place,
            f"Anatomy cannot make buckets for l={bound:g}",
            "give a whole number from 2 on, such as l=4",
        )
    return int(bound)
