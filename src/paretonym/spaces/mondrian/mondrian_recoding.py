"""The recoding of Mondrian: a requirement, which determines the parts of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paretonym.counts import Cube
from paretonym.errors import NoSolution
from paretonym.measures import meeting
from paretonym.recoding import Classes, Keep, ShownRelease, keep_as_json
from paretonym.spaces.mondrian.improved_partition import improved_partition
from paretonym.spaces.mondrian.partition import Parts, Shown, partition, shown_by, shown_partition
from paretonym.spaces.mondrian.partition_requirement import (
    Required,
    as_bounds,
    as_conditions,
    as_text,
    required_of_parts,
)


@dataclass(frozen=True, slots=True)
class PartsRecoding:
    """Parts that meet a requirement (`{"k": 10}`): those of Mondrian, or, with a `seed`, improved ones. They
    are computed from the data whenever they are needed, and are always the same for the same data. `binary`
    splits cut every part in two."""

    requirement: Required
    seed: int | None = None
    keep: Keep = ()
    binary: bool = False

    @classmethod
    def of(
        cls, requirement: Mapping[str, float], seed: int | None = None, binary: bool = False
    ) -> PartsRecoding:
        return cls(required_of_parts(requirement), seed, binary=binary)

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> PartsRecoding:
        improved = entry.get("improved")
        seed = None if improved is None else improved["seed"]
        return cls.of(entry["requirement"], seed, entry.get("splits") == "binary")

    @property
    def known_levels(self) -> Mapping[str, tuple[int, ...]]:
        return {}

    def as_json(self) -> dict[str, Any]:
        return {
            "requirement": as_bounds(self.requirement),
            **({} if self.seed is None else {"improved": {"seed": self.seed}}),
            **({"splits": "binary"} if self.binary else {}),
            "keep": keep_as_json(self.keep),
        }

    def flat(self) -> dict[str, Any]:
        return {
            "requirement": as_text(self.requirement),
            **({} if self.seed is None else {"improved": f"improved, seed {self.seed}"}),
            **({"splits": "binary"} if self.binary else {}),
        }

    def manifest(self, shown: ShownRelease) -> dict[str, Any]:
        return {"space": "mondrian", "labels": shown.labels(), **shown.keep}

    def classes(self, cube: Cube) -> Classes:
        def made(shown: Shown) -> Parts:
            if self.seed is None:
                return partition(cube, self.requirement, shown, self.binary)
            return improved_partition(cube, self.requirement, self.seed, shown, self.binary)

        classes = shown_by(cube, shown_partition(cube, self.requirement, made), self.binary)
        if not cube.adds_up:
            self._require_of(cube, classes)
        return classes

    def _require_of(self, cube: Cube, classes: Classes) -> None:
        """Refuse classes that miss the requirement. Where a person's rows may be in several parts, the pieces
        of a part can meet what it misses, and parts that show equal sets miss together what each meets."""
        short = int((~meeting(cube, classes, as_conditions(self.requirement))).sum())
        if short:
            raise NoSolution(
                f"{short:,} of {len(classes):,} equivalence classes miss {as_text(self.requirement)}, and no "
                "split found helps. Require less."
            )
