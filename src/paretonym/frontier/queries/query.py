"""A question to a frontier: limits, and what should be best within them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import compress
from typing import Any, TypeAlias

import numpy as np

from paretonym.errors import Field, InputError
from paretonym.frontier.solution import Solution, number_to_json
from paretonym.measures import check_bound, parse_bounds, read_bounds, written
from paretonym.recoding import parse_fraction
from paretonym.rounding import Sense, meets, round_one

Bounds: TypeAlias = Mapping[str, float | str]

_WHERE = re.compile(r"\s*([a-z][\w@. -]*?)\s*(>=|<=|≥|≤)\s*([^<>=]+?)\s*")


@dataclass(frozen=True, slots=True)
class Limit:
    """A measure at least, or at most, a bound.

    >>> print(Limit("loss", "at-most", 0.25), "and", Limit("k", "at-least", 5))
    loss at most 25 % and k at least 5
    """

    name: str
    sense: Sense
    bound: float

    def met(self, solution: Solution) -> bool:
        return self.allows(solution.values[self.name])

    def allows(self, value: float) -> bool:
        """Whether a value, rounded as solutions are, is on the right side."""
        return bool(meets(np.asarray(value), self.sense, self.bound))

    def those(self, solutions: Iterable[Solution]) -> list[Solution]:
        """The solutions that meet it: all compared at once, since a frontier may be long."""
        found = list(solutions)
        values = np.array([solution.values[self.name] for solution in found], dtype=np.float64)
        return list(compress(found, meets(values, self.sense, self.bound).tolist()))

    @property
    def upward(self) -> bool:
        """Whether a larger bound is a weaker one."""
        return self.sense == "at-most"

    def asks_for(self, direction: str) -> bool:
        """Whether it asks for the better side of a measure with this direction."""
        return (self.sense == "at-least") == (direction == "max")

    def implies(self, other: Limit) -> bool:
        """Whether whatever meets this meets the other one too."""
        if (self.name, self.sense) != (other.name, other.sense):
            return False
        return other.allows(round_one(self.bound))

    def with_bound(self, bound: float) -> Limit:
        return Limit(self.name, self.sense, bound)

    def __str__(self) -> str:
        return f"{self.name} {self.sense.replace('-', ' ')} {written(self.name, self.bound)}"

    def as_json(self) -> dict[str, Any]:
        return {"measure": self.name, "sense": self.sense, "bound": number_to_json(self.bound)}


@dataclass(frozen=True, slots=True)
class Question:
    """Limits, and the objective that should be best within them; None asks for a shortlist."""

    limits: tuple[Limit, ...] = ()
    best: str | None = None

    @classmethod
    def of(
        cls, at_least: Bounds | None = None, at_most: Bounds | None = None, best: str | None = None
    ) -> Question:
        most, least = read_bounds(at_most, Field("at_most")), read_bounds(at_least, Field("at_least"))
        limits = [Limit(name, "at-most", bound) for name, bound in most.items()]
        limits += [Limit(name, "at-least", bound) for name, bound in least.items()]
        return cls(tuple(limits), best)

    def met(self, solution: Solution) -> bool:
        return all(limit.met(solution) for limit in self.limits)

    def within(self, solutions: Iterable[Solution]) -> list[Solution]:
        """The solutions that meet all limits."""
        found = list(solutions)
        for limit in self.limits:
            found = limit.those(found)
        return found

    def without(self, limit: Limit) -> Question:
        return Question(tuple(other for other in self.limits if other != limit), self.best)

    def __str__(self) -> str:
        within = f" with {' and '.join(map(str, self.limits))}" if self.limits else ""
        return f"the best {self.best}{within}" if self.best else f"a shortlist{within}"


def parse_question(
    at_least: Iterable[str], at_most: Iterable[str], where: Iterable[str], best: str | None
) -> Question:
    """Read `k=5` as at least, `loss=25%` as at most, and `k>=5`."""
    asked = Question.of(
        parse_bounds(at_least, Field("at_least")),
        parse_bounds(at_most, Field("at_most")),
        best and best.strip(),
    )
    limits = (*asked.limits, *map(parse_where, where))
    for limit in limits:
        if sum((other.name, other.sense) == (limit.name, limit.sense) for other in limits) > 1:
            raise InputError.of(Field("where"), f"'{limit.name}' is limited twice", "limit each measure once")
    _check_possible(limits)
    return Question(limits, asked.best)


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


def parse_where(text: str) -> Limit:
    """
    >>> parse_where("loss <= 25%")
    Limit(name='loss', sense='at-most', bound=0.25)
    """
    found = _WHERE.fullmatch(text)
    if found is None:
        wrong = f"'{text}' is not of the form MEASURE>=NUMBER"
        raise InputError.of(Field("where"), wrong, 'write, for example, "k>=5" or "loss<=25%"')
    sense: Sense = "at-least" if found[2] in (">=", "≥") else "at-most"
    bound = float(parse_fraction(found[3], Field("where"), text))
    check_bound(found[1], bound, Field("where"), found[3])
    return Limit(found[1], sense, bound)
