"""Operators on genomes: small moves, crossover and mutation, and enumeration.

A move merges siblings, splits a node, cuts, joins or shifts. It clears some bits and sets others, whatever
the genome; the tables hold both for every move, so that many children are made at once. Setting a cut inside
a branch also sets what its ancestors need, so every child of a valid genome is valid.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers
from paretonym.spaces.cuts.genome_space import Bits, Branch, CutAxis, Genomes, GenomeSpace

CROSSOVER = 0.9
MUTATION = 0.1
# The bits of one axis that a move clears, and those that it sets.
Change: TypeAlias = tuple[list[int], list[int]]


class Moves:
    """All moves of a space."""

    def __init__(self, space: GenomeSpace) -> None:
        self.space = space
        changes = [
            (self.space.starts[j], change)
            for j, axis in enumerate(space.axes)
            for change in _changes(axis.root, [])
        ]
        self.clears = np.zeros((len(changes), space.length), dtype=np.bool_)
        self.sets = np.zeros((len(changes), space.length), dtype=np.bool_)
        for place, (start, (cleared, put)) in enumerate(changes):
            self.clears[place, [start + gap for gap in cleared]] = True
            self.sets[place, [start + gap for gap in put]] = True

    def __len__(self) -> int:
        return len(self.clears)

    @cached_property
    def _keeps(self) -> Genomes:
        return ~self.clears

    def moved(self, genomes: Genomes, which: Integers) -> Genomes:
        """Each genome after one move."""
        result: Genomes = (genomes & self._keeps[which]) | self.sets[which]
        return result

    def neighbours(self, genome: npt.NDArray[np.bool_]) -> Genomes:
        """All genomes that one move makes of a genome."""
        return (genome & self._keeps) | self.sets


def _changes(branch: Branch, above: list[int]) -> Iterator[Change]:
    """The moves of a branch and of all below it. `above` are the cuts that its ancestors need."""
    gaps = list(range(branch.first, branch.after - 1))
    if not gaps:
        return
    if branch.whole:
        yield gaps, []
    if branch.open:
        for gap in gaps:
            yield [gap], []
            yield [], [*above, gap]
        for gap in gaps[1:]:
            yield [gap], [*above, gap - 1]
            yield [gap - 1], [*above, gap]
        return
    cuts = [*above, *branch.cuts]
    yield gaps, cuts
    for child in branch.children:
        yield from _changes(child, cuts)


class Breeding:
    """The operators of Section 6.3 over one space. A column with a tree, or with values that must stay alone,
    is crossed where both parents are cut (Lunacek et al. 2006); any other anywhere."""

    def __init__(self, space: GenomeSpace, crossover: float = CROSSOVER, mutation: float = MUTATION) -> None:
        self.space = space
        self.crossover = crossover
        self.mutation = mutation

    @cached_property
    def free(self) -> npt.NDArray[np.bool_]:
        """The gaps that mutation may flip: those of columns that may be cut anywhere."""
        free = np.zeros(self.space.length, dtype=np.bool_)
        for j, axis in enumerate(self.space.axes):
            free[self.space.part(j)] = anywhere(axis)
        return free

    def children(self, mothers: Genomes, fathers: Genomes, generator: np.random.Generator) -> Genomes:
        """Two children of each pair, one after the other: crossover, then mutation."""
        first, second = mothers.copy(), fathers.copy()
        crossed = generator.random(len(mothers)) < self.crossover
        for j, axis in enumerate(self.space.axes):
            part = self.space.part(j)
            after = behind(mothers[:, part], fathers[:, part], anywhere(axis), generator)
            after &= crossed[:, None]
            first[:, part] = np.where(after, fathers[:, part], mothers[:, part])
            second[:, part] = np.where(after, mothers[:, part], fathers[:, part])
        both = np.stack([first, second], axis=1).reshape(2 * len(mothers), self.space.length)
        turned = (generator.random(both.shape) < self.mutation) & self.free
        return both ^ turned


def anywhere(axis: CutAxis) -> bool:
    """Whether any bits are valid."""
    return axis.root.open


def behind(
    mothers: Genomes, fathers: Genomes, free: bool, generator: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """The bits behind the crossover point of each pair. Where no gap is cut in both parents, the whole
    column comes from one of them, by a coin."""
    pairs, gaps = mothers.shape
    if free:
        starts = generator.integers(0, gaps + 1, pairs)
        return np.asarray(np.arange(gaps) >= starts[:, None], dtype=np.bool_)
    both = mothers & fathers
    # The point is one of the common cuts; without any it lies before or behind all gaps.
    weights = np.where(both, generator.random((pairs, gaps)), -1.0)
    common = both.any(axis=1)
    point = weights.argmax(axis=1) if gaps else np.zeros(pairs, dtype=np.int64)
    start = np.where(common, point, np.where(generator.random(pairs) < 0.5, 0, gaps))
    result: npt.NDArray[np.bool_] = np.arange(gaps) >= start[:, None]
    return result


def every_genome(space: GenomeSpace) -> Genomes:
    """All valid genomes, the coarsest choices of each column first."""
    columns = [every_choice(axis.root) for axis in space.axes]
    genomes = [np.concatenate(choice) for choice in product(*columns)]
    return np.array(genomes, dtype=np.bool_).reshape(len(genomes), space.length)


def every_choice(branch: Branch) -> list[Bits]:
    """All valid choices for one branch: the bits of its own gaps."""
    gaps = branch.after - branch.first - 1
    if branch.open:
        return [np.array(bits, dtype=np.bool_) for bits in product((False, True), repeat=gaps)]
    choices = [np.zeros(gaps, dtype=np.bool_)] if branch.whole else []
    cut = np.ones(1, dtype=np.bool_)
    for choice in product(*(every_choice(child) for child in branch.children)):
        parts = [part for bits in choice for part in (bits, cut)][:-1]
        choices.append(np.concatenate(parts))
    return choices
