"""A search problem: a cube, objectives and a suppression rule; and how counts become values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats, Integers
from paretonym.base.rounding import rounded
from paretonym.engine.counts import Counted, Cube, Statistic
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.measures import (
    ALWAYS,
    CLASS_SIZE,
    CellCosts,
    Facts,
    Objective,
    Realized,
    Requirement,
    Settings,
)
from paretonym.engine.recoding import ClassCondition, Classes, Lattice, Suppression
from paretonym.engine.search.suppression_rule import key_places, no_key

Made = TypeVar("Made")
Number = TypeVar("Number", np.int64, np.float64)
UnitCosts: TypeAlias = tuple[tuple[Integers, ...], ...]

_MANY_CANDIDATES = 1000
_FEW_NODES = 1 << 18


class Asked(ABC):
    """Base of the problems of every space: objectives to compare in, and requirements to meet."""

    cube: Cube
    objectives: tuple[Objective, ...]
    requirements: tuple[Requirement, ...]

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of recodings in the space."""

    @property
    @abstractmethod
    def suppressed_by(self) -> str:
        """The suppression rule in its stored form."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(objective.name for objective in self.objectives)

    @property
    def directions(self) -> tuple[str, ...]:
        return tuple(objective.direction for objective in self.objectives)

    def values(self, facts: Facts) -> Floats:
        """The objectives of every candidate, one row each, rounded for comparison."""
        return np.stack([rounded(objective.value(facts)) for objective in self.objectives], axis=1)

    def admissible(self, facts: Facts) -> npt.NDArray[np.bool_]:
        """Which candidates meet all requirements."""
        result = np.ones(len(facts), dtype=np.bool_)
        for requirement in self.requirements:
            result &= requirement.met(facts)
        return result


class CountedProblem(Asked):
    """Base of the problems whose candidates are counted, in the lattice and in the space of cuts."""

    @property
    @abstractmethod
    def counted_for(self) -> tuple[Objective, ...]:
        """Everything that must be counted for each candidate."""

    @property
    @abstractmethod
    def statistics(self) -> tuple[Statistic, ...]:
        """Statistics of sensitive values and labels that have to be counted."""

    def measured_with(self, names: Iterable[str]) -> tuple[Objective, ...]:
        """The objectives, and further measures of every solution, as a requirement asks for them."""
        required = {requirement.objective.name: requirement.objective for requirement in self.requirements}
        objectives = {o.name for o in self.objectives}
        further = [name for name in names if name not in objectives]
        return (*self.objectives, *(required.get(name) or Objective.of(name, self.cube) for name in further))

    def places_of(self, keys: Sequence[Objective]) -> Integers:
        """The places of the statistics that say which classes stay."""
        return key_places(keys, self.statistics)

    @property
    def cost_names(self) -> Iterable[str]:
        """The cell costs that have to be counted; the first is always included."""
        rules = (o.card.counted.rule for o in self.counted_for)
        return dict.fromkeys(["generalization", *(rule for rule in rules if rule is not None)])


@dataclass(frozen=True, eq=False)
class Problem(CountedProblem):
    """One question to one cube."""

    cube: Cube
    objectives: tuple[Objective, ...]
    suppression: Suppression
    settings: Settings = field(default_factory=dict)
    requirements: tuple[Requirement, ...] = ()
    # What no specialization can reach is counted too, and what these measures are with nothing suppressed.
    with_reaches: bool = False
    unsuppressed: tuple[Objective, ...] = ()

    @classmethod
    def of(
        cls,
        cube: Cube,
        names: tuple[str, ...],
        suppression: Suppression,
        settings: Settings | None = None,
        requirements: tuple[Requirement, ...] = (),
    ) -> Problem:
        return cls(cube, Objective.several(names, cube, settings), suppression, settings or {}, requirements)

    def __post_init__(self) -> None:
        if self.every_threshold and not self.thresholds:
            raise no_key(self.suppression)

    @property
    def thresholds(self) -> tuple[Objective, ...]:
        """The objectives whose thresholds decide which classes stay, if every threshold is tried."""
        return tuple(o for o in self.objectives if o.card.algebra.classwise)[:2]

    @cached_property
    def lattice(self) -> Lattice:
        return Lattice.of(self.cube)

    @property
    def size(self) -> int:
        return self.lattice.size

    @property
    def suppressed_by(self) -> str:
        return str(self.suppression)

    @cached_property
    def suppressible(self) -> int:
        return self.suppression.allowed(self.cube.rows)

    @property
    def every_threshold(self) -> bool:
        return self.suppression.every_threshold

    @property
    def by_size(self) -> bool:
        """True if classes are suppressed by their size alone."""
        return not self.every_threshold or [o.name for o in self.thresholds] == [CLASS_SIZE]

    @cached_property
    def threshold_places(self) -> Integers:
        return self.places_of(self.thresholds)

    @property
    def most_candidates(self) -> int:
        """The most candidates that one node can have; a guess if thresholds are not on size alone."""
        if not self.by_size:
            return _MANY_CANDIDATES
        return interface.Thresholds.most_of(self.suppressible) if self.every_threshold else 1

    @cached_property
    def measured(self) -> tuple[Objective, ...]:
        """The objectives, and the other measures of every solution."""
        return self.measured_with(ALWAYS)

    @cached_property
    def counted_for(self) -> tuple[Objective, ...]:
        """Everything that must be counted for each candidate: objectives, then further requirements."""
        return (*self.objectives, *(requirement.objective for requirement in self.requirements))

    @cached_property
    def costs(self) -> Mapping[str, CellCosts]:
        """The cell costs that have to be counted; the first is always included."""
        return {name: CellCosts.of(name, self.cube) for name in self.cost_names}

    @cached_property
    def unit_costs(self) -> tuple[UnitCosts, ...]:
        """Costs of one row in each group of each level of each axis: one table for each cost."""
        return tuple(cost.units for cost in self.costs.values())

    @cached_property
    def statistics(self) -> tuple[Statistic, ...]:
        """The statistics of sensitive values and class labels that have to be counted; last, if they are
        asked for, what bounds specializations and generalizations."""
        of_objectives = dict.fromkeys(statistic for o in self.counted_for for statistic in o.statistics)
        reaches = dict.fromkeys(self.reaches.values()) if self.with_reaches else ()
        every = dict.fromkeys(replace(s, every=True) for o in self.unsuppressed for s in o.statistics)
        return (*of_objectives, *reaches, *every)

    @cached_property
    def reaches(self) -> Mapping[Statistic, Statistic]:
        """The bounds of the objectives' statistics that have one where rows may be suppressed."""
        every = (statistic for o in self.objectives if o.card.algebra.classwise for statistic in o.statistics)
        return {s: s.reach_from(self.cube.margin(s.column)) for s in every if s.bounded}

    def reachable(self, facts: Facts, objective: Objective) -> Floats:
        """The best that an objective can be at any specialization of each candidate's node, rounded for
        comparison."""
        if objective.reach is not None:
            return rounded(facts.seen[_reach_of(objective)])
        bounds = [s.from_reach(facts.statistics[self.reaches[s]]) for s in objective.statistics]
        return rounded(objective.of_statistics(bounds))

    def with_nothing_suppressed(self, facts: Facts, objective: Objective) -> Floats:
        """Values of a measure at each candidate's node if every class stayed, rounded for comparison."""
        every = {s: facts.statistics[replace(s, every=True)] for s in objective.statistics}
        return rounded(objective.value(facts.with_nothing_suppressed(every)))

    def facts(self, counted: Counted) -> Facts:
        """Facts that a visit counted, by name."""
        rules = {name: cost.rule for name, cost in self.costs.items()}
        persons = self.cube.persons is not None
        facts = Facts.of_counted(self.cube.rows, counted, rules, self.statistics, persons)
        # What was counted are the costs of the rows that go.
        costs = {
            name: gone.of_the_others(self._totals(name, counted.nodes)) for name, gone in facts.costs.items()
        }
        facts = replace(facts, costs=costs)
        return replace(facts, seen=self._seen(facts))

    def _totals(self, name: str, nodes: Integers) -> Integers:
        """The cost of all rows at each node."""
        cost = self.costs[name]
        totals = self.at_nodes(("totals", name), lambda above: cost.node_totals(above)[None], nodes)
        return np.asarray(totals[0])

    def _seen(self, facts: Facts) -> dict[str, Floats]:
        """Values measured from the classes of each candidate. Expensive: the classes are formed
        again."""
        objectives = [o for o in self.counted_for if o.is_of_classes]
        if not objectives:
            return {}
        last: dict[int, Classes] = {}
        names = [o.name for o in objectives]
        if self.with_reaches:
            names += [_reach_of(o) for o in objectives if o.reach is not None]
        wanted = self._worth_measuring(objectives, facts)
        table = np.zeros((len(facts), len(names)))
        if not wanted.all():
            table[:] = [0.0 if o.direction == "max" else np.inf for o in objectives]
        for place in np.flatnonzero(wanted).tolist():
            table[place] = self._from_classes(objectives, facts, place, last)
        return dict(zip(names, table.T, strict=True))

    def _worth_measuring(self, objectives: Sequence[Objective], facts: Facts) -> npt.NDArray[np.bool_]:
        """Which candidates meet the requirements that counts decide: if nothing follows from the others for
        other nodes, they need not be measured."""
        result = np.ones(len(facts), dtype=np.bool_)
        if all(o.card.proves_nothing for o in objectives):
            for requirement in self.requirements:
                if not requirement.objective.is_of_classes:
                    result &= requirement.met(facts)
        return result

    def _from_classes(
        self, asked: Sequence[Objective], facts: Facts, place: int, last: dict[int, Classes]
    ) -> list[float]:
        """The measures of one candidate."""
        seen = self.realized(facts, place, last)
        found = [value for o in asked if (value := o.from_classes(seen)) is not None]
        if self.with_reaches:
            # At other nodes other units may stay: what none can reach depends on all of them.
            whole = seen.before or seen
            found += [o.reach(whole, self.suppressible) for o in asked if o.reach is not None]
        return found

    def realized(self, facts: Facts, place: int, last: dict[int, Classes]) -> Realized:
        """The classes of one candidate. Those that stay are nowhere below the worst one that stays. `last`
        keeps the classes of the last node: its thresholds come one after another."""
        node = int(facts.node[place])
        if node not in last:
            last.clear()
            last[node] = Classes.at_levels(self.cube, self.lattice.named(self.lattice.levels(node)))
        worst = [ClassCondition.best_side(CLASS_SIZE, "max", int(facts.smallest[place]))]
        if not self.by_size:
            worst = [o.threshold(float(rounded(o.value(facts))[place])) for o in self.thresholds]
        return Realized.of_classes(self.cube, last[node], tuple(worst))

    def above_lowest(self, nodes: Integers) -> Integers:
        """The levels of nodes, counted from the lowest that the search may use."""
        every = self._all_above
        return self._above(nodes) if every is None else every[nodes]

    def at_nodes(
        self, name: Hashable, of_levels: Callable[[Integers], npt.NDArray[Number]], nodes: Integers
    ) -> npt.NDArray[Number]:
        """Facts that follow from the levels of each node, one row for a kind of fact."""
        every = self._all_above
        if every is None:
            return of_levels(self._above(nodes))
        return self.for_lattice(name, lambda: of_levels(every))[:, nodes]

    def for_lattice(self, name: Hashable, make: Callable[[], Made]) -> Made:
        """Facts about all nodes, kept for further questions if there are few nodes."""
        return self.cube.once(name, make) if self.lattice.size <= _FEW_NODES else make()

    @cached_property
    def _all_above(self) -> Integers | None:
        """The levels of all nodes, if there are few: searches ask for the same ones many times, a few at
        once."""
        size = self.lattice.size
        if size > _FEW_NODES:
            return None
        return self.for_lattice("levels", lambda: self._above(np.arange(size, dtype=np.int64)))

    def _above(self, nodes: Integers) -> Integers:
        result: Integers = self.lattice.level_table(nodes) - np.array(self.lattice.lowest, dtype=np.int64)
        return result


def _reach_of(objective: Objective) -> str:
    """The name under which the bound of an objective is kept beside its values."""
    return f"reach of {objective.name}"
