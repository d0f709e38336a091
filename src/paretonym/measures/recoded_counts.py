"""A recoding applied to a cube: which classes stay, and their measures. For any space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from paretonym.arrays import Floats, Integers, Mask
from paretonym.counts import Cube, Statistic
from paretonym.errors import Bug, InputError
from paretonym.measures.candidate_facts import Facts, StayingCost
from paretonym.measures.cell_costs import RULES, CostRule, generalization_rule
from paretonym.measures.estimates.released_regions import Seen
from paretonym.measures.objective import Objective, Settings, objective
from paretonym.measures.whole_number_costs import Numerators
from paretonym.recoding import ClassCondition, Classes, Keep, Recoding
from paretonym.rounding import meets, rounded


@dataclass(frozen=True, eq=False)
class Realized:
    """The classes of a recoding and which of them stay."""

    cube: Cube
    classes: Classes
    stays: Mask

    @property
    def suppressed(self) -> int:
        """The number of suppressed rows."""
        return int(self.classes.rows[~self.stays].sum())

    @cached_property
    def sizes(self) -> Integers:
        """The sizes of the classes that stay."""
        result: Integers = self.classes.rows[self.stays]
        return result

    def measure(self, *names: str, settings: Settings | None = None) -> dict[str, float]:
        """The values of measures, by name."""
        asked = [objective(name, self.cube, settings, "measures") for name in names]
        facts = self.facts(asked)
        return {each.name: float(rounded(each.value(facts))[0]) for each in asked}

    def facts(self, objectives: Sequence[Objective]) -> Facts:
        """The counts that these measures are functions of: one candidate."""
        costs = dict.fromkeys(name for o in objectives for name in o.card.costs)
        statistics = dict.fromkeys(s for o in objectives for s in o.statistics)
        return replace(
            Facts.of_sizes(self.cube.rows, self.classes.rows, self.sizes),
            costs={name: _staying_cost(self, RULES[name](self.cube), name) for name in costs},
            statistics={s: np.array([self._statistic(s)]) for s in statistics},
            seen={o.name: np.array([o.from_classes(self.seen)]) for o in objectives if o.card.from_classes},
        )

    @property
    def seen(self) -> Seen:
        """What a reader sees."""
        return Seen(self.cube, self.classes, self.stays)

    def _statistic(self, statistic: Statistic) -> float:
        margin = self.cube.margin(statistic.column)
        buckets = self.classes.buckets
        if buckets is not None and margin in self.cube.sensitive:
            return statistic.over_staying(margin, buckets.cells[self.cube.sensitive.index(margin)])
        cells = margin.cells(self.classes.of_tuple, len(self.classes))
        return statistic.over_staying(margin, cells[self.stays])


def realize(recoding: Recoding, cube: Cube) -> Realized:
    """Apply a recoding to the table that a cube was counted from."""
    classes = recoding.classes(cube)
    return Realized(cube, classes, staying(cube, classes, recoding.keep))


def staying(cube: Cube, classes: Classes, keep: Keep) -> Mask:
    """Which classes meet the conditions for staying; there is at least one."""
    stays = meeting(cube, classes, keep)
    if not stays.any():
        raise Bug("a recoding leaves no class")
    return stays


def meeting(cube: Cube, classes: Classes, keep: Keep) -> Mask:
    """Which classes meet every condition; there may be none."""
    kept = np.ones(len(classes), dtype=np.bool_)
    for condition in keep:
        kept &= _meeting_one(cube, classes, condition)
    return kept


def _meeting_one(cube: Cube, classes: Classes, condition: ClassCondition) -> Mask:
    """Of `k,l-distinct` at least `20,4`: at least 20, and of those with exactly 20 at least 4 of the second.
    The first counts by its whole number: `l,k` at least `4,20` asks for 20 rows where ℓ is 4 or more, but
    not 5."""
    values = [class_measure(cube, classes, name) for name in condition.measures]
    if condition.single:
        return meets(values[0], condition.sense, condition.bounds[0])
    (first, second), (least, then) = values, condition.bounds
    stays: Mask = (first >= least + 1) | ((first >= least) & (second >= then))
    return stays


def class_measure(cube: Cube, classes: Classes, name: str) -> Floats:
    """The value of a class-wise measure for each class, rounded as solutions are."""
    asked = objective(name, cube, place="keep")
    margins = {s: cube.margin(s.column) for s in asked.statistics}
    values = {
        s: s.of_classes(margin, margin.cells(classes.of_tuple, len(classes)), margin.shares)
        for s, margin in margins.items()
    }
    nothing = np.zeros(len(classes), dtype=np.int64)
    facts = Facts(
        cube.rows, nothing, classes.rows, nothing, nothing + 1, classes.rows**2, classes.rows**2,
        (classes.rows == 1).astype(np.int64), {}, values,
    )  # fmt: skip
    return rounded(asked.value(facts))


def class_cost(cube: Cube, classes: Classes, rule: CostRule) -> Floats:
    """What one row of each class costs: digits, then classes, then quasi-identifiers."""
    columns = [
        rule.unit(axis, sets)[:, classes.shown[:, j]]
        for j, (axis, sets) in enumerate(zip(cube.axes, classes.sets, strict=True))
    ]
    return np.stack(columns, axis=2)


def staying_cost(cube: Cube, classes: Classes, stays: Mask, rule: CostRule) -> Floats:
    """What the rows of the classes that stay cost, in digits."""
    each = class_cost(cube, classes, rule).sum(axis=2)
    result: Floats = (each * classes.rows)[:, stays].sum(axis=1)
    return result


def _staying_cost(realized: Realized, rule: CostRule, name: str) -> StayingCost:
    if rule.by_level and any(sets.level is None for sets in realized.classes.sets):
        raise InputError.of(
            "measures", f"{name}-loss needs levels, but this release has none", "omit it, or use loss"
        )
    spent = staying_cost(realized.cube, realized.classes, realized.stays, rule)
    return StayingCost(Numerators(spent[:, None], rule.radix), rule.most, rule.whole, rule.base)


def column_losses(realized: Realized) -> dict[str, float]:
    """The share of its detail that each quasi-identifier loses, from 0 to 1.

    (Σ over rows that stay of (shown − 1)/(D − 1) + suppressed rows) / N, for one column. The mean over the
    columns, weighted by importance, is `loss`: a suppressed row is lost in every column. A column with one
    value loses only the suppressed rows.
    """
    cube = realized.cube
    rule = generalization_rule(cube)
    unit = class_cost(cube, realized.classes, rule)[:, realized.stays]
    total = sum((axis.importance for axis in cube.axes), Fraction(0))
    losses = {}
    for j, axis in enumerate(cube.axes):
        # The highest cost that all rows can have in this column.
        whole = rule.whole * float(axis.importance / total) if total else 0.0
        spent = Numerators((unit[:, :, j] @ realized.sizes)[:, None], rule.radix)
        share = (spent.over(whole) if whole else 0.0) + realized.suppressed / cube.rows
        losses[axis.name] = float(rounded(np.ravel(share))[0])
    return losses
