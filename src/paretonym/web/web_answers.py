"""Questions from the page: the same answers as `paretonym ask` gives, with their sentences; and the solutions
that no solution of any open run dominates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paretonym.errors import NoSolution
from paretonym.frontier import Frontier, frontier_places
from paretonym.frontier.queries import Question, Step, answer, bought, priced, sentence, shortlist_within
from paretonym.language import _
from paretonym.measures import Limit
from paretonym.number_text import number_to_json
from paretonym.web.open_runs import OpenRun


def answer_facts(frontier: Frontier, limits: Sequence[Limit], best: str | None) -> dict[str, Any]:
    """The best release within limits, or a shortlist; the answer "no" comes with the nearest releases."""
    question = Question(tuple(limits), best)
    try:
        return _answer(frontier, question) if best is not None else _shortlist(frontier, question)
    except NoSolution as no:
        return {"answer": None, "text": str(no), "nearest": [solution.id for solution in no.nearest]}


def _answer(frontier: Frontier, question: Question) -> dict[str, Any]:
    # Where the frontier cannot prove the answer, the page says so beside it.
    best = answer(frontier, question, allow_unproven=True)
    return {
        "answer": best.solution.id,
        "text": sentence(best),
        "proven": best.proven,
        "doubts": list(best.doubts),
        "bought": _steps(bought(best), best.relaxations),
        "priced": _steps(priced(best), best.tightenings),
    }


def _steps(sentences: Sequence[str], steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Each sentence, with the limit and the release that it is about, if any."""
    listed: list[Step | None] = [*steps, *[None] * (len(sentences) - len(steps))]
    return [
        {"text": text}
        if step is None
        else {
            "text": text,
            "id": step.solution.id,
            "measure": step.limit.name,
            "bound": number_to_json(step.limit.bound),
        }
        for text, step in zip(sentences, listed, strict=True)
    ]


def _shortlist(frontier: Frontier, question: Question) -> dict[str, Any]:
    choices, doubts = shortlist_within(frontier, question, allow_unproven=True)
    return {
        "answer": None,
        "text": "",
        "proven": not doubts,
        "doubts": list(doubts),
        "shortlist": [{"id": c.solution.id, "reasons": list(c.reasons)} for c in choices],
    }


def joint(runs: Sequence[OpenRun]) -> dict[str, Any]:
    """For each run the places of its solutions that are on the joint frontier of the objectives that all runs
    share: all solutions that have one of its vectors, in any run."""
    if not runs:
        return {"objectives": [], "members": {}, "note": ""}
    shared = [o for o in runs[0].frontier.objectives if all(o in r.frontier.objectives for r in runs)]
    if not shared:
        return {"objectives": [], "members": {}, "note": _("The runs have no objective in common.")}
    parts = [[[s.values[o.name] for o in shared] for s in run.frontier] for run in runs]
    values = np.array([row for part in parts for row in part], dtype=np.float64)
    best = frontier_places(values, [o.direction for o in shared], np.arange(len(values)))
    reached = {tuple(vector) for vector in values[best].tolist()}
    members = {
        run.key: [place for place, vector in enumerate(part) if tuple(map(float, vector)) in reached]
        for run, part in zip(runs, parts, strict=True)
    }
    one = all(run.record.is_of_same_data(runs[0].record) for run in runs)
    note = "" if one else _("The runs come from different tables: compare with caution.")
    return {"objectives": [o.name for o in shared], "members": members, "note": note}
