"""A table of a database, counted there: on one connection, on one snapshot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from paretonym.data_address import DatabaseKind
from paretonym.errors import InputError
from paretonym.source.data_source import Wanted
from paretonym.source.dictionary_encoding import (
    ArrowCounts,
    check_most,
    check_room,
    check_shape,
    counted_columns,
    repeated_values,
    room_for,
    table_of,
)
from paretonym.source.engines.coarse_counts import coarse_table, columns_of, reopened
from paretonym.source.engines.database import Database, counting_query, sampling_query
from paretonym.source.engines.database_selection import Selection
from paretonym.source.engines.duckdb_counts import MOST_REPEATED
from paretonym.source.engines.duckdb_rows import DuckdbRows
from paretonym.source.engines.duckdb_session import parse_memory
from paretonym.source.table_counts import Counts, RepeatedValues

Open: TypeAlias = Callable[[Selection, int], AbstractContextManager[Database]]


def count_database(selection: Selection, wanted: Wanted, memory: str | None) -> Counts:
    """The distinct rows of a table or a query with their counts."""
    limit, place = parse_memory(memory), selection.place
    with DATABASES[selection.address.kind](selection, limit) as database:
        check_shape(place, database.names, rows=1)
        found = _distinct_rows(database, wanted, limit, place)
        repeats = {name: _repeated(database, name, place) for name in wanted.unique_of(database.names)}
        if found is None:
            table = _coarse(database, selection, limit, wanted, repeats)
        else:
            table = _table(database, selection, found, wanted, repeats)
    return replace(table, memory=memory, blocks=partial(_blocks, selection, limit))


def _table(
    database: Database,
    selection: Selection,
    found: ArrowCounts,
    wanted: Wanted,
    repeats: Mapping[str, RepeatedValues],
) -> Counts:
    if not found.weights.sum():
        raise _no_row(selection.place)
    columns = counted_columns(selection.place, wanted.of(database.names), found)
    return Counts(
        name=selection.name,
        names=database.names,
        columns=columns,
        weights=found.weights,
        repeats=repeats,
        path=selection.address.stored,
        selection=selection.options,
    )


class _Crowd(Exception):
    """There are more distinct rows than there is room for."""


def _distinct_rows(database: Database, wanted: Wanted, limit: int, place: str) -> ArrowCounts | None:
    """The distinct rows, None where they are too many and could be counted at coarser levels."""
    names, coarsens = wanted.of(database.names), wanted.levels is not None
    most = room_for(len(names), limit)

    def room(lines: int) -> None:
        check_most(place, lines, wanted.most)
        if lines > most and coarsens:
            raise _Crowd
        check_room(place, lines, len(names), limit)

    if wanted.at or (coarsens and database.crowded(names, most)):
        return None
    try:
        return database.counts(counting_query(database, names), names, room)
    except _Crowd:
        return None


def _coarse(
    database: Database,
    selection: Selection,
    limit: int,
    wanted: Wanted,
    repeats: Mapping[str, RepeatedValues],
) -> Counts:
    """The distinct rows at coarser levels."""
    names, kind = wanted.of(database.names), selection.address.kind
    cells = database.no_cells(names)

    @contextmanager
    def opened() -> Iterator[DuckdbRows]:
        with DATABASES[kind](selection, limit) as other, other.coarse_rows(names, limit, cells) as rows:
            yield rows

    with database.coarse_rows(names, limit, cells) as data:
        again = reopened(data, opened)
        table = coarse_table(data, wanted, columns_of(data, database.names, repeats), again, kind)
    return replace(table, name=selection.name, path=selection.address.stored, selection=selection.options)


def sample_database(selection: Selection, names: Sequence[str], step: int, memory: str | None) -> Counts:
    """Some columns of every n-th row of a table or a query."""
    place = selection.place
    with DATABASES[selection.address.kind](selection, parse_memory(memory)) as database:
        found = database.counts(sampling_query(database, names, step), names, lambda lines: None)
    return table_of(selection.name, place, names, found)


def _blocks(selection: Selection, limit: int, name: str) -> Iterator[Any]:
    """All cells of a column, block by block."""
    with DATABASES[selection.address.kind](selection, limit) as database:
        yield from database.blocks(name)


def _repeated(database: Database, name: str, place: str) -> RepeatedValues:
    """The values of a column that more than one row has, if they are not far too many."""

    def room(lines: int) -> None:
        if lines > MOST_REPEATED:
            wrong = f"more than {MOST_REPEATED:,} values of this identifier occur in more than one row"
            remedy = 'give one row per person, or say rows = "events" if rows are not people'
            raise InputError.of(f"{place}, column '{name}'", wrong, remedy)

    found: ArrowCounts = database.counts(counting_query(database, [name], repeated=True), [name], room)
    return repeated_values(place, name, found)


def _no_row(place: str) -> InputError:
    return InputError.of(place, "there is no row", "give a table with rows")


def _sqlite(selection: Selection, limit: int) -> AbstractContextManager[Database]:
    from paretonym.source.engines.sqlite_database import sqlite_database

    return sqlite_database(selection, limit)


def _duckdb(selection: Selection, limit: int) -> AbstractContextManager[Database]:
    from paretonym.source.engines.duckdb_database import duckdb_database

    return duckdb_database(selection, limit)


def _postgresql(selection: Selection, limit: int) -> AbstractContextManager[Database]:
    from paretonym.source.engines.postgresql_database import postgresql_database

    return postgresql_database(selection, limit)


DATABASES: Mapping[DatabaseKind, Open] = {"sqlite": _sqlite, "duckdb": _duckdb, "postgresql": _postgresql}
