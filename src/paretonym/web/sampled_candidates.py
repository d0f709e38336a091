"""Other candidates behind a frontier: a sample of dominated releases, for display only."""

from __future__ import annotations

from typing import Any

from paretonym.errors import InputError
from paretonym.frontier import Frontier, Microdata, RunRecord
from paretonym.language import N_, _
from paretonym.spaces import USUAL_SPACE, Question, Sample, sample_lattice
from paretonym.web.problem_json import on_the_page

UNSEEN = N_("Other candidates are not shown: {error}.")


def candidates(frontier: Frontier, record: RunRecord, data: Microdata) -> dict[str, Any]:
    """Values of candidates at nodes drawn evenly over the lattice, always the same ones, and in words how
    many of all they are; none if the data are gone or the space has no sample."""
    if frontier.is_joint or frontier.search.space != USUAL_SPACE.name:
        return {"values": {}, "note": ""}
    try:
        sample = sample_lattice(Question.of_run(record), data.cube)
    except InputError as error:
        return {"values": {}, "note": _(UNSEEN, error=error.said(on_the_page))}
    return {**sample._asdict(), "note": f"{sample} {_standing(frontier, sample)}".strip()}


def _standing(frontier: Frontier, sample: Sample) -> str:
    """What holds for all of them."""
    if not frontier.search.complete:
        return _("The search proved nothing about them: some may be better than what it found.")
    # Under another suppression rule there may be some that the run did not consider.
    if sample.suppressed_by != frontier.search.suppress:
        return ""
    return _("None of them dominates a release on the frontier.")
