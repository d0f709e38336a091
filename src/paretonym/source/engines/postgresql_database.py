"""PostgreSQL through ADBC: rows are counted on the server, in one read-only transaction on one snapshot, and
come back in Arrow. Passwords are libpq's business (PGPASSWORD, ~/.pgpass); none of its messages gets out as
it is, since they quote values."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from functools import cached_property
from typing import Any

import adbc_driver_manager
from adbc_driver_postgresql import dbapi

from paretonym.arrow import pa
from paretonym.errors import InputError
from paretonym.source.engines.counting_engine import ArrowCounts
from paretonym.source.engines.database import (
    Room,
    check_days,
    decimals,
    rows_query,
    type_problem,
    without_lines,
)
from paretonym.source.engines.database_selection import Selection, quoted, source_of
from paretonym.source.engines.duckdb_rows import DuckdbRows
from paretonym.source.engines.spooled_rows import ArrowCells, Lines, spooled

SECONDS_TO_CONNECT = 15
SECONDS_BETWEEN_LOOKS = 0.2
BEGIN = "begin isolation level repeatable read read only"
TABLES = (
    "select n.nspname::text, c.relname::text, pg_table_is_visible(c.oid) "
    "from pg_class as c join pg_namespace as n on n.oid = c.relnamespace "
    "where c.relkind in ('r', 'v', 'm', 'f', 'p') and n.nspname not in ('pg_catalog', 'information_schema') "
    "and n.nspname not like 'pg\\_toast%' and has_schema_privilege(n.oid, 'usage') order by 1, 2"
)
PLAIN: Mapping[str, Any] = {
    "bool": pa.bool_(),
    "int2": pa.int16(),
    "int4": pa.int32(),
    "int8": pa.int64(),
    "float4": pa.float32(),
    "float8": pa.float64(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", "UTC"),
}
NUMERIC = "numeric"
# Compared byte by byte: a collation of the server may take two spellings for one.
TEXTS = ("text", "varchar", "bpchar", "name", "char", "citext", "uuid", "enum")


class PostgresqlDatabase:
    """A transaction that cannot write and sees one state of the data."""

    def __init__(self, connection: Any, beside: ThreadPoolExecutor, selection: Selection) -> None:
        self._connection = connection
        self._beside = beside
        self._selection = selection
        self.source = source_of(selection, self._tables)

    @cached_property
    def _schema(self) -> Any:
        with self._executed(f"select * from {self.source} limit 0") as cursor:
            return cursor.fetch_record_batch().schema

    @cached_property
    def _kinds(self) -> Mapping[str, str]:
        """The server's type of each column; a domain is its base type."""
        known = {each.name: _type_name(each) for each in self._schema}
        others = [name for name, kind in known.items() if kind not in (*PLAIN, NUMERIC, *TEXTS)]
        return {**known, **self._own_types(others)}

    def _own_types(self, names: Sequence[str]) -> dict[str, str]:
        """Types that the server has been taught: enumerations are texts."""
        if not names:
            return {}
        kinds = ", ".join(
            "(select case typtype when 'e' then 'enum' else typname::text end from pg_type "
            f"where oid = pg_typeof(data_.{quoted(name)}))"
            for name in names
        )
        source = self.source if self._selection.query is not None else f"{self.source} as data_"
        query = f"select {kinds} from (select 1) as one left join {source} on true limit 1"
        (row,) = self._rows(query)
        return dict(zip(names, row, strict=True))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._schema.names)

    def cells(self, names: Sequence[str]) -> list[str]:
        place = self._selection.place
        known = (*PLAIN, NUMERIC, *TEXTS)
        if problems := [type_problem(place, n, k) for n in names if (k := self._kinds[n]) not in known]:
            raise InputError(problems)
        return [self._cell(name) for name in names]

    def _cell(self, name: str) -> str:
        kind = self._kinds[name]
        if kind in PLAIN:
            return quoted(name)
        return f'cast({quoted(name)} as text) collate "C"'

    def grouped(self, cell: str) -> str:
        return cell

    def counts(self, query: str, names: Sequence[str], room: Room) -> ArrowCounts:
        kinds = [self._kinds[name] for name in names]
        types = [PLAIN.get(kind, pa.string()) for kind in kinds]
        place = self._selection.place
        found = ArrowCounts.of(types, without_lines(self._answer(query), room), place)
        for number, name in enumerate(names):
            column = self._converted(name, found.column(number))
            types[number], found.chunks[number] = column.type, column.chunks
        return found

    def _converted(self, name: str, column: Any) -> Any:
        """A column in the type that it is counted in, if its values are such as can be written."""
        place = f"{self._selection.place}, column '{name}'"
        check_days(place, column)
        return pa.chunked_array([decimals(place, column)]) if self._kinds[name] == NUMERIC else column

    def crowded(self, names: Sequence[str], room: int) -> bool:
        return False

    def no_cells(self, names: Sequence[str]) -> Sequence[ArrowCells]:
        kinds = (PLAIN.get(self._kinds[name], pa.string()) for name in names)
        return [ArrowCells(self._selection.place, kind) for kind in kinds]

    @contextmanager
    def coarse_rows(self, names: Sequence[str], limit: int, cells: Sequence[Any]) -> Iterator[DuckdbRows]:
        def values() -> list[Any]:
            known = zip(names, cells, strict=True)
            return [self._converted(n, pa.chunked_array([c.values])).combine_chunks() for n, c in known]

        blocks = (batch.columns for batch in self._answer(rows_query(self, names)))
        with spooled(self._selection.place, limit, names, Lines(cells, blocks, values)) as rows:
            yield rows

    def _answer(self, query: str) -> Iterator[Any]:
        with self._executed(query) as cursor:
            reader = _reader(cursor)
            while (batch := _waited(cursor, self._beside.submit(_next_batch, reader))) is not None:
                yield batch

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        with self._executed(query) as cursor:
            found: list[tuple[Any, ...]] = _waited(cursor, self._beside.submit(cursor.fetchall))
            return found

    @contextmanager
    def _executed(self, query: str) -> Iterator[Any]:
        with closing(self._connection.cursor()) as cursor:
            _waited(cursor, self._beside.submit(cursor.execute, query))
            yield cursor

    def _tables(self) -> Mapping[str, str]:
        known: dict[str, str] = {}
        for schema, name, visible in self._rows(TABLES):
            written = f"{quoted(schema)}.{quoted(name)}"
            known[f"{schema}.{name}"] = written
            if visible:
                known[name] = written
        return known


class Unexplained(Exception):
    """The server refused something, and there is only its text to say what: nothing to be shown."""


def _reader(cursor: Any) -> Any:
    """The answer, batch by batch. The driver's own reader keeps the server's code of an error, Arrow's has
    only its text."""
    plain = cursor.fetch_record_batch()
    return getattr(getattr(cursor, "_results", None), "reader", plain)


def _next_batch(reader: Any) -> Any:
    try:
        return reader.read_next_batch()
    except StopIteration:
        return None
    except (pa.ArrowException, OSError):
        raise Unexplained from None


def _waited(cursor: Any, batch: Future[Any]) -> Any:
    """What another thread waits for, so that Ctrl-C is noticed here: then the server is asked to stop. In
    this thread the driver would take Ctrl-C for itself."""
    try:
        while not wait([batch], SECONDS_BETWEEN_LOOKS).done:
            continue
        return batch.result()
    except KeyboardInterrupt:
        cursor.adbc_cancel()
        wait([batch], SECONDS_TO_CONNECT)
        raise


@contextmanager
def postgresql_database(selection: Selection, limit: int) -> Iterator[PostgresqlDatabase]:
    """A connection, which is closed afterwards; what the server does for it is cancelled by Ctrl-C."""
    try:
        with (
            ThreadPoolExecutor(1) as beside,
            closing(beside.submit(_connection, selection.address.secret).result()) as connection,
        ):
            yield PostgresqlDatabase(connection, beside, selection)
    except adbc_driver_manager.Error as error:
        raise _refusal(error, selection) from None
    except Unexplained:
        raise InputError.of(selection.place, *UNKNOWN) from None


def _connection(secret: str) -> Any:
    connection = dbapi.connect(_uri(secret), autocommit=True)
    try:
        with closing(connection.cursor()) as cursor:
            cursor.execute(BEGIN)
    except BaseException:
        connection.close()
        raise
    return connection


def _uri(secret: str) -> str:
    """The address for libpq; a server that does not answer is not waited for without end."""
    if "connect_timeout=" in secret or "PGCONNECT_TIMEOUT" in os.environ:
        return secret
    return f"{secret}{'&' if '?' in secret else '?'}connect_timeout={SECONDS_TO_CONNECT}"


def _type_name(field: Any) -> str:
    found = (field.metadata or {}).get(b"POSTGRESQL:type")
    return "unknown" if found is None else str(found.decode())


# What libpq says of a connection that does not come about, and what that means.
CONNECTING = (
    ("password authentication failed", "the server does not accept this user with this password", "password"),
    ("no password supplied", "the server wants a password", "password"),
    ("Connection refused", "no server answers there", "address"),
    ("timeout expired", f"no server answered within {SECONDS_TO_CONNECT} seconds", "address"),
    ("could not translate host name", "there is no host with this name", "address"),
    ("No such file or directory", "no server answers there", "address"),
    ("database ", "the server has no such database", "address"),
    ("role ", "the server knows no such user", "address"),
    ("no pg_hba.conf entry", "the server admits nobody like this from here", "administrator"),
    ("SSL", "the connection could not be encrypted as asked", "administrator"),
    ("too many", "the server admits no more connections", "later"),
)
REMEDIES = {
    "password": "check the user, and give the password in PGPASSWORD or ~/.pgpass",
    "address": "check the address: postgresql://USER@HOST:PORT/DATABASE",
    "administrator": "ask the server's administrator",
    "later": "try again later",
}
STATES = {
    "42501": ("there is no permission to read it", "ask the owner for permission to select"),
    "57014": (
        "the server stopped the query, since it took longer than allowed or somebody cancelled it",
        "raise statement_timeout for this user, or count fewer columns",
    ),
    "53100": ("the server's disk is full", "ask the server's administrator"),
    "53200": ("the server has too little memory", "ask the server's administrator"),
    "25006": ("the query writes, and only queries that read can run", "give a SELECT that only reads"),
    "0A000": ("the query uses what a part of a query may not hold", "give a SELECT that only reads"),
    "40001": ("the data were changed while they were counted", "try again"),
    "42P01": ("there is no such table", "check the name"),
}
UNKNOWN = ("the server refuses to count it", "try the query in psql, which says more")
CLASSES = {
    "08": ("the connection to the server was lost", "try again"),
    "22": ("the query fails on some row", "try it in psql, which says more"),
    "53": ("the server has run out of something", "ask the server's administrator"),
    "57": ("the server is being stopped", "try again later"),
}


def _refusal(error: Any, selection: Selection) -> BaseException:
    """What the server could not do, in our words. Its own may quote values, except those about names and
    words of a query (class 42 of its errors)."""
    text, state = str(error), error.sqlstate
    shown = selection.address.shown
    if state is None:
        return InputError.of(shown, *_unconnected(text))
    if state in STATES and not (state == "42P01" and selection.query is not None):
        return InputError.of(selection.place, *STATES[state])
    if state.startswith("42"):
        said = re.search(r"ERROR:\s+(.*)", text)
        words = "PostgreSQL refuses the query" + ("" if said is None else f": {said[1].strip()}")
        return InputError.of(selection.place, words, "correct the query")
    return InputError.of(selection.place, *CLASSES.get(state[:2], UNKNOWN))


def _unconnected(text: str) -> tuple[str, str]:
    if "Failed to connect" not in text:
        return "the connection to the server was lost", "try again"
    for words, wrong, remedy in CONNECTING:
        if words in text:
            return wrong, REMEDIES[remedy]
    return "there is no connection to this server", REMEDIES["address"]
