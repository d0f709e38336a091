"""Atoms: the smallest sets of a column's values that a cut may separate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Codes, Integers
from paretonym.counts import Axis
from paretonym.factorize import starts_of
from paretonym.recoding.boundaries import Gaps
from paretonym.recoding.equivalence_classes import ShownSets


@dataclass(frozen=True, eq=False)
class Atoms:
    """One quasi-identifier in atoms: `edges[i]` is the first leaf of atom i, the last entry the number of
    leaves; `sizes` counts the domain values of each atom (a granule counts as one); `domain` is D."""

    axis: Axis
    edges: Integers
    sizes: Integers
    domain: int

    @classmethod
    def of(cls, axis: Axis) -> Atoms:
        firsts, granules, domain = _firsts(axis), axis.cutting.granules, axis.hierarchy.domain
        edges = np.append(firsts, len(axis.hierarchy.leaves)).astype(np.int64)
        placed = firsts < domain
        sizes = placed.astype(np.int64) if granules is not None else np.diff(np.minimum(edges, domain))
        return Atoms(axis, edges, sizes, int(sizes.sum()))

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def name(self) -> str:
        return self.axis.name

    @cached_property
    def atom_of_group(self) -> npt.NDArray[np.int32]:
        """The atom of each group at the lowest level, which is what the tuples of the cube hold."""
        lowest = self.axis.hierarchy.levels[self.axis.lowest]
        return (np.searchsorted(self.edges, lowest.edges[:-1], side="right") - 1).astype(np.int32)

    @cached_property
    def rows(self) -> Integers:
        """Number of rows of the input in each atom."""
        before = starts_of(self.axis.leaf_rows)
        return np.diff(before[self.edges]).astype(np.int64)

    @cached_property
    def people(self) -> Integers:
        """Number of rows, or persons, of the input with the values of each atom."""
        before = starts_of(self.axis.leaf_sizes)
        return np.diff(before[self.edges]).astype(np.int64)

    @cached_property
    def gaps(self) -> Gaps:
        """Where cuts between atoms are shown."""
        return Gaps.of(self.axis, self.edges, self.axis.cutting.granules is not None)

    def sets(self, firsts: Integers, afters: Integers, labels: tuple[str, ...] | None = None) -> ShownSets:
        """Groups of atoms as sets of leaves. A group without a domain value represents the whole domain."""
        before = starts_of(self.sizes)
        sizes = before[afters] - before[firsts]
        return ShownSets(
            labels or ("",) * len(firsts),
            np.where(sizes == 0, self.domain, sizes),
            self.edges[firsts],
            self.edges[afters],
            domain=self.domain,
        )


def sizes_among(axis: Axis, sets: ShownSets, leaves: Codes) -> tuple[Integers, int]:
    """The number of values in each set and in the domain: those that the schema lists, and those of these
    leaves."""
    hierarchy = axis.hierarchy
    occurs = np.bincount(leaves, minlength=len(hierarchy.leaves)) > 0
    occurs[: hierarchy.listed] = True
    values = np.flatnonzero(occurs[: hierarchy.domain])
    if sets.domain is not None and axis.cutting.granules is not None:
        # A granule is one value.
        atoms = np.searchsorted(Atoms.of(axis).edges, values, side="right")
        values = values[np.unique(atoms, return_index=True)[1]]
    sizes = np.searchsorted(values, sets.after) - np.searchsorted(values, sets.first)
    # A set without a value represents all of them.
    return np.where(sizes == 0, len(values), sizes), len(values)


def _firsts(axis: Axis) -> Integers:
    """The first leaf of each atom: a group at the lowest level, or where there are granules the least union
    of groups and of granules."""
    changes = np.diff(axis.hierarchy.levels[axis.lowest].groups) != 0
    if axis.cutting.granules is not None:
        changes &= np.diff(axis.cutting.granules.groups) != 0
    return np.concatenate([[0], np.flatnonzero(changes) + 1]).astype(np.int64)
