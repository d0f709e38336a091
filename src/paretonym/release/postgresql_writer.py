"""A release as a new table of a PostgreSQL server: created, filled and committed in one transaction.

Rows are copied in their sorted order into a table that nobody else sees yet, so that they are stored in that
order. Nothing is created but the table: no index, no type, no comment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from paretonym.arrow import pa, pc
from paretonym.data_address import DataAddress
from paretonym.errors import InputError
from paretonym.postgresql_connection import WRITING, Transaction, Words, is_lost, refused, transaction
from paretonym.release.release_writer import arrow_batches, arrow_types
from paretonym.release.released_rows import Released
from paretonym.sql_literals import sql_name, sql_text

# How columns are stored: the type on the server, and the one in which Arrow sends it.
WHOLE: Mapping[str, tuple[str, Any]] = {
    "int8": ("smallint", pa.int16()),
    "uint8": ("smallint", pa.int16()),
    "int16": ("smallint", pa.int16()),
    "uint16": ("integer", pa.int32()),
    "int32": ("integer", pa.int32()),
    "uint32": ("bigint", pa.int64()),
    "int64": ("bigint", pa.int64()),
    "uint64": ("numeric(20, 0)", pa.decimal128(20, 0)),
}
OTHERS: Mapping[str, str] = {"bool": "boolean", "double": "double precision", "date32[day]": "date"}
MAY_BE_THERE: Words = (
    "the server did not confirm the commit, so the table may be there or not; there is no manifest",
    "look for the table on the server, drop it if it is there, and try again",
)
IN_USE = """
select count(*) from (
    select relname as name, relnamespace as of_schema from pg_class
    union all select typname, typnamespace from pg_type
) as names where name = {name} and of_schema = (select oid from pg_namespace where nspname = {schema})"""
DRIVER_SAID: Mapping[str, Words] = {
    "42501": ("there is no permission to create a table there", "ask the owner of the schema or database"),
    "25006": ("the server is read-only", "give the address of a server that can be written to"),
    "57014": (
        "the server stopped writing, since it took longer than allowed or somebody cancelled it",
        "raise statement_timeout for this user, then try again",
    ),
    "3F000": ("there is no such schema", "create it first, or name another"),
    "22P05": ("its encoding has no place for a character of the release", "use a database in UTF-8"),
    "54011": ("a table has at most 1,600 columns there", "write a file"),
    "22": ("a value does not fit into its column, and nothing was written", "write a file"),
    "": ("the table cannot be written there, and nothing was", "ask the server's administrator"),
}


class PostgresqlTable:
    """A table that is not there yet, in a transaction."""

    def __init__(self, server: Transaction, address: DataAddress, table: str) -> None:
        self._server, self._address = server, address
        named, _, self._name = table.rpartition(".")
        self._schema = named or self._own_schema()

    def _own_schema(self) -> str:
        """Where the server creates tables that are named without a schema."""
        ((found,),) = self._server.rows("select current_schema()::text")
        if found is None:
            wrong = "there is no schema in which this user could create a table"
            raise InputError.of(self._address.shown, wrong, "name one: SCHEMA.TABLE")
        return str(found)

    def is_taken(self) -> bool:
        """Whether a table, view, index, sequence or type has the name; whoever may not create a table there
        is refused."""
        schema, name = sql_text(self._schema), sql_text(self._name)
        may = f"select has_schema_privilege(oid, 'create') from pg_namespace where nspname = {schema}"
        allowed = self._server.rows(may)
        if allowed != [(True,)]:
            state = "42501" if allowed else "3F000"
            raise InputError.of(f"{self._address.shown}, schema {self._schema}", *DRIVER_SAID[state])
        return self._server.rows(IN_USE.format(schema=schema, name=name)) != [(0,)]

    def write(self, released: Released) -> None:
        stored = [(column.name, *_stored(column.values.type)) for column in released.columns]
        self._check_texts(released)
        columns = ", ".join(f"{sql_name(name)} {kind}" for name, kind, _ in stored)
        self._server.run(f"create table {sql_name(self._schema)}.{sql_name(self._name)} ({columns})")
        types = pa.schema([pa.field(name, sent) for name, _, sent in stored])
        batches = arrow_batches(released)
        if types != arrow_types(released):
            batches = (pa.Table.from_batches([batch]).cast(types).to_batches()[0] for batch in batches)
        rows = pa.RecordBatchReader.from_batches(types, batches)
        self._server.copy(self._schema, self._name, rows)

    def _check_texts(self, released: Released) -> None:
        for column in released.columns:
            if _is_text(column.values.type) and pc.any(pc.match_substring(column.values, "\0")).as_py():
                wrong = f"the column '{column.name}' has a text with the character NUL, which it cannot store"
                raise InputError.of(self._address.shown, wrong, "write a file, or correct the data")

    def commit(self) -> None:
        try:
            self._server.commit()
        except (Exception, KeyboardInterrupt) as error:
            # What the driver raises has the server's code.
            if is_lost(getattr(error, "sqlstate", None)):
                raise InputError.of(self._address.shown, *MAY_BE_THERE) from None
            raise


@contextmanager
def opened_on_server(address: DataAddress, table: str, exists: Words) -> Iterator[PostgresqlTable]:
    """A transaction for a new table; `exists` is what to say if somebody else creates it meanwhile."""
    # Two that create it at once meet in the catalogue: that error is about a key, not about a table.
    own = {**DRIVER_SAID, "42P07": exists, "42710": exists, "23505": exists}
    with transaction(address, WRITING, lambda error: refused(error, address, address.shown, own)) as server:
        yield PostgresqlTable(server, address, table)


def _stored(kind: Any) -> tuple[str, Any]:
    """The type on the server of a column, and the one that is sent."""
    if pa.types.is_decimal128(kind):
        return f"numeric({kind.precision}, {max(kind.scale, 0)})", kind
    if (whole := WHOLE.get(str(kind))) is not None:
        return whole
    return OTHERS.get(str(kind), "text"), kind


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
