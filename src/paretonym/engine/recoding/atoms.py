"""Atoms: the smallest sets of a column's values that a cut may separate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Codes, Integers, Mask
from paretonym.base.factorize import starts_of
from paretonym.engine.counts import Axis
from paretonym.engine.recoding.boundaries import Gaps
from paretonym.engine.recoding.equivalence_classes import ShownSets


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

    @cached_property
    def listed(self) -> Mask:
        """True for the atoms of values that the schema lists, whether or not they occur."""
        return np.asarray(self.edges[:-1] < self.axis.hierarchy.listed)

    @cached_property
    def named_sets(self) -> npt.NDArray[np.int32]:
        """The atoms of the set that holds an atom, from the first up to but excluding the last, at each level
        of a tree, the coarsest first. Other columns have none."""
        hierarchy, lowest = self.axis.hierarchy, self.axis.lowest
        levels = [] if self.axis.cutting.on_line else hierarchy.levels[: lowest - 1 if lowest else None : -1]
        groups = [level.groups[self.edges[:-1]] for level in levels]
        runs = [
            [np.searchsorted(of_level, of_level, side) for side in ("left", "right")] for of_level in groups
        ]
        return np.array(runs, dtype=np.int32).reshape(-1, 2, len(self))

    def named_run(self, first: int, last: int, before: int, behind: int) -> tuple[int, int]:
        """The set of a group of names from its first atom up to the last, as if only those existed that are
        there; `before` and `behind` are the next ones of these on both sides. A single one is itself, all are
        everything, others the coarsest set of a tree that holds no more of them."""
        if first == last:
            return first, last + 1
        if before < 0 and behind == len(self):
            return 0, len(self)
        firsts, afters = self.named_sets[:, 0, first], self.named_sets[:, 1, first]
        fit = np.flatnonzero((firsts > before) & (afters > last) & (afters <= behind))
        return (int(firsts[fit[0]]), int(afters[fit[0]])) if len(fit) else (first, last + 1)

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
