"""From a question to a frontier: the space turns it into a problem, a search solves it, and solutions get
ids."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from paretonym.budget import Limits
from paretonym.counts import Cube
from paretonym.errors import Field, InputError, did_you_mean
from paretonym.frontier import Frontier, Grid, Objective, SearchFacts, TableFacts
from paretonym.measures import WEIGHTS
from paretonym.recoding import USUAL, Feature
from paretonym.search import STANDARD, Asked, Tuning
from paretonym.spaces.space import Found, Question, Space
from paretonym.spaces.space_registry import SPACES, space_named, supporting


@dataclass(frozen=True, slots=True)
class Exploration:
    """A frontier and what it took to find it. For `in_part` releases only some rows had to be counted."""

    frontier: Frontier
    evaluated: int
    seconds: float
    in_part: int = 0


def explore(question: Question, cube: Cube, limits: Limits | None = None) -> Exploration:
    """The frontier that a question asks for."""
    space = space_named(question.space)
    _check_options(space, question)
    _check_persons(space, cube)
    problem = space.problem.make(question, cube)
    _check_weighted(problem, question)
    return solve(space, problem, question.search, limits, question.tuning)


def solve(
    space: Space,
    problem: Asked,
    method: str | None = None,
    limits: Limits | None = None,
    tuning: Tuning = STANDARD,
) -> Exploration:
    """The frontier of a problem in a space, by one of its searches."""
    method = method or space.usual_search
    _check_search(space, method, tuning)
    names = [objective.name for objective in problem.objectives]
    # Mistakes are reported before a long search.
    grid = Grid.of(names, problem.directions, dict(tuning.box))
    limits = limits or Limits()
    found = space.searches[method].run(problem, limits, tuning)
    frontier = frontier_of(space, problem, found, grid, method, tuning)
    return Exploration(frontier, found.evaluated, limits.elapsed, found.in_part)


def frontier_of(
    space: Space, problem: Asked, found: Found, grid: Grid, method: str, tuning: Tuning
) -> Frontier:
    """What a search found, with ids and values; one solution for each box if boxes are given."""
    shown = found.take(grid.thinned(found.values)) if tuning.box and len(found.values) else found
    cube, solutions = problem.cube, space.solutions(problem, shown)
    seeded = "seed" in space.searches[method].options
    return Frontier(
        TableFacts(
            cube.rows,
            cube.read,
            tuple(axis.name for axis in cube.axes),
            tuple(margin.name for margin in cube.sensitive),
            None if cube.persons is None else cube.persons.facts,
            None if cube.households is None else cube.households.facts,
        ),
        SearchFacts(
            space.name,
            problem.size,
            method,
            shown.complete,
            (tuning.seed or 0) if seeded else None,
            problem.suppressed_by,
            found.open,
            dict(tuning.box),
            found.interrupted,
            space.units,
            space.looks_everywhere(method),
            bound=solutions.bound,
        ),
        tuple(Objective(objective.name, objective.direction) for objective in problem.objectives),
        solutions.best,
        candidates=solutions.candidates,
    )


def question_as_json(question: Question, cube: Cube, found: Exploration) -> dict[str, Any]:
    """A question in its stored form, including the default values that were used."""
    search = found.frontier.search
    swept = {"sweep": list(question.sweep), "buckets": question.buckets}
    return {
        "space": question.space,
        "search": search.method,
        "objectives": [objective.name for objective in found.frontier.objectives],
        "suppress": search.suppress,
        "settings": {name: dict(values) for name, values in question.parameters.items()},
        "require": [str(requirement) for requirement in question.required(cube)],
        **({"problem": asdict(question.problem)} if question.problem else {}),
        **({"tuning": question.tuning.as_json()} if question.tuning.given else {}),
        **({"splits": question.splits} if question.splits else {}),
        **(swept if "sweep" in SPACES[question.space].problem.options else {}),
    }


def _check_options(space: Space, question: Question) -> None:
    """Refuse what has no meaning in this space."""
    for name in question.own_options:
        if name not in space.problem.options:
            owners = " or ".join(
                str(Field("space", each.name)) for each in SPACES.values() if name in each.problem.options
            )
            raise InputError.of(
                Field(name), f"the space {space.name} does not have this option", f"use {owners}"
            )
    if space.lacks(Feature.SUPPRESSION) and not (question.suppress == USUAL or question.suppress.is_nothing):
        raise InputError.of(Field("suppress"), space.supports[Feature.SUPPRESSION], "omit it")


def _check_weighted(problem: Asked, question: Question) -> None:
    """Refuse weights for a loss that is no part of the question: every solution has it, without weights."""
    asked = {*(o.name for o in problem.objectives), *(each.objective.name for each in problem.requirements)}
    for measure, parameters in question.settings.items():
        if measure not in asked and parameters.get(WEIGHTS):
            raise InputError.of(
                Field("settings"),
                f"{measure}.{WEIGHTS} is set, but {measure} is neither an objective nor a limit",
                f"omit it, or give {Field('objectives', measure)}",
            )


def _check_persons(space: Space, cube: Cube) -> None:
    """Refuse a space that would count rows where persons are asked for."""
    if cube.persons is not None and cube.drawn_from is not None:
        raise InputError.of(
            Field("population_file"),
            "a population is counted in rows, and the schema has a column of role person",
            "omit it, or give a table with one row per person",
        )
    if cube.persons is not None and space.lacks(Feature.PERSONS):
        able = " or ".join(str(Field("space", name)) for name in supporting(Feature.PERSONS))
        raise InputError.of(
            Field("space"),
            f"the schema has a column of role person, and the space {space.name} counts rows, not persons: "
            f"{space.supports[Feature.PERSONS]}",
            f"use {able}, where persons are counted",
        )


def _check_search(space: Space, method: str, tuning: Tuning) -> None:
    """Refuse a search that this space does not have, and options that the chosen one would ignore."""
    if method not in space.searches:
        known = did_you_mean(method, space.searches)
        raise InputError.of(Field("search"), f"the space {space.name} has no search '{method}'", known)
    for name in tuning.particular:
        if name not in space.searches[method].options:
            owners = [each for each, search in space.searches.items() if name in search.options]
            other = f", or use {' or '.join(str(Field('search', each)) for each in owners)}" if owners else ""
            raise InputError.of(
                Field(name), f"the search '{method}' does not have this option", f"omit it{other}"
            )
