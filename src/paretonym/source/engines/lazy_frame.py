"""Lazy frames and relations (whatever Narwhals opens without computing it), counted where they are: only
distinct rows and their counts are collected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import narwhals as nw

from paretonym.errors import InputError
from paretonym.source.data_source import Wanted
from paretonym.source.dataframe import KINDS, kept_type
from paretonym.source.dictionary_encoding import (
    ArrowCounts,
    check_room,
    check_shape,
    counted_columns,
    in_type,
    repeated_values,
    room_for,
    type_problems,
)
from paretonym.source.engines.coarse_counts import ERROR, CoarseRows, coarse_table, columns_of, reopened
from paretonym.source.engines.duckdb_session import parse_memory
from paretonym.source.engines.frame_dialects import Dialect, asking, dialect_of
from paretonym.source.engines.hashed_rows import HashedRows
from paretonym.source.engines.spooled_rows import ArrowCells, Lines, spooled
from paretonym.source.file_relation import changed
from paretonym.source.table_counts import Counts, RepeatedValues

NAME = "the dataframe"
# Those of an enumeration are ordered, as Arrow has them.
CATEGORIES = (nw.Categorical, nw.Enum)
# Rows of a column that are brought back at a time, where an answer comes whole.
BROUGHT = 1 << 20


def is_lazy(data: Any) -> bool:
    """Whether data are a frame that was not computed yet."""
    try:
        return isinstance(nw.from_native(data), nw.LazyFrame)
    except (TypeError, ValueError):
        return False


def count_frame(data: Any, wanted: Wanted, memory: str | None) -> Counts:
    """The distinct rows of a lazy frame with their counts."""
    frame: Any = nw.from_native(data)
    shape = frame.collect_schema()
    every = tuple(shape.names())
    check_shape(NAME, every, rows=1)
    kind, dialect = str(frame.implementation), dialect_of(frame)
    counts = FrameCounts(data, dialect, NAME, parse_memory(memory))
    return replace(
        counts.table(wanted, every),
        kind=kind if kind in KINDS else "pyarrow",
        memory=memory,
        blocks=counts.column_blocks,
        frame_of=None if dialect.frame_of is None else partial(dialect.frame_of, data),
        categories={name: kind == nw.Enum for name, kind in shape.items() if kind in CATEGORIES},
    )


@dataclass(frozen=True, slots=True)
class FrameCounts:
    """A frame of some engine, and what is asked of it. `limit` is the memory that distinct rows may take
    here, `place` names the frame in messages; `types` are those of the columns in Arrow, where they are known
    better than by the engine."""

    data: Any
    dialect: Dialect
    place: str
    limit: int
    types: Mapping[str, Any] | None = None

    def table(self, wanted: Wanted, every: tuple[str, ...]) -> Counts:
        """The distinct rows of the columns that are wanted, at coarser levels if they are too many."""
        names, unique = wanted.of(every), wanted.unique_of(every)
        found = None if wanted.at else self.distinct_rows(names, wanted.levels is not None)
        if found is None:
            table = self._coarse(wanted, every)
        else:
            rows = int(found.weights.sum())
            columns = counted_columns(self.place, names, found)
            table = Counts(
                name=self.place,
                names=every,
                columns=columns,
                weights=found.weights,
                repeats={name: self.repeated(name, rows) for name in unique},
            )
        return table

    def distinct_rows(self, names: Sequence[str], coarsens: bool = False) -> ArrowCounts | None:
        """The distinct rows of some columns; None if they are too many and can be counted coarser."""
        room = room_for(len(names), self.limit)
        if (number := self._crowd(names, room)) == 0:
            with self._grouped(names) as grouped:
                number = self._totals(grouped)[0] if self.dialect.keeps else 0
                if number <= room:
                    found = self._collected(grouped, names)
                    number = len(found.weights)
        if number > room:
            if not coarsens:
                check_room(self.place, number, len(names), self.limit)
            return None
        if not number:
            raise InputError.of(self.place, "there is no row", "give a table with rows")
        return found

    def _crowd(self, names: Sequence[str], room: int) -> int:
        """About how many distinct rows there are, if they are too many; else zero."""
        with self._asking():
            chosen = self.dialect.placed(self.data, names)
            counted = nw.from_native(chosen).select(nw.len().alias("n")).collect(backend="pyarrow")
            if counted.to_native().column("n")[0].as_py() <= room:
                return 0
            number = self.dialect.estimate(chosen)
        return number if number > room * ERROR else 0

    def repeated(self, name: str, rows: int) -> RepeatedValues:
        """The values of a column that more than one row has."""
        with self._grouped([name]) as grouped:
            if self._totals(grouped)[1] != rows:
                raise changed(self.place)
            found = self._collected(grouped.filter(nw.col("n") > 1), [name])
        return repeated_values(self.place, name, found)

    def column_blocks(self, name: str) -> Iterator[Any]:
        """All cells of a column, block by block."""
        if self.dialect.batches is not None:
            yield from (block for (block,) in self._blocks([name]))
            return
        with self._asking():
            chosen = self.dialect.placed(self.data, [name])
            types = self._kept([name], self.dialect.types(chosen) or ())
        self._check_types([name], types)
        with self.dialect.held(chosen) as kept:
            yield from (in_type(cells, types[0], self.place) for cells in self._brought(kept))

    def _brought(self, frame: Any) -> Iterator[Any]:
        """The first column of a frame that an engine keeps, some of its rows at a time: an answer comes back
        whole, so that each asks for the rows whose hash leaves one remainder."""
        with self._asking():
            parts = 1 + int(frame.count()) // BROUGHT
        for part in range(parts):
            with self._asking():
                own = frame.filter(f"pmod(xxhash64(c0), {parts}) = {part}").toArrow()
            yield from own.column(0).chunks

    def _coarse(self, wanted: Wanted, every: tuple[str, ...]) -> Counts:
        names = wanted.of(every)
        cells = [ArrowCells(self.place) for _ in names]

        @contextmanager
        def opened() -> Iterator[CoarseRows]:
            with self._hashed(names) if self.dialect.batches is None else self._spooled(names, cells) as rows:
                yield rows

        with opened() as data:
            again, rows = reopened(data, opened), data.rows({})
            repeats = {name: self.repeated(name, rows) for name in wanted.unique_of(every)}
            source = columns_of(data, every, repeats)
            return coarse_table(data, wanted, source, again, self.dialect.engine)

    @contextmanager
    def _hashed(self, names: Sequence[str]) -> Iterator[CoarseRows]:
        """Rows that stay in the engine."""
        with self._asking():
            chosen = self.dialect.placed(self.data, names)
            types = self._kept(names, self.dialect.types(chosen) or ())
        held = self.dialect.held
        yield HashedRows(chosen, tuple(names), tuple(types), self.place, self.limit, self._asking, held)

    @contextmanager
    def _spooled(self, names: Sequence[str], cells: Sequence[ArrowCells]) -> Iterator[CoarseRows]:
        """Rows that pass through."""
        lines = Lines(cells, self._blocks(names), lambda: [each.values for each in cells])
        with spooled(self.place, self.limit, names, lines) as rows:
            yield rows

    def _blocks(self, names: Sequence[str]) -> Iterator[Sequence[Any]]:
        with self._asking():
            chosen = self.dialect.placed(self.data, names)
            batches = (self.dialect.batches or iter)(chosen)
        while True:
            with self._asking():
                batch = next(batches, None)
            if batch is None:
                return
            types = self._kept(names, batch.schema.types)
            self._check_types(names, types)
            yield [
                each if each.type == kind else each.cast(kind)
                for each, kind in zip(batch.columns, types, strict=True)
            ]

    def _kept(self, names: Sequence[str], types: Sequence[Any]) -> list[Any]:
        if self.types is not None:
            return [self.types[name] for name in names]
        frame = nw.from_native(self.data)
        return [kept_type(frame, kind) for kind in types]

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

    def _collected(self, frame: Any, names: Sequence[str]) -> ArrowCounts:
        with self._asking():
            # Dask brings an index along.
            table = frame.collect(backend="pyarrow").to_native().select([*_places(names), "n"])
        types = self._kept(names, table.schema.types[:-1])
        self._check_types(names, types)
        return ArrowCounts.of(types, table.to_batches(), self.place)

    def _check_types(self, names: Sequence[str], types: Sequence[Any]) -> None:
        if problems := type_problems(self.place, dict(zip(names, types, strict=True))):
            raise InputError(problems)

    def _asking(self) -> AbstractContextManager[None]:
        return asking(self.dialect.engine, self.place)


def _places(names: Sequence[str]) -> list[str]:
    return [f"c{number}" for number in range(len(names))]
