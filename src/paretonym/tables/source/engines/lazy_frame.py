"""Lazy frames and relations (whatever Narwhals opens without computing it) are counted where they are, by one
expression: only distinct rows and their counts are collected."""

from __future__ import annotations

import errno
import logging
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import narwhals as nw
import numpy as np

from paretonym.base.errors import InputError, ParetonymError, Problem
from paretonym.tables.arrow import pa, pc
from paretonym.tables.source.data_source import Wanted
from paretonym.tables.source.dataframe import NAME, kind_of
from paretonym.tables.source.dictionary_encoding import ArrowCounts, type_problems
from paretonym.tables.source.engines.duckdb_session import parse_memory
from paretonym.tables.source.engines.relation import count_relation, not_computed
from paretonym.tables.source.table_counts import Counts
from paretonym.tables.source.value_types import LARGEST_EXACT, REMEDY

# Lazy frames in which a moment has the zone that it was written in. Other engines keep the moment alone and
# show it in the zone of the machine, on which no spelling may depend.
ZONED = ("polars", "dask")
# Grouped by what they say: categories, objects without a type, and texts in whatever else holds them.
AS_TEXT = (nw.Categorical, nw.Enum, nw.Object, nw.String)
UNSUPPORTED = (nw.List, nw.Array, nw.Struct, nw.Binary, nw.Time, nw.Duration)
# The system's words for a full disk, which an engine's error may contain.
DISK_FULL = os.strerror(errno.ENOSPC)
# A row of a release that is repeated more often comes to Spark's workers in several pieces.
MOST_REPEATED_AT_ONCE = 10_000


def is_lazy(data: Any) -> bool:
    """True if data are a frame that was not computed yet."""
    try:
        return isinstance(nw.from_native(data), nw.LazyFrame)
    except (TypeError, ValueError):
        return False


def count_frame(data: Any, wanted: Wanted, memory: str | None) -> Counts:
    """The distinct rows of a lazy frame with their counts."""
    frame: Any = nw.from_native(data)
    with errors_without_values(_engine(frame), NAME):
        shape = frame.collect_schema()
    return count_relation(
        LazyRelation(data, tuple(shape.names()), NAME),
        wanted,
        parse_memory(memory),
        NAME,
        kind=kind_of(frame),
        memory=memory,
        frame_of=partial(lazy_rows, data),
    )


@dataclass(frozen=True, slots=True)
class LazyRelation:
    """A lazy frame, grouped where it is; a `Relation`. `types` are the Arrow types of its columns, if its
    engine does not keep them."""

    data: Any
    names: tuple[str, ...]
    place: str
    types: Mapping[str, Any] | None = None

    def grouped(
        self, names: Sequence[str], most: int, first: int | None = None, repeated: bool = False
    ) -> ArrowCounts:
        """The distinct rows. The engine calls the columns c0, c1, …, since one might have the name that the
        counts get."""
        frame, columns = self._frame()
        places = [f"c{number}" for number in range(len(names))]
        with errors_without_values(self._engine, self.place):
            schema = frame.collect_schema()
            kinds = {name: schema[columns[name]] for name in names}
        if problems := [self._unsupported(name, kind) for name, kind in kinds.items() if kind in UNSUPPORTED]:
            raise InputError(problems)
        cells = [
            _cell(columns[name], kinds[name]).alias(place) for place, name in zip(places, names, strict=True)
        ]
        with errors_without_values(self._engine, self.place):
            rows = (frame.head(first) if first else frame).select(*cells)
            rows = rows.group_by(*places).agg(nw.len().alias("n"))
            rows = rows.filter(nw.col("n") > 1) if repeated else rows
            # Dask brings an index along.
            table = rows.head(most + 1).collect(backend="pyarrow").to_native().select([*places, "n"])
        self._check_integers(kinds, table)
        types = self._arrow_types(names, table.schema.types[:-1])
        if problems := type_problems(self.place, dict(zip(names, types, strict=True))):
            raise InputError(problems)
        return ArrowCounts.of(types, table.to_batches(), self.place)

    def _check_integers(self, kinds: Mapping[str, Any], table: Any) -> None:
        """Refuse integers that an engine has read as floating-point numbers and that are too large for these
        to tell neighbours apart."""
        for (name, kind), cells in zip(kinds.items(), table.columns[:-1], strict=True):
            if not (kind.is_integer() and pa.types.is_floating(cells.type)):
                continue
            if (pc.max(pc.abs(cells)).as_py() or 0) >= LARGEST_EXACT:
                raise InputError.of(
                    f"{self.place}, column '{name}'",
                    f"{self._engine} has read these integers as floating-point numbers, so that different "
                    "ones are the same",
                    'read the data with types that have missing values (dtype_backend="pyarrow")',
                )

    @property
    def _engine(self) -> str:
        return _engine(nw.from_native(self.data))

    def _frame(self) -> tuple[Any, Mapping[str, str]]:
        """The frame, and the names that its columns have in it. Spark ignores case in names, and a dot in a
        name asks for a part of a value: there they are f0, f1, …"""
        if not hasattr(self.data, "toDF"):
            return nw.from_native(self.data), {name: name for name in self.names}
        places = {name: f"f{place}" for place, name in enumerate(self.names)}
        return nw.from_native(self.data.toDF(*places.values())), places

    def _arrow_types(self, names: Sequence[str], types: Sequence[Any]) -> list[Any]:
        """The types of columns: those that came back, except that moments of an engine without zones are in
        UTC."""
        if self.types is not None:
            return [self.types[name] for name in names]
        if str(nw.from_native(self.data).implementation) in ZONED:
            return list(types)
        zoned = (pa.types.is_timestamp(kind) and kind.tz is not None for kind in types)
        return [
            pa.timestamp(kind.unit, "UTC") if in_zone else kind
            for kind, in_zone in zip(types, zoned, strict=True)
        ]

    def _unsupported(self, name: str, kind: Any) -> Problem:
        wrong = f"its type, {str(kind).split('(')[0].lower()}, is not supported"
        return Problem(f"{self.place}, column '{name}'", wrong, REMEDY)


def _engine(frame: Any) -> str:
    """The name of an engine in messages."""
    return str(frame.implementation).split("[")[0].removeprefix("py")


def _cell(name: str, kind: Any) -> Any:
    """The expression that groups rows by a column: not every engine can group categories, tell NaN from null,
    or take the two zeros for one."""
    column = nw.col(name)
    if kind in AS_TEXT:
        return column.cast(nw.String)
    if kind == nw.Float64:
        return nw.when(~column.is_nan()).then(column + 0.0)
    return column


def lazy_rows(data: Any, rows: Any) -> Any:
    """The rows of a table in Arrow, each as often as its last column says, as a lazy frame of the engine of
    `data`. Spark's workers repeat them, by expressions of Spark alone: paretonym need not be installed
    there."""
    frame: Any = nw.from_native(data)
    names = rows.column_names[:-1]
    with errors_without_values(_engine(frame), "the release"):
        if _engine(frame) != "spark":
            counts = rows.column(len(names)).to_numpy()
            repeated = rows.select(names).take(pa.array(np.repeat(np.arange(len(counts)), counts)))
            return nw.from_native(repeated, eager_only=True).lazy(backend=frame.implementation).to_native()
        places = [f"c{place}" for place in range(len(names))]
        pieces = data.sparkSession.createDataFrame(_in_pieces(rows).rename_columns([*places, "n"]))
        repeated = pieces.selectExpr(*places, "explode(array_repeat(0, cast(n as int))) as row")
        return repeated.select(*places).toDF(*names)


def _in_pieces(rows: Any) -> Any:
    """These rows, split so that none is to be repeated more than `MOST_REPEATED_AT_ONCE` times."""
    counts = rows.column(rows.num_columns - 1).to_numpy()
    pieces = -(-counts // MOST_REPEATED_AT_ONCE)
    places = np.repeat(np.arange(len(counts)), pieces)
    earlier = np.arange(len(places)) - (np.cumsum(pieces) - pieces)[places]
    sizes = np.minimum(counts[places] - earlier * MOST_REPEATED_AT_ONCE, MOST_REPEATED_AT_ONCE)
    return rows.take(pa.array(places)).set_column(rows.num_columns - 1, "n", pa.array(sizes))


@contextmanager
def errors_without_values(engine: str, place: str) -> Iterator[None]:
    """Replace any error of an engine by one that gives only its kind: its own words may quote values."""
    try:
        with _silent_log():
            yield
    except (ParetonymError, MemoryError):
        raise
    except Exception as error:
        if DISK_FULL in str(error):
            wrong = f"no space is left on a disk that {engine} writes to"
            remedy = "free some; SPARK_LOCAL_DIRS, or TMPDIR, says where temporary files are written"
            raise InputError.of(place, wrong, remedy) from None
        kind = getattr(error, "getCondition", lambda: None)() or type(error).__name__
        raise not_computed(engine, place, kind) from None


@contextmanager
def _silent_log() -> Iterator[None]:
    """Silence PySpark, which logs an error, with the values that it quotes, before it raises it, and which
    warns of versions of pandas, which is not used."""
    log = logging.getLogger("DataFrameQueryContextLogger")
    before, log.disabled = log.disabled, True
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
            yield
    finally:
        log.disabled = before
