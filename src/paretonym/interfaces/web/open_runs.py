"""The runs that are open in the explorer, and what the page needs to know of each at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from paretonym.base.errors import Bug, InputError
from paretonym.base.language import _, current_language
from paretonym.base.number_text import number_to_json
from paretonym.engine.frontier import Microdata, RunRecord, Scale, plain_word
from paretonym.engine.frontier.queries import Landmark, Question, check_question, landmarks, shortlist
from paretonym.engine.measures import MEASURES, MeasureName, is_share
from paretonym.study import Run, load


@dataclass(eq=False)
class OpenRun:
    """A run with a key for addresses and a label for people. `own` if it is in a folder of the user and stays
    there; a run made from an upload is removed when the server ends."""

    key: str
    label: str
    folder: Path
    frontier: Run
    own: bool
    # Where its table is, if that was said when it was opened.
    source: Any = None
    _facts: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, key: str, folder: Path, data: Any = None, label: str | None = None, own: bool = True
    ) -> OpenRun:
        return cls(key, label or _label(folder), folder, load(folder, data), own, data)

    @property
    def data(self) -> Microdata:
        """The way back to the rows."""
        if self.frontier.data is None:
            raise Bug("a run that was loaded does not know its data")
        return self.frontier.data

    @property
    def record(self) -> RunRecord:
        if self.frontier.record is None:
            raise Bug("a run that was loaded has no record")
        return self.frontier.record

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """Measures that every solution has a value of: the objectives first."""
        names = dict.fromkeys([o.name for o in self.frontier.objectives])
        for solution in self.frontier:
            names.update(dict.fromkeys(solution.values))
        return tuple(n for n in names if all(n in solution.values for solution in self.frontier))

    def summary(self) -> dict[str, Any]:
        """Entry in a list of runs."""
        table = self.frontier.table
        return {
            "key": self.key,
            "label": self.label,
            "text": str(self.frontier),
            "warnings": list(self.frontier.warnings),
            "own": self.own,
            "rows": table.rows,
            "read": table.read,
            "quasi": list(table.quasi),
            "sensitive": list(table.sensitive),
            "objectives": [{"name": o.name, "direction": o.direction} for o in self.frontier.objectives],
            "complete": self.frontier.complete,
            "doubts": list(check_question(self.frontier, Question(), allow_unproven=True)),
            "purposes": list(dict.fromkeys(analysis.purpose for analysis in self.record.schema.purposes)),
            "required": [str(limit) for limit in self.record.required],
            "suppress": self.frontier.search.suppress,
            "size": self.frontier.search.size,
            "solutions": len(self.frontier),
        }

    @property
    def facts(self) -> dict[str, Any]:
        """Everything that is drawn, in the current language: computed once for each."""
        language = current_language()
        if language not in self._facts:
            self._facts[language] = self._drawn()
        return self._facts[language]

    def _drawn(self) -> dict[str, Any]:
        """Values by measure, landmarks and the shortlist."""
        solutions = self.frontier.solutions
        return {
            **self.summary(),
            "measures": [self._measure(name) for name in self.measures],
            "ids": [solution.id for solution in solutions],
            "values": {n: [number_to_json(s.values[n]) for s in solutions] for n in self.measures},
            "suppressed": [solution.suppressed for solution in solutions],
            "methods": [_(m.words) if m.words else m.space for m in self.frontier.methods],
            "method": [self.frontier.methods.index(self.frontier.method_of(s)) for s in solutions],
            "floor": self._floor(),
            "landmarks": [_landmark(mark) for mark in landmarks(self.frontier)],
            "shortlist": [
                {"id": c.solution.id, "reasons": list(c.reasons)} for c in shortlist(self.frontier)
            ],
        }

    def _floor(self) -> dict[str, Any] | None:
        """For each k the cost that no generalization by these hierarchies is below; None if it is not known.
        `binds` says that every release of the run is such a generalization, so that none can lie beyond."""
        bound = self.frontier.least_cost
        if bound is None:
            return None
        return {
            "by": bound.by,
            "cost": bound.cost,
            "steps": [[k, number_to_json(least)] for k, least in bound.steps],
            "binds": all(self.frontier.method_of(solution).by_hierarchies for solution in self.frontier),
        }

    def _measure(self, name: str) -> dict[str, Any]:
        card = MEASURES[MeasureName.parsed(name).measure]
        scale = Scale.of([s.values[name] for s in self.frontier], straight=is_share(name))
        return {
            "name": name,
            "plain": plain_word(name),
            "direction": card.direction,
            "share": is_share(name),
            "cost": card.is_loss,
            "whole": card.is_class_size,
            "logarithmic": scale.logarithmic,
            "question": self.frontier.unit.said(_(card.question)),
            "objective": any(o.name == name for o in self.frontier.objectives),
        }


def _landmark(mark: Landmark) -> dict[str, Any]:
    other = None if mark.other is None else mark.other.id
    return {"kind": mark.kind, "id": mark.solution.id, "other": other, "reason": mark.reason}


def _label(folder: Path) -> str:
    """A label for a run: since `run` alone says little, it includes the folder around it."""
    path = folder.resolve()
    return f"{path.parent.name}/{path.name}" if path.name in ("run", "runs") else path.name


class Runs:
    """The open runs, by key."""

    def __init__(self) -> None:
        self._runs: dict[str, OpenRun] = {}

    def open(self, folder: Path, data: Any = None, label: str | None = None, own: bool = True) -> OpenRun:
        run = OpenRun.of(str(len(self._runs) + 1), folder, data, label, own)
        self._runs[run.key] = run
        return run

    def __getitem__(self, key: str) -> OpenRun:
        if key not in self._runs:
            raise InputError.of(f"run {key[:20]}", "no run has that number", "reload the page")
        return self._runs[key]

    def __iter__(self) -> Iterator[OpenRun]:
        return iter(list(self._runs.values()))

    def __len__(self) -> int:
        return len(self._runs)
