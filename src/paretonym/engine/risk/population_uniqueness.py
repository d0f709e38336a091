"""Number of people unique in the population, estimated from a sample: three models, and which to trust."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp, inf, lgamma, log
from typing import NamedTuple

import numpy as np

from paretonym.base.arrays import Floats
from paretonym.base.language import N_

# The published rule: up to this sampling fraction Pitman's model, above it the lower of the other two.
RULE_FRACTION = 0.1
RULE = "Dankar, El Emam, Neisa and Roffey 2012, BMC Medical Informatics and Decision Making 12:66"
_GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True)
class SampleCounts:
    """Counts for the models: for each size that occurs, the number of classes of that size in the sample, and
    the sampling fraction."""

    sizes: Mapping[int, int]
    fraction: float

    @property
    def rows(self) -> int:
        return sum(size * count for size, count in self.sizes.items())

    @property
    def classes(self) -> int:
        return sum(self.sizes.values())

    @property
    def population(self) -> float:
        """The number of people in the population."""
        return self.rows / self.fraction


class UniquesEstimate(NamedTuple):
    """An estimate of one model: the number of people that are unique in the population; None if the model
    does not fit the counts."""

    model: str
    uniques: float | None
    assumes: str
    reference: str


def zayatz(sample: SampleCounts) -> float | None:
    """Population uniques if sizes of population classes are distributed as those of the sample.

    A unique of the sample is one of the population with probability P(1 | 1)·u_1 / Σ_i P(1 | i)·u_i, where
    P(1 | i) is the hypergeometric probability that one of a class of i is drawn.

    >>> zayatz(SampleCounts({1: 10}, 0.5))
    20.0
    """
    rows, people = sample.rows, round(sample.population)
    if not sample.sizes.get(1):
        return 0.0
    drawn = {size: _one_drawn(size, rows, people) * count for size, count in sample.sizes.items()}
    return sample.sizes[1] * drawn[1] / sum(drawn.values()) / sample.fraction


def _one_drawn(size: int, rows: int, people: int) -> float:
    """The probability that a sample of `rows` of `people` has exactly one of a class of a size."""
    if rows - 1 > people - size:
        return 0.0
    logarithm = log(size) + _choose(people - size, rows - 1) - _choose(people, rows)
    return exp(logarithm)


def _choose(n: float, k: float) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def pitman(sample: SampleCounts) -> float | None:
    """Population uniques if class sizes follow Pitman's sampling formula with parameters θ and α.

    The parameters have the maximum likelihood; then N·Π_{i<N} (θ+α+i−1)/(θ+i) uniques are expected among N
    people.
    """
    if not sample.sizes.get(1):
        return 0.0
    if sample.classes == sample.rows:
        return sample.population
    if sample.classes == 1:
        return None

    def best_theta(alpha: float) -> tuple[float, float]:
        likelihood, theta = _highest(lambda x: _likelihood(sample, alpha, exp(x) - alpha), -15.0, 25.0)
        return likelihood, exp(theta) - alpha

    _, alpha = _highest(lambda a: best_theta(a)[0], 1e-6, 1 - 1e-6)
    theta, people = best_theta(alpha)[1], sample.population
    ratio = lgamma(theta + alpha + people - 1) - lgamma(theta + people)
    return people * exp(ratio + lgamma(theta + 1) - lgamma(theta + alpha))


def _likelihood(sample: SampleCounts, alpha: float, theta: float) -> float:
    """The logarithm of Pitman's sampling formula, without what does not depend on the parameters."""
    ratio, classes = theta / alpha, sample.classes
    logarithm = (classes - 1) * log(alpha) + lgamma(ratio + classes) - lgamma(ratio + 1)
    logarithm -= lgamma(theta + sample.rows) - lgamma(theta + 1)
    once = lgamma(1 - alpha)
    return logarithm + sum(count * (lgamma(size - alpha) - once) for size, count in sample.sizes.items())


def _highest(function: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """The highest value of a function with one peak, and where it is (golden section)."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(60):
        if at_left >= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = function(right)
    return (at_left, left) if at_left >= at_right else (at_right, right)


def slide_negative_binomial(sample: SampleCounts) -> float | None:
    """Population uniques if sizes of population classes minus 1 are negative binomial, with parameters α and
    β, and everybody is drawn with the same probability.

    The number K of classes is estimated by Shlosser's modified estimator; α and β are such that as many
    classes of one and of two rows are expected as there are; then K·β^α uniques are expected.
    """
    ones, twos = sample.sizes.get(1, 0), sample.sizes.get(2, 0)
    if not ones:
        return 0.0
    if sample.fraction >= 1:
        return float(ones)
    if not twos:
        return None
    classes = _shlosser(sample)

    def expected(point: Floats) -> Floats:
        """The logarithms of what is expected over what there is, of the logarithms of α and β/(1−β)."""
        alpha, odds = np.exp(point)
        beta, rest = odds / (1 + odds), 1 / (1 + odds)
        missed = rest * (1 - sample.fraction)
        seen = 1 - missed
        common = np.log(classes * sample.fraction) + alpha * np.log(beta / seen)
        one = common + np.log1p(alpha * missed / seen)
        two = common + np.log(sample.fraction * alpha * rest * (2 - (1 - alpha) * missed) / (2 * seen**2))
        return np.array([one - log(ones), two - log(twos)])

    solved = [root for start in _STARTS if (root := _root(expected, np.array(start))) is not None]
    if not solved:
        return None
    # Two parameters can explain the counts in two ways: the one with the right number of people is meant.
    alpha, odds = np.exp(min(solved, key=lambda point: _people_off(point, classes, sample.population)))
    return float(classes * (odds / (1 + odds)) ** alpha)


_STARTS = tuple((a, b) for a in (-3.0, -1.0, 0.0, 2.0) for b in (-4.0, -2.0, 0.0, 2.0))


def _people_off(point: Floats, classes: float, population: float) -> float:
    alpha, odds = np.exp(point)
    return float(abs(np.log(classes * (1 + alpha / odds) / population)))


def _shlosser(sample: SampleCounts) -> float:
    """The number of classes in the population, by the third of the estimators of Haas and Stokes 1998 that go
    back to Shlosser."""
    sizes = np.array(list(sample.sizes), dtype=np.float64)
    counts = np.array(list(sample.sizes.values()), dtype=np.float64)
    q = sample.fraction
    squares = (sizes * q**2 * (1 - q**2) ** (sizes - 1) * counts).sum()
    between = ((1 - q) ** sizes * ((1 + q) ** sizes - 1) * counts).sum()
    missed, once = ((1 - q) ** sizes * counts).sum(), (sizes * q * (1 - q) ** (sizes - 1) * counts).sum()
    return float(sample.classes + sample.sizes[1] * squares / between * (missed / once) ** 2)


def _root(function: Callable[[Floats], Floats], point: Floats) -> Floats | None:
    """Where two functions of two numbers are 0, by damped steps of Newton; None if they do not get there."""
    with np.errstate(all="ignore"):
        value = function(point)
        for _ in range(100):
            if not np.isfinite(value).all():
                return None
            if abs(value).max() < 1e-9:
                return point
            step = 1e-6 * np.eye(2)
            slopes = np.array([(function(point + h) - function(point - h)) / 2e-6 for h in step]).T
            if not np.isfinite(slopes).all() or abs(np.linalg.det(slopes)) < 1e-14:
                return None
            move = -np.linalg.solve(slopes, value)
            move *= min(1.0, 2 / max(abs(move).max(), 1e-300))
            for _ in range(30):
                after = function(point + move)
                if np.isfinite(after).all() and abs(after).max() < abs(value).max():
                    break
                move /= 2
            else:
                return None
            point, value = point + move, after
    return None


MODELS = {
    "pitman": (
        pitman,
        N_("class sizes of the population follow Pitman's sampling formula"),
        "Hoshino 2001, Journal of Official Statistics 17(4)",
    ),
    "zayatz": (
        zayatz,
        N_("class sizes of the population are distributed as those of the sample"),
        "Zayatz 1991, U.S. Bureau of the Census, Statistical Research Division Report CENSUS/SRD/RR-91/08",
    ),
    "snb": (
        slide_negative_binomial,
        N_("class sizes of the population minus 1 are negative binomial"),
        "Chen and Keller-McNulty 1998, Journal of Official Statistics 14(1)",
    ),
}


@dataclass(frozen=True)
class PopulationUniques:
    """The estimates of all models, and the one that the published rule trusts."""

    estimates: tuple[UniquesEstimate, ...]
    trusted: str | None

    @classmethod
    def of(cls, sample: SampleCounts) -> PopulationUniques:
        estimates = tuple(
            UniquesEstimate(name, _possible(model(sample), sample), *words)
            for name, (model, *words) in MODELS.items()
        )
        return cls(
            estimates, _trusted({estimate.model: estimate.uniques for estimate in estimates}, sample.fraction)
        )

    @property
    def uniques(self) -> float | None:
        """The estimate of the model that the rule trusts."""
        return next((estimate.uniques for estimate in self.estimates if estimate.model == self.trusted), None)


def _possible(uniques: float | None, sample: SampleCounts) -> float | None:
    """Not more than there are people."""
    return None if uniques is None else min(uniques, sample.population)


def _trusted(uniques: Mapping[str, float | None], fraction: float) -> str | None:
    """The model that the rule of Dankar and others chooses among those that fit; Zayatz's always does."""
    if fraction <= RULE_FRACTION:
        return "pitman" if uniques["pitman"] is not None else "zayatz"
    slide = uniques["snb"]
    return "snb" if slide is not None and slide <= (uniques["zayatz"] or inf) else "zayatz"
