"""The frontier while it is being found: candidates come in any order, what remains does not depend on it."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.frontier.dominance import frontier_places
from paretonym.search.problem import Problem

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

# Merging is put off until so many candidates wait.
_PATIENCE = 50_000


class Collector:
    """Takes counted candidates and keeps those that no other beats; of equals the least node stays."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._waiting: list[tuple[Integers, Floats, Floats]] = []
        self._count = 0

    def add(self, counted: Integers, spent: Floats) -> None:
        """Add candidates; dominated ones among them go at once."""
        values = self._problem.values(self._problem.facts(counted, spent))
        kept = frontier_places(values, self._problem.directions, counted[:, 0])
        self._waiting.append((counted[kept], spent[kept], values[kept]))
        self._count += len(kept)
        if self._count > _PATIENCE:
            self._merge()
            self._count = 0

    def result(self) -> tuple[Integers, Floats]:
        """The counts of the frontier, ordered by the first objective, best first."""
        self._merge()
        counted, spent, _ = self._waiting[0]
        return counted, spent

    def _merge(self) -> None:
        counted = np.concatenate([part[0] for part in self._waiting])
        spent = np.concatenate([part[1] for part in self._waiting])
        values = np.concatenate([part[2] for part in self._waiting])
        kept = frontier_places(values, self._problem.directions, counted[:, 0])
        self._waiting = [(counted[kept], spent[kept], values[kept])]
