"""Sources of rows: files and dataframes become one `Table` of dictionary-encoded columns."""

from __future__ import annotations

from paretonym.source.column_names import header_warning
from paretonym.source.counted_table import CountedTable
from paretonym.source.data_source import (
    NULL,
    ColumnType,
    DataSource,
    Omission,
    QuasiLevels,
    RowSource,
    TupleCounts,
    ValueCounts,
)
from paretonym.source.decimal_comma import has_decimal_comma, table_with_points
from paretonym.source.file_form import FileForm
from paretonym.source.fingerprint import (
    TUPLES,
    canonical_order,
    content_digest,
    distinct_digest,
    file_bytes_digest,
    fingerprint_like,
    row_marks,
)
from paretonym.source.table import Column, Table, give_back
from paretonym.source.table_reader import PARQUET, check_text, is_workbook, open_table
from paretonym.source.value_types import released_values, sorted_places

__all__ = [
    "NULL",
    "PARQUET",
    "TUPLES",
    "Column",
    "ColumnType",
    "CountedTable",
    "DataSource",
    "FileForm",
    "Omission",
    "QuasiLevels",
    "RowSource",
    "Table",
    "TupleCounts",
    "ValueCounts",
    "canonical_order",
    "check_text",
    "content_digest",
    "distinct_digest",
    "file_bytes_digest",
    "fingerprint_like",
    "give_back",
    "has_decimal_comma",
    "header_warning",
    "is_workbook",
    "open_table",
    "released_values",
    "row_marks",
    "sorted_places",
    "table_with_points",
]
