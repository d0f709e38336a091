"""Exhaustive search of chains: every chain of the lattice with every class size. For small tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from paretonym.budget import Limits
from paretonym.errors import Field, InputError
from paretonym.recoding import Lattice
from paretonym.search import STANDARD, Tuning
from paretonym.spaces.local.local_problem import (
    Candidate,
    ChainsFound,
    LocalProblem,
    best_of,
    number_of_chains,
)
from paretonym.spaces.local.local_recoding import Chain

# The most chains that are tried, each with every class size.
MOST_CHAINS = 200_000
# Candidates are compared once this many wait.
PATIENCE = 2000


def search_exhaustive_chains(problem: LocalProblem, limits: Limits, tuning: Tuning = STANDARD) -> ChainsFound:
    """Evaluate every chain of at most `depth` nodes, or of any length; what was found so far when the time is
    over. The frontier is proven if no chain is left."""
    length = _length(problem, tuning)
    _check_number(problem, length)
    found: list[Candidate] = []
    evaluated, over = 0, False
    for chain in chains(problem.lattice, length):
        evaluated += 1
        for k in range(problem.least_size, problem.cube.rows + 1):
            found += problem.candidates(chain, k)
        if len(found) > PATIENCE:
            found = list(best_of(problem, found))
        limits.progress(min(evaluated, problem.size), problem.size)
        if limits.over:
            over = evaluated < problem.size
            break
    return ChainsFound.of(problem, found, evaluated, complete=length == _longest(problem) and not over)


def _length(problem: LocalProblem, tuning: Tuning) -> int:
    """The most nodes of a chain that is tried."""
    longest = _longest(problem)
    return min(tuning.depth or longest, longest)


def _longest(problem: LocalProblem) -> int:
    return sum(problem.lattice.shape) - len(problem.lattice.shape) + 1


def _check_number(problem: LocalProblem, length: int) -> None:
    """Refuse to begin what would not end."""
    if number_of_chains([extent - 1 for extent in problem.lattice.shape], length) > MOST_CHAINS:
        raise InputError.of(
            Field("search"),
            f"the lattice has more than {MOST_CHAINS:,} chains of at most {length:,} nodes",
            f"use {Field('search', 'greedy')}, or shorter chains with {Field('depth')}",
        )


def chains(lattice: Lattice, length: int, begin: Chain = ()) -> Iterator[Chain]:
    """All chains of at most that many nodes, each node above the one before.

    >>> list(chains(Lattice(("sex",), (0,), (1,)), 2))
    [((0,),), ((0,), (1,)), ((1,),)]
    """
    lowest = begin[-1] if begin else lattice.lowest
    ranges = (range(low, high + 1) for low, high in zip(lowest, lattice.highest, strict=True))
    for levels in product(*ranges):
        if not begin or levels != lowest:
            yield (*begin, levels)
            if length > 1:
                yield from chains(lattice, length - 1, (*begin, levels))
