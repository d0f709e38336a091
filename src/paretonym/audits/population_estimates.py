"""Estimates of a population, computed again: from a file that shows its weights, from a sampling fraction, or
beside the original. Nothing here is proven: what is checked is that the numbers follow from what is assumed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from paretonym.arrays import Floats, Integers, Mask
from paretonym.audits.checks import NOTHING, Check, same_rounded
from paretonym.audits.manifest_completeness import DECIMALS, published_block, published_gone
from paretonym.audits.manifest_reader import Manifest, StatedEstimates
from paretonym.audits.original_rows import Original, rows_of
from paretonym.audits.row_comparison import Recoded
from paretonym.audits.shown_sets import ShownColumn
from paretonym.audits.sql_classes import Counted
from paretonym.audits.sql_engine import listed
from paretonym.audits.table_file import TableFile
from paretonym.errors import Field

SMALLEST, FOUND = "k-map-estimated", "expected-reidentifications"
GENERAL, GONE, LOST = "gl-weighted", "sl-weighted", "loss-weighted"
STEPS = "precision-loss-weighted"
OF_CLASSES, OF_WEIGHTS = (SMALLEST, FOUND), (GENERAL, GONE, LOST)
ESTIMATE = "an estimate: it follows from what it assumes, which nothing proves"
UNSHOWN = f"cannot be verified: the file does not show it: give {Field('original')} and {Field('schema')}"
UNKNOWN = "cannot be decided: the original does not say which class a row is in, or what weight it has"

# What a manifest must say that its estimates assume.
BY_WEIGHTS = "a row stands for as many people of the population as its weight says"
BY_FRACTION = "everybody in the population was drawn with the same probability, the sampling fraction"
SCALED = (
    "a row stands for people of the population in proportion to its weight, and all rows for as many as the "
    "sampling fraction says"
)
BINOMIAL = (
    "the number of people of a class in the population is negative binomial, given the number in the sample"
)
MEAN_WEIGHT = "suppressed rows have the mean weight of the rows that stay"

# Gauss–Legendre nodes in each of the panels into which an integral is divided, up to where nothing is left.
PANELS, NODES, FAR = 30, 16, 60.0
TOGETHER = 4096


class PopulationClasses(NamedTuple):
    """The people of each class in the release, and how many of the population it stands for."""

    sizes: Floats
    people: Floats

    @property
    def values(self) -> dict[str, float]:
        people = np.maximum(self.people, self.sizes)
        return {SMALLEST: float(people.min()), FOUND: expected(self.sizes, people)}


def expected(sizes: Floats, people: Floats) -> float:
    """How many people are expected to be found: Σ f·E[1/F], F negative binomial given f. With p = f/F̂ and
    c = (1 − p)/p, E[1/F] = ∫₀¹ u^(f−1)/(1 + c·u) du, which is ∫₀^∞ e^(−s)/(1 + c·e^(−s/f)) ds / f.

    >>> round(expected(np.array([1.0]), np.array([2.0])), 9) == round(math.log(2), 9)
    True
    """
    pairs, times = np.unique(np.stack([sizes, people]), axis=1, return_counts=True)
    return math.fsum(
        math.fsum(times[start : start + TOGETHER] * _found(*pairs[:, start : start + TOGETHER]))
        for start in range(0, pairs.shape[1], TOGETHER)
    )


def _found(f: Floats, people: Floats) -> Floats:
    inside, weights = np.polynomial.legendre.leggauss(NODES)
    width = FAR / PANELS
    s = (np.arange(PANELS)[:, None] * width + (inside + 1) * width / 2).reshape(-1)
    dense = np.exp(-s) * np.tile(weights * width / 2, PANELS)
    odds = people / f - 1
    result: Floats = (dense / (1 + odds[:, None] * np.exp(-s / f[:, None]))).sum(axis=1)
    return result


def alone(
    file: TableFile,
    weight: str | None,
    counted: Counted,
    stated: StatedEstimates | None,
    persons: bool,
) -> PopulationClasses | None:
    """The classes by what the file alone shows: `weight` is its column of weights, if it has one. None if
    that is not enough."""
    fraction = None if stated is None else stated.fraction
    if persons or (weight is None and (fraction is None or (stated is not None and stated.weights))):
        return None
    if weight is None and fraction is not None:
        sizes = _column(counted, f"select size from {counted.name}")
        return PopulationClasses(sizes, sizes / float(fraction))
    keys = listed(counted.keys)
    groups = f"select {keys}, count(*) as size, sum(try_cast({file.column(str(weight))} as double)) as people"
    bad = f"select count(*) from {file.view} where try_cast({file.column(str(weight))} as double) is null"
    if file.engine.number(bad):
        return None
    table = f"({groups} from {file.view} group by {keys})"
    sizes, people = (
        _column(counted, f"select {name} from {table} order by {keys}") for name in ("size", "people")
    )
    if fraction is not None:
        people = people * (sizes.sum() / (float(fraction) * people.sum()))
    return PopulationClasses(sizes, people)


def _column(counted: Counted, query: str) -> Floats:
    return np.array([value for (value,) in counted.engine.rows(query)], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Weighed:
    """The original, recoded, with the weights of its entries: those that `stay`, and the class of each."""

    whole: Original
    left: Original
    columns: Sequence[ShownColumn]
    stay: Mask
    looks: Integers
    fraction: Fraction | None

    @classmethod
    def of(cls, file: TableFile, whole: Recoded, left: Recoded, fraction: Fraction | None) -> Weighed | None:
        """None if nothing says how rows were drawn, or in which class one is."""
        if left.perhaps is not None or (whole.original.sampling is None and fraction is None):
            return None
        codes = np.stack([column.codes for column in left.shown.columns], axis=1)
        looks = np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1)
        stay = left.shown.staying(file)
        return (
            cls(whole.original, left.original, left.shown.columns, stay, looks, fraction)
            if stay.any()
            else None
        )

    @property
    def known(self) -> dict[str, float]:
        """Every measure that is estimated from all rows, as the search does."""
        found = self._classes(self.whole, np.ones(self.whole.entries, dtype=np.bool_)).values
        return {**found, **(self._costs() if self.whole.sampling is not None else {})}

    def published(self, gone: int) -> dict[str, float]:
        """The estimates by the rows that stay, if so many are published as suppressed."""
        found = self._classes(self.left, self.stay).values
        if self.left.sampling is None:
            return found
        stay = self.left.rows_in(self.stay)
        lost = self._lost([self._staying_widths(column) for column in self.columns])
        general, left_out = lost * stay / (stay + gone), gone / (stay + gone)
        return {**found, GENERAL: general, GONE: left_out, LOST: general + left_out}

    def _classes(self, scaled_by: Original, these: Mask) -> PopulationClasses:
        """The classes that stay; weights are scaled by some entries of the original, if there is a sampling
        fraction."""
        sizes, people = _weigh(self.left, self.stay, self.looks)
        there = sizes > 0
        sizes, people = sizes[there], people[there]
        if self.fraction is not None:
            number, weight = _weigh(scaled_by, these, np.zeros(scaled_by.entries, dtype=np.int64))
            people = people * float(number[0] / (float(self.fraction) * weight[0]))
        return PopulationClasses(sizes, people)

    def _costs(self) -> dict[str, float]:
        weights, all_weights = self._weights, _of_rows(self.whole)
        share = math.fsum(weights) / math.fsum(all_weights)
        general = self._lost([np.array([*column.sizes, 1]) - 1.0 for column in self.columns], True) * share
        found = {GENERAL: general, GONE: 1 - share, LOST: general + 1 - share}
        steps = [column.step for column in self.columns if column.step is not None]
        if len(steps) == len(self.columns):
            found[STEPS] = float(sum(steps, Fraction(0)) / len(steps)) * share + 1 - share
        return found

    @property
    def _weights(self) -> Floats:
        """The weight of the rows of each entry that stays."""
        return _of_rows(self.left)[self.stay]

    def _staying_widths(self, column: ShownColumn) -> Floats:
        sizes, domain = column.staying_sizes(self.stay)
        each = np.array([*(sizes[label] for label in column.labels), 1], dtype=np.float64)
        return (each - 1) / max(domain - 1, 1)

    def _lost(self, widths: Sequence[Floats], by_domain: bool = False) -> float:
        """The weighted mean, over entries that stay, of what generalization costs them."""
        weights, spent, importance = self._weights, 0.0, 0.0
        for column, wide in zip(self.columns, widths, strict=True):
            each = wide / max(column.domain - 1, 1) if by_domain else wide
            spent += float(column.meaning.importance) * math.fsum(weights * each[column.codes[self.stay]])
            importance += float(column.meaning.importance)
        return spent / (importance * math.fsum(weights))


def _of_rows(original: Original) -> Floats:
    """The sampling weight of the rows of each entry."""
    each = np.ones(original.entries) if original.sampling is None else original.sampling
    return each if original.weights is None else each * original.weights


def _weigh(original: Original, these: Mask, looks: Integers) -> tuple[Floats, Floats]:
    """How many people of some entries look like each, and the sum of their weights; everybody counts once."""
    length = int(looks.max(initial=0)) + 1
    look = looks[these]
    if original.persons is None:
        sizes = rows_of(look, None if original.weights is None else original.weights[these], length)
        people: Floats = np.bincount(look, _of_rows(original)[these], length).astype(np.float64)
        return sizes.astype(np.float64), people
    pairs = np.stack([look, original.persons[these].astype(np.int64)])
    _, first = np.unique(pairs, axis=1, return_index=True)
    each = np.ones(len(look)) if original.sampling is None else original.sampling[these]
    people = np.bincount(look[first], each[first], length).astype(np.float64)
    return np.bincount(look[first], minlength=length).astype(np.float64), people


def check_estimates(
    manifest: Manifest, shown: PopulationClasses | None, weighed: Weighed | None, beside: bool
) -> Iterator[Check]:
    """The estimates of a manifest beside those that follow from the original, or from the file alone."""
    stated = manifest.estimates
    if stated is None:
        return
    yield from _form(manifest, stated)
    right: Mapping[str, float] = {} if shown is None else shown.values
    why = UNKNOWN if beside else UNSHOWN
    if weighed is not None and stated.weights == (weighed.left.sampling is not None):
        block = published_block(manifest, weighed.left.most_rows(weighed.stay))
        right = weighed.published(published_gone(weighed.whole.rows, manifest.rows, block))
    elif beside and weighed is not None:
        right, why = {}, "the schema says otherwise which column holds weights"
    for name, said in stated.values.items():
        if name in right:
            yield Check("estimate", name, said, right[name], _fits(name, said, right[name]), ESTIMATE)
        elif name in (*OF_CLASSES, *OF_WEIGHTS):
            yield Check("estimate", name, said, None, None if why.startswith("cannot") else False, why)


def _fits(name: str, said: float, found: float) -> bool:
    """Whether a number is the found one, rounded to the side that promises less."""
    if name in OF_WEIGHTS:
        return same_rounded(said, found, 1 + (name == LOST))
    unit = _unit(said if name == SMALLEST else found, whole=name == SMALLEST)
    over = found - said if name == SMALLEST else said - found
    slack = 1e-7 * max(abs(found), NOTHING)
    return -slack <= over <= unit + slack


def _unit(value: float, whole: bool) -> float:
    """The last of two digits, or 1 in a smaller whole number."""
    power = math.floor(math.log10(value)) - 1 if value > 0 else 0
    return float(10.0 ** (max(power, 0) if whole else power))


def _form(manifest: Manifest, stated: StatedEstimates) -> Iterator[Check]:
    """Check that estimates are those that a release gives, and as coarse as required."""
    names = (*OF_CLASSES, *(OF_WEIGHTS if stated.weights else ()))
    wrong = []
    if manifest.applied is not None or manifest.events or manifest.recoding.bucket is not None:
        wrong.append("nothing is estimated of added rows, events and buckets")
    if tuple(stated.values) != names:
        wrong.append(f"its estimates must be {', '.join(names)}")
    if list(stated.assumes) != assumptions(stated):
        wrong.append("what they assume is not what they are computed by")
    for name, said in stated.values.items():
        digits = same_digits(said) if name in OF_CLASSES else said == round(said, DECIMALS)
        if not digits or (name == SMALLEST and said != int(said)):
            wrong.append(f"{name} has more digits than are published")
    why = "; ".join(wrong)
    yield Check("file", "estimates", None, None, not wrong, why)


def same_digits(said: float) -> bool:
    """Whether a number has at most two digits.

    >>> same_digits(1200.0), same_digits(0.044), same_digits(123.0)
    (True, True, False)
    """
    return math.isfinite(said) and said >= 0 and said == float(f"{said:.2g}")


def assumptions(stated: StatedEstimates) -> list[str]:
    if not stated.weights:
        return [BY_FRACTION, BINOMIAL]
    return [BY_WEIGHTS if stated.fraction is None else SCALED, BINOMIAL, MEAN_WEIGHT]
