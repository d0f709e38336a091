"""Estimates by a reader of a release, compared with the truth: populations, queries, tables."""

from __future__ import annotations

from paretonym.engine.measures.estimates.declared_analyses import (
    MORE_IS_BETTER,
    DeclaredAnalysis,
    Result,
    check_purposes,
    declared,
)
from paretonym.engine.measures.estimates.purpose_reader import SetsShown, spread_rows
from paretonym.engine.measures.estimates.reader_table import (
    AnalystColumn,
    ReaderTable,
    quasi_shares,
    released_spread,
    unchanged_spread,
)
from paretonym.engine.measures.estimates.regression_model import Interval
from paretonym.engine.measures.estimates.squared_error import coarse_tuples

__all__ = [
    "MORE_IS_BETTER",
    "AnalystColumn",
    "DeclaredAnalysis",
    "Interval",
    "ReaderTable",
    "Result",
    "SetsShown",
    "check_purposes",
    "coarse_tuples",
    "declared",
    "quasi_shares",
    "released_spread",
    "spread_rows",
    "unchanged_spread",
]
