"""Proven bound of every release of a kind: for each k, a cost that none with at least this k is below."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from paretonym.base.language import N_, _
from paretonym.base.number_text import number_to_json
from paretonym.engine.frontier.solution import Solution
from paretonym.engine.measures import Limit, is_share, measured

# What a bound is about: one level per column; groups of neighbouring values; every generalization that shows
# sets of the hierarchies, whichever they are.
RELEASE, CUTS, GENERALIZATION = "release", "cuts", "generalization"
# A smaller share is written as nothing.
LEAST_SHARE = 0.001


class Sentences(NamedTuple):
    """Sentences for a bound of a subject: at some k, within a cost, and where what was found reaches it."""

    at: str
    within: str
    reached: str


SENTENCES = {
    RELEASE: Sentences(
        N_("no release with one level per column and {by} of at least {k} has a {cost} below {least}"),
        N_("no release with one level per column and {limit} has a {by} above {k}"),
        N_("for every {by}, no release with one level per column has a lower {cost} than the best found"),
    ),
    CUTS: Sentences(
        N_("no cuts with {by} of at least {k} have a {cost} below {least}"),
        N_("no cuts with {limit} have a {by} above {k}"),
        N_("for every {by}, no cuts have a lower {cost} than the best found"),
    ),
    GENERALIZATION: Sentences(
        N_("no generalization by these hierarchies with {by} of at least {k} has a {cost} below {least}"),
        N_("no generalization by these hierarchies with {limit} has a {by} above {k}"),
        N_("for every {by}, no generalization by these hierarchies has a lower {cost} than the best found"),
    ),
}


class Gap(NamedTuple):
    """At some k, the least cost found with at least this k, and the bound that no release is below."""

    k: int
    found: float
    bound: float

    @property
    def width(self) -> float:
        return self.found - self.bound


@dataclass(frozen=True, slots=True)
class ProvenBound:
    """For each k, a `cost` that no release with at least this k is below. Each step holds from its k on until
    the next one. `subject` is what the releases of the space are called: other spaces may lose less.

    >>> bound = ProvenBound("k", "loss", ((1, 0.0), (5, 0.1299), (20, 0.3)))
    >>> bound.at(7), bound.within(0.2)
    (0.1299, 19)
    >>> bound.sentence(5)
    'no release with one level per column and k of at least 5 has a loss below 12.9 %'
    >>> ProvenBound("k", "loss", ((1, 0.2),), "cuts").sentence(5)
    'no cuts with k of at least 5 have a loss below 20.0 %'
    """

    by: str
    cost: str
    steps: tuple[tuple[int, float], ...]
    subject: str = RELEASE

    def at(self, k: float) -> float:
        """The cost that no release with at least this k is below."""
        place = bisect_right([step for step, _ in self.steps], k) - 1
        return self.steps[place][1] if place >= 0 else 0.0

    def within(self, cost: float) -> int | None:
        """The largest k that a release of at most this cost may have; None if nothing is known."""
        return next((k - 1 for k, least in self.steps if least > cost), None)

    def gap(self, solutions: Iterable[Solution]) -> Gap | None:
        """Where what was found is furthest above the bound; None if it is nowhere."""
        points = [(solution.values[self.by], solution.values[self.cost]) for solution in solutions]
        steps = {*(k for k, _ in self.steps), *(int(k) for k, _ in points)}
        gaps = [
            Gap(k, min(costs), self.at(k))
            for k in sorted(steps)
            if (costs := [cost for reached, cost in points if reached >= k])
        ]
        widest = max(gaps, key=lambda gap: (gap.width, gap.k), default=None)
        return widest if widest is not None and widest.width > 0 else None

    def sentence(self, k: float) -> str:
        """The bound at some k, without a full stop; rounded so that it stays true. Empty if it says nothing:
        no release has a loss below nothing."""
        least = self.at(k)
        if least < (LEAST_SHARE if is_share(self.cost) else 1):
            return ""
        return _(
            SENTENCES[self.subject].at,
            by=self.by,
            k=measured(self.by, k),
            cost=self.cost,
            least=_at_most(self.cost, least),
        )

    def beside(self, solution: Solution) -> str:
        """The bound at a solution's k, beside its cost, without a full stop; empty if it says nothing."""
        bound = self.sentence(solution.values[self.by])
        cost = measured(self.cost, solution.values[self.cost])
        return _("{bound}; this release has {cost}", bound=bound, cost=cost) if bound else ""

    def about(self, limits: Iterable[Limit], solutions: Iterable[Solution]) -> str:
        """The bound in the words of a question: at its k, within its cost, or where the gap is widest."""
        for limit in limits:
            if (limit.name, limit.sense) == (self.by, "at-least"):
                return self.sentence(limit.bound)
            if (limit.name, limit.sense) == (self.cost, "at-most") and (k := self.within(limit.bound)):
                reached = measured(self.by, k)
                return _(SENTENCES[self.subject].within, limit=limit, by=self.by, k=reached)
        gap = self.gap(solutions)
        if gap is None:
            return _(SENTENCES[self.subject].reached, by=self.by, cost=self.cost)
        bound = self.sentence(gap.k)
        if not bound:
            return ""
        return _(
            "{bound}, and the best found has {found}: for no other {by} is the gap wider",
            bound=bound,
            found=measured(self.cost, gap.found),
            by=self.by,
        )

    def as_json(self) -> list[dict[str, Any]]:
        return [{self.by: k, self.cost: number_to_json(least)} for k, least in self.steps]

    @classmethod
    def from_json(cls, entries: Iterable[Mapping[str, Any]], subject: str = RELEASE) -> ProvenBound | None:
        steps = list(entries)
        if not steps:
            return None
        by, cost = steps[0]
        return cls(by, cost, tuple((int(step[by]), float(step[cost])) for step in steps), subject)


def _at_most(cost: str, value: float) -> str:
    """A number as people write it, never more than it is."""
    if is_share(cost):
        return measured(cost, math.floor(value * 1000) / 1000)
    return measured(cost, math.floor(value))
