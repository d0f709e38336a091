"""Lazy frames and relations (polars, DuckDB, and whatever else Narwhals opens without computing it), counted
where they are: only distinct rows and their counts are collected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw

from paretonym.errors import InputError
from paretonym.source.counted_table import CountedTable, RepeatedValues
from paretonym.source.data_source import Wanted
from paretonym.source.dataframe import KINDS, kept_type, read_dataframe
from paretonym.source.dictionary_encoding import check_shape
from paretonym.source.engines.counting_engine import (
    ArrowCounts,
    counted_columns,
    repeated_values,
    type_problems,
)
from paretonym.source.engines.file_set import changed
from paretonym.source.fingerprint import tuples_fingerprint

NAME = "the dataframe"


def is_lazy(data: Any) -> bool:
    """Whether data are a frame that was not computed yet."""
    try:
        return isinstance(nw.from_native(data), nw.LazyFrame)
    except (TypeError, ValueError):
        return False


def count_frame(data: Any, wanted: Wanted) -> CountedTable:
    """The distinct rows of a lazy frame with their counts."""
    frame: Any = nw.from_native(data)
    every = tuple(frame.collect_schema().names())
    check_shape(NAME, every, rows=1)
    names = wanted.of(every)
    found = _distinct_rows(frame, names)
    if not len(found.weights):
        raise InputError.of(NAME, "there is no row", "give a table with rows")
    columns = counted_columns(NAME, names, found)
    kind = str(frame.implementation)
    return CountedTable(
        name=NAME,
        names=every,
        columns=columns,
        weights=found.weights,
        fingerprint=tuples_fingerprint(columns, found.weights),
        engine=kind,
        repeats={name: _repeated(frame, name, found) for name in wanted.unique_of(every)},
        kind=kind if kind in KINDS else "pyarrow",
        collect=lambda: read_dataframe(data),
    )


def _distinct_rows(frame: Any, names: Sequence[str]) -> ArrowCounts:
    """Columns are called by their places meanwhile: a name of theirs might be that of the counts."""
    places = [f"c{number}" for number in range(len(names))]
    chosen = frame.select(*(nw.col(name).alias(place) for name, place in zip(names, places, strict=True)))
    return _collected(chosen.group_by(*places).agg(nw.len().alias("n")), names)


def _repeated(frame: Any, name: str, counted: ArrowCounts) -> RepeatedValues:
    grouped = frame.select(nw.col(name).alias("c0")).group_by("c0").agg(nw.len().alias("n"))
    (rows,) = grouped.select(nw.col("n").sum()).collect(backend="pyarrow").to_native().column(0).to_pylist()
    if int(rows) != counted.weights.sum():
        raise changed(NAME)
    return repeated_values(NAME, name, _collected(grouped.filter(nw.col("n") > 1), [name]))


def _collected(frame: Any, names: Sequence[str]) -> ArrowCounts:
    table = frame.collect(backend="pyarrow").to_native()
    types = [kept_type(frame, kind) for kind in table.schema.types[:-1]]
    if problems := type_problems(NAME, dict(zip(names, types, strict=True))):
        raise InputError(problems)
    return ArrowCounts.of(types, table.to_batches(), NAME)
