"""The statistics of classes in plain numpy: the obvious way, for many classes at once.

`cells` holds the counts of a column's values, one row for a class; `reference` the shares that they are
compared with, the same for all classes or one row for each. Twin: `kernels/statistics.c`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from paretonym.arrays import Floats, Integers
from paretonym.counts.class_statistics import COMBINED, Combine, Kind, Link, Statistic
from paretonym.counts.cube import Margin

DECIMALS = 12
EXACT = (Kind.SHARE, Kind.DISTINCT, Kind.RECURSIVE, Kind.MAJORITY, Kind.PAIRS)


def over_staying(statistic: Statistic, margin: Margin, cells: Integers) -> float:
    """A statistic combined over classes that stay."""
    totals = cells.sum(axis=0) if statistic.released else margin.totals
    return combined(statistic, class_values(statistic, margin, cells, totals / max(totals.sum(), 1)))


def combined(statistic: Statistic, values: Floats) -> float:
    """One number from those of all classes that stay."""
    combine = COMBINED[statistic.kind]
    if combine is Combine.SUM:
        return float(values.sum())
    return float(values.min() if combine is Combine.LEAST else values.max())


def input_shares(margin: Margin) -> Floats:
    """The input's distribution of a column."""
    return np.asarray(margin.totals / max(margin.totals.sum(), 1))


def linked(link: Link, values: Floats) -> Floats:
    """The values of a measure, given a statistic of each class."""
    if link is Link.RECIPROCAL:
        return np.asarray(1.0 / values)
    return np.exp(values) if link is Link.EXPONENTIAL else values


def class_values(statistic: Statistic, margin: Margin, cells: Integers, reference: Floats) -> Floats:
    """A statistic of every class; sums are rounded, so that equal ones are equal numbers."""
    values = exact_values(statistic, margin, cells, reference)
    return values if statistic.kind in EXACT else np.round(values, DECIMALS)


def exact_values(statistic: Statistic, margin: Margin | None, cells: Integers, reference: Floats) -> Floats:
    """A statistic of every class, sums as they come out. A tree is the margin's; without one all values are
    equally far apart."""
    shares: Floats = cells / cells.sum(axis=1, keepdims=True)
    if statistic.kind in _OF_COUNTS:
        return np.asarray(_OF_COUNTS[statistic.kind](cells), dtype=np.float64)
    if statistic.kind is Kind.RECURSIVE:
        return np.array([_recursive(row, statistic.parameter) for row in cells], dtype=np.float64)
    if statistic.kind is Kind.TREE:
        return _over_tree(margin, shares - reference)
    return np.asarray(_OF_SHARES[statistic.kind](shares, reference), dtype=np.float64)


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


def _ratio(shares: Floats, reference: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        ratios = np.abs(np.log(np.where(reference > 0, shares / _positive(reference), 1.0)))
    return np.asarray(ratios.max(axis=1))


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
    Kind.RATIO: _ratio,
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
