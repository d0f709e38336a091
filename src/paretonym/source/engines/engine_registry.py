"""The engines by name, and the choice between them: the one door for data that need only be counted."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from paretonym.data_address import DataAddress
from paretonym.errors import Field, InputError, did_you_mean
from paretonym.source.counted_table import CountedTable
from paretonym.source.data_file import packing_of
from paretonym.source.data_source import Wanted
from paretonym.source.decimal_comma import has_decimal_comma, table_with_points
from paretonym.source.engines.database_selection import Selection
from paretonym.source.engines.file_set import changed, is_several
from paretonym.source.table import Table
from paretonym.source.table_reader import (
    PARQUET,
    STDIN,
    WORKBOOKS,
    check_path,
    check_regular,
    is_workbook,
    open_table,
    reading_from,
)

if TYPE_CHECKING:
    from paretonym.source.engines.separate_columns import Sample, SeparateColumns

Source: TypeAlias = Table | CountedTable
# What is larger is counted in DuckDB unless something else is asked for; packed files hold more than they
# weigh.
LARGE = 1_000_000_000
LARGE_PACKED = 200_000_000


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
) -> Source:
    """A table in memory, or counted where it lies; `engine` is a name in `ENGINES`, `memory` a limit ("4GB")
    for an engine that keeps one. `table` or `query` say what is meant in a database, `table` also which sheet
    of a workbook."""
    address = _address(data, table, query)
    if address is None:
        check_path(data)
    if engine not in ENGINES:
        raise InputError.of(
            Field("engine"), f"there is no engine called '{engine}'", did_you_mean(engine, ENGINES)
        )
    limit = None if memory is None else str(memory)

    def opened(asked: Wanted) -> Source:
        if address is not None:
            found = _database(Selection(address, table, query), asked, engine, limit)
        elif table is not None or _is_stdin(data):
            _check_memory(data, engine)
            found = open_table(data, encoding=encoding, separator=separator, sheet=table)
        else:
            found = ENGINES[engine](data, asked, limit, encoding, separator)
        found = found.arranged(asked.order) if isinstance(found, Table) else found
        return _with_points(found, asked)

    first = opened(wanted)
    return replace(first, again=opened) if isinstance(first, CountedTable) else first


def _with_points(source: Source, wanted: Wanted) -> Source:
    """Numbers with decimal points, as the schema says that they are written; text files that are counted
    have them already."""
    if not wanted.commas:
        return source
    if isinstance(source, Table):
        return table_with_points(source, wanted.commas)
    for column in source.columns:
        if column.name in wanted.commas and any(map(has_decimal_comma, column.texts)):
            raise InputError.of(
                f"{source.name}, column '{column.name}'",
                "numbers with a decimal comma are read from text files and from tables in memory",
                f"convert them where they are, or read the rows with {Field('engine', 'memory')}",
            )
    return source


def open_columns(
    data: Any,
    *,
    engine: str = "auto",
    memory: str | int | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    table: str | None = None,
    query: str | None = None,
) -> Table | SeparateColumns:
    """A table that nobody has described yet: in memory, or with columns that are counted one by one where the
    rows are."""
    form = {"encoding": encoding, "separator": separator}
    selected = {"table": table, "query": query}
    limit = None if memory is None else str(memory)

    def count(wanted: Wanted) -> CountedTable:
        found = open_source(data, wanted, engine=engine, memory=memory, **form, **selected)
        if isinstance(found, Table):
            raise changed(found.name)
        return found

    from paretonym.source.engines.separate_columns import SeparateColumns, first_column

    first = first_column(
        lambda wanted: open_source(data, wanted, engine=engine, memory=memory, **form, **selected)
    )
    if isinstance(first, Table):
        return first

    sampled: Sample | None = None
    if (address := DataAddress.of(data)) is not None:
        from paretonym.source.engines.database_counts import sample_database

        selection = Selection(address, table, query)
        sampled = lambda names, step: sample_database(selection, names, step, limit)  # noqa: E731
    elif first.engine == "duckdb" and _is_path(data):
        from paretonym.source.engines.duckdb_counts import sample_files

        sampled = lambda names, step: sample_files(os.fspath(data), names, step, limit, **form)  # noqa: E731
    return SeparateColumns(first, count, sampled)


def _address(data: Any, table: str | None, query: str | None) -> DataAddress | None:
    """The address of a database, if data are one."""
    address = DataAddress.of(data)
    if address is None and (query is not None or (table is not None and not _may_have_sheets(data))):
        raise InputError.of(
            Field("query" if table is None else "table"),
            "this is for tables in a database, and the data are not the address of one",
            "leave it out, or give sqlite:///FILE, duckdb:///FILE or postgresql://USER@HOST/DATABASE",
        )
    return address


def _may_have_sheets(data: Any) -> bool:
    """Whether data could be a workbook."""
    if not _is_path(data) or not Path(data).is_file():
        return _is_stdin(data)
    return not os.access(data, os.R_OK) or is_workbook(Path(data))


def _is_stdin(data: Any) -> bool:
    return isinstance(data, str) and data == STDIN


def _check_memory(data: Any, engine: str) -> None:
    if engine not in ("auto", "memory"):
        what = "the standard input" if _is_stdin(data) else "a workbook"
        raise InputError.of(
            Field("engine"),
            f"{what} is read into memory, not counted in {engine}",
            "leave it out, or write the rows to a CSV or Parquet file",
        )


def _database(selection: Selection, wanted: Wanted, engine: str, memory: str | None) -> Source:
    from paretonym.source.engines.database_counts import count_database, read_database

    kind = selection.address.kind
    if engine not in ("auto", "memory", kind):
        raise InputError.of(
            Field("engine"),
            f"a table in {kind} is counted there, not in {engine}",
            f"leave it out, or read all rows with {Field('engine', 'memory')}",
        )
    return (read_database if engine == "memory" else count_database)(selection, wanted, memory)


def _auto(
    data: Any, wanted: Wanted, memory: str | None, encoding: str | None, separator: str | None
) -> Source:
    chosen = _duckdb if _is_large(data) else _memory
    return chosen(data, wanted, memory, encoding, separator)


def _memory(
    data: Any, wanted: Wanted, memory: str | None, encoding: str | None, separator: str | None
) -> Source:
    if _is_path(data) and is_several(data):
        raise InputError.of(
            str(data),
            "this is a folder or a pattern, and one file at a time is read into memory",
            f"give one file, or count all of them with {Field('engine', 'duckdb')}",
        )
    return open_table(data, encoding=encoding, separator=separator)


def _duckdb(
    data: Any, wanted: Wanted, memory: str | None, encoding: str | None, separator: str | None
) -> Source:
    if not _is_path(data):
        return _frame(data, wanted, memory)
    from paretonym.source.engines.duckdb_counts import count_files

    with _reading(data):
        return count_files(os.fspath(data), wanted, memory, encoding, separator)


def _spark(
    data: Any, wanted: Wanted, memory: str | None, encoding: str | None, separator: str | None
) -> Source:
    if not _is_path(data):
        return _frame(data, wanted, memory)
    from paretonym.source.engines.spark_counts import count_in_spark

    with _reading(data):
        return count_in_spark(os.fspath(data), wanted, memory, encoding, separator)


def _frame(data: Any, wanted: Wanted, memory: str | None) -> Source:
    """A frame is counted where it is, whatever engine is named."""
    from paretonym.source.engines.lazy_frame import count_frame, is_lazy

    if is_lazy(data):
        return count_frame(data, wanted, memory)
    raise InputError.of(
        Field("engine"),
        "these rows are in memory already",
        f"leave it out, or give {Field('engine', 'memory')}",
    )


@contextmanager
def _reading(data: Any) -> Iterator[None]:
    with reading_from(data):
        if not is_several(data):
            check_regular(Path(data))
        yield


def _is_path(data: Any) -> bool:
    return isinstance(data, str | os.PathLike)


def _is_large(data: Any) -> bool:
    """Whether data should be counted where they are: folders, patterns, large files, lazy frames."""
    if isinstance(data, Table):
        return False
    if not _is_path(data):
        from paretonym.source.engines.lazy_frame import is_lazy

        return is_lazy(data)
    if is_several(data):
        return True
    path = Path(data)
    if not path.is_file() or not os.access(path, os.R_OK):
        return False
    with path.open("rb") as file:
        first = file.read(4)
    if first.startswith(WORKBOOKS):
        return False
    packed = first.startswith(PARQUET) or packing_of(first) is not None
    return path.stat().st_size > (LARGE_PACKED if packed else LARGE)


Open: TypeAlias = Callable[[Any, Wanted, str | None, str | None, str | None], Source]
ENGINES: Mapping[str, Open] = {"auto": _auto, "memory": _memory, "duckdb": _duckdb, "spark": _spark}
