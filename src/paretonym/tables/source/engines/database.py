"""A table of a database, counted there: on one connection that cannot write, in one snapshot."""

from __future__ import annotations

from contextlib import AbstractContextManager

from paretonym.tables.source.data_source import Wanted
from paretonym.tables.source.engines.database_selection import Selection
from paretonym.tables.source.engines.duckdb_session import parse_memory
from paretonym.tables.source.engines.relation import SqlRelation, count_relation
from paretonym.tables.source.table_counts import Counts


def count_database(selection: Selection, wanted: Wanted, memory: str | None) -> Counts:
    """The distinct rows of a table or a query with their counts."""
    limit = parse_memory(memory)
    with _opened(selection, limit) as relation:
        return count_relation(
            relation,
            wanted,
            limit,
            selection.name,
            path=selection.address.stored,
            selection=selection.options,
            memory=memory,
        )


def _opened(selection: Selection, limit: int) -> AbstractContextManager[SqlRelation]:
    if selection.address.kind == "sqlite":
        from paretonym.tables.source.engines.sqlite_database import sqlite_relation

        return sqlite_relation(selection)
    if selection.address.kind == "duckdb":
        from paretonym.tables.source.engines.duckdb_database import duckdb_relation

        return duckdb_relation(selection, limit)
    from paretonym.tables.source.engines.postgresql_database import postgresql_relation

    return postgresql_relation(selection)
