"""Microaggregation as a space: classes of at least k rows, with the mean of every number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from paretonym.budget import Limits
from paretonym.counts import Cube
from paretonym.errors import Field, InputError
from paretonym.language import N_
from paretonym.measures import CLASS_SIZE, SQUARED_ERROR
from paretonym.recoding import Feature
from paretonym.search import STANDARD, Tuning
from paretonym.spaces.microaggregation.microaggregation_recoding import MeansRecoding, only_size
from paretonym.spaces.mondrian.partition_requirement import Required
from paretonym.spaces.parameter_sweep import (
    NOT_SUPPRESSED,
    SIZES,
    Sweep,
    Swept,
    solutions,
    sweep,
)
from paretonym.spaces.space import ProblemMaker, Question, SearchMethod, Space, Wording


def problem(question: Question, cube: Cube) -> Sweep:
    """A sweep over the requirements on every class. Sets of values lose no less detail than means, but are no
    nearer to the values."""
    names = question.objectives or (CLASS_SIZE, SQUARED_ERROR)
    if SQUARED_ERROR not in names:
        raise InputError.of(
            Field("objectives"),
            "microaggregation shows means, which are compared by their squared error",
            f"add {SQUARED_ERROR}, or use another space",
        )
    return Sweep.of(replace(question, objectives=names), cube, (SIZES,), MeansRecoding)


def search_partitions(asked: Sweep, limits: Limits, tuning: Tuning = STANDARD) -> Swept:
    """For every setting the parts of Mondrian and, where only k is required, the clusters of MDAV."""

    def variants(required: Required) -> Iterator[MeansRecoding]:
        if only_size(required):
            yield MeansRecoding(required)
        yield MeansRecoding(required, "mondrian")

    return sweep(asked, variants, limits)


MICROAGGREGATION = Space(
    name="microaggregation",
    recoding=MeansRecoding,
    problem=ProblemMaker(problem, {"sweep": "require this of every class"}),
    searches={"sweep": SearchMethod(search_partitions, everywhere=True)},
    solutions=solutions,
    wording=Wording(
        N_("settings"),
        N_(
            "Microaggregation: similar rows are put into classes that meet the requirement. Every number is "
            "replaced by the mean of its class, every category by the smallest set of its hierarchy that "
            "contains the class; no row is suppressed."
        ),
        "requirement",
        "The requirement on every class.",
        "Every class meets {requirement}",
        N_("means of similar rows"),
    ),
    supports={
        Feature.PERSONS: "a class is made of rows, whoever they belong to",
        Feature.UNITS: NOT_SUPPRESSED,
        Feature.SUPPRESSION: NOT_SUPPRESSED,
        Feature.POPULATION: "a class is not what its sets contain",
        Feature.LEVELS: "means are those of values",
        Feature.TRANSFER: "this solution shows means of its own rows, and new rows would change them",
    },
)
