"""A table in memory: every column as distinct values and one code a row. The first `RowSource`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from paretonym.arrays import Codes, Integers, Mask
from paretonym.factorize import BLOCK, counted_rows
from paretonym.source.column_names import in_order
from paretonym.source.data_source import NULL, Coding, ColumnType, Omission, PartOfSource, TupleCounts


@dataclass(frozen=True, eq=False)
class Column:
    """One column: `values[codes[row]]` is the value in a row; the code -1 is a null.

    `texts` are the distinct values as they are written, in the order of `values`; no two are equal.
    `values` is an Arrow array of the distinct values in the column's own type.
    """

    name: str
    type: ColumnType
    values: Any
    texts: tuple[str, ...]
    codes: Codes

    @cached_property
    def counts(self) -> Integers:
        """How many rows hold each distinct value."""
        return _occurrences(self.codes, len(self.texts))[:-1]

    @cached_property
    def nulls(self) -> int:
        return len(self.codes) - int(self.counts.sum())


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of one length, and a name for messages (a file's name, or "the dataframe").

    `kind` is how the caller held it ("file", "pandas", "polars", "pyarrow"), so that a release can be
    given back the same way. `path` is the file's, where there is one; `encoding` and `separator` are what
    had to be said to read it, `selection` is the table or query of a database. `gone` marks rows that are
    left out one by one: no selection of rows (`omitting`) has them. `categories` names the columns of texts
    that came as categories, each with whether these were ordered. `unordered`: only the rows say in which
    order columns come, as in JSON lines.
    """

    name: str
    rows: int
    columns: tuple[Column, ...]
    fingerprint: str
    kind: str = "file"
    path: str | None = None
    encoding: str | None = None
    separator: str | None = None
    gone: Mask | None = None
    selection: Mapping[str, str] = field(default_factory=dict)
    categories: Mapping[str, bool] = field(default_factory=dict)
    unordered: bool = False

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @cached_property
    def by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    def column(self, name: str) -> Column:
        return self.by_name[name]

    @property
    def counted(self) -> tuple[str, ...]:
        return self.names

    @property
    def entries(self) -> int:
        """How many codes each column has: one a row."""
        return self.rows

    @property
    def weights(self) -> None:
        """None: every row counts once."""
        return None

    def repeated(self, name: str) -> Column:
        return self.column(name)

    def every_value(self, name: str) -> Column:
        return self.column(name)

    def joined(self, second: Table) -> Table:
        """Two tables as one: the rows of this one, then those of the second, with the columns of this one,
        which the second must have."""
        columns = tuple(joined_column(column, second.column(column.name)) for column in self.columns)
        return replace(self, name=second.name, rows=self.rows + second.rows, columns=columns)

    def arranged(self, order: Sequence[str]) -> Table:
        """The table with its columns in this order, if they have none of their own."""
        if not self.unordered or not order:
            return self
        columns = tuple(map(self.column, in_order(self.names, order)))
        return replace(self, columns=columns)

    def without(self, gone: Mask) -> Table:
        """The table without these rows."""
        return replace(self, gone=gone if self.gone is None else self.gone | gone)

    def dropped(self, omitted: Omission) -> Mask:
        """Which rows are left out, for what they hold or one by one."""
        dropped = np.zeros(self.rows, dtype=np.bool_) if self.gone is None else self.gone.copy()
        for name, values in omitted.values.items():
            # The code of a null, -1, finds the last entry.
            dropped |= values[self.column(name).codes]
        return dropped

    def omitting(self, omitted: Omission) -> Table | KeptRows:
        return KeptRows(self, ~self.dropped(omitted)) if omitted.values or self.gone is not None else self

    def values_in(self, stays: Mask, names: Sequence[str]) -> Mapping[str, Codes]:
        """The values of some columns in the rows that are marked."""
        return {name: self.column(name).codes[stays] for name in names}

    def tuples(self, coding: Coding) -> TupleCounts:
        return counted_tuples(self, coding)

    def sample(self, names: Sequence[str], most: int) -> tuple[Codes, ...]:
        step = -(-self.rows // most)
        return tuple(self.column(name).codes[::step] for name in names)

    def blocks(self, names: Sequence[str], size: int = BLOCK) -> Iterator[tuple[Codes, ...]]:
        """The codes of some columns, at most `size` rows at a time; that of a null is -1."""
        codes = [self.column(name).codes for name in names]
        for start in range(0, max(self.rows, 1), size):
            yield tuple(column[start : start + size] for column in codes)


class Extent(NamedTuple):
    """How large a table is once it is unpacked, as the file itself declares."""

    rows: int
    columns: int
    bytes: int


@dataclass(frozen=True, eq=False)
class ColumnValues:
    """The distinct values of a column, to be counted in other rows than its own."""

    column: Column

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def type(self) -> ColumnType:
        return self.column.type

    @property
    def texts(self) -> tuple[str, ...]:
        return self.column.texts


@dataclass(frozen=True, eq=False)
class KeptValues(ColumnValues):
    """A column in the rows that are kept: the distinct values of all, counted in those."""

    kept: Mask

    @cached_property
    def counts(self) -> Integers:
        return _occurrences(self.column.codes[self.kept], len(self.texts))[:-1]

    @cached_property
    def nulls(self) -> int:
        return int(self.kept.sum()) - int(self.counts.sum())


@dataclass(frozen=True, eq=False)
class KeptRows(PartOfSource[Table]):
    """Some rows of a table."""

    kept: Mask

    @cached_property
    def rows(self) -> int:
        return int(self.kept.sum())

    def column(self, name: str) -> KeptValues:
        return KeptValues(self.whole.column(name), self.kept)

    def repeated(self, name: str) -> KeptValues:
        return self.column(name)

    def omitting(self, omitted: Omission) -> KeptRows:
        return replace(self, kept=self.kept & ~self.whole.dropped(omitted))

    def tuples(self, coding: Coding) -> TupleCounts:
        return counted_tuples(self, coding)

    def blocks(self, names: Sequence[str], size: int = BLOCK) -> Iterator[tuple[Codes, ...]]:
        for start, block in enumerate(self.whole.blocks(names, size)):
            kept = self.kept[start * size : (start + 1) * size]
            yield tuple(column[kept] for column in block)


def counted_tuples(rows: Table | KeptRows, coding: Coding) -> TupleCounts:
    """The distinct tuples of a coding, counted block by block."""
    names, lookups = list(coding), list(coding.values())

    def blocks() -> Iterator[list[Codes]]:
        for block in rows.blocks(names):
            yield [lookup[codes] for lookup, codes in zip(lookups, block, strict=True)]

    return TupleCounts(*counted_rows(blocks, [int(lookup.max(initial=0)) + 1 for lookup in lookups]))


def _occurrences(codes: Codes, distinct: int) -> Integers:
    """How often each code occurs; the last entry counts nulls."""
    return np.roll(np.bincount(codes + 1, minlength=distinct + 1), -1).astype(np.int64)


def joined_column(first: Column, second: Column) -> Column:
    """The distinct values of both, those of the first in their places: its codes mean the same as before. A
    value of the second is one of the first if it equals it, even if it is spelled in another way."""
    import pyarrow as pa

    place_of = _known_places(first, second)
    texts = [*first.texts]
    places = np.full(len(second.texts) + 1, NULL, dtype=np.int32)
    for number, (text, place) in enumerate(zip(second.texts, place_of, strict=True)):
        places[number] = len(texts) if place is None else place
        if place is None:
            texts.append(text)
    # Where a CSV file meets a Parquet file, values are what is written.
    kind = first.type if first.type == second.type else "text"
    codes = np.concatenate([first.codes, places[second.codes]]).astype(np.int32)
    return Column(first.name, kind, pa.array(texts, pa.string()), tuple(texts), codes)


def equal_values(first: Column, second: Column) -> tuple[str, ...]:
    """The values of the first column that the second has too, as the first spells them."""
    places = {place for place in _known_places(first, second) if place is not None}
    return tuple(first.texts[place] for place in places)


def _known_places(first: Column, second: Column) -> list[int | None]:
    """Where each value of the second column stands in the first, None for nowhere."""
    known = {text: place for place, text in enumerate(first.texts)}
    equal = {same: place for place, same in reversed([*enumerate(_identities(first, second.type))])}
    pairs = zip(second.texts, _identities(second, first.type), strict=True)
    return [known.get(text, equal.get(same)) for text, same in pairs]


def _identities(column: Column, beside: ColumnType) -> list[str]:
    from paretonym.source.value_types import identities

    found: list[str] = identities(column.type, column.texts, column.values, beside).to_pylist()
    return found


def give_back(table: Any, kind: str) -> Any:
    """The rows in the caller's kind of dataframe: `pandas`, `polars` or `pyarrow`; for a file, pandas if it
    is installed.

    >>> import pyarrow
    >>> give_back(pyarrow.table({"a": [1]}), "pyarrow").column_names
    ['a']
    """
    if kind == "file":
        kind = "pandas" if find_spec("pandas") else "pyarrow"
    if kind == "pandas":
        # Dates as pandas has them, not as Python objects.
        return table.to_pandas(date_as_object=False)
    if kind == "polars":
        import narwhals as nw

        return _enumerated(nw.from_arrow(table, backend="polars"), table).to_native()
    return table


def _enumerated(frame: Any, table: Any) -> Any:
    """A dataframe in which ordered categories are enumerations, as polars has them."""
    import narwhals as nw
    import pyarrow as pa

    fields = (field for field in table.schema if pa.types.is_dictionary(field.type) and field.type.ordered)
    listed = {
        field.name: table.column(field.name).combine_chunks().dictionary.to_pylist() for field in fields
    }
    return frame.with_columns(nw.col(name).cast(nw.Enum(texts)) for name, texts in listed.items())
