"""A recoding: what makes one release out of a table, and the name it has in every run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Protocol

from paretonym.counts import Cube
from paretonym.recoding.class_condition import Keep
from paretonym.recoding.equivalence_classes import Classes

SHORTEST_ID = 6


class Recoding(Protocol):
    """What every space offers: the classes it makes, and how it is written down."""

    @property
    def keep(self) -> Keep:
        """What a class must have to stay."""
        ...

    @property
    def known_levels(self) -> Mapping[str, int]:
        """The level of each quasi-identifier, as far as the recoding tells it without the data."""
        ...

    def as_json(self) -> dict[str, Any]:
        """What is written into files; `from_json` of the same type reads it back."""
        ...

    def flat(self) -> dict[str, Any]:
        """A few named cells for a table with one row for each solution."""
        ...

    def classes(self, cube: Cube) -> Classes:
        """Every tuple in its class, before any suppression."""
        ...


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
