"""Measures of a population that is estimated, from weights or a sampling fraction: never proven."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from paretonym.base.arrays import Floats
from paretonym.engine.counts import Cube
from paretonym.engine.measures.estimates.released_regions import Seen
from paretonym.engine.measures.population_size import reachable_people
from paretonym.engine.recoding import Classes

# From this size on a series of few positive terms is exact; below it a recurrence is.
LARGE = 30
TERMS = 64
# Sums of risks are exact to far less than this share.
_LOOSER = 1e-9


def estimated_people(seen: Seen) -> Floats:
    """People of the population that each class stands for: the sum of the weights of its people, or their
    number divided by the sampling fraction; with both, weights are scaled to the population that the fraction
    implies. A class has at least its own people in the population."""
    return seen.classes.once("estimated people", lambda: _counted(seen.cube, seen.classes))


def _counted(cube: Cube, classes: Classes) -> Floats:
    fraction = Fraction(1) if cube.sample.fraction is None else cube.sample.fraction
    if cube.sample.weights is None:
        return classes.sizes / float(fraction)
    people = cube.weights.people_in(classes.of_tuple, len(classes))
    if cube.sample.fraction is not None:
        people = people * float(cube.people / (fraction * cube.weights.total))
    return np.maximum(people, classes.sizes)


def estimated_k_map(seen: Seen, columns: Sequence[str], parameters: Mapping[str, Any]) -> float:
    """The smallest number of people of the population that a class of the release stands for.

    Formula: min F̂ over the classes that stay; F̂ is the sum of the weights of a class, or its size divided by
    the sampling fraction, and at least its size.

    Cost: one sum of weights over the tuples for each node.

    Misleads for small classes: that of a single respondent rests on one weight. It is an estimate, and no
    release is proven to have it.

    Reference: El Emam & Dankar 2008 (k-map); Benedetti & Franconi 1998 (weights as estimates).

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> age = {"role": "quasi", "hierarchy": {"flat": True}}
    >>> table = pa.table({"age": ["20", "20", "21"], "weight": ["2.5", "4", "1.25"]})
    >>> study = Study(table, {"columns": {"age": age, "weight": {"role": "weight"}}})
    >>> [solution.values["k-map-estimated"] for solution in study.explore("k-map-estimated", suppress=0)]
    [7.75]
    """
    return float(estimated_people(seen)[seen.stays].min())


def reachable_estimated_k_map(seen: Seen, suppressible: int) -> float:
    """The most that the estimated k-map is at any specialization of a node: weights are above 0, so that
    neither their sum nor a number of people grows when a class is split."""
    return reachable_people(estimated_people(seen), seen.classes.rows, suppressible)


def expected_reidentifications(seen: Seen, columns: Sequence[str], parameters: Mapping[str, Any]) -> float:
    """The number of people in the release who are expected to be re-identified by somebody who searches the
    whole population for each of them.

    Formula: Σ f·r over the classes that stay; f is the size of a class, r = E[1/F | f] its individual risk, F
    negative binomial with p = f / F̂, at most 1.

    Cost: as for the estimated k-map, and a fixed number of operations for each class.

    Misleads because it is usually too low: in simulations with samples of 2 % the truth was three to six
    times as high.

    Reference: Benedetti and Franconi 1998; Franconi and Polettini 2004.

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> age = {"role": "quasi", "hierarchy": {"flat": True}}
    >>> table = pa.table({"age": ["20", "21"], "weight": ["1", "1"]})
    >>> study = Study(table, {"columns": {"age": age, "weight": {"role": "weight"}}})
    >>> [found] = study.explore("expected-reidentifications", suppress=0)
    >>> found["expected-reidentifications"]
    1.0
    """
    sizes = seen.classes.sizes[seen.stays].astype(np.float64)
    return float((sizes * _class_risks(seen)[seen.stays]).sum())


def reachable_expected_reidentifications(seen: Seen, suppressible: int) -> float:
    """The least that the expected re-identifications are at any specialization of a node: the risks of all
    rows, without those of the rows at the highest risk that may be suppressed. Nothing is known where a
    person can have several rows."""
    if seen.cube.persons is not None:
        return 0.0
    sizes, risks = seen.classes.sizes, _class_risks(seen)
    ranked = np.argsort(-risks, kind="stable")
    gone = np.diff(np.minimum(np.cumsum(sizes[ranked]), suppressible), prepend=0)
    return float((sizes[ranked] - gone) @ risks[ranked]) * (1 - _LOOSER)


def _class_risks(seen: Seen) -> Floats:
    """The individual risk of the rows of each class."""
    return seen.classes.once("class risks", lambda: _risks(seen))


def _risks(seen: Seen) -> Floats:
    sizes, people = seen.classes.sizes.astype(np.float64), estimated_people(seen)
    if seen.cube.sample.weights is not None:
        return individual_risk(sizes, people)
    # Many classes have the same size, and stand for as many people.
    _, first, which = np.unique(sizes, return_index=True, return_inverse=True)
    return individual_risk(sizes[first], people[first])[which]


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
