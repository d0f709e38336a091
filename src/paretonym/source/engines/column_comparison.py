"""A column of two sources, compared without holding it in memory: both are read block by block, spelled by
the one canon, and compared in DuckDB, which may spill."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from paretonym.arrow import pa
from paretonym.source.counted_table import CountedTable
from paretonym.source.data_source import ColumnType, ValueCounts
from paretonym.source.dictionary_encoding import coded, make_column
from paretonym.source.engines.duckdb_session import Session, session
from paretonym.source.table import Column, Table
from paretonym.source.value_types import identities

AnySource: TypeAlias = Table | CountedTable


def compared(first: AnySource, second: AnySource, name: str, limit: int, most: int) -> tuple[int, list[str]]:
    """How many values of a column both sources have, and at most that many of them."""
    with session(f"{second.name}, column '{name}'", limit) as engine:
        kinds = [_kind(source, name) for source in (first, second)]
        for table, source, beside in (("old", first, kinds[1]), ("new", second, kinds[0])):
            _put_down(engine, f"{table}_values", source, name, beside)
        engine.run(
            "create temp table shared as from (select v from old_values semi join new_values using (same)) "
            "union all (select v from old_values semi join new_values using (v))"
        )
        (number,) = engine.row("select count(distinct v) from shared")
        named = engine.rows(f"select distinct v from shared limit {most}")
    return number, [text for (text,) in named]


def _kind(source: AnySource, name: str) -> ColumnType:
    """The type of a column, as far as comparisons need it: that of its first block with a value."""
    blocks = _blocks(source, name)
    if blocks is None:
        return source.every_value(name).type
    columns = (make_column(name, coded(block), f"{source.name}, column '{name}'") for block in blocks)
    return next((column.type for column in columns if column.texts), "text")


def _blocks(source: AnySource, name: str) -> Iterator[Any] | None:
    """The rows of a column, block by block; None if its distinct values are known."""
    if isinstance(source, Table) or source.blocks is None or name in source.by_name:
        return None
    return source.blocks(name)


def _put_down(engine: Session, table: str, source: AnySource, name: str, beside: ColumnType) -> None:
    """The texts of a column in a table of DuckDB, some of them perhaps several times, each with what it is
    compared by."""
    engine.run(f"create or replace temp table {table} (v varchar, same varchar)")
    for column in _columns(source, name):
        values = column.values if isinstance(column, Column) else None
        same = identities(column.type, column.texts, values, beside)
        with engine.registered("block", pa.table({"v": pa.array(column.texts, same.type), "same": same})):
            engine.run(f"insert into {table} from block")


def _columns(source: AnySource, name: str) -> Iterator[ValueCounts]:
    blocks = _blocks(source, name)
    if blocks is None or isinstance(source, Table):
        yield source.every_value(name)
        return
    rows = 0
    for block in blocks:
        rows += len(block)
        yield make_column(name, coded(block), f"{source.name}, column '{name}'")
    source.check_rows(rows)
