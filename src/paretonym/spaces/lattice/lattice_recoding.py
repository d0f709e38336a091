"""A recoding of the lattice: one level of its hierarchy for each quasi-identifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paretonym.counts import Cube
from paretonym.recoding import Classes, Keep, ShownRelease, keep_as_json, parse_keep

# Nodes have numbers of 64 bits.
MOST_NUMBERED = 2**62


@dataclass(frozen=True, slots=True)
class LatticeRecoding:
    """One level for each quasi-identifier, and what a class must have to stay."""

    levels: tuple[tuple[str, int], ...]
    keep: Keep

    @classmethod
    def of(cls, levels: Mapping[str, int], keep: Mapping[str, str]) -> LatticeRecoding:
        """From conditions as files write them: `{"k": ">=5"}`."""
        return cls(tuple(levels.items()), parse_keep(keep))

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> LatticeRecoding:
        return cls.of(entry["levels"], entry["keep"])

    @property
    def known_levels(self) -> Mapping[str, tuple[int, ...]]:
        return {name: (level,) for name, level in self.levels}

    def as_json(self) -> dict[str, Any]:
        return {"levels": dict(self.levels), "keep": keep_as_json(self.keep)}

    def flat(self) -> dict[str, Any]:
        return {f"level of {name}": level for name, level in self.levels}

    def manifest(self, shown: ShownRelease) -> dict[str, Any]:
        return {"levels": {shown.names[name]: level for name, level in self.levels}, **shown.keep}

    def classes(self, cube: Cube) -> Classes:
        return Classes.at_levels(cube, dict(self.levels))
