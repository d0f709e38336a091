"""Our own search over cuts: it starts from the lattice's frontier and makes small valid moves from solutions
that nothing dominates yet.

Parents are drawn from the archive of everything evaluated, preferring less crowded ones, so that work goes
where the frontier is thin. A child sometimes takes columns from a neighbour on the frontier, and makes one or
more moves: merge siblings, split a node, cut, join, shift. No genome is evaluated twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from functools import cached_property
from itertools import product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Integers
from paretonym.base.budget import Limits
from paretonym.base.thread_pool import workers
from paretonym.engine.search import STANDARD, Tuning
from paretonym.engine.spaces.cuts.crowding import GENERATIONS, crowding, usual_population
from paretonym.engine.spaces.cuts.cuts_bound import CutsBound, is_bounded
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem
from paretonym.engine.spaces.cuts.genome_evaluation import (
    Archive,
    Candidates,
    CutsFound,
    Evaluator,
    added,
    costs_of,
)
from paretonym.engine.spaces.cuts.genome_space import Bits, Branch, Genomes, GenomeSpace
from paretonym.engine.spaces.cuts.lattice_start import lattice_start, same_question

# If there are fewer genomes than this, all are evaluated, and the frontier is proven.
MOST_ENUMERATED = 20_000
_BATCH = 200
# How often a child takes columns from a neighbour, how far apart neighbours are on the frontier, and how
# likely another move follows.
_MIXING = 0.3
_NEAR = 6
_FURTHER = 0.4
_MOST_MOVES = 6
# Half of the parents are drawn uniformly, half by crowding distance.
_EVEN = 0.5
# The search ends when this many evaluations in a row, as a share of all, brought nothing new.
_PATIENCE = 0.2
# Without a limit of time, bounds take this share of the time that the budget of evaluations takes.
_BOUNDING = 0.5


def search_hybrid(problem: CutsProblem, limits: Limits, tuning: Tuning = STANDARD) -> CutsFound:
    """The best that a budget of evaluations finds; proven only if all genomes were evaluated."""
    usual = (tuning.population or usual_population(problem)) * ((tuning.generations or GENERATIONS) + 1)
    budget = min(tuning.evaluations or usual, limits.left(0))
    with workers(limits.threads) as pool:
        search = Hybrid(problem, limits, budget, tuning.seed or 0, Evaluator(problem, pool))
        try:
            if problem.space.size <= min(budget, MOST_ENUMERATED):
                search.enumerate()
            else:
                search.begin()
                search.improve()
                if is_bounded(problem) and len(search.archive.front):
                    search.bound(tuning, budget, pool)
        except KeyboardInterrupt:
            search.interrupted = True
    return search.found()


class Hybrid:
    """The archive, what is left of the budget, and the moves."""

    def __init__(
        self, problem: CutsProblem, limits: Limits, budget: int, seed: int, evaluator: Evaluator
    ) -> None:
        self.problem, self.limits, self.budget = problem, limits, budget
        self.evaluator = evaluator
        self.archive = Archive(problem)
        self.generator = np.random.default_rng(seed)
        self.moves = Moves(problem.space)
        self.on_lattice = 0
        self.complete = self.interrupted = False
        self.proof: CutsBound | None = None

    @property
    def spent(self) -> int:
        return self.on_lattice + self.evaluator.evaluated

    def found(self) -> CutsFound:
        proven = self.proof.proven() if self.proof else None
        complete = self.complete or bool(proven and proven.complete)
        steps = proven.steps if proven and not complete else ()
        return CutsFound(self.archive.front, self.spent, complete, self.interrupted, steps)

    def enumerate(self) -> None:
        """Every genome there is."""
        genomes = every_genome(self.problem.space)
        for start in range(0, len(genomes), _BATCH):
            if self.limits.over:
                return
            self._take_in(genomes[start : start + _BATCH], len(genomes))
        self.complete = self.evaluator.evaluated == len(genomes)

    def begin(self) -> None:
        """The lattice's frontier, the two ends, and some random genomes beside them."""
        genomes, self.on_lattice = lattice_start(self.problem, self.limits, self.budget)
        ends = self.problem.space.ends
        drawn = self.problem.space.random(_BATCH // 2, self.generator)
        start = np.concatenate([genomes, ends, drawn])
        # What the search of the lattice has found is kept, even if nothing is left of the budget.
        start = start[: max(len(genomes) + len(ends), self.budget - self.on_lattice)]
        proven = len(genomes) if same_question(self.problem) else 0
        for first in range(0, len(start), _BATCH):
            if first >= max(proven, 1) and self.limits.over:
                break
            self._take_in(start[first : first + _BATCH], self.budget)

    def _take_in(self, genomes: Genomes, total: int) -> bool:
        """Evaluate as many as there is time for; return whether the frontier has something new."""
        new = False
        for portion in self.evaluator.portions(genomes):
            if self.problem.from_classes and self.limits.over and self.evaluator.evaluated:
                break
            for _, entered in added(self.archive, self.evaluator, portion):
                new |= entered
            self.limits.progress(self.spent, total)
        return new

    def improve(self) -> None:
        """Evaluate children of the frontier until the budget or the time is spent or nothing new is found."""
        fruitless = 0
        patience = max(_PATIENCE * self.budget, 2 * _BATCH)
        while self.spent < self.budget and fruitless < patience and not self.limits.over:
            children = self.children(min(_BATCH, self.budget - self.spent))
            new = self._take_in(children, self.budget)
            fruitless = 0 if new else fruitless + max(len(children), _BATCH // 10)

    def bound(self, tuning: Tuning, budget: int, pool: Executor | None) -> None:
        """Prove how far from optimal the frontier can be, as long as there is time; without a limit of time,
        for a part of the time that the evaluations took."""
        self.proof = CutsBound(self.problem, self.archive, self.evaluator, self.limits, pool)
        most = int(_BOUNDING * budget / self.proof.relaxation.effort)
        self.proof.walk(None if self.limits.seconds is not None and tuning.evaluations is None else most)

    def children(self, number: int) -> Genomes:
        """At most this many genomes that were never evaluated."""
        front = self.archive.front
        if len(front) == 0:
            return self.evaluator.fresh(self.problem.space.random(number, self.generator))
        parents = self._parents(front, 2 * number)
        genomes = self._mixed(front, parents)
        going = np.ones(len(genomes), dtype=np.bool_)
        for _ in range(_MOST_MOVES):
            places = np.flatnonzero(going)
            drawn = self.generator.integers(0, len(self.moves), len(places))
            genomes[places] = self.moves.moved(genomes[places], drawn)
            going[places] = self.generator.random(len(places)) < _FURTHER
        return self.evaluator.fresh(genomes)[:number]

    def _parents(self, front: Candidates, number: int) -> Integers:
        """Places on the frontier, drawn with a preference for less crowded ones."""
        lonely = crowding(costs_of(front.values, self.problem))
        ends = ~np.isfinite(lonely)
        lonely[ends] = lonely[~ends].max(initial=1.0) if not ends.all() else 1.0
        weights = _EVEN / len(front) + (1 - _EVEN) * lonely / max(lonely.sum(), 1e-300)
        return self.generator.choice(len(front), size=number, p=weights / weights.sum())

    def _mixed(self, front: Candidates, parents: Integers) -> Genomes:
        """The parents' genomes, some of them with columns of a neighbour."""
        genomes = front.genomes[parents].copy()
        mixing = np.flatnonzero(self.generator.random(len(parents)) < _MIXING)
        steps = self.generator.integers(-_NEAR, _NEAR + 1, len(mixing))
        mates = front.genomes[np.clip(parents[mixing] + steps, 0, len(front) - 1)]
        for j in range(len(self.problem.space.axes)):
            part = self.problem.space.part(j)
            taken = self.generator.random(len(mixing)) < 0.5
            genomes[mixing[taken], part] = mates[taken, part]
        return genomes


# The bits of one axis that a move clears, and those that it sets.
Change: TypeAlias = tuple[list[int], list[int]]


class Moves:
    """All moves of a space. A move clears some bits and sets others, whatever the genome; the tables hold
    both for every move, so that many children are made at once. Setting a cut inside a branch also sets what
    its ancestors need, so every child of a valid genome is valid."""

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
