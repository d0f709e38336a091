"""Random recodings of the space of cuts whose labels show no value that too few rows have."""

from __future__ import annotations

import numpy as np

from paretonym.counts.cube import Cube
from paretonym.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.spaces.cuts.genome_space import GenomeSpace


def random_cuts(cube: Cube, seed: int, share: float = 1 / 3) -> CutsRecoding:
    """Random cuts; about this share of the class sizes go, the smallest first."""
    space = GenomeSpace.of(cube)
    genome = space.random(1, np.random.default_rng(seed))[0]
    while True:
        rows = CutsRecoding.of(space, genome, {}).unlabelled(cube).rows
        sizes = sorted(set(rows.tolist()))
        k = sizes[int(len(sizes) * share)]
        wrong = space.made_of_values(genome[None])[0] & (space.weights < k)
        if not wrong.any():
            return CutsRecoding.of(space, genome, {"k": f">={k}"})
        genome = genome & ~wrong
