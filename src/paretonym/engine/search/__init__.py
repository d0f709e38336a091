"""Searches: ways through a space of recodings to its frontier."""

from __future__ import annotations

from paretonym.engine.search.archive import Best, Found, Search, admitted
from paretonym.engine.search.exact import search_exact
from paretonym.engine.search.exhaustive import search_exhaustive, stretches
from paretonym.engine.search.floor import floors
from paretonym.engine.search.node_evaluation import Evaluator, evaluator, evaluators
from paretonym.engine.search.problem import Asked, CountedProblem, Problem
from paretonym.engine.search.search_options import STANDARD, Tuning
from paretonym.engine.search.suppression_rule import Rule

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
