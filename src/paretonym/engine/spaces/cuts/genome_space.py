"""The space of cuts of one cube: atoms, gaps, and what a choice of cuts shows. Where a column may be cut is
a tree over its atoms, the smallest sets that a cut can separate.

A branch covers neighbouring atoms. It is one group, or it is cut: an open branch anywhere between its atoms,
a closed one between all its children, each of which is in turn one group or cut. A tree of the schema has
closed branches only; a column without one is a single open branch, unless some atoms must stay alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from threading import Lock
from typing import NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Integers
from paretonym.base.errors import Field, InputError
from paretonym.base.factorize import distinct_rows, group_sums, starts_of
from paretonym.engine.counts import Axis, Cube
from paretonym.engine.recoding import Atoms

Bits: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Branch:
    """The atoms from `first` up to but excluding `after`. With `whole` they may be one group."""

    first: int
    after: int
    whole: bool
    open: bool
    children: tuple[Branch, ...] = ()

    @property
    def gaps(self) -> slice:
        """The gaps inside: gap i lies behind atom i."""
        return slice(self.first, self.after - 1)

    @property
    def cuts(self) -> tuple[int, ...]:
        """The gaps between the children of a closed branch."""
        return tuple(child.after - 1 for child in self.children[:-1])


def valid(branch: Branch, bits: Bits) -> bool:
    """True if every group is one that the tree allows.

    >>> pair = Branch(1, 3, True, False, (Branch(1, 2, True, True), Branch(2, 3, True, True)))
    >>> tree = Branch(0, 3, True, False, (Branch(0, 1, True, True), pair))
    >>> [valid(tree, np.array(bits, dtype=bool)) for bits in ([0, 0], [1, 0], [1, 1], [0, 1])]
    [True, True, True, False]
    """
    if not bits[branch.gaps].any():
        return branch.whole
    if branch.open:
        return True
    return all(bits[gap] for gap in branch.cuts) and all(valid(child, bits) for child in branch.children)


def drawn(branch: Branch, bits: Bits, generator: np.random.Generator) -> None:
    """Write a random valid choice into `bits`, from the root down: a coin decides for each closed branch
    whether its parts are distinguished (Section 6.4 of the trade-offs paper), and for each gap of an open
    one."""
    bits[branch.gaps] = False
    if branch.open:
        bits[branch.gaps] = generator.random(branch.after - branch.first - 1) < 0.5
        return
    if branch.whole and generator.random() < 0.5:
        return
    for gap in branch.cuts:
        bits[gap] = True
    for child in branch.children:
        drawn(child, bits, generator)


def coarsest(branch: Branch) -> Bits:
    """The coarsest valid choice, as the bits of the branch's own gaps."""
    bits = np.zeros(branch.after - branch.first - 1, dtype=np.bool_)
    if not branch.whole:
        bits[[gap - branch.first for gap in branch.cuts]] = True
    return bits


def count(branch: Branch) -> int:
    """The number of valid choices."""
    if branch.after - branch.first == 1:
        return 1
    if branch.open:
        return int(2 ** (branch.after - branch.first - 1)) - (not branch.whole)
    ways = 1
    for child in branch.children:
        ways *= count(child)
    return ways + branch.whole


def branches_of(axis: Axis, firsts: Integers) -> Branch:
    """The tree over atoms that begin at these leaves. Levels above the axis's highest are never reached."""
    total = len(firsts)
    levels = [
        axis.hierarchy.levels[level].groups[firsts]
        for level in range(axis.highest, max(axis.lowest - 1, -1), -1)
    ]
    whole = axis.highest == axis.hierarchy.height
    if axis.cutting.order == "tree":
        return _closed(0, total, whole, levels)
    if whole and axis.cutting.alone == 0:
        return Branch(0, total, True, True)
    if whole:
        edges = [0, *range(total - axis.cutting.alone, total + 1)]
    else:
        edges = [0, *(np.flatnonzero(np.diff(levels[0])) + 1).tolist(), total]
    blocks = tuple(Branch(a, b, True, True) for a, b in pairwise(edges) if a < b)
    return Branch(0, total, whole, False, blocks) if len(blocks) > 1 else Branch(0, total, True, True)


def _closed(first: int, after: int, whole: bool, levels: list[npt.NDArray[np.int32]]) -> Branch:
    """A branch whose children are the sets of the first level that divides it."""
    for depth, groups in enumerate(levels):
        edges = [first, *(np.flatnonzero(np.diff(groups[first:after])) + 1 + first).tolist(), after]
        if len(edges) > 2:
            children = tuple(_closed(a, b, True, levels[depth + 1 :]) for a, b in pairwise(edges))
            return Branch(first, after, whole, False, children)
    return Branch(first, after, True, True)


Genomes: TypeAlias = npt.NDArray[np.bool_]

# The cost of a group is looked up for every pair of atoms.
MOST_ATOMS = 2000


@dataclass(frozen=True, eq=False)
class CutAxis(Atoms):
    """The atoms of one quasi-identifier, and the tree that a choice of cuts between them must respect."""

    root: Branch

    @classmethod
    def of(cls, axis: Axis) -> CutAxis:
        atoms = Atoms.of(axis)
        root = branches_of(axis, atoms.edges[:-1])
        return cls(atoms.axis, atoms.edges, atoms.sizes, atoms.domain, root)

    @property
    def shown_up_to(self) -> Integers:
        """For each gap, the largest k with which some release may show a cut there. -1 in a tree, where
        groups have names, beside what lies behind a line, and where the schema bounds levels: groups in which
        nothing stays may be shown as part of others there, although they must be made."""
        most = np.full(len(self) - 1, -1, dtype=np.int64)
        line = self.gaps.length
        if self.gaps.numeric and (self.root.open or self.root.children[0].after == line):
            most[: line - 1] = self.gaps.shown_up_to(self.people)[1:line]
        return most

    def groups(self, bits: Bits) -> tuple[Integers, Integers]:
        """Where the groups begin and end, in atoms."""
        inner = np.flatnonzero(bits) + 1
        edges = np.concatenate([[0], inner, [len(self)]]).astype(np.int64)
        return edges[:-1], edges[1:]


_known: WeakKeyDictionary[Cube, tuple[CutAxis, ...]] = WeakKeyDictionary()
_lock = Lock()


def cut_axes(cube: Cube) -> tuple[CutAxis, ...]:
    """The axes of a cube with their atoms, made once: all cuts of a table share them."""
    with _lock:
        if cube not in _known:
            _known[cube] = tuple(map(CutAxis.of, cube.axes))
        return _known[cube]


def _fewer_places(axis: Axis) -> str:
    """Settings of a schema that give a column fewer places to cut. Only numbers have granules."""
    higher = (
        f"levels = [{axis.lowest + 1}, {axis.highest}]" if axis.steps > 1 else "a hierarchy of more levels"
    )
    return f"a granularity or {higher}" if axis.cutting.order == "numbers" else higher


class AtomTuples(NamedTuple):
    """Distinct tuples: the atom of each axis, the rows, and which of them each tuple of the cube is."""

    atoms: npt.NDArray[np.int32]
    counts: Integers
    merged: Integers


@dataclass(frozen=True, eq=False)
class GenomeSpace:
    """All valid cuts of a cube's quasi-identifiers. A genome holds a bit for each gap of each axis, the axes
    behind one another; a set bit is a cut."""

    axes: tuple[CutAxis, ...]

    @classmethod
    def of(cls, cube: Cube) -> GenomeSpace:
        axes = cut_axes(cube)
        for axis, cut_axis in zip(cube.axes, axes, strict=True):
            if len(cut_axis) > MOST_ATOMS:
                raise InputError.of(
                    f"column '{cut_axis.name}'",
                    f"it can be cut in {len(cut_axis) - 1:,} places, more than {MOST_ATOMS:,}",
                    f"give it {_fewer_places(axis)}, or use {Field('space', 'lattice')}",
                )
        return cls(axes)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where the bits of each axis begin; the last entry is the length of a genome."""
        lengths = [len(axis) - 1 for axis in self.axes]
        return tuple(int(start) for start in starts_of(lengths))

    @property
    def length(self) -> int:
        return self.starts[-1]

    @cached_property
    def size(self) -> int:
        """The number of valid genomes."""
        size = 1
        for axis in self.axes:
            size *= count(axis.root)
        return size

    @property
    def ends(self) -> Genomes:
        """The coarsest and the finest genome: all others lie between them."""
        finest = np.ones(self.length, dtype=np.bool_)
        parts = [coarsest(axis.root) for axis in self.axes]
        return np.stack([np.concatenate([finest[:0], *parts]), finest])

    def part(self, place: int) -> slice:
        """The bits of one axis."""
        return slice(self.starts[place], self.starts[place + 1])

    def valid(self, genome: Bits) -> bool:
        return all(valid(axis.root, genome[self.part(j)]) for j, axis in enumerate(self.axes))

    def random(self, number: int, generator: np.random.Generator) -> Genomes:
        """Random valid genomes, drawn from the trees."""
        genomes = np.zeros((number, self.length), dtype=np.bool_)
        for genome in genomes:
            for j, axis in enumerate(self.axes):
                drawn(axis.root, genome[self.part(j)], generator)
        return genomes

    def tuples(self, cube: Cube) -> AtomTuples:
        """The distinct tuples of a cube, in atoms."""
        columns = [axis.atom_of_group[cube.groups[:, j]] for j, axis in enumerate(self.axes)]
        first, merged, _ = distinct_rows(columns, [len(axis) for axis in self.axes])
        counts = group_sums(merged, cube.counts, len(first))
        return AtomTuples(np.stack([column[first] for column in columns], axis=1), counts, merged)

    def groups(self, genome: Bits) -> tuple[tuple[Integers, Integers], ...]:
        """Where the groups of each axis begin and end, in atoms."""
        return tuple(axis.groups(genome[self.part(j)]) for j, axis in enumerate(self.axes))

    def starts_of_groups(self, genome: Bits) -> list[Integers]:
        """The first atoms of the groups of each axis."""
        return [firsts for firsts, _ in self.groups(genome)]

    @cached_property
    def shown_up_to(self) -> Integers:
        """For each gap, the largest k with which some release may show a cut there; -1 where nothing is known
        about it."""
        return np.concatenate([np.empty(0, dtype=np.int64), *(axis.shown_up_to for axis in self.axes)])
