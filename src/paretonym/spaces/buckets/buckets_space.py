"""Buckets as a space: quasi-identifiers unchanged, sensitive values permuted inside buckets."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers
from paretonym.counts import Cube
from paretonym.errors import Bug
from paretonym.language import N_
from paretonym.recoding import Feature
from paretonym.spaces.buckets.anatomy import anatomy
from paretonym.spaces.buckets.buckets_recoding import BucketsRecoding, way_to_buckets
from paretonym.spaces.parameter_sweep import (
    DISTANCES,
    NOT_SUPPRESSED,
    SWEEP,
    VARIETIES,
    Sweep,
    solutions,
)
from paretonym.spaces.space import DealtRows, ProblemMaker, Question, Space, Wording


def problem(question: Question, cube: Cube) -> Sweep:
    """A sweep over the requirements on every bucket."""
    way = way_to_buckets(question.buckets or "mondrian")
    usual = VARIETIES, DISTANCES
    return Sweep.of(question, cube, usual, lambda required: BucketsRecoding(required, way))


def bucket_of_rows(recoding: BucketsRecoding, cube: Cube, rows: DealtRows) -> Integers:
    """The bucket of each row."""
    if recoding.way != "anatomy":
        return recoding.parts(cube).of_tuple[rows.tuples]
    (values,) = rows.values
    return _dealt(values, anatomy(cube.sensitive[0].totals, recoding.variety(cube)), rows.drawn)


def _dealt(values: npt.NDArray[np.integer], cells: Integers, drawn: npt.NDArray[Any]) -> Integers:
    """The rows of each value, shuffled, dealt out to the buckets that have it."""
    of_value, buckets = np.nonzero(cells.T)
    places = np.repeat(buckets, cells.T[of_value, buckets])
    if len(places) != len(values):
        raise Bug("buckets have not as many places as there are rows")
    order = np.lexsort((drawn, values))
    dealt = np.empty(len(values), dtype=np.int64)
    dealt[order] = places
    return dealt


BUCKETS = Space(
    name="buckets",
    recoding=BucketsRecoding,
    problem=ProblemMaker(
        problem,
        {
            "sweep": "require this of every bucket",
            "method": "form buckets by mondrian, by its binary splits, or by anatomy for a sweep of l "
            "(mondrian)",
        },
    ),
    searches={"sweep": SWEEP},
    solutions=solutions,
    wording=Wording(
        N_("settings"),
        N_(
            "Bucketization: the quasi-identifiers are unchanged, and the sensitive values are permuted "
            "inside buckets that meet the requirement. No row is suppressed."
        ),
        "requirement",
        "The requirement on every bucket.",
        "Every bucket ({buckets}) meets {requirement}",
    ),
    supports={
        Feature.PERSONS: "sensitive values are permuted between rows, and nothing bounds what somebody "
        "learns who knows that several rows of a bucket are one person's",
        Feature.UNITS: NOT_SUPPRESSED,
        Feature.SUPPRESSION: NOT_SUPPRESSED,
        Feature.POPULATION: "where a person's class depends on other rows or on cuts",
        Feature.LEVELS: "values are shown as they are",
        Feature.TRANSFER: "this solution shuffles sensitive values in buckets, and new rows would need their "
        "own buckets and permutation",
    },
    publish=bucket_of_rows,
)
