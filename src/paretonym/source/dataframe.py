"""Dataframes of any kind: narwhals opens them, Arrow carries their columns."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np

from paretonym.arrow import pa
from paretonym.errors import InputError, Problem
from paretonym.source.column_names import name_problems
from paretonym.source.data_source import Wanted
from paretonym.source.dictionary_encoding import check_shape, rows_of
from paretonym.source.table_counts import Counts
from paretonym.source.value_types import numerals

NAME = "the dataframe"
ALL = Wanted()
KINDS = ("pandas", "polars")
# Lazy frames in which a moment has the zone that it was written in. Other engines keep the moment alone and
# show it in the zone of the machine, on which no spelling may depend.
ZONED = ("polars", "dask")


def read_dataframe(data: Any, wanted: Wanted) -> Counts:
    """The table in a dataframe that is in memory; an index is left aside."""
    return read_rows(data, wanted).wanted(wanted)


def read_rows(data: Any, wanted: Wanted = ALL) -> Counts:
    """The rows of a dataframe in their order; a lazy one is computed."""
    opened = _opened(data)
    frame = opened.collect() if isinstance(opened, nw.LazyFrame) else opened
    names = list(frame.columns)
    check_shape(NAME, names, len(frame))
    arrays = _arrays(frame, list(dict.fromkeys((*wanted.of(names), *wanted.unique_of(names)))))
    types = {name: arrays[name].type if name in arrays else pa.null() for name in names}
    return rows_of(
        NAME, NAME, types, lambda name: _exact(frame, name, arrays.pop(name)), wanted, kind=_kind(frame)
    )


def kept_type(frame: Any, kind: Any) -> Any:
    """The type of a column as it is kept: moments from an engine without zones are in UTC."""
    zoned = pa.types.is_timestamp(kind) and kind.tz is not None
    if not zoned or not isinstance(frame, nw.LazyFrame) or str(frame.implementation) in ZONED:
        return kind
    return pa.timestamp(kind.unit, "UTC")


def _opened(data: Any) -> Any:
    native = _native(data)
    try:
        return nw.from_native(native)
    except (TypeError, ValueError) as fault:
        raise _refusal(native, fault) from None


def _refusal(native: Any, fault: Exception) -> InputError:
    """A name given twice is a ValueError; all else is not a table."""
    names = getattr(native, "column_names", getattr(native, "columns", None))
    if isinstance(fault, ValueError) and names is not None and (problems := name_problems(NAME, list(names))):
        return InputError(problems)
    return InputError.of(
        "the data",
        f"a {type(native).__name__} is not a table",
        "give the path of a CSV or Parquet file, or a dataframe (pandas, polars, pyarrow)",
    )


def _native(data: Any) -> Any:
    """What narwhals does not know but Arrow can take over: record batches, their readers."""
    if isinstance(data, pa.RecordBatch | pa.RecordBatchReader):
        return pa.table(data) if isinstance(data, pa.RecordBatch) else data.read_all()
    return data


def _arrays(frame: Any, names: Sequence[str]) -> dict[str, Any]:
    """Some columns in Arrow. All that cannot be converted are reported at once, without values."""
    arrays = {name: _array(frame[name]) for name in names}
    wrong = "it contains values of different types, or of an unsupported type"
    problems = [
        Problem(f"{NAME}, column '{name}'", wrong, "convert all of them to text")
        for name, array in arrays.items()
        if array is None
    ]
    if problems:
        raise InputError(problems)
    return arrays


def _exact(frame: Any, name: str, array: Any) -> Any:
    """A column in which decimals have their own digits."""
    objects = _objects(frame[name])
    if objects is None or not pa.types.is_decimal(array.type):
        return array
    numbers = zip(objects, array.is_null().to_pylist(), strict=True)
    texts = [None if missing else str(number) for number, missing in numbers]
    return numerals(texts, f"{NAME}, column '{name}'")


def _array(series: Any) -> Any:
    try:
        array = series.to_arrow()
    except MemoryError:
        raise
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
    objects = _objects(series)
    return array if objects is None else _of_one_type(objects, array)


def _objects(series: Any) -> Any:
    """The Python objects of a column that has no type of its own, else None."""
    native = series.to_native()
    return native if getattr(native, "dtype", None) == np.dtype(object) else None


def _of_one_type(objects: Any, array: Any) -> Any:
    """What Arrow makes of Python objects, in a type that does not depend on which of them it has seen: it
    takes a time for a date and a moment for one in another zone, if such came first. None if they differ."""
    types = pa.types
    if types.is_date(array.type) and any(isinstance(cell, datetime.datetime) for cell in objects):
        return None
    if types.is_timestamp(array.type):
        zones = {str(cell.tzinfo) for cell in objects if isinstance(cell, datetime.datetime) and cell == cell}
        return array if len(zones) <= 1 else None
    if types.is_integer(array.type):
        return array.cast(pa.int64())
    return array.cast(pa.float64()) if types.is_floating(array.type) else array


def _kind(frame: Any) -> str:
    """The caller's kind of dataframe; what was computed by an engine is given back in Arrow."""
    name = str(frame.implementation)
    return name if name in KINDS else "pyarrow"
