"""What a database gives: one open connection that cannot write, and on it one snapshot of a table or a query,
whatever others do to it meanwhile. Counting happens there; what comes back are distinct rows with counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

from paretonym.arrow import pa, pc
from paretonym.errors import Field, InputError, Problem
from paretonym.source.dictionary_encoding import ArrowCounts
from paretonym.source.engines.duckdb_session import every_nth
from paretonym.source.value_types import numerals

# Refuses if there are more rows than there is room for.
Room: TypeAlias = Callable[[int], None]

# The years that dates are written in: databases have days beyond, and infinite ones.
FIRST_DAY, LAST_DAY = -719_162, 2_932_896
TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


class Database(Protocol):
    """A selection that can be counted: `source` is what stands behind FROM, `names` are its columns."""

    @property
    def source(self) -> str: ...
    @property
    def names(self) -> tuple[str, ...]: ...

    def cells(self, names: Sequence[str]) -> list[str]:
        """The expressions of some columns; all types that cannot be counted are refused at once."""
        ...

    def grouped(self, cell: str) -> str:
        """How rows are grouped by a cell: two spellings are two values, whatever the column's collation."""
        ...

    def counts(self, query: str, names: Sequence[str], room: Room) -> ArrowCounts:
        """The answer to a query for cells of some columns, with two numbers behind them: how many rows have
        these cells, and how many lines the whole answer has."""
        ...


def counting_query(database: Database, names: Sequence[str], repeated: bool = False) -> str:
    """Distinct rows with their counts; the number of all of them comes with the first."""
    if not names:
        return f"select count(*) as n, 1 as lines from {database.source}"
    cells = [f"c{place}" for place in range(len(names))]
    listed, by = ", ".join(cells), ", ".join(map(database.grouped, cells))
    return (
        f"select {listed}, count(*) as n, count(*) over () as lines "
        f"from ({rows_query(database, names)}) as given "
        f"group by {by}{' having count(*) > 1' if repeated else ''}"
    )


def sampling_query(database: Database, names: Sequence[str], step: int) -> str:
    """Every n-th row, each counted as one; how many there are matters little."""
    sampled = every_nth(rows_query(database, names), len(names), step)
    return f"select *, 1 as lines from ({sampled}) as sampled"


def rows_query(database: Database, names: Sequence[str]) -> str:
    """The cells of some columns, in all rows."""
    cells = ", ".join(f"{cell} as c{place}" for place, cell in enumerate(database.cells(names)))
    return f"select {cells} from {database.source}"


def without_lines(batches: Iterable[Any], room: Room) -> Iterator[Any]:
    """Batches without their last column, which says how many lines there are: asked before they are read."""
    asked = False
    for batch in batches:
        if not asked and len(batch):
            room(batch.column(batch.num_columns - 1)[0].as_py())
            asked = True
        yield batch.select(range(batch.num_columns - 1))


def check_days(place: str, array: Any) -> None:
    """Refuse dates beyond the years 1 to 9999, which cannot be written, and infinite ones."""
    kind, types = array.type, pa.types
    if types.is_date32(kind):
        days = array.cast(pa.int32())
        first, last = FIRST_DAY, LAST_DAY
    elif types.is_timestamp(kind):
        days = array.cast(pa.timestamp(kind.unit)).cast(pa.int64())
        ticks = 86_400 * TICKS[kind.unit]
        first, last = FIRST_DAY * ticks, (LAST_DAY + 1) * ticks - 1
    else:
        return
    bounds = pc.min_max(days).as_py()
    if bounds["min"] is not None and (bounds["min"] < first or bounds["max"] > last):
        raise InputError.of(
            place,
            "it contains an infinite date, or one that is not in the years 1 to 9999",
            "replace it, or leave it out, in a query",
        )


def decimals(place: str, array: Any) -> Any:
    """Numbers that were written by the database, exactly, each in its own digits; what is not a number is
    missing."""
    distinct = array.dictionary_encode() if not pa.types.is_dictionary(array.type) else array
    distinct = distinct.unify_dictionaries().combine_chunks()
    distinct = distinct.chunk(0) if isinstance(distinct, pa.ChunkedArray) else distinct
    return numerals(distinct.dictionary.to_pylist(), place).take(distinct.indices)


def type_problem(place: str, name: str, kind: str) -> Problem:
    return Problem(
        f"{place}, column '{name}'",
        f"its type, {kind}, is not supported",
        f"convert it to text, a number, a date or a boolean with {Field('query')}, or leave it out there",
    )
