"""The exam of a search: the frontier that it finds, on random tables, beside that of plain counting.

>>> from paretonym.search.exploring import SEARCHES
>>> sit_search_exam(SEARCHES["exhaustive"], seeds=range(3))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.frontier.dominance import dominates
from paretonym.measures.registry import MEASURES
from paretonym.recoding.suppression import parse_suppression
from paretonym.search.evaluating import plain_evaluator
from paretonym.search.exploring import SearchMethod
from paretonym.search.problem import Problem
from paretonym.search.progress import silent
from paretonym.testing.failing import require
from paretonym.testing.random_tables import bounded, random_table

Floats: TypeAlias = npt.NDArray[np.float64]
Vectors: TypeAlias = set[tuple[float, ...]]
Check: TypeAlias = Callable[[SearchMethod, int], None]


def sit_search_exam(method: SearchMethod, seeds: Iterable[int] = range(20)) -> None:
    """Every check, on one random problem for each seed; raises `ExamFailed` at the first that fails."""
    for seed in seeds:
        for check in SEARCH_CHECKS.values():
            check(method, seed)


def random_problem(seed: int) -> Problem:
    """A small table, objectives and a rule of suppression."""
    generator = Random(f"problem {seed}")
    table = random_table(generator, quasi=(2, 3), sensitive=1, labelled=True)
    if generator.random() < 0.3:
        table = bounded(table, generator)
    rule = generator.choice(["0", "0.05", "0.2", "any:0.1", "any:0.3"])
    classwise = [name for name, card in MEASURES.items() if card.algebra.classwise and name != "k"]
    fitting = [name for name in MEASURES if not (rule.startswith("any") and name in classwise)]
    names = generator.sample(fitting, generator.randint(1, 3))
    if rule.startswith("any") and "k" not in names:
        names.append("k")
    return Problem.of(table.study().cube, tuple(names), parse_suppression(rule))


def check_frontier(method: SearchMethod, seed: int) -> None:
    """An exact search finds the whole frontier; any other finds candidates, none of which beats another."""
    problem = random_problem(seed)
    found = vectors_found(method, problem)
    every = every_vector(problem)
    if method.exact:
        truth = non_dominated(every, problem.directions)
        require(found == truth, f"not the frontier (seed {seed}): {sorted(found)}, not {sorted(truth)}")
    require(found <= every, f"a vector is not that of any candidate (seed {seed})")
    require(found == non_dominated(found, problem.directions), f"a vector beats another (seed {seed})")


def check_determinism(method: SearchMethod, seed: int) -> None:
    """Run again, and with two threads: the same candidates in the same order."""
    problem = random_problem(seed)
    first, evaluated = method.run(problem, 1, silent)
    for threads in (1, 2):
        again, count = method.run(problem, threads, silent)
        same = all(np.array_equal(a, b) for a, b in zip(first.counted, again.counted, strict=True))
        require(same, f"another result with {threads} threads (seed {seed})")
        require(count == evaluated, f"another number of nodes with {threads} threads (seed {seed})")


def check_progress(method: SearchMethod, seed: int) -> None:
    """Progress never goes back, never beyond the whole, and an exact search tells how much it evaluated."""
    problem = random_problem(seed)
    told: list[tuple[int, int]] = []
    method.run(problem, 1, lambda done, total: told.append((done, total)))
    done = [entry[0] for entry in told]
    require(done == sorted(done), f"progress goes back (seed {seed})")
    require(all(0 <= now <= total for now, total in told), f"progress beyond the whole (seed {seed})")


SEARCH_CHECKS: Mapping[str, Check] = {
    "frontier": check_frontier,
    "determinism": check_determinism,
    "progress": check_progress,
}


def vectors_found(method: SearchMethod, problem: Problem, threads: int = 1) -> Vectors:
    """What a search finds, as a set."""
    best, _ = method.run(problem, threads, silent)
    return _vectors(problem.values(problem.facts(best.counted)))


def every_vector(problem: Problem) -> Vectors:
    """The objectives of all candidates, by plain counting at every node."""
    counted = plain_evaluator(problem)(np.arange(problem.lattice.size, dtype=np.int64))
    return _vectors(problem.values(problem.facts(counted)))


def non_dominated(vectors: Vectors, directions: tuple[str, ...]) -> Vectors:
    """Those that no other beats, by comparing every pair."""
    return {
        vector for vector in vectors if not any(dominates(other, vector, directions) for other in vectors)
    }


def _vectors(values: Floats) -> Vectors:
    return {tuple(row) for row in values.tolist()}
