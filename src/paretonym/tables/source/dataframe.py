"""Dataframes in memory: Narwhals opens them, Arrow carries their columns. An index is left aside."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np

from paretonym.base.errors import InputError, Problem
from paretonym.tables.arrow import pa
from paretonym.tables.source.column_names import name_problems
from paretonym.tables.source.data_source import Wanted
from paretonym.tables.source.dictionary_encoding import check_shape, coded, make_column
from paretonym.tables.source.table_counts import Counts
from paretonym.tables.source.value_types import check_type, numerals

NAME = "the dataframe"
ALL = Wanted()
KINDS = ("pandas", "polars")


def read_dataframe(data: Any, wanted: Wanted) -> Counts:
    """The distinct rows of a dataframe."""
    return read_rows(data, wanted).wanted(wanted)


def read_rows(data: Any, wanted: Wanted = ALL) -> Counts:
    """The rows of a dataframe in their order, each as an entry of its own."""
    frame = opened(data)
    names = tuple(frame.columns)
    check_shape(NAME, names, len(frame))
    arrays = _arrays(frame, tuple(dict.fromkeys((*wanted.of(names), *wanted.unique_of(names)))))
    columns = [
        make_column(name, coded(_exact(frame[name], array)), _place(name)) for name, array in arrays.items()
    ]
    return replace(Counts.of_rows(NAME, columns, kind=kind_of(frame)), names=names)


def opened(data: Any) -> Any:
    """A frame as Narwhals sees it; what is no table is refused."""
    try:
        return nw.from_native(data)
    except (TypeError, ValueError) as fault:
        raise _refusal(data, fault) from None


def kind_of(frame: Any) -> str:
    """The caller's kind of dataframe; what was computed by an engine is given back in Arrow."""
    name = str(frame.implementation)
    return name if name in KINDS else "pyarrow"


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


def _place(name: str) -> str:
    return f"{NAME}, column '{name}'"


def _arrays(frame: Any, names: Sequence[str]) -> Mapping[str, Any]:
    """Some columns in Arrow. All that cannot be converted or read are reported at once, without values."""
    arrays = {name: _array(frame[name]) for name in names}
    wrong = "it contains values of different types, or of an unsupported type"
    problems = [
        Problem(_place(name), wrong, "convert all of them to text")
        if array is None
        else check_type(_place(name), array.type)
        for name, array in arrays.items()
    ]
    if any(problems):
        raise InputError([problem for problem in problems if problem])
    return arrays


def _array(series: Any) -> Any:
    """A column in Arrow; None if that is not possible."""
    try:
        array = series.to_arrow()
    except MemoryError:
        raise
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
    objects = _objects(series)
    return array if objects is None else _of_one_type(objects, array)


def _exact(series: Any, array: Any) -> Any:
    """A column in which decimals that are Python's have their own digits."""
    objects = _objects(series)
    if objects is None or not pa.types.is_decimal(array.type):
        return array
    numbers = zip(objects, array.is_null().to_pylist(), strict=True)
    texts = [None if missing else str(number) for number, missing in numbers]
    return numerals(texts, _place(series.name))


def _objects(series: Any) -> Any:
    """The Python objects of a column that has no type of its own, else None."""
    native = series.to_native()
    return native if getattr(native, "dtype", None) == np.dtype(object) else None


def _of_one_type(objects: Any, array: Any) -> Any:
    """Array of Python objects by Arrow, in a type that does not depend on which of them it has seen: it
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
