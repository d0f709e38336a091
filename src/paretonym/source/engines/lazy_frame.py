"""Lazy frames and relations (whatever Narwhals opens without computing it), counted where they are: only
distinct rows and their counts are collected."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import narwhals as nw

from paretonym.errors import InputError
from paretonym.source.counted_table import CountedTable, RepeatedValues
from paretonym.source.data_source import Wanted
from paretonym.source.dataframe import KINDS, kept_type, read_dataframe
from paretonym.source.dictionary_encoding import check_shape
from paretonym.source.engines.counting_engine import (
    ArrowCounts,
    check_room,
    counted_columns,
    repeated_values,
    type_problems,
)
from paretonym.source.engines.duckdb_session import parse_memory
from paretonym.source.engines.file_set import changed
from paretonym.source.engines.frame_dialects import Dialect, asking, dialect_of
from paretonym.source.fingerprint import tuples_fingerprint

NAME = "the dataframe"


def is_lazy(data: Any) -> bool:
    """Whether data are a frame that was not computed yet."""
    try:
        return isinstance(nw.from_native(data), nw.LazyFrame)
    except (TypeError, ValueError):
        return False


def count_frame(data: Any, wanted: Wanted, memory: str | None = None) -> CountedTable:
    """The distinct rows of a lazy frame with their counts."""
    frame: Any = nw.from_native(data)
    every = tuple(frame.collect_schema().names())
    check_shape(NAME, every, rows=1)
    kind, dialect = str(frame.implementation), dialect_of(frame)
    counts = FrameCounts(data, dialect, NAME, parse_memory(memory))
    names = wanted.of(every)
    found = counts.distinct_rows(names)
    columns = counted_columns(NAME, names, found)
    return CountedTable(
        name=NAME,
        names=every,
        columns=columns,
        weights=found.weights,
        fingerprint=tuples_fingerprint(columns, found.weights),
        engine=dialect.engine,
        repeats={name: counts.repeated(name, found) for name in wanted.unique_of(every)},
        kind=kind if kind in KINDS else "pyarrow",
        memory=memory,
        collect=lambda: read_dataframe(data),
        tasks=None if dialect.tasks is None else dialect.tasks(data),
        frames=None if dialect.frames is None else dialect.frames(data),
    )


@dataclass(frozen=True, slots=True)
class FrameCounts:
    """A frame of some engine, and what is asked of it. `limit` is the memory that distinct rows may take
    here, `place` names the frame in messages; `fault` finds in the text of an error what a reader of ours
    has said, where one runs in the engine."""

    data: Any
    dialect: Dialect
    place: str
    limit: int
    fault: Callable[[str], Exception | None] = lambda _: None

    def distinct_rows(self, names: Sequence[str], types: Sequence[Any] | None = None) -> ArrowCounts:
        """The distinct rows of some columns, in the types that are given or in those of the engine."""
        with self._grouped(names) as grouped:
            if self.dialect.keeps:
                check_room(self.place, self._totals(grouped)[0], len(names), self.limit)
            found = self._collected(grouped, names, types)
        if not len(found.weights):
            raise InputError.of(self.place, "there is no row", "give a table with rows")
        return found

    def repeated(self, name: str, counted: ArrowCounts, types: Sequence[Any] | None = None) -> RepeatedValues:
        """The values of a column that more than one row has."""
        with self._grouped([name]) as grouped:
            if self._totals(grouped)[1] != counted.weights.sum():
                raise changed(self.place)
            found = self._collected(grouped.filter(nw.col("n") > 1), [name], types)
        return repeated_values(self.place, name, found)

    @contextmanager
    def _grouped(self, names: Sequence[str]) -> Iterator[Any]:
        """Columns are called by their places meanwhile: a name of theirs might be that of the counts."""
        with self._asking():
            chosen = self.dialect.placed(self.data, names)
            known = self.dialect.types(chosen)
        if known is not None:
            self._check_types(names, known)
        with self._asking():
            grouped = nw.from_native(chosen).group_by(*_places(names)).agg(nw.len().alias("n"))
        with self.dialect.held(grouped.to_native()) as held:
            yield nw.from_native(held)

    def _totals(self, grouped: Any) -> tuple[int, int]:
        """How many distinct rows there are, and how many rows."""
        with self._asking():
            totals = grouped.select(nw.len().alias("distinct"), nw.col("n").sum().alias("rows"))
            found = totals.collect(backend="pyarrow").to_native()
        distinct, rows = (found.column(name)[0].as_py() for name in ("distinct", "rows"))
        return int(distinct), int(rows or 0)

    def _collected(self, frame: Any, names: Sequence[str], types: Sequence[Any] | None) -> ArrowCounts:
        with self._asking():
            # Dask brings an index along.
            table = frame.collect(backend="pyarrow").to_native().select([*_places(names), "n"])
        if types is None:
            types = [kept_type(frame, kind) for kind in table.schema.types[:-1]]
            self._check_types(names, types)
        return ArrowCounts.of(types, table.to_batches(), self.place)

    def _check_types(self, names: Sequence[str], types: Sequence[Any]) -> None:
        if problems := type_problems(self.place, dict(zip(names, types, strict=True))):
            raise InputError(problems)

    def _asking(self) -> AbstractContextManager[None]:
        return asking(self.dialect.engine, self.place, self.fault)


def _places(names: Sequence[str]) -> list[str]:
    return [f"c{number}" for number in range(len(names))]
