"""A solution: one recoding, what it protects and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from paretonym.errors import UnknownName, did_you_mean
from paretonym.measures import measured
from paretonym.number_text import number_to_json
from paretonym.recoding import Recoding
from paretonym.sentence_parts import several


@dataclass(frozen=True, slots=True)
class Rival:
    """What could still dominate a solution after a search was stopped: how many nodes are left that might,
    and the best value of each objective that any of them could reach."""

    nodes: int
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Solution:
    """`values` holds every objective, and k, gl, sl and loss; `suppressed` counts rows; `space` is the name
    of the space that the recoding belongs to."""

    id: str
    values: Mapping[str, float]
    suppressed: int
    recoding: Recoding
    rival: Rival | None = None
    space: str = ""

    def __getitem__(self, measure: str) -> float:
        if measure not in self.values:
            wrong, remedy = f"'{measure}' was not measured", did_you_mean(measure, self.values)
            raise UnknownName.of(f"solution {self.id}", wrong, remedy)
        return self.values[measure]

    def __repr__(self) -> str:
        """One line, because the recoding may be long and contains values."""
        gone = several(self.suppressed, "row", "rows")
        values = ", ".join(f"{name} {measured(name, value)}" for name, value in self.values.items())
        return f"<Solution {self.id}: {values}, {gone} suppressed>"

    def __str__(self) -> str:
        return f"{repr(self)[1:-1]}."

    def as_json(self) -> dict[str, Any]:
        """As JSON, the way files hold it."""
        entry: dict[str, Any] = {
            "id": self.id,
            "values": {name: number_to_json(value) for name, value in self.values.items()},
            "suppressed": self.suppressed,
            "recoding": self.recoding.as_json(),
        }
        if self.rival is not None:
            values = {name: number_to_json(value) for name, value in self.rival.values.items()}
            entry["rival"] = {"nodes": self.rival.nodes, "values": values}
        return entry

    @classmethod
    def from_json(
        cls, entry: Mapping[str, Any], space: str, read: Callable[[Mapping[str, Any]], Recoding]
    ) -> Solution:
        """Read back what `as_json` gave of a release in some space."""
        recoding = read(entry["recoding"])
        values = {name: float(value) for name, value in entry["values"].items()}
        rival = entry.get("rival")
        if rival is not None:
            reach = {name: float(value) for name, value in rival["values"].items()}
            rival = Rival(rival["nodes"], reach)
        return cls(entry["id"], values, entry["suppressed"], recoding, rival, space)
