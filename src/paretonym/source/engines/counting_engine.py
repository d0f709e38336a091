"""What an engine gives: counted rows in Arrow. And what all engines share: the one canon of types and
spellings, which makes columns of them exactly as those of a table in memory are made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from paretonym.arrays import Integers
from paretonym.arrow import pa
from paretonym.errors import Field, InputError, Problem
from paretonym.source.counted_table import CountedColumn, RepeatedValues
from paretonym.source.dictionary_encoding import coded, make_column
from paretonym.source.table import Table
from paretonym.source.value_types import check_type, is_text, value_type

# Bytes that a distinct row takes here, besides those of each of its cells.
ROW_BYTES, CELL_BYTES = 32, 16


class TooMany(InputError):
    """There are more distinct rows than are to be brought."""


@dataclass(slots=True)
class ArrowCounts:
    """Distinct rows as an engine gives them: chunks of each column, and counts."""

    types: Sequence[Any]
    chunks: list[list[Any]] = field(init=False)
    counts: list[Integers] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chunks = [[] for _ in self.types]

    @classmethod
    def of(cls, types: Sequence[Any], batches: Iterable[Any], place: str) -> ArrowCounts:
        """Batches whose last column counts; texts become codes batch by batch, so that little is held."""
        found = cls(types)
        for batch in batches:
            *cells, counts = batch.columns
            for kind, chunks, array in zip(types, found.chunks, cells, strict=True):
                chunks.append(in_type(array, kind, place))
            found.counts.append(counts.to_numpy(zero_copy_only=False).astype(np.int64))
        return found

    @property
    def weights(self) -> Integers:
        return np.concatenate([np.zeros(0, dtype=np.int64), *self.counts])

    def column(self, place: int) -> Any:
        kind = _held(self.types[place])
        return pa.chunked_array(self.chunks[place] or [pa.array([], kind)], type=kind)

    def taken(self, place: int) -> Any:
        """A column whose chunks are no longer held here."""
        column = self.column(place)
        self.chunks[place].clear()
        return column


def _held(kind: Any) -> Any:
    return pa.dictionary(pa.int32(), pa.string()) if is_text(value_type(kind)) else value_type(kind)


def in_type(array: Any, kind: Any, place: str) -> Any:
    """An array in the type that a reader of ours gives: zones and units are those of the file again."""
    if is_text(value_type(kind)):
        coded = array if pa.types.is_dictionary(array.type) else array.cast(pa.string()).dictionary_encode()
        return coded.cast(_held(kind))
    if pa.types.is_null(kind):
        return pa.nulls(len(array))
    try:
        return array.cast(value_type(kind))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError.of(
            place,
            f"the engine does not give its values back as {kind}",
            f"read the rows with {Field('engine', 'memory')}",
        ) from None


def type_problems(place: str, types: Mapping[str, Any]) -> list[Problem]:
    """The columns whose types cannot be counted, of those that are to be."""
    places = {name: f"{place}, column '{name}'" for name in types}
    found = [check_type(places[name], kind) for name, kind in types.items()]
    found += [
        Problem(
            places[name],
            f"its type, {kind}, is not one that an engine can count exactly",
            f"leave it out, write it in another type, or read the rows with {Field('engine', 'memory')}",
        )
        for name, kind in types.items()
        if pa.types.is_decimal256(kind)
    ]
    return [problem for problem in found if problem is not None]


def counted_columns(place: str, names: Sequence[str], found: ArrowCounts) -> tuple[CountedColumn, ...]:
    """The columns of distinct rows, made as those of a table in memory are; their chunks are no longer held
    afterwards."""
    weights = found.weights
    return tuple(counted_column(place, name, found.taken(at), weights) for at, name in enumerate(names))


def counted_column(place: str, name: str, cells: Any, weights: Integers) -> CountedColumn:
    """One column of distinct rows."""
    plain = make_column(name, coded(cells), f"{place}, column '{name}'")
    return CountedColumn(plain.name, plain.type, plain.values, plain.texts, plain.codes, weights=weights)


def table_of(name: str, place: str, names: Sequence[str], found: ArrowCounts) -> Table:
    """Rows that were brought back one by one, as a table."""
    columns = tuple(
        make_column(each, coded(found.column(number)), f"{place}, column '{each}'")
        for number, each in enumerate(names)
    )
    return Table(name, len(found.weights), columns, "")


def every_nth(query: str, columns: int, step: int) -> str:
    """A query for every n-th row of another, which has the columns c0, c1, …; each counts as one. In any
    dialect of SQL."""
    cells = ", ".join(f"c{place}" for place in range(columns))
    numbered = f"select {cells}, row_number() over () as r from ({query}) as given"
    return f"select {cells}, 1 as n from ({numbered}) as numbered where (r - 1) % {step} = 0"


def repeated_values(place: str, name: str, found: ArrowCounts) -> RepeatedValues:
    """The values of one column that repeat."""
    (column,) = counted_columns(place, [name], found)
    return RepeatedValues(name, column.type, column.texts, column.counts, column.nulls)


def check_most(place: str, rows: int, most: int | None) -> None:
    """Refuse to bring back more distinct rows than somebody wants."""
    if most is not None and rows > most:
        raise TooMany.of(place, f"there are more than {most:,} different rows", "count fewer columns")


def room_for(columns: int, limit: int) -> int:
    """How many distinct rows of that many columns a memory limit has room for."""
    return limit // (ROW_BYTES + columns * CELL_BYTES)


def check_room(place: str, rows: int, columns: int, limit: int, least: bool = False) -> None:
    """Refuse to bring back more distinct rows than the memory limit has room for; `rows` may be the `least`
    that there are."""
    needed = rows * (ROW_BYTES + columns * CELL_BYTES)
    if needed > limit:
        raise TooMany.of(
            place,
            f"there are {'at least ' if least else ''}{rows:,} different rows in the {columns} columns that "
            f"are counted, which need about {needed / 1e9:,.1f} GB",
            f"give more {Field('memory')}, drop columns that need not be published, or coarsen them in the "
            "data",
        )
