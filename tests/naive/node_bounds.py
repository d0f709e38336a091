"""Bounds of nodes, drawn at random: for kernels and their twins."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from random import Random

import numpy as np

from paretonym.engine.counts.kernel_interface import Bounds


def drawn_bounds(
    generator: Random, nodes: int, objectives: int, size_place: int, shape: Sequence[int] = (1,)
) -> Bounds:
    sizes = np.array(sorted(generator.sample(range(1, 40), 6)), dtype=np.int64)
    numbers = np.random.default_rng(generator.randint(0, 10**6))
    return Bounds.made(
        size_place=size_place,
        suppressible=generator.choice([0, 1, 10, 50, 10_000]),
        known=-numbers.integers(1, 40, (nodes, 1)).astype(np.float64),
        staircase=np.sort(numbers.integers(0, 60, (nodes, len(sizes))), axis=1).astype(np.int32),
        sizes=sizes,
        place=np.array([max(size_place, 0)], dtype=np.int64),
        tops=np.array(shape, dtype=np.int64) - 1,
        weights=np.array([prod(shape[j + 1 :]) for j in range(len(shape))], dtype=np.int64),
        conditional=np.array([generator.randint(0, 1)], dtype=np.int64),
        whole=numbers.integers(0, 2, nodes).astype(np.uint8),
        required=np.where(numbers.random(objectives) < 0.3, 0.0, np.inf),
    )
