"""Cell costs: what it costs to show a set instead of a value, for any set of every column.

Costs of a row are sums over its cells, costs of a release are sums over its rows: so the cost of a node with
nothing suppressed follows from the column totals alone, and only suppressed classes need a closer look.

All costs are whole numbers over one denominator, so equal losses are equal numbers, whatever the order of
summation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from paretonym.arrays import Floats, Integers, Mask
from paretonym.counts import Axis, Cube
from paretonym.measures.logarithms import information_units
from paretonym.measures.whole_number_costs import Numerators, Radix, radix_for
from paretonym.recoding import Atoms, Classes, ShownSets


@dataclass(frozen=True, eq=False)
class StayingCost:
    """The cost of the rows that stay, as numerators. A suppressed row costs `most`, and `whole` is the
    highest cost that all rows can have. `base`, the cost of showing everything, is subtracted."""

    staying: Numerators
    most: Numerators
    whole: float
    base: Numerators

    @classmethod
    def of(cls, staying: int, most: int, whole: int) -> StayingCost:
        """A cost from plain numbers, for trying measures out."""
        one = [Numerators.of([number], Radix()) for number in (staying, most, 0)]
        return cls(one[0], one[1], float(whole), one[2])

    def of_the_others(self, totals: Floats) -> StayingCost:
        """The cost of all other rows, given the digits of what all cost."""
        return replace(self, staying=Numerators(totals, self.staying.radix) - self.staying)

    def share(self) -> Floats:
        """The cost of the rows that stay, as a share of the highest possible cost."""
        return self.staying.over(self.whole)

    def share_with(self, suppressed: Integers) -> Floats:
        """The cost with this many further rows suppressed."""
        return (self.staying + self.most.times(suppressed) - self.base).over(self.whole)


@dataclass(frozen=True, eq=False)
class CostRule:
    """What one row costs in each set that an axis shows, given the axis and the sets: digits of numerators,
    one row for a digit.

    All are numerators over `whole`, written in `radix`; a suppressed row costs `most`, and `base` is
    subtracted from the sum over all rows. A rule about levels (`by_level`) does not apply to sets that are
    not levels.
    """

    unit: Callable[[Axis, ShownSets], Floats]
    most: Numerators
    whole: float
    base: Numerators
    by_level: bool = False

    @classmethod
    def named(cls, name: str, cube: Cube) -> CostRule:
        """The rule by which a cube's cells cost, by the name that cards call it."""
        return RULES[name](cube)

    @property
    def radix(self) -> Radix:
        return self.most.radix

    def of_classes(self, cube: Cube, classes: Classes) -> Floats:
        """What one row of each class costs: digits, then classes, then quasi-identifiers."""
        columns = [
            self.unit(axis, sets)[:, classes.shown[:, j]]
            for j, (axis, sets) in enumerate(zip(cube.axes, classes.sets, strict=True))
        ]
        return np.stack(columns, axis=2)

    def of_staying(self, cube: Cube, classes: Classes, stays: Mask) -> Floats:
        """What the rows of the classes that stay cost, in digits."""
        each = self.of_classes(cube, classes).sum(axis=2)
        result: Floats = (each * classes.rows)[:, stays].sum(axis=1)
        return result

    def staying_cost(self, digits: Floats) -> StayingCost:
        """What the rows that stay cost, given the digits of it, one column for a candidate."""
        return StayingCost(Numerators(digits, self.radix), self.most, self.whole, self.base)


@dataclass(frozen=True, eq=False)
class CellCosts:
    """A rule spelled out for a lattice: `units[d][j][l]` holds the d-th digit of what one row costs in each
    group of axis j at its l-th usable level, `totals[j][d, l]` sums over all rows; `rule` has the rest."""

    units: tuple[tuple[tuple[Floats, ...], ...], ...]
    totals: tuple[Floats, ...]
    rule: CostRule

    @classmethod
    def of(cls, name: str, cube: Cube) -> CellCosts:
        """What every level of every axis that a search may use costs, by the name that cards call it."""
        return cube.once(("costs", name), lambda: _lattice_costs(CostRule.named(name, cube), cube))

    def node_totals(self, level_table: Integers) -> Numerators:
        """The cost of all rows at each node, given levels above the lowest, one row for a node."""
        return self._over_axes(self.totals, level_table)

    def dearest_rows(self, level_table: Integers) -> Numerators:
        """What one row of each node costs at most."""
        return self._over_axes(self._dearest, level_table)

    def _over_axes(self, tables: tuple[Floats, ...], level_table: Integers) -> Numerators:
        digits = np.zeros((len(self.units), len(level_table)))
        for j, table in enumerate(tables):
            digits += table[:, level_table[:, j]]
        return Numerators(digits, self.rule.radix)

    @cached_property
    def _dearest(self) -> tuple[Floats, ...]:
        """What one row costs at most at each level of each axis."""
        axes = range(len(self.totals))
        return tuple(
            np.stack([_largest(np.stack(level)) for level in zip(*(d[j] for d in self.units), strict=True)]).T
            for j in axes
        )


def _largest(digits: Floats) -> Floats:
    """The largest of some numbers, given their digits."""
    result: Floats = digits[:, np.lexsort(digits[::-1])[-1]]
    return result


def generalization_rule(cube: Cube) -> CostRule:
    """The general loss metric: (size of the shown set − 1) / (D − 1) for each cell, weighted by importance.

    Numerators are whole over a common denominator. Where even three digits do not hold that, the numerators
    of a cell are rounded, to more than 12 digits.
    """
    most = sum((axis.importance for axis in cube.axes), Fraction(0))
    cells = cube.rows * len(cube.axes)
    scale = math.lcm(most.denominator, *(_denominator(axis) for axis in cube.axes))
    radix = radix_for(int(most * scale) * cube.rows, cells)
    if radix is None:
        radix = Radix.of(3, cells)
        free = radix.capacity // (most.numerator * cube.rows)
        scale = most.denominator << (free.bit_length() - 2)

    def unit(axis: Axis, sets: ShownSets) -> Floats:
        domain = sets.domain or axis.hierarchy.domain
        weight = axis.importance * scale / (domain - 1) if domain > 1 else Fraction(0)
        return _for_each(sets.sizes, lambda size: round((size - 1) * weight), radix)

    return CostRule(
        unit,
        Numerators.of([int(most * scale)], radix),
        float(most * scale * cube.rows),
        Numerators.of([0], radix),
    )


def _denominator(axis: Axis) -> int:
    """What the costs of an axis are whole over; granules count values in another way."""
    domains = [axis.hierarchy.domain]
    if axis.cutting.granules is not None:
        domains.append(Atoms.of(axis).domain)
    return math.lcm(*((axis.importance / max(domain - 1, 1)).denominator for domain in domains))


def precision_rule(cube: Cube) -> CostRule:
    """Level / height for each cell, as whole numbers over a common denominator. A column of one value costs
    nothing, at whatever level."""
    scale = math.lcm(*(max(axis.hierarchy.height, 1) for axis in cube.axes))
    radix = Radix()

    def unit(axis: Axis, sets: ShownSets) -> Floats:
        height = axis.hierarchy.height if axis.hierarchy.domain > 1 else 0
        step = (sets.level or 0) * scale // height if height else 0
        return np.full((1, len(sets.labels)), float(step))

    most = scale * len(cube.axes)
    zero = Numerators.of([0], radix)
    return CostRule(unit, Numerators.of([most], radix), float(most * cube.rows), zero, by_level=True)


def entropy_rule(cube: Cube) -> CostRule:
    """ln f(shown set) / H for each cell, f the count in the input and H the entropy of the column; the cost
    of the unchanged values is the base. A column of one value costs nothing."""
    units = information_units([axis.leaf_rows.tolist() for axis in cube.axes], cube.rows)
    logarithms = dict(zip((axis.name for axis in cube.axes), units.columns, strict=True))

    def unit(axis: Axis, sets: ShownSets) -> Floats:
        logarithm = logarithms[axis.name]
        if logarithm is None:
            return np.zeros((units.radix.digits, len(sets.labels)))
        # A set of all values holds all rows, even if it replaces values outside the hierarchy.
        whole = sets.sizes == (sets.domain or axis.hierarchy.domain)
        return _for_each(np.where(whole, cube.rows, sets.rows(axis)), logarithm, units.radix)

    used = [(axis, logarithms[axis.name]) for axis in cube.axes]
    most = sum(logarithm(cube.rows) for _, logarithm in used if logarithm)
    base = sum(f * logarithm(f) for axis, logarithm in used if logarithm for f in axis.leaf_rows.tolist())
    return CostRule(
        unit,
        Numerators.of([most], units.radix),
        float(len(cube.axes) * cube.rows * units.unit),
        Numerators.of([base], units.radix),
    )


def _for_each(numbers: Integers, cost: Callable[[int], int], radix: Radix) -> Floats:
    """Digits of a cost that depends on one number, computed once for each number that occurs."""
    distinct, places = np.unique(numbers, return_inverse=True)
    return radix.written(cost(number) for number in distinct.tolist())[:, places.ravel()]


def _lattice_costs(rule: CostRule, cube: Cube) -> CellCosts:
    """A rule spelled out for every level of every axis that a search may use."""
    units = [
        [rule.unit(axis, ShownSets.of_level(axis, level)) for level in _levels(axis)] for axis in cube.axes
    ]
    totals = tuple(
        np.stack([unit @ axis.rows(level) for level, unit in zip(_levels(axis), row, strict=True)], axis=1)
        for axis, row in zip(cube.axes, units, strict=True)
    )
    digits = range(rule.radix.digits)
    return CellCosts(
        tuple(tuple(tuple(np.ascontiguousarray(unit[d]) for unit in row) for row in units) for d in digits),
        totals,
        rule,
    )


def _levels(axis: Axis) -> range:
    return range(axis.lowest, axis.highest + 1)


RULES: Mapping[str, Callable[[Cube], CostRule]] = {
    "generalization": generalization_rule,
    "precision": precision_rule,
    "entropy": entropy_rule,
}
