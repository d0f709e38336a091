"""Sources of rows: files, databases and dataframes become `Counts`, distinct rows with their counts."""

from __future__ import annotations

from paretonym.tables.source.column_names import ROW, header_warning, source_warnings
from paretonym.tables.source.data_file import PARQUET, check_text, is_workbook
from paretonym.tables.source.data_source import (
    NULL,
    ColumnType,
    Omission,
    TableForm,
    TupleCounts,
)
from paretonym.tables.source.decimal_comma import counts_with_points, has_decimal_comma
from paretonym.tables.source.file_form import FileForm
from paretonym.tables.source.fingerprint import (
    canonical_order,
    content_digest,
    distinct_digest,
    file_bytes_digest,
    row_marks,
)
from paretonym.tables.source.table_counts import Column, Counts, give_back
from paretonym.tables.source.value_types import released_values, sorted_places

__all__ = [
    "NULL",
    "PARQUET",
    "ROW",
    "Column",
    "ColumnType",
    "Counts",
    "FileForm",
    "Omission",
    "TableForm",
    "TupleCounts",
    "canonical_order",
    "check_text",
    "content_digest",
    "counts_with_points",
    "distinct_digest",
    "file_bytes_digest",
    "give_back",
    "has_decimal_comma",
    "header_warning",
    "is_workbook",
    "released_values",
    "row_marks",
    "sorted_places",
    "source_warnings",
]
