"""Buckets as a space: quasi-identifiers unchanged, sensitive values permuted inside buckets. A recoding is a
requirement, and the bucketization method that meets it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers
from paretonym.counts import Cube
from paretonym.errors import Bug, Field, InputError, did_you_mean
from paretonym.language import N_
from paretonym.measures import card_of
from paretonym.recoding import Classes, Feature, ShownRelease
from paretonym.spaces.buckets.anatomy import anatomized, anatomy, as_they_are, mixed_in_parts, whole_variety
from paretonym.spaces.mondrian.partition import Parts, partition
from paretonym.spaces.mondrian.partition_requirement import RequirementRecoding, required_of_parts
from paretonym.spaces.parameter_sweep import (
    DISTANCES,
    NOT_SUPPRESSED,
    SWEEP,
    VARIETIES,
    Sweep,
)
from paretonym.spaces.space import DealtRows, ProblemMaker, Question, Space, Wording

Way: TypeAlias = Literal["mondrian", "binary", "anatomy"]
WAYS: tuple[Way, ...] = ("mondrian", "binary", "anatomy")


def way_to_buckets(name: str) -> Way:
    """The bucketization method of that name; the error for an unknown name lists the known ones."""
    for way in WAYS:
        if name == way:
            return way
    raise InputError.of(Field("method"), f"unknown bucketization method '{name}'", did_you_mean(name, WAYS))


@dataclass(frozen=True, slots=True)
class BucketsRecoding(RequirementRecoding):
    """Buckets that meet the requirements: Mondrian's parts, those of its binary splits, or Anatomy's buckets
    for ℓ."""

    method: Way = "mondrian"

    @classmethod
    def of(cls, requirement: Mapping[str, float], way: str = "mondrian") -> BucketsRecoding:
        return cls(required_of_parts(requirement), way_to_buckets(way))

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> BucketsRecoding:
        return cls.of(entry["requirement"], entry["buckets"])

    @property
    def way(self) -> dict[str, Any]:
        return {"buckets": self.method}

    def manifest(self, shown: ShownRelease) -> dict[str, Any]:
        return {"buckets": "anatomy" if self.method == "anatomy" else "mondrian", "column": shown.bucket}

    def classes(self, cube: Cube) -> Classes:
        if not cube.sensitive:
            raise InputError.of(
                Field("space"),
                "buckets shuffle sensitive values, but the schema has no column of role 'sensitive'",
                'give a column role = "sensitive", or use another space',
            )
        if self.method == "anatomy":
            return as_they_are(cube, anatomized(cube, self.variety(cube)))
        return as_they_are(cube, mixed_in_parts(cube, self.parts(cube)))

    def parts(self, cube: Cube) -> Parts:
        """Mondrian's parts: nothing of them is shown, so cuts may be anywhere."""
        return partition(cube, self.requirement, binary=self.method == "binary")

    def variety(self, cube: Cube) -> int:
        """Anatomy's ℓ."""
        cards = [card_of(limit.name) for limit in self.requirement]
        if len(cube.sensitive) > 1:
            columns = " and ".join(f"'{margin.name}'" for margin in cube.sensitive)
            raise InputError.of(
                Field("method"),
                f"Anatomy makes buckets of one sensitive column, but {columns} are sensitive",
                f"give all but one another role, or use {Field('method', 'mondrian')}",
            )
        if len(cards) != 1 or cards[0] is None or not cards[0].counts_values:
            raise InputError.of(
                Field("method"),
                "Anatomy makes buckets only for l, of one sensitive column",
                f"sweep only l, or use {Field('method', 'mondrian')}",
            )
        return whole_variety(self.requirement[0].bound, Field("sweep"))


def problem(question: Question, cube: Cube) -> Sweep:
    """A sweep over the requirements on every bucket."""
    way = way_to_buckets(question.buckets or "mondrian")
    usual = VARIETIES, DISTANCES
    return Sweep.of(question, cube, usual, lambda required: BucketsRecoding(required, way))


def bucket_of_rows(recoding: BucketsRecoding, cube: Cube, rows: DealtRows) -> Integers:
    """The bucket of each row."""
    if recoding.method != "anatomy":
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
