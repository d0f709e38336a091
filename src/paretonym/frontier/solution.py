"""A solution: one recoding, what it protects and what it costs."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paretonym.errors import InputError
from paretonym.frontier.origin import Origin
from paretonym.recoding.recoding_contract import Recoding

if TYPE_CHECKING:
    from paretonym.frontier.solution_description import Description
    from paretonym.risk.reidentification import Risk

WHOLE = 2**53


@dataclass(frozen=True, slots=True)
class Rival:
    """What could still beat a solution of a search that was stopped: how many nodes were left that might, and
    the best value of each objective that any of them could reach."""

    nodes: int
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Solution:
    """`values` holds every objective, and k, gl, sl and loss; `suppressed` counts rows.

    `origin` is the table that it was found for: what needs more than these numbers asks there.
    """

    id: str
    values: Mapping[str, float]
    suppressed: int
    recoding: Recoding
    rival: Rival | None = None
    origin: Origin | None = field(default=None, compare=False, repr=False)

    def __getitem__(self, measure: str) -> float:
        return self.values[measure]

    def release(
        self, path: str | os.PathLike[str] | None = None, *, force: bool = False, also: bool = False
    ) -> Any:
        """The rows of this release, in the caller's own kind of dataframe.

        With a path (`.csv` or `.parquet`) they are also written there, with the manifest beside them. A
        second, different release of the same table, from whichever run, is refused unless `also` is given:
        two can be joined. A dataframe alone is not written down as a release.
        """
        if path is not None:
            self.known_origin.publish(self, Path(path), force, also)
        return self.known_origin.release(self.recoding)

    def apply(
        self,
        new: Any,
        path: str | os.PathLike[str] | None = None,
        *,
        force: bool = False,
        also: bool = False,
    ) -> tuple[Any, Any]:
        """New rows (a path or a dataframe) as this release shows the old ones, and what both give together:
        `rows, union = solution.apply("may.csv")`. With a path they are also written, with a manifest."""
        target = None if path is None else Path(path)
        return self.known_origin.apply(self.recoding, new, target, force, also)

    def describe(self) -> Description:
        """The release in words: how each column is shown, who is left out, what each column loses."""
        from paretonym.frontier.solution_description import describe

        return describe(self)

    def risk(self) -> Risk:
        """How likely people of the release are found, and the sizes of their classes; needs the data."""
        from paretonym.risk.reidentification import risk

        return risk(self.known_origin.realized(self.recoding), self.known_origin.schema.unit)

    def warnings(self) -> tuple[str, ...]:
        """What whoever releases this should know first: what k counts, who is alone in a class, for how many
        a sensitive value is certain."""
        from paretonym.frontier.cautions import cautions

        return cautions(self)

    def __repr__(self) -> str:
        """One line: the recoding may be long, and names values."""
        from paretonym.measures.formatting import measured

        values = ", ".join(f"{name} {measured(name, value)}" for name, value in self.values.items())
        return f"<Solution {self.id}: {values}, {self.suppressed:,} rows suppressed>"

    def __str__(self) -> str:
        return "\n".join([repr(self)[1:-1] + ".", *(f"Warning: {text}" for text in self.warnings())])

    def _repr_html_(self) -> str:
        return self.known_origin.html(self)

    @property
    def known_origin(self) -> Origin:
        if self.origin is None:
            raise InputError.of(
                f"solution {self.id}", "it does not know its table", "load its run, or explore again"
            )
        return self.origin

    def as_json(self) -> dict[str, Any]:
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
    def from_json(cls, entry: Mapping[str, Any], read: Callable[[Mapping[str, Any]], Recoding]) -> Solution:
        recoding = read(entry["recoding"])
        values = {name: number_from_json(value) for name, value in entry["values"].items()}
        rival = entry.get("rival")
        if rival is None:
            return cls(entry["id"], values, entry["suppressed"], recoding)
        reach = {name: number_from_json(value) for name, value in rival["values"].items()}
        return cls(entry["id"], values, entry["suppressed"], recoding, Rival(rival["nodes"], reach))


def number_to_json(value: float) -> float | int | str:
    """Counts as whole numbers, infinity as the word "inf"."""
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return int(value) if value == int(value) and abs(value) < WHOLE else float(value)


def number_from_json(value: float | str) -> float:
    return float(value)
