"""The recoding of Mondrian: a requirement, which determines the parts of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paretonym.counts import Cube
from paretonym.recoding import Classes, Keep, keep_as_json
from paretonym.spaces.mondrian.partition import part_labels, shown_by, shown_partition
from paretonym.spaces.mondrian.partition_requirement import Required, as_bounds, as_text, required_of_parts


@dataclass(frozen=True, slots=True)
class PartsRecoding:
    """Parts that meet a requirement (`{"k": 10}`), strict unless relaxed. They are computed from the data
    whenever they are needed, and are always the same for the same data."""

    requirement: Required
    relaxed: bool = False
    keep: Keep = ()

    @classmethod
    def of(cls, requirement: Mapping[str, float], relaxed: bool = False) -> PartsRecoding:
        return cls(required_of_parts(requirement), relaxed)

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> PartsRecoding:
        return cls.of(entry["requirement"], entry.get("relaxed", False))

    @property
    def known_levels(self) -> Mapping[str, tuple[int, ...]]:
        return {}

    def as_json(self) -> dict[str, Any]:
        relaxed = {"relaxed": True} if self.relaxed else {}
        return {"requirement": as_bounds(self.requirement), **relaxed, "keep": keep_as_json(self.keep)}

    def flat(self) -> dict[str, Any]:
        return {"requirement": as_text(self.requirement), **({"relaxed": True} if self.relaxed else {})}

    def classes(self, cube: Cube) -> Classes:
        parts, k = shown_partition(cube, self.requirement, self.relaxed)
        return shown_by(cube, parts, part_labels(cube, k))
