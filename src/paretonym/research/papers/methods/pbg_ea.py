"""PBG-EA: an evolutionary search of the lattice, whose archive holds the nodes that no other has dominated so
far.

Dewri, Ray, Ray, Whitley, "On the identification of property based generalizations in microdata
anonymization" (2010), Algorithm 2 and Section 6: top, bottom and random nodes to begin with; selection by
tournament among population and archive; crossover at one point; mutation by one level.

Where the paper leaves a case open: population and archive together are a set of nodes, each once; of two
nodes of equal fitness the one drawn first wins; in a population of odd size the last one has no partner. With
`suppress="any"` a node has several candidates: all go to the archive, and the fitness of a node is the best
of theirs, at most eight of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.base.budget import Limits
from paretonym.base.thread_pool import workers
from paretonym.engine.frontier import Archive, Grid, as_costs, frontier_places
from paretonym.engine.search import STANDARD, Found, Problem, Tuning
from paretonym.research.papers.methods.evaluation_cache import Ledger

Generator: TypeAlias = np.random.Generator

POPULATION, GENERATIONS, CROSSOVER = 25, 100, 0.8
_MOST_CANDIDATES = 8


def search_pbg(problem: Problem, limits: Limits, tuning: Tuning = STANDARD) -> Found:
    """The archive after all generations. A seed fixes it."""
    with workers(limits.threads) as pool:
        ledger = Ledger(problem, limits, pool)
        archive = evolve(ledger, limits, tuning)
    return ledger.found(archive.items)


def evolve(ledger: Ledger, limits: Limits, tuning: Tuning) -> Archive[int]:
    """Run the generations; the archive holds places of the ledger."""
    problem, random = ledger.problem, np.random.default_rng(tuning.seed or 0)
    names = [objective.name for objective in problem.objectives]
    archive: Archive[int] = Archive(Grid.of(names, problem.directions, dict(tuning.box)))
    breeding = Breeding(problem.lattice.shape, tuning.population or POPULATION)
    population = breeding.first(random)
    for _ in range(tuning.generations or GENERATIONS):
        population = _afford(ledger, population, tuning)
        _enter(ledger, archive, population)
        if limits.over or ledger.evaluated >= (tuning.evaluations or problem.lattice.size + 1):
            return archive
        elite = np.array([ledger.node(place) for place in archive.items], dtype=np.int64)
        everyone = np.unique(np.concatenate([population, elite]))
        population = breeding.next(everyone, fitness(ledger, everyone), random)
    _enter(ledger, archive, _afford(ledger, population, tuning))
    return archive


def _afford(ledger: Ledger, population: Integers, tuning: Tuning) -> Integers:
    """The population, without what would take more evaluations than are left."""
    if tuning.evaluations is None:
        return population
    beyond = ledger.new(population)[max(0, tuning.evaluations - ledger.evaluated) :]
    return population[~np.isin(population, beyond)]


def _enter(ledger: Ledger, archive: Archive[int], population: Integers) -> None:
    """Evaluate a population and offer its candidates to the archive, one after the other.

    Candidates that were offered before would not change the archive and are not offered again.
    """
    fresh = set(ledger.new(population).tolist())
    ledger.look(population)
    nodes = [node for node in dict.fromkeys(population.tolist()) if node in fresh]
    places = np.array([p for group in ledger.places(nodes) for p in group], dtype=np.int64)
    places = places[ledger.admissible[places]]
    if len(places) > len(nodes):
        order = np.arange(len(places), dtype=np.int64)
        places = places[np.sort(frontier_places(ledger.values[places], ledger.problem.directions, order))]
    for place in places.tolist():
        archive.offer(ledger.values[place], place)


def fitness(ledger: Ledger, nodes: Integers) -> Floats:
    """For each node, how many others the nodes that dominate it dominate, summed; 0 if none does, less is
    better (Section 6, after SPEA2). Nodes that miss a requirement come after all others."""
    groups = [_few(places) for places in ledger.places(nodes)]
    together = np.concatenate(groups)
    strength = strengths(as_costs(ledger.values[together], ledger.problem.directions))
    strength[~ledger.admissible[together]] = np.inf
    starts = np.cumsum([0, *(len(group) for group in groups[:-1])])
    result: Floats = np.minimum.reduceat(strength, starts)
    return result


def _few(places: range) -> Integers:
    """At most eight candidates of a node, evenly from the first to the last."""
    picked = np.linspace(places.start, places.stop - 1, min(len(places), _MOST_CANDIDATES))
    return np.unique(np.rint(picked).astype(np.int64))


def strengths(costs: Floats) -> Floats:
    """For each vector the number of vectors dominated by those that dominate it, summed.

    >>> strengths(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])).tolist()
    [0.0, 2.0, 3.0]
    """
    left, right = costs[:, None, :], costs[None, :, :]
    dominates = (left <= right).all(axis=2) & (left < right).any(axis=2)
    dominated: Floats = dominates.sum(axis=1).astype(np.float64)
    result: Floats = dominated @ dominates
    return result


@dataclass(frozen=True, slots=True)
class Breeding:
    """Breeding of one population from another: nodes of a lattice of this shape, by number."""

    shape: tuple[int, ...]
    population: int

    def first(self, random: Generator) -> Integers:
        """Bottom, top, and nodes drawn at random."""
        levels = random.integers(0, np.array(self.shape), (self.population - 2, len(self.shape)))
        ends = np.array([[0] * len(self.shape), [extent - 1 for extent in self.shape]])
        return self._numbers(np.concatenate([ends, levels]))

    def next(self, nodes: Integers, fitness: Floats, random: Generator) -> Integers:
        """Tournament, crossover, mutation."""
        winners = nodes[tournament(fitness, self.population, random)]
        levels = np.stack(np.unravel_index(winners, self.shape), axis=1)
        return self._numbers(self.mutated(self.crossed(levels, random), random))

    def crossed(self, levels: Integers, random: Generator) -> Integers:
        """Pairs drawn without replacement swap what comes after a point, with probability 0.8."""
        paired = random.permutation(levels)
        for first in range(0, len(paired) - 1, 2):
            if random.random() < CROSSOVER and len(self.shape) > 1:
                point = int(random.integers(1, len(self.shape)))
                paired[first : first + 2, point:] = paired[first : first + 2, point:][::-1].copy()
        return paired

    def mutated(self, levels: Integers, random: Generator) -> Integers:
        """Each level goes up or down by one with probability 1/s, as far as there are levels."""
        changed = random.random(levels.shape) < 1 / len(self.shape)
        steps = np.where(random.random(levels.shape) < 0.5, 1, -1)
        result: Integers = np.clip(levels + changed * steps, 0, np.array(self.shape) - 1)
        return result

    def _numbers(self, levels: Integers) -> Integers:
        numbers: Integers = np.ravel_multi_index(tuple(levels.T), self.shape).astype(np.int64)
        return numbers


def tournament(fitness: Floats | Sequence[float], rounds: int, random: Generator) -> Integers:
    """In each round two are drawn, and the fitter one wins; of equals the first."""
    drawn = random.integers(0, len(fitness), (rounds, 2))
    scores = np.asarray(fitness)[drawn]
    result: Integers = np.where(scores[:, 1] < scores[:, 0], drawn[:, 1], drawn[:, 0])
    return result
