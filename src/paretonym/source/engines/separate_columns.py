"""Columns that are counted one by one where the rows are: what a draft of a schema needs, before anything
says which columns belong together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from paretonym.arrays import Codes, Integers, Mask
from paretonym.errors import Bug, InputError
from paretonym.source.data_source import NULL, Coding, ColumnType, Omission, TupleCounts, Wanted
from paretonym.source.dictionary_encoding import TooManyDistinctRows
from paretonym.source.file_relation import changed
from paretonym.source.table_counts import Column, Counts

# Of a column with more values than this, only some are brought, if it is one of identifiers.
MOST_VALUES = 200_000
MOST_SAMPLED = 20_000
MOST_TRIED = 20
# Counts some columns together, and reads every n-th row of some columns.
Count: TypeAlias = Callable[[Wanted], Counts]
Sample: TypeAlias = Callable[[Sequence[str], int], Counts]


def first_column(opened: Callable[[Wanted], Counts]) -> Counts:
    """A table of which one column is counted, to see what there is: the first that has not very many values,
    as identifiers have."""
    for skip in range(MOST_TRIED):
        try:
            return opened(Wanted(first=1, skip=skip, most=MOST_VALUES))
        except TooManyDistinctRows:
            continue
    return opened(Wanted(first=1))


class SeparateColumns:
    """Columns of rows in an engine, each counted by itself when it is asked for; a `RowSource`. `first` has
    the first of them, `count` counts others, `sampled` reads some rows, if the engine can."""

    def __init__(self, first: Counts, count: Count, sampled: Sample | None) -> None:
        self._first = first
        self._count = count
        self._sampled = sampled
        self._columns: dict[str, Column | SampledValues] = dict(first.by_name)

    @property
    def name(self) -> str:
        return self._first.name

    @property
    def path(self) -> str | None:
        return self._first.path

    @property
    def rows(self) -> int:
        return self._first.rows

    @property
    def names(self) -> tuple[str, ...]:
        return self._first.names

    @property
    def counted(self) -> tuple[str, ...]:
        return self.names

    @property
    def fingerprint(self) -> str:
        return self._first.fingerprint

    def column(self, name: str) -> Column | SampledValues:
        if name not in self._columns:
            self._columns[name] = self._counted(name)
        return self._columns[name]

    def repeated(self, name: str) -> Column | SampledValues:
        return self.column(name)

    def _counted(self, name: str) -> Column | SampledValues:
        """All values of a column, or some of them if there are very many and hardly any of them repeats."""
        if self._sampled is None:
            return self.together([name]).column(name)
        try:
            return self.together([name], MOST_VALUES).column(name)
        except TooManyDistinctRows:
            return self._few_of_many(name, self._sampled) or self.together([name]).column(name)

    def _few_of_many(self, name: str, sampled: Sample) -> SampledValues | None:
        """The values of some rows, and how many there are in all: known from those that repeat. None if there
        are too many of these."""
        try:
            first = next(iter(self._first.by_name))
            repeated = self._same(self._count(Wanted(frozenset({first}), frozenset({name})))).repeated(name)
        except InputError:
            return None
        rows = sampled([name], -(-self.rows // MOST_SAMPLED)).column(name)
        alone = self.rows - repeated.nulls - int(repeated.counts.sum())
        return SampledValues(rows, self.rows, repeated.nulls, alone + len(repeated.texts))

    def together(self, names: Sequence[str], most: int | None = None) -> Counts:
        """The distinct rows of some columns; an error if the data are no longer the same."""
        return self._same(self._count(Wanted(frozenset(names), most=most)))

    def _same(self, found: Counts) -> Counts:
        if found.rows != self.rows or found.names != self.names:
            raise changed(self._first.path or self.name)
        return found

    def omitting(self, omitted: Omission) -> SeparateColumns | LeftColumns:
        return LeftColumns(self, omitted) if omitted.values else self

    def tuples(self, coding: Coding) -> TupleCounts:
        raise Bug("columns were counted by themselves, not together")

    def sample(self, names: Sequence[str], most: int) -> tuple[Codes, ...]:
        if self._sampled is None:
            return ()
        rows = self._sampled(names, -(-self.rows // most))
        return tuple(self._coded(rows.column(name)) for name in names)

    def _coded(self, column: Column) -> Codes:
        """Codes of a sample as those of the whole column."""
        places = {text: place for place, text in enumerate(self.column(column.name).texts)}
        if isinstance(self.column(column.name), Column) and not places.keys() >= set(column.texts):
            raise changed(self._first.path or self.name)
        lookup = np.array([places.get(text, NULL) for text in column.texts] + [NULL], dtype=np.int32)
        return np.asarray(lookup[column.codes])


@dataclass(frozen=True, eq=False)
class SampledValues:
    """Some values of a column that has very many: those of some `rows`, which stand for all. `distinct` is
    how many there are."""

    column: Column
    rows: int
    nulls: int
    distinct: int

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def type(self) -> ColumnType:
        return self.column.type

    @property
    def texts(self) -> tuple[str, ...]:
        return self.column.texts

    @cached_property
    def counts(self) -> Integers:
        """How many rows each value stands for; all of them together are the rows with a value."""
        shares = np.cumsum(self.column.counts) / max(1, int(self.column.counts.sum()))
        ends = np.rint(shares * (self.rows - self.nulls)).astype(np.int64)
        return np.diff(ends, prepend=0)


class LeftColumns:
    """The rows that are not left out: each column is counted together with those that leave rows out."""

    def __init__(self, whole: SeparateColumns, omitted: Omission) -> None:
        self._whole, self._omitted = whole, omitted
        self.name, self.fingerprint = whole.name, whole.fingerprint
        self.names = self.counted = whole.names

    @cached_property
    def rows(self) -> int:
        return self._left([]).rows

    def column(self, name: str) -> Column:
        return self._left([name]).column(name)

    def repeated(self, name: str) -> Column:
        return self.column(name)

    def omitting(self, omitted: Omission) -> LeftColumns:
        return LeftColumns(self._whole, Omission({**self._omitted.values, **omitted.values}))

    def tuples(self, coding: Coding) -> TupleCounts:
        return self._whole.tuples(coding)

    def _left(self, names: Sequence[str]) -> Counts:
        counts = self._whole.together([*self._omitted.values, *names])
        return counts.omitting(Omission(self._masks(counts)))

    def _masks(self, counts: Counts) -> Mapping[str, Mask]:
        """Which values leave a row out, in the order that they have where columns were counted together."""
        masks = {}
        for name, gone in self._omitted.values.items():
            texts = self._whole.column(name).texts
            leaving = {text for text, out in zip(texts, gone.tolist(), strict=False) if out}
            leaves = [text in leaving for text in counts.column(name).texts]
            masks[name] = np.array([*leaves, bool(gone[-1])], dtype=np.bool_)
        return masks
