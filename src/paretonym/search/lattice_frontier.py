"""From a question to a frontier: choose the search, run it, turn what was counted into solutions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from paretonym.counts import kernel_library as library
from paretonym.errors import Field, InputError, NoSolution, did_you_mean
from paretonym.frontier.epsilon_dominance import Grid, thinned
from paretonym.frontier.pareto_frontier import Frontier, Objective, SearchFacts, TableFacts
from paretonym.frontier.solution import Rival, Solution, number_to_json
from paretonym.papers.pbg_ea import search_pbg
from paretonym.papers.poka import search_poka
from paretonym.recoding.recoding_contract import LatticeRecoding, digest, short_ids
from paretonym.rounding import rounded
from paretonym.search.archive import Best
from paretonym.search.budget import Limits
from paretonym.search.exact import search_exact
from paretonym.search.exhaustive import search_exhaustive
from paretonym.search.problem import Asked, Problem
from paretonym.search.result import Found
from paretonym.search.search_options import STANDARD, USES, Tuning, check_used


class Search(Protocol):
    """A way to the frontier of a problem, or near to it."""

    def __call__(self, problem: Problem, limits: Limits, tuning: Tuning = STANDARD) -> Found: ...


SEARCHES: Mapping[str, Search] = {
    "exact": search_exact,
    "exhaustive": search_exhaustive,
    "poka": search_poka,
    "pbg": search_pbg,
}
DEFAULT_SEARCH = "exact"


# Columns that a message names.
MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Exploration:
    """A frontier and what it took to find it. Of `in_part` releases only some rows had to be counted."""

    frontier: Frontier
    evaluated: int
    seconds: float
    in_part: int = 0


def explore(
    problem: Problem,
    method: str = DEFAULT_SEARCH,
    limits: Limits | None = None,
    tuning: Tuning = STANDARD,
) -> Exploration:
    """Find the frontier of a problem."""
    if method not in SEARCHES:
        raise InputError.of(Field("search"), f"there is no search '{method}'", did_you_mean(method, SEARCHES))
    check_used(method, tuning)
    grid(problem, tuning)  # mistakes should not wait for a long search
    limits = limits or Limits()
    if text := library.missing():
        limits.remark(text)
    found = boxed(problem, SEARCHES[method](problem, limits, tuning), tuning)
    if len(found.best.values) == 0:
        raise NoSolution(_nothing(problem, found))
    frontier = Frontier(
        TableFacts(
            problem.cube.rows,
            problem.cube.read,
            problem.lattice.names,
            tuple(margin.name for margin in problem.cube.sensitive),
        ),
        SearchFacts(
            "lattice",
            problem.lattice.size,
            method,
            found.complete,
            (tuning.seed or 0) if "seed" in USES.get(method, ()) else None,
            str(problem.suppression),
            found.open,
            dict(tuning.box),
        ),
        tuple(Objective(objective.name, objective.direction) for objective in problem.objectives),
        solutions(problem, found),
    )
    return Exploration(frontier, found.evaluated, limits.elapsed, found.in_part)


def grid(problem: Asked, tuning: Tuning) -> Grid:
    """The boxes that are asked for."""
    names = [objective.name for objective in problem.objectives]
    return Grid.of(names, problem.directions, dict(tuning.box))


def boxed(problem: Problem, found: Found, tuning: Tuning) -> Found:
    """One solution for each box, if boxes are asked for; what is thinned out is no complete frontier."""
    if not tuning.box:
        return found
    kept = thinned(found.best.values, grid(problem, tuning))
    return replace(
        found,
        best=Best(found.best.counted.take(kept), found.best.values[kept]),
        complete=found.complete and len(kept) == len(found.best.values),
        unresolved=tuple(found.unresolved[place] for place in kept) if found.unresolved else (),
    )


def _nothing(problem: Problem, found: Found) -> str:
    asked = " and ".join(str(requirement) for requirement in problem.requirements)
    if not found.complete:
        return (
            f"No release with {asked} was found in this time, and {found.open:,} nodes are left that might "
            f"have it. Give more time with {Field('time')}, or ask for less."
        )
    return (
        f"No release of this table has {asked} with suppression {problem.suppression}. "
        f"Ask for less, or allow more suppression{_other_levels(problem)}."
    )


def _other_levels(problem: Problem) -> str:
    """Which other levels could help: finer ones where a requirement gets harder with coarser levels, coarser
    ones where it gets easier and a column is not let up to its top."""
    moves = {(each.sense, each.objective.card.algebra.unsuppressed) for each in problem.requirements}
    bounded = [axis.name for axis in problem.cube.axes if axis.highest < axis.hierarchy.height]
    advice = ""
    if moves & {("at-most", "rises"), ("at-least", "falls")}:
        advice += ", or give the hierarchies finer levels between those that they have"
    if bounded and moves & {("at-least", "rises"), ("at-most", "falls")}:
        advice += f", or let levels go higher for {', '.join(bounded[:MOST_NAMED])}"
    return advice


def solutions(problem: Problem, found: Found) -> tuple[Solution, ...]:
    """Candidates with their names and with every value that a solution shows."""
    facts = problem.facts(found.best.counted)
    columns = {measured.name: rounded(measured.value(facts)).tolist() for measured in problem.measured}
    recodings = [
        LatticeRecoding.of(
            problem.lattice.named(problem.lattice.levels(int(node))), _keep(problem, columns, place)
        )
        for place, node in enumerate(facts.node)
    ]
    ids = short_ids([digest(recoding) for recoding in recodings])
    return tuple(
        Solution(
            ids[i],
            {name: column[i] for name, column in columns.items()},
            int(facts.gone[i]),
            recoding,
            _rival(problem, found, i),
        )
        for i, recoding in enumerate(recodings)
    )


def _keep(problem: Problem, columns: Mapping[str, list[float]], place: int) -> dict[str, str]:
    """What a class must have to stay: what the worst class that stays has, of whatever was a threshold."""
    limits = problem.thresholds if problem.every_threshold else ()
    names = {o.name: o.direction for o in limits} or {"k": "max"}
    return {
        name: f"{'>=' if direction == 'max' else '<='}{number_to_json(columns[name][place])}"
        for name, direction in names.items()
    }


def _rival(problem: Problem, found: Found, place: int) -> Rival | None:
    if not found.unresolved:
        return None
    rival = found.unresolved[place]
    names = (objective.name for objective in problem.objectives)
    return Rival(rival.nodes, dict(zip(names, rival.values, strict=True)))
