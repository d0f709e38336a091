"""Local recoding as a space: partitions of the distinct tuples."""

from __future__ import annotations

from dataclasses import replace

from paretonym.counts import Cube
from paretonym.errors import Field, NoSolution
from paretonym.language import N_
from paretonym.measures import OBJECTIVES, Objective
from paretonym.recoding import Feature, short_ids
from paretonym.sentence_parts import several
from paretonym.spaces.lattice.lattice_space import beyond_table
from paretonym.spaces.local.local_problem import LocalFound, LocalProblem
from paretonym.spaces.local.local_recoding import LocalRecoding
from paretonym.spaces.local.partition_enumeration import search_exhaustive_partitions
from paretonym.spaces.local.partition_search import search_clusters
from paretonym.spaces.space import (
    ProblemMaker,
    Question,
    SearchMethod,
    Solutions,
    Space,
    Wording,
)


def local_problem(question: Question, cube: Cube) -> LocalProblem:
    """A question to the partitions of a table."""
    asked = Objective.several(question.objectives or OBJECTIVES, cube, question.parameters)
    required = question.required(cube)
    problem = LocalProblem(cube, asked, question.suppress, question.parameters, required, question.earlier)
    _ = problem.on_lattice  # Refuses what the lattice refuses.
    return problem


def solutions(problem: LocalProblem, found: LocalFound) -> Solutions:
    """Candidates with their ids."""
    if not found.candidates:
        raise NoSolution(nothing(problem, found))
    ids = short_ids([each.solution.recoding for each in found.candidates])
    return Solutions(
        tuple(replace(each.solution, id=name) for name, each in zip(ids, found.candidates, strict=True))
    )


def nothing(problem: LocalProblem, found: LocalFound) -> str:
    """The error if there is no solution: why, and what to do."""
    asked = " and ".join(str(requirement) for requirement in problem.requirements)
    if found.interrupted:
        return "Interrupted before anything was found."
    if beyond := beyond_table(asked, problem.requirements, problem.cube):
        return beyond
    return (
        f"No release with {asked} was found among {several(found.evaluated, 'partition', 'partitions')}. "
        f"Require less, allow more suppression, or raise {Field('evaluations')}."
    )


LOCAL = Space(
    name="local",
    recoding=LocalRecoding,
    problem=ProblemMaker(local_problem),
    searches={
        "clusters": SearchMethod(
            search_clusters,
            {
                "seed": "the random seed (0)",
                "evaluations": "compare about so many cells, for each class size, to divide classes better, "
                "and many more for sizes that are often required (15,000,000)",
            },
        ),
        "exhaustive": SearchMethod(search_exhaustive_partitions, everywhere=True),
    },
    solutions=solutions,
    wording=Wording(
        N_("partitions"),
        N_(
            "Local recoding: distinct combinations of values are divided into equivalence classes of at "
            "least k rows, and each class shows the smallest sets of the hierarchies that contain its "
            "values. Classes are made by their size alone, never by sensitive values."
        ),
        "classes",
        "The smallest number of rows that a class may have; every class of {columns} shows the smallest sets "
        "that contain it.",
        words=N_("small groups generalized further"),
    ),
    supports={
        Feature.UNITS: "classes are made by their size alone",
        Feature.POPULATION: "where everybody knows that finer classes had fewer than k rows, which can prove "
        "that somebody is in the table, however many people look alike",
    },
)
