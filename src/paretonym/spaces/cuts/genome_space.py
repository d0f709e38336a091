"""The space of cuts of one cube: atoms, gaps, and what a choice of cuts shows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers
from paretonym.counts import Axis, Cube
from paretonym.errors import Field, InputError
from paretonym.factorize import distinct_rows
from paretonym.recoding import Atoms
from paretonym.spaces.cuts.branches import Bits, Branch, branches_of, coarsest, count, drawn, valid

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
    """What a schema can declare so that a column has fewer places to cut. Only numbers have granules."""
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
        for axis, each in zip(cube.axes, axes, strict=True):
            if len(each) > MOST_ATOMS:
                raise InputError.of(
                    f"column '{each.name}'",
                    f"it can be cut in {len(each) - 1:,} places, more than {MOST_ATOMS:,}",
                    f"give it {_fewer_places(axis)}, or use {Field('space', 'lattice')}",
                )
        return cls(axes)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where the bits of each axis begin; the last entry is the length of a genome."""
        lengths = [len(axis) - 1 for axis in self.axes]
        return tuple(int(start) for start in np.concatenate([[0], np.cumsum(lengths)]))

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
        counts = np.zeros(len(first), dtype=np.int64)
        np.add.at(counts, merged, cube.counts)
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
