"""A question to the space local: what is traded off, and the measured releases of a partition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.base.errors import Field, InputError, NoSolution
from paretonym.base.rounding import rounded
from paretonym.engine.counts import Cube
from paretonym.engine.frontier import Solution, frontier_places, objective_values
from paretonym.engine.measures import (
    ALWAYS,
    CLASS_SIZE,
    CostRule,
    Objective,
    Realized,
    Requirement,
    Settings,
    meeting,
)
from paretonym.engine.recoding import ClassCondition, Classes, Keep, Lattice, Suppression
from paretonym.engine.search import Asked, Problem
from paretonym.engine.spaces.local.closure import closed
from paretonym.engine.spaces.local.local_recoding import LocalRecoding

# There may be so many partitions that their number fills a page; any larger number is replaced by this one.
MOST_COUNTED = 10**18


@dataclass(frozen=True, eq=False)
class LocalProblem(Asked):
    """One question to the partitions of the tuples of one cube; `earlier` are solutions on the lattice, if it
    was searched before."""

    cube: Cube
    objectives: tuple[Objective, ...]
    suppression: Suppression
    settings: Settings = field(default_factory=dict)
    requirements: tuple[Requirement, ...] = ()
    earlier: tuple[Solution, ...] | None = None

    def __post_init__(self) -> None:
        for asked in (*self.objectives, *(requirement.objective for requirement in self.requirements)):
            rule = asked.card.counted.rule
            if rule is not None and CostRule.named(rule, self.cube).by_level:
                raise InputError.of(
                    Field("objectives"),
                    f"{asked.name} needs one level for each column, but the space local mixes levels",
                    "omit it, or use loss",
                )

    @cached_property
    def on_lattice(self) -> Problem:
        """This question put to the lattice: sequences of one node."""
        return Problem(self.cube, self.objectives, self.suppression, self.settings, self.requirements)

    @property
    def lattice(self) -> Lattice:
        return self.on_lattice.lattice

    @property
    def size(self) -> int:
        return number_of_partitions(self.cube.tuples)

    @property
    def suppressed_by(self) -> str:
        return str(self.suppression)

    @property
    def suppressible(self) -> int:
        return self.on_lattice.suppressible

    @cached_property
    def measured(self) -> tuple[Objective, ...]:
        """The objectives, and the other measures of every solution."""
        return self.on_lattice.measured_with(ALWAYS)

    @cached_property
    def _thresholds(self) -> tuple[Objective, ...]:
        """The measures, other than class size, whose thresholds decide which classes stay."""
        asked = self.on_lattice.thresholds if self.on_lattice.every_threshold else ()
        return tuple(o for o in asked if o.name != CLASS_SIZE)

    @property
    def least_size(self) -> int:
        """The smallest class size that any solution may have."""
        limits = (each.limit for each in self.requirements if each.objective.name == CLASS_SIZE)
        return max([1, *(int(np.ceil(limit.bound)) for limit in limits if limit.sense == "at-least")])

    def partitioned(self, of_tuple: Integers, k: int, most: int | None = None) -> Iterator[Solution]:
        """The admissible releases of a partition, in which tuples of class -1 are in no class."""
        classes = self._closed(of_tuple, (ClassCondition.best_side(CLASS_SIZE, "max", k),))
        allowed = np.array([axis.highest for axis in self.cube.axes])
        if classes is None or (classes.levels(self.cube.axes) > allowed).any():
            return
        large = classes.sizes >= k
        if int(classes.rows[~large].sum()) > self.suppressible:
            return
        for keep in self._conditions(classes, int(classes.sizes[large].min()), most):
            chosen = classes if len(keep) == 1 else self._closed(classes.of_tuple, keep)
            if chosen is not None:
                smallest = int(chosen.sizes[meeting(self.cube, chosen, keep)].min())
                sized = ClassCondition.best_side(CLASS_SIZE, "max", smallest)
                yield from self._measured(
                    chosen, LocalRecoding.of_classes(chosen.of_tuple, (sized, *keep[1:]))
                )

    def _closed(self, of_tuple: Integers, keep: Keep) -> Classes | None:
        """The classes in closed form, None if none of them can stay."""
        try:
            classes = closed(self.cube, of_tuple, keep)
        except NoSolution:
            return None
        return classes if meeting(self.cube, classes, keep).any() else None

    def _conditions(self, classes: Classes, size: int, most: int | None) -> Iterator[Keep]:
        """Conditions for a class to stay: its size, and every combination of thresholds (at most so many of
        them), each of which leaves enough rows, and which leave some class together."""
        sized = (ClassCondition.best_side(CLASS_SIZE, "max", size),)
        large = classes.sizes >= size
        values = [o.of_classes(self.cube, classes) for o in self._thresholds]
        steps = [
            _spread(_steps(o, own, classes.rows, large, self.suppressible), most)
            for o, own in zip(self._thresholds, values, strict=True)
        ]
        better = [1.0 if o.direction == "max" else -1.0 for o in self._thresholds]
        for bounds in product(*steps):
            stays = large.copy()
            for sign, own, bound in zip(better, values, bounds, strict=True):
                stays &= sign * own >= sign * bound
            if stays.any():
                further = (o.threshold(bound) for o, bound in zip(self._thresholds, bounds, strict=True))
                yield (*sized, *further)

    def _measured(self, classes: Classes, recoding: LocalRecoding) -> Iterator[Solution]:
        made = Realized.of_classes(self.cube, classes, recoding.keep)
        facts = made.facts((*self.measured, *(requirement.objective for requirement in self.requirements)))
        if made.suppressed <= self.suppressible and self.admissible(facts)[0]:
            values = {o.name: float(rounded(o.value(facts))[0]) for o in self.measured}
            yield Solution("", values, made.suppressed, recoding)

    def at_node(self, solution: Solution) -> Iterator[Solution]:
        """A solution of the lattice as a sequence of one node, whose classes show smaller sets."""
        levels = solution.recoding.known_levels
        node = tuple((name, levels[name]) for name in self.lattice.names)
        keep = solution.recoding.keep
        if not any(condition.measures == (CLASS_SIZE,) for condition in keep):
            keep = (ClassCondition.best_side(CLASS_SIZE, "max", 1), *keep)
        recoding = LocalRecoding((node,), keep)
        yield from self._measured(recoding.classes(self.cube), recoding)


def _steps(asked: Objective, values: Floats, rows: Integers, large: Mask, suppressible: int) -> list[float]:
    """The thresholds on a measure of classes that suppress few enough rows, the weakest first."""
    better = 1.0 if asked.direction == "max" else -1.0
    bounds = []
    for bound in sorted(set(values[large].tolist()), key=lambda value: better * value):
        if rows[~(large & (better * values >= better * bound))].sum() > suppressible:
            break
        bounds.append(bound)
    return bounds


def _spread(steps: list[float], most: int | None) -> list[float]:
    if most is None or len(steps) <= most:
        return steps
    return [steps[place] for place in np.linspace(0, len(steps) - 1, most).astype(int).tolist()]


def number_of_partitions(tuples: int) -> int:
    """The number of partitions of a set (Bell's), or a number that is too large to be written out.

    >>> [number_of_partitions(tuples) for tuples in (0, 1, 2, 3, 4)]
    [1, 1, 2, 5, 15]
    """
    row = [1]
    for _ in range(tuples):
        following = [row[-1]]
        for number in row:
            following.append(following[-1] + number)
        row = following
        if row[0] > MOST_COUNTED:
            return MOST_COUNTED
    return row[0]


def best_of(problem: LocalProblem, solutions: Iterable[Solution]) -> tuple[Solution, ...]:
    """Those that no other one dominates. Of those with equal objectives the shortest recoding is kept, then
    the one that is first in dictionary order."""

    def simplicity(solution: Solution) -> tuple[int, str]:
        text = str(solution.recoding.as_json())
        return len(text), text

    ordered = sorted(solutions, key=simplicity)
    vectors = objective_values(ordered, problem.names)
    places = frontier_places(vectors, problem.directions, np.arange(len(ordered), dtype=np.int64))
    return tuple(ordered[place] for place in places.tolist())
