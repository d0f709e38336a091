"""The recoding of microaggregation: a requirement, and the partition that meets it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from paretonym.arrays import Integers
from paretonym.counts import Cube
from paretonym.errors import NoSolution
from paretonym.measures import CLASS_SIZE
from paretonym.recoding import Classes, Keep, ShownRelease, keep_as_json
from paretonym.spaces.microaggregation.class_means import with_means
from paretonym.spaces.microaggregation.mdav import mdav, tuple_points
from paretonym.spaces.mondrian.partition import coarsest, partition
from paretonym.spaces.mondrian.partition_requirement import (
    Required,
    as_bounds,
    as_text,
    required_of_parts,
)

Partition: TypeAlias = Literal["mdav", "mondrian"]


@dataclass(frozen=True, slots=True)
class MeansRecoding:
    """Classes that meet a requirement, those of MDAV or of Mondrian, shown by their means."""

    requirement: Required
    partition: Partition = "mdav"
    keep: Keep = ()

    @classmethod
    def of(cls, requirement: Mapping[str, float], partition: Partition = "mdav") -> MeansRecoding:
        return cls(required_of_parts(requirement), partition)

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> MeansRecoding:
        return cls.of(entry["requirement"], entry["partition"])

    @property
    def known_levels(self) -> Mapping[str, tuple[int, ...]]:
        return {}

    def as_json(self) -> dict[str, Any]:
        return {
            "requirement": as_bounds(self.requirement),
            "partition": self.partition,
            "keep": keep_as_json(self.keep),
        }

    def flat(self) -> dict[str, Any]:
        return {"requirement": as_text(self.requirement), "partition": self.partition}

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
