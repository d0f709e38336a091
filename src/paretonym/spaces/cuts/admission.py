"""Which candidates may be released as they are: their labels show no value that fewer than k rows have.

A cut that the schema does not give is shown only in a release whose k is at most the number of rows that have
a value beside it (`recoding.set_labels`), and only if both groups beside it hold at least k rows that stay.
What such a cut parts can be taken together instead: that is another genome, and it is evaluated as any other.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers, Mask
from paretonym.counts import Counted
from paretonym.spaces.cuts.cuts_problem import CutsProblem
from paretonym.spaces.cuts.genome_space import Genomes
from paretonym.spaces.cuts.numpy_genomes import genome_classes, stays_of


class Admission:
    """Judges the candidates of some genomes. What can be told from the rows of all groups is told for all at
    once; the classes of a candidate are looked at only where that does not decide."""

    def __init__(self, problem: CutsProblem, genomes: Genomes, counted: Counted) -> None:
        self.problem, self.genomes, self.counted = problem, genomes, counted
        space = problem.space
        self._made = space.made_of_values(genomes)
        self._beside = space.rows_beside(genomes, [axis.rows for axis in space.axes])
        most = np.where(self._made, np.minimum(space.weights, self._beside), np.iinfo(np.int64).max)
        rows = np.where(self._made, self._beside, np.iinfo(np.int64).max)
        self._most = most.min(axis=1, initial=np.iinfo(np.int64).max)[counted.nodes]
        self._rows = rows.min(axis=1, initial=np.iinfo(np.int64).max)[counted.nodes]

    @property
    def k(self) -> Integers:
        """The smallest class of each candidate that stays."""
        return self.counted.facts[:, 0]

    def possible(self) -> Mask:
        """Which candidates are not refuted by the rows of their groups alone."""
        return np.asarray(self.k <= self._most, dtype=np.bool_)

    def certain(self) -> Mask:
        """Which candidates are admitted, whichever rows are suppressed."""
        gone = self.counted.facts[:, 1]
        return np.asarray(self.possible() & (self.k <= self._rows - gone), dtype=np.bool_)

    def admits(self, candidate: int) -> bool:
        return not self._wrong(candidate).any()

    def without_wrong_cuts(self, candidate: int) -> npt.NDArray[np.bool_]:
        """The genome of a candidate without the cuts that it may not show."""
        genome = self.genomes[self.counted.nodes[candidate]]
        return np.asarray(genome & ~self._wrong(candidate), dtype=np.bool_)

    def _wrong(self, candidate: int) -> Mask:
        """The cuts that the labels of a candidate may not show."""
        node, k = self.counted.nodes[candidate], self.k[candidate]
        most = np.minimum(self.problem.space.weights, self._beside[node])
        short: Mask = self._made[node] & (most < k)
        if short.any() or self.certain()[candidate]:
            return short
        genome = self.genomes[node]
        beside = self.problem.space.rows_beside(genome[None], self._staying(candidate))[0]
        return np.asarray(self._made[node] & (beside < k), dtype=np.bool_)

    def _staying(self, candidate: int) -> list[Integers]:
        """The rows of each atom of each axis that stay."""
        problem, counted = self.problem, self.counted.take(np.array([candidate]))
        classes = genome_classes(problem, self.genomes[counted.nodes[0]])
        (stays,) = stays_of(problem, classes, counted)
        rows = np.where(stays[classes.of_tuple], problem.cube.counts, 0)
        atoms = (
            (axis, axis.atom_of_group[problem.cube.groups[:, j]]) for j, axis in enumerate(problem.space.axes)
        )
        return [
            np.rint(np.bincount(places, weights=rows, minlength=len(axis))).astype(np.int64)
            for axis, places in atoms
        ]
