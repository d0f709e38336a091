"""NSGA-II as the trade-offs paper uses it (Section 6), with an archive of non-dominated solutions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paretonym.arrays import Floats, Integers
from paretonym.budget import Limits
from paretonym.errors import Field
from paretonym.frontier import as_costs, finite
from paretonym.search import STANDARD, Tuning
from paretonym.spaces.cuts.cuts_problem import CutsProblem
from paretonym.spaces.cuts.genome_archive import Archive, CutsFound, added
from paretonym.spaces.cuts.genome_evaluation import Evaluator
from paretonym.spaces.cuts.genome_operators import Breeding
from paretonym.spaces.cuts.genome_space import Genomes
from paretonym.thread_pool import workers

GENERATIONS = 250
ESTIMATE = (
    "{total:,} cuts; evaluating this many may take about {time}. "
    f"{Field('evaluations')} sets how many, {Field('time', '60s')} stops after a minute with what was found."
)
# How many generations pass before the hypervolume is reported again.
_NEWS = 10


def usual_population(problem: CutsProblem) -> int:
    """The default population of the paper: 200, or 500 with three objectives."""
    return 200 if len(problem.objectives) < 3 else 500


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
            for generation in range(generations):
                if limits.over:
                    break
                if generation % _NEWS == 0:
                    limits.state(f"hypervolume {search.archive.hypervolume():.4f}")
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
            self.limits.estimate(self.done, self.total, ESTIMATE)
        pool, every = np.concatenate(pools), np.concatenate(values)
        places, self.ranks, self.lonely = preferred(every, self.problem.directions, self.size)
        self.genomes, self.values = pool[places], every[places]


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


def crowding(values: Floats) -> Floats:
    """The crowding distance: how far apart the neighbours of each vector are, summed over the objectives,
    each divided by its range; infinite at the ends. Reference: Deb et al. 2002 (NSGA-II).

    >>> crowding(np.array([[0.0, 4.0], [1.0, 2.0], [4.0, 0.0]])).tolist()
    [inf, 2.0, inf]
    """
    distance = np.zeros(len(values))
    for column in finite(values).T:
        order = np.argsort(column, kind="stable")
        ordered = column[order]
        span = ordered[-1] - ordered[0]
        gaps = np.full(len(values), np.inf)
        gaps[1:-1] = (ordered[2:] - ordered[:-2]) / span if span > 0 else 0.0
        distance[order] += gaps
    return distance


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
