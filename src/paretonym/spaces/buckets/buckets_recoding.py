"""The recoding of buckets: a requirement, and the bucketization method that meets it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from paretonym.counts import Cube
from paretonym.errors import Field, InputError, did_you_mean
from paretonym.measures import card_of
from paretonym.recoding import Classes, Keep, ShownRelease, keep_as_json
from paretonym.spaces.buckets.anatomy import anatomized, as_they_are, mixed_in_parts, whole_variety
from paretonym.spaces.mondrian.partition import Parts, partition
from paretonym.spaces.mondrian.partition_requirement import Required, as_bounds, as_text, required_of_parts

Way: TypeAlias = Literal["mondrian", "binary", "anatomy"]
WAYS: tuple[Way, ...] = ("mondrian", "binary", "anatomy")


def way_to_buckets(name: str) -> Way:
    """The bucketization method of that name; the error for an unknown name lists the known ones."""
    for known in WAYS:
        if name == known:
            return known
    raise InputError.of(Field("method"), f"unknown bucketization method '{name}'", did_you_mean(name, WAYS))


@dataclass(frozen=True, slots=True)
class BucketsRecoding:
    """Buckets that meet the requirements: Mondrian's parts, those of its binary splits, or Anatomy's buckets
    for ℓ."""

    requirement: Required
    way: Way = "mondrian"
    keep: Keep = ()

    @classmethod
    def of(cls, requirement: Mapping[str, float], way: str = "mondrian") -> BucketsRecoding:
        return cls(required_of_parts(requirement), way_to_buckets(way))

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> BucketsRecoding:
        return cls.of(entry["requirement"], entry["buckets"])

    @property
    def known_levels(self) -> Mapping[str, tuple[int, ...]]:
        return {}

    def as_json(self) -> dict[str, Any]:
        return {
            "requirement": as_bounds(self.requirement),
            "buckets": self.way,
            "keep": keep_as_json(self.keep),
        }

    def flat(self) -> dict[str, Any]:
        return {"requirement": as_text(self.requirement), "buckets": self.way}

    def manifest(self, shown: ShownRelease) -> dict[str, Any]:
        return {"buckets": "anatomy" if self.way == "anatomy" else "mondrian", "column": shown.bucket}

    def classes(self, cube: Cube) -> Classes:
        if not cube.sensitive:
            raise InputError.of(
                Field("space"),
                "buckets shuffle sensitive values, but the schema has no column of role 'sensitive'",
                'give a column role = "sensitive", or use another space',
            )
        if self.way == "anatomy":
            return as_they_are(cube, anatomized(cube, self.variety(cube)))
        return as_they_are(cube, mixed_in_parts(cube, self.parts(cube)))

    def parts(self, cube: Cube) -> Parts:
        """Mondrian's parts: nothing of them is shown, so cuts may be anywhere."""
        return partition(cube, self.requirement, binary=self.way == "binary")

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
