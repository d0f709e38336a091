"""Regressions of declared analyses: linear by weighted least squares, logistic by maximum likelihood, with
95 % confidence intervals. A weight is a number of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from paretonym.base.arrays import Floats
from paretonym.base.factorize import distinct_rows
from paretonym.base.number_text import significant
from paretonym.engine.counts import AnalysedRows
from paretonym.engine.measures.estimates.purpose_reader import ReadRows

NORMAL = 1.959963984540054
MOST_STEPS = 60
# Steps end when no coefficient moves by more, beside the scale of its column.
_CLOSE = 1e-11
# Columns whose correlations have a smaller eigenvalue depend on one another.
_DEPENDENT = 1e-11
# A logit beyond this says that an outcome is certain.
_CERTAIN = 35.0


class Interval(NamedTuple):
    """An estimate and its 95 % confidence interval."""

    estimate: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{significant(self.estimate)} ({significant(self.low)} to {significant(self.high)})"

    @property
    def significant(self) -> bool:
        """True if 0 lies outside."""
        return self.low > 0 or self.high < 0

    def keeps_sign(self, other: Interval) -> bool:
        """True if both are significant with the same sign."""
        return self.significant and other.significant and self.estimate * other.estimate > 0

    def overlap(self, other: Interval) -> float:
        """The mean of the shares of both that their intersection covers; 1 for equal points, 0 for intervals
        that are apart.

        >>> Interval(1, 0, 2).overlap(Interval(2, 1, 3)), Interval(1, 1, 1).overlap(Interval(1, 1, 1))
        (0.5, 1.0)
        """
        common = min(self.high, other.high) - max(self.low, other.low)
        widths = (self.high - self.low, other.high - other.low)
        if min(widths) <= 0:
            return 1.0 if common >= 0 and max(widths) <= 0 else 0.0
        return max(0.0, sum(common / width for width in widths) / 2)


@dataclass(frozen=True, eq=False)
class Coding:
    """Coding of a column in a model: as a number, or as an indicator of every value of the original but the
    first. `table[v]` are the columns of the design for value v, `names` their names."""

    names: tuple[str, ...]
    table: Floats | None

    def columns(self, rows: ReadRows, place: int) -> Floats:
        """Its columns of the design; values that the original lacks have no indicator."""
        numbers = rows.numbers[place]
        if self.table is None and numbers is not None:
            return numbers[rows.codes[place]][:, None]
        table = np.zeros((rows.sizes[place], len(self.names)))
        if self.table is not None:
            table[: len(self.table)] = self.table
        return np.asarray(table[rows.codes[place]])


@dataclass(frozen=True, eq=False)
class Model:
    """The model of one regression, as the original's values make it. With `outcomes` it is logistic: how
    likely is the second of them? `terms` are places of columns, `names` those of the coefficients without the
    constant, and `used` the columns behind each."""

    codings: dict[int, Coding]
    terms: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]
    used: tuple[frozenset[str], ...]
    outcomes: tuple[int, int] | None

    @classmethod
    def of(cls, rows: AnalysedRows, original: ReadRows) -> Model:
        """The model of a regression."""
        analysis, places = rows.analysis, {column.name: c for c, column in enumerate(rows.columns)}
        terms = tuple(tuple(places[name] for name in term) for term in analysis.terms)
        codings = {c: _coding(rows, original, c) for term in terms for c in term}
        names: list[str] = []
        used: list[frozenset[str]] = []
        for term in terms:
            products = [""]
            for c in term:
                products = [f"{a}:{b}" if a else b for a in products for b in codings[c].names]
            names += products
            used += [frozenset(rows.columns[c].name for c in term)] * len(products)
        ordered = _ordered_values(rows, original, 0)
        outcomes = (ordered[0], ordered[1]) if len(ordered) == 2 else None
        return cls(codings, terms, tuple(names), tuple(used), outcomes)

    def fit(self, rows: ReadRows) -> tuple[Interval, ...] | None:
        """The coefficients without the constant; None if the rows do not determine them."""
        if not len(rows.weights):
            return None
        outcome = self._outcome(rows)
        if np.ptp(outcome) <= 1e-12 * max(1.0, float(np.abs(outcome).max())):
            return None
        rows, outcome, within = _by_predictors(rows, outcome)
        design = [np.ones((len(rows.weights), 1))]
        for term in self.terms:
            product = self.codings[term[0]].columns(rows, term[0])
            for c in term[1:]:
                further = self.codings[c].columns(rows, c)
                product = (product[:, :, None] * further[:, None, :]).reshape(len(product), -1)
            design.append(product)
        x = np.concatenate(design, axis=1)
        scale = np.sqrt(rows.weights @ x**2)
        if (scale <= 0).any():
            return None
        x = x / scale
        if self.outcomes is None:
            fitted = _least_squares(x, outcome, rows.weights, within)
        else:
            fitted = _likeliest(x, outcome, rows.weights)
        if fitted is None:
            return None
        beta, errors = fitted[0] / scale, fitted[1] / scale
        halves = NORMAL * errors
        return tuple(
            Interval(float(b), float(b - h), float(b + h)) for b, h in zip(beta[1:], halves[1:], strict=True)
        )

    def _outcome(self, rows: ReadRows) -> Floats:
        numbers = rows.numbers[0]
        if self.outcomes is None:
            return np.zeros(len(rows.weights)) if numbers is None else numbers[rows.codes[0]]
        first, second = self.outcomes
        if numbers is not None:
            # Means of the two values are shares of the second.
            share = (numbers[rows.codes[0]] - numbers[first]) / (numbers[second] - numbers[first])
            return np.asarray(np.clip(share, 0.0, 1.0))
        return np.asarray(rows.codes[0] == second, dtype=np.float64)


def _coding(rows: AnalysedRows, original: ReadRows, place: int) -> Coding:
    column = rows.columns[place]
    if column.numbers is not None:
        return Coding((column.name,), None)
    others = _ordered_values(rows, original, place)[1:]
    table = np.zeros((len(column.labels), len(others)))
    table[others, np.arange(len(others))] = 1.0
    return Coding(tuple(f"{column.name} = {column.labels[value]}" for value in others), table)


def _ordered_values(rows: AnalysedRows, original: ReadRows, place: int) -> list[int]:
    """The values of a column that occur in the original: by number, in the order of their hierarchy, or by
    their texts."""
    column, values = rows.columns[place], np.unique(original.codes[place]).tolist()
    if column.numbers is not None:
        return sorted(values, key=column.numbers.__getitem__)
    return values if column.axis is not None else sorted(values, key=column.labels.__getitem__)


def _inverse(information: Floats) -> Floats | None:
    """The inverse of a matrix of weighted products; None if its columns depend on one another."""
    diagonal = np.sqrt(np.diagonal(information))
    if not np.isfinite(information).all() or (diagonal <= 0).any():
        return None
    correlation = information / np.outer(diagonal, diagonal)
    if np.linalg.eigvalsh(correlation)[0] < _DEPENDENT:
        return None
    return np.asarray(np.linalg.inv(correlation) / np.outer(diagonal, diagonal))


def _by_predictors(rows: ReadRows, outcome: Floats) -> tuple[ReadRows, Floats, float]:
    """The rows with equal predictors as one, with their mean outcome; and the sum of squares within them:
    coefficients depend on nothing else, and there are far fewer."""
    first, place, _ = distinct_rows(rows.codes[1:], rows.sizes[1:])
    weights: Floats = np.bincount(place, rows.weights, len(first)).astype(np.float64)
    means = np.bincount(place, rows.weights * outcome, len(first)) / weights
    within = float(rows.weights @ (outcome - means[place]) ** 2)
    return rows._replace(codes=tuple(codes[first] for codes in rows.codes), weights=weights), means, within


def _least_squares(x: Floats, y: Floats, weights: Floats, within: float) -> tuple[Floats, Floats] | None:
    """Coefficients and standard errors, of means that have this sum of squares within them."""
    inverse, free = _inverse((x * weights[:, None]).T @ x), weights.sum() - x.shape[1]
    if inverse is None or free <= 1e-9:
        return None
    beta = inverse @ (x.T @ (weights * y))
    beta += inverse @ (x.T @ (weights * (y - x @ beta)))
    variance = (within + float(weights @ (y - x @ beta) ** 2)) / free
    return beta, np.sqrt(np.diagonal(inverse) * variance)


def _likeliest(x: Floats, y: Floats, weights: Floats) -> tuple[Floats, Floats] | None:
    """Newton's steps from even odds; None if they do not end, as where an outcome is certain."""
    beta = np.zeros(x.shape[1])
    for _ in range(MOST_STEPS):
        logit = x @ beta
        if np.abs(logit).max() > _CERTAIN:
            return None
        chance = 1.0 / (1.0 + np.exp(-logit))
        inverse = _inverse((x * (weights * chance * (1 - chance))[:, None]).T @ x)
        if inverse is None:
            return None
        step = inverse @ (x.T @ (weights * (y - chance)))
        beta = beta + step
        if np.abs(step).max() <= _CLOSE * max(1.0, float(np.abs(beta).max())):
            return beta, np.sqrt(np.diagonal(inverse))
    return None
