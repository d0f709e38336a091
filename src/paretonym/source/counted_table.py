"""A table that was counted where it lies: its distinct rows, each with how often it occurs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from paretonym.arrays import Codes, Integers, Mask
from paretonym.budget import machine_memory
from paretonym.errors import Field, InputError
from paretonym.source.data_source import Coding, ColumnType, Omission, TupleCounts, ValueCounts, Wanted
from paretonym.source.table import Column, Table

# What sorting and drawing take for each row, besides its codes.
BYTES_A_ROW = 100


@dataclass(frozen=True, eq=False)
class CountedColumn(Column):
    """One column of distinct rows: row i of these stands for `weights[i]` rows of the table."""

    weights: Integers

    @cached_property
    def counts(self) -> Integers:
        """How many rows of the table hold each distinct value."""
        return self._rows[:-1]

    @cached_property
    def nulls(self) -> int:
        return int(self._rows[-1])

    @cached_property
    def _rows(self) -> Integers:
        sums = np.zeros(len(self.texts) + 1, dtype=np.int64)
        # The code of a null, -1, finds the last entry.
        np.add.at(sums, self.codes, self.weights)
        return sums


@dataclass(frozen=True, eq=False)
class RepeatedValues:
    """The values of a column that more than one row has, and how many rows have each."""

    name: str
    type: ColumnType
    texts: tuple[str, ...]
    counts: Integers
    nulls: int


@dataclass(frozen=True, eq=False)
class CountedTable:
    """The distinct rows of the columns that a schema needs, with their `weights`; a `DataSource`.

    `names` are all columns of the data, `columns` those that were counted, `repeats` the repeated values of
    columns that must not have any. `kind`, `path`, `encoding` and `separator` are what they are of a `Table`;
    `files` are the files that were read, `engine` is what counted, `memory` the limit that it was given;
    `selection` is the table or query of a database. `collect` reads all rows where the caller handed in a
    frame that can be computed; `frame_of` makes a frame of the same engine, if its workers can, of rows in
    Arrow that are repeated as often as the last column says. `levels` are
    those of the quasi-identifiers at which rows were counted, where unchanged values would be too many.
    `again` counts other columns of the same data, and `blocks` reads all rows of one column, block by block.
    `categories` are those of a `Table`.
    """

    name: str
    names: tuple[str, ...]
    columns: tuple[CountedColumn, ...]
    weights: Integers
    fingerprint: str
    engine: str
    repeats: Mapping[str, RepeatedValues]
    kind: str = "file"
    path: str | None = None
    encoding: str | None = None
    separator: str | None = None
    files: tuple[str, ...] = ()
    memory: str | None = None
    selection: Mapping[str, str] = field(default_factory=dict)
    collect: Callable[[], Table] | None = None
    frame_of: Callable[[Any], Any] | None = None
    levels: Mapping[str, int] = field(default_factory=dict)
    again: Callable[[Wanted], Table | CountedTable] | None = None
    blocks: Callable[[str], Iterator[Any]] | None = None
    categories: Mapping[str, bool] = field(default_factory=dict)

    @cached_property
    def rows(self) -> int:
        return int(self.weights.sum())

    @property
    def entries(self) -> int:
        """How many codes each column has."""
        return len(self.weights)

    @cached_property
    def by_name(self) -> dict[str, CountedColumn]:
        return {column.name: column for column in self.columns}

    @property
    def counted(self) -> tuple[str, ...]:
        return tuple(self.by_name)

    def column(self, name: str) -> CountedColumn:
        if name not in self.by_name:
            raise InputError.of(
                f"{self.name}, column '{name}'",
                "its values were not counted: it is neither a quasi-identifier nor published",
                f"omit its rule for missing values, or read the rows with {Field('engine', 'memory')}",
            )
        return self.by_name[name]

    def repeated(self, name: str) -> RepeatedValues:
        return self.repeats[name]

    def every_value(self, name: str) -> ValueCounts:
        """The distinct values of a column, whether or not it was counted with the others."""
        if name in self.by_name or self.again is None:
            return self.column(name)
        found = self.again(Wanted(frozenset({name})))
        self.check_rows(found.rows)
        return found.column(name)

    def check_rows(self, rows: int) -> None:
        """Refuse data that have another number of rows when they are read once more."""
        if rows != self.rows:
            wrong = "the data were changed while they were read"
            raise InputError.of(self.path or self.name, wrong, "try again when nothing writes to them")

    def without(self, gone: Mask) -> CountedTable:
        """The table without these distinct rows, which are counted as none."""
        weights = np.where(gone, 0, self.weights)
        columns = tuple(replace(column, weights=weights) for column in self.columns)
        return replace(self, columns=columns, weights=weights)

    def dropped(self, omitted: Omission) -> Mask:
        """Which distinct rows are left out for what they hold."""
        dropped: Mask = self.weights == 0
        for name, values in omitted.values.items():
            dropped = dropped | values[self.column(name).codes]
        return dropped

    def omitting(self, omitted: Omission) -> CountedTable:
        """What is left out is counted as none."""
        return self.without(self.dropped(omitted))

    @property
    def repeats_fit(self) -> bool:
        """Whether the distinct rows say what each row has in the counted columns, and the rows fit into half
        of the machine's memory."""
        needed = self.rows * (BYTES_A_ROW + 4 * len(self.columns))
        return not self.levels and needed < machine_memory() // 2

    @property
    def whole(self) -> bool:
        """Whether all columns were counted, too, so that only the order of rows is not known."""
        return self.counted == self.names and self.repeats_fit

    def repeat(self) -> Table:
        """The rows themselves in the counted columns, each as often as it was counted; their order is not
        that of the data."""
        places = np.repeat(np.arange(self.entries), self.weights)
        columns = tuple(
            Column(column.name, column.type, column.values, column.texts, column.codes[places])
            for column in self.columns
        )
        categories = self.categories
        return Table(self.name, self.rows, columns, self.fingerprint, self.kind, categories=categories)

    def values_in(self, stays: Mask, names: Sequence[str]) -> Mapping[str, Codes]:
        """The values of some columns in the distinct rows that are marked, some perhaps several times."""
        return {name: self.column(name).codes[stays] for name in names}

    def tuples(self, coding: Coding) -> TupleCounts:
        left = np.flatnonzero(self.weights)
        codes: Sequence[Codes] = [lookup[self.column(name).codes[left]] for name, lookup in coding.items()]
        return TupleCounts.of(codes, self.weights[left])
