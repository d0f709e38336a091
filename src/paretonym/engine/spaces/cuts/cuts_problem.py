"""A question to the space of cuts: what is traded off, and which classes are suppressed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.base.errors import Field, InputError
from paretonym.base.rounding import rounded
from paretonym.engine.counts import Counted, Cube, Statistic
from paretonym.engine.measures import ALWAYS, LOSS, CostRule, Facts, Objective, Requirement, Settings, card_of
from paretonym.engine.recoding import Suppression
from paretonym.engine.search import CountedProblem, Rule
from paretonym.engine.spaces.cuts.four_problems import PaperProblem
from paretonym.engine.spaces.cuts.genome_space import GenomeSpace

# A space may have so many genomes that their number fills a page; any larger number is replaced by this one.
MOST_COUNTED = 10**18


@dataclass(frozen=True, eq=False)
class CutsProblem(CountedProblem):
    """One question to the cuts of one cube."""

    cube: Cube
    space: GenomeSpace
    objectives: tuple[Objective, ...]
    rule: Rule
    settings: Settings = field(default_factory=dict)
    requirements: tuple[Requirement, ...] = ()

    @classmethod
    def of(
        cls,
        cube: Cube,
        names: tuple[str, ...],
        suppression: Suppression,
        settings: Settings | None = None,
        requirements: tuple[Requirement, ...] = (),
    ) -> CutsProblem:
        objectives = Objective.several(names, cube, settings)
        rule = Rule.of(suppression, objectives)
        return cls(cube, GenomeSpace.of(cube), objectives, rule, settings or {}, requirements)

    @classmethod
    def of_paper(
        cls,
        paper: PaperProblem,
        cube: Cube,
        fraction: Fraction,
        settings: Settings | None = None,
        requirements: tuple[Requirement, ...] = (),
    ) -> CutsProblem:
        """A problem of the trade-offs paper; `fraction` is the share of rows that may be suppressed, if the
        problem limits it."""
        if cube.persons is not None:
            raise InputError.of(
                Field("problem"),
                "the problems of the trade-offs paper count rows, and the schema has a column of role person",
                f"name measures with {Field('objectives')} in its place",
            )
        asked, rule = paper.asked(cube, fraction, settings)
        return cls(cube, GenomeSpace.of(cube), asked, rule, settings or {}, requirements)

    def __post_init__(self) -> None:
        for objective in self.counted_for:
            rule = objective.card.counted.rule
            if rule is not None and CostRule.named(rule, self.cube).by_level:
                raise InputError.of(
                    Field("objectives"),
                    f"{objective.name} needs levels, but the space of cuts has none",
                    "omit it, or use loss",
                )

    @property
    def size(self) -> int:
        return min(self.space.size, MOST_COUNTED)

    @property
    def suppressed_by(self) -> str:
        return str(self.rule)

    @property
    def suppressible(self) -> int:
        return int(self.rule.fraction * self.cube.rows)

    @cached_property
    def lattice_objectives(self) -> tuple[Objective, ...]:
        """The objectives, with approximations of those that the lattice does not have (a key) or would have
        to measure at every node (loss)."""
        near = (self._near(o) for o in self.objectives)
        return tuple({o.name: o for o in near}.values())

    def _near(self, asked: Objective) -> Objective:
        if card_of(asked.name) is None:
            return self.keys[0]
        return Objective.of(LOSS, self.cube) if asked.is_of_classes else asked

    @cached_property
    def keys(self) -> tuple[Objective, ...]:
        return tuple(
            Objective.of(name, self.cube, self.settings, Field("suppress")) for name in self.rule.keys
        )

    @cached_property
    def measured(self) -> tuple[Objective, ...]:
        """The objectives, and the other measures of every solution."""
        return self.measured_with(dict.fromkeys((*ALWAYS, *self.rule.keys)))

    @cached_property
    def counted_for(self) -> tuple[Objective, ...]:
        """Everything that must be counted for each candidate."""
        return (*self.measured, *(requirement.objective for requirement in self.requirements))

    @cached_property
    def statistics(self) -> tuple[Statistic, ...]:
        objectives = (*self.counted_for, *self.keys)
        return tuple(dict.fromkeys(statistic for o in objectives for statistic in o.statistics))

    @property
    def from_classes(self) -> bool:
        """True if something has to be measured from the classes of each candidate, which is expensive."""
        return any(o.is_of_classes for o in self.counted_for)

    @cached_property
    def costs(self) -> Mapping[str, CostRule]:
        """The cell costs that have to be counted; the first is always included."""
        return {name: CostRule.named(name, self.cube) for name in self.cost_names}

    @cached_property
    def threshold_places(self) -> Integers:
        return self.places_of(self.keys)

    def facts(self, counted: Counted) -> Facts:
        """Counted facts, by name."""
        facts = Facts.of_counted(self.cube.rows, counted, self.costs, self.statistics, persons=False)
        return self.with_key_sums(facts, counted.facts[:, -2])

    def with_key_sums(self, facts: Facts, sums: Integers) -> Facts:
        """The facts for a problem of the paper that sums its key over all rows in place of class sizes."""
        summed = any(card_of(o.name) is None for o in self.objectives)
        return replace(facts, all_squares=sums) if summed else facts

    def table(self, facts: Facts, hidden: Integers) -> Floats:
        """Candidates, one row each: everything measured, the objectives first, rounded for comparison; the
        suppressed rows; how many cuts cannot be shown; and 1 if all requirements are met."""
        measures = (rounded(o.value(facts)) for o in self.measured)
        return np.column_stack([*measures, facts.gone, hidden, self.admissible(facts)])
