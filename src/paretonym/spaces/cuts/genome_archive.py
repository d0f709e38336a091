"""Everything that a search over cuts has found that nothing else dominates and that may be released, and its
result.

A candidate with a cut that cannot be shown (`recoding.boundaries`) is none. The groups on both sides of it
can be merged instead: that is another genome, evaluated like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats
from paretonym.frontier import as_costs, finite, frontier_places, hypervolume
from paretonym.spaces.cuts.cuts_problem import CutsProblem
from paretonym.spaces.cuts.genome_classes import classes_that_stay, genome_classes, shown_classes
from paretonym.spaces.cuts.genome_evaluation import Candidates, Evaluator
from paretonym.spaces.cuts.genome_space import Genomes

# How often cuts are removed from what would show too much: each time, other classes may stay.
_REPAIRS = 4


@dataclass(frozen=True, eq=False)
class CutsFound:
    """The result of a search; `complete` only if every genome was evaluated or closed. `least_losses` are
    steps of k and the loss that no cuts with at least this k are below."""

    front: Candidates
    evaluated: int
    complete: bool = False
    interrupted: bool = False
    least_losses: tuple[tuple[int, float], ...] = ()

    @property
    def values(self) -> Floats:
        return self.front.values


class Archive:
    """The best so far. Of equal vectors the first one stays. A candidate with a cut that cannot be shown is
    never added; `repaired` are genomes without the cuts that excluded some of the best."""

    def __init__(self, problem: CutsProblem) -> None:
        self._problem = problem
        self._repaired: list[npt.NDArray[np.bool_]] = []
        self.front = Candidates.none(problem)

    def add(self, candidates: Candidates) -> bool:
        """Add the candidates that meet the requirements and may be released. Returns whether any is in the
        front now. Of others that would enter it, what is left of the genome is tried instead."""
        allowed = candidates.take(candidates.admissible)
        if not allowed.shown.all():
            entering = self._entering(allowed)
            hidden = entering[~allowed.shown[entering]]
            self._repaired += [without_hidden_cuts(self._problem, allowed, place) for place in hidden]
            allowed = allowed.take(allowed.shown)
        places = self._best(allowed)
        before, self.front = len(self.front), self.front.followed_by(allowed).take(places)
        return bool((places >= before).any())

    def _entering(self, candidates: Candidates) -> npt.NDArray[np.int64]:
        """Which of these candidates nothing dominates, in the front or among themselves."""
        places = self._best(candidates) - len(self.front)
        return places[places >= 0]

    def _best(self, candidates: Candidates) -> npt.NDArray[np.int64]:
        """The places of the best among the front, followed by these candidates."""
        values = np.concatenate([self.front.values, candidates.values])
        return frontier_places(values, self._problem.directions, np.arange(len(values)))

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


def without_hidden_cuts(problem: CutsProblem, candidates: Candidates, place: int) -> npt.NDArray[np.bool_]:
    """The genome of a candidate without the cuts that cannot be shown."""
    genome, names = candidates.genomes[place], (measure.name for measure in problem.measured)
    made = genome_classes(problem, genome)
    values = dict(zip(names, candidates.measures[place].tolist(), strict=True))
    _, hidden = shown_classes(problem, genome, made, classes_that_stay(problem, made, values))
    return np.asarray(genome & ~hidden, dtype=np.bool_)


def added(archive: Archive, evaluator: Evaluator, genomes: Genomes) -> Iterator[tuple[Candidates, bool]]:
    """Evaluate genomes and put them into an archive, then what comes of those that would show too much
    without the cuts that do: the candidates, and whether any of them is in the front."""
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
