"""Questions from the page: the same answers as `paretonym ask` gives, with their sentences; and the solutions
that no solution of any open run dominates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paretonym.base.errors import NoSolution
from paretonym.base.number_text import number_to_json
from paretonym.engine.frontier import Frontier
from paretonym.engine.frontier.queries import (
    Question,
    Step,
    answer,
    bought,
    priced,
    sentence,
    shortlist_within,
)
from paretonym.engine.measures import Limit


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
