"""Parquet files: typed columns, read as dictionaries where they are text."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from paretonym.arrow import pa, parquet
from paretonym.errors import InputError
from paretonym.source.data_file import DataFile
from paretonym.source.data_source import Wanted
from paretonym.source.dictionary_encoding import check_shape, rows_of
from paretonym.source.table_counts import Counts, Extent


def read_extent(path: Path) -> Extent:
    """What a Parquet file says of its size; none of its data is read."""
    known = metadata_of(path)
    unpacked = sum(known.row_group(group).total_byte_size for group in range(known.num_row_groups))
    return Extent(known.num_rows, known.num_columns, unpacked)


def metadata_of(path: Path) -> Any:
    """What a Parquet file says of its row groups and columns; none of its data is read."""
    return _read(path, lambda: parquet.read_metadata(path))


def schema_of(path: Path) -> Any:
    """The names and types of a Parquet file in Arrow; none of its data is read."""
    return _read(path, lambda: parquet.read_schema(path))


def read_parquet(data: DataFile, wanted: Wanted) -> Counts:
    """The table in a Parquet file that DuckDB does not read. Columns are read one by one: each is smaller as
    codes than as read."""
    path = data.path
    declared, file = _read(path, lambda: _opened(data))
    types = dict(zip(declared.names, declared.types, strict=True))
    check_shape(str(path), declared.names, file.metadata.num_rows)
    counts = rows_of(
        path.name, str(path), types, lambda name: _read(path, partial(_column, file, name)), wanted
    )
    return counts.wanted(wanted)


def _opened(data: DataFile) -> tuple[Any, Any]:
    """The types that the file declares, and the file with all texts read as dictionaries."""
    fields = parquet.ParquetFile(data.stream()).schema_arrow
    texts = [field.name for field in fields if _is_text(field.type)]
    return fields, parquet.ParquetFile(data.stream(), read_dictionary=texts)


def _column(file: Any, name: str) -> Any:
    return file.read([name]).column(name)


def _read(path: Path, part: Callable[[], Any]) -> Any:
    """A part of the file; Arrow's own messages could hold values."""
    try:
        return part()
    except (PermissionError, MemoryError):
        raise
    except (pa.ArrowException, OSError, UnicodeError):
        raise InputError.of(
            str(path), "the Parquet file is damaged or incomplete", "write or download it again"
        ) from None


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
