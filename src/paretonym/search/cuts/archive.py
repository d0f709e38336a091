"""Everything a search over cuts has found that nothing else beats, and what it hands back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.counted import Counted, joined
from paretonym.frontier.dominance import as_costs, finite, frontier_places
from paretonym.frontier.indicators import hypervolume
from paretonym.recoding.cuts.space import Genomes
from paretonym.search.cuts.evaluating import Candidates
from paretonym.search.cuts.problem import CutsProblem

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Front:
    """Candidates of which none beats another: the genome of each, what was counted, the objectives, and the
    order in which they were found."""

    genomes: Genomes
    counted: Counted
    values: Floats
    found: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.values)

    def take(self, places: npt.NDArray[np.integer]) -> Front:
        return Front(self.genomes[places], self.counted.take(places), self.values[places], self.found[places])


@dataclass(frozen=True, eq=False)
class CutsFound:
    """What a search comes back with; `complete` only if every genome was evaluated."""

    front: Front
    evaluated: int
    complete: bool = False
    interrupted: bool = False


class Archive:
    """The best so far. Of equal vectors the first found stays."""

    def __init__(self, problem: CutsProblem) -> None:
        self._problem = problem
        self._found = 0
        width = len(problem.objectives)
        empty = Counted(
            np.empty(0, dtype=np.int64),
            np.empty((0, 7), dtype=np.int64),
            np.empty((0, problem.cost_digits)),
            np.empty((0, problem.width)),
        )
        genomes = np.empty((0, problem.space.length), dtype=np.bool_)
        self.front = Front(genomes, empty, np.empty((0, width)), np.empty(0, dtype=np.int64))

    def add(self, candidates: Candidates) -> npt.NDArray[np.bool_]:
        """Take in the candidates that meet the requirements. Says which of them are in the front now."""
        if self._problem.requirements:
            met = np.flatnonzero(self._problem.admissible(self._problem.facts(candidates.counted)))
            candidates = candidates.taken(met)
        number = len(candidates.values)
        found = np.arange(self._found, self._found + number)
        self._found += number
        values = np.concatenate([self.front.values, candidates.values])
        when = np.concatenate([self.front.found, found])
        kept = frontier_places(values, self._problem.directions, when)
        genomes = np.concatenate([self.front.genomes, candidates.genomes[candidates.counted.nodes]])
        counted = joined([self.front.counted, candidates.counted]).take(kept)
        before = len(self.front)
        self.front = Front(genomes[kept], counted, values[kept], when[kept])
        entered = np.zeros(number, dtype=np.bool_)
        entered[kept[kept >= before] - before] = True
        return entered

    def hypervolume(self) -> float:
        """The share of the box between the best and the worst that is known, for progress."""
        return share(self.front.values, self._problem)


def share(values: Floats, problem: CutsProblem) -> float:
    """The hypervolume of vectors in a box that depends on the table alone, as a share of the box.

    Losses lie between 0 and 1. Numbers of rows are taken by their logarithm: from 1 to 10 is worth as much as
    from 10 to 100, so that no one class of everybody outweighs all others.
    """
    scaled, directions = scaled_values(values, problem)
    if len(scaled) == 0:
        return 0.0
    return hypervolume(scaled, directions, [0.0 if d == "max" else 1.0 for d in directions])


def scaled_values(values: Floats, problem: CutsProblem) -> tuple[Floats, tuple[str, ...]]:
    """Objectives between 0 and 1."""
    columns = []
    for j, objective in enumerate(problem.objectives):
        column = finite(values[:, j : j + 1])[:, 0]
        high = objective.card.highest
        if high is None:
            column = np.log(np.maximum(column, 1.0)) / np.log(max(problem.cube.rows, 2))
        elif high != 0:
            column = column / high
        columns.append(np.clip(column, 0.0, 1.0))
    return np.stack(columns, axis=1), problem.directions


def costs_of(values: Floats, problem: CutsProblem) -> Floats:
    """All objectives between 0 and 1, less being better."""
    scaled, directions = scaled_values(values, problem)
    return as_costs(scaled, directions)
