"""A finished table that is in a database: its columns as text, read in one snapshot that nobody can change.

A DuckDB file is attached read-only. From an SQLite file the distinct rows come, with their counts and in the
order in which they are stored: a release is stored sorted, so equal rows follow each other.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from paretonym.audits.sql_engine import Engine, listed, quoted, reading
from paretonym.audits.table_file import FLOATS, TableFile, text_view
from paretonym.data_address import DataAddress
from paretonym.errors import Field, InputError, shown

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


class _Opened(NamedTuple):
    names: tuple[str, ...]
    floats: frozenset[str]
    in_order: bool | None
    odd: int


def open_table(engine: Engine, address: DataAddress, table: str | None, view: str = "release") -> TableFile:
    """The table of that name; views are refused, because they show something else tomorrow."""
    path = _checked(address)
    place = f"{address.shown}, table {table}"
    with reading(place if table else address.shown, REMEDY):
        make = _duckdb_view if address.kind == "duckdb" else _sqlite_view
        found = make(engine, address, path, table, view)
    return TableFile(
        path,
        (),
        found.names,
        view,
        engine,
        parquet=True,
        floats=found.floats,
        place=place,
        in_order=found.in_order,
        odd_cells=found.odd,
    )


def _checked(address: DataAddress) -> Path:
    if address.file is None:
        raise InputError.of(
            address.shown,
            "a release in PostgreSQL cannot be audited there",
            "export the table, or write the release into a DuckDB or SQLite file",
        )
    path, (start, mark) = address.file, MARKS[address.kind]
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


def _found(address: DataAddress, table: str | None, known: Mapping[str, str]) -> str:
    """How a table is named in SQL; names ignore case, as in the database."""
    if table is None:
        have = f"it has {shown(list(known))}" if known else "it has none"
        raise InputError.of(address.shown, f"no table is named, and {have}", f"give {Field('table', 'NAME')}")
    exact = {name: sql for name, sql in known.items() if name == table}
    alike = exact or {name: sql for name, sql in known.items() if name.lower() == table.lower()}
    if len(alike) != 1:
        have = f"; it has {shown(list(known))}" if known else ""
        wrong = f"there is no table '{table}'{have}"
        raise InputError.of(address.shown, wrong, "name a table; views are not audited")
    return next(iter(alike.values()))


def _duckdb_view(engine: Engine, address: DataAddress, path: Path, table: str | None, view: str) -> _Opened:
    attached = f"of_{view}"
    engine.run(f"attach {quoted(str(path))} as {attached} (read_only)")
    found = engine.rows(
        f"select schema_name, table_name from duckdb_tables() where database_name = {quoted(attached)} "
        "and not internal order by all"
    )
    known = {
        name if schema == "main" else f"{schema}.{name}": f"{attached}.{_name(schema)}.{_name(name)}"
        for schema, name in found
    }
    source = _found(address, table, known)
    columns = engine.rows(f"describe {source}")
    for name, kind, *_ in columns:
        # A type that lists values may list some that no row has.
        if "[" in kind or kind.startswith(("STRUCT", "MAP", "UNION", "BLOB", "ENUM")):
            wrong = f"the type of the column '{name}' is none that releases have"
            remedy = "give text, numbers, dates and booleans"
            raise InputError.of(f"{address.shown}, table {table}", wrong, remedy)
    names, kinds = tuple(name for name, *_ in columns), [kind for _, kind, *_ in columns]
    odd = [_odd_cell(name, kind) for name, kind in zip(names, kinds, strict=True)]
    number = engine.count(f"select count(*) from {source} where {' or '.join(odd)}")
    return _Opened(names, text_view(engine, view, source, kinds), True, number)


def _odd_cell(name: str, kind: str) -> str:
    """Whether a cell has the text of another one without being the same."""
    if kind == "VARCHAR":
        return f"coalesce({_name(name)} = '', false)"
    return f"coalesce({_name(name)} = 0 and signbit({_name(name)}), false)" if kind in FLOATS else "false"


def _sqlite_view(engine: Engine, address: DataAddress, path: Path, table: str | None, view: str) -> _Opened:
    try:
        uri = f"file:{quote(path.absolute().as_posix())}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
            connection.execute("pragma query_only = on")
            connection.execute("begin")
            names = [name for (name,) in connection.execute(SQLITE_TABLES)]
            source = _found(address, table, {name: _name(name) for name in names})
            return _sqlite_rows(engine, connection, source, f"{address.shown}, table {table}", view)
    except (sqlite3.Error, UnicodeDecodeError):
        wrong = "SQLite cannot read it now"
        raise InputError.of(address.shown, wrong, REMEDY) from None


def _sqlite_rows(
    engine: Engine, connection: sqlite3.Connection, source: str, place: str, view: str
) -> _Opened:
    """Bring the distinct rows of a table in the order of their first row, and show each as often as it
    occurs."""
    with closing(connection.execute(f"select * from {source} limit 0")) as found:
        names = tuple(column[0] for column in found.description)
    kinds = _sqlite_types(connection, source, names, place)
    number = _row_number(connection, source, names)
    cells = [f"{_name(name)} collate binary" for name in names]
    ends = f"min({number}), max({number})" if number else "0, 0"
    query = f"select {listed([*map(_name, names)])}, count(*), {ends} from {source} group by {listed(cells)}"
    rows = connection.execute(f"{query} order by {len(names) + 2}")
    columns = [f"c{place}" for place in range(len(names))]
    engine.run(
        f"create or replace temp table {view}_rows ("
        + listed([f"{column} {kind}" for column, kind in zip(columns, kinds, strict=True)])
        + ", n bigint)"
    )
    before, in_order = 0, True
    while block := rows.fetchmany(FETCHED):
        _append(engine, f"{view}_rows", [*columns, "n"], [*kinds, "BIGINT"], block)
        for *_, count, first, last in block:
            in_order = in_order and first == before + 1 and last == before + count
            before = last
    each = f"(select {listed(columns)} from (select *, unnest(range(n)) from {view}_rows))"
    empty = " or ".join(f"coalesce({_name(name)} = '', false)" for name in names)
    (odd,) = connection.execute(f"select count(*) from {source} where {empty}").fetchone()
    return _Opened(names, text_view(engine, view, each, kinds), in_order if number else None, int(odd))


def _append(
    engine: Engine, table: str, columns: Sequence[str], kinds: Sequence[str], block: Sequence[Any]
) -> None:
    import pyarrow as pa

    types = {"BIGINT": pa.int64(), "DOUBLE": pa.float64(), "VARCHAR": pa.string()}
    cells = list(zip(*block, strict=True))[: len(columns)]
    arrays = [pa.array(found, types[kind]) for found, kind in zip(cells, kinds, strict=True)]
    with engine.in_order():
        engine.append(table, pa.table(arrays, names=list(columns)))


def _sqlite_types(connection: sqlite3.Connection, source: str, names: Sequence[str], place: str) -> list[str]:
    """The one type that the values of each column have: a type that differs from row to row would say more
    than the cells do."""
    asked = listed([f"group_concat(distinct typeof({_name(name)}))" for name in names])
    found = connection.execute(f"select {asked} from {source}").fetchone()
    types = []
    for name, kinds in zip(names, found, strict=True):
        each = set((kinds or "null").split(",")) - {"null"} or {"null"}
        if len(each) > 1 or not each <= set(TYPES):
            wrong = f"the values of the column '{name}' are of different types, or no text and no numbers"
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


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
