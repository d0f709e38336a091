"""Parquet files: typed columns, read as dictionaries where they are text."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from paretonym.arrow import pa, parquet
from paretonym.errors import InputError
from paretonym.source.data_file import DataFile
from paretonym.source.dictionary_encoding import arrow_columns, check_shape
from paretonym.source.table import Extent, Table
from paretonym.source.value_types import categories_in


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


def read_parquet(data: DataFile) -> Table:
    """The table in a Parquet file. Columns are read one by one: each is smaller as codes than as read."""
    path, fingerprint = data.path, data.fingerprint()
    declared, file = _read(path, lambda: _opened(data))
    names, types = file.schema_arrow.names, file.schema_arrow.types
    rows = file.metadata.num_rows
    check_shape(str(path), names, rows)
    arrays = (_read(path, partial(_column, file, name)) for name in names)
    columns = arrow_columns(str(path), names, types, arrays)
    data.check_unchanged(fingerprint)
    categories = categories_in(names, declared.types)
    return Table(path.name, rows, columns, fingerprint, "file", str(path), categories=categories)


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
    except (pa.ArrowException, OSError):
        raise InputError.of(
            str(path), "the Parquet file is damaged or incomplete", "write or download it again"
        ) from None


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
