"""Atoms: the smallest sets of a column's values that a cut may separate, and labels for runs of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers
from paretonym.counts import Axis
from paretonym.errors import Bug
from paretonym.recoding.equivalence_classes import ShownSets
from paretonym.recoding.set_labels import Boundaries, Run, run_labels, set_labels


@dataclass(frozen=True, eq=False)
class Atoms:
    """One quasi-identifier in atoms: `edges[i]` is the first leaf of atom i, the last entry the number of
    leaves; `sizes` counts the domain values of each atom (a granule counts as one); `domain` is D."""

    axis: Axis
    edges: Integers
    labels: tuple[str, ...]
    sizes: Integers
    domain: int

    @classmethod
    def of(cls, axis: Axis) -> Atoms:
        firsts, labels = _atoms(axis)
        granules, domain = axis.cutting.granules, axis.hierarchy.domain
        edges = np.append(firsts, len(axis.hierarchy.leaves)).astype(np.int64)
        placed = firsts < domain
        sizes = placed.astype(np.int64) if granules is not None else np.diff(np.minimum(edges, domain))
        return Atoms(axis, edges, labels, sizes, int(sizes.sum()))

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def name(self) -> str:
        return self.axis.name

    @property
    def constrained(self) -> bool:
        """Whether groups must respect a tree."""
        return self.axis.cutting.order == "tree"

    @cached_property
    def atom_of_group(self) -> npt.NDArray[np.int32]:
        """The atom of each group at the lowest level, which is what the tuples of the cube hold."""
        lowest = self.axis.hierarchy.levels[self.axis.lowest]
        first = np.searchsorted(lowest.groups, np.arange(len(lowest.labels)))
        return (np.searchsorted(self.edges, first, side="right") - 1).astype(np.int32)

    @cached_property
    def rows(self) -> Integers:
        """How many rows of the input lie in each atom."""
        before = np.concatenate([[0], np.cumsum(self.axis.leaf_rows)])
        return np.diff(before[self.edges]).astype(np.int64)

    @cached_property
    def boundaries(self) -> Boundaries:
        """Which cuts can be shown, and their labels."""
        return Boundaries.of(self.axis, self.edges)

    def called(self, firsts: Integers, afters: Integers, k: int) -> tuple[str, ...]:
        """Labels of groups of atoms, in a release whose smallest class has k rows."""
        boundaries = self.boundaries
        return run_labels(
            self.axis, self.labels, firsts, afters, self.named, lambda atom: boundaries.text(atom, k)
        )

    @cached_property
    def named(self) -> dict[Run, str]:
        """The groups that have a name already."""
        return _named(self.axis)

    def shown(self, firsts: Integers, afters: Integers, k: int | None = None) -> ShownSets:
        """Groups of atoms as sets of leaves, with the labels that they have in a release with this k, or
        without labels. A group without a domain value represents the whole domain."""
        before = np.concatenate([[0], np.cumsum(self.sizes)])
        sizes = before[afters] - before[firsts]
        return ShownSets(
            ("",) * len(firsts) if k is None else self.called(firsts, afters, k),
            np.where(sizes == 0, self.domain, sizes),
            self.edges[firsts],
            self.edges[afters],
            domain=self.domain,
        )


def _atoms(axis: Axis) -> tuple[Integers, tuple[str, ...]]:
    """The first leaf and the label of each atom: a group at the lowest level, or where there are granules
    the least union of groups and of granules."""
    lowest, granules = axis.hierarchy.levels[axis.lowest], axis.cutting.granules
    changes = np.diff(lowest.groups) != 0
    shown = lowest
    if granules is not None:
        changes &= np.diff(granules.groups) != 0
        shown = granules if axis.lowest == 0 else lowest
    firsts = np.concatenate([[0], np.flatnonzero(changes) + 1]).astype(np.int64)
    afters = np.append(firsts[1:], len(lowest.groups))
    if np.array_equal(shown.groups[firsts], np.arange(len(shown.labels))):
        return firsts, shown.labels
    # An atom of several granules or groups is labelled like any other union.
    ends = shown.groups[firsts], shown.groups[afters - 1] + 1
    return firsts, run_labels(axis, shown.labels, *ends, _named(axis), _no_boundary)


def _no_boundary(_: int) -> str:
    raise Bug("granules have ends of their own")


def _named(axis: Axis) -> dict[Run, str]:
    """The names of sets. Only those of a tree keep them; for other sets a name beside intervals would
    mislead."""
    return set_labels(axis) if axis.cutting.order == "tree" else {}
