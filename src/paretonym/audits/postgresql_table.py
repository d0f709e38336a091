"""A finished table on a PostgreSQL server: its rows are grouped there, in one read-only snapshot, and come as
distinct rows with their counts.

Where a row is stored (`ctid`: page and place in it) is its number: a release is copied into a new table in
the order of its rows, so these lie one behind the other, from the first place of every page on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from paretonym.audits.sql_engine import Engine, listed
from paretonym.audits.stored_rows import DistinctRows, StoredRows, odd_type, table_named
from paretonym.data_address import DataAddress
from paretonym.postgresql_connection import Transaction, refused, transaction, type_name
from paretonym.sql_literals import sql_name

# Tables that are one store of rows: none with partitions or children, which have stores of their own.
TABLES = """
select n.nspname::text, c.relname::text, pg_table_is_visible(c.oid)
from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
where c.relkind = 'r' and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
and not exists (select 1 from pg_inherits where inhparent = c.oid)
and has_schema_privilege(n.oid, 'usage') order by 1, 2"""
# The types of releases: how a cell is brought, and what it is here.
PLAIN: Mapping[str, tuple[str, str]] = {
    "bool": ("{}", "BOOLEAN"),
    "int2": ("{}::bigint", "BIGINT"),
    "int4": ("{}::bigint", "BIGINT"),
    "int8": ("{}", "BIGINT"),
    "float8": ("{}", "DOUBLE"),
    "date": ("{}", "DATE"),
    "numeric": ('{}::text collate "C"', "VARCHAR"),
    "text": ('{}::text collate "C"', "VARCHAR"),
    "varchar": ('{}::text collate "C"', "VARCHAR"),
}
# What a cell is if its text is that of another cell.
ODD: Mapping[str, str] = {
    "text": "{0} = '' collate \"C\"",
    "varchar": "{0} = '' collate \"C\"",
    "float8": "{0} = 0 and {0}::text like '-%'",
}
PAGE, PLACE = "(ctid::text::point)[0]::bigint", "(ctid::text::point)[1]::bigint"


def postgresql_view(engine: Engine, address: DataAddress, table: str | None, view: str) -> StoredRows:
    """The rows of a table, in a view."""
    place = f"{address.shown}, table {table}" if table else address.shown
    with transaction(address, lambda error: refused(error, address, place)) as server:
        source = table_named(address, table, _tables(server, table))
        columns = [(each.name, type_name(each)) for each in server.columns(f"table {source} limit 0")]
        for name, kind in columns:
            if kind not in PLAIN:
                raise odd_type(place, name)
        return _stored(engine, server, source, columns, view)


def _tables(server: Transaction, asked: str | None) -> Mapping[str, str]:
    """All tables by their names, with that of the schema where the server needs it, or if it is given."""
    known: dict[str, str] = {}
    for schema, name, visible in server.rows(TABLES):
        whole = f"{schema}.{name}"
        known[name if visible and asked != whole else whole] = f"{sql_name(schema)}.{sql_name(name)}"
    return known


def _stored(
    engine: Engine, server: Transaction, source: str, columns: Sequence[tuple[str, str]], view: str
) -> StoredRows:
    """Bring the distinct rows in the order of their first row, and show each as often as it occurs."""
    cells = [PLAIN[kind][0].format(sql_name(name)) for name, kind in columns]
    given = listed([f"{cell} as c{place}" for place, cell in enumerate(cells)])
    keys = listed([f"c{place}" for place in range(len(cells))])
    distinct = DistinctRows(engine, view, [PLAIN[kind][1] for _, kind in columns])
    query = (
        f"select {keys}, count(*), min(number) as first, max(number) "
        f"from (select {given}, ({PAGE} << 16) + {PLACE} as number from {source}) as cells "
        f"group by {keys} order by first"
    )
    before, in_order = -1, _without_gaps(server, source)
    for batch in server.batches(query):
        distinct.add(_table(batch))
        firsts, lasts = (batch.column(batch.num_columns - n).to_pylist() for n in (2, 1))
        starts = [before, *lasts]
        in_order = in_order and all(end < start for end, start in zip(starts, firsts, strict=False))
        before = starts[-1]
    names = tuple(name for name, _ in columns)
    odd = list(_odd_cells(columns))
    (number,) = server.rows(f"select count(*) from {source} where {' or '.join(odd) or 'false'}")[0]
    return StoredRows(names, distinct.shown(), in_order, int(number))


def _without_gaps(server: Transaction, source: str) -> bool:
    """Whether every page is filled from its first place, and every page from the first one on."""
    pages = f"select {PAGE} as page, count(*) = max({PLACE}) as filled from {source} group by 1"
    ((holds,),) = server.rows(
        f"select coalesce(bool_and(filled) and count(*) = max(page) + 1, true) from ({pages}) as pages"
    )
    return bool(holds)


def _odd_cells(columns: Sequence[tuple[str, str]]) -> Iterator[str]:
    for name, kind in columns:
        if kind in ODD:
            yield f"coalesce({ODD[kind].format(sql_name(name))}, false)"


def _table(batch: Any) -> Any:
    """A batch without its last two columns, the numbers of the first and the last row."""
    import pyarrow as pa

    return pa.Table.from_batches([batch.select(range(batch.num_columns - 2))])
