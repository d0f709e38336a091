"""Searches: ways through a space of recodings to its frontier."""

from __future__ import annotations

from paretonym.search.archive import Best, Found, Search, admitted
from paretonym.search.exact import search_exact
from paretonym.search.exhaustive import search_exhaustive, stretches
from paretonym.search.node_evaluation import (
    Evaluator,
    evaluator,
    evaluators,
    in_parallel,
    plain_evaluator,
    workers,
)
from paretonym.search.problem import Asked, Problem
from paretonym.search.search_options import EVERYWHERE, STANDARD, Tuning, tuning_from
from paretonym.search.suppression_rule import Rule, key_places

__all__ = [
    "EVERYWHERE",
    "STANDARD",
    "Asked",
    "Best",
    "Evaluator",
    "Found",
    "Problem",
    "Rule",
    "Search",
    "Tuning",
    "admitted",
    "evaluator",
    "evaluators",
    "in_parallel",
    "key_places",
    "plain_evaluator",
    "search_exact",
    "search_exhaustive",
    "stretches",
    "tuning_from",
    "workers",
]
