"""Losses with the parameter `weights = 1`: every row costs as many times as its sampling weight says."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.base.errors import InputError
from paretonym.base.rounding import rounded
from paretonym.engine.counts import Cube
from paretonym.engine.measures.card import FromClasses, Measure
from paretonym.engine.measures.cell_costs import CostRule
from paretonym.engine.measures.estimates.released_regions import Seen
from paretonym.engine.measures.information_loss import from_classes
from paretonym.engine.recoding import ShownSets

WEIGHTS = "weights"
# More than sums of floating-point numbers are off by.
_SLACK = 1e-13


def weighted(card: Measure) -> Measure:
    """The card of a loss that counts every row by its weight. Only where a suppressed row costs everything is
    a floor of it known.

    Formula: as without weights, with every row counted w times, suppressed ones too.

    Cost: one sum of weights over the tuples for each node.

    Misleads as the measure does without weights.

    Reference: Hundepool et al. 2012, Statistical Disclosure Control (weighted estimates).

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> age = {"role": "quasi", "hierarchy": {"flat": True}, "levels": [0, 0]}
    >>> table = pa.table({"age": ["20", "20", "21"], "weight": ["2", "2", "6"]})
    >>> study = Study(table, {"columns": {"age": age, "weight": {"role": "weight"}}})
    >>> weighted = {"loss": {"weights": 1}}
    >>> front = study.explore("k", "loss", suppress="40%", settings=weighted, space="lattice")
    >>> [solution["loss"] for solution in front]
    [0.6]
    """
    floored = card.algebra.floor == "all-rows"
    return replace(
        card,
        value=from_classes,
        counted=replace(card.counted, from_classes=_COSTS[card.name]),
        algebra=replace(card.algebra, floor="weighted-rows" if floored else None),
        needs="weights",
    )


def _weights(seen: Seen) -> Floats:
    """The weight of the rows of each class."""
    cube, classes = seen.cube, seen.classes
    return classes.once("weights", lambda: cube.weights.rows_in(classes.of_tuple, len(classes)))


def _cost(rule: str, gone: bool, seen: Seen, columns: Sequence[str], parameters: Mapping[str, Any]) -> float:
    """The weighted mean over all rows of what a row that stays costs by a rule, as a share of the highest
    cost, and of what a suppressed row costs, which is 1 if these count."""
    weights = _weights(seen)
    spent = _suppressed(weights, seen) if gone else 0.0
    return spent + (_staying(rule, weights, seen) if rule else 0.0)


def _suppressed(weights: Floats, seen: Seen) -> float:
    return math.fsum(weights[~seen.stays]) / math.fsum(weights)


def _staying(rule: str, weights: Floats, seen: Seen) -> float:
    costs = CostRule.named(rule, seen.cube)
    if costs.by_level and any(sets.level is None for sets in seen.classes.sets):
        raise InputError.of(
            "measures", f"{rule}-loss needs levels, but this release has none", "omit it, or use loss"
        )
    shares = costs.of_classes(seen.cube, seen.classes).sum(axis=1) / costs.most
    return math.fsum((shares * weights)[seen.stays]) / math.fsum(weights)


# The rule by which cells cost, and whether suppressed rows cost something.
_COSTS: Mapping[str, FromClasses] = {
    "gl": partial(_cost, "generalization", False),
    "sl": partial(_cost, "", True),
    "loss": partial(_cost, "generalization", True),
    "precision-loss": partial(_cost, "precision", True),
}


@dataclass(frozen=True, eq=False)
class WeightedFloors:
    """Costs of all rows at each usable level of each axis, weighted, as shares: `totals[j][l]`. Suppression
    never lowers their sum, as a suppressed row costs the maximum."""

    totals: tuple[Floats, ...]

    @classmethod
    def of(cls, rule: str, cube: Cube) -> WeightedFloors:
        """The floors of a rule, by the name that cards call it."""
        return cube.once(("weighted floors", rule), lambda: cls(_totals(CostRule.named(rule, cube), cube)))

    def at(self, above: Integers) -> Floats:
        """The floor of nodes, given levels above the lowest, one row for a node."""
        found = np.zeros(len(above))
        for j, table in enumerate(self.totals):
            found += table[above[:, j]]
        return rounded(found * (1 - _SLACK))


def _totals(costs: CostRule, cube: Cube) -> tuple[Floats, ...]:
    weights = cube.weights
    whole, totals = math.fsum(weights.rows_in(np.zeros(cube.tuples, dtype=np.int64), 1)), []
    for j, axis in enumerate(cube.axes):
        levels = []
        for level in range(axis.lowest, axis.highest + 1):
            groups = axis.mapping(axis.lowest, level)[cube.groups[:, j]].astype(np.int64)
            unit = costs.unit(axis, ShownSets.of_level(axis, level)) / costs.most
            levels.append(math.fsum(unit * weights.rows_in(groups, axis.groups(level))) / whole)
        totals.append(np.array(levels))
    return tuple(totals)
