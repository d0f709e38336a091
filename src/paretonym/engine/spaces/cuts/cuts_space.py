"""Cuts as a space: every column is cut anywhere that its hierarchy and the rows beside the cut allow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import repeat
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.budget import Limits
from paretonym.base.errors import Field, NoSolution
from paretonym.base.language import N_
from paretonym.base.number_text import number_to_json
from paretonym.base.sentence_parts import several
from paretonym.engine.counts import Cube
from paretonym.engine.frontier import ProvenBound, Solution
from paretonym.engine.measures import CLASS_SIZE, LOSS, OBJECTIVES
from paretonym.engine.recoding import ClassCondition, Feature, Keep
from paretonym.engine.search import Tuning
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem
from paretonym.engine.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.engine.spaces.cuts.four_problems import PaperProblem
from paretonym.engine.spaces.cuts.genome_classes import genome_classes, goodness_of, staying
from paretonym.engine.spaces.cuts.genome_evaluation import CutsFound
from paretonym.engine.spaces.cuts.hybrid import search_hybrid
from paretonym.engine.spaces.space import ProblemMaker, Question, SearchMethod, SearchResult, Space, Wording

Search: TypeAlias = Callable[[CutsProblem, Limits, Tuning], CutsFound]

GENERATION_OPTIONS = {
    "seed": "the random seed (0)",
    "population": "genomes in a generation (200, or 500 for three objectives)",
    "generations": "stop after this many generations (250)",
    "evaluations": "evaluate at most this many cuts (population × (generations + 1))",
}


def cuts_problem(question: Question, cube: Cube) -> CutsProblem:
    """A question to the cuts of a table."""
    suppression, required = question.suppress, question.required(cube)
    paper = PaperProblem.of_options(question.space_options)
    if paper is None:
        names = question.objectives or OBJECTIVES
        return CutsProblem.of(cube, names, suppression, question.parameters, required)
    return CutsProblem.of_paper(paper, cube, suppression.fraction, question.parameters, required)


def nothing(problem: CutsProblem, found: CutsFound) -> str:
    """The error if there is no solution: why, and what to do."""
    requirements = " and ".join(str(requirement) for requirement in problem.requirements)
    if found.interrupted:
        return "Interrupted before anything was found."
    return (
        f"No release with {requirements} was found among {several(found.evaluated, 'cut', 'cuts')}. Require "
        f"less, allow more suppression, or raise {Field('evaluations')}."
    )


def cuts_search(search: Search) -> Callable[[CutsProblem, Limits, Tuning], SearchResult]:
    """A search whose candidates become solutions with their ids and all values."""
    return lambda problem, limits, tuning: released(problem, search(problem, limits, tuning))


def released(problem: CutsProblem, found: CutsFound) -> SearchResult:
    """Solutions that were found."""
    front = found.front
    if len(front) == 0:
        raise NoSolution(nothing(problem, found))
    names = [measure.name for measure in problem.measured]
    values = [dict(zip(names, row, strict=True)) for row in front.measures.tolist()]
    recodings = [
        CutsRecoding.of(problem.space, genome, keep(problem, genome, own))
        for genome, own in zip(front.genomes, values, strict=True)
    ]
    steps = found.least_losses
    return SearchResult.named(
        map(Solution, repeat(""), values, front.suppressed.tolist(), recodings),
        found.evaluated,
        open=0 if found.complete else problem.size - min(found.evaluated, problem.size - 1),
        complete=found.complete,
        interrupted=found.interrupted,
        bound=ProvenBound(CLASS_SIZE, LOSS, steps, CUTS.bounded) if steps else None,
    )


def keep(problem: CutsProblem, genome: npt.NDArray[np.bool_], values: Mapping[str, float]) -> Keep:
    """The condition for a class to stay: not worse than the worst class that stays, in each key. If classes
    are suppressed in the order of two keys, both are written together, and the second counts only among
    classes with equal first keys."""
    if problem.rule.kind != "order" or len(problem.keys) == 1:
        return tuple(key.threshold(values[key.name]) for key in problem.keys)
    classes = genome_classes(problem, genome)
    goodness = goodness_of(problem, classes)
    stays = staying(problem, classes, goodness)[0]
    first, second = min(zip(goodness[0][stays].tolist(), goodness[1][stays].tolist(), strict=True))
    bounds = (str(number_to_json(first)), str(number_to_json(second)))
    return (ClassCondition(tuple(key.name for key in problem.keys), "at-least", bounds),)


CUTS = Space(
    name="cuts",
    recoding=CutsRecoding,
    problem=ProblemMaker(
        cuts_problem,
        {
            "problem": "solve problem 1, 2, 3 or 4 of the trade-offs paper, in place of objectives",
            "prefer": "with a problem: optimize k or l; in problem 4, which of the two matters more (l)",
            "sound": "in problem 4: yes finds every pair of k and l within the limit (no)",
            "floor_l": "in problem 4: yes orders classes by the whole part of l (no)",
        },
    ),
    searches={
        "hybrid": SearchMethod(cuts_search(search_hybrid), GENERATION_OPTIONS),
    },
    wording=Wording(
        N_("cuts"),
        N_(
            "Each quasi-identifier is divided into groups of neighbouring values, cut where its hierarchy "
            "and the rows beside a cut allow it. A release is one such division of every quasi-identifier, "
            "and the equivalence classes that stay."
        ),
        "groups",
        "The number of groups in which {columns} are shown.",
        words=N_("groups of neighbouring values"),
    ),
    supports={
        Feature.UNITS: "which rows stay decides where cuts are shown",
        Feature.POPULATION: "where a person's class depends on other rows or on cuts",
        Feature.LEVELS: "cuts lie between values",
    },
)
