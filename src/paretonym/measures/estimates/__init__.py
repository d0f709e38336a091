"""What a reader of a release would estimate, compared with the truth: populations, queries, tables."""

from __future__ import annotations

from paretonym.measures.estimates.declared_analyses import (
    MORE_IS_BETTER,
    DeclaredAnalysis,
    Result,
    check_purposes,
    declared,
)
from paretonym.measures.estimates.reader_table import (
    AnalystColumn,
    ReaderTable,
    Spread,
    analyst_columns,
    leaf_numbers,
    mean_numbers,
    quasi_shares,
    released_spread,
    unchanged_spread,
)
from paretonym.measures.estimates.regression_model import Interval
from paretonym.measures.estimates.squared_error import coarse_tuples

__all__ = [
    "MORE_IS_BETTER",
    "AnalystColumn",
    "DeclaredAnalysis",
    "Interval",
    "ReaderTable",
    "Result",
    "Spread",
    "analyst_columns",
    "check_purposes",
    "coarse_tuples",
    "declared",
    "leaf_numbers",
    "mean_numbers",
    "quasi_shares",
    "released_spread",
    "unchanged_spread",
]
