"""The search for chains: greedy paths through the lattice for a ladder of class sizes, improved by small
moves, and the lattice's own frontier beside them.

For one k a path begins at a node and goes up, one level of one column at a time: the column for which most of
the remaining rows reach k, compared with what a row then loses more. Every node of the path that shows rows
is a node of the chain. Small moves follow: a node is omitted, moved by one level, or such a neighbour is
added. Where sensitive values are measured, nodes are peeled off: again and again the one with the worst
class. The same seed gives the same chains with any number of threads, unless time runs out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from paretonym.budget import Limits
from paretonym.frontier import Solution
from paretonym.measures import CLASS_SIZE, Objective
from paretonym.recoding import ClassCondition, Keep
from paretonym.search import STANDARD, Tuning, search_exact
from paretonym.spaces.lattice.lattice_space import solutions as lattice_solutions
from paretonym.spaces.local.chain_counts import ChainCounter, ChainCounts, Waiting
from paretonym.spaces.local.local_problem import Candidate, ChainsFound, LocalProblem, best_of
from paretonym.spaces.local.local_recoding import (
    Chain,
    Levels,
    LocalRecoding,
    classes_at_nodes,
    nodes_of_tuples,
)
from paretonym.thread_pool import in_parallel, workers

# The number of chains that are evaluated unless it is given, over all class sizes.
EVALUATIONS = 2000
# Class sizes that are all tried; above, each is so many times the one before.
SMALL = 16
FACTOR = 1.15
# Larger sizes that are often required.
USUAL_SIZES = (20, 25, 30, 50, 100, 200, 500, 1000)
# How much the number of rows that reach k counts against what they lose, one path each.
WEIGHTS = (1.0, 0.7)
# Of the solutions on the lattice, paths begin at so many.
MOST_STARTS = 24
# The most thresholds on sensitive values that are tried for a chain.
MOST_THRESHOLDS = 8
# The chains of so many neighbours on the ladder are tried, on either side.
NEIGHBOURS = 2
# The share of the time that the lattice may take.
LATTICE_SHARE = 0.3


class Start(NamedTuple):
    """Where a path begins, and its class size."""

    k: int
    node: Levels


class Grown(NamedTuple):
    """What became of a path: the best chain by loss, the candidates, and how many chains were evaluated."""

    chain: Chain
    candidates: tuple[Candidate, ...]
    evaluated: int


def search_greedy(problem: LocalProblem, limits: Limits, tuning: Tuning = STANDARD) -> ChainsFound:
    """Paths for every class size of the ladder, until the time or the evaluations are spent."""
    search = _Search(problem, limits, tuning)
    interrupted = False
    try:
        search.run()
    except KeyboardInterrupt:
        interrupted = True
    return ChainsFound.of(problem, search.candidates, search.evaluated, interrupted=interrupted)


class _Search:
    """The best candidates so far, what became of each path, and the clock."""

    def __init__(self, problem: LocalProblem, limits: Limits, tuning: Tuning) -> None:
        self.problem, self.limits, self.seed = problem, limits, tuning.seed or 0
        self.budget = tuning.evaluations or EVALUATIONS
        self.on_lattice: tuple[Candidate, ...] = ()
        self.grown: dict[Start, Grown] = {}
        self.further: list[Candidate] = []
        self.evaluated = 0

    @property
    def candidates(self) -> list[Candidate]:
        """Everything found, in an order that does not depend on threads."""
        paths = (grown.candidates for _, grown in sorted(self.grown.items()))
        return [*self.on_lattice, *(each for own in paths for each in own), *self.further]

    def run(self) -> None:
        self._solve_lattice()
        starts = self._starts()
        share = max(self.budget // len(starts), len(WEIGHTS))
        starts = starts[: max(1, self.budget // share)]
        with workers(self.limits.threads) as pool:
            paths = in_parallel(lambda start: self._grow(start, share), starts, pool, self.limits.threads)
            for done, (start, grown) in enumerate(paths, start=1):
                self.grown[start] = grown
                self.evaluated += grown.evaluated
                self.limits.progress(done, len(starts))
                if self.limits.over:
                    return
        self._exchange()

    def _solve_lattice(self) -> None:
        """The frontier of the lattice: chains of one node. So nothing found here is worse."""
        share = None if self.limits.seconds is None else self.limits.seconds * LATTICE_SHARE
        asked = self.problem.on_lattice
        found = search_exact(asked, Limits(threads=self.limits.threads, seconds=share))
        best = lattice_solutions(asked, found).best
        self.on_lattice = tuple(_as_chain(self.problem, solution) for solution in best)
        self.evaluated += found.evaluated

    def _starts(self) -> list[Start]:
        """Paths from the lowest node for every class size of the ladder; where sensitive values count, also
        from nodes of the lattice's frontier. Class sizes far apart come first."""
        recodings = [each.solution.recoding for each in self.on_lattice]
        own = [(each.smallest, each) for each in recodings if isinstance(each, LocalRecoding)]
        sizes = ladder(self.problem.cube.rows, self.problem.least_size, [k for k, _ in own])
        lowest = self.problem.lattice.lowest
        starts = [Start(k, lowest) for k in spread(sizes)]
        if self.problem.watched:
            axes = self.problem.cube.axes
            others = [Start(k, each.nodes(axes)[0]) for k, each in own]
            places = np.linspace(0, len(others) - 1, min(len(others), MOST_STARTS)).astype(int).tolist()
            starts += [others[place] for place in places]
        return list(dict.fromkeys(starts))

    def _grow(self, start: Start, share: int) -> Grown:
        """The best chain of some paths from a node, improved, and what can be released of it."""
        counter = ChainCounter(ChainCounts.of(self.problem.cube), start.k)
        highest = self.problem.lattice.highest
        found = paths(counter, start.node, highest, WEIGHTS)
        chain = min(found, key=lambda each: counter.total(each)[0])
        generator = np.random.default_rng([self.seed, start.k])
        chain = self._improved(counter, chain, generator, share)
        released = [*self._released(chain, start.k)]
        for asked in self.problem.watched:
            for peeled in self._peeled(chain, start.k, asked):
                released += self._released(peeled, start.k)
                if self.limits.over:
                    break
        return Grown(chain, best_of(self.problem, released), counter.evaluated)

    def _released(self, chain: Chain, k: int) -> Iterator[Candidate]:
        return self.problem.candidates(chain, k, MOST_THRESHOLDS)

    def _improved(
        self, counter: ChainCounter, chain: Chain, generator: np.random.Generator, share: int
    ) -> Chain:
        """The chain after small moves, each of which loses less, until none does or the share is spent."""
        best, better = counter.total(chain)[0], True
        highest = self.problem.lattice.highest
        while better:
            better = False
            counter.forget(chain)
            for moved in moves(chain, self.problem.lattice.lowest, highest, generator):
                if counter.evaluated >= share or self.limits.over:
                    return chain
                loss, gone = counter.total(moved)
                if loss < best - 1e-9 and gone <= self.problem.suppressible:
                    chain, best, better = moved, loss, True
                    break
        return chain

    def _peeled(self, chain: Chain, k: int, asked: Objective) -> Iterator[Chain]:
        """Chains without the node that has the worst class by a measure of sensitive values, one after
        another."""
        cube, sign = self.problem.cube, 1.0 if asked.direction == "max" else -1.0
        while len(chain) > 1:
            node = nodes_of_tuples(cube, chain, k)
            classes = classes_at_nodes(cube, chain, node)
            of_class = np.empty(len(classes), dtype=np.int64)
            of_class[classes.of_tuple] = node
            values = sign * asked.of_classes(cube, classes)
            values[of_class == len(chain)] = np.inf
            worst = int(of_class[int(np.argmin(values))])
            chain = tuple(levels for place, levels in enumerate(chain) if place != worst % len(chain))
            yield chain

    def _exchange(self) -> None:
        """Try the chains of neighbours on the ladder."""
        lowest = self.problem.lattice.lowest
        grown = sorted((start.k, own.chain) for start, own in self.grown.items() if start.node == lowest)
        for place, (k, own) in enumerate(grown):
            if self.limits.over:
                return
            near = grown[max(0, place - NEIGHBOURS) : place + NEIGHBOURS + 1]
            counter = ChainCounter(ChainCounts.of(self.problem.cube), k)
            best = min(dict.fromkeys([own, *(chain for _, chain in near)]), key=lambda c: counter.total(c))
            self.evaluated += counter.evaluated
            if best != own:
                self.further += self._released(best, k)


def _as_chain(problem: LocalProblem, solution: Solution) -> Candidate:
    """A solution of the lattice as a chain of one node."""
    levels = solution.recoding.known_levels
    node = tuple((name, levels[name][0]) for name in problem.lattice.names)
    recoding = LocalRecoding((node,), _sized(solution.recoding.keep))
    values = tuple(solution.values[objective.name] for objective in problem.objectives)
    return Candidate(values, Solution("", solution.values, solution.suppressed, recoding))


def _sized(keep: Keep) -> Keep:
    """Conditions with one on class size, which a chain needs."""
    if any(condition.measures == (CLASS_SIZE,) for condition in keep):
        return keep
    return (ClassCondition.best_side(CLASS_SIZE, "max", 1), *keep)


def ladder(rows: int, least: int, further: Sequence[int] = ()) -> list[int]:
    """Class sizes to try: small ones all, larger ones in steps that grow, those that people ask for, and some
    others.

    >>> ladder(60, 12)
    [12, 13, 14, 15, 16, 18, 20, 21, 24, 25, 27, 30, 32, 37, 42, 48, 50, 56, 60]
    """
    sizes, size = {rows, least, *USUAL_SIZES, *further}, 1.0
    while size <= rows:
        sizes.add(int(size))
        size = size + 1 if size < SMALL else max(size * FACTOR, int(size) + 1)
    return sorted(size for size in sizes if least <= size <= rows) or [min(least, rows)]


def spread(sizes: Sequence[int]) -> list[int]:
    """The same numbers, those far apart first.

    >>> spread([1, 2, 3, 4, 5, 6, 7, 8, 9])
    [1, 9, 5, 3, 7, 2, 4, 6, 8]
    """
    found: list[int] = []
    step = 1
    while step < len(sizes):
        step *= 2
    while step:
        found += sizes[::step]
        step //= 2
    return list(dict.fromkeys(found))


class _Climbed(NamedTuple):
    """A node of a path: whether it shows rows, and what the next level of each column would do to the others:
    the rows that it shows, and how much more all lose. Nothing if all are shown or there is no level more."""

    shows: bool
    waiting: Waiting
    steps: tuple[tuple[int, int, float], ...]


def paths(counter: ChainCounter, node: Levels, highest: Levels, weights: Sequence[float]) -> list[Chain]:
    """The nodes that show rows on greedy ways up, one way for each weight. The steps that two ways begin with
    are taken once."""
    begin = _climbed(counter, counter.counts.everything, node, highest)
    known: dict[tuple[Levels, ...], _Climbed] = {(node,): begin}
    found = []
    for weight in weights:
        way: tuple[Levels, ...] = (node,)
        here, chain = begin, list[Levels]()
        while True:
            chain += [way[-1]] if here.shows else []
            if not here.steps:
                break
            scores = [float(rows + 1) ** weight / (more + 1e-9) for _, rows, more in here.steps]
            column = here.steps[int(np.argmax(scores))][0]
            before = way[-1]
            way = (*way, (*before[:column], before[column] + 1, *before[column + 1 :]))
            if way not in known:
                known[way] = _climbed(counter, here.waiting, way[-1], highest)
            here = known[way]
        found.append(tuple(chain) or (highest,))
    return found


def _climbed(counter: ChainCounter, before: Waiting, node: Levels, highest: Levels) -> _Climbed:
    waiting, _ = counter.counts.shown_at(node, before, counter.k)
    steps = (
        (column, *counter.counts.reached(waiting, column, counter.k))
        for column in range(len(node))
        if len(waiting.tuples) and node[column] < highest[column]
    )
    return _Climbed(len(waiting.tuples) < len(before.tuples), waiting, tuple(steps))


def moves(chain: Chain, lowest: Levels, highest: Levels, generator: np.random.Generator) -> Iterator[Chain]:
    """Chains that differ in one node: one omitted, then in random order one moved by a level of a column, or
    such a neighbour added."""
    if len(chain) > 1:
        yield from (chain[:place] + chain[place + 1 :] for place in range(len(chain)))
    steps = [
        (place, column, step)
        for place in range(len(chain))
        for column in range(len(lowest))
        for step in (-1, 1)
    ]
    for number in generator.permutation(len(steps)).tolist():
        place, column, step = steps[number]
        own, level = chain[place], chain[place][column] + step
        low = chain[place - 1][column] if place else lowest[column]
        high = chain[place + 1][column] if place + 1 < len(chain) else highest[column]
        if low <= level <= high:
            other = (*own[:column], level, *own[column + 1 :])
            replaced = () if other in (*chain[:place][-1:], *chain[place + 1 :][:1]) else (other,)
            yield chain[:place] + replaced + chain[place + 1 :] or chain
            if replaced:
                both = (other, own) if step < 0 else (own, other)
                yield chain[:place] + both + chain[place + 1 :]
