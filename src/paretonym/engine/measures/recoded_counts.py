"""A recoding applied to a cube: which classes stay, and their measures. For any space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.base.errors import Bug, InputError
from paretonym.base.rounding import meets, round_one, rounded
from paretonym.engine.counts import Cube, Statistic
from paretonym.engine.measures.candidate_facts import Facts
from paretonym.engine.measures.cell_costs import CostRule, StayingCost, generalization_rule
from paretonym.engine.measures.class_size import k_household
from paretonym.engine.measures.estimated_population import estimated_people, individual_risk
from paretonym.engine.measures.estimates.released_regions import Seen
from paretonym.engine.measures.objective import Objective, Settings
from paretonym.engine.measures.population_size import k_map
from paretonym.engine.measures.registry import CLASS_SIZE, POPULATION_SHARES
from paretonym.engine.recoding import ClassCondition, Classes, Keep, Recoding


@dataclass(frozen=True, eq=False)
class Realized(Seen):
    """The classes of a recoding and which of them stay. Where a suppressed row takes the others of its unit
    with it, cube and classes are those of the units that stay (`units`), and `before` has all of them."""

    before: Seen | None = None
    units: Mask | None = None

    @classmethod
    def of(cls, recoding: Recoding, cube: Cube) -> Realized:
        """Apply a recoding to the table that a cube was counted from."""
        return cls.of_classes(cube, recoding.classes(cube), recoding.keep)

    @classmethod
    def of_classes(cls, cube: Cube, classes: Classes, keep: Keep) -> Realized:
        """The classes, and which have what a class must have to stay; at least one has."""
        if cube.units is not None:
            return cls._of_units(cube, classes, keep)
        stays = meeting(cube, classes, keep)
        if not stays.any():
            raise Bug("a recoding leaves no class")
        return cls(cube, classes, stays)

    @classmethod
    def _of_units(cls, cube: Cube, classes: Classes, keep: Keep) -> Realized:
        """The classes of the units that stay, each of the size that is required."""
        if cube.units is None or any(condition.measures != (CLASS_SIZE,) for condition in keep):
            raise Bug("units are suppressed by the size of classes alone")
        least = max([1.0, *(condition.bounds[0] for condition in keep)])
        units = cube.units.staying(classes.of_tuple, len(classes), least)
        if not units.any():
            raise Bug("a recoding leaves no unit")
        if units.all():
            return cls(cube, classes, np.ones(len(classes), dtype=np.bool_))
        rows, sizes = cube.units.sizes(classes.of_tuple, len(classes), units)
        kept = cube.units.rows_of_tuples(units, cube.tuples) > 0
        there, of_tuple = np.unique(classes.of_tuple[kept], return_inverse=True)
        persons = None if classes.persons is None else sizes[there]
        left = Classes(of_tuple, classes.shown[there], classes.sets, rows[there], persons=persons)
        whole = Seen(cube, classes, np.ones(len(classes), dtype=np.bool_))
        return cls(cube.only(units), left, np.ones(len(there), dtype=np.bool_), whole, units)

    @property
    def gone(self) -> tuple[Cube, Integers]:
        """The cube of the whole table, and how many rows with each of its tuples are suppressed."""
        if self.before is None or self.before.cube.units is None or self.units is None:
            return self.cube, np.where(self.stays[self.classes.of_tuple], 0, self.cube.counts)
        cube = self.before.cube
        return cube, cube.counts - self.before.cube.units.rows_of_tuples(self.units, cube.tuples)

    @property
    def unit_column(self) -> str | None:
        """The column of the units that are suppressed as a whole."""
        units = (self.before or self).cube.units
        return None if units is None else units.column

    @property
    def suppressed(self) -> int:
        """The number of suppressed rows."""
        return self.cube.rows - int(self.rows.sum())

    @cached_property
    def sizes(self) -> Integers:
        """The sizes of the classes that stay: their rows, or their persons."""
        result: Integers = self.classes.sizes[self.stays]
        return result

    def people_in(self, marked: Mask) -> int:
        """Number of different people (or rows) in the marked ones of the classes that stay."""
        persons = self.cube.persons
        if self.classes.persons is None or persons is None or persons.one_tuple_each:
            return int(self.sizes[marked].sum())
        every = np.zeros(len(self.classes), dtype=np.bool_)
        every[np.flatnonzero(self.stays)[marked]] = True
        return persons.among(every[self.classes.of_tuple])

    @property
    def smallest_of_each(self) -> Integers | None:
        """The size of the smallest class of each person who stays; None where sizes of classes add up to
        numbers of different people."""
        persons, staying = self.cube.persons, self.stays[self.classes.of_tuple]
        if self.classes.persons is None or persons is None or persons.one_tuple_each:
            return None
        sizes = np.where(staying, self.classes.sizes[self.classes.of_tuple], np.iinfo(np.int64).max)
        least = persons.least(sizes)
        return np.asarray(least[least < np.iinfo(np.int64).max])

    @property
    def population_risks(self) -> Floats | None:
        """The individual risk of everybody in each class in the population: the expected 1/F of the people F
        of it whom the class stands for. None without a sampling fraction or weights."""
        if self.cube.sample.fraction is None and self.cube.sample.weights is None:
            return None
        return individual_risk(self.classes.rows.astype(np.float64), estimated_people(self))

    @property
    def rows(self) -> Integers:
        """The rows of the classes that stay."""
        result: Integers = self.classes.rows[self.stays]
        return result

    @property
    def smallest_population(self) -> int | None:
        """The fewest people of the population who look like somebody in the release; None if no population is
        known, or not for these classes."""
        by_levels = all(sets.level is not None for sets in self.classes.sets) and not self.classes.buckets
        known = self.cube.sample.population is not None and self.cube.persons is None and by_levels
        return int(k_map(self, (), {})) if known else None

    @property
    def smallest_household(self) -> int | None:
        """The fewest households that show the same members; None if nothing says which rows belong
        together."""
        known = self.cube.households is not None and self.classes.buckets is None
        return int(k_household(self, (), {})) if known else None

    @property
    def population_shares(self) -> dict[str, float]:
        """The highest and lowest probability that somebody of the population is in the table, by name, if the
        population of these classes is known."""
        return {} if self.smallest_population is None else self.measure(*POPULATION_SHARES)

    def measure(self, *names: str, settings: Settings | None = None) -> dict[str, float]:
        """The values of measures, by name."""
        asked = [Objective.of(name, self.cube, settings, "measures") for name in names]
        facts = self.facts(asked)
        return {each.name: float(rounded(each.value(facts))[0]) for each in asked}

    def facts(self, objectives: Sequence[Objective]) -> Facts:
        """The counts that these measures are functions of: one candidate."""
        costs = dict.fromkeys(rule for o in objectives if (rule := o.card.counted.rule) is not None)
        statistics = dict.fromkeys(s for o in objectives for s in o.statistics)
        every = self.classes if self.before is None else self.before.classes
        counted = Facts.of_sizes(self.cube.rows, every.sizes, self.sizes, self.rows)
        return replace(
            counted,
            costs={name: self._cost(name) for name in costs},
            statistics={s: np.array([self._statistic(s)]) for s in statistics},
            seen={o.name: np.array([o.from_classes(self)]) for o in objectives if o.is_of_classes},
        )

    def _statistic(self, statistic: Statistic) -> float:
        margin = self.cube.margin(statistic.column)
        buckets = self.classes.buckets
        if buckets is not None and margin in self.cube.sensitive:
            return statistic.over_staying(margin, buckets.cells[self.cube.sensitive.index(margin)])
        every = self.classes
        return statistic.over_staying_classes(margin, every.of_tuple, self.stays, every.sizes)

    def _cost(self, name: str) -> StayingCost:
        rule = CostRule.named(name, self.cube)
        if rule.by_level and any(sets.level is None for sets in self.classes.sets):
            raise InputError.of(
                "measures", f"{name}-loss needs levels, but this release has none", "omit it, or use loss"
            )
        return rule.staying_cost(np.array([rule.of_staying(self.cube, self.classes, self.stays)]))

    def column_losses(self) -> dict[str, float]:
        """The share of its detail that each quasi-identifier loses, from 0 to 1.

        (Σ over rows that stay of (shown − 1)/(D − 1) + suppressed rows) / N, for one column. The mean over
        the columns, weighted by importance, is `loss`: a suppressed row is lost in every column. A column
        with one value loses only the suppressed rows.
        """
        rule = generalization_rule(self.cube)
        unit = rule.of_classes(self.cube, self.classes)[self.stays]
        total = sum((axis.importance for axis in self.cube.axes), Fraction(0))
        losses = {}
        for j, axis in enumerate(self.cube.axes):
            # The highest cost that all rows can have in this column.
            whole = rule.whole * float(axis.importance / total) if total else 0.0
            shown = float(unit[:, j] @ self.rows) / whole if whole else 0.0
            losses[axis.name] = round_one(shown + self.suppressed / self.cube.rows)
        return losses


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
    asked = [Objective.of(name, cube, condition.settings, "keep") for name in condition.measures]
    values = [each.of_classes(cube, classes) for each in asked]
    if condition.single:
        return meets(values[0], condition.sense, condition.bounds[0])
    (first, second), (least, then) = values, condition.bounds
    stays: Mask = (first >= least + 1) | ((first >= least) & (second >= then))
    return stays
