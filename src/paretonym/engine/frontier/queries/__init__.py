"""Choosing from a frontier: questions and answers, landmarks, a shortlist. Facts only; nothing is printed."""

from __future__ import annotations

from paretonym.engine.frontier.queries.answer import Answer, Step, answer, bought, priced, sentence
from paretonym.engine.frontier.queries.landmarks import Landmark, gain_and_cost, landmarks
from paretonym.engine.frontier.queries.proof_scope import check_question
from paretonym.engine.frontier.queries.query import Question, parse_question, preference
from paretonym.engine.frontier.queries.shortlist import Choice, shortlist, shortlist_within

__all__ = [
    "Answer",
    "Choice",
    "Landmark",
    "Question",
    "Step",
    "answer",
    "bought",
    "check_question",
    "gain_and_cost",
    "landmarks",
    "parse_question",
    "preference",
    "priced",
    "sentence",
    "shortlist",
    "shortlist_within",
]
