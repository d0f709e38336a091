"""From a question to a frontier: choose the search, run it, turn what was counted into solutions."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from paretonym.errors import InputError, did_you_mean
from paretonym.frontier.frontier import Frontier, Objective, SearchFacts, TableFacts
from paretonym.frontier.solution import Solution
from paretonym.measures.facts import Facts
from paretonym.measures.numbers import rounded
from paretonym.recoding.recoding import LatticeRecoding, short_ids
from paretonym.search.collecting import Best
from paretonym.search.exhaustive import search_exhaustive
from paretonym.search.problem import Problem
from paretonym.search.progress import Progress, silent, usable_cores

Search: TypeAlias = Callable[[Problem, int, Progress], tuple[Best, int]]


@dataclass(frozen=True, slots=True)
class SearchMethod:
    """A search and whether what it finds is proven to be the whole frontier."""

    run: Search
    exact: bool


SEARCHES: Mapping[str, SearchMethod] = {"exhaustive": SearchMethod(search_exhaustive, exact=True)}
DEFAULT_SEARCH = "exhaustive"


@dataclass(frozen=True, slots=True)
class Exploration:
    """A frontier and what it took to find it."""

    frontier: Frontier
    evaluated: int
    seconds: float


def explore(
    problem: Problem, method: str = DEFAULT_SEARCH, threads: int | None = None, progress: Progress = silent
) -> Exploration:
    """Find the frontier of a problem."""
    if method not in SEARCHES:
        raise InputError.of("--search", f"there is no search '{method}'", did_you_mean(method, SEARCHES))
    started = time.perf_counter()
    search = SEARCHES[method]
    best, evaluated = search.run(problem, threads or usable_cores(), progress)
    facts = problem.facts(best.counted)
    frontier = Frontier(
        TableFacts(
            problem.cube.rows,
            problem.cube.read,
            problem.lattice.names,
            tuple(margin.name for margin in problem.cube.sensitive),
        ),
        SearchFacts("lattice", problem.lattice.size, method, search.exact, None, str(problem.suppression)),
        tuple(Objective(objective.name, objective.direction) for objective in problem.objectives),
        solutions(problem, facts),
    )
    return Exploration(frontier, evaluated, time.perf_counter() - started)


def solutions(problem: Problem, facts: Facts) -> tuple[Solution, ...]:
    """Candidates with their names and with every value that a solution shows."""
    columns = {measured.name: rounded(measured.value(facts)).tolist() for measured in problem.measured}
    recodings = [
        LatticeRecoding.of(problem.lattice.named(problem.lattice.levels(int(node))), {"k": f">={smallest}"})
        for node, smallest in zip(facts.node, facts.smallest, strict=True)
    ]
    ids = short_ids([recoding.digest for recoding in recodings])
    return tuple(
        Solution(ids[i], {name: column[i] for name, column in columns.items()}, int(facts.gone[i]), recoding)
        for i, recoding in enumerate(recodings)
    )
