"""Facts of a decision paper: whether a purpose can be achieved with an anonymised table, by which
release and at which residual risk, or what comes nearest, and what was tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from paretonym.base.errors import Field, InputError, did_you_mean
from paretonym.base.language import _, current_language
from paretonym.base.number_text import number_to_json
from paretonym.engine.frontier import Frontier, Microdata, verdict
from paretonym.engine.measures import Limit
from paretonym.engine.spaces import PurposeAnswer, Trial, achieve
from paretonym.evidence.criteria import MeasuredCriteria
from paretonym.report.checklist_findings import CheckedList, Evidence, check_release
from paretonym.report.report_facts import Chosen, Story, chosen_release, tell
from paretonym.tables.schema.policies import Checklist, Policy
from paretonym.version import __version__

FORMAT = "paretonym.permit/1"


@dataclass(frozen=True, eq=False)
class DecisionPaper:
    """The answer to a purpose with all that a decision needs. `story` has the release that achieves it, if
    one does; `policies` say who set which limit, and why."""

    story: Story
    answer: PurposeAnswer
    policies: tuple[Policy, ...]
    criteria: MeasuredCriteria | None
    checked: tuple[CheckedList, ...]

    @property
    def chosen(self) -> Chosen | None:
        """The release that achieves the purpose."""
        return self.story.chosen

    @property
    def trial(self) -> Trial | None:
        """The release whose analyses are shown: the one that achieves the purpose, or the nearest miss."""
        nearest = self.answer.misses[0].trial if self.answer.misses else None
        return self.answer.best or nearest

    def set_by(self, limit: Limit) -> str:
        """Who set a limit, and why, if a policy says it."""
        entries = (entry for policy in self.policies for entry in policy.limits)
        reasons = (
            f"{entry.set_by}: {entry.why}" for entry in entries if Limit.parsed(entry.require) == limit
        )
        return next(reasons, "")

    def as_json(self) -> dict[str, Any]:
        """The twin of the paper, for other programs."""
        limits = [{**limit.as_json(), "set_by": self.set_by(limit)} for limit in self.answer.limits]
        return {
            "format": FORMAT,
            "audience": "publisher",
            "language": current_language(),
            "version": __version__,
            "rows": self.story.frontier.table.rows,
            "fingerprint": self.story.record.fingerprint,
            "requirement": limits,
            "result": self.answer.as_json(),
            "method": [
                {"space": search.space, "search": search.method, "complete": search.complete}
                for search in self.story.frontier.methods
            ],
            "residual_risk": None if self.chosen is None else self._residual(self.chosen),
            "checklists": [checked.as_json() for checked in self.checked],
        }

    def _residual(self, chosen: Chosen) -> dict[str, Any]:
        values = {name: number_to_json(value) for name, value in chosen.solution.values.items()}
        return {
            "release": chosen.solution.id,
            "values": values,
            "suppressed": chosen.solution.suppressed,
            "prosecutor": chosen.risk.prosecutor if self.story.unit.is_person else None,
            "sentences": list(verdict(chosen.solution, self.story.data)),
            "warnings": list(chosen.warnings),
            "certain": {one.known.column: one.known.certain for one in chosen.disclosures},
            "criteria": None if self.criteria is None else self.criteria.as_json()["criteria"],
        }


def decide(
    frontier: Frontier,
    data: Microdata | None,
    purpose: str | None = None,
    limits: Sequence[Limit] = (),
    policies: Sequence[Policy] = (),
    checklists: Sequence[Checklist] = (),
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> DecisionPaper:
    """Answer whether a purpose can be achieved within limits, and gather what a paper about it says."""
    story = tell(frontier, data, None, None)
    answer = achieve(frontier, story.data, _purpose(story, purpose), limits, progress)
    if answer.best is None:
        return DecisionPaper(replace(story, chosen=None), answer, tuple(policies), None, ())
    solution = answer.best.solution
    why = _("It has the largest k of all releases that meet requirement and purpose.")
    evidence = Evidence(story.data, solution)
    return DecisionPaper(
        replace(story, chosen=chosen_release(solution, story.data, why)),
        answer,
        tuple(policies),
        evidence.criteria,
        tuple(check_release(checklist, evidence) for checklist in checklists),
    )


def _purpose(story: Story, name: str | None) -> str:
    """The purpose that a paper is about: the only one, or the one that is named."""
    names = list(dict.fromkeys(analysis.purpose for analysis in story.record.schema.purposes))
    if name is not None or len(names) == 1:
        return names[0] if name is None else name
    if not names:
        wrong, remedy = "the schema declares no purpose", "add [[purpose]] to the schema, and explore again"
    else:
        wrong, remedy = f"the schema declares {len(names)} purposes", did_you_mean("", names)
    raise InputError.of(Field("purpose"), wrong, remedy)
