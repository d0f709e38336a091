"""Where rows are counted: in DuckDB, in a database, or where a dataframe is."""

from __future__ import annotations

from paretonym.tables.source.data_source import Wanted
from paretonym.tables.source.engines.data_reader import (
    ENGINES,
    counting_session,
    may_have_sheets,
    open_source,
    open_undescribed,
    read,
)
from paretonym.tables.source.file_set import is_folder_or_pattern
from paretonym.tables.source.table_counts import joined, shared_values

__all__ = [
    "ENGINES",
    "Wanted",
    "counting_session",
    "is_folder_or_pattern",
    "joined",
    "may_have_sheets",
    "open_source",
    "open_undescribed",
    "read",
    "shared_values",
]
