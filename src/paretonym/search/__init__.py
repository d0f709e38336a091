"""Searches: ways through a space of recodings to its frontier."""

from __future__ import annotations

from paretonym.search.archive import Best, Found, Search, admitted
from paretonym.search.exact import search_exact
from paretonym.search.exhaustive import search_exhaustive, stretches
from paretonym.search.floor import floors
from paretonym.search.node_evaluation import Evaluator, evaluator, evaluators
from paretonym.search.problem import Asked, CountedProblem, Problem
from paretonym.search.search_options import STANDARD, Tuning
from paretonym.search.suppression_rule import Rule

__all__ = [
    "STANDARD",
    "Asked",
    "Best",
    "CountedProblem",
    "Evaluator",
    "Found",
    "Problem",
    "Rule",
    "Search",
    "Tuning",
    "admitted",
    "evaluator",
    "evaluators",
    "floors",
    "search_exact",
    "search_exhaustive",
    "stretches",
]
