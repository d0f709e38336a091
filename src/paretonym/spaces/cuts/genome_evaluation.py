"""Counting whole populations of genomes, on all cores; equal genomes are counted once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats, Integers
from paretonym.counts import Counted
from paretonym.counts import kernel_library as library
from paretonym.measures import Realized
from paretonym.spaces.cuts.cuts_problem import CutsProblem
from paretonym.spaces.cuts.genome_classes import genome_classes, plain_counter, shown_classes, stays_of
from paretonym.spaces.cuts.genome_counts import genome_counter
from paretonym.spaces.cuts.genome_space import Genomes

# Genomes of one piece of work: enough to keep a thread busy, few enough to share out evenly.
_PIECE = 25
# Genomes between two looks at the clock if each takes long.
_DEAR = 8


class Candidates(NamedTuple):
    """The candidates of some genomes: for each, the place of its genome, what was counted, and the
    objectives."""

    genomes: Genomes
    counted: Counted
    values: Floats

    def taken(self, places: Integers) -> Candidates:
        """Some of them."""
        return Candidates(self.genomes, self.counted.take(places), self.values[places])


def counter(problem: CutsProblem) -> Counter:
    """The counter for genomes of this problem. May be called from several threads at once."""
    # Persons may be in several classes: they are counted in numpy.
    compiled = problem.cube.rows <= library.MOST_ROWS and not problem.of_persons
    return seeing(problem, genome_counter(problem) if compiled else plain_counter(problem))


class Evaluator:
    """Counts genomes and returns their candidates. A genome that was seen before is not counted again: if
    each has one candidate, that is remembered; if each has many, the genome is skipped."""

    def __init__(self, problem: CutsProblem, pool: Executor | None = None) -> None:
        self.problem = problem
        self._count = counter(problem)
        self._pool = pool
        self._seen: dict[bytes, int] = {}
        self._log: Counted | None = None
        self._many = problem.rule.kind == "any"
        self._piece = 1 if problem.from_classes else _PIECE

    @property
    def evaluated(self) -> int:
        """The number of different genomes counted."""
        return len(self._seen)

    def fresh(self, genomes: Genomes) -> Genomes:
        """The genomes that were never counted, each once, in their order."""
        names: dict[bytes, int] = {}
        for place, row in enumerate(np.packbits(genomes, axis=1)):
            name = row.tobytes()
            if name not in self._seen:
                names.setdefault(name, place)
        return genomes[list(names.values())]

    def portions(self, genomes: Genomes) -> Iterator[Genomes]:
        """The genomes in portions, which are small if each genome takes long, so that a search can stop in
        between."""
        step = _DEAR if self.problem.from_classes else max(len(genomes), 1)
        return (genomes[start : start + step] for start in range(0, len(genomes), step))

    def evaluate(self, genomes: Genomes) -> Candidates:
        """The candidates of these genomes."""
        fresh = self.fresh(genomes)
        counted = self._counted(fresh)
        start = len(self._seen)
        for number, row in enumerate(np.packbits(fresh, axis=1)):
            self._seen[row.tobytes()] = start + number
        if self._many:
            return self._candidates(fresh, counted)
        self._remember(counted, start)
        places = np.array([self._seen[row.tobytes()] for row in np.packbits(genomes, axis=1)], dtype=np.int64)
        log = self._log if self._log is not None else counted
        return self._candidates(genomes, log.take(places)._replace(nodes=np.arange(len(genomes))))

    def _candidates(self, genomes: Genomes, counted: Counted) -> Candidates:
        return Candidates(genomes, counted, self.problem.values(self.problem.facts(counted)))

    def _counted(self, genomes: Genomes) -> Counted:
        step = self._piece
        pieces = [genomes[start : start + step] for start in range(0, len(genomes), step)] or [genomes]
        run = map if self._pool is None or len(pieces) < 2 else self._pool.map
        parts = list(run(self._count, pieces))
        places = [part.nodes + step * i for i, part in enumerate(parts)]
        return Counted.joined(parts)._replace(nodes=np.concatenate(places))

    def _remember(self, counted: Counted, start: int) -> None:
        """Keep what was counted, in memory that grows by doubling."""
        needed = start + len(counted.nodes)
        if self._log is None or needed > len(self._log.nodes):
            larger = Counted.room(max(1024, 2 * needed), *(array.shape[1] for array in counted[1:]))
            if self._log is not None:
                for old, new in zip(self._log, larger, strict=True):
                    new[:start] = old[:start]
            self._log = larger
        for part, log in zip(counted, self._log, strict=True):
            log[start:needed] = part


# Counts the candidates of some genomes; the `nodes` in the result are the genomes' places.
Counter: TypeAlias = Callable[[Genomes], Counted]


def seeing(problem: CutsProblem, count: Counter) -> Counter:
    """The counter, which appends to the statistics what is measured from the classes of each candidate."""
    if not problem.from_classes:
        return count

    def counted(genomes: Genomes) -> Counted:
        plain = count(genomes)
        unknown = np.full((len(plain.nodes), len(problem.from_classes)), np.nan)
        whole = plain._replace(statistics=np.concatenate([plain.statistics, unknown], axis=1))
        for place in np.unique(plain.nodes):
            candidates = np.flatnonzero(plain.nodes == place)
            values = _measured(problem, genomes[place], whole.take(candidates))
            whole.statistics[candidates, len(problem.statistics) :] = values
        return whole

    return counted


def _measured(problem: CutsProblem, genome: npt.NDArray[np.bool_], counted: Counted) -> Floats:
    """The measures of the candidates of one genome, one row each."""
    made = genome_classes(problem, genome)
    seen = [
        Realized(problem.cube, shown_classes(problem, genome, made, stays)[0], stays)
        for stays in stays_of(problem, made, counted)
    ]
    return np.array(
        [[o.from_classes(realized) for o in problem.from_classes] for realized in seen], dtype=np.float64
    )
