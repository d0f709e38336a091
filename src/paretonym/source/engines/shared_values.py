"""The values that a column has in two sources, found without holding either column in memory: both are read
block by block, spelled by the one canon, and compared in DuckDB, which may spill."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from paretonym.arrow import pa
from paretonym.source.counted_table import CountedTable
from paretonym.source.dictionary_encoding import coded, make_column
from paretonym.source.engines.duckdb_session import Session, parse_memory, session
from paretonym.source.table import Column, Table
from paretonym.source.value_types import value_type

# Values that are named one by one; of more, only their number is known.
MOST_NAMED = 100_000
AnySource: TypeAlias = Table | CountedTable


@dataclass(frozen=True, slots=True)
class SharedValues:
    """How many values two columns share, and which, at most `MOST_NAMED` of them."""

    number: int
    texts: tuple[str, ...]

    @property
    def all_named(self) -> bool:
        return self.number == len(self.texts)


class _MixedForms(Exception):
    """How the values of a column are spelled depends on all of them, not on those of one block."""


def shared_values(first: AnySource, second: AnySource, name: str) -> SharedValues:
    """The values of a column that both sources have."""
    memories = [source.memory for source in (first, second) if isinstance(source, CountedTable)]
    if not memories:
        both = set(first.column(name).texts).intersection(second.column(name).texts)
        return SharedValues(len(both), tuple(both))
    limit = min(map(parse_memory, memories))
    with session(f"{second.name}, column '{name}'", limit) as engine:
        for table, source in (("old", first), ("new", second)):
            _put_down(engine, f"{table}_values", source, name)
        engine.run(
            "create temp table shared as select distinct v from old_values semi join new_values using (v)"
        )
        (number,) = engine.row("select count(*) from shared")
        named = engine.rows(f"from shared limit {MOST_NAMED}")
    return SharedValues(number, tuple(text for (text,) in named))


def _put_down(engine: Session, table: str, source: AnySource, name: str) -> None:
    """The texts of a column in a table of DuckDB, some of them perhaps several times."""
    try:
        _put_blocks(engine, table, _texts(source, name))
    except _MixedForms:
        # As many as fit: more are refused where they are counted.
        _put_blocks(engine, table, iter([pa.array(source.every_value(name).texts, pa.large_string())]))


def _put_blocks(engine: Session, table: str, blocks: Iterator[Any]) -> None:
    engine.run(f"create or replace temp table {table} (v varchar)")
    for block in blocks:
        with engine.registered("block", pa.table({"v": block})):
            engine.run(f"insert into {table} from block")


def _texts(source: AnySource, name: str) -> Iterator[Any]:
    if isinstance(source, Table) or source.blocks is None or name in source.by_name:
        yield pa.array(source.every_value(name).texts, pa.large_string())
        return
    rows, form = 0, None
    for block in source.blocks(name):
        rows += len(block)
        column = make_column(name, coded(block), f"{source.name}, column '{name}'")
        if not column.texts:
            continue
        form = form or _form(block, column)
        if form != _form(block, column):
            raise _MixedForms
        yield pa.array(column.texts, pa.string())
    source.check_rows(rows)


def _form(block: Any, column: Column) -> tuple[Any, ...]:
    """Blocks of one form are spelled as the whole column is. Numbers of double precision always are; moments
    have as many digits as the finest of them."""
    kind = value_type(block.type)
    if pa.types.is_float64(kind):
        return (kind,)
    digits = len(column.texts[0]) if pa.types.is_timestamp(kind) else 0
    return kind, column.type, column.values.type, digits
