"""Individual risk: how likely a row of a sample is re-identified if its population class is estimated."""

from __future__ import annotations

import numpy as np

from paretonym.arrays import Floats

# From this size on a series of few positive terms is exact; below it a recurrence is.
LARGE = 30
TERMS = 64


def individual_risk(sample: Floats, population: Floats) -> Floats:
    """The expected 1/F of classes with `sample` rows in the sample and an estimated `population` size.

    F, the number of people of the class in the population, is taken to be negative binomial given the f in
    the sample: people enter it independently with probability p = f / F̂, at most 1. Then

        r = E[1/F | f] = (p^f / f)·₂F₁(f, f; f+1; 1−p) = ∫₀¹ u^(f−1) / (1 + c·u) du with c = (1−p)/p,

    which is −p/(1−p)·ln p for f = 1 and 1/f for p = 1. For f ≥ 30 or p ≥ ½ it is summed as
    p·Σ_k (1−p)^k·B(f, k+1), whose terms are positive and fall fast; otherwise r_{f+1} = (1/f − r_f)/c, which
    halves an error at least.

    Cost: a fixed number of operations for each class.

    When it misleads: it is usually too low. For f = 1 the size F̂ rests on one row, and a row that is unique
    in the sample was drawn from a small class more often than the model says: in simulations with samples
    of 2 % the truth was three to six times as high.

    Reference: Benedetti and Franconi 1998; Franconi and Polettini 2004, Individual risk estimation in
    μ-Argus.

    >>> individual_risk(np.array([1.0, 2.0]), np.array([1.0, 40.0])).round(4).tolist()
    [1.0, 0.0443]
    """
    f = np.asarray(sample, dtype=np.float64)
    p = np.minimum(1.0, f / np.asarray(population, dtype=np.float64))
    by_series = (f >= LARGE) | (p >= 0.5)
    # Each way is only asked where it is exact; elsewhere it gets harmless numbers.
    series = _series(np.where(by_series, f, LARGE), np.where(by_series, p, 1.0))
    recurrence = _recurrence(np.where(by_series, 1.0, f), np.where(by_series, 0.5, p))
    return np.where(by_series, series, recurrence)


def _series(f: Floats, p: Floats) -> Floats:
    term, total = 1 / f, np.zeros_like(f)
    for k in range(TERMS):
        total += term
        term = term * (1 - p) * (k + 1) / (f + k + 1)
    return p * total


def _recurrence(f: Floats, p: Floats) -> Floats:
    c = (1 - p) / p
    value = np.log1p(c) / c
    for size in range(1, LARGE):
        value = np.where(f > size, (1 / size - value) / c, value)
    return value
