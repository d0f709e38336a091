"""Exhaustive search of local recodings: every partition of the distinct tuples. For tiny tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from paretonym.arrays import Integers
from paretonym.budget import Limits
from paretonym.errors import Field, InputError
from paretonym.search import STANDARD, Tuning
from paretonym.spaces.local.local_problem import Candidate, LocalFound, LocalProblem, best_of

# The most partitions that are tried: those of ten tuples.
MOST_PARTITIONS = 120_000
# Candidates are compared once this many wait.
PATIENCE = 2000


def search_exhaustive_partitions(
    problem: LocalProblem, limits: Limits, tuning: Tuning = STANDARD
) -> LocalFound:
    """Evaluate every partition with every class size; what was found so far when the time is over."""
    if problem.size > MOST_PARTITIONS:
        raise InputError.of(
            Field("search"),
            f"{problem.cube.tuples:,} distinct rows have more than {MOST_PARTITIONS:,} partitions",
            f"use {Field('search', 'clusters')}",
        )
    candidates: list[Candidate] = []
    evaluated = 0
    for evaluated, of_tuple in enumerate(partitions(problem.cube.tuples), start=1):
        candidates += every_size(problem, of_tuple)
        if len(candidates) > PATIENCE:
            candidates = list(best_of(problem, candidates))
        limits.progress(evaluated, problem.size)
        if limits.over:
            break
    return LocalFound.of(problem, candidates, evaluated, complete=evaluated == problem.size)


def every_size(problem: LocalProblem, of_tuple: Integers) -> Iterator[Candidate]:
    """The releases of a partition for every size that a class may have."""
    cube = problem.cube
    sizes = cube.sizes_among(np.arange(cube.tuples), of_tuple)
    # Classes that show equal sets are one, whose size is another.
    for k in sorted({problem.least_size, *(size for size in sizes.tolist() if size > problem.least_size)}):
        yield from problem.partitioned(of_tuple, k)


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
