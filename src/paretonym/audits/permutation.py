"""Are the sensitive values of each bucket in random order, or do too many people stand beside their own?

In a bucket of n rows a uniform permutation of its values puts them beside people. Of people whose look no
other has, u(v) have the value v, which stands in the bucket c(v) times. The number M of those that get their
own value is a number of hits on a board of u(v) × c(v) rectangles; with the rook numbers r_j of that board

    E[(1 + x)^M] = Σ_j r_j · (n − j)!/n! · x^j,   Σ_j r_j x^j = Π_v Σ_j C(u, j)·C(c, j)·j!·x^j

exactly, and buckets are independent: so P(M ≥ m) ≤ min over x > 0 of (1 + x)^−m · Π E[(1 + x)^M]. Of a bucket
of more than `LARGEST` rows Hoeffding's bound for a martingale of steps no wider than 2 stands in for the sum:
E[e^(sM)] ≤ exp(s·E[M] + s²n/2). If that bound is below `DOUBT`, the order was not drawn at random.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from paretonym.arrays import Floats

# How rarely buckets that were mixed are taken for unmixed: once in a thousand million audits.
DOUBT = 1e-9
LARGEST = 1_000
# The x that are tried; any gives a bound, the best is near one of them.
TRIED = np.geomspace(0.01, 1e4, 60)


# A bucket: for each value in it how many of its recognisable people have it, and how often it is there.
Board: TypeAlias = tuple[tuple[int, int], ...]


def board(own: Mapping[int, int], held: Mapping[int, int]) -> Board:
    """Buckets that differ only in which values they hold are one."""
    return tuple(sorted((own.get(value, 0), count) for value, count in held.items()))


def expected(bucket: Board) -> float:
    """How many people get their own value on average."""
    return sum(own * held for own, held in bucket) / sum(held for _, held in bucket)


def log_chance(buckets: Mapping[Board, int], hits: int) -> float:
    """ln of a bound on the chance that so many people or more stand beside their own value; how many buckets
    there are of each kind.

    >>> two = {((1, 1), (1, 1)): 1}
    >>> round(math.exp(log_chance(two, 2)), 2), log_chance(two, 0)
    (0.5, 0.0)
    """
    moments = sum((number * _log_moments(each) for each, number in buckets.items()), np.zeros(len(TRIED)))
    return min(float((moments - hits * np.log1p(TRIED)).min()), 0.0)


def implausible(buckets: Mapping[Board, int], hits: int) -> bool:
    """Whether values in random order would hardly ever give so many hits."""
    return log_chance(buckets, hits) < math.log(DOUBT)


def _log_moments(bucket: Board) -> Floats:
    """ln E[(1 + x)^M] for each x that is tried, or what it is at most."""
    rows = sum(held for _, held in bucket)
    if rows > LARGEST:
        slope = np.log1p(TRIED)
        return np.asarray(slope * expected(bucket) + slope**2 * rows / 2)
    rooks = np.zeros(1)
    for own, held in bucket:
        rooks = _log_product(rooks, _log_rooks(own, held))
    factorials = _log_factorials(rows)
    hits = rooks + factorials[rows - np.arange(len(rooks))] - factorials[rows]
    return _log_polynomial(hits, np.log(TRIED))


def _log_rooks(rows: int, columns: int) -> Floats:
    """ln of the ways to put j rooks on a board of rows × columns so that none attacks another."""
    most = min(rows, columns)
    factorials, j = _log_factorials(max(rows, columns)), np.arange(most + 1)
    choices = factorials[rows] - factorials[rows - j] + factorials[columns] - factorials[columns - j]
    return np.asarray(choices - factorials[j])


def _log_product(first: Floats, second: Floats) -> Floats:
    """The product of two polynomials whose coefficients are given by their logarithms."""
    result = np.full(len(first) + len(second) - 1, -np.inf)
    for j, factor in enumerate(second):
        part = result[j : j + len(first)]
        np.logaddexp(part, first + factor, out=part)
    return result


def _log_polynomial(coefficients: Floats, log_x: Floats) -> Floats:
    terms = coefficients[None, :] + log_x[:, None] * np.arange(len(coefficients))[None, :]
    highest = terms.max(axis=1, keepdims=True)
    return np.asarray((highest + np.log(np.exp(terms - highest).sum(axis=1, keepdims=True)))[:, 0])


def _log_factorials(most: int) -> Floats:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, most + 1)))])
