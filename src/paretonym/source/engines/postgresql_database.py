"""PostgreSQL: rows are counted on the server, in one read-only transaction on one snapshot, and come back in
Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from paretonym.arrow import pa
from paretonym.errors import InputError
from paretonym.postgresql_connection import Transaction, refused, transaction, type_name
from paretonym.source.dictionary_encoding import ArrowCounts
from paretonym.source.engines.database import (
    Room,
    check_days,
    decimals,
    type_problem,
    without_lines,
)
from paretonym.source.engines.database_selection import Selection, source_of
from paretonym.sql_literals import sql_name

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

    def __init__(self, server: Transaction, selection: Selection) -> None:
        self._server, self._selection = server, selection
        self.source = source_of(selection, self._tables)

    @cached_property
    def _schema(self) -> Any:
        return self._server.columns(f"select * from {self.source} limit 0")

    @cached_property
    def _kinds(self) -> Mapping[str, str]:
        """The server's type of each column; a domain is its base type."""
        known = {each.name: type_name(each) for each in self._schema}
        others = [name for name, kind in known.items() if kind not in (*PLAIN, NUMERIC, *TEXTS)]
        return {**known, **self._own_types(others)}

    def _own_types(self, names: Sequence[str]) -> dict[str, str]:
        """Types that the server has been taught: enumerations are texts."""
        if not names:
            return {}
        kinds = ", ".join(
            "(select case typtype when 'e' then 'enum' else typname::text end from pg_type "
            f"where oid = pg_typeof(data_.{sql_name(name)}))"
            for name in names
        )
        source = self.source if self._selection.query is not None else f"{self.source} as data_"
        query = f"select {kinds} from (select 1) as one left join {source} on true limit 1"
        (row,) = self._server.rows(query)
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
            return sql_name(name)
        return f'cast({sql_name(name)} as text) collate "C"'

    def grouped(self, cell: str) -> str:
        return cell

    def counts(self, query: str, names: Sequence[str], room: Room) -> ArrowCounts:
        kinds = [self._kinds[name] for name in names]
        types = [PLAIN.get(kind, pa.string()) for kind in kinds]
        place = self._selection.place
        found = ArrowCounts.of(types, without_lines(self._server.batches(query), room), place)
        for number, name in enumerate(names):
            column = self._converted(name, found.column(number))
            types[number], found.chunks[number] = column.type, column.chunks
        return found

    def _converted(self, name: str, column: Any) -> Any:
        """A column in the type that it is counted in, if its values are such as can be written."""
        place = f"{self._selection.place}, column '{name}'"
        check_days(place, column)
        return pa.chunked_array([decimals(place, column)]) if self._kinds[name] == NUMERIC else column

    def _tables(self) -> Mapping[str, str]:
        known: dict[str, str] = {}
        for schema, name, visible in self._server.rows(TABLES):
            written = f"{sql_name(schema)}.{sql_name(name)}"
            known[f"{schema}.{name}"] = written
            if visible:
                known[name] = written
        return known


@contextmanager
def postgresql_database(selection: Selection, limit: int) -> Iterator[PostgresqlDatabase]:
    """A connection, which is closed afterwards; what the server does for it is cancelled by Ctrl-C."""
    with transaction(
        selection.address, lambda error: refused(error, selection.address, selection.place)
    ) as server:
        yield PostgresqlDatabase(server, selection)
