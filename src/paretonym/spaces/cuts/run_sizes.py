"""The sizes of runs of a column's atoms: their rows, or the different persons who have rows in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers, Mask
from paretonym.counts import Cube
from paretonym.factorize import distinct_rows
from paretonym.recoding import Atoms


@dataclass(frozen=True, eq=False)
class RunSizes:
    """`before[a]` counts what the atoms before a have, each atom by itself. Somebody with rows in several
    atoms of a run is counted in it once: `again[a, b]` is how often persons would be counted again in the run
    from atom a up to but excluding b.

    A person's atoms in a run lie side by side in the ascending list of the person's atoms. So there is one
    less pair of neighbours in it than atoms, or none: atoms minus pairs is 1 for everybody who is there.
    """

    before: Integers
    again: npt.NDArray[np.int32] | None = None

    @classmethod
    def of(cls, cube: Cube, axis: Atoms, place: int, stay: Mask | None = None) -> RunSizes:
        """The sizes of the runs of one axis, of all tuples or of those that `stay`."""
        atoms = axis.atom_of_group[cube.groups[:, place]]
        if cube.persons is None:
            rows = cube.counts if stay is None else np.where(stay, cube.counts, 0)
            return cls.of_rows(np.rint(np.bincount(atoms, rows, len(axis))).astype(np.int64))
        persons = cube.persons
        here = slice(None) if stay is None else stay[persons.tuples]
        ids, own = persons.ids[here], atoms[persons.tuples[here]].astype(np.int64)
        first, _, _ = distinct_rows([ids, own], [persons.number, len(axis)])
        return cls.of_persons(ids[first], own[first], len(axis))

    @classmethod
    def of_rows(cls, rows: Integers) -> RunSizes:
        """Given the rows of each atom."""
        return cls(np.concatenate([[0], np.cumsum(rows)]))

    @classmethod
    def of_persons(cls, ids: Integers, atoms: Integers, length: int) -> RunSizes:
        """Given pairs of a person and an atom, each once.

        >>> sizes = RunSizes.of_persons(np.array([0, 0, 1]), np.array([0, 2, 2]), 3)
        >>> [int(sizes.between(*run)) for run in [(0, 1), (1, 2), (2, 3), (0, 3)]]
        [1, 0, 2, 2]
        """
        sizes = cls.of_rows(np.bincount(atoms, minlength=length))
        order = np.lexsort((atoms, ids))
        ids, atoms = ids[order], atoms[order]
        same = ids[1:] == ids[:-1]
        if not same.any():
            return sizes
        again = np.zeros((length + 1, length + 1), dtype=np.int32)
        # A pair lies in a run that begins no later than its first atom and ends after its second.
        np.add.at(again, (atoms[:-1][same], atoms[1:][same] + 1), 1)
        again = np.cumsum(np.cumsum(again[::-1], axis=0)[::-1], axis=1, dtype=np.int32)
        return cls(sizes.before, again)

    def between(self, first: Integers, after: Integers) -> Integers:
        """The sizes of runs, given the first atom of each and the one after its last."""
        sizes = self.before[after] - self.before[first]
        return sizes if self.again is None else sizes - self.again[first, after]
