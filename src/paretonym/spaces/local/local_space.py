"""Local recoding as a space: chains of lattice nodes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from paretonym.counts import Cube
from paretonym.errors import Field
from paretonym.language import N_
from paretonym.measures import OBJECTIVES, Objective, Realized
from paretonym.recoding import short_ids
from paretonym.sentence_parts import several
from paretonym.spaces.lattice.lattice_space import beyond_table
from paretonym.spaces.local.chain_enumeration import search_exhaustive_chains
from paretonym.spaces.local.chain_search import search_greedy
from paretonym.spaces.local.local_problem import ChainsFound, LocalProblem
from paretonym.spaces.local.local_recoding import LocalRecoding, nodes_of_tuples
from paretonym.spaces.local.local_transfer import transfer
from paretonym.spaces.space import (
    NodeRows,
    Question,
    SearchMethod,
    ShownRelease,
    Solutions,
    Space,
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
        "greedy": SearchMethod(
            search_greedy,
            {"seed": "the random seed (0)", "evaluations": "evaluate about this many chains (2000)"},
        ),
        "exhaustive": SearchMethod(
            search_exhaustive_chains,
            {"depth": "try chains of at most this many nodes (all)"},
            everywhere=True,
        ),
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
)
