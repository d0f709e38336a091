"""Distinct rows that are too many for memory, counted at the lowest levels that fit.

The values of each column are counted by themselves first; the schema says which set of each level a value
belongs to. Then rows are counted with one value in place of each set, by joins with small tables. Levels
start at the lowest that the schema allows. As long as there are too many distinct rows, the quasi-identifier
with the most sets, the first of them in the schema, goes up one level.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from paretonym.arrays import Codes, Integers
from paretonym.arrow import pa
from paretonym.errors import Bug
from paretonym.source.coarse_table import CoarseColumn, CoarseTable
from paretonym.source.counted_table import CountedColumn, RepeatedValues
from paretonym.source.data_source import Coding, ColumnType, Omission, QuasiLevels, TupleCounts, Wanted
from paretonym.source.engines.counting_engine import ArrowCounts, check_room, counted_column, room_for
from paretonym.source.engines.duckdb_session import Session
from paretonym.source.engines.file_set import changed
from paretonym.source.fingerprint import TUPLES, tuples_fingerprint

# An approximate count may be this much too low.
ERROR = 1.1


class Rows(NamedTuple):
    """Rows in an engine: a query with the columns c0, c1, … by these names."""

    engine: Session
    query: str
    names: tuple[str, ...]
    types: tuple[Any, ...]
    place: str

    def at(self, name: str) -> str:
        return f"c{self.names.index(name)}"


# Opens the same rows again, later.
Again: TypeAlias = Callable[[], AbstractContextManager[Rows]]


class RawValues(NamedTuple):
    """The values of a column as an engine has them, each once. Entry i of the codes of `column` is that of
    raw value i."""

    raw: Any
    column: CountedColumn


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

    data: Rows
    every: tuple[str, ...]
    values: Mapping[str, RawValues]
    repeats: Mapping[str, RepeatedValues]
    rows: int
    gone: Mapping[str, Any]
    fingerprint: str = ""

    @property
    def name(self) -> str:
        return self.data.place

    @property
    def names(self) -> tuple[str, ...]:
        return self.every

    @property
    def counted(self) -> tuple[str, ...]:
        return self.data.names

    def column(self, name: str) -> CountedColumn | LeftValues:
        known = self.values[name]
        if not self.gone:
            return known.column
        rows = _rows_of_values(self.data, name, known, self.gone)
        return LeftValues(name, known.column.type, known.column.texts, rows)

    def repeated(self, name: str) -> RepeatedValues:
        return self.repeats[name]

    def omitting(self, omitted: Omission) -> ColumnSource:
        gone = {
            name: self.values[name].raw.filter(pa.array(mask[self.values[name].column.codes]))
            for name, mask in omitted.values.items()
        }
        rows = _number(self.data, "count(*)", gone)
        return ColumnSource(self.data, self.every, self.values, self.repeats, rows, gone)

    def tuples(self, coding: Coding) -> TupleCounts:
        raise Bug("columns were counted by themselves, not together")


def columns_of(data: Rows, every: tuple[str, ...], repeats: Mapping[str, RepeatedValues]) -> ColumnSource:
    """Every column counted by itself."""
    values = {name: _values(data, name) for name in data.names}
    (rows,) = data.engine.row(f"select count(*) from ({data.query})")
    return ColumnSource(data, every, values, repeats, rows, {})


def _values(data: Rows, name: str) -> RawValues:
    place = data.names.index(name)
    grouped = f"select c{place} as raw, count(*) as n from ({data.query}) group by all"
    data.engine.run(f"create or replace temp table of_column as {grouped}")
    (distinct,) = data.engine.row("select count(*) from of_column")
    check_room(f"{data.place}, column '{name}'", distinct, 1, data.engine.limit)
    found = ArrowCounts.of([data.types[place]], data.engine.batches("from of_column"), data.place)
    raw = found.column(0).combine_chunks()
    return RawValues(raw, counted_column(data.place, name, found, 0, found.weights))


def _left(data: Rows, gone: Mapping[str, Any]) -> str:
    """A query for the rows that are not left out."""
    joins = []
    for number, (name, raw) in enumerate(gone.items()):
        data.engine.keep(f"gone{number}", pa.table({"raw": raw}))
        joins.append(f" anti join gone{number} on q.{data.at(name)} is not distinct from gone{number}.raw")
    return f"(select q.* from ({data.query}) as q{''.join(joins)})"


def _number(data: Rows, what: str, gone: Mapping[str, Any]) -> int:
    (found,) = data.engine.row(f"select {what} from {_left(data, gone)}")
    return int(found)


def _rows_of_values(data: Rows, name: str, known: RawValues, gone: Mapping[str, Any]) -> Integers:
    """How many rows that are left have each distinct value and, last, none."""
    data.engine.keep("known", pa.table({"raw": known.raw, "code": known.column.codes}))
    query = (
        f"select code, count(*) as n from {_left(data, gone)} as q "
        f"join known on q.{data.at(name)} is not distinct from known.raw group by all"
    )
    rows = np.zeros(len(known.column.texts) + 1, dtype=np.int64)
    for batch in data.engine.batches(query):
        # The code of a null, -1, finds the last entry.
        rows[batch.column(0).to_numpy()] = batch.column(1).to_numpy()
    return rows


def coarse_table(data: Rows, wanted: Wanted, source: ColumnSource, again: Again) -> CoarseTable:
    """The distinct rows at the lowest levels that fit, or at those that are wanted. `again` opens the same
    rows once more."""
    if wanted.levels is None:
        raise Bug("nothing says what coarser levels are")
    known = wanted.levels(source)
    chosen = dict(wanted.at or {name: min(maps) for name, maps in known.maps.items()})
    room = room_for(len(data.names), data.engine.limit)
    while True:
        maps = {name: _map(source.values[name], known, name, level) for name, level in chosen.items()}
        _keep_maps(data, source.values, maps)
        rows = room + 1
        if wanted.at or _estimate(data, maps) <= room * ERROR:
            rows = _count(data, maps)
        if rows <= room:
            break
        if wanted.at or not _raise(chosen, known, maps):
            check_room(data.place, max(rows, room + 1), len(data.names), data.engine.limit)
    return _table(data, source, known, chosen, maps, again)


def _map(values: RawValues, known: QuasiLevels, name: str, level: int) -> Codes:
    """For each raw value the code of the value that stands for its set: the first of its texts. What leaves
    a row out stands with its like only."""
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
    return stands


def _recoded(data: Rows, maps: Mapping[str, Codes], source: str = "") -> str:
    """A query for the rows with one value in place of each set; the codes of the values are called v0, …"""
    joins, cells = [], []
    for place, name in enumerate(data.names):
        if name in maps:
            joins.append(f" join m{place} on q.c{place} is not distinct from m{place}.raw")
            cells.append(f"m{place}.stands as c{place}, m{place}.code as v{place}")
        else:
            cells.append(f"q.c{place}")
    return f"(select {', '.join(cells)} from {source or f'({data.query})'} as q{''.join(joins)})"


def _keep_maps(data: Rows, source: Mapping[str, RawValues], maps: Mapping[str, Codes]) -> None:
    for name, stands in maps.items():
        known = source[name]
        table = pa.table({"raw": known.raw, "code": known.column.codes, "stands": stands})
        data.engine.keep(f"m{data.names.index(name)}", table)


def _columns(data: Rows) -> str:
    return ", ".join(f"c{place}" for place in range(len(data.names)))


def _estimate(data: Rows, maps: Mapping[str, Codes]) -> int:
    query = f"select approx_count_distinct(hash({_columns(data)})) from {_recoded(data, maps)}"
    (found,) = data.engine.row(query)
    return int(found)


def _count(data: Rows, maps: Mapping[str, Codes]) -> int:
    query = f"select {_columns(data)}, count(*) as n from {_recoded(data, maps)} group by all"
    data.engine.run(f"create or replace temp table counted as {query}")
    (rows,) = data.engine.row("select count(*) from counted")
    return int(rows)


def _raise(chosen: dict[str, int], known: QuasiLevels, maps: Mapping[str, Codes]) -> bool:
    """Raise the quasi-identifier with the most sets by one level; False if all are at their highest."""
    open_names = [name for name, level in chosen.items() if level < max(known.maps[name])]
    if not open_names:
        return False
    # The first of several.
    chosen[max(open_names, key=lambda name: len(np.unique(maps[name])))] += 1
    return True


def _table(
    data: Rows,
    source: ColumnSource,
    known: QuasiLevels,
    chosen: Mapping[str, int],
    maps: Mapping[str, Codes],
    again: Again,
) -> CoarseTable:
    kinds = [pa.int32() if name in maps else kind for name, kind in zip(data.names, data.types, strict=True)]
    found = ArrowCounts.of(kinds, data.engine.batches("from counted"), data.place)
    weights = found.weights
    if weights.sum() != source.rows:
        raise changed(data.place)
    left = source.omitting(known.omitted)
    columns = []
    for place, name in enumerate(data.names):
        if name not in maps:
            columns.append(counted_column(data.place, name, found, place, weights))
            continue
        whole, rest = source.values[name].column, left.column(name)
        columns.append(
            CoarseColumn(
                name, whole.type, whole.values, whole.texts,
                found.column(place).to_numpy().astype(np.int32), weights,
                np.append(whole.counts, whole.nulls), np.append(rest.counts, rest.nulls),
            )
        )  # fmt: skip
    return CoarseTable(
        name=data.place,
        names=source.every,
        columns=tuple(columns),
        weights=weights,
        fingerprint=_fingerprint(columns, weights, chosen),
        engine="duckdb",
        repeats=source.repeats,
        levels=dict(chosen),
        finer=partial(_finer_values, again, source.values, maps, left.gone),
    )


def _fingerprint(columns: Sequence[CountedColumn], weights: Integers, levels: Mapping[str, int]) -> str:
    """That of the counted tuples, of the levels, and of how many rows have each value."""
    values = [
        sorted(zip(column.texts, column.counts.tolist(), strict=True))
        for column in columns
        if isinstance(column, CoarseColumn)
    ]
    described = json.dumps([tuples_fingerprint(columns, weights), levels, values])
    return f"{TUPLES}{hashlib.sha256(described.encode()).hexdigest()}"


def _finer_values(
    again: Again,
    values: Mapping[str, RawValues],
    maps: Mapping[str, Codes],
    gone: Mapping[str, Any],
    shown: Mapping[str, Codes],
) -> dict[str, Codes]:
    """The values of quasi-identifiers in the rows that are not left out and have one of these tuples."""
    found = {}
    with again() as data:
        _keep_maps(data, values, maps)
        tuples = {data.at(name): codes for name, codes in shown.items()}
        data.engine.keep("stay", pa.table(tuples))
        same = " and ".join(f"r.{place} = stay.{place}" for place in tuples)
        query = f"from {_recoded(data, maps, _left(data, gone))} as r semi join stay on {same}"
        for name in shown:
            batches = data.engine.batches(f"select distinct r.v{data.names.index(name)} {query}")
            parts = [np.zeros(0, dtype=np.int32), *(batch.column(0).to_numpy() for batch in batches)]
            found[name] = np.concatenate(parts).astype(np.int32)
    return found
