"""The one door for data: whatever they are, they come as distinct rows with their counts."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paretonym.data_address import DataAddress
from paretonym.errors import Field, InputError, did_you_mean
from paretonym.source.data_file import (
    PARQUET,
    STDIN,
    WORKBOOKS,
    DataFile,
    check_path,
    check_regular,
    packing_of,
    reading_from,
    standard_input,
)
from paretonym.source.data_source import Wanted
from paretonym.source.decimal_comma import counts_with_points
from paretonym.source.file_relation import FileSet, is_several
from paretonym.source.table_counts import Counts

if TYPE_CHECKING:
    from paretonym.source.engines.separate_columns import Sample, SeparateColumns

ENGINES = ("auto", "duckdb", "spark")
# Of files that are larger, columns that nobody has described yet are counted one by one; packed files hold
# more than they weigh.
LARGE = 200_000_000
LARGE_PACKED = 50_000_000


def read(
    data: Any,
    columns: Collection[str] | None = None,
    memory: str | int | None = None,
    *,
    encoding: str | None = None,
    separator: str | None = None,
    table: str | None = None,
) -> Counts:
    """The distinct rows of some columns of a file, a folder, a pattern, a workbook, a database or a
    dataframe, with how often each occurs; of all columns unless some are named. Counting keeps the limit
    `memory` ("4GB"); `encoding` and `separator` are for text files in which they cannot be detected, `table`
    says what is meant in a database or a workbook. A mistake in the data is an `InputError` that names the
    place and never shows the content."""
    wanted = Wanted(None if columns is None else frozenset(columns))
    return open_source(data, wanted, memory=memory, encoding=encoding, separator=separator, table=table)


def open_source(
    data: Any,
    wanted: Wanted,
    *,
    engine: str = "auto",
    memory: str | int | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    table: str | None = None,
    query: str | None = None,
) -> Counts:
    """The distinct rows that are wanted, as `read` gives them. `engine` is a name in `ENGINES`: files are
    counted in DuckDB, unless Spark is asked for; `query` says what is meant in a database."""
    if isinstance(data, Counts):
        chosen = partial(_chosen, data, wanted)
        return replace(chosen(wanted), again=chosen)
    address = _address(data, table, query)
    if address is None:
        check_path(data)
    _check_engine(engine, data, address)
    limit = None if memory is None else str(memory)
    # Not a function inside this one: studies are pickled with how to count them again.
    opened = partial(_opened, data, address, wanted, engine, limit, encoding, separator, table, query)
    return opened(wanted) if _is_stdin(data) else replace(opened(wanted), again=opened)


def _chosen(data: Counts, described: Wanted, wanted: Wanted) -> Counts:
    """Other columns of counts that are there already."""
    return counts_with_points(data.wanted(wanted), described.commas)


def _opened(
    data: Any,
    address: DataAddress | None,
    described: Wanted,
    engine: str,
    limit: str | None,
    encoding: str | None,
    separator: str | None,
    table: str | None,
    query: str | None,
    wanted: Wanted,
) -> Counts:
    """The wanted columns of data, counted where these are; numbers are written as `described` says."""
    wanted = replace(wanted, commas=described.commas, order=described.order)
    if address is not None:
        from paretonym.source.engines.database import count_database
        from paretonym.source.engines.database_selection import Selection

        counts = count_database(Selection(address, table, query), wanted, limit)
    elif _is_path(data):
        return _file(data, wanted, engine, limit, encoding, separator, table).sorted()
    else:
        counts = _frame(data, wanted, limit)
    return (counts_with_points(counts, wanted.commas) if wanted.commas else counts).sorted()


def open_columns(
    data: Any,
    *,
    engine: str = "auto",
    memory: str | int | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    table: str | None = None,
    query: str | None = None,
) -> Counts | SeparateColumns:
    """A table that nobody has described yet: all columns counted together, or one by one where the rows are
    many."""
    form = {"encoding": encoding, "separator": separator, "table": table, "query": query}

    def count(wanted: Wanted) -> Counts:
        return open_source(data, wanted, engine=engine, memory=memory, **form)

    if not _is_large(data):
        return count(Wanted())
    from paretonym.source.engines.separate_columns import SeparateColumns, first_column

    return SeparateColumns(
        first_column(count), count, _sampler(data, None if memory is None else str(memory), form)
    )


def _sampler(data: Any, limit: str | None, form: dict[str, str | None]) -> Sample | None:
    """What reads every n-th row of some columns, where that can be done."""
    if (address := DataAddress.of(data)) is not None:
        from paretonym.source.engines.database import sample_database
        from paretonym.source.engines.database_selection import Selection

        selection = Selection(address, form["table"], form["query"])
        return lambda names, step: sample_database(selection, names, step, limit)
    if _is_path(data):
        from paretonym.source.engines.duckdb_counts import sample_files

        place, encoding, separator = os.fspath(data), form["encoding"], form["separator"]
        return lambda names, step: sample_files(place, names, step, limit, encoding, separator)
    return None


def _address(data: Any, table: str | None, query: str | None) -> DataAddress | None:
    """The address of a database, if data are one."""
    address = DataAddress.of(data)
    if address is None and (query is not None or (table is not None and not may_have_sheets(data))):
        raise InputError.of(
            Field("query" if table is None else "table"),
            "this is for tables in a database, and the data are not the address of one",
            "leave it out, or give sqlite:///FILE, duckdb:///FILE or postgresql://USER@HOST/DATABASE",
        )
    return address


def _check_engine(engine: str, data: Any, address: DataAddress | None) -> None:
    if engine not in ENGINES:
        raise InputError.of(
            Field("engine"), f"there is no engine called '{engine}'", did_you_mean(engine, ENGINES)
        )
    if engine == "spark" and (address is not None or not _is_path(data) or _is_stdin(data)):
        raise InputError.of(
            Field("engine"),
            "Spark reads files; a database or a dataframe is counted where it is",
            "leave it out",
        )


def may_have_sheets(data: Any) -> bool:
    """Whether data could be a workbook."""
    if not _is_path(data) or not Path(data).is_file():
        return _is_stdin(data)
    return not os.access(data, os.R_OK) or _first_bytes(data).startswith(WORKBOOKS)


def _file(
    data: Any,
    wanted: Wanted,
    engine: str,
    limit: str | None,
    encoding: str | None,
    separator: str | None,
    sheet: str | None,
) -> Counts:
    with reading_from(data):
        if _is_stdin(data):
            with standard_input() as file:
                counts = _one_file(file, True, wanted, limit, encoding, separator, sheet)
            # There is no path under which the rows could be read again.
            return replace(counts, path=None, files=(), encoding=encoding, separator=separator)
        if is_several(data):
            return _counted(
                FileSet.at(os.fspath(data), encoding, separator), wanted, engine, limit, encoding, separator
            )
        check_regular(Path(data))
        with DataFile.at(Path(data)) as file:
            if engine == "spark" and not file.read(0, 4).startswith(WORKBOOKS):
                files = FileSet.at(os.fspath(data), encoding, separator)
                return _counted(files, wanted, engine, limit, encoding, separator)
            before = file.fingerprint() if file.fresh else ""
            counts = _one_file(file, False, wanted, limit, encoding, separator, sheet)
            file.check_unchanged(before)
        return replace(counts, memory=limit, encoding=encoding, separator=separator)


def _one_file(
    file: DataFile,
    held: bool,
    wanted: Wanted,
    limit: str | None,
    encoding: str | None,
    separator: str | None,
    sheet: str | None,
) -> Counts:
    """The rows of one file, or of the standard input, which is `held` open under no path."""
    first = file.read(0, 4)
    if first.startswith(WORKBOOKS):
        from paretonym.source.workbook import read_workbook

        return counts_with_points(read_workbook(file, sheet, wanted), wanted.commas)
    if sheet is not None:
        raise InputError.of(
            Field("table", sheet),
            "this is for sheets of a workbook and tables of a database, and the data are neither",
            "leave it out",
        )
    files = FileSet.held(file, encoding, separator) if held else FileSet.at(file.path, encoding, separator)
    return _counted(files, wanted, "duckdb", limit, encoding, separator)


def _counted(
    files: FileSet,
    wanted: Wanted,
    engine: str,
    limit: str | None,
    encoding: str | None,
    separator: str | None,
) -> Counts:
    if engine == "spark":
        from paretonym.source.engines.spark_counts import count_in_spark as count
    else:
        from paretonym.source.engines.duckdb_counts import count_files as count
    counts = count(files, wanted, limit, encoding, separator)
    # DuckDB is given text files with decimal points already.
    pointed = engine != "spark" and files.kind != "Parquet"
    return counts if pointed else counts_with_points(counts, wanted.commas)


def _frame(data: Any, wanted: Wanted, limit: str | None) -> Counts:
    from paretonym.source.engines.lazy_frame import count_frame, is_lazy

    if is_lazy(data):
        return count_frame(data, wanted, limit)
    from paretonym.source.dataframe import read_dataframe

    return read_dataframe(data, wanted)


def frame_rows(data: Any) -> Counts:
    """All rows of a dataframe in their order, each as an entry of its own; a lazy one is computed."""
    from paretonym.source.dataframe import read_rows

    return read_rows(data)


def _is_path(data: Any) -> bool:
    return isinstance(data, str | os.PathLike)


def _is_stdin(data: Any) -> bool:
    return isinstance(data, str) and data == STDIN


def _first_bytes(path: str | os.PathLike[str]) -> bytes:
    with Path(path).open("rb") as file:
        return file.read(4)


def _is_large(data: Any) -> bool:
    """Whether columns should be counted one by one: of folders, patterns, large files, databases and lazy
    frames."""
    if isinstance(data, Counts) or _is_stdin(data):
        return False
    if DataAddress.of(data) is not None:
        return True
    if not _is_path(data):
        from paretonym.source.engines.lazy_frame import is_lazy

        return is_lazy(data)
    if is_several(data):
        return True
    path = Path(data)
    if not path.is_file() or not os.access(path, os.R_OK):
        return False
    first = _first_bytes(path)
    packed = first.startswith(PARQUET) or packing_of(first) is not None
    return not first.startswith(WORKBOOKS) and path.stat().st_size > (LARGE_PACKED if packed else LARGE)
