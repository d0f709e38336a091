"""The cuts of a node of the lattice: the groups of its levels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paretonym.engine.spaces.cuts.genome_space import Bits, GenomeSpace


def genome_of(space: GenomeSpace, levels: Sequence[int]) -> Bits:
    """The genome of a node; a level finer than the atoms becomes the atoms."""
    genome = np.zeros(space.length, dtype=np.bool_)
    for j, (axis, level) in enumerate(zip(space.axes, levels, strict=True)):
        genome[space.part(j)] = np.diff(axis.axis.hierarchy.levels[level].groups[axis.edges[:-1]]) != 0
    return genome
