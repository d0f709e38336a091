"""A reproduction: facts first, then the panels of a figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Fact:
    """One number of a table, measured here and, where there is one, as the paper prints it."""

    row: str
    column: str
    measured: float
    printed: float | None = None

    def as_json(self) -> dict[str, Any]:
        return {"row": self.row, "column": self.column, "measured": self.measured, "printed": self.printed}


@dataclass(frozen=True, slots=True)
class Series:
    """Points of one kind in a panel: `dots` for a crowd, `rings` for what they are compared with, `crosses`,
    or a `line`."""

    label: str
    across: tuple[float, ...]
    up: tuple[float, ...]
    mark: str = "dots"


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes."""

    title: str
    labels: tuple[str, str]
    series: tuple[Series, ...]
    logarithmic: tuple[bool, bool] = (False, False)


@dataclass(frozen=True, slots=True)
class Result:
    """What was measured; `notes` say what the paper says in words, and where the two must differ."""

    facts: tuple[Fact, ...]
    panels: tuple[Panel, ...] = ()
    notes: tuple[str, ...] = ()

    def measured(self, row: str, column: str) -> float:
        (found,) = (fact.measured for fact in self.facts if (fact.row, fact.column) == (row, column))
        return found


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A table or figure of a paper, and how it is made again; `say` judges what the paper says of it."""

    name: str
    paper: str
    what: str
    run: Callable[[], Result]
    say: Callable[[Result], tuple[str, ...]] = lambda result: ()

    def as_json(self, result: Result) -> dict[str, Any]:
        return {
            "format": "paretonym.reproduction/1",
            "name": self.name,
            "paper": self.paper,
            "what": self.what,
            "facts": [fact.as_json() for fact in result.facts],
            "notes": list(result.notes),
            "sentences": list(self.say(result)),
        }
