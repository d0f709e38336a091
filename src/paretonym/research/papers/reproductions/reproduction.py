"""A reproduction: facts first, then the panels of a figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

# How far a measured number may be from the printed one to meet it, or to be near it.
MET, NEAR = 0.05, 0.25


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
    """Measured results; `notes` say what the paper says in words, and where the two must differ."""

    facts: tuple[Fact, ...]
    panels: tuple[Panel, ...] = ()
    notes: tuple[str, ...] = ()

    def measured(self, row: str, column: str) -> float:
        (value,) = (fact.measured for fact in self.facts if (fact.row, fact.column) == (row, column))
        return value


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


def summary(documents: Iterable[Mapping[str, Any]]) -> str:
    """The number of printed numbers that are met, and of printed sentences that hold, in reproductions."""
    entries = list(documents)
    facts = [fact for entry in entries for fact in entry["facts"] if fact["printed"] is not None]
    off = [abs(fact["measured"] - fact["printed"]) / max(abs(fact["printed"]), 1e-12) for fact in facts]
    close, near = (sum(deviation <= share for deviation in off) for share in (MET, NEAR))
    sentences = [sentence for entry in entries for sentence in entry["sentences"]]
    yes, differs, no = (sum(f'" {word}: ' in text for text in sentences) for word in ("yes", "differs", "no"))
    return (
        f"Of {len(facts)} printed numbers {close} are met within 5 %, {near - close} more within 25 %, and "
        f"{len(facts) - near} are farther off; notes say why. Of {len(sentences)} printed sentences {yes} "
        f"hold, {differs} differ and {no} do not hold."
    )
