"""A recoding: what makes one release out of a table, and the name it has in every run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SHORTEST_ID = 6


@dataclass(frozen=True, slots=True)
class LatticeRecoding:
    """One level for each quasi-identifier, and what a class must have to stay (`{"k": ">=5"}`)."""

    levels: tuple[tuple[str, int], ...]
    keep: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, levels: Mapping[str, int], keep: Mapping[str, str]) -> LatticeRecoding:
        return cls(tuple(levels.items()), tuple(keep.items()))

    def as_json(self) -> dict[str, Any]:
        return {"levels": dict(self.levels), "keep": dict(self.keep)}

    @property
    def digest(self) -> str:
        """The same in every run that reaches this recoding: a hash of what it does and nothing else."""
        text = json.dumps(self.as_json(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def short_ids(digests: list[str]) -> list[str]:
    """The first six characters of each digest, and more of them only where two would be equal."""
    lengths = dict.fromkeys(digests, SHORTEST_ID)
    while True:
        seen: dict[str, list[str]] = {}
        for digest in lengths:
            seen.setdefault(digest[: lengths[digest]], []).append(digest)
        clashes = [digest for group in seen.values() if len(group) > 1 for digest in group]
        if not clashes:
            return [digest[: lengths[digest]] for digest in digests]
        for digest in clashes:
            lengths[digest] += 2
