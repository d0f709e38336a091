"""NSGA-II as the trade-offs paper uses it (Section 6), with an archive of non-dominated solutions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats, Integers
from paretonym.base.budget import Limits
from paretonym.base.thread_pool import workers
from paretonym.engine.frontier import as_costs, finite
from paretonym.engine.search import STANDARD, Tuning
from paretonym.engine.spaces.cuts import (
    GENERATION_OPTIONS,
    GENERATIONS,
    Archive,
    CutAxis,
    CutsFound,
    CutsProblem,
    Evaluator,
    Genomes,
    GenomeSpace,
    added,
    crowding,
    cuts_search,
    usual_population,
)
from paretonym.engine.spaces.space import SearchMethod

CROSSOVER = 0.9
MUTATION = 0.1


def search_nsga2(problem: CutsProblem, limits: Limits, tuning: Tuning = STANDARD) -> CutsFound:
    """Random genomes from the trees, then generation after generation; nothing about the result is proven."""
    size = tuning.population or usual_population(problem)
    generations = tuning.generations or GENERATIONS
    if tuning.evaluations is not None:
        generations = max(0, tuning.evaluations // size - 1)
    interrupted = False
    with workers(limits.threads) as pool:
        evaluator = Evaluator(problem, pool)
        search = Nsga2(evaluator, limits, size, size * (generations + 1), tuning.seed or 0)
        try:
            search.take_in(problem.space.random(size, search.generator))
            for _ in range(generations):
                if limits.over:
                    break
                search.step()
        except KeyboardInterrupt:
            interrupted = True
    return CutsFound(search.archive.front, evaluator.evaluated, interrupted=interrupted)


class Nsga2:
    """A population of `size`, one individual for each candidate that stays in it; `total` genomes may be
    tried."""

    def __init__(self, evaluator: Evaluator, limits: Limits, size: int, total: int, seed: int) -> None:
        problem = self.problem = evaluator.problem
        self.evaluator, self.archive, self.limits = evaluator, Archive(problem), limits
        self.generator, self.breeding = np.random.default_rng(seed), Breeding(problem.space)
        self.size, self.total, self.done = size, total, 0
        self.genomes: Genomes = np.empty((0, problem.space.length), dtype=np.bool_)
        self.values: Floats = np.empty((0, len(problem.objectives)))
        self.ranks: Integers = np.empty(0, dtype=np.int64)
        self.lonely: Floats = np.empty(0)

    def step(self) -> None:
        """One generation: parents by tournament, children by crossover and mutation, and the best of both
        stay."""
        pairs = (self.size + 1) // 2
        mothers, fathers = self._tournament(pairs), self._tournament(pairs)
        children = self.breeding.children(self.genomes[mothers], self.genomes[fathers], self.generator)
        self.take_in(children[: self.size])

    def _tournament(self, number: int) -> Integers:
        """Of two drawn at random, the one of lower rank or, at equal rank, the less crowded one."""
        one, other = self.generator.integers(0, len(self.genomes), (2, number))
        lower = self.ranks[one] < self.ranks[other]
        tied = self.ranks[one] == self.ranks[other]
        better = lower | (tied & (self.lonely[one] >= self.lonely[other]))
        return np.asarray(np.where(better, one, other), dtype=np.int64)

    def take_in(self, genomes: Genomes) -> None:
        """The best of these and of the population; of these as many as there is time for."""
        pools, values = [self.genomes], [self.values]
        for portion in self.evaluator.portions(genomes):
            if self.limits.over and self.done:
                break
            for candidates, _ in added(self.archive, self.evaluator, portion):
                pools.append(candidates.genomes)
                values.append(candidates.values)
            self.done += len(portion)
            self.limits.progress(self.done, self.total)
        pool, every = np.concatenate(pools), np.concatenate(values)
        places, self.ranks, self.lonely = preferred(every, self.problem.directions, self.size)
        self.genomes, self.values = pool[places], every[places]


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
    """True if any bits are valid."""
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


def ranks(values: Floats, directions: Sequence[str]) -> Integers:
    """Non-dominated sorting: 0 for vectors that no other dominates, 1 for those that only these dominate, and
    so on.

    >>> ranks(np.array([[5, 0.3], [5, 0.2], [2, 0.1]]), ["max", "min"]).tolist()
    [1, 0, 0]
    """
    from moocore import pareto_rank

    costs = finite(as_costs(values, directions))
    result: Integers = np.asarray(pareto_rank(costs), dtype=np.int64)
    return result


def preferred(values: Floats, directions: Sequence[str], number: int) -> tuple[Integers, Integers, Floats]:
    """The best `number` vectors, with their ranks and crowding distances: lower ranks first, and the less
    crowded ones of the last rank that still fits."""
    rank = ranks(values, directions)
    lonely = np.zeros(len(values))
    chosen: list[Integers] = []
    room = number
    for level in range(int(rank.max()) + 1):
        members = np.flatnonzero(rank == level)
        lonely[members] = crowding(values[members])
        if len(members) > room:
            members = members[np.argsort(-lonely[members], kind="stable")[:room]]
        chosen.append(members)
        room -= len(members)
        if room == 0:
            break
    places = np.concatenate(chosen)
    return places, rank[places], lonely[places]


NSGA2 = SearchMethod(cuts_search(search_nsga2), GENERATION_OPTIONS)
