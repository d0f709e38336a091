"""Microaggregation as a space: classes of at least k rows, with the mean of every number. A recoding is a
requirement, and the partition that meets it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from paretonym.arrays import Integers
from paretonym.budget import Limits
from paretonym.counts import Cube
from paretonym.errors import Field, InputError, NoSolution
from paretonym.language import N_
from paretonym.measures import CLASS_SIZE, SQUARED_ERROR
from paretonym.recoding import Classes, Feature, ShownRelease
from paretonym.search import STANDARD, Tuning
from paretonym.spaces.microaggregation.class_means import with_means
from paretonym.spaces.microaggregation.mdav import mdav, tuple_points
from paretonym.spaces.mondrian.partition import coarsest, partition
from paretonym.spaces.mondrian.partition_requirement import Required, RequirementRecoding, required_of_parts
from paretonym.spaces.parameter_sweep import (
    NOT_SUPPRESSED,
    SIZES,
    Sweep,
    sweep,
)
from paretonym.spaces.space import ProblemMaker, Question, SearchMethod, SearchResult, Space, Wording

Partition: TypeAlias = Literal["mdav", "mondrian"]


@dataclass(frozen=True, slots=True)
class MeansRecoding(RequirementRecoding):
    """Classes that meet a requirement, those of MDAV or of Mondrian, shown by their means."""

    partition: Partition = "mdav"

    @classmethod
    def of(cls, requirement: Mapping[str, float], partition: Partition = "mdav") -> MeansRecoding:
        return cls(required_of_parts(requirement), partition)

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> MeansRecoding:
        return cls.of(entry["requirement"], entry["partition"])

    @property
    def way(self) -> dict[str, Any]:
        return {"partition": self.partition}

    def manifest(self, shown: ShownRelease) -> dict[str, Any]:
        return {"space": "microaggregation", "labels": shown.labels(), **shown.keep}

    def classes(self, cube: Cube) -> Classes:
        if self.partition == "mondrian":
            return with_means(cube, partition(cube, self.requirement).of_tuple)
        return with_means(cube, self._clusters(cube))

    def _clusters(self, cube: Cube) -> Integers:
        """The cluster of each tuple, none across the sets of the highest levels that the schema allows."""
        if not only_size(self.requirement):
            raise NoSolution("MDAV makes classes for k alone. Require k, or use the parts of Mondrian.")
        k = int(np.ceil(self.requirement[0].bound))
        of_tuple, clusters = np.empty(cube.tuples, dtype=np.int64), 0
        points, first = tuple_points(cube), coarsest(cube)
        for part in range(len(first)):
            members = np.flatnonzero(first.of_tuple == part)
            if cube.counts[members].sum() < k:
                raise NoSolution(f"A set of the highest levels has fewer than {k:,} rows. Require less.")
            of_tuple[members] = clusters + mdav(points[members], cube.counts[members], k)
            clusters = int(of_tuple[members].max()) + 1
        return of_tuple


def only_size(required: Required) -> bool:
    """Whether nothing but k is required."""
    return [limit.name for limit in required] == [CLASS_SIZE]


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


def search_partitions(asked: Sweep, limits: Limits, tuning: Tuning = STANDARD) -> SearchResult:
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
