"""Reading data, wherever they are: they always come as distinct rows with their counts."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paretonym.base.errors import Field, InputError, did_you_mean
from paretonym.tables.data_address import DataAddress
from paretonym.tables.source.data_file import (
    STDIN,
    DataFile,
    check_path,
    check_regular,
    is_workbook,
    kind_of,
    packing_of,
    reading_from,
    standard_input,
)
from paretonym.tables.source.data_source import USUAL_FORM, TableForm, Wanted
from paretonym.tables.source.decimal_comma import counts_with_points
from paretonym.tables.source.file_set import FileSet, is_folder_or_pattern
from paretonym.tables.source.table_counts import Counts

if TYPE_CHECKING:
    from paretonym.tables.source.engines.duckdb_session import Session

ENGINES = ("auto", "duckdb", "spark")
# The rows that `open_undescribed` reads of a file of more bytes; packed files hold more than they weigh.
FIRST_ROWS = 1_000_000
LARGE = 200_000_000
LARGE_PACKED = 50_000_000
ALL = Wanted()


def read(
    data: Any,
    columns: Collection[str] | None = None,
    memory: str | int | None = None,
    *,
    table: str | None = None,
    **form: Any,
) -> Counts:
    """The distinct rows of some columns of a file, a folder, a pattern, a workbook, a database or a
    dataframe, with how often each occurs; of all columns unless some are named. Counting keeps the limit
    `memory` ("4GB"); `table` says what is meant in a database or a workbook; `form` (encoding, separator,
    header_row, footer_rows) how a file is written where that cannot be detected. A mistake in the data is an
    `InputError` that names the place and never shows the content."""
    wanted = Wanted(None if columns is None else frozenset(columns))
    return open_source(data, wanted, memory=memory, form=TableForm(**form), table=table)


def counting_session(place: str, memory: str | int | None) -> AbstractContextManager[Session]:
    """A database that counts within a limit ("4GB") and is gone afterwards; refusals name `place`."""
    from paretonym.tables.source.engines.duckdb_session import parse_memory, session

    return session(place, parse_memory(memory))


def open_source(
    data: Any,
    wanted: Wanted,
    *,
    engine: str = "auto",
    memory: str | int | None = None,
    form: TableForm = USUAL_FORM,
    table: str | None = None,
    query: str | None = None,
) -> Counts:
    """The distinct rows that are wanted, as `read` gives them. `engine` is a name in `ENGINES`: files are
    counted in DuckDB, unless it is "spark"; `query` selects rows of a database. Where `form` does not say how
    a file is written, `wanted.form` does."""
    limit = None if memory is None else str(memory)
    reading = Reading(data, engine, limit, form.or_else(wanted.form), table, query, wanted)
    counts = reading(wanted)
    return counts if _is_stdin(data) else replace(counts, again=reading)


@dataclass(frozen=True, slots=True)
class Reading:
    """Data, and how they are read: called with what is wanted, it counts these columns. `described` is what
    was wanted first: its order of columns, and its decimal commas, hold for every further call."""

    data: Any
    engine: str = "auto"
    memory: str | None = None
    form: TableForm = USUAL_FORM
    table: str | None = None
    query: str | None = None
    described: Wanted = ALL

    def __call__(self, wanted: Wanted) -> Counts:
        """The distinct rows that are wanted."""
        if isinstance(self.data, Counts):
            return counts_with_points(self.data.wanted(wanted), self.described.commas)
        counts = self._count(replace(wanted, order=self.described.order))
        return counts_with_points(counts, self.described.commas).sorted()

    def _count(self, wanted: Wanted) -> Counts:
        address = DataAddress.of(self.data)
        if address is None:
            check_path(self.data)
        self._check_options(address)
        if address is not None:
            from paretonym.tables.source.engines.database import count_database
            from paretonym.tables.source.engines.database_selection import Selection

            return count_database(Selection(address, self.table, self.query), wanted, self.memory)
        if _is_path(self.data):
            with reading_from(self.data):
                return self._count_files(wanted)
        from paretonym.tables.source.engines.lazy_frame import count_frame, is_lazy

        if is_lazy(self.data):
            return count_frame(self.data, wanted, self.memory)
        from paretonym.tables.source.dataframe import read_dataframe

        return read_dataframe(self.data, wanted)

    def _check_options(self, address: DataAddress | None) -> None:
        """Refuse options that mean nothing for these data."""
        self.form.check()
        if self.engine not in ENGINES:
            wrong = f"there is no engine called '{self.engine}'"
            raise InputError.of(Field("engine"), wrong, did_you_mean(self.engine, ENGINES))
        if self.engine == "spark" and (address or not _is_path(self.data) or _is_stdin(self.data)):
            wrong = "Spark reads files; a database or a dataframe is counted where it is"
            raise InputError.of(Field("engine"), wrong, "leave it out")
        if address is None and (self.query is not None or (self.table and not may_have_sheets(self.data))):
            raise InputError.of(
                Field("table" if self.query is None else "query"),
                "this is for tables in a database, and the data are not the address of one",
                "leave it out, or give sqlite:///FILE, duckdb:///FILE or postgresql://USER@HOST/DATABASE",
            )

    def _count_files(self, wanted: Wanted) -> Counts:
        """The rows of a file, of several, or of the standard input."""
        if _is_stdin(self.data):
            with standard_input() as file:
                # There is no path under which the rows could be read again.
                return replace(self._count_file(file, wanted), path=None, files=())
        if is_folder_or_pattern(self.data):
            return self._group(FileSet.at(os.fspath(self.data), self.form), wanted)
        check_regular(Path(self.data))
        return self._count_file(DataFile(Path(self.data)), wanted)

    def _count_file(self, file: DataFile, wanted: Wanted) -> Counts:
        kind = kind_of(file.first())
        if kind in ("text", "Parquet"):
            return self._group(FileSet.of_file(file, self.form), wanted)
        if kind == "statistics":
            from paretonym.tables.source.statistics_file import read_statistics

            return replace(read_statistics(file, wanted), memory=self.memory)
        from paretonym.tables.source.workbook import read_workbook

        return replace(read_workbook(file, self.table, self.form, wanted), memory=self.memory)

    def _group(self, files: FileSet, wanted: Wanted) -> Counts:
        if self.engine == "spark":
            from paretonym.tables.source.engines.spark_counts import count_in_spark as count
        else:
            from paretonym.tables.source.engines.duckdb_counts import count_files as count
        return count(files, wanted, self.memory, self.form)


def open_undescribed(data: Any, **options: Any) -> Counts:
    """All columns of a table that no schema describes yet, of a large one its first rows; the options are
    those of `open_source`."""
    return open_source(data, Wanted(first=FIRST_ROWS if _is_large(data) else None), **options)


def may_have_sheets(data: Any) -> bool:
    """True if data could be a workbook, as whatever cannot be looked at could."""
    if not _is_path(data) or not Path(data).is_file():
        return _is_stdin(data)
    return not os.access(data, os.R_OK) or is_workbook(Path(data))


def _is_path(data: Any) -> bool:
    return isinstance(data, str | os.PathLike)


def _is_stdin(data: Any) -> bool:
    return isinstance(data, str) and data == STDIN


def _is_large(data: Any) -> bool:
    """True if there may be very many rows: in folders, patterns, large files, databases and lazy frames."""
    if isinstance(data, Counts) or _is_stdin(data):
        return False
    if DataAddress.of(data) is not None:
        return True
    if not _is_path(data):
        from paretonym.tables.source.engines.lazy_frame import is_lazy

        return is_lazy(data)
    if is_folder_or_pattern(data):
        return True
    path = Path(data)
    if not path.is_file() or not os.access(path, os.R_OK):
        return False
    first = DataFile(path).first()
    kind = kind_of(first)
    packed = kind == "Parquet" or packing_of(first) is not None
    return kind in ("text", "Parquet") and path.stat().st_size > (LARGE_PACKED if packed else LARGE)
