"""Local recoding as a space: chains of lattice nodes."""

from __future__ import annotations

from dataclasses import replace

from paretonym.counts import Cube
from paretonym.errors import Field, NoSolution
from paretonym.language import N_
from paretonym.measures import OBJECTIVES, Objective
from paretonym.recoding import Feature, short_ids
from paretonym.sentence_parts import several
from paretonym.spaces.lattice.lattice_space import beyond_table
from paretonym.spaces.local.chain_enumeration import search_exhaustive_chains
from paretonym.spaces.local.chain_search import search_greedy
from paretonym.spaces.local.local_problem import ChainsFound, LocalProblem
from paretonym.spaces.local.local_recoding import LocalRecoding
from paretonym.spaces.space import (
    ProblemMaker,
    Question,
    SearchMethod,
    Solutions,
    Space,
    Wording,
)


def local_problem(question: Question, cube: Cube) -> LocalProblem:
    """A question to the chains of a table."""
    asked = Objective.several(question.objectives or OBJECTIVES, cube, question.parameters)
    problem = LocalProblem(cube, asked, question.suppress, question.parameters, question.required(cube))
    _ = problem.on_lattice  # Refuses what the lattice refuses.
    return problem


def solutions(problem: LocalProblem, found: ChainsFound) -> Solutions:
    """Candidates with their ids."""
    if not found.candidates:
        raise NoSolution(nothing(problem, found))
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


LOCAL = Space(
    name="local",
    recoding=LocalRecoding,
    problem=ProblemMaker(local_problem),
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
    solutions=solutions,
    wording=Wording(
        N_("chains"),
        N_(
            "Local recoding by a chain of choices of levels, each at least as general as the one before: the "
            "rows of equivalence classes that are large enough at the first one are shown there; the "
            "remaining rows alone are grouped at the second one, and so on. Rows move on by class size alone."
        ),
        "levels",
        "The lowest and the highest level of {columns} in a chain of nodes; 0 is unchanged.",
        words=N_("small groups generalized further"),
    ),
    supports={
        Feature.UNITS: "rows move on by class size alone",
        Feature.POPULATION: "where everybody knows that finer classes had fewer than k rows, which can prove "
        "that somebody is in the table, however many people look alike",
    },
)
