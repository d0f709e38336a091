"""Cell costs: what it costs to show a set instead of a value, for every level and group of every column.

Costs of a row are sums over its cells, costs of a release are sums over its rows: so the cost of a node with
nothing suppressed follows from the column totals alone, and only suppressed classes have to be looked at.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
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

    All are numerators: divided by `unit` they are the cost itself, and a row that costs all it can costs
    `most / unit`. `totals[j][l]` sums over all rows.
    """

    units: tuple[tuple[Floats, ...], ...]
    totals: tuple[Floats, ...]
    most: float
    unit: float

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
    return CellCosts(units, _totals(cube, units), float(most * unit), float(unit))


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


COSTS: Mapping[str, object] = {"generalization": generalization_costs}
