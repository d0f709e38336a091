"""A table of a database, counted there: on one connection, on one snapshot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TypeAlias

from paretonym.data_address import DatabaseKind
from paretonym.errors import InputError
from paretonym.source.data_source import Wanted
from paretonym.source.dictionary_encoding import (
    check_most,
    check_repeats,
    check_room,
    check_shape,
    counted_columns,
    repeated_values,
    table_of,
)
from paretonym.source.engines.database import Database, counting_query, sampling_query
from paretonym.source.engines.database_selection import Selection
from paretonym.source.engines.duckdb_session import parse_memory
from paretonym.source.table_counts import Counts, RepeatedValues

Open: TypeAlias = Callable[[Selection, int], AbstractContextManager[Database]]


def count_database(selection: Selection, wanted: Wanted, memory: str | None) -> Counts:
    """The distinct rows of a table or a query with their counts."""
    limit, place = parse_memory(memory), selection.place
    with DATABASES[selection.address.kind](selection, limit) as database:
        check_shape(place, database.names, rows=1)
        names = wanted.of(database.names)

        def room(lines: int) -> None:
            check_most(place, lines, wanted.most)
            check_room(place, lines, names, limit)

        rows = database.counts(counting_query(database, names), names, room)
        if not rows.weights.sum():
            raise InputError.of(place, "there is no row", "give a table with rows")
        repeats = {name: _repeated(database, name, place) for name in wanted.unique_of(database.names)}
        return Counts(
            name=selection.name,
            names=database.names,
            columns=counted_columns(place, names, rows),
            weights=rows.weights,
            repeats=repeats,
            path=selection.address.stored,
            selection=selection.options,
            memory=memory,
        )


def sample_database(selection: Selection, names: Sequence[str], step: int, memory: str | None) -> Counts:
    """Some columns of every n-th row of a table or a query."""
    place = selection.place
    with DATABASES[selection.address.kind](selection, parse_memory(memory)) as database:
        found = database.counts(sampling_query(database, names, step), names, lambda lines: None)
    return table_of(selection.name, place, names, found)


def _repeated(database: Database, name: str, place: str) -> RepeatedValues:
    """The values of a column that more than one row has, if they are not far too many."""
    query = counting_query(database, [name], repeated=True)
    rows = database.counts(query, [name], partial(check_repeats, f"{place}, column '{name}'"))
    return repeated_values(place, name, rows)


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
