"""Small steps from one valid choice of cuts to another: merge siblings, split a node, cut, join, shift.

A move clears some bits and sets others, whatever the genome; the tables hold both for every move, so that
many children are made at once. Setting a cut inside a branch also sets what its ancestors need, so every
child of a valid genome is valid.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers
from paretonym.spaces.cuts.branches import Branch
from paretonym.spaces.cuts.genome_space import Genomes, GenomeSpace

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
        """Everything that one move makes of a genome."""
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
