"""A finished table that is in a database: its columns as text, read in one snapshot that nobody can change.

A DuckDB file is attached read-only. From an SQLite file and from PostgreSQL the distinct rows come, with
their counts.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from paretonym.audits.postgresql_table import postgresql_view
from paretonym.audits.sql_engine import Engine, listed
from paretonym.audits.stored_rows import DistinctRows, StoredRows, odd_type, table_named
from paretonym.audits.table_file import FLOATS, TableFile, text_view
from paretonym.data_address import DataAddress
from paretonym.errors import InputError
from paretonym.sql_literals import sql_name, sql_text

FETCHED = 10_000
REMEDY = "check that no other program has the database open, and that it is not damaged"
# What the first bytes of a file are, and where they are.
MARKS = {"duckdb": (8, b"DUCK"), "sqlite": (0, b"SQLite format 3\0")}
NAMES = {"duckdb": "a DuckDB database", "sqlite": "an SQLite database"}
TYPES = {"integer": "BIGINT", "real": "DOUBLE", "text": "VARCHAR", "null": "VARCHAR"}
SQLITE_TABLES = (
    "select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\' "
    "and sql not like 'create virtual%' order by name"
)
ROW_NUMBERS = ("rowid", "_rowid_", "oid")


def open_table(engine: Engine, address: DataAddress, table: str | None, view: str = "release") -> TableFile:
    """The table of that name; views are refused, because they show something else tomorrow."""
    place = f"{address.shown}, table {table}" if table else address.shown
    with engine.reading(place, REMEDY):
        found = VIEWS[address.kind](engine, address, table, view)
    return TableFile(
        address.file or Path(),
        (),
        found.names,
        view,
        engine,
        parquet=True,
        floats=found.floats,
        place=place,
        in_order=found.in_order,
        odd_cells=found.odd_cells,
    )


def _checked(address: DataAddress) -> Path:
    path, (start, mark) = address.file or Path(), MARKS[address.kind]
    if not path.is_file():
        wrong = "this is not a file" if path.exists() else "this file does not exist"
        raise InputError.of(address.shown, wrong, "check the path")
    if not os.access(path, os.R_OK):
        wrong, remedy = "there is no permission to read the file", "ask its owner for permission"
        raise InputError.of(address.shown, wrong, remedy)
    with path.open("rb") as file:
        if file.read(start + len(mark))[start:] != mark:
            raise InputError.of(address.shown, f"this is not {NAMES[address.kind]}", "check the path")
    return path


def _duckdb_view(engine: Engine, address: DataAddress, table: str | None, view: str) -> StoredRows:
    attached = f"of_{view}"
    engine.run(f"attach {sql_text(str(_checked(address)))} as {attached} (read_only)")
    found = engine.rows(
        f"select schema_name, table_name from duckdb_tables() where database_name = {sql_text(attached)} "
        "and not internal order by all"
    )
    known = {
        name if schema == "main" else f"{schema}.{name}": f"{attached}.{sql_name(schema)}.{sql_name(name)}"
        for schema, name in found
    }
    source = table_named(address, table, known)
    columns = engine.rows(f"describe {source}")
    for name, kind, *_ in columns:
        if "[" in kind or kind.startswith(("STRUCT", "MAP", "UNION", "BLOB", "ENUM")):
            raise odd_type(f"{address.shown}, table {table}", name)
    names, kinds = tuple(name for name, *_ in columns), [kind for _, kind, *_ in columns]
    odd = [_odd_cell(name, kind) for name, kind in zip(names, kinds, strict=True)]
    number = engine.count(f"select count(*) from {source} where {' or '.join(odd)}")
    return StoredRows(names, text_view(engine, view, source, kinds), True, number)


def _odd_cell(name: str, kind: str) -> str:
    """Whether a cell has the text of another one without being the same."""
    if kind == "VARCHAR":
        return f"coalesce({sql_name(name)} = '', false)"
    return (
        f"coalesce({sql_name(name)} = 0 and signbit({sql_name(name)}), false)" if kind in FLOATS else "false"
    )


def _sqlite_view(engine: Engine, address: DataAddress, table: str | None, view: str) -> StoredRows:
    path = _checked(address)
    try:
        uri = f"file:{quote(path.absolute().as_posix())}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
            connection.execute("pragma query_only = on")
            connection.execute("begin")
            names = [name for (name,) in connection.execute(SQLITE_TABLES)]
            source = table_named(address, table, {name: sql_name(name) for name in names})
            return _sqlite_rows(engine, connection, source, f"{address.shown}, table {table}", view)
    except (sqlite3.Error, UnicodeDecodeError):
        wrong = "SQLite cannot read it now"
        raise InputError.of(address.shown, wrong, REMEDY) from None


def _sqlite_rows(
    engine: Engine, connection: sqlite3.Connection, source: str, place: str, view: str
) -> StoredRows:
    """Bring the distinct rows of a table in the order of their first row, and show each as often as it
    occurs."""
    with closing(connection.execute(f"select * from {source} limit 0")) as found:
        names = tuple(column[0] for column in found.description)
    kinds = _sqlite_types(connection, source, names, place)
    number = _row_number(connection, source, names)
    cells = [f"{sql_name(name)} collate binary" for name in names]
    ends = f"min({number}), max({number})" if number else "0, 0"
    query = (
        f"select {listed([*map(sql_name, names)])}, count(*), {ends} from {source} group by {listed(cells)}"
    )
    rows = connection.execute(f"{query} order by {len(names) + 2}")
    distinct = DistinctRows(engine, view, kinds)
    before, in_order = 0, True
    while block := rows.fetchmany(FETCHED):
        distinct.add(_arrow(block, kinds))
        for *_, count, first, last in block:
            in_order = in_order and first == before + 1 and last == before + count
            before = last
    empty = " or ".join(f"coalesce({sql_name(name)} = '', false)" for name in names)
    (odd,) = connection.execute(f"select count(*) from {source} where {empty}").fetchone()
    return StoredRows(names, distinct.shown(), in_order if number else None, int(odd))


def _arrow(block: Sequence[Any], kinds: Sequence[str]) -> Any:
    """Some rows in Arrow, with how often each occurs."""
    import pyarrow as pa

    types = {"BIGINT": pa.int64(), "DOUBLE": pa.float64(), "VARCHAR": pa.string()}
    cells = list(zip(*block, strict=True))[: len(kinds) + 1]
    arrays = [pa.array(cell, types[kind]) for cell, kind in zip(cells, [*kinds, "BIGINT"], strict=True)]
    return pa.table(arrays, names=[str(place) for place in range(len(arrays))])


def _sqlite_types(connection: sqlite3.Connection, source: str, names: Sequence[str], place: str) -> list[str]:
    """The one type that the values of each column have: a type that differs from row to row would say more
    than the cells do."""
    asked = listed([f"group_concat(distinct typeof({sql_name(name)}))" for name in names])
    found = connection.execute(f"select {asked} from {source}").fetchone()
    types = []
    for name, kinds in zip(names, found, strict=True):
        each = set((kinds or "null").split(",")) - {"null"} or {"null"}
        if len(each) > 1 or not each <= set(TYPES):
            wrong = f"the values of the column '{name}' are of different types, or neither text nor numbers"
            raise InputError.of(place, wrong, "give all of them one type: integer, real or text")
        types.append(TYPES[each.pop()])
    return types


def _row_number(connection: sqlite3.Connection, source: str, names: Sequence[str]) -> str | None:
    """What the number of a row is called; None if the rows have none."""
    taken = {name.lower() for name in names}
    free = next((name for name in ROW_NUMBERS if name not in taken), None)
    if free is None:
        return None
    try:
        connection.execute(f"select {free} from {source} limit 0").close()
    except sqlite3.OperationalError:
        return None
    return free


VIEWS: Mapping[str, Callable[[Engine, DataAddress, str | None, str], StoredRows]] = {
    "duckdb": _duckdb_view,
    "sqlite": _sqlite_view,
    "postgresql": postgresql_view,
}
