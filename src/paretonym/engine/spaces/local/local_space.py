"""Local recoding as a space: partitions of the distinct tuples."""

from __future__ import annotations

from paretonym.base.language import N_
from paretonym.engine.counts import Cube
from paretonym.engine.measures import OBJECTIVES, Objective
from paretonym.engine.recoding import Feature
from paretonym.engine.spaces.local.local_problem import LocalProblem
from paretonym.engine.spaces.local.local_recoding import LocalRecoding
from paretonym.engine.spaces.local.partition_search import search_clusters
from paretonym.engine.spaces.space import ProblemMaker, Question, SearchMethod, Space, Wording


def local_problem(question: Question, cube: Cube) -> LocalProblem:
    """A question to the partitions of a table."""
    asked = Objective.several(question.objectives or OBJECTIVES, cube, question.parameters)
    required = question.required(cube)
    problem = LocalProblem(cube, asked, question.suppress, question.parameters, required, question.earlier)
    _ = problem.on_lattice  # Refuses what the lattice refuses.
    return problem


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
    },
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
