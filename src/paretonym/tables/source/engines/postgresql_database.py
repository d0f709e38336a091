"""PostgreSQL, through ADBC: rows are counted on the server, in one read-only transaction on one snapshot, and
come back in Arrow.

Passwords are libpq's business (PGPASSWORD, ~/.pgpass). No message of the server gets out as it is, since it
may quote values: only the codes of errors do.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

from paretonym.base.errors import InputError
from paretonym.base.extras import require
from paretonym.base.sql_literals import sql_name
from paretonym.tables.arrow import pa
from paretonym.tables.data_address import DataAddress
from paretonym.tables.source.dictionary_encoding import ArrowCounts, coded
from paretonym.tables.source.engines.database_selection import Selection
from paretonym.tables.source.engines.relation import SqlRelation, not_computed
from paretonym.tables.source.value_types import numerals

SECONDS_TO_CONNECT = 15
READING = "begin isolation level repeatable read read only"
TABLES = (
    "select n.nspname::text, c.relname::text, pg_table_is_visible(c.oid) "
    "from pg_class as c join pg_namespace as n on n.oid = c.relnamespace "
    "where c.relkind in ('r', 'v', 'm', 'f', 'p') and n.nspname not in ('pg_catalog', 'information_schema') "
    "and n.nspname not like 'pg\\_toast%' and has_schema_privilege(n.oid, 'usage') order by 1, 2"
)
# Types that have one in Arrow; any other is counted as its text.
TYPES: Mapping[str, Any] = {
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


class PostgresqlRelation(SqlRelation):
    """A table or a query in a transaction."""

    def __init__(self, connection: Any, selection: Selection) -> None:
        self.place, self._connection = selection.place, connection
        self._source = selection.source(self._tables)
        with self._executed(f"select * from {self._source} limit 0") as cursor:
            schema = cursor.fetch_record_batch().schema
        self.names = tuple(schema.names)
        self._kinds = {field.name: _type_name(field) for field in schema}

    def rows_query(self, names: Sequence[str]) -> str:
        cells = ", ".join(f"{self._cell(name)} as c{place}" for place, name in enumerate(names))
        return f"select {cells} from {self._source}"

    def _cell(self, name: str) -> str:
        """Texts are compared byte by byte: a collation of the server may take two spellings for one."""
        plain = self._kinds[name] in TYPES
        return sql_name(name) if plain else f'cast({sql_name(name)} as text) collate "C"'

    def answer(self, query: str, names: Sequence[str]) -> ArrowCounts:
        types = [TYPES.get(self._kinds[name], pa.string()) for name in names]
        with self._executed(query) as cursor:
            rows = ArrowCounts.of(types, _batches(cursor), self.place)
        for number, name in enumerate(names):
            if self._kinds[name] == "numeric":
                self._make_decimal(rows, number, name)
        return rows

    def _make_decimal(self, rows: ArrowCounts, number: int, name: str) -> None:
        """Numbers that the server has written, exactly, each in its own digits."""
        pair = coded(rows.column(number))
        values = numerals(pair.values.to_pylist(), f"{self.place}, column '{name}'")
        column = values.take(pa.array(pair.codes, mask=pair.codes < 0))
        rows.types = [*rows.types[:number], column.type, *rows.types[number + 1 :]]
        rows.chunks[number] = [column]

    def _tables(self) -> Mapping[str, str]:
        names: dict[str, str] = {}
        with self._executed(TABLES) as cursor:
            for schema, name, visible in cursor.fetchall():
                names[f"{schema}.{name}"] = f"{sql_name(schema)}.{sql_name(name)}"
                if visible:
                    names[name] = names[f"{schema}.{name}"]
        return names

    @contextmanager
    def _executed(self, statement: str) -> Iterator[Any]:
        with closing(self._connection.cursor()) as cursor:
            cursor.execute(statement)
            yield cursor


@contextmanager
def postgresql_relation(selection: Selection) -> Iterator[PostgresqlRelation]:
    """A table or a query on a connection that is closed afterwards."""
    require("postgres", selection.address.shown)
    import adbc_driver_manager
    from adbc_driver_postgresql import dbapi

    try:
        with closing(dbapi.connect(_uri(selection.address.secret), autocommit=True)) as connection:
            with closing(connection.cursor()) as cursor:
                cursor.execute(READING)
            yield PostgresqlRelation(connection, selection)
    except adbc_driver_manager.Error as error:
        raise _refusal(error, selection.address, selection.place) from None


def _batches(cursor: Any) -> Iterator[Any]:
    """The answer, batch by batch. The driver's own reader keeps the server's code of an error, Arrow's has
    only its text."""
    plain = cursor.fetch_record_batch()
    reader = getattr(getattr(cursor, "_results", None), "reader", plain)
    while True:
        try:
            yield reader.read_next_batch()
        except StopIteration:
            return


def _refusal(error: Any, address: DataAddress, place: str) -> BaseException:
    """Error for what the server could not do. Its own words may quote values, except those about names and
    words of a query (class 42 of its codes); of all others only the code gets out."""
    state = error.sqlstate
    if state == "57014" and "user request" in str(error):
        # What the driver makes of Ctrl-C.
        return KeyboardInterrupt()
    if state is None:
        wrong = "there is no connection to this server, or it was lost"
        remedy = "try the address in psql, which says more; a password belongs in PGPASSWORD or ~/.pgpass"
        return InputError.of(address.shown, wrong, remedy)
    words = re.search(r"ERROR:\s+(.*)", str(error)) if state.startswith("42") else None
    return not_computed("PostgreSQL", place, f"{state}: {words[1].strip()}" if words else state)


def _type_name(field: Any) -> str:
    """The server's own name of the type of a column in Arrow."""
    name = (field.metadata or {}).get(b"POSTGRESQL:type")
    return "unknown" if name is None else str(name.decode())


def _uri(secret: str) -> str:
    """The address for libpq; a server that does not answer is not waited for without end."""
    if "connect_timeout=" in secret or "PGCONNECT_TIMEOUT" in os.environ:
        return secret
    return f"{secret}{'&' if '?' in secret else '?'}connect_timeout={SECONDS_TO_CONNECT}"
