"""The statistics of classes in plain numpy: the obvious way, for all classes of a node at once.

`cells` holds the counts of a column's values, one row for a class.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.cube import Margin
from paretonym.cube.requests import COMBINED, Combine, Kind, Statistic

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

DECIMALS = 12
EXACT = (Kind.SHARE, Kind.DISTINCT, Kind.RECURSIVE, Kind.MAJORITY, Kind.PAIRS)


def over_staying(statistic: Statistic, margin: Margin, cells: Integers) -> float:
    """A statistic combined over classes that stay."""
    totals = cells.sum(axis=0) if statistic.released else margin.totals
    values = class_values(statistic, margin, cells, totals / max(totals.sum(), 1))
    combine = COMBINED[statistic.kind]
    if combine is Combine.SUM:
        return float(values.sum())
    return float(values.min() if combine is Combine.LEAST else values.max())


def class_values(statistic: Statistic, margin: Margin, cells: Integers, reference: Floats) -> Floats:
    """A statistic of every class; sums are rounded, so that equal ones are equal numbers."""
    values = _values(statistic, margin, cells, reference).astype(np.float64)
    return values if statistic.kind in EXACT else np.round(values, DECIMALS)


def _values(
    statistic: Statistic, margin: Margin, cells: Integers, reference: Floats
) -> npt.NDArray[np.generic]:
    shares = cells / cells.sum(axis=1, keepdims=True)
    match statistic.kind:
        case Kind.SHARE:
            return shares.max(axis=1)
        case Kind.DISTINCT:
            return (cells > 0).sum(axis=1)
        case Kind.ENTROPY:
            return -_x_log(shares, shares).sum(axis=1)
        case Kind.RECURSIVE:
            return np.array([_recursive(row, statistic.parameter) for row in cells])
        case Kind.VARIATION:
            return np.abs(shares - reference).sum(axis=1) / 2
        case Kind.ORDERED:
            steps = np.abs(np.cumsum(shares - reference, axis=1))[:, :-1]
            return steps.sum(axis=1) / max(cells.shape[1] - 1, 1)
        case Kind.TREE:
            return _over_tree(margin, shares - reference)
        case Kind.DIVERGENCE:
            middle = (shares + reference) / 2
            halves = _x_log(shares, shares / _positive(middle)) + _x_log(
                np.broadcast_to(reference, shares.shape), reference / _positive(middle)
            )
            return np.maximum(halves.sum(axis=1) / 2, 0.0)
        case Kind.RATIO:
            with np.errstate(divide="ignore"):
                return np.abs(np.log(shares[:, reference > 0] / reference[reference > 0])).max(axis=1)
        case Kind.MAJORITY:
            return cells.max(axis=1)
        case Kind.PAIRS:
            return (cells * cells).sum(axis=1)


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


def _over_tree(margin: Margin, difference: Floats) -> Floats:
    """Half of what must leave each set of each level below the top, over the height."""
    if margin.tree is None or margin.tree.height == 0:
        result: Floats = np.abs(difference).sum(axis=1) / 2
        return result
    total = np.zeros(len(difference))
    for level in margin.tree.levels[: margin.tree.height]:
        moved = np.zeros((len(difference), len(level.labels)))
        np.add.at(moved.T, level.groups, difference.T)
        total += np.abs(moved).sum(axis=1)
    return total / (2 * margin.tree.height)
