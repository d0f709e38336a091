"""A question to a frontier: limits, the measure to optimize within them, and the order of preference that
follows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from paretonym.base.errors import Field, InputError
from paretonym.base.rounding import round_one
from paretonym.engine.frontier.pareto_frontier import Frontier
from paretonym.engine.frontier.solution import Solution
from paretonym.engine.measures import Bounds, Limit


@dataclass(frozen=True, slots=True)
class Question:
    """Limits, and the objective to optimize within them; None asks for a shortlist."""

    limits: tuple[Limit, ...] = ()
    best: str | None = None

    @classmethod
    def of(
        cls, at_least: Bounds | None = None, at_most: Bounds | None = None, best: str | None = None
    ) -> Question:
        return cls((*Limit.of_python(at_most, "at-most"), *Limit.of_python(at_least, "at-least")), best)

    def within(self, solutions: Iterable[Solution]) -> list[Solution]:
        """The solutions that meet all limits."""
        matching = list(solutions)
        for limit in self.limits:
            matching = those(limit, matching)
        return matching

    def without(self, limit: Limit) -> Question:
        return Question(tuple(other for other in self.limits if other != limit), self.best)

    def __str__(self) -> str:
        within = f" with {' and '.join(map(str, self.limits))}" if self.limits else ""
        return f"the best {self.best}{within}" if self.best else f"a shortlist{within}"


def those(limit: Limit, solutions: Iterable[Solution]) -> list[Solution]:
    """The solutions that meet a limit: all compared at once, since a frontier may be long."""
    candidates = list(solutions)
    values = np.array([solution.values[limit.name] for solution in candidates], dtype=np.float64)
    return list(compress(candidates, limit.meets(values).tolist()))


def parse_question(
    at_least: Iterable[str], at_most: Iterable[str], where: Iterable[str], best: str | None
) -> Question:
    """Read `k=5` as at least, `loss=25%` as at most, and `k>=5`."""
    least = Limit.several(at_least, "at-least")
    limits = (*Limit.several(at_most, "at-most"), *least, *map(Limit.parsed, where))
    for limit in limits:
        if sum((other.name, other.sense) == (limit.name, limit.sense) for other in limits) > 1:
            raise InputError.of(
                Field("where"),
                f"'{limit.name}' is limited twice",
                "limit each measure once",
            )
    _check_possible(limits)
    return Question(limits, best and best.strip())


def _check_possible(limits: Iterable[Limit]) -> None:
    """Raise if two limits leave no value."""
    least = {limit.name: limit for limit in limits if limit.sense == "at-least"}
    for limit in limits:
        other = least.get(limit.name, limit)
        if limit.sense == "at-most" and not limit.allows(round_one(other.bound)):
            raise InputError.of(
                "the limits",
                f"'{other}' and '{limit}' contradict each other",
                "no value meets both; change one",
            )


@dataclass(frozen=True, slots=True)
class Preference:
    """A key to sort by, the most preferred first. `signs` holds the objectives, the most important one first,
    each with the sign that makes less better.

    A frontier may have many thousands of solutions: comparing them takes one pass over one number each.
    """

    signs: tuple[tuple[str, float], ...]

    def __call__(self, solution: Solution) -> tuple[float, ...]:
        return tuple([sign * solution.values[name] for name, sign in self.signs])

    def first(self, solutions: Sequence[Solution]) -> Solution:
        """The most preferred of at least one; the first of equals."""
        name, sign = self.signs[0]
        costs = [sign * solution.values[name] for solution in solutions]
        least = min(costs)
        return min([s for s, cost in zip(solutions, costs, strict=True) if cost == least], key=self)

    def better(self, solutions: Sequence[Solution], than: Solution) -> list[Solution]:
        """Those that are better in the most important objective."""
        name, sign = self.signs[0]
        bound = sign * than.values[name]
        return [solution for solution in solutions if sign * solution.values[name] < bound]


def preference(frontier: Frontier, best: str | None = None) -> Preference:
    """The preference for `best` (by default the first objective), then for the other objectives."""
    ordered = sorted(frontier.objectives, key=lambda objective: objective.name != best)
    return Preference(tuple((o.name, -1.0 if o.direction == "max" else 1.0) for o in ordered))
