"""Crossover and mutation of the trade-offs paper, for whole populations: children of the valid are valid."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from paretonym.spaces.cuts.genome_space import CutAxis, Genomes, GenomeSpace

CROSSOVER = 0.9
MUTATION = 0.1


class Breeding:
    """The operators of Section 6.3 over one space. A column with a tree, or with values that must stay alone,
    is crossed where both parents are cut (Lunacek et al. 2006); any other anywhere."""

    def __init__(self, space: GenomeSpace, crossover: float = CROSSOVER, mutation: float = MUTATION) -> None:
        self.space = space
        self.crossover = crossover
        self.mutation = mutation

    @cached_property
    def free(self) -> npt.NDArray[np.bool_]:
        """The gaps that mutation may turn: those of columns that may be cut anywhere."""
        free = np.zeros(self.space.length, dtype=np.bool_)
        for j, axis in enumerate(self.space.axes):
            free[self.space.part(j)] = anywhere(axis)
        return free

    def children(self, mothers: Genomes, fathers: Genomes, generator: np.random.Generator) -> Genomes:
        """Two children of each pair, one behind the other: crossed, then mutated."""
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
    # The point is drawn among the common cuts; beside them, nothing or everything is behind it.
    weights = np.where(both, generator.random((pairs, gaps)), -1.0)
    common = both.any(axis=1)
    point = weights.argmax(axis=1) if gaps else np.zeros(pairs, dtype=np.int64)
    start = np.where(common, point, np.where(generator.random(pairs) < 0.5, 0, gaps))
    result: npt.NDArray[np.bool_] = np.arange(gaps) >= start[:, None]
    return result
