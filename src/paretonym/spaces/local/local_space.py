"""Local recoding as a space: chains of lattice nodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from paretonym.budget import Limits
from paretonym.counts import Cube
from paretonym.errors import Field
from paretonym.frontier import Solution
from paretonym.language import N_
from paretonym.measures import OBJECTIVES, Objective, Realized
from paretonym.recoding import short_ids
from paretonym.sentence_parts import several
from paretonym.spaces.lattice.lattice_space import beyond_table, solutions_near
from paretonym.spaces.local.chain_enumeration import exhaustive_near, search_exhaustive_chains
from paretonym.spaces.local.chain_search import as_chain, greedy_near, search_greedy
from paretonym.spaces.local.local_problem import ChainsFound, LocalProblem
from paretonym.spaces.local.local_recoding import LocalRecoding, nodes_of_tuples
from paretonym.spaces.local.local_transfer import transfer
from paretonym.spaces.space import (
    NodeRows,
    Pool,
    Question,
    SearchMethod,
    ShownRelease,
    Solutions,
    Space,
    Vicinity,
)


def local_problem(question: Question, cube: Cube) -> LocalProblem:
    """A question to the chains of a table."""
    asked = Objective.several(question.objectives or OBJECTIVES, cube, question.parameters)
    problem = LocalProblem(cube, asked, question.suppress, question.parameters, question.required(cube))
    _ = problem.on_lattice  # Refuses what the lattice refuses.
    return problem


def solutions(problem: LocalProblem, found: ChainsFound) -> Solutions:
    """Candidates with their ids."""
    ids = short_ids([each.solution.recoding for each in found.candidates])
    return Solutions(
        tuple(replace(each.solution, id=name) for name, each in zip(ids, found.candidates, strict=True))
    )


def nothing(problem: LocalProblem, found: ChainsFound) -> str:
    """The error if there is no solution: why, and what to do."""
    asked = " and ".join(str(requirement) for requirement in problem.requirements)
    if found.interrupted:
        return "Interrupted before anything was found."
    if beyond := beyond_table(asked, problem.requirements, problem.cube):
        return beyond
    return (
        f"No release with {asked} was found among {several(found.evaluated, 'chain', 'chains')}. Require "
        f"less, allow more suppression, or raise {Field('evaluations')}."
    )


def pool(question: Question, cube: Cube, near: Vicinity, limits: Limits) -> Pool:
    """The releases to draw one from near a chosen one: the chains that the search of a run evaluates if no
    time limit stops it, dominated or not, all candidates of the lattice, and the chosen release. So the same
    question, choice and limits always give the same pool."""
    problem = local_problem(question, cube)
    search = exhaustive_near if question.search == "exhaustive" else greedy_near
    chains = [each.solution for each in search(problem, near, limits, question.tuning)]
    nodes = solutions_near(question, cube, near, Limits(threads=limits.threads))
    alike = (as_chain(problem, each).solution for each in nodes)
    found = _distinct([near.chosen, *chains, *alike], cube)
    return Pool(len(found), lambda place: _named(found[place]))


def _distinct(solutions: Iterable[Solution], cube: Cube) -> list[Solution]:
    """One of those that are the same release: levels may share labels, and a class may be suppressed by one
    condition or by another. Only releases with equal measures can be the same."""
    alike: dict[str, dict[str, Solution]] = {}
    for each in solutions:
        values = sorted((name, float(value)) for name, value in each.values.items())
        own = alike.setdefault(f"{each.suppressed} {values}", {})
        own.setdefault(str(each.recoding.as_json()), each)
    found: list[Solution] = []
    for key in sorted(alike):
        own = alike[key]
        ordered = [own[text] for text in sorted(own)]
        found += {_shown(each, cube): each for each in ordered}.values() if len(own) > 1 else ordered
    return found


def _shown(solution: Solution, cube: Cube) -> tuple[object, ...]:
    """The tuples that stay, for each the first one that looks the same, and the labels of each class."""
    made = Realized.of(solution.recoding, cube)
    staying = np.flatnonzero(made.stays[made.classes.of_tuple])
    _, first, alike = np.unique(made.classes.of_tuple[staying], return_index=True, return_inverse=True)
    ordered = made.classes.of_tuple[staying[np.sort(first)]]
    labels = tuple(made.classes.labels(place) for place in ordered.tolist())
    return staying.tobytes(), first[alike].tobytes(), labels


def _named(solution: Solution) -> Solution:
    return solution if solution.id else replace(solution, id=short_ids([solution.recoding])[0])


def manifest(recoding: LocalRecoding, shown: ShownRelease) -> dict[str, Any]:
    """What a manifest says. Levels disclose nothing about the input."""
    chain = [{shown.names[name]: level for name, level in node} for node in recoding.chain]
    return {"chain": chain, **shown.keep}


def node_rows(recoding: LocalRecoding, cube: Cube) -> tuple[NodeRows, ...]:
    """How many rows are shown at each node."""
    made = Realized.of(recoding, cube)
    places = nodes_of_tuples(cube, recoding.nodes(cube.axes), recoding.smallest)
    stays = made.stays[made.classes.of_tuple] & (places < len(recoding.chain))
    rows = np.bincount(places[stays], weights=cube.counts[stays], minlength=len(recoding.chain))
    return tuple(NodeRows(dict(node), int(own)) for node, own in zip(recoding.chain, rows, strict=True))


LOCAL = Space(
    name="local",
    recoding=LocalRecoding,
    units=N_("chains"),
    searches={
        "greedy": SearchMethod(search_greedy, ("seed", "evaluations")),
        "exhaustive": SearchMethod(search_exhaustive_chains, ("depth",), everywhere=True),
    },
    problem=local_problem,
    solutions=solutions,
    nothing=nothing,
    manifest=manifest,
    heading="levels",
    caption="The lowest and the highest level of {columns} in a chain of nodes; 0 is unchanged.",
    method=N_(
        "Local recoding by a chain of choices of levels, each at least as general as the one before: the "
        "rows of equivalence classes that are large enough at the first one are shown there; the remaining "
        "rows alone are grouped at the second one, and so on. Rows move on by class size alone."
    ),
    transfer=transfer,
    by_levels=True,
    nodes=node_rows,
    of_persons=True,
    unpopulated="where everybody knows that finer classes had fewer than k rows, which can prove that "
    "somebody is in the table, however many people look alike",
    pool=pool,
)
