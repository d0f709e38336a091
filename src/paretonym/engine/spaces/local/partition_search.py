"""The search for partitions, for a ladder of class sizes; and the lattice's own frontier beside them.

A partition begins with the classes of a sequence of nodes, or, where there are too many nodes, with
neighbours on a line. Then neighbouring classes are dissolved and divided anew, a few at a time, wherever that
costs less. Only quasi-identifiers and k are looked at, never sensitive values. The same seed gives the same
partitions with any number of threads, unless time runs out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from paretonym.base.arrays import Integers
from paretonym.base.budget import Limits
from paretonym.base.errors import Field, NoSolution
from paretonym.base.factorize import group_sums
from paretonym.base.sentence_parts import several
from paretonym.base.thread_pool import in_parallel, workers
from paretonym.engine.frontier import Solution
from paretonym.engine.measures import CLASS_SIZE
from paretonym.engine.search import STANDARD, Tuning, search_exact
from paretonym.engine.spaces.lattice.lattice_space import beyond_table, solved
from paretonym.engine.spaces.local.local_problem import LocalProblem, best_of
from paretonym.engine.spaces.local.local_table import USUAL_SIZES, LocalTable, SequenceCounts
from paretonym.engine.spaces.space import SearchResult

# How many cells are compared for each class size, unless it is given. For sizes that are often required so
# many times as many, in no more than these rounds: some for each row of a class.
EVALUATIONS = 15_000_000
USUAL_TIMES, USUAL_ROUNDS, ROUNDS_OF_ROW = 300, 100, 8
# They are meant for about so many seconds. A search that only its time ends has this many rounds.
USUAL_SECONDS, MOST_ROUNDS = 10.0, 1_000_000
# A round counts for no fewer cells than this, since it takes some time in a small table too.
LEAST_WORK = 300_000
# All partitions are tried where there are no more; candidates are compared once this many wait.
FEW_PARTITIONS = 5000
PATIENCE = 2000
# Class sizes that are all tried; above, each is so many times the one before.
SMALL = 20
FACTOR = 1.1
# The sizes for tables with too many nodes.
FEW_SIZES = (2, 3, 5, 10, 20, 50, 100, 200)
# Tuples that are divided together at first, and classes that each of them is divided into at least.
BLOCK, CLASSES = 2000, 3
# The most thresholds on sensitive values that are tried for a partition.
MOST_THRESHOLDS = 8
# A partition takes about as long as so many nodes; the fewest sizes that are tried.
AS_DEAR, FEWEST = 100, 4
# The share of the time that the lattice may take.
LATTICE_SHARE = 0.3


def search_clusters(problem: LocalProblem, limits: Limits, tuning: Tuning = STANDARD) -> SearchResult:
    """Partitions for every class size of the ladder, until the time is over; all partitions of a tiny table,
    which is a proof."""
    search = _Search(problem, limits, tuning)
    interrupted = False
    try:
        search.run()
    except KeyboardInterrupt:
        interrupted = True
    best = best_of(problem, search.candidates)
    if not best:
        raise NoSolution(nothing(problem, search.evaluated, interrupted))
    # A partition may have been evaluated twice.
    left = 0 if search.complete else max(problem.size - search.evaluated, 1)
    return SearchResult.named(
        best, search.evaluated, open=left, complete=search.complete, interrupted=interrupted
    )


def nothing(problem: LocalProblem, evaluated: int, interrupted: bool) -> str:
    """The error if there is no solution: why, and what to do."""
    asked = " and ".join(str(requirement) for requirement in problem.requirements)
    if interrupted:
        return "Interrupted before anything was found."
    if beyond := beyond_table(asked, problem.requirements, problem.cube):
        return beyond
    return (
        f"No release with {asked} was found among {several(evaluated, 'partition', 'partitions')}. "
        f"Require less, allow more suppression, or raise {Field('evaluations')}."
    )


class _Search:
    """The candidates so far, and the clock."""

    def __init__(self, problem: LocalProblem, limits: Limits, tuning: Tuning) -> None:
        self.problem, self.limits, self.seed = problem, limits, tuning.seed or 0
        # A longer time is used for more of them.
        longer = max(1.0, (limits.seconds or 0.0) / USUAL_SECONDS)
        self.evaluations = int(EVALUATIONS * longer) if tuning.evaluations is None else tuning.evaluations
        self.counts = SequenceCounts.of(problem.cube)
        self.candidates: list[Solution] = []
        self.evaluated = 0
        self.complete = False

    def run(self) -> None:
        if self.counts.small:
            self._solve_lattice()
        if self.problem.size <= FEW_PARTITIONS:
            self._enumerate()
            return
        table = LocalTable.of(self.problem.cube)
        sizes = self._sizes()
        orders, sequences = table.orders(self.seed), dict[int, Integers]()
        if self.counts.small:
            sequences = self.counts.sequences(sizes)

        def found(k: int) -> tuple[Solution, ...]:
            first = self.counts.shown(sequences[k], k)[0] if sequences else None
            return self._partitioned(table, orders, k, first)

        # Sizes far apart come first.
        with workers(self.limits.threads) as pool:
            tasks = in_parallel(found, spread(sizes), pool, self.limits.threads)
            by_size = dict[int, tuple[Solution, ...]]()
            for done, (k, candidates) in enumerate(tasks, start=1):
                by_size[k] = candidates
                self.evaluated += 1
                self.limits.progress(done, len(sizes))
                if self.limits.over:
                    break
        self.candidates += [candidate for k in sorted(by_size) for candidate in by_size[k]]

    def _enumerate(self) -> None:
        """Every partition with every size that a class may have."""
        problem, cube, candidates = self.problem, self.problem.cube, list[Solution]()
        for number, of_tuple in enumerate(partitions(cube.tuples), start=1):
            sizes = cube.sizes_among(np.arange(cube.tuples), of_tuple)
            rows = group_sums(of_tuple, cube.counts)
            # What joins a class to be closed is in it in another partition, whose sizes are tried there.
            for k in sorted({problem.least_size, *sizes[sizes > problem.least_size].tolist()}):
                if rows[sizes < k].sum() <= problem.suppressible:
                    candidates += problem.partitioned(of_tuple, k)
            if len(candidates) > PATIENCE:
                candidates = list(best_of(problem, candidates))
            self.evaluated += 1
            self.limits.progress(number, problem.size)
            if self.limits.over:
                break
        self.candidates += candidates
        self.complete = number == problem.size

    def _solve_lattice(self) -> None:
        """The frontier of the lattice: sequences of one node. So nothing found here is worse."""
        if self.problem.earlier is not None:
            self._take_in(self.problem.earlier)
            return
        share = None if self.limits.seconds is None else self.limits.seconds * LATTICE_SHARE
        asked = self.problem.on_lattice
        found = search_exact(asked, Limits(threads=self.limits.threads, seconds=share))
        self._take_in(solved(asked, found.best.counted))
        self.evaluated += found.evaluated

    def _take_in(self, solutions: Iterable[Solution]) -> None:
        for solution in solutions:
            self.candidates += self.problem.at_node(solution)

    @property
    def alone(self) -> bool:
        """True if only the smallest size is wanted: the least loss at some k."""
        problem = self.problem
        costs = all(objective.card.counted.rule is not None for objective in problem.objectives)
        return costs and all(required.objective.name == CLASS_SIZE for required in problem.requirements)

    def _sizes(self) -> list[int]:
        rows, least = self.problem.cube.rows, max(2, self.problem.least_size)
        if self.alone:
            return [min(least, rows)]
        if self.counts.small:
            smallest = (solution.recoding.keep[0] for solution in self.candidates)
            sizes = ladder(rows, least, [int(condition.bounds[0]) for condition in smallest])
            return some(sizes, max(self.limits.left(0) // AS_DEAR, FEWEST))
        return sorted({least, *(k for k in FEW_SIZES if least <= k <= rows // CLASSES)})

    def _partitioned(
        self, table: LocalTable, orders: Integers, k: int, of_tuple: Integers | None
    ) -> tuple[Solution, ...]:
        """The releases of a partition for one class size, and of it before it was improved."""
        space, generator = table.space(), np.random.default_rng([self.seed, k])
        suppressible = self.problem.suppressible
        if of_tuple is None:
            of_tuple = table.divided(k, max(BLOCK, CLASSES * k), space)
        classes = max(int(of_tuple.max(initial=0)) + 1, 1)
        # Half of what three neighbouring classes hold, for every tuple.
        work = len(of_tuple) * max(1, 3 * len(of_tuple) // (2 * classes)) * table.table.columns
        rounds = self._rounds(k, max(work, 1))
        better = table.rebuilt(of_tuple, k, suppressible, orders, rounds, generator, space, self._passed)
        releases = list[Solution]()
        for partition in (of_tuple, better):
            releases += self.problem.partitioned(table.allowed(partition), k, MOST_THRESHOLDS)
        return best_of(self.problem, releases)

    def _rounds(self, k: int, work: int) -> int:
        """Number of rounds that improve a partition, each of which compares so many cells."""
        if self.alone and self.limits.seconds:
            return MOST_ROUNDS
        rounds = min(self.evaluations // work, self.evaluations // LEAST_WORK + 1)
        if k in USUAL_SIZES and self.counts.small:
            most = max(USUAL_ROUNDS, ROUNDS_OF_ROW * k) * self.evaluations // EVALUATIONS
            rounds = max(rounds, min(USUAL_TIMES * self.evaluations // work, most))
        return rounds

    def _passed(self) -> float:
        """The share of the time that is over, where all of it is for one size."""
        seconds = self.limits.seconds
        return self.limits.elapsed / seconds if seconds and self.alone else float(self.limits.over)


def partitions(tuples: int) -> Iterator[Integers]:
    """All partitions of a set, each as the class of every member; classes are numbered as they come.

    >>> [partition.tolist() for partition in partitions(3)]
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]
    """
    of_tuple = np.zeros(tuples, dtype=np.int64)

    def continued(place: int, classes: int) -> Iterator[Integers]:
        if place == tuples:
            yield of_tuple.copy()
            return
        for number in range(classes + 1):
            of_tuple[place] = number
            yield from continued(place + 1, max(classes, number + 1))

    yield from continued(0, 0)


def ladder(rows: int, least: int, further: Sequence[int] = ()) -> list[int]:
    """Class sizes to try: small ones all, larger ones in steps that grow, those that people ask for, and some
    others.

    >>> ladder(60, 17)
    [17, 18, 19, 20, 22, 24, 26, 29, 30, 32, 35, 38, 42, 47, 50, 51, 57, 60]
    """
    sizes, size = {rows, least, *USUAL_SIZES, *further}, 1.0
    while size <= rows:
        sizes.add(int(size))
        size = size + 1 if size < SMALL else max(size * FACTOR, int(size) + 1)
    return sorted(size for size in sizes if least <= size <= rows) or [min(least, rows)]


def some(sizes: Sequence[int], most: int) -> list[int]:
    """At most so many of some sizes: those that people ask for, and others evenly.

    >>> some(range(2, 100), 12)
    [2, 3, 4, 5, 10, 15, 20, 24, 30, 41, 50, 74]
    """
    if len(sizes) <= most:
        return list(sizes)
    usual = [size for size in sizes if size in USUAL_SIZES]
    others = spread([size for size in sizes if size not in usual])
    return sorted([*usual, *others][:most])


def spread(sizes: Sequence[int]) -> list[int]:
    """These numbers, those far apart first.

    >>> spread([1, 2, 3, 4, 5, 6, 7, 8, 9])
    [1, 9, 5, 3, 7, 2, 4, 6, 8]
    """
    spread_out: list[int] = []
    step = 1
    while step < len(sizes):
        step *= 2
    while step:
        spread_out += sizes[::step]
        step //= 2
    return list(dict.fromkeys(spread_out))
