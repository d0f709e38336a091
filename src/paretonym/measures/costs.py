"""Cell costs: what it costs to show a set instead of a value, for any set of every column.

Costs of a row are sums over its cells, costs of a release are sums over its rows: so the cost of a node with
nothing suppressed follows from the column totals alone, and only suppressed classes have to be looked at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.cube import Axis, Cube
from paretonym.recoding.classes import ShownSets, level_sets

Floats: TypeAlias = npt.NDArray[np.float64]

# Whole numbers up to here are exact in a float, so sums of them are exact in any order.
EXACT = 2**53


@dataclass(frozen=True, eq=False)
class CostRule:
    """What one row costs in each set that an axis shows, given the axis and the sets.

    All are numerators over `whole`; a suppressed row costs `most`, and `base` is taken off the sum over all
    rows. A rule that is about levels (`by_level`) says nothing of sets that are none.
    """

    unit: Callable[[Axis, ShownSets], Floats]
    most: float
    whole: float
    base: float = 0.0
    by_level: bool = False


@dataclass(frozen=True, eq=False)
class CellCosts:
    """A rule spelled out for a lattice: `units[j][l]` holds what one row costs in each group of axis j at its
    l-th usable level, `totals[j][l]` sums over all rows; the rest as in the rule."""

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

    @cached_property
    def dearest(self) -> tuple[Floats, ...]:
        """What one row costs at most at each level of each axis."""
        return tuple(np.array([level.max() for level in levels]) for levels in self.units)


def generalization_rule(cube: Cube) -> CostRule:
    """The general loss metric: (size of the shown set − 1) / (D − 1) for each cell, weighted by importance.

    Numerators are whole over a common denominator wherever their sum over the table stays exact.
    """
    weights = {axis.name: axis.importance / max(axis.hierarchy.domain - 1, 1) for axis in cube.axes}
    most = sum((axis.importance for axis in cube.axes), Fraction(0))
    scale = math.lcm(*(weight.denominator for weight in weights.values()), most.denominator)
    if most * scale * cube.rows >= EXACT:
        scale = 1

    def unit(axis: Axis, sets: ShownSets) -> Floats:
        extra = (sets.sizes - 1).astype(np.float64)
        weight = weights[axis.name] * scale
        domain = sets.domain or axis.hierarchy.domain
        if domain == 1:
            return np.zeros_like(extra)
        if domain != axis.hierarchy.domain:
            weight = axis.importance * scale / (domain - 1)
        return extra * weight.numerator / weight.denominator

    return CostRule(unit, float(most * scale), float(most * scale * cube.rows))


def precision_rule(cube: Cube) -> CostRule:
    """Level / height for each cell, as whole numbers over a common denominator."""
    scale = math.lcm(*(max(axis.hierarchy.height, 1) for axis in cube.axes))

    def unit(axis: Axis, sets: ShownSets) -> Floats:
        step = (sets.level or 0) * scale // axis.hierarchy.height if axis.hierarchy.height else 0
        return np.full(len(sets.labels), float(step))

    most = float(scale * len(cube.axes))
    return CostRule(unit, most, most * cube.rows, by_level=True)


def entropy_rule(cube: Cube) -> CostRule:
    """ln f(shown set) / H for each cell, f the count in the input and H the entropy of the column; what the
    values as they are would cost is the base. A column of one value costs nothing."""
    entropies = {axis.name: _entropy(axis.leaf_rows, cube.rows) for axis in cube.axes}

    def unit(axis: Axis, sets: ShownSets) -> Floats:
        if not entropies[axis.name]:
            return np.zeros(len(sets.labels))
        # A set of all values holds all rows, also where it stands in for values without a place of their own.
        whole = sets.sizes == (sets.domain or axis.hierarchy.domain)
        counts = np.where(whole, cube.rows, sets.rows(axis))
        result: Floats = _logarithm(counts) / entropies[axis.name]
        return result

    most = sum(math.log(cube.rows) / entropy for entropy in entropies.values() if entropy)
    base = sum(
        float(axis.leaf_rows @ _logarithm(axis.leaf_rows)) / entropies[axis.name]
        for axis in cube.axes
        if entropies[axis.name]
    )
    return CostRule(unit, most, float(len(cube.axes) * cube.rows), base)


def _entropy(counts: npt.NDArray[np.int64], rows: int) -> float:
    return math.log(rows) - float(counts @ _logarithm(counts)) / rows if (counts > 0).sum() > 1 else 0.0


def _logarithm(counts: npt.NDArray[np.int64]) -> Floats:
    return np.log(np.maximum(counts, 1).astype(np.float64))


def lattice_costs(rule: CostRule, cube: Cube) -> CellCosts:
    """A rule spelled out for every level of every axis that a search may use."""
    units = tuple(
        tuple(rule.unit(axis, level_sets(axis, level)) for level in _levels(axis)) for axis in cube.axes
    )
    totals = tuple(
        np.array([float(unit @ axis.rows(level)) for level, unit in zip(_levels(axis), row, strict=True)])
        for axis, row in zip(cube.axes, units, strict=True)
    )
    return CellCosts(units, totals, rule.most, rule.whole, rule.base)


def _levels(axis: Axis) -> range:
    return range(axis.lowest, axis.highest + 1)


RULES: Mapping[str, Callable[[Cube], CostRule]] = {
    "generalization": generalization_rule,
    "precision": precision_rule,
    "entropy": entropy_rule,
}
