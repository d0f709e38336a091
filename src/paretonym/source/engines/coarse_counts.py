"""Distinct rows that are too many for memory, counted at the lowest levels that fit.

The values of each column are counted by themselves first; the schema says which set of each level a value
belongs to. Then rows are counted with one value in place of each set, by joins with small tables. Levels
start at the lowest that the schema allows. As long as there are too many distinct rows, the quasi-identifier
with the most sets, the first of them in the schema, goes up one level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from paretonym.arrays import Codes, Integers
from paretonym.arrow import pa
from paretonym.errors import Bug
from paretonym.source.coarse_table import CoarseColumn, CoarseCounts
from paretonym.source.data_source import Coding, ColumnType, Omission, QuasiLevels, TupleCounts, Wanted
from paretonym.source.dictionary_encoding import ArrowCounts, check_room, counted_column, room_for
from paretonym.source.file_relation import changed
from paretonym.source.table_counts import Column, RepeatedValues

# An approximate count may be this much too low.
ERROR = 1.1


class CoarseRows(Protocol):
    """Rows in an engine, which can be read several times and stay the same: `names` are the columns that are
    counted. What an engine has in the place of a value is called raw; `gone` are, by column, the raw values
    that leave a row out; `maps` are, by column, tables of raw values, of their codes, and of the codes of the
    values that stand for their sets."""

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def place(self) -> str: ...
    @property
    def limit(self) -> int: ...

    def read(self, name: str, cells: Any) -> Any:
        """The values that raw ones stand for."""
        ...

    def values(self, name: str) -> ArrowCounts:
        """The distinct raw values of a column; refused where there is no room for them."""
        ...

    def rows(self, gone: Mapping[str, Any]) -> int:
        """How many rows are left."""
        ...

    def rows_by_code(self, name: str, raw: Any, codes: Codes, gone: Mapping[str, Any]) -> ArrowCounts:
        """How many of the rows that are left have a raw value of each code."""
        ...

    def estimate(self, maps: Mapping[str, Any]) -> int:
        """About how many distinct rows there are with one value in place of each set."""
        ...

    def count(self, maps: Mapping[str, Any], most: int) -> ArrowCounts | int:
        """These distinct rows, in which mapped columns are codes; only their number if it is above `most`."""
        ...

    def values_among(
        self, maps: Mapping[str, Any], gone: Mapping[str, Any], shown: Mapping[str, Codes]
    ) -> Mapping[str, Any]:
        """By mapped column, the codes of the values in the rows that are left and have one of these tuples of
        codes."""
        ...

    def mark(self) -> tuple[int, ...]:
        """Numbers that change with the rows, whatever their order."""
        ...


# Opens the same rows again, later.
Again: TypeAlias = Callable[[], AbstractContextManager[CoarseRows]]


def reopened(data: CoarseRows, opened: Again) -> Again:
    """A way to open rows for a second time; rows that have changed are refused then."""
    mark = data.mark()

    @contextmanager
    def again() -> Iterator[CoarseRows]:
        with opened() as same:
            if same.mark() != mark:
                raise changed(data.place)
            yield same

    return again


class RawValues(NamedTuple):
    """The values of a column as an engine has them, each once. Entry i of the codes of `column` is that of
    raw value i."""

    raw: Any
    column: Column


@dataclass(frozen=True, eq=False)
class LeftValues:
    """A column in the rows that are not left out."""

    name: str
    type: ColumnType
    texts: tuple[str, ...]
    rows: Integers

    @property
    def counts(self) -> Integers:
        return self.rows[:-1]

    @property
    def nulls(self) -> int:
        return int(self.rows[-1])


@dataclass(frozen=True, eq=False)
class ColumnSource:
    """Columns of rows in an engine, each counted by itself: what a schema needs before it can say what its
    levels are. `gone` are the values that leave a row out."""

    data: CoarseRows
    every: tuple[str, ...]
    values: Mapping[str, RawValues]
    repeats: Mapping[str, RepeatedValues]
    rows: int
    gone: Mapping[str, Any]
    fingerprint: str = ""
    # What the engine was asked already.
    _left: dict[str, LeftValues] = field(default_factory=dict)
    _rest: dict[str, ColumnSource] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.data.place

    @property
    def names(self) -> tuple[str, ...]:
        return self.every

    @property
    def counted(self) -> tuple[str, ...]:
        return self.data.names

    def column(self, name: str) -> Column | LeftValues:
        known = self.values[name]
        if not self.gone:
            return known.column
        if name not in self._left:
            self._left[name] = self._left_values(name, known)
        return self._left[name]

    def _left_values(self, name: str, known: RawValues) -> LeftValues:
        found = self.data.rows_by_code(name, known.raw, known.column.codes, self.gone)
        rows = np.zeros(len(known.column.texts) + 1, dtype=np.int64)
        # The code of a null, -1, finds the last entry.
        rows[found.column(0).to_numpy()] = found.weights
        return LeftValues(name, known.column.type, known.column.texts, rows)

    def repeated(self, name: str) -> RepeatedValues:
        return self.repeats[name]

    def omitting(self, omitted: Omission) -> ColumnSource:
        gone = {
            name: self.values[name].raw.filter(pa.array(mask[self.values[name].column.codes]))
            for name, mask in omitted.values.items()
        }
        if not any(map(len, gone.values())):
            return self
        key = repr([(name, mask.tobytes()) for name, mask in omitted.values.items()])
        if key not in self._rest:
            rows = self.data.rows(gone)
            self._rest[key] = ColumnSource(self.data, self.every, self.values, self.repeats, rows, gone)
        return self._rest[key]

    def tuples(self, coding: Coding) -> TupleCounts:
        raise Bug("columns were counted by themselves, not together")


def columns_of(
    data: CoarseRows, every: tuple[str, ...], repeats: Mapping[str, RepeatedValues]
) -> ColumnSource:
    """Every column counted by itself."""
    values = {name: _values(data, name) for name in data.names}
    return ColumnSource(data, every, values, repeats, data.rows({}), {})


def _values(data: CoarseRows, name: str) -> RawValues:
    found = data.values(name)
    raw = found.column(0).combine_chunks()
    return RawValues(raw, _column(data, name, raw, found.weights))


def _column(data: CoarseRows, name: str, raw: Any, weights: Integers) -> Column:
    return counted_column(data.place, name, data.read(name, raw), weights)


def coarse_table(
    data: CoarseRows, wanted: Wanted, source: ColumnSource, again: Again, engine: str = "duckdb"
) -> CoarseCounts:
    """The distinct rows at the lowest levels that fit, or at those that are wanted. `again` opens the same
    rows once more."""
    if wanted.levels is None:
        raise Bug("nothing says what coarser levels are")
    known = wanted.levels(source)
    chosen = dict(wanted.at or {name: min(maps) for name, maps in known.maps.items()})
    columns, room = len(data.names), room_for(len(data.names), data.limit)
    while True:
        maps = {name: _map(source.values[name], known, name, level) for name, level in chosen.items()}
        found: ArrowCounts | int = room + 1
        if wanted.at or data.estimate(maps) <= room * ERROR:
            found = data.count(maps, room)
        if isinstance(found, ArrowCounts):
            return _table(source, known, chosen, maps, found, again, engine)
        if wanted.at or not _raise(chosen, known, maps):
            check_room(data.place, max(found, room + 1), columns, data.limit)


def _map(values: RawValues, known: QuasiLevels, name: str, level: int) -> Any:
    """For each raw value its code, and that of the value that stands for its set: the first of its texts.
    What leaves a row out stands with its like only."""
    column, groups = values.column, known.maps[name][level]
    gone = known.omitted.values.get(name, np.zeros(len(groups), dtype=np.bool_))
    ranks = np.append(np.argsort(np.argsort(column.texts)), len(column.texts))
    keys = np.stack([groups.astype(np.int64), gone.astype(np.int64)], axis=1)
    _, place = np.unique(keys, axis=0, return_inverse=True)
    order = np.argsort(ranks, kind="stable")[::-1]
    first = np.empty(int(place.max()) + 1, dtype=np.int32)
    codes = np.append(np.arange(len(column.texts), dtype=np.int32), np.int32(-1))
    # Assigned from the last text to the first, so that the first stays.
    first[place.ravel()[order]] = codes[order]
    stands: Codes = first[place.ravel()][column.codes]
    return pa.table({"raw": values.raw, "code": column.codes, "stands": stands})


def _raise(chosen: dict[str, int], known: QuasiLevels, maps: Mapping[str, Any]) -> bool:
    """Raise the quasi-identifier with the most sets by one level; False if all are at their highest."""
    open_names = [name for name, level in chosen.items() if level < max(known.maps[name])]
    if not open_names:
        return False
    # The first of several.
    chosen[max(open_names, key=lambda name: len(maps[name].column("stands").unique()))] += 1
    return True


def _table(
    source: ColumnSource,
    known: QuasiLevels,
    chosen: Mapping[str, int],
    maps: Mapping[str, Any],
    found: ArrowCounts,
    again: Again,
    engine: str,
) -> CoarseCounts:
    data, weights = source.data, found.weights
    if weights.sum() != source.rows:
        raise changed(data.place)
    left = source.omitting(known.omitted)
    columns = []
    for place, name in enumerate(data.names):
        if name not in maps:
            columns.append(_column(data, name, found.column(place), weights))
            continue
        whole, rest = source.values[name].column, left.column(name)
        columns.append(
            CoarseColumn(
                name, whole.type, whole.values, whole.texts,
                found.column(place).to_numpy().astype(np.int32), weights,
                value_rows=np.append(whole.counts, whole.nulls),
                left_rows=np.append(rest.counts, rest.nulls),
            )
        )  # fmt: skip
    return CoarseCounts(
        name=data.place,
        names=source.every,
        columns=tuple(columns),
        weights=weights,
        engine=engine,
        repeats=source.repeats,
        levels=dict(chosen),
        finer=partial(_finer_values, again, maps, left.gone),
    )


def _finer_values(
    again: Again, maps: Mapping[str, Any], gone: Mapping[str, Any], shown: Mapping[str, Codes]
) -> dict[str, Codes]:
    """The values of quasi-identifiers in the rows that are not left out and have one of these tuples."""
    with again() as data:
        found = data.values_among(maps, gone, shown)
        return {name: codes.to_numpy().astype(np.int32) for name, codes in found.items()}
