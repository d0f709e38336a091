"""Measuring whole populations of genomes, on all cores; equal genomes are measured once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats, Integers, Mask
from paretonym.counts import Counted
from paretonym.counts import kernel_library as library
from paretonym.spaces.cuts.cuts_problem import CutsProblem
from paretonym.spaces.cuts.genome_classes import candidates_of
from paretonym.spaces.cuts.genome_counts import genome_counter
from paretonym.spaces.cuts.genome_space import Genomes

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
        """How many rows are suppressed."""
        return self.table[:, -3].astype(np.int64)

    @property
    def shown(self) -> Mask:
        """Whether all cuts can be shown."""
        return np.asarray(self.table[:, -2] == 0)

    @property
    def admissible(self) -> Mask:
        """Whether all requirements are met."""
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
