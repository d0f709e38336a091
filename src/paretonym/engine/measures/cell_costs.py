"""Cell costs: what it costs to show a set instead of a value, for any set of every column.

Costs of a row are sums over its cells, costs of a release are sums over its rows: so the cost of a node with
nothing suppressed follows from the column totals alone, and only suppressed classes need a closer look.

A cell costs a whole number of small units, so that sums are the same in any order and with any number of
threads. A cost is divided once, and rounded, when it becomes the value of a measure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.engine.counts import Axis, Cube
from paretonym.engine.recoding import Atoms, Classes, ShownSets

# What all rows cost stays below this, so that no sum overflows.
_MOST = 1 << 61


@dataclass(frozen=True, eq=False)
class StayingCost:
    """The cost of the rows that stay, in units. A suppressed row costs `most`, and `whole` is the highest
    cost that all rows can have. `base`, the cost of showing everything, is subtracted."""

    staying: Integers
    most: int
    whole: int
    base: int = 0

    def of_the_others(self, totals: Integers) -> StayingCost:
        """The cost of all other rows, given what all rows cost."""
        return replace(self, staying=totals - self.staying)

    def share(self) -> Floats:
        """The cost of the rows that stay, as a share of the highest possible cost."""
        return np.asarray(self.staying / self.whole)

    def share_with(self, suppressed: Integers) -> Floats:
        """The cost with this many further rows suppressed."""
        return np.asarray((self.staying + self.most * suppressed - self.base) / self.whole)


@dataclass(frozen=True, eq=False)
class CostRule:
    """Cost of one row in each set that an axis shows, in units, given the axis and the sets.

    A suppressed row costs `most`, all rows together at most `whole`, and `base` is subtracted from the sum
    over all rows. A rule about levels (`by_level`) does not apply to sets that are not levels.
    """

    unit: Callable[[Axis, ShownSets], Integers]
    most: int
    whole: int
    base: int = 0
    by_level: bool = False

    @classmethod
    def named(cls, name: str, cube: Cube) -> CostRule:
        """The rule by which a cube's cells cost, by the name that cards call it."""
        return RULES[name](cube)

    def of_classes(self, cube: Cube, classes: Classes) -> Integers:
        """Cost of one row of each class: classes, then quasi-identifiers."""
        columns = [
            self.unit(axis, sets)[classes.shown[:, j]]
            for j, (axis, sets) in enumerate(zip(cube.axes, classes.sets, strict=True))
        ]
        return np.stack(columns, axis=1)

    def of_staying(self, cube: Cube, classes: Classes, stays: Mask) -> int:
        """Cost of the rows of the classes that stay."""
        per_row = self.of_classes(cube, classes).sum(axis=1)
        return int((per_row * classes.rows)[stays].sum())

    def staying_cost(self, staying: Integers) -> StayingCost:
        """Cost of the rows that stay, one number for a candidate."""
        return StayingCost(staying, self.most, self.whole, self.base)


@dataclass(frozen=True, eq=False)
class CellCosts:
    """A rule spelled out for a lattice: `units[j][l]` holds what one row costs in each group of axis j at its
    l-th usable level, `totals[j][l]` sums over all rows; `rule` has the rest."""

    units: tuple[tuple[Integers, ...], ...]
    totals: tuple[Integers, ...]
    rule: CostRule

    @classmethod
    def of(cls, name: str, cube: Cube) -> CellCosts:
        """Costs of every level of every axis that a search may use, by their name in cards."""
        return cube.once(("costs", name), lambda: _lattice_costs(CostRule.named(name, cube), cube))

    def node_totals(self, level_table: Integers) -> Integers:
        """The cost of all rows at each node, given levels above the lowest, one row for a node."""
        return self._over_axes(self.totals, level_table)

    def dearest_rows(self, level_table: Integers) -> Integers:
        """The most that one row of each node costs."""
        return self._over_axes(self._dearest, level_table)

    def _over_axes(self, tables: tuple[Integers, ...], level_table: Integers) -> Integers:
        costs = np.zeros(len(level_table), dtype=np.int64)
        for j, table in enumerate(tables):
            costs += table[level_table[:, j]]
        return costs

    @cached_property
    def _dearest(self) -> tuple[Integers, ...]:
        """The most that one row costs at each level of each axis."""
        return tuple(np.array([level.max() for level in levels], dtype=np.int64) for levels in self.units)


def generalization_rule(cube: Cube) -> CostRule:
    """The general loss metric: (size of the shown set − 1) / (D − 1) for each cell, weighted by importance.

    The unit is a common denominator where sums of it do not overflow, otherwise a power of two.
    """
    weights = [axis.importance for axis in cube.axes]
    scale = math.lcm(*(_denominator(axis) for axis in cube.axes))
    if sum(weights) * scale * cube.rows >= _MOST:
        scale = _power(float(sum(weights)) * cube.rows)

    def unit(axis: Axis, sets: ShownSets) -> Integers:
        domain = sets.domain or axis.hierarchy.domain
        weight = axis.importance * scale / (domain - 1) if domain > 1 else Fraction(0)
        return _for_each(sets.sizes, lambda size: round((size - 1) * weight))

    most = sum(round(weight * scale) for weight in weights)
    return CostRule(unit, most, most * cube.rows)


def _power(largest: float) -> int:
    """The largest power of two by which a number may be multiplied; 1 if there is none."""
    return 1 << max(math.floor(math.log2(_MOST / max(largest, 1.0))) - 1, 0)


def _denominator(axis: Axis) -> int:
    """Common denominator of the costs of an axis; granules count values in another way."""
    domains = [axis.hierarchy.domain]
    if axis.cutting.granules is not None:
        domains.append(Atoms.of(axis).domain)
    return math.lcm(*((axis.importance / max(domain - 1, 1)).denominator for domain in domains))


def precision_rule(cube: Cube) -> CostRule:
    """Level / height for each cell, as whole numbers over a common denominator. A column of one value costs
    nothing, at whatever level."""
    scale = math.lcm(*(max(axis.hierarchy.height, 1) for axis in cube.axes))

    def unit(axis: Axis, sets: ShownSets) -> Integers:
        height = axis.hierarchy.height if axis.hierarchy.domain > 1 else 0
        step = (sets.level or 0) * scale // height if height else 0
        return np.full(len(sets.labels), step, dtype=np.int64)

    most = scale * len(cube.axes)
    return CostRule(unit, most, most * cube.rows, by_level=True)


def entropy_rule(cube: Cube) -> CostRule:
    """ln(f(shown set) / N) / H for each cell, f the count in the input and H the entropy of the column; the
    cost of the unchanged values is the base. So a cell that shows everything, or is suppressed, costs
    nothing, and all others less than that. A column of one value costs nothing."""
    scale = _power(float(len(cube.axes)) * cube.rows)
    entropies = {axis.name: _entropy(axis.leaf_rows, cube.rows) for axis in cube.axes}

    def of_rows(axis: Axis, numbers: Integers) -> Integers:
        entropy = entropies[axis.name]
        if entropy == 0:
            return np.zeros(len(numbers), dtype=np.int64)
        return _for_each(numbers, lambda f: round(math.log(f / cube.rows) / entropy * scale) if f else 0)

    def unit(axis: Axis, sets: ShownSets) -> Integers:
        # A set of all values holds all rows, even if it replaces values outside the hierarchy.
        whole = sets.sizes == (sets.domain or axis.hierarchy.domain)
        return of_rows(axis, np.where(whole, cube.rows, sets.rows(axis)))

    base = sum(int(of_rows(axis, axis.leaf_rows) @ axis.leaf_rows) for axis in cube.axes)
    return CostRule(unit, 0, len(cube.axes) * cube.rows * scale, base)


def _entropy(counts: Integers, rows: int) -> float:
    """The entropy of a column, given how often each of its values occurs."""
    return math.fsum(f / rows * math.log(rows / f) for f in counts.tolist() if f)


def _for_each(numbers: Integers, cost: Callable[[int], int]) -> Integers:
    """A cost that depends on one number, computed once for each number that occurs."""
    distinct, places = np.unique(numbers, return_inverse=True)
    costs = np.array([cost(number) for number in distinct.tolist()], dtype=np.int64)
    return np.asarray(costs[places.ravel()])


def _lattice_costs(rule: CostRule, cube: Cube) -> CellCosts:
    """A rule spelled out for every level of every axis that a search may use."""
    units = tuple(
        tuple(rule.unit(axis, ShownSets.of_level(axis, level)) for level in _levels(axis))
        for axis in cube.axes
    )
    totals = tuple(
        np.array([unit @ axis.rows(level) for level, unit in zip(_levels(axis), levels, strict=True)])
        for axis, levels in zip(cube.axes, units, strict=True)
    )
    return CellCosts(units, totals, rule)


def _levels(axis: Axis) -> range:
    return range(axis.lowest, axis.highest + 1)


RULES: Mapping[str, Callable[[Cube], CostRule]] = {
    "generalization": generalization_rule,
    "precision": precision_rule,
    "entropy": entropy_rule,
}
