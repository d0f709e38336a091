"""The archive: the frontier while it is being found, and the result of a search. The result does not depend
on the order of the candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats, Integers
from paretonym.base.budget import Limits
from paretonym.engine.counts import Counted
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.frontier import as_costs, frontier_places
from paretonym.engine.search.bounds import best_costs
from paretonym.engine.search.problem import Problem
from paretonym.engine.search.search_options import STANDARD, Tuning

# Merging is postponed until this many candidates wait.
_PATIENCE = 50_000


@dataclass(frozen=True, eq=False)
class Best:
    """Candidates of which none dominates another, with their objectives. Of equal ones, the lowest node
    stays."""

    counted: Counted
    values: Floats


def best_of(problem: Problem, counted: Counted) -> Best:
    """The candidates that no other one dominates."""
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
    best = frontier_places(values, problem.directions, counted.nodes)
    return Best(counted.take(best), values[best])


class Collector:
    """The best so far. Merging is put off until many candidates wait."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._parts: list[Best] = []
        self._waiting = 0
        self._seen: Floats | None = None

    def add(self, best: Best) -> None:
        self._parts.append(best)
        self._waiting += len(best.values)
        if self._waiting > _PATIENCE:
            self.best()

    def enter(self, counted: Counted, mask: npt.NDArray[np.bool_], values: Floats) -> None:
        """Add the admissible ones of some candidates; which of them are best is determined when merging."""
        if not mask.all():
            counted, values = counted.take(np.flatnonzero(mask)), values[mask]
        self.add(Best(counted, values))

    def best(self) -> Best:
        """The frontier so far, ordered by the first objective, best first."""
        if len(self._parts) != 1 or self._waiting:
            self._parts = [merged(self._problem, self._parts)]
            self._waiting = 0
        return self._parts[0]

    def best_costs(self) -> interface.Best:
        """The frontier so far, as costs; recomputed only if it changed."""
        values = self.best().values
        if self._seen is not values:
            self._seen, self._costs = values, best_costs(as_costs(values, self._problem.directions))
        return self._costs


def nodes_of(collector: Collector) -> list[int]:
    """The nodes of the frontier so far: evaluated again, they give the same frontier."""
    nodes: list[int] = np.unique(collector.best().counted.nodes).tolist()
    return nodes


@dataclass(frozen=True, slots=True)
class Unresolved:
    """Nodes that could still dominate a solution: how many, and the best that they could reach together."""

    nodes: int
    values: tuple[float, ...]


class LeastCosts(NamedTuple):
    """No release with at least the first number of a step as its k costs less than the second; `cost` is the
    place of the objective."""

    cost: int
    steps: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The frontier found, the number of nodes evaluated, and whether it is proven complete. If not, `open`
    nodes were neither evaluated nor closed, and `unresolved` says for each solution what they could do.
    `in_part` nodes were closed after only some of their rows, or the sizes of their classes, were counted.
    `least_costs` is what no release is below, whatever the open nodes hold."""

    best: Best
    evaluated: int
    complete: bool
    open: int = 0
    unresolved: tuple[Unresolved, ...] = ()
    in_part: int = 0
    interrupted: bool = False
    least_costs: LeastCosts | None = None

    @property
    def values(self) -> Floats:
        """The objectives of the solutions found, one row each."""
        return self.best.values

    def take(self, places: Integers) -> Found:
        """A part of what was found, which is not a complete frontier unless it is everything."""
        return replace(
            self,
            best=Best(self.best.counted.take(places), self.best.values[places]),
            complete=self.complete and len(places) == len(self.best.values),
            unresolved=tuple(self.unresolved[place] for place in places) if self.unresolved else (),
        )


class Search(Protocol):
    """A search for the frontier of a problem on the lattice, exact or approximate."""

    def __call__(self, problem: Problem, limits: Limits, tuning: Tuning = STANDARD) -> Found: ...
