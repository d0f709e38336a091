"""Every genome of a small space."""

from __future__ import annotations

from itertools import product

import numpy as np

from paretonym.spaces.cuts.branches import Bits, Branch
from paretonym.spaces.cuts.genome_space import Genomes, GenomeSpace


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
    found = [np.zeros(gaps, dtype=np.bool_)] if branch.whole else []
    cut = np.ones(1, dtype=np.bool_)
    for choice in product(*(every_choice(child) for child in branch.children)):
        parts = [part for bits in choice for part in (bits, cut)][:-1]
        found.append(np.concatenate(parts))
    return found
