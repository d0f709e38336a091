"""Parquet files: what they say of their columns and size; and their rows, where DuckDB does not read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from paretonym.base.errors import InputError
from paretonym.tables.arrow import pa, parquet
from paretonym.tables.source.data_file import DataFile
from paretonym.tables.source.dictionary_encoding import check_shape
from paretonym.tables.source.file_set import PATTERN_MARKS, FileSet, check_same_columns
from paretonym.tables.source.table_counts import Extent
from paretonym.tables.source.value_types import value_type


def read_extent(file: DataFile) -> Extent:
    """Size that a Parquet file states; none of its data is read."""
    with parquet_file(file) as opened:
        metadata = opened.metadata
        unpacked = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
        return Extent(metadata.num_rows, metadata.num_columns, unpacked)


@contextmanager
def parquet_file(file: DataFile) -> Iterator[Any]:
    """The file as Arrow sees it, whose messages could hold values."""
    with reading_parquet(file.path), file.stream() as stream, parquet.ParquetFile(stream) as opened:
        yield opened


@contextmanager
def reading_parquet(path: Path) -> Iterator[None]:
    """Report what Arrow finds wrong with a Parquet file."""
    try:
        yield
    except (PermissionError, MemoryError):
        raise
    except (pa.ArrowException, OSError, UnicodeError):
        raise InputError.of(
            str(path), "the Parquet file is damaged or incomplete", "write or download it again"
        ) from None


class ParquetShape(NamedTuple):
    """The columns of Parquet files with their types in Arrow: those of all files, then those that the names
    of folders tell. They are `streamed` by Arrow if DuckDB cannot read one of them exactly, or takes its name
    for a pattern."""

    types: Mapping[str, Any]
    streamed: bool

    @classmethod
    def of(cls, files: FileSet) -> ParquetShape:
        schemas, streamed = [], files.parts[0].file.held is not None
        for part in files.parts:
            with parquet_file(part.file) as opened:
                schemas.append(opened.schema_arrow)
                streamed |= any(mark in str(part.path) for mark in PATTERN_MARKS)
            columns = [list(zip(schema.names, schema.types, strict=True)) for schema in schemas]
            check_shape(str(part.path), schemas[-1].names, rows=1)
            check_same_columns(files.parts[0].path, columns[0], part.path, columns[-1])
        files.check_partitions(schemas[0].names)
        return cls({**dict(columns[0]), **dict.fromkeys(files.partitions, pa.string())}, streamed)

    def rows(self, files: FileSet, names: Sequence[str]) -> Iterator[list[Any]]:
        """Some columns of all files, some rows at a time."""
        # Some column must be read, so that rows are counted.
        read = [name for name in dict.fromkeys(names) if name not in files.partitions] or [*self.types][:1]
        for part in files.parts:
            with parquet_file(part.file) as opened:
                for batch in opened.iter_batches(columns=read):
                    plain = {name: batch.column(name).cast(value_type(self.types[name])) for name in read}
                    yield part.cells(plain, names)
