"""Everything that a search over cuts has found that nothing else dominates and that may be released, and its
result.

A candidate with a cut that cannot be shown (`recoding.boundaries`) is none. The groups on both sides of it
can be merged instead: that is another genome, evaluated like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats
from paretonym.counts import Counted
from paretonym.frontier import as_costs, finite, frontier_places, hypervolume
from paretonym.spaces.cuts.cuts_problem import CutsProblem
from paretonym.spaces.cuts.genome_classes import genome_classes, shown_classes, stays_of
from paretonym.spaces.cuts.genome_evaluation import Candidates, Evaluator
from paretonym.spaces.cuts.genome_space import Genomes

# How often cuts are removed from what would show too much: each time, other classes may stay.
_REPAIRS = 4


@dataclass(frozen=True, eq=False)
class Front:
    """Candidates of which none dominates another: the genome of each, what was counted, the objectives, and
    the order in which they were found."""

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
    """The result of a search; `complete` only if every genome was evaluated or closed, otherwise `open` are
    left. `least_losses` are steps of k and the loss that no cuts with at least this k are below."""

    front: Front
    evaluated: int
    open: int
    complete: bool = False
    interrupted: bool = False
    in_part: int = 0
    least_losses: tuple[tuple[int, float], ...] = ()

    @classmethod
    def of(
        cls,
        problem: CutsProblem,
        front: Front,
        evaluated: int,
        complete: bool = False,
        interrupted: bool = False,
    ) -> CutsFound:
        not_tried = 0 if complete else problem.size - min(evaluated, problem.size - 1)
        return cls(front, evaluated, not_tried, complete, interrupted)

    @property
    def values(self) -> Floats:
        return self.front.values

    def take(self, places: npt.NDArray[np.integer]) -> CutsFound:
        """A part of what was found, which is not a complete frontier unless it is everything."""
        complete = self.complete and len(places) == len(self.front)
        return replace(self, front=self.front.take(places), complete=complete)


class Archive:
    """The best so far. Of equal vectors the first found stays. A candidate with a cut that cannot be shown is
    never added; `repaired` are genomes without the cuts that excluded some of the best."""

    def __init__(self, problem: CutsProblem) -> None:
        self._problem = problem
        self._found = 0
        self._repaired: list[npt.NDArray[np.bool_]] = []
        width = len(problem.objectives)
        empty = Counted(
            np.empty(0, dtype=np.int64),
            np.empty((0, problem.facts_kept), dtype=np.int64),
            np.empty((0, len(problem.costs)), dtype=np.int64),
            np.empty((0, problem.width)),
        )
        genomes = np.empty((0, problem.space.length), dtype=np.bool_)
        self.front = Front(genomes, empty, np.empty((0, width)), np.empty(0, dtype=np.int64))

    def add(self, candidates: Candidates) -> npt.NDArray[np.bool_]:
        """Add the candidates that meet the requirements and may be released. Returns which of all are in the
        front now."""
        number = len(candidates.values)
        places = np.arange(number)
        if self._problem.requirements:
            places = np.flatnonzero(self._problem.admissible(self._problem.facts(candidates.counted)))
        places = self._admitted(candidates, places)
        chosen = candidates.taken(places)
        numbers = self._found + places
        self._found += number
        values = np.concatenate([self.front.values, chosen.values])
        when = np.concatenate([self.front.found, numbers])
        best = frontier_places(values, self._problem.directions, when)
        genomes = np.concatenate([self.front.genomes, chosen.genomes[chosen.counted.nodes]])
        counted = Counted.joined([self.front.counted, chosen.counted]).take(best)
        before = len(self.front)
        self.front = Front(genomes[best], counted, values[best], when[best])
        entered = np.zeros(number, dtype=np.bool_)
        entered[places[best[best >= before] - before]] = True
        return entered

    def _admitted(self, candidates: Candidates, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The candidates that can be shown; of the others that would enter the front, what is left of the
        genome is tried instead."""
        can_be_shown = candidates.counted.facts[:, -1] == 0
        for candidate in self._entering(candidates, places).tolist():
            if not can_be_shown[candidate]:
                self._repaired.append(without_hidden_cuts(self._problem, candidates, candidate))
        admitted: npt.NDArray[np.int64] = places[can_be_shown[places]]
        return admitted

    def _entering(self, candidates: Candidates, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Which of these candidates nothing dominates, here or there."""
        values = np.concatenate([self.front.values, candidates.values[places]])
        best = frontier_places(values, self._problem.directions, np.arange(len(values)))
        before = len(self.front)
        return places[best[best >= before] - before]

    def repaired(self) -> Genomes:
        """The genomes to try in place of what was excluded, returned only once."""
        # A schema that bounds levels may need a cut that may not be shown.
        allowed = [genome for genome in self._repaired if self._problem.space.valid(genome)]
        genomes = np.array(allowed, dtype=np.bool_).reshape(-1, max(self._problem.space.length, 1))
        self._repaired = []
        return genomes[:, : self._problem.space.length]

    def hypervolume(self) -> float:
        """The hypervolume so far, as a share of the box between the best and the worst known values, for
        progress."""
        return share(self.front.values, self._problem)


def without_hidden_cuts(
    problem: CutsProblem, candidates: Candidates, candidate: int
) -> npt.NDArray[np.bool_]:
    """The genome of a candidate without the cuts that cannot be shown."""
    counted = candidates.counted.take(np.array([candidate]))
    genome = candidates.genomes[counted.nodes[0]]
    made = genome_classes(problem, genome)
    (stays,) = stays_of(problem, made, counted)
    _, hidden = shown_classes(problem, genome, made, stays)
    return np.asarray(genome & ~hidden, dtype=np.bool_)


def added(
    archive: Archive, evaluator: Evaluator, genomes: Genomes
) -> Iterator[tuple[Candidates, npt.NDArray[np.bool_]]]:
    """Evaluate genomes and put them into an archive, then what comes of those that would show too much
    without the cuts that do: the candidates, and which of them are in the front."""
    for _ in range(_REPAIRS):
        candidates = evaluator.evaluate(genomes)
        yield candidates, archive.add(candidates)
        genomes = evaluator.fresh(archive.repaired())
        if len(genomes) == 0:
            return


def share(values: Floats, problem: CutsProblem) -> float:
    """The hypervolume of vectors in a box that depends on the table alone, as a share of the box.

    Losses lie between 0 and 1. Numbers of rows are compared by their logarithm: from 1 to 10 is worth as much
    as from 10 to 100, so that a single class of all rows does not outweigh everything else.
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
        high = objective.card.scale.highest
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
