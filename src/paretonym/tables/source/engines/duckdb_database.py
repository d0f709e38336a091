"""DuckDB database files: opened read only, so that nobody can change them meanwhile, and counted in a
database of our own within its memory limit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from paretonym.base.errors import InputError
from paretonym.base.sql_literals import sql_name, sql_text
from paretonym.tables.arrow import pa
from paretonym.tables.source.data_file import DUCKDB, check_regular, reading_from
from paretonym.tables.source.engines.database_selection import Selection
from paretonym.tables.source.engines.duckdb_session import DuckdbRelation, Session, session
from paretonym.tables.source.value_types import is_text

TABLES = (
    "select schema_name, table_name from duckdb_tables() where database_name = 'data_' "
    "union all select schema_name, view_name from duckdb_views() "
    "where database_name = 'data_' and not internal order by all"
)


@contextmanager
def duckdb_relation(selection: Selection, limit: int) -> Iterator[DuckdbRelation]:
    """A file attached read only; nothing else of the disk can be read, and nothing written."""
    path = selection.address.file or Path()
    check_regular(path)
    with reading_from(path), path.open("rb") as file:
        place, mark = DUCKDB
        if not file.read(place + len(mark)).endswith(mark):
            raise InputError.of(selection.address.shown, "this is not a DuckDB database", "check the path")
    with session(selection.place, limit, query=True) as engine:
        engine.run(f"attach {sql_text(str(path))} as data_ (read_only)")
        engine.run("use data_.main")
        engine.run("set enable_external_access = false")
        source = selection.source(lambda: _tables(engine))
        schema = engine.batches(f"select * from {source} limit 0").schema
        # In UTC: DuckDB would show moments in the zone of the machine.
        types = {field.name: _in_utc(field.type) for field in schema}
        cells = {name: _cell(name, kind) for name, kind in types.items()}
        yield DuckdbRelation(engine, selection.place, source, types, cells)


def _cell(name: str, kind: Any) -> str:
    """Texts are compared byte by byte: a collation may take two spellings for one."""
    return f"cast({sql_name(name)} as varchar) collate c" if is_text(kind) else sql_name(name)


def _in_utc(kind: Any) -> Any:
    zoned = pa.types.is_timestamp(kind) and kind.tz is not None
    return pa.timestamp(kind.unit, "UTC") if zoned else kind


def _tables(engine: Session) -> Mapping[str, str]:
    return {
        name if schema == "main" else f"{schema}.{name}": f"data_.{sql_name(schema)}.{sql_name(name)}"
        for schema, name in engine.rows(TABLES)
    }
