"""The values that a column has in two tables, compared without holding it in memory: both are read block by
block, spelled by the one canon, and compared in DuckDB, which may spill."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from paretonym.arrow import pa
from paretonym.source.data_source import ColumnType, ValueCounts
from paretonym.source.dictionary_encoding import coded, make_column
from paretonym.source.table_counts import Column, Counts
from paretonym.source.value_types import identities

# Values that are named one by one; of more, only their number is known.
MOST_NAMED = 100_000


@dataclass(frozen=True, slots=True)
class SharedValues:
    """How many values two columns share, and which, at most `MOST_NAMED` of them."""

    number: int
    texts: tuple[str, ...]

    @property
    def all_named(self) -> bool:
        return self.number == len(self.texts)


def shared_values(first: Counts, second: Counts, name: str) -> SharedValues:
    """The values of a column that both tables have."""
    from paretonym.source.engines.duckdb_session import parse_memory, session

    limit = min(parse_memory(counts.memory) for counts in (first, second))
    with session(f"{second.name}, column '{name}'", limit) as engine:
        kinds = [_kind(counts, name) for counts in (first, second)]
        for table, counts, beside in (("old", first, kinds[1]), ("new", second, kinds[0])):
            _put_down(engine, f"{table}_values", counts, name, beside)
        engine.run(
            "create temp table shared as from (select v from old_values semi join new_values using (same)) "
            "union all (select v from old_values semi join new_values using (v))"
        )
        (number,) = engine.row("select count(distinct v) from shared")
        named = engine.rows(f"select distinct v from shared limit {MOST_NAMED}")
    return SharedValues(number, tuple(text for (text,) in named))


def _kind(counts: Counts, name: str) -> ColumnType:
    """The type of a column, as far as comparisons need it: that of its first block with a value."""
    return next((column.type for column in _columns(counts, name) if column.texts), "text")


def _columns(counts: Counts, name: str) -> Iterator[ValueCounts]:
    """A column that was counted, or else its rows, block by block."""
    if counts.blocks is None or name in counts.by_name:
        yield counts.every_value(name)
        return
    rows = 0
    for block in counts.blocks(name):
        rows += len(block)
        yield make_column(name, coded(block), f"{counts.name}, column '{name}'")
    counts.check_rows(rows)


def _put_down(engine: Any, table: str, counts: Counts, name: str, beside: ColumnType) -> None:
    """The texts of a column in a table of DuckDB, some of them perhaps several times, each with what it is
    compared by."""
    engine.run(f"create or replace temp table {table} (v varchar, same varchar)")
    for column in _columns(counts, name):
        values = column.values if isinstance(column, Column) else None
        same = identities(column.type, column.texts, values, beside)
        with engine.registered("block", pa.table({"v": pa.array(column.texts, same.type), "same": same})):
            engine.run(f"insert into {table} from block")
