"""The frontier while it is being found, and what a search comes back with. Candidates come in any order; what
remains does not depend on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats, Integers
from paretonym.budget import Limits
from paretonym.counts import Counted
from paretonym.frontier import frontier_places
from paretonym.search.problem import Problem
from paretonym.search.search_options import STANDARD, Tuning

# Merging is postponed until this many candidates wait.
_PATIENCE = 50_000


@dataclass(frozen=True, eq=False)
class Best:
    """Candidates of which none beats another, with their objectives. Of equals the least node stays."""

    counted: Counted
    values: Floats


def best_of(problem: Problem, counted: Counted) -> Best:
    """The candidates that no other among them beats."""
    facts = problem.facts(counted)
    return admitted(problem, counted, problem.admissible(facts), problem.values(facts))


def admitted(problem: Problem, counted: Counted, mask: npt.NDArray[np.bool_], values: Floats) -> Best:
    """The best of the candidates that are admissible."""
    if mask.all():
        return filtered(problem, counted, values)
    places = np.flatnonzero(mask)
    return filtered(problem, counted.take(places), values[places])


def merged(problem: Problem, parts: Sequence[Best]) -> Best:
    """The best of several, whatever their order."""
    values = np.concatenate([part.values for part in parts])
    return filtered(problem, Counted.joined([part.counted for part in parts]), values)


def filtered(problem: Problem, counted: Counted, values: Floats) -> Best:
    """The best of candidates whose objectives are known."""
    kept = frontier_places(values, problem.directions, counted.nodes)
    return Best(counted.take(kept), values[kept])


class Collector:
    """The best so far. Merging is put off until many candidates wait."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._parts: list[Best] = []
        self._waiting = 0

    def add(self, best: Best) -> None:
        self._parts.append(best)
        self._waiting += len(best.values)
        if self._waiting > _PATIENCE:
            self.best()

    def enter(self, counted: Counted, mask: npt.NDArray[np.bool_], values: Floats) -> None:
        """Add those of some candidates that are admissible; which of them are best is found when merging."""
        if not mask.all():
            counted, values = counted.take(np.flatnonzero(mask)), values[mask]
        self.add(Best(counted, values))

    def best(self) -> Best:
        """The frontier so far, ordered by the first objective, best first."""
        if len(self._parts) != 1 or self._waiting:
            self._parts = [merged(self._problem, self._parts)]
            self._waiting = 0
        return self._parts[0]


@dataclass(frozen=True, slots=True)
class Unresolved:
    """What could still beat a solution: how many nodes, and the best that they could reach together."""

    nodes: int
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The frontier found, the number of nodes evaluated, and whether it is proven to be all. If not, `open`
    nodes were neither evaluated nor closed, and `unresolved` says for each solution what they could do. Of
    `in_part` nodes some rows were counted, which was enough to close them; all counting in part took as long
    as `effort` evaluations, by the tuples that were counted."""

    best: Best
    evaluated: int
    complete: bool
    open: int = 0
    unresolved: tuple[Unresolved, ...] = ()
    in_part: int = 0
    effort: float = 0.0
    interrupted: bool = False

    @property
    def values(self) -> Floats:
        """The objectives of what was found, one row each."""
        return self.best.values

    def take(self, places: Integers) -> Found:
        """Some of what was found; with less than all it is no complete frontier."""
        return replace(
            self,
            best=Best(self.best.counted.take(places), self.best.values[places]),
            complete=self.complete and len(places) == len(self.best.values),
            unresolved=tuple(self.unresolved[place] for place in places) if self.unresolved else (),
        )


class Search(Protocol):
    """A way to the frontier of a problem on the lattice, or near to it."""

    def __call__(self, problem: Problem, limits: Limits, tuning: Tuning = STANDARD) -> Found: ...
