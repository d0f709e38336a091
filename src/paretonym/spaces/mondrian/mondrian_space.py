"""Mondrian's partitions as a space: a table is split as long as every part meets the requirements."""

from __future__ import annotations

from collections.abc import Iterator

from paretonym.budget import Limits
from paretonym.counts import Cube
from paretonym.language import N_
from paretonym.recoding import Feature, Recoding
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
)
from paretonym.spaces.space import ProblemMaker, Question, SearchMethod, Space, Wording

# The number of improved partitions that are tried for each requirement, unless it is given.
PARTITIONS = 2


def problem(question: Question, cube: Cube) -> Sweep:
    """A sweep over the requirements on every part."""
    usual = SIZES, VARIETIES, DISTANCES
    return Sweep.of(question, cube, usual, PartsRecoding)


def search_improve(asked: Sweep, limits: Limits, tuning: Tuning = STANDARD) -> Swept:
    """For every setting the partition of Mondrian and improved ones, one for each of several seeds: so
    nothing found here is worse than what a sweep finds."""

    def variants(required: Required) -> Iterator[Recoding]:
        yield asked.make(required)
        first = tuning.seed or 0
        for seed in range(first, first + (tuning.evaluations or PARTITIONS)):
            yield PartsRecoding(required, seed=seed)

    return sweep(asked, variants, limits)


MONDRIAN = Space(
    name="mondrian",
    recoding=PartsRecoding,
    problem=ProblemMaker(problem, {"sweep": "require this of every part"}),
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
    ),
    supports={
        Feature.UNITS: NOT_SUPPRESSED,
        Feature.SUPPRESSION: NOT_SUPPRESSED,
        Feature.POPULATION: "where a person's class depends on other rows or on cuts",
        Feature.LEVELS: "parts are cut between values",
    },
)
