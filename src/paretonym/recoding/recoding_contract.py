"""A recoding: what makes one release out of a table, and the name it has in every run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from paretonym.counts.cube import Cube
from paretonym.recoding.equivalence_classes import Classes, columnwise_classes, level_sets

SHORTEST_ID = 6

# What a class must have to stay: `(("k", ">=5"),)`.
Keep: TypeAlias = tuple[tuple[str, str], ...]


class Recoding(Protocol):
    """What every space offers: the classes it makes, and how it is written down."""

    @property
    def keep(self) -> Keep: ...

    def as_json(self) -> dict[str, Any]:
        """What is written into files; `recoding_from_json` reads it back."""
        ...

    def flat(self) -> dict[str, Any]:
        """A few named cells for a table with one row for each solution."""
        ...

    def classes(self, cube: Cube) -> Classes:
        """Every tuple in its class, before any suppression."""
        ...


@dataclass(frozen=True, slots=True)
class LatticeRecoding:
    """One level for each quasi-identifier, and what a class must have to stay (`{"k": ">=5"}`)."""

    levels: tuple[tuple[str, int], ...]
    keep: Keep

    @classmethod
    def of(cls, levels: Mapping[str, int], keep: Mapping[str, str]) -> LatticeRecoding:
        return cls(tuple(levels.items()), tuple(keep.items()))

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> LatticeRecoding:
        return cls.of(entry["levels"], entry["keep"])

    def as_json(self) -> dict[str, Any]:
        return {"levels": dict(self.levels), "keep": dict(self.keep)}

    def flat(self) -> dict[str, Any]:
        return {f"level of {name}": level for name, level in self.levels}

    def classes(self, cube: Cube) -> Classes:
        levels = dict(self.levels)
        sets = tuple(level_sets(axis, levels[axis.name]) for axis in cube.axes)
        shown = [
            axis.mapping(axis.lowest, levels[axis.name])[cube.groups[:, j]]
            for j, axis in enumerate(cube.axes)
        ]
        return columnwise_classes(cube, list(shown), sets)


def _parts(entry: Mapping[str, Any]) -> Recoding:
    # Here, since these modules need this one first.
    from paretonym.spaces.mondrian.mondrian_recoding import PartsRecoding

    return PartsRecoding.from_json(entry)


def _buckets(entry: Mapping[str, Any]) -> Recoding:
    from paretonym.spaces.buckets.buckets_recoding import BucketsRecoding

    return BucketsRecoding.from_json(entry)


def _cuts(entry: Mapping[str, Any]) -> Recoding:
    # Imported here: a recoding of cuts is written with what stands above.
    from paretonym.spaces.cuts.cuts_recoding import CutsRecoding

    return CutsRecoding.from_json(entry)


# How each space writes its recodings, known by the key that only it has.
KINDS: Mapping[str, Callable[[Mapping[str, Any]], Recoding]] = {
    "levels": LatticeRecoding.from_json,
    "buckets": _buckets,
    "requirement": _parts,
    "groups": _cuts,
}


def recoding_from_json(entry: Mapping[str, Any]) -> Recoding:
    """A recoding of any space, as it was written; a KeyError if it is of none."""
    kind = next(key for key in (*KINDS, "") if key in entry or not key)
    return KINDS[kind](entry)


def digest(recoding: Recoding) -> str:
    """The same in every run that reaches this recoding: a hash of what it does and nothing else."""
    text = json.dumps(recoding.as_json(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def short_ids(digests: list[str]) -> list[str]:
    """The first six characters of each digest, and more of them only where two would be equal."""
    lengths = dict.fromkeys(digests, SHORTEST_ID)
    while True:
        seen: dict[str, list[str]] = {}
        for name in lengths:
            seen.setdefault(name[: lengths[name]], []).append(name)
        clashes = [name for group in seen.values() if len(group) > 1 for name in group]
        if not clashes:
            return [name[: lengths[name]] for name in digests]
        for name in clashes:
            lengths[name] += 2
