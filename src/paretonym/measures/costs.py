"""Cell costs: what it costs to show a set instead of a value, for every level and group of every column.

Costs of a row are sums over its cells, costs of a release are sums over its rows: so the cost of a node with
nothing suppressed follows from the column totals alone, and only suppressed classes have to be looked at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.cube import Axis, Cube

Floats: TypeAlias = npt.NDArray[np.float64]

# Whole numbers up to here are exact in a float, so sums of them are exact in any order.
EXACT = 2**53


@dataclass(frozen=True, eq=False)
class CellCosts:
    """`units[j][l]` holds what one row costs in each group of axis j at its l-th usable level.

    All are numerators over `whole`; a suppressed row costs `most`, and `base` is taken off the sum over all
    rows. `totals[j][l]` sums over all rows.
    """

    units: tuple[tuple[Floats, ...], ...]
    totals: tuple[Floats, ...]
    most: float
    whole: float
    base: float = 0.0

    def node_totals(self, level_table: npt.NDArray[np.int64]) -> Floats:
        """The cost of all rows at each node, given levels above the lowest, one row for a node."""
        result = np.zeros(len(level_table))
        for j, totals in enumerate(self.totals):
            result += totals[level_table[:, j]]
        return result


def generalization_costs(cube: Cube) -> CellCosts:
    """The general loss metric: (size of the shown set − 1) / (D − 1) for each cell, weighted by importance.

    Numerators are whole over a common denominator wherever their sum over the table stays exact.
    """
    weights = [axis.importance / max(axis.hierarchy.domain - 1, 1) for axis in cube.axes]
    most = sum((axis.importance for axis in cube.axes), Fraction(0))
    unit = math.lcm(*(weight.denominator for weight in weights), most.denominator)
    if most * unit * cube.rows >= EXACT:
        unit = 1
    units = tuple(
        tuple(_generalization(axis, level, weight * unit) for level in _levels(axis))
        for axis, weight in zip(cube.axes, weights, strict=True)
    )
    return CellCosts(units, _totals(cube, units), float(most * unit), float(most * unit * cube.rows))


def precision_costs(cube: Cube) -> CellCosts:
    """Level / height for each cell, as whole numbers over a common denominator."""
    unit = math.lcm(*(max(axis.hierarchy.height, 1) for axis in cube.axes))
    units = tuple(
        tuple(np.full(axis.groups(level), float(_step(axis, level, unit))) for level in _levels(axis))
        for axis in cube.axes
    )
    most = float(unit * len(cube.axes))
    return CellCosts(units, _totals(cube, units), most, most * cube.rows)


def _step(axis: Axis, level: int, unit: int) -> int:
    return level * unit // axis.hierarchy.height if axis.hierarchy.height else 0


def entropy_costs(cube: Cube) -> CellCosts:
    """ln f(shown set) / H for each cell, f the count in the input and H the entropy of the column; what the
    values as they are would cost is the base. A column of one value costs nothing."""
    entropies = [_entropy(axis.leaf_rows, cube.rows) for axis in cube.axes]
    units = tuple(
        tuple(_surprise(axis, level, cube.rows, entropy) for level in _levels(axis))
        for axis, entropy in zip(cube.axes, entropies, strict=True)
    )
    most = sum(math.log(cube.rows) / entropy for entropy in entropies if entropy)
    base = sum(
        float(axis.leaf_rows @ _logarithm(axis.leaf_rows)) / entropy
        for axis, entropy in zip(cube.axes, entropies, strict=True)
        if entropy
    )
    return CellCosts(units, _totals(cube, units), most, float(len(cube.axes) * cube.rows), base)


def _surprise(axis: Axis, level: int, rows: int, entropy: float) -> Floats:
    if not entropy:
        return np.zeros(axis.groups(level))
    # A set of all values holds all rows, also where it stands in for values without a place of their own.
    everything = axis.hierarchy.levels[level].sizes == axis.hierarchy.domain
    counts = np.where(everything, rows, axis.rows(level))
    result: Floats = _logarithm(counts) / entropy
    return result


def _entropy(counts: npt.NDArray[np.int64], rows: int) -> float:
    return math.log(rows) - float(counts @ _logarithm(counts)) / rows if (counts > 0).sum() > 1 else 0.0


def _logarithm(counts: npt.NDArray[np.int64]) -> Floats:
    return np.log(np.maximum(counts, 1).astype(np.float64))


def _generalization(axis: Axis, level: int, weight: Fraction) -> Floats:
    extra = (axis.hierarchy.levels[level].sizes - 1).astype(np.float64)
    if axis.hierarchy.domain == 1:
        return np.zeros_like(extra)
    return extra * weight.numerator / weight.denominator


def _levels(axis: Axis) -> range:
    return range(axis.lowest, axis.highest + 1)


def _totals(cube: Cube, units: tuple[tuple[Floats, ...], ...]) -> tuple[Floats, ...]:
    return tuple(
        np.array([float(unit @ axis.rows(level)) for level, unit in zip(_levels(axis), row, strict=True)])
        for axis, row in zip(cube.axes, units, strict=True)
    )


COSTS: Mapping[str, Callable[[Cube], CellCosts]] = {
    "generalization": generalization_costs,
    "precision": precision_costs,
    "entropy": entropy_costs,
}
