"""A table as everything here knows it: distinct rows, and how often each of them occurs."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from paretonym.base.arrays import Codes, Integers, Mask
from paretonym.base.budget import machine_memory
from paretonym.base.errors import InputError
from paretonym.base.factorize import summed_rows
from paretonym.tables.source.data_source import (
    NULL,
    USUAL_FORM,
    Coding,
    ColumnType,
    Omission,
    TableForm,
    TupleCounts,
    Wanted,
)
from paretonym.tables.source.row_hash import RowHash, canonical_text, summed_marks

# Above it, columns that are not needed are not read.
MOST_CELLS = 20_000_000
# What sorting and drawing take for each row, besides its codes.
BYTES_A_ROW = 100


@dataclass(frozen=True, eq=False)
class Column:
    """One column of distinct rows: `values[codes[i]]` is the value in row i, which stands for `weights[i]`
    rows of the table, or for one; the code -1 is a null.

    `texts` are the distinct values as they are written, in the order of `values`; no two are equal.
    `values` is an Arrow array of the distinct values in the column's own type.
    """

    name: str
    type: ColumnType
    values: Any
    texts: tuple[str, ...]
    codes: Codes
    weights: Integers | None = None

    @cached_property
    def counts(self) -> Integers:
        """Number of rows of the table with each distinct value."""
        return self._rows[:-1]

    @cached_property
    def nulls(self) -> int:
        return int(self._rows[-1])

    @cached_property
    def _rows(self) -> Integers:
        sums = np.zeros(len(self.texts) + 1, dtype=np.int64)
        # The code of a null, -1, finds the last entry.
        np.add.at(sums, self.codes, 1 if self.weights is None else self.weights)
        return sums


@dataclass(frozen=True, eq=False)
class Counts:
    """The distinct rows of the columns that a question needs, with their `weights`.

    `names` are all columns of the data, `columns` those that were counted, `repeats` the repeated values of
    columns that must not have any; `partial` says that only the first rows were read. `kind` is how the
    caller held the data ("file", "pandas", "polars", "pyarrow"), so that a release can be given back the same
    way; `path` is where they are, if that has a name; `form` is what had to be said to read a file,
    `selection` is the table or query of a database or the sheet of a workbook. `files` are the files that
    were read, `engine` is what counted them, `memory` the limit that was given. `frame_of` makes a frame of
    the same engine, if its workers can, of rows in Arrow that are repeated as often as the last column says.
    `again` counts other columns of the same data. `control` are rows of the same data that nothing may be
    made from; they are not among these.
    """

    name: str
    names: tuple[str, ...]
    columns: tuple[Column, ...]
    weights: Integers
    repeats: Mapping[str, Column] = field(default_factory=dict)
    engine: str = "auto"
    kind: str = "file"
    path: str | None = None
    form: TableForm = USUAL_FORM
    files: tuple[str, ...] = ()
    memory: str | None = None
    selection: Mapping[str, str] = field(default_factory=dict)
    frame_of: Callable[[Any], Any] | None = None
    again: Callable[[Wanted], Counts] | None = None
    partial: bool = False
    control: Counts | None = None

    @classmethod
    def of_rows(cls, name: str, columns: Sequence[Column], **further: Any) -> Counts:
        """The table whose rows are the entries of these columns."""
        rows = len(columns[0].codes) if columns else 0
        weights = np.ones(rows, dtype=np.int64)
        weighed = tuple(replace(column, weights=weights) for column in columns)
        return cls(name, tuple(column.name for column in columns), weighed, weights, **further)

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the counted columns: a sum over all rows, the same wherever these were counted,
        and in whatever order they lay."""
        columns = self.columns
        hashed = RowHash([c.name for c in columns], [c.texts for c in columns], b"", exact=True)
        sums = summed_marks(hashed, [column.codes for column in columns], self.weights)
        types = json.dumps(sorted([c.name, c.type] for c in columns))
        return f"sum:{hashlib.sha256(f'{hashed.digest(self.rows, sums)} {types}'.encode()).hexdigest()}"

    @cached_property
    def rows(self) -> int:
        return int(self.weights.sum())

    @property
    def entries(self) -> int:
        """Number of codes of each column."""
        return len(self.weights)

    @cached_property
    def by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    @property
    def counted(self) -> tuple[str, ...]:
        return tuple(self.by_name)

    def column(self, name: str) -> Column:
        if name not in self.by_name:
            raise InputError.of(
                f"{self.name}, column '{name}'",
                "its values were not counted: it is neither a quasi-identifier nor published",
                "give it another role, or read the data again with this column",
            )
        return self.by_name[name]

    def repeated(self, name: str) -> Column:
        return self.repeats[name] if name in self.repeats else self.column(name)

    def every_value(self, name: str) -> Column:
        """The distinct values of a column, whether or not it was counted with the others."""
        if name in self.by_name or self.again is None:
            return self.column(name)
        other = self.again(Wanted(frozenset({name})))
        self.check_rows(other.rows)
        return other.column(name)

    def check_rows(self, rows: int) -> None:
        """Refuse data that have another number of rows when they are read once more."""
        if rows != self.rows:
            wrong = "the data were changed while they were read"
            raise InputError.of(self.path or self.name, wrong, "try again when nothing writes to them")

    def without(self, gone: Mask) -> Counts:
        """The table without these distinct rows, which are counted as none."""
        weights = np.where(gone, 0, self.weights)
        columns = tuple(replace(column, weights=weights) for column in self.columns)
        return replace(self, columns=columns, weights=weights)

    def part(self, weights: Integers) -> Counts:
        """The distinct rows as often as is said, with no value that only others have."""
        stays = weights > 0
        columns = tuple(_part_of(column, stays, weights[stays]) for column in self.columns)
        return replace(self, columns=columns, weights=weights[stays], again=None)

    def dropped(self, omitted: Omission) -> Mask:
        """Which distinct rows are left out for what they hold."""
        dropped: Mask = self.weights == 0
        for name, values in omitted.values.items():
            dropped = dropped | values[self.column(name).codes]
        return dropped

    def omitting(self, omitted: Omission) -> Counts:
        """These counts without what is left out: it is counted as none."""
        return self.without(self.dropped(omitted))

    @cached_property
    def whole(self) -> Counts:
        """The table with all its columns, where that is not far more work: for what must not depend on the
        columns that a schema releases. Otherwise the table itself."""
        partial = self.again is not None and set(self.counted) != set(self.names)
        if self.again is None or not partial or self.rows * len(self.names) > MOST_CELLS:
            return self
        try:
            every = self.again(Wanted())
        except InputError:
            # A column that nobody needs is of a type that cannot be read.
            return self
        self.check_rows(every.rows)
        return every

    def wanted(self, wanted: Wanted) -> Counts:
        """The table with the columns that are wanted alone; those that must not repeat are known by their
        repeated values."""
        names = wanted.of(self.names if wanted.counted is not None else self.counted)
        unique = (name for name in wanted.unique_of(self.names) if name in self.by_name)
        repeats = {**self.repeats, **{name: _repeated(self.column(name)) for name in unique}}
        return replace(self.over([self.column(name) for name in names]), repeats=repeats)

    def sorted(self) -> Counts:
        """These rows, with values and rows in an order that does not depend on how they were counted."""
        return self.over([_sorted_values(column) for column in self.columns])

    def over(self, columns: Sequence[Column]) -> Counts:
        """The distinct rows of these columns, whose entries are those of the table."""
        codes = [np.where(column.codes < 0, len(column.texts), column.codes) for column in columns]
        if codes:
            first, weights = summed_rows(codes, [len(column.texts) + 1 for column in columns], self.weights)
        else:
            first, weights = np.zeros(1, dtype=np.int64), np.array([self.rows])
        fewer = (replace(column, codes=column.codes[first], weights=weights) for column in columns)
        return replace(self, columns=tuple(fewer), weights=weights)

    @property
    def repeats_fit(self) -> bool:
        """True if the rows fit into half of the machine's memory."""
        needed = self.rows * (BYTES_A_ROW + 4 * len(self.columns))
        return needed < machine_memory() // 2

    def repeat(self) -> Counts:
        """The rows themselves in the counted columns, each as often as it was counted; their order is not
        that of the data."""
        places = np.repeat(np.arange(self.entries), self.weights)
        weights = np.ones(len(places), dtype=np.int64)
        columns = (replace(column, codes=column.codes[places], weights=weights) for column in self.columns)
        return replace(self, columns=tuple(columns), weights=weights)

    def sample(self, names: Sequence[str], most: int) -> tuple[Codes, ...]:
        """The codes of some columns in at most that many rows, evenly spread."""
        step = -(-self.rows // most)
        places = np.searchsorted(np.cumsum(self.weights), np.arange(0, self.rows, step), side="right")
        return tuple(self.column(name).codes[places] for name in names)

    def tuples(self, coding: Coding) -> TupleCounts:
        remaining = np.flatnonzero(self.weights)
        codes: Sequence[Codes] = [
            lookup[self.column(name).codes[remaining]] for name, lookup in coding.items()
        ]
        return TupleCounts.of(codes, self.weights[remaining])


class Extent(NamedTuple):
    """Size of a table once it is unpacked, as the file itself declares."""

    rows: int
    columns: int
    bytes: int


def _part_of(column: Column, stays: Mask, weights: Integers) -> Column:
    """The entries of a column that stay, and their values."""
    codes = column.codes[stays]
    used = np.zeros(len(column.texts) + 1, dtype=np.bool_)
    used[codes] = True
    return replace(_arranged(replace(column, codes=codes), np.flatnonzero(used[:-1])), weights=weights)


def _sorted_values(column: Column) -> Column:
    """A column whose values stand in the order of their texts."""
    order = sorted(range(len(column.texts)), key=column.texts.__getitem__)
    return _arranged(column, np.array(order, dtype=np.int64))


def _arranged(column: Column, order: Integers) -> Column:
    """A column with the values at these places in this order; its entries have no others."""
    import pyarrow as pa

    if np.array_equal(order, np.arange(len(column.texts))):
        return column
    # The code of a null, -1, finds the last entry.
    places = np.full(len(column.texts) + 1, NULL, dtype=np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    texts = tuple(column.texts[place] for place in order.tolist())
    return replace(
        column, values=column.values.take(pa.array(order)), texts=texts, codes=places[column.codes]
    )


def _repeated(column: Column) -> Column:
    """The values of a column that more than one row has, each as one entry."""
    often = np.flatnonzero(column.counts > 1)
    weights = np.append(column.counts[often], column.nulls)
    entries = replace(column, codes=np.append(often, NULL).astype(np.int32))
    return _part_of(entries, np.ones(len(weights), dtype=np.bool_), weights)


def joined_column(first: Column, second: Column, weights: Integers | None = None) -> Column:
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
    return Column(first.name, kind, pa.array(texts, pa.string()), tuple(texts), codes, weights)


def _known_places(first: Column, second: Column) -> list[int | None]:
    """Where each value of the second column stands in the first, None for nowhere."""
    place_in_first = {text: place for place, text in enumerate(first.texts)}
    equal = {same: place for place, same in reversed([*enumerate(_identities(first, second.type))])}
    pairs = zip(second.texts, _identities(second, first.type), strict=True)
    return [place_in_first.get(text, equal.get(same)) for text, same in pairs]


def _identities(column: Column, beside: ColumnType) -> list[str]:
    """Texts by which values are compared: where types differ, 7.00 is 7 and a midnight is its date."""
    import pyarrow as pa

    if column.type == beside != "decimal":
        return list(column.texts)
    texts: Sequence[str] = column.texts
    if pa.types.is_floating(column.values.type):
        # All digits of a whole number, as an integer has them.
        cells = zip(column.values.to_pylist(), texts, strict=True)
        texts = [str(int(value)) if value == int(value) else text for value, text in cells]
    return [canonical_text(text) or text for text in texts]


def shared_values(first: Counts, second: Counts, name: str) -> tuple[str, ...]:
    """The values of a column that both tables have, as the first spells them."""
    old, new = first.every_value(name), second.every_value(name)
    texts, same = set(new.texts), set(_identities(new, old.type))
    pairs = zip(old.texts, _identities(old, new.type), strict=True)
    return tuple(text for text, identity in pairs if text in texts or identity in same)


def joined(first: Counts, second: Counts, shared: Mapping[str, tuple[str, ...]] | None = None) -> Counts:
    """Two tables as one: the entries of the first, then those of the second, in the columns that both have
    counted. `shared` are the values of columns that both have, as far as somebody has looked already."""
    weights = np.concatenate([first.weights, second.weights])
    columns = [
        joined_column(first.column(name), second.column(name), weights)
        for name in first.counted
        if name in second.counted
    ]
    return Counts(
        name=second.name,
        names=first.names,
        columns=tuple(columns),
        weights=weights,
        repeats={
            name: _repeated_in_both(
                first, second, name, (shared or {}).get(name) or shared_values(first, second, name)
            )
            for name in dict.fromkeys([*first.repeats, *second.repeats])
        },
    )


def _repeated_in_both(first: Counts, second: Counts, name: str, both: tuple[str, ...]) -> Column:
    """The values that more than one row of both has, be it one of each."""
    import pyarrow as pa

    columns = first.repeated(name), second.repeated(name)
    often: Counter[str] = Counter()
    for column in columns:
        places = np.flatnonzero(column.counts > 1).tolist()
        repeated = {column.texts[place]: int(column.counts[place]) for place in places}
        often.update({text: repeated.get(text, 1) for text in {*both, *repeated}})
    counts = [*often.values(), sum(column.nulls for column in columns)]
    codes = np.append(np.arange(len(often), dtype=np.int32), np.int32(NULL))
    values = pa.array([*often], pa.string())
    return Column(name, columns[0].type, values, tuple(often), codes, np.array(counts, dtype=np.int64))


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

        return nw.from_arrow(table, backend="polars").to_native()
    return table
