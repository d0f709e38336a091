"""DuckDB database files: opened read only, so that nobody can change them meanwhile, and counted in a
database of our own within its memory limit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb

from paretonym.arrow import pa
from paretonym.errors import Field, InputError, Problem
from paretonym.source.dictionary_encoding import ArrowCounts, type_problems
from paretonym.source.engines.database import Room, check_days, without_lines
from paretonym.source.engines.database_selection import Selection, source_of
from paretonym.source.engines.duckdb_session import Session, session
from paretonym.source.value_types import is_text
from paretonym.sql_literals import sql_name, sql_text

# Where the name of the format stands in a file.
MARK_AT, MARK = 8, b"DUCK"
TABLES = (
    "select schema_name, table_name from duckdb_tables() where database_name = 'given' "
    "union all select schema_name, view_name from duckdb_views() "
    "where database_name = 'given' and not internal order by all"
)
# What DuckDB says of a query before it reads a row.
OF_THE_QUERY = (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException)


class DuckdbDatabase:
    def __init__(self, engine: Session, selection: Selection) -> None:
        self._engine = engine
        self._selection = selection
        self.source = source_of(selection, self._tables)

    @cached_property
    def _schema(self) -> Any:
        return self._engine.schema(f"select * from {self.source}")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._schema.names)

    def cells(self, names: Sequence[str]) -> list[str]:
        if problems := type_problems(self._selection.place, {n: self._types[n] for n in names}):
            remedy = f"leave it out, or convert it, with {Field('query')}"
            raise InputError([Problem(p.place, p.wrong, remedy) for p in problems])
        return [self._cell(name) for name in names]

    def _cell(self, name: str) -> str:
        """Texts are compared byte by byte: a collation may take two spellings for one."""
        plain = not is_text(self._types[name])
        return sql_name(name) if plain else f"cast({sql_name(name)} as varchar) collate c"

    def grouped(self, cell: str) -> str:
        return cell

    def counts(self, query: str, names: Sequence[str], room: Room) -> ArrowCounts:
        place, batches = self._selection.place, without_lines(self._engine.batches(query), room)
        found = ArrowCounts.of([self._types[name] for name in names], batches, place)
        for number, name in enumerate(names):
            check_days(f"{place}, column '{name}'", found.column(number))
        return found

    @cached_property
    def _types(self) -> Mapping[str, Any]:
        """Moments in UTC: DuckDB would show them in the zone of the machine."""
        found = zip(self._schema.names, self._schema.types, strict=True)
        return {name: _in_utc(kind) for name, kind in found}

    def _tables(self) -> Mapping[str, str]:
        known: dict[str, str] = {}
        for schema, name in self._engine.rows(TABLES):
            written = f"given.{sql_name(schema)}.{sql_name(name)}"
            known[name if schema == "main" else f"{schema}.{name}"] = written
        return known


def _in_utc(kind: Any) -> Any:
    zoned = pa.types.is_timestamp(kind) and kind.tz is not None
    return pa.timestamp(kind.unit, "UTC") if zoned else kind


@contextmanager
def duckdb_database(selection: Selection, limit: int) -> Iterator[DuckdbDatabase]:
    """A file attached read only; nothing else of the disk can be read, and nothing written."""
    path = selection.address.file or Path()
    from paretonym.source.data_file import check_regular, reading_from

    check_regular(path)
    with reading_from(path), path.open("rb") as file:
        if file.read(MARK_AT + len(MARK))[MARK_AT:] != MARK:
            raise InputError.of(selection.address.shown, "this is not a DuckDB database", "check the path")
    _check_query(selection)
    with session(selection.place, limit, reading=lambda error: _refusal(error, selection)) as engine:
        engine.run(f"attach {sql_text(str(path))} as given (read_only)")
        engine.run("use given.main")
        engine.run("set enable_external_access = false")
        yield DuckdbDatabase(engine, selection)


def _check_query(selection: Selection) -> None:
    """One SELECT and nothing else, as DuckDB itself reads it."""
    if selection.query is None:
        return
    try:
        found = duckdb.extract_statements(selection.query)
    except duckdb.Error as error:
        raise _refusal(error, selection) or InputError.of(
            selection.place, "DuckDB cannot read the query", "correct the query"
        ) from None
    if len(found) != 1:
        raise InputError.of(
            selection.place, "there is more than one statement in the query", "give one SELECT"
        )
    if found[0].type != duckdb.StatementType.SELECT:
        raise InputError.of(selection.place, "this is not a SELECT", "give a query that reads rows")


def _refusal(error: Exception, selection: Selection) -> InputError | None:
    """What DuckDB could not do with this file or this query, in words that hold no values."""
    text = str(error)
    if isinstance(error, OF_THE_QUERY) and selection.query is not None:
        said = text.splitlines()[0].partition(": ")[2]
        return InputError.of(selection.place, f"DuckDB refuses the query: {said}", "correct the query")
    if "lock" in text or "file handle conflict" in text:
        return InputError.of(
            selection.address.shown,
            "it is open for writing, in this or another program",
            "close it there, then try again",
        )
    if "newer version" in text or "older version" in text or "different version" in text:
        return InputError.of(
            selection.address.shown,
            "another version of DuckDB wrote it, which the installed one cannot read",
            "update DuckDB, or export the table as Parquet",
        )
    if isinstance(error, duckdb.PermissionException):
        return InputError.of(
            selection.place,
            "the query reads files besides the database",
            "read only tables of the database",
        )
    if selection.query is not None and isinstance(error, duckdb.DataError | duckdb.InvalidInputException):
        return InputError.of(
            selection.place, "the query fails on some row", "try it in DuckDB, which says more"
        )
    return None
