"""Measured criteria as limits of a run: releases are measured, the most preferred first, until one meets
them.

They re-rank the releases of a frontier, and prove nothing: the search may not have kept a better one.
What was measured stays in the folder of the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paretonym.base.budget import Progress
from paretonym.base.errors import InputError, NoSolution
from paretonym.base.sentence_parts import percent, several
from paretonym.engine.frontier import Frontier, Microdata, RunFiles, Solution
from paretonym.engine.frontier.queries import Question, answer, preference
from paretonym.engine.measures import Limit, measured
from paretonym.evidence.criteria import CRITERIA, Criterion, Referee, measure_criteria


@dataclass(frozen=True, slots=True)
class MeasuredRelease:
    """A release of a run with the criteria that were measured of it."""

    solution: Solution
    criteria: tuple[Criterion, ...]

    def upper(self, limit: Limit) -> float:
        """The highest upper end of the attacks that a limit is about: what must meet it."""
        name, _, subject = limit.name.partition("@")
        ends = [one.upper for one in self.criteria if one.name == name and subject in ("", one.subject)]
        if not ends:
            wrong = f"no column '{subject}' was guessed" if subject else "nothing is there to guess"
            raise InputError.of(f"the limit '{limit.name}'", wrong, "limit a criterion of a sensitive column")
        return max(ends)

    def meets(self, limits: Sequence[Limit]) -> bool:
        """True if the upper ends of the intervals are within all limits."""
        return all(limit.allows(self.upper(limit)) for limit in limits)

    def __str__(self) -> str:
        risks = ", ".join(f"{one.name} ({one.subject}) {one.interval}" for one in self.criteria)
        return f"release {self.solution.id}: {risks}"


@dataclass(frozen=True, slots=True)
class CriteriaAnswer:
    """The most preferred release whose measured criteria are within limits: the last of those that were
    measured, in the order of preference."""

    question: Question
    limits: tuple[Limit, ...]
    releases: tuple[MeasuredRelease, ...]

    @property
    def solution(self) -> Solution:
        """The answer."""
        return self.releases[-1].solution

    def __str__(self) -> str:
        best = self.question.best or ""
        value = measured(best, self.solution.values[best])
        within = " and ".join((*map(str, self.question.limits), *map(_words, self.limits)))
        tried = several(len(self.releases), "release was", "releases were")
        return (
            f"With {within}, the best {best} is {value}: release {self.solution.id} ({tried} measured, until "
            "the upper end of an interval of 95 % met the limit; not proven)."
        )

    def as_json(self) -> dict[str, Any]:
        """As JSON, the way files hold it."""
        return {
            "best": self.question.best,
            "limits": [limit.as_json() for limit in (*self.question.limits, *self.limits)],
            "text": str(self),
            "proven": False,
            "answer": self.solution.as_json(),
            "measured": [
                {"id": one.solution.id, "criteria": [criterion.as_json() for criterion in one.criteria]}
                for one in self.releases
            ],
        }


def criteria_limits(question: Question) -> tuple[Question, tuple[Limit, ...]]:
    """The limits on measured criteria, apart from the rest of a question."""
    limits = tuple(limit for limit in question.limits if limit.name.partition("@")[0] in CRITERIA)
    for limit in limits:
        if limit.sense == "at-least":
            wrong = "a measured risk is limited from above"
            raise InputError.of(f"the limit '{limit.name}'", wrong, f"use {limit.name} at most a share")
    if limits and question.best is None:
        wrong = "nothing says which release is best within it"
        raise InputError.of(f"the limit '{limits[0].name}'", wrong, "name what is to be best")
    return Question(tuple(one for one in question.limits if one not in limits), question.best), limits


def answer_within_criteria(
    run: Frontier,
    data: Microdata | None,
    question: Question,
    limits: Sequence[Limit],
    allow_unproven: bool = False,
    folder: Path | None = None,
    progress: Progress = lambda done, total: None,
) -> CriteriaAnswer:
    """The most preferred release within limits on criteria; `NoSolution` with the least risky if none is."""
    answer(run, question, allow_unproven)
    solutions = sorted(question.within(run.solutions), key=preference(run, question.best))
    names = tuple(dict.fromkeys(limit.name.partition("@")[0] for limit in limits))
    measurer = _Measurer.of(data, folder, names)
    releases = []
    for number, solution in enumerate(solutions):
        releases.append(MeasuredRelease(solution, measurer.criteria(solution)))
        if releases[-1].meets(limits):
            return CriteriaAnswer(question, tuple(limits), tuple(releases))
        progress(number + 1, len(solutions))
    nearest = min(releases, key=lambda one: max(one.upper(limit) - limit.bound for limit in limits))
    raise NoSolution(
        f"No release of this run has {' and '.join(map(_words, limits))}, by the upper end of its interval. "
        f"The nearest is {nearest}.",
        [nearest.solution],
    )


@dataclass(frozen=True, eq=False)
class _Measurer:
    """Measures releases of a table, and keeps what was measured in the folder of a run."""

    data: Microdata
    referee: Referee
    files: RunFiles | None
    names: tuple[str, ...]

    @classmethod
    def of(cls, data: Microdata | None, folder: Path | None, names: tuple[str, ...]) -> _Measurer:
        """Beside the control group that the run kept out."""
        if data is None:
            raise InputError.of("the run", "its table is not known", "load the run, or explore again")
        referee = Referee.of(data.source, data.source.control, data.schema)
        return cls(data, referee, None if folder is None else RunFiles(folder), names)

    def criteria(self, solution: Solution) -> tuple[Criterion, ...]:
        """The criteria of a release: as they were kept, or measured now."""
        stored = {} if self.files is None else self.files.criteria(solution.id)
        missing = [name for name in self.names if name not in stored]
        if missing:
            # Here: an answer without these limits reads no table.
            from paretonym.release import release_dataframe

            table = self.referee.read(release_dataframe(self.data, solution.recoding), solution.id)
            criteria = measure_criteria(table, names=missing).criteria
            stored = {**stored, **{name: _as_json(name, criteria) for name in missing}}
            if self.files is not None:
                self.files.write_criteria(solution.id, stored)
        return tuple(Criterion.from_json(entry) for name in self.names for entry in stored[name])


def _as_json(name: str, criteria: Sequence[Criterion]) -> list[Mapping[str, Any]]:
    return [criterion.as_json() for criterion in criteria if criterion.name == name]


def _words(limit: Limit) -> str:
    return f"{limit.name} at most {percent(limit.bound)}"
