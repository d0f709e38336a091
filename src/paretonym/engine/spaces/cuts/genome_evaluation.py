"""Measuring whole populations of genomes, on all cores, each once; and the archive of what nothing else
dominates and may be released.

A candidate with a cut that cannot be shown (`recoding.boundaries`) is none. The groups on both sides of it
can be merged instead: that is another genome, evaluated like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.engine.counts import Counted
from paretonym.engine.counts import kernel_library as library
from paretonym.engine.frontier import as_costs, finite, frontier_places
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem
from paretonym.engine.spaces.cuts.genome_classes import (
    candidates_of,
    classes_that_stay,
    genome_classes,
    shown_classes,
)
from paretonym.engine.spaces.cuts.genome_counts import genome_counter
from paretonym.engine.spaces.cuts.genome_space import Genomes

# Genomes of one piece of work: enough to keep a thread busy, few enough to share out evenly.
_PIECE = 25
# Genomes between two looks at the clock if each takes long.
_DEAR = 8


@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidates with the genome of each, and what was measured: rows as those of `CutsProblem.table`, of
    which the first columns are the objectives."""

    genomes: Genomes
    table: Floats
    objectives: int

    @classmethod
    def none(cls, problem: CutsProblem) -> Candidates:
        """No candidates of a problem."""
        genomes = np.empty((0, problem.space.length), dtype=np.bool_)
        return cls(genomes, np.empty((0, len(problem.measured) + 3)), len(problem.objectives))

    def __len__(self) -> int:
        return len(self.table)

    @property
    def values(self) -> Floats:
        return self.table[:, : self.objectives]

    @property
    def measures(self) -> Floats:
        return self.table[:, :-3]

    @property
    def suppressed(self) -> Integers:
        """Number of suppressed rows."""
        return self.table[:, -3].astype(np.int64)

    @property
    def shown(self) -> Mask:
        """True where all cuts can be shown."""
        return np.asarray(self.table[:, -2] == 0)

    @property
    def admissible(self) -> Mask:
        """True where all requirements are met."""
        return np.asarray(self.table[:, -1] == 1)

    def take(self, places: npt.NDArray[np.integer] | Mask) -> Candidates:
        return replace(self, genomes=self.genomes[places], table=self.table[places])

    def followed_by(self, others: Candidates) -> Candidates:
        """These candidates, then others."""
        genomes = np.concatenate([self.genomes, others.genomes])
        return replace(self, genomes=genomes, table=np.concatenate([self.table, others.table]))


class Evaluator:
    """Measures genomes and returns their candidates. A genome that was seen before is not measured again: if
    each has one candidate, that is remembered; if each has many, the genome is skipped."""

    def __init__(self, problem: CutsProblem, pool: Executor | None = None) -> None:
        self.problem = problem
        # Persons may be in several classes: they are counted in numpy, and so is what classes show.
        compiled = problem.cube.rows <= library.MOST_ROWS and problem.cube.persons is None
        self._count = genome_counter(problem) if compiled and not problem.from_classes else None
        self._pool = pool
        self._seen: dict[bytes, Floats | None] = {}
        self._many = problem.rule.kind == "any"

    @property
    def evaluated(self) -> int:
        """The number of different genomes measured."""
        return len(self._seen)

    def fresh(self, genomes: Genomes) -> Genomes:
        """The genomes that were never measured, each once, in their order."""
        places: dict[bytes, int] = {}
        for place, name in enumerate(_names(genomes)):
            if name not in self._seen:
                places.setdefault(name, place)
        return genomes[list(places.values())]

    def portions(self, genomes: Genomes) -> Iterator[Genomes]:
        """The genomes in portions, which are small if each genome takes long, so that a search can stop in
        between."""
        step = _DEAR if self.problem.from_classes else max(len(genomes), 1)
        return (genomes[start : start + step] for start in range(0, len(genomes), step))

    def evaluate(self, genomes: Genomes) -> Candidates:
        """The candidates of these genomes."""
        fresh, none = self.fresh(genomes), Candidates.none(self.problem)
        places, table = self._measured(fresh)
        if self._many:
            self._seen.update(dict.fromkeys(_names(fresh)))
            return replace(none, genomes=fresh[places], table=table)
        self._seen.update(zip(_names(fresh), table, strict=True))
        rows = [self._seen[name] for name in _names(genomes)]
        return replace(none, genomes=genomes, table=np.array(rows).reshape(-1, none.table.shape[1]))

    def _measured(self, genomes: Genomes) -> tuple[Integers, Floats]:
        """The place of each candidate's genome, and the table of the candidates."""
        run = map if self._pool is None else self._pool.map
        if self._count is None:
            tables = list(run(partial(candidates_of, self.problem), genomes))
            places = np.repeat(np.arange(len(genomes)), [len(table) for table in tables])
            return places, np.concatenate([Candidates.none(self.problem).table, *tables])
        starts = range(0, max(len(genomes), 1), _PIECE)
        pieces = [genomes[start : start + _PIECE] for start in starts]
        parts = list((run if len(pieces) > 1 else map)(self._count, pieces))
        counted = Counted.joined(
            [part._replace(nodes=part.nodes + start) for start, part in zip(starts, parts, strict=True)]
        )
        return counted.nodes, self.problem.table(self.problem.facts(counted), counted.facts[:, -1])


def _names(genomes: Genomes) -> Sequence[bytes]:
    return [row.tobytes() for row in np.packbits(genomes, axis=1)]


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


def costs_of(values: Floats, problem: CutsProblem) -> Floats:
    """All objectives between 0 and 1, less being better.

    Losses lie between 0 and 1. Numbers of rows are compared by their logarithm: from 1 to 10 is worth as much
    as from 10 to 100, so that a single class of all rows does not outweigh everything else.
    """
    columns = []
    for j, objective in enumerate(problem.objectives):
        column = finite(values[:, j : j + 1])[:, 0]
        high = objective.card.scale.highest
        if high is None:
            column = np.log(np.maximum(column, 1.0)) / np.log(max(problem.cube.rows, 2))
        elif high != 0:
            column = column / high
        columns.append(np.clip(column, 0.0, 1.0))
    return as_costs(np.stack(columns, axis=1), problem.directions)
