"""From a question to a frontier: every method that can answer it searches, and what no solution of any
dominates is kept.

A method turns the question into a problem of its space; a search solves it; solutions get ids. Budgets of a
joint search count evaluations, so that the same question gives the same frontier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from paretonym.base.budget import Limits, NoCheckpoint
from paretonym.base.errors import Field, InputError, NoSolution, did_you_mean
from paretonym.base.rounding import rounded
from paretonym.engine.counts import Cube
from paretonym.engine.frontier import (
    GENERALIZATION,
    Frontier,
    Grid,
    Objective,
    ProvenBound,
    SearchFacts,
    Solution,
    TableFacts,
    frontier_places,
    objective_values,
)
from paretonym.engine.measures import CLASS_SIZE, LOSS, OBJECTIVES, WEIGHTS
from paretonym.engine.measures import Objective as Measured
from paretonym.engine.search import STANDARD, Asked, Tuning, floors
from paretonym.engine.spaces.combinations import check_space
from paretonym.engine.spaces.space import Question, SearchResult, Space, with_ids
from paretonym.engine.spaces.space_registry import SPACES, USUAL_SPACE, Method, joint_methods, space_named

# A joint search within the budgets of its methods takes about this many seconds on a table like Adult.
USUAL_SECONDS = 10.0
# In a joint search, about so many tuples are counted in a large lattice before it is given up to prove it:
# one of some 100,000 nodes and 12,000 tuples still is, unless more than the sizes of classes is counted.
MOST_COUNTED = 250_000_000
LEAST_EVALUATIONS, MOST_EVALUATIONS = 40, 20_000
# To measure all that classes show takes a while in the smallest table, too, as if it had so many tuples more.
OF_VALUES, OF_CLASSES, BESIDE_TUPLES = 4, 500, 500
# The floor is computed at no more sizes than this: in one walk over all nodes.
MOST_SIZES = 64


@dataclass(frozen=True, slots=True)
class Exploration:
    """A frontier and what it took to find it. For `in_part` releases only some rows had to be counted."""

    frontier: Frontier
    evaluated: int
    seconds: float
    in_part: int = 0


class Searched(NamedTuple):
    """Result of one method; `problem` says which values it was about."""

    problem: Asked
    facts: SearchFacts
    result: SearchResult


def explore(question: Question, cube: Cube, limits: Limits | None = None) -> Exploration:
    """The frontier that a question asks for."""
    limits, methods = limits or Limits(), methods_for(question)
    if len(methods) > 1:
        return _jointly(question, cube, methods, limits)
    space = SPACES[methods[0].space]
    _check_options(space, question)
    check_space(space, question, cube)
    problem = space.problem.make(question, cube)
    _check_weights(question, problem)
    return solve(space, problem, methods[0].search, limits, question.tuning)


def methods_for(question: Question) -> tuple[Method, ...]:
    """The methods that a question is for: one if it names a space, or a search or an option that not every
    space has."""
    if question.space is not None:
        return (Method(space_named(question.space).name, question.search),)
    if question.search is None and not question.own_options and not question.tuning.particular:
        return joint_methods(question.objectives)
    able = [space for space in SPACES.values() if _takes(space, question)]
    return (Method((able or [next(iter(SPACES.values()))])[0].name, question.search),)


def _takes(space: Space, question: Question) -> bool:
    """True if a space has the search that is asked for, and the options that not every space has."""
    searches = [question.search] if question.search is not None else [space.usual_search]
    return set(question.own_options) <= {*space.problem.options} and any(
        name in space.searches and {*question.tuning.particular} <= {*space.searches[name].options}
        for name in searches
    )


def solve(
    space: Space,
    problem: Asked,
    method: str | None = None,
    limits: Limits | None = None,
    tuning: Tuning = STANDARD,
) -> Exploration:
    """The frontier of a problem in a space, by one of its searches."""
    limits = limits or Limits()
    method = method or space.usual_search
    _check_search(space, method, tuning)
    # Mistakes are reported before a long search.
    grid = _grid(problem, tuning)
    return _joined([_searched(space, problem, method, limits, tuning)], grid, limits)


def _searched(space: Space, problem: Asked, method: str, limits: Limits, tuning: Tuning) -> Searched:
    """Result of one search, not thinned out."""
    result = space.searches[method].run(problem, limits, tuning)
    facts = SearchFacts(
        space.name,
        problem.size,
        method,
        result.complete,
        (tuning.seed or 0) if "seed" in space.searches[method].options else None,
        problem.suppressed_by,
        result.open,
        dict(tuning.box),
        result.interrupted,
        space.units,
        space.looks_everywhere(method),
        result.bound,
        result.evaluated,
        space.words,
        space.by_hierarchies,
    )
    return Searched(problem, facts, result)


def _jointly(question: Question, cube: Cube, methods: Sequence[Method], limits: Limits) -> Exploration:
    """The frontier over every method that can answer; that one cannot is a remark."""
    question = replace(question, objectives=question.objectives or OBJECTIVES)
    scale = 1.0 if limits.seconds is None else limits.seconds / USUAL_SECONDS
    limits = among_others(question, cube, limits)
    searched: list[Searched] = []
    refusals: dict[str, InputError | NoSolution] = {}
    for number, method in enumerate(methods):
        try:
            found = _by_method(question, cube, method, _share(limits, number, len(methods)), scale)
        except (InputError, NoSolution) as refusal:
            refusals[method.space] = refusal
            continue
        searched.append(found)
        if method.space == USUAL_SPACE.name:
            question = replace(question, earlier=found.result.solutions)
        if found.result.interrupted:
            break
    if not searched:
        raise min(refusals.values(), key=lambda reason: isinstance(reason, InputError))
    for name, reason in refusals.items():
        if isinstance(reason, InputError):
            limits.remark(f"The method {name} is left out: {reason.problems[0].wrong}.")
    exploration = _joined(searched, _grid(searched[0].problem, question.tuning), limits)
    if len(searched) < 2 or exploration.frontier.interrupted or limits.over:
        return exploration
    bound = _least_cost(question, cube, exploration.frontier.solutions, limits.threads)
    return replace(
        exploration, frontier=replace(exploration.frontier, least_cost=bound), seconds=limits.elapsed
    )


def among_others(question: Question, cube: Cube, limits: Limits) -> Limits:
    """The limits of every method of a joint search. Without a limit of time the nodes of a large lattice, and
    cuts, are limited in number: fewer where there are more tuples, where values in classes are counted, or
    where each is measured from all that its classes show."""
    if limits.seconds is not None:
        return limits
    objectives = Measured.several(question.objectives, cube, question.parameters)
    most, dear, tuples = MOST_EVALUATIONS, 1, max(cube.tuples, 1)
    if any(o.statistics for o in objectives):
        most, dear = most // OF_VALUES, OF_VALUES
    if any(o.is_of_classes for o in objectives):
        dear, tuples = dear * OF_CLASSES, tuples + BESIDE_TUPLES
    affordable = MOST_COUNTED // (tuples * dear)
    return replace(limits, evaluations=max(LEAST_EVALUATIONS, min(most, affordable)))


def _least_cost(
    question: Question, cube: Cube, solutions: Sequence[Solution], threads: int
) -> ProvenBound | None:
    """The loss that no generalization by the hierarchies is below, at the k of some solutions; None unless
    k and loss are objectives, and every row counts alike."""
    weighted = question.settings.get(LOSS, {}).get(WEIGHTS)
    if not {CLASS_SIZE, LOSS} <= {*question.objectives} or weighted:
        return None
    sizes = sorted({int(solution.values[CLASS_SIZE]) for solution in solutions})
    if len(sizes) > MOST_SIZES:
        # All small ones, and some of the others, evenly.
        half = MOST_SIZES // 2
        places = np.linspace(half, len(sizes) - 1, half).astype(int).tolist()
        sizes = sizes[:half] + [sizes[place] for place in places]
    steps: list[tuple[int, float]] = []
    for size, least in zip(sizes, rounded(floors(cube, sizes, threads)).tolist(), strict=True):
        if not steps or least > steps[-1][1]:
            steps.append((size, least))
    return ProvenBound(CLASS_SIZE, LOSS, tuple(steps), GENERALIZATION)


def _by_method(question: Question, cube: Cube, method: Method, limits: Limits, scale: float) -> Searched:
    """Result of one of several methods within its budget, which a longer or shorter time scales."""
    space = SPACES[method.space]
    check_space(space, question, cube, alone=False)
    problem = space.problem.make(space.problem.among(question), cube)
    _check_weights(question, problem)
    _grid(problem, question.tuning)
    tuning = question.tuning
    if method.evaluations is not None:
        tuning = replace(tuning, evaluations=max(1, round(scale * method.evaluations)))
    search = method.search or space.usual_search
    if not space.searches[search].resumes:
        # The state that is kept is that of the search that resumes, even if another begins with its kind.
        limits = replace(limits, checkpoint=NoCheckpoint())
    searched = _searched(space, problem, search, limits, tuning)
    return searched._replace(facts=replace(searched.facts, suppress=str(question.suppress)))


def _share(limits: Limits, number: int, methods: int) -> Limits:
    """The limits of one of several methods: an equal share of the time that is left, and remarks of the first
    one alone."""
    if limits.seconds is not None:
        seconds_left = max(limits.seconds - limits.elapsed, 0.0)
        limits = replace(limits, seconds=limits.elapsed + seconds_left / (methods - number))
    return limits if number == 0 else replace(limits, remark=lambda text: None)


def _grid(problem: Asked, tuning: Tuning) -> Grid:
    return Grid.of(problem.names, problem.directions, dict(tuning.box))


def _joined(searched: Sequence[Searched], grid: Grid, limits: Limits) -> Exploration:
    """Solutions that no other of any method dominates; one for each box if boxes are given."""
    problem, facts = searched[0].problem, tuple(one.facts for one in searched)
    solutions = _nondominated(searched)
    if facts[0].box:
        places = grid.thinned(objective_values(solutions, problem.names)).tolist()
        if len(places) < len(solutions):
            facts = tuple(replace(fact, complete=False) for fact in facts)
        solutions = [solutions[place] for place in places]
    cube = problem.cube
    frontier = Frontier(
        TableFacts(
            cube.rows,
            cube.read,
            tuple(axis.name for axis in cube.axes),
            tuple(margin.name for margin in cube.sensitive),
            None if cube.persons is None else cube.persons.facts,
            None if cube.households is None else cube.households.facts,
        ),
        facts,
        tuple(Objective(objective.name, objective.direction) for objective in problem.objectives),
        tuple(solutions),
        candidates=searched[0].result.candidates if len(searched) == 1 else (),
    )
    results = [one.result for one in searched]
    evaluated, in_part = sum(r.evaluated for r in results), sum(r.in_part for r in results)
    return Exploration(frontier, evaluated, limits.elapsed, in_part)


def _nondominated(searched: Sequence[Searched]) -> list[Solution]:
    """The solutions that no other one dominates; of equal ones that of the first method."""
    solutions = [
        replace(solution, space=one.facts.space) for one in searched for solution in one.result.solutions
    ]
    if len(searched) == 1:
        return solutions
    problem = searched[0].problem
    places = frontier_places(
        objective_values(solutions, problem.names),
        problem.directions,
        np.arange(len(solutions), dtype=np.int64),
    )
    return list(with_ids(solutions[place] for place in places.tolist()))


def question_as_json(question: Question, cube: Cube, exploration: Exploration) -> dict[str, Any]:
    """A question in its stored form, including the default values that were used."""
    frontier = exploration.frontier
    search, *others = frontier.methods
    swept = {"sweep": list(question.sweep)}
    return {
        "space": None if others else search.space,
        "search": None if others else search.method,
        "objectives": [objective.name for objective in frontier.objectives],
        "suppress": search.suppress,
        "settings": {name: dict(values) for name, values in question.parameters.items()},
        "require": [str(requirement) for requirement in question.required(cube)],
        **({"tuning": question.tuning.as_json()} if question.tuning.given else {}),
        **question.space_options,
        **(swept if not others and "sweep" in SPACES[search.space].problem.options else {}),
    }


def _check_options(space: Space, question: Question) -> None:
    """Refuse what has no meaning in this space."""
    for name in question.own_options:
        if name not in space.problem.options:
            owners = " or ".join(
                str(Field("space", other.name)) for other in SPACES.values() if name in other.problem.options
            )
            raise InputError.of(
                Field(name), f"the space {space.name} does not have this option", f"use {owners}"
            )


def _check_search(space: Space, method: str, tuning: Tuning) -> None:
    """Refuse a search that this space does not have, and options that the chosen one would ignore."""
    if method not in space.searches:
        known = did_you_mean(method, space.searches)
        raise InputError.of(Field("search"), f"the space {space.name} has no search '{method}'", known)
    for name in tuning.particular:
        if name not in space.searches[method].options:
            owners = [other for other, search in space.searches.items() if name in search.options]
            others = " or ".join(str(Field("search", owner)) for owner in owners)
            remedy = f"omit it, or use {others}" if others else "omit it"
            raise InputError.of(Field(name), f"the search '{method}' does not have this option", remedy)


def _check_weights(question: Question, problem: Asked) -> None:
    """Refuse weights for a loss that is no part of the question: every solution has it, without weights."""
    names = {
        *(o.name for o in problem.objectives),
        *(requirement.objective.name for requirement in problem.requirements),
    }
    for measure, parameters in question.settings.items():
        if measure not in names and parameters.get(WEIGHTS):
            raise InputError.of(
                Field("settings"),
                f"{measure}.{WEIGHTS} is set, but {measure} is neither an objective nor a limit",
                f"omit it, or give {Field('objectives', measure)}",
            )
