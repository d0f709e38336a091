"""Mondrian's partitions as a space: a table is split as long as every part meets the requirements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paretonym.budget import Limits
from paretonym.counts import Cube
from paretonym.language import N_
from paretonym.recoding import Recoding
from paretonym.schema import BoundSchema
from paretonym.search import STANDARD, Tuning
from paretonym.source import Counts
from paretonym.spaces.carried_over import Before, CarriedOver
from paretonym.spaces.mondrian.mondrian_recoding import PartsRecoding
from paretonym.spaces.mondrian.partition_requirement import Required, as_conditions
from paretonym.spaces.parameter_sweep import (
    DISTANCES,
    SIZES,
    SWEEP,
    VARIETIES,
    Sweep,
    Swept,
    sweep,
    sweep_space,
)
from paretonym.spaces.set_transfer import transfer_by_sets
from paretonym.spaces.space import Question, SearchMethod, ShownRelease

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


def transfer(recoding: PartsRecoding, old: Before, both: Counts, bound: BoundSchema) -> CarriedOver:
    """The classes of the old release by the sets that they show."""
    return transfer_by_sets(recoding, as_conditions(recoding.requirement), old, both, bound)


def manifest(recoding: PartsRecoding, shown: ShownRelease) -> dict[str, Any]:
    """What a manifest says. The parts depend on the data, so only the labels that occur in the release are
    written."""
    return {"space": MONDRIAN.name, "labels": shown.labels(), **shown.keep}


MONDRIAN = sweep_space(
    name="mondrian",
    recoding=PartsRecoding,
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
    problem=problem,
    manifest=manifest,
    caption="The requirement on every part.",
    method=N_(
        "Mondrian, a local recoding: the rows are split recursively, as long as every part meets the "
        "requirement. Each part shows the range between its cuts; no row is suppressed."
    ),
    promise="Every part meets {requirement}",
    of_persons=True,
    options={"sweep": "require this of every part"},
    transfer=transfer,
)
