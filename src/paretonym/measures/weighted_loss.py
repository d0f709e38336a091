"""Weighted losses: every row costs as many times as its sampling weight says."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from paretonym.arrays import Floats, Integers
from paretonym.counts import Cube
from paretonym.errors import InputError
from paretonym.measures.cell_costs import CostRule
from paretonym.measures.estimates.released_regions import Seen
from paretonym.recoding import Classes, ShownSets
from paretonym.rounding import rounded

# More than sums of floating-point numbers are off by.
_SLACK = 1e-13

_known: WeakKeyDictionary[Classes, Floats] = WeakKeyDictionary()


def _weights(seen: Seen) -> Floats:
    """The weight of the rows of each class."""
    found = _known.get(seen.classes)
    if found is None:
        classes = seen.classes
        found = _known[classes] = seen.cube.weights.rows_in(classes.of_tuple, len(classes))
    return found


def _staying(seen: Seen, rule: str) -> float:
    """The weighted mean over all rows of what the rows that stay cost, as a share of the highest cost."""
    costs, weights = CostRule.named(rule, seen.cube), _weights(seen)
    if costs.by_level and any(sets.level is None for sets in seen.classes.sets):
        raise InputError.of(
            "measures", f"{rule}-loss needs levels, but this release has none", "omit it, or use loss"
        )
    shares = costs.of_classes(seen.cube, seen.classes).sum(axis=1) / costs.most
    return math.fsum((shares * weights)[seen.stays]) / math.fsum(weights)


def weighted_suppression(seen: Seen, columns: Sequence[str], parameters: Mapping[str, float]) -> float:
    """The share of the population that suppressed rows stand for.

    Formula: Σ w over the suppressed rows / Σ w over all rows.

    Cost: one sum of weights over the tuples for each node.

    Misleads on its own: it says nothing about what the other rows lose.

    Reference: Hundepool et al. 2012, Statistical Disclosure Control (weighted estimates).

    >>> import pyarrow as pa
    >>> from paretonym.run.study import Study
    >>> age = {"role": "quasi", "hierarchy": {"flat": True}, "levels": [0, 0]}
    >>> table = pa.table({"age": ["20", "20", "21"], "weight": ["2", "2", "6"]})
    >>> study = Study(table, {"columns": {"age": age, "weight": {"role": "weight"}}})
    >>> [each.values["sl-weighted"] for each in study.explore("k", "sl-weighted", suppress="40%")]
    [0.6]
    """
    weights = _weights(seen)
    return math.fsum(weights[~seen.stays]) / math.fsum(weights)


def weighted_generalization(seen: Seen, columns: Sequence[str], parameters: Mapping[str, float]) -> float:
    """The share of detail that the rows that stay lose, each row by its weight.

    Formula: as `gl`, with every row counted w times: Σ w·(cost of the row) / (Σ w·highest cost).

    Cost: as for `sl-weighted`.

    Misleads as `gl` does: it decreases when rows are suppressed.

    Reference: Iyengar 2002; weights as in Hundepool et al. 2012.

    >>> import pyarrow as pa
    >>> from paretonym.run.study import Study
    >>> age = {"role": "quasi", "hierarchy": {"tree": {"young": ["20", "21"], "old": ["70", "71", "72"]}}}
    >>> table = pa.table({"age": ["20", "70"], "weight": ["3", "1"]})
    >>> study = Study(table, {"columns": {"age": {**age, "levels": [1, 1]}, "weight": {"role": "weight"}}})
    >>> [each.values["gl-weighted"] for each in study.explore("gl-weighted", suppress=0)]
    [0.3125]
    """
    return _staying(seen, "generalization")


def weighted_loss(seen: Seen, columns: Sequence[str], parameters: Mapping[str, float]) -> float:
    """The total share of detail lost, each row by its weight: what a weighted estimate can no longer see.

    Formula: gl-weighted + sl-weighted, from 0 to 1.

    Cost: as for `sl-weighted`.

    Misleads as `loss` does: every value of a domain counts the same.

    Reference: Iyengar 2002 (GLM); weights as in Hundepool et al. 2012.

    >>> import pyarrow as pa
    >>> from paretonym.run.study import Study
    >>> age = {"role": "quasi", "hierarchy": {"flat": True}, "levels": [0, 0]}
    >>> table = pa.table({"age": ["20", "20", "21"], "weight": ["2", "2", "6"]})
    >>> study = Study(table, {"columns": {"age": age, "weight": {"role": "weight"}}})
    >>> [each.values["loss-weighted"] for each in study.explore("k", "loss-weighted", suppress="40%")]
    [0.6]
    """
    return _staying(seen, "generalization") + weighted_suppression(seen, columns, parameters)


def weighted_precision(seen: Seen, columns: Sequence[str], parameters: Mapping[str, float]) -> float:
    """The average height to which cells are generalized in their hierarchies, each row by its weight.

    Formula: weighted mean over rows of the mean of level / height, 1 for a suppressed row.

    Cost: as for `sl-weighted`.

    Misleads as `precision-loss` does: one level may hide little or nearly everything.

    Reference: Sweeney 2002 (Prec); weights as in Hundepool et al. 2012.

    >>> import pyarrow as pa
    >>> from paretonym.run.study import Study
    >>> age = {"role": "quasi", "hierarchy": {"flat": True}, "levels": [0, 0]}
    >>> table = pa.table({"age": ["20", "20", "21"], "weight": ["2", "2", "6"]})
    >>> study = Study(table, {"columns": {"age": age, "weight": {"role": "weight"}}})
    >>> [each.values["precision-loss-weighted"] for each in study.explore("k", "precision-loss-weighted",
    ...     suppress="40%")]
    [0.6]
    """
    return _staying(seen, "precision") + weighted_suppression(seen, columns, parameters)


@dataclass(frozen=True, eq=False)
class WeightedFloors:
    """What all rows cost at each usable level of each axis, weighted, as shares: `totals[j][l]`. Suppression
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
