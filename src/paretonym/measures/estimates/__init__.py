"""What a reader of a release would estimate, compared with the truth: populations, queries, tables."""

from __future__ import annotations

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
from paretonym.measures.estimates.squared_error import coarse_tuples

__all__ = [
    "AnalystColumn",
    "ReaderTable",
    "Spread",
    "analyst_columns",
    "coarse_tuples",
    "leaf_numbers",
    "mean_numbers",
    "quasi_shares",
    "released_spread",
    "unchanged_spread",
]
