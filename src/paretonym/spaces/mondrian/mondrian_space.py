"""Mondrian's partitions as a space: a table is split as long as every part meets the requirements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from paretonym.budget import Limits
from paretonym.counts import Cube
from paretonym.errors import Field, InputError, did_you_mean
from paretonym.language import N_
from paretonym.recoding import Feature
from paretonym.search import STANDARD, Tuning
from paretonym.spaces.mondrian.mondrian_recoding import PartsRecoding
from paretonym.spaces.mondrian.partition_requirement import Required
from paretonym.spaces.parameter_sweep import (
    DISTANCES,
    NOT_SUPPRESSED,
    SIZES,
    SWEEP,
    VARIETIES,
    Sweep,
    Swept,
    solutions,
    sweep,
    sweep_of,
)
from paretonym.spaces.space import ProblemMaker, Question, SearchMethod, Space, Wording

# The number of improved partitions that are tried for each requirement, unless it is given.
PARTITIONS = 2
SPLITS = ("children", "binary")


def problem(question: Question, cube: Cube) -> Sweep:
    """A sweep over the requirements on every part."""
    usual = SIZES, VARIETIES, DISTANCES
    binary = binary_splits(question.splits)
    return Sweep.of(question, cube, usual, lambda required: PartsRecoding(required, binary=binary))


def binary_splits(name: str | None) -> bool:
    """Whether every part is cut in two; the error for an unknown name lists the known ones."""
    if name not in (None, *SPLITS):
        raise InputError.of(Field("splits"), f"unknown splits '{name}'", did_you_mean(str(name), SPLITS))
    return name == "binary"


def question_among(question: Question) -> Question:
    """The question among other methods: the sweep follows from the objectives and requirements."""
    return replace(question, sweep=sweep_of(question.objectives, question.limits))


def search_improve(asked: Sweep, limits: Limits, tuning: Tuning = STANDARD) -> Swept:
    """For every setting the partition of Mondrian and improved ones, one for each of several seeds: so
    nothing found here is worse than what a sweep finds."""

    def variants(required: Required) -> Iterator[PartsRecoding]:
        plain = cast(PartsRecoding, asked.make(required))
        yield plain
        first = tuning.seed or 0
        for seed in range(first, first + (tuning.evaluations or PARTITIONS)):
            yield replace(plain, seed=seed)

    return sweep(asked, variants, limits)


MONDRIAN = Space(
    name="mondrian",
    recoding=PartsRecoding,
    problem=ProblemMaker(
        problem,
        {
            "sweep": "require this of every part",
            "splits": "split categories into the children of a node, or binary: in two at the median "
            "(children)",
        },
        question_among,
    ),
    searches={
        "sweep": SWEEP,
        "improve": SearchMethod(
            search_improve,
            {
                "seed": "the first random seed (0)",
                "evaluations": "try this many partitions for each requirement (2)",
            },
            everywhere=True,
        ),
    },
    solutions=solutions,
    wording=Wording(
        N_("settings"),
        N_(
            "Mondrian, a local recoding: the rows are split recursively, as long as every part meets the "
            "requirement. Each part shows the range between its cuts; no row is suppressed."
        ),
        "requirement",
        "The requirement on every part.",
        "Every part meets {requirement}",
        N_("split where the data are"),
    ),
    supports={
        Feature.UNITS: NOT_SUPPRESSED,
        Feature.SUPPRESSION: NOT_SUPPRESSED,
        Feature.POPULATION: "where a person's class depends on other rows or on cuts",
        Feature.LEVELS: "parts are cut between values",
    },
)
