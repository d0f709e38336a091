"""Parquet files: typed columns, read as dictionaries where they are text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet

from paretonym.errors import InputError
from paretonym.source.arrowtable import arrow_columns, check_shape
from paretonym.source.fingerprint import file_fingerprint
from paretonym.source.table import Table


def read_parquet(path: Path) -> Table:
    """The table in a Parquet file."""
    table = _table(path)
    if table is None:
        raise InputError.of(
            str(path), "the Parquet file is damaged or not complete", "write or download it again"
        )
    check_shape(str(path), table.column_names, table.num_rows)
    rows, names = table.num_rows, table.column_names
    arrays = [table.column(index) for index in range(len(names))]
    del table
    columns = arrow_columns(str(path), names, arrays)
    return Table(path.name, rows, columns, file_fingerprint(path), "file", str(path))


def _table(path: Path) -> Any:
    """None if it cannot be read: Arrow's messages could hold values."""
    try:
        file = parquet.ParquetFile(path)
        texts = [field.name for field in file.schema_arrow if _is_text(field.type)]
        return parquet.ParquetFile(path, read_dictionary=texts).read()
    except PermissionError:
        raise
    except (pa.ArrowException, OSError):
        return None


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
