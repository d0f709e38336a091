"""The frontier while it is being found: candidates come in any order, what remains does not depend on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.frontier.dominance import frontier_places
from paretonym.search.problem import Problem

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
# Node numbers, what was counted of each candidate, and the cost of its suppressed rows.
Counted: TypeAlias = tuple[Integers, Integers, Floats]

# Merging is put off until so many candidates wait.
_PATIENCE = 50_000


@dataclass(frozen=True, eq=False)
class Best:
    """Candidates of which none beats another, with their objectives. Of equals the least node stays."""

    counted: Counted
    values: Floats


def best_of(problem: Problem, counted: Counted) -> Best:
    """The candidates that no other among them beats."""
    return _filtered(problem, counted, problem.values(problem.facts(*counted)))


def merged(problem: Problem, parts: Sequence[Best]) -> Best:
    """The best of several, whatever their order."""
    nodes, facts, costs = zip(*(part.counted for part in parts), strict=True)
    counted = np.concatenate(nodes), np.concatenate(facts), np.concatenate(costs)
    return _filtered(problem, counted, np.concatenate([part.values for part in parts]))


def _filtered(problem: Problem, counted: Counted, values: Floats) -> Best:
    nodes, facts, costs = counted
    kept = frontier_places(values, problem.directions, nodes)
    return Best((nodes[kept], facts[kept], costs[kept]), values[kept])


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

    def best(self) -> Best:
        """The frontier so far, ordered by the first objective, best first."""
        self._parts = [merged(self._problem, self._parts)]
        self._waiting = 0
        return self._parts[0]
