"""Statistics of classes: their kinds, what the compiled code must know about them, and the formula of each in
plain numpy, for many classes at once.

`cells` holds the counts of a column's values, one row per class; `reference` the shares that they are
compared with, the same for all classes or one row for each. Twin: `kernels/statistics.c`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from math import log
from typing import Any

import numpy as np

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.base.factorize import starts_of
from paretonym.base.rounding import rounded
from paretonym.engine.counts.cube import Margin
from paretonym.engine.counts.kernel_interface import Requests


class Kind(IntEnum):
    """A statistic of one class, computed from the counts of a column's values in it."""

    SHARE = 0  # of the most frequent value
    DISTINCT = 1  # values
    ENTROPY = 2  # of the values
    RECURSIVE = 3  # largest ℓ of recursive (c, ℓ)-diversity
    VARIATION = 4  # total variation from the reference
    ORDERED = 5  # earth mover's distance from the reference over an order
    TREE = 6  # the same over a tree
    DIVERGENCE = 7  # Jensen–Shannon divergence from the reference
    RATIO = 8  # largest |ln(p/q)| of the values that occur; with parameter 1 a value that lacks is infinite
    MAJORITY = 9  # rows with the most frequent value
    PAIRS = 10  # Σ of squared counts
    LIKENESS = 11  # largest (p − q)/q


class Combine(IntEnum):
    """Ways to make one number of those of all classes that stay; or a bound of those of all classes:
    the best that the least or the most can be at any specialization, or what it is with nothing
    suppressed."""

    LEAST = 0
    MOST = 1
    SUM = 2
    HIGHEST_REACH = 3
    LOWEST_REACH = 4
    EVERY_LEAST = 5
    EVERY_MOST = 6
    EVERY_SUM = 7


class Link(IntEnum):
    """Functions from the statistic of one class to the value of a measure for this class."""

    IDENTITY = 0
    RECIPROCAL = 1
    EXPONENTIAL = 2

    def of(self, statistics: Floats) -> Floats:
        """The values of a measure, given a statistic of each class."""
        if self is Link.RECIPROCAL:
            return np.asarray(1.0 / statistics)
        return np.exp(statistics) if self is Link.EXPONENTIAL else statistics


COMBINED: dict[Kind, Combine] = {
    Kind.SHARE: Combine.MOST,
    Kind.DISTINCT: Combine.LEAST,
    Kind.ENTROPY: Combine.LEAST,
    Kind.RECURSIVE: Combine.LEAST,
    Kind.VARIATION: Combine.MOST,
    Kind.ORDERED: Combine.MOST,
    Kind.TREE: Combine.MOST,
    Kind.DIVERGENCE: Combine.MOST,
    Kind.RATIO: Combine.MOST,
    Kind.MAJORITY: Combine.SUM,
    Kind.PAIRS: Combine.SUM,
    Kind.LIKENESS: Combine.MOST,
}


# Not rounded; sums of fractions and logarithms are rounded.
EXACT = (Kind.SHARE, Kind.DISTINCT, Kind.RECURSIVE, Kind.MAJORITY, Kind.PAIRS)


# Convex (or, where more is better, concave) in the distribution of a class, and DISTINCT, which a class never
# gains by losing rows: of these it is known what no specialization can reach.
# What bounds the ratio is its upper side, max ln(p/q), the logarithm of the likeness and 1.
_CONVEX = (Kind.SHARE, Kind.ENTROPY, Kind.VARIATION, Kind.ORDERED, Kind.TREE, Kind.DIVERGENCE, Kind.LIKENESS)
_REACHED, _NEAR = 1e-9, 1e-13  # sums of fractions are exact to far less than the first


@dataclass(frozen=True, slots=True)
class Statistic:
    """One statistic of one column. `released`: against the release's own distribution, not the input's.
    `reach`: not its value at a node, but the best that it can be at any specialization of the node. `every`:
    its value if nothing were suppressed."""

    kind: Kind
    column: str
    released: bool = False
    parameter: float = 0.0
    reach: bool = False
    every: bool = False

    @property
    def combine(self) -> Combine:
        """The way in which the numbers of classes become one."""
        combine = COMBINED[self.kind]
        if self.every:
            return Combine(combine + Combine.EVERY_LEAST)
        if not self.reach:
            return combine
        return Combine.HIGHEST_REACH if combine is Combine.LEAST else Combine.LOWEST_REACH

    @property
    def least_counts(self) -> bool:
        """True if the least of the classes' numbers is the worst one."""
        return COMBINED[self.kind] is Combine.LEAST

    @property
    def bounded(self) -> bool:
        """True if it is known what no specialization can reach, although rows may be suppressed."""
        return not self.released and self.kind in (*_CONVEX, Kind.DISTINCT, Kind.RATIO)

    def reach_from(self, margin: Margin) -> Statistic:
        """The bound of this statistic. Its parameter is what the statistic is where all rows have one value,
        at the worst: the rarest one, or over an order one of its ends."""
        if self.kind is Kind.RATIO:
            return replace(self, kind=Kind.LIKENESS).reach_from(margin)
        farthest = np.zeros((3, len(margin.labels)), dtype=np.int64)
        farthest[[0, 1, 2], [0, -1, int(np.argmin(margin.totals))]] = 1
        alone = self.combined(self.exact(margin, farthest, margin.shares))
        return replace(self, parameter=1.0 if self.kind is Kind.TREE else alone, reach=True)

    def from_reach(self, values: Floats) -> Floats:
        """The best that this statistic can be, given what was counted of its bound."""
        return np.log1p(np.maximum(values, 0.0)) if self.kind is Kind.RATIO else values

    def reached(self, margin: Margin, values: Floats, rows: Integers, suppressible: int) -> float:
        """The best that it can be at any specialization of a node whose classes have these values and so many
        rows, if at most so many rows are suppressed.

        If all parts of a class are y at worst, of its c rows at least c·(s − y)/(worst − y) were suppressed,
        s being the statistic of the class and `worst` that of a single value: it is convex. Summed over
        classes, that must not be more than may go.
        """
        if self.kind is Kind.DISTINCT:
            least = (rows[values <= distinct].sum() for distinct in range(1, len(margin.labels) + 1))
            possible = (number for number, gone in enumerate(least, start=1) if gone > suppressible)
            return float(next(possible, len(margin.labels)))
        sign = 1.0 if COMBINED[self.kind] is Combine.MOST else -1.0
        bad, alone = sign * values, sign * self.parameter
        worst = alone - _NEAR * max(1.0, abs(alone))
        if rows[bad >= worst].sum() > suppressible:
            return float(sign * worst)
        reach = ideal = self._ideal(len(margin.labels))
        for _ in range(50):
            above = bad > reach
            excess = rows[above].sum() - suppressible
            if excess <= 0:
                break
            more = (rows[above] @ (bad[above] - reach) - suppressible * (worst - reach)) / excess
            if not more > _REACHED:
                break
            reach += more
        return float(sign * max(reach - _REACHED, ideal))

    def _ideal(self, values: int) -> float:
        """The best that a convex statistic can be at all, less being better: where all values are equally
        frequent, or as frequent as in the reference."""
        return {Kind.ENTROPY: -log(values), Kind.SHARE: 1 / values}.get(self.kind, 0.0)

    @property
    def summed(self) -> bool:
        """True if it is a sum over an order or a tree, which can be equal for classes with different
        shares."""
        return self.kind in (Kind.ORDERED, Kind.TREE)

    def over_staying(self, margin: Margin, cells: Integers, sizes: Integers | None = None) -> float:
        """One number for the classes that stay."""
        totals = cells.sum(axis=0) if self.released else margin.totals
        return self.combined(self.of_classes(margin, cells, totals / max(totals.sum(), 1), sizes))

    def over_staying_classes(
        self, margin: Margin, class_of_tuple: Integers, stays: Mask, sizes: Integers
    ) -> float:
        """One number for the classes that stay, given the class of every tuple, which classes stay, and the
        sizes of all."""
        if margin.holders is not None:
            cells = margin.cells(class_of_tuple, len(stays))
            return self.over_staying(margin, cells[stays], sizes[stays])
        totals = margin.totals
        if self.released:
            staying = stays[class_of_tuple[margin.tuples]]
            totals = np.bincount(margin.values[staying], margin.counts[staying], len(margin.labels))
        reference = totals / max(totals.sum(), 1)
        values = self.of_every_class(margin, class_of_tuple, len(stays), reference, sizes)
        return self.combined(values[stays])

    def of_every_class(
        self, margin: Margin, class_of_tuple: Integers, classes: int, reference: Floats, sizes: Integers
    ) -> Floats:
        """The statistic of every class, given the class of every tuple and the sizes of all classes; some
        classes after the other."""
        if margin.holders is not None:
            return self.of_classes(margin, margin.cells(class_of_tuple, classes), reference, sizes)
        parts = margin.cells_in_parts(class_of_tuple, classes)
        return np.concatenate([self.of_classes(margin, cells, reference) for cells in parts])

    def combined(self, values: Floats) -> float:
        """One number from those of all classes that stay."""
        combine = COMBINED[self.kind]
        if combine is Combine.SUM:
            return float(values.sum())
        return float(values.min() if combine is Combine.LEAST else values.max())

    def of_classes(
        self, margin: Margin, cells: Integers, reference: Floats, sizes: Integers | None = None
    ) -> Floats:
        """The statistic of every class as it is compared: sums are rounded once, so that equal ones are equal
        numbers. What a measure is the exponential of, is rounded there. Bounds follow from statistics that
        are not rounded."""
        values = self.exact(margin, cells, reference, sizes)
        if self.kind in EXACT or self.reach or self.every:
            return values
        return np.log(rounded(np.exp(values))) if self.kind is Kind.ENTROPY else rounded(values)

    def exact(
        self, margin: Margin | None, cells: Integers, reference: Floats, sizes: Integers | None = None
    ) -> Floats:
        """The statistic of every class, sums not rounded. The tree is that of the margin; without one, all
        values are equally far apart. `sizes` are those of the classes where they are not the sums of cells: a
        person may have several values."""
        if self.kind is Kind.SHARE and sizes is not None:
            return np.asarray(cells.max(axis=1) / sizes, dtype=np.float64)
        shares: Floats = cells / cells.sum(axis=1, keepdims=True)
        if self.kind in _OF_COUNTS:
            return np.asarray(_OF_COUNTS[self.kind](cells), dtype=np.float64)
        if self.kind is Kind.RECURSIVE:
            return np.array([_recursive(row, self.parameter) for row in cells], dtype=np.float64)
        if self.kind is Kind.TREE:
            return _over_tree(margin, shares - reference)
        if self.kind is Kind.RATIO:
            return _ratio(shares, reference, lacking=np.inf if self.parameter else 0.0)
        return np.asarray(_OF_SHARES[self.kind](shares, reference), dtype=np.float64)


_OF_COUNTS: Mapping[Kind, Callable[[Integers], Any]] = {
    Kind.SHARE: lambda cells: cells.max(axis=1) / cells.sum(axis=1),
    Kind.DISTINCT: lambda cells: (cells > 0).sum(axis=1),
    Kind.MAJORITY: lambda cells: cells.max(axis=1),
    Kind.PAIRS: lambda cells: (cells * cells).sum(axis=1),
}


def _ordered(shares: Floats, reference: Floats) -> Floats:
    steps = np.abs(np.cumsum(shares - reference, axis=1))[:, :-1]
    return np.asarray(steps.sum(axis=1) / max(shares.shape[1] - 1, 1))


def _divergence(shares: Floats, reference: Floats) -> Floats:
    middle = _positive((shares + reference) / 2)
    whole = np.broadcast_to(reference, shares.shape)
    halves = _x_log(shares, shares / middle) + _x_log(whole, whole / middle)
    return np.asarray(np.maximum(halves.sum(axis=1) / 2, 0.0))


def _ratio(shares: Floats, reference: Floats, lacking: float) -> Floats:
    """The largest |ln(p/q)|; `lacking` is that of a value which the class lacks."""
    ratios = np.abs(np.log(np.where(reference > 0, _positive(shares / _positive(reference)), 1.0)))
    return np.asarray(np.where((shares == 0) & (reference > 0), lacking, ratios).max(axis=1))


def _likeness(shares: Floats, reference: Floats) -> Floats:
    # A value that the reference lacks is infinitely more frequent; one that both lack adds nothing.
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.where(shares > 0, (shares - reference) / reference, 0.0)
    return np.asarray(np.maximum(gains.max(axis=1), 0.0))


_OF_SHARES: Mapping[Kind, Callable[[Floats, Floats], Any]] = {
    Kind.ENTROPY: lambda shares, reference: -_x_log(shares, shares).sum(axis=1),
    Kind.VARIATION: lambda shares, reference: np.abs(shares - reference).sum(axis=1) / 2,
    Kind.ORDERED: _ordered,
    Kind.DIVERGENCE: _divergence,
    Kind.LIKENESS: _likeness,
}


def _positive(values: Floats) -> Floats:
    return np.where(values > 0, values, 1.0)


def _x_log(factor: Floats, inside: Floats) -> Floats:
    """factor · ln(inside), 0 where the factor is 0."""
    result: Floats = factor * np.log(np.where(factor > 0, inside, 1.0))
    return result


def _recursive(counts: Integers, constant: float) -> int:
    falling = np.sort(counts[counts > 0])[::-1]
    reached = [i + 1 for i in range(len(falling)) if falling[0] < constant * falling[i:].sum()]
    return max(reached, default=0)


def _over_tree(margin: Margin | None, difference: Floats) -> Floats:
    """Half of what must leave each set of each level below the top, over the height."""
    if margin is None or margin.tree is None or margin.tree.height == 0:
        result: Floats = np.abs(difference).sum(axis=1) / 2
        return result
    total = np.zeros(len(difference))
    for level in margin.tree.levels[: margin.tree.height]:
        moved = np.zeros((len(difference), len(level.labels)))
        np.add.at(moved.T, level.groups, difference.T)
        total += np.abs(moved).sum(axis=1)
    return total / (2 * margin.tree.height)


def requests_for(margins: Sequence[Margin], statistics: Sequence[Statistic]) -> Requests:
    """Statistics in the form that the compiled code takes: the values of all columns side by side, the levels
    of all trees one after another."""
    names = [margin.name for margin in margins]
    widths = [len(margin.labels) for margin in margins]
    starts = starts_of(widths)
    places = [names.index(statistic.column) for statistic in statistics]
    trees = [_tree_groups(margin) for margin in margins]
    tree_starts = starts_of([tree.size for tree in trees])
    totals = np.concatenate([np.empty(0, dtype=np.int64), *(margin.totals for margin in margins)])
    shares = np.concatenate([np.empty(0), *(margin.shares for margin in margins)])
    wholes = [max(int(margin.totals.sum()), 1) for margin in margins]
    return Requests.made(
        persons=int(any(margin.holders is not None for margin in margins)),
        kinds=np.array([statistic.kind for statistic in statistics], dtype=np.int64),
        combines=np.array([statistic.combine for statistic in statistics], dtype=np.int64),
        starts=np.array([starts[p] for p in places], dtype=np.int64),
        widths=np.array([widths[p] for p in places], dtype=np.int64),
        released=np.array([statistic.released for statistic in statistics], dtype=np.int64),
        tree_starts=np.array([tree_starts[p] for p in places], dtype=np.int64),
        tree_levels=np.array([len(trees[p]) for p in places], dtype=np.int64),
        wholes=np.array([wholes[p] for p in places], dtype=np.int64),
        totals=totals,
        tree=np.concatenate([np.empty(0, dtype=np.int64), *(tree.ravel() for tree in trees)]),
        parameters=np.array([statistic.parameter for statistic in statistics], dtype=np.float64),
        shares=shares,
    )


def _tree_groups(margin: Margin) -> Integers:
    """The groups of every level below the top, one row each; without a tree only the values themselves."""
    values = np.arange(len(margin.labels), dtype=np.int64)[None, :]
    if margin.tree is None or margin.tree.height == 0:
        return values
    levels = [level.groups.astype(np.int64) for level in margin.tree.levels[: margin.tree.height]]
    return np.stack(levels)
