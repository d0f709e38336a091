"""Rows that are counted where they lie: what an engine must offer, and the one function that asks for it.

A new engine is a `Relation`: it groups some columns by `count(*)` and gives the distinct rows back in Arrow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

from paretonym.base.errors import InputError
from paretonym.tables.source.data_source import Wanted
from paretonym.tables.source.dictionary_encoding import (
    ArrowCounts,
    check_room,
    check_shape,
    counted_columns,
    room_for,
)
from paretonym.tables.source.table_counts import Column, Counts

# An identifier with more repeated values is refused before they are looked at one by one.
MOST_REPEATED = 1_000_000


class Relation(Protocol):
    """Rows that an engine can group. `place` names them in messages, `names` are their columns."""

    @property
    def place(self) -> str: ...
    @property
    def names(self) -> tuple[str, ...]: ...

    def grouped(
        self, names: Sequence[str], most: int, first: int | None = None, repeated: bool = False
    ) -> ArrowCounts:
        """The distinct rows of some columns with their counts, all or those that repeat; of more than `most`
        any `most` + 1. Only the `first` rows are read, if that is said. All types that cannot be counted are
        refused at once."""
        ...


def count_relation(relation: Relation, wanted: Wanted, limit: int, name: str, **further: Any) -> Counts:
    """The distinct rows of the wanted columns, if a memory limit has room for them."""
    check_shape(relation.place, relation.names, rows=1)
    names = wanted.of(relation.names)
    most = room_for(len(names), limit)
    rows = relation.grouped(names, most, wanted.first)
    check_room(relation.place, len(rows.weights), most, names)
    if not rows.weights.sum():
        raise InputError.of(relation.place, "there are no rows", "give a table with rows")
    return Counts(
        name=name,
        names=relation.names,
        columns=counted_columns(relation.place, names, rows),
        weights=rows.weights,
        repeats={column: _repeated(relation, column) for column in wanted.unique_of(relation.names)},
        partial=rows.weights.sum() == wanted.first,
        **further,
    )


def _repeated(relation: Relation, name: str) -> Column:
    """The values of a column that more than one row has. An identifier with more of them than anybody would
    look at one by one is refused."""
    rows = relation.grouped([name], MOST_REPEATED, repeated=True)
    if len(rows.weights) > MOST_REPEATED:
        raise InputError.of(
            f"{relation.place}, column '{name}'",
            f"more than {MOST_REPEATED:,} values of this identifier occur in more than one row",
            'give one row per person, or say rows = "events" if rows are not people',
        )
    (column,) = counted_columns(relation.place, [name], rows)
    return column


def not_computed(engine: str, place: str, reason: str) -> InputError:
    """The refusal of an engine. Its own words may quote values: only a code, the kind of an error, or what is
    wrong with the names in a query may be the reason."""
    wrong = f"{engine} could not compute it ({reason})"
    remedy = f"check that no other program writes to it, or try it in {engine} itself, which says more"
    return InputError.of(place, wrong, remedy)


class SqlRelation(ABC):
    """Rows behind FROM in some dialect of SQL; a `Relation`."""

    place: str
    names: tuple[str, ...]
    # By what rows are grouped: two spellings are two values, whatever the collation of a column.
    by = "{}"

    @abstractmethod
    def rows_query(self, names: Sequence[str]) -> str:
        """A query for all rows of some columns, which are called c0, c1, … there."""

    @abstractmethod
    def answer(self, query: str, names: Sequence[str]) -> ArrowCounts:
        """The answer to a query for cells of some columns and, last, counts."""

    def grouped(
        self, names: Sequence[str], most: int, first: int | None = None, repeated: bool = False
    ) -> ArrowCounts:
        cells = [f"c{place}" for place in range(len(names))]
        rows = self.rows_query(names) + (f" limit {first}" if first else "")
        return self.answer(
            f"select {', '.join(cells)}, count(*) as n from ({rows}) as data_ "
            f"group by {', '.join(map(self.by.format, cells))}{' having count(*) > 1' if repeated else ''} "
            f"limit {most + 1}",
            names,
        )
