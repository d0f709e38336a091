"""A solution: one recoding, what it protects and what it costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paretonym.recoding.recoding import LatticeRecoding

WHOLE = 2**53


@dataclass(frozen=True, slots=True)
class Solution:
    """`values` holds every objective, and k, gl, sl and loss; `suppressed` counts rows."""

    id: str
    values: Mapping[str, float]
    suppressed: int
    recoding: LatticeRecoding

    def __getitem__(self, measure: str) -> float:
        return self.values[measure]

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "values": {name: number_to_json(value) for name, value in self.values.items()},
            "suppressed": self.suppressed,
            "recoding": self.recoding.as_json(),
        }

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Solution:
        recoding = LatticeRecoding.of(entry["recoding"]["levels"], entry["recoding"]["keep"])
        values = {name: number_from_json(value) for name, value in entry["values"].items()}
        return cls(entry["id"], values, entry["suppressed"], recoding)


def number_to_json(value: float) -> float | int | str:
    """Counts as whole numbers, infinity as the word "inf"."""
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return int(value) if value == int(value) and abs(value) < WHOLE else float(value)


def number_from_json(value: float | str) -> float:
    return float(value)
