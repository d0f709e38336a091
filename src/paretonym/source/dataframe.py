"""Dataframes of any kind: narwhals opens them, Arrow carries their columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import narwhals as nw

from paretonym.arrow import pa
from paretonym.errors import InputError, Problem
from paretonym.source.column_names import name_problems
from paretonym.source.dictionary_encoding import arrow_columns, check_shape
from paretonym.source.fingerprint import content_fingerprint
from paretonym.source.table import Table
from paretonym.source.value_types import categories_in

NAME = "the dataframe"
KINDS = ("pandas", "polars")
# Lazy frames in which a moment has the zone that it was written in. Other engines keep the moment alone and
# show it in the zone of the machine, on which no spelling may depend.
ZONED = ("polars", "dask")


def read_dataframe(data: Any) -> Table:
    """The table in a dataframe; a lazy one is computed, an index is left aside."""
    opened = _opened(data)
    frame = opened.collect() if isinstance(opened, nw.LazyFrame) else opened
    names, rows = list(frame.columns), len(frame)
    check_shape(NAME, names, rows)
    arrays = [
        array if (kind := kept_type(opened, array.type)) == array.type else array.cast(kind)
        for array in _arrays(frame)
    ]
    types = [array.type for array in arrays]
    categories = categories_in(names, types)
    columns = arrow_columns(NAME, names, types, _emptying(arrays))
    return Table(NAME, rows, columns, content_fingerprint(columns), _kind(frame), categories=categories)


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


def _arrays(frame: Any) -> list[Any]:
    """Every column in Arrow. All that cannot be converted are reported at once, without values."""
    arrays, problems = [], []
    for name in frame.columns:
        array = _array(frame[name])
        if array is None:
            wrong = "it contains values of different types, or of an unsupported type"
            problems.append(Problem(f"{NAME}, column '{name}'", wrong, "convert all of them to text"))
        arrays.append(array)
    if problems:
        raise InputError(problems)
    return arrays


def _emptying(arrays: list[Any]) -> Iterator[Any]:
    """One by one; each is let go when the next is asked for."""
    while arrays:
        yield arrays.pop(0)


def _array(series: Any) -> Any:
    try:
        return series.to_arrow()
    except MemoryError:
        raise
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None


def _kind(frame: Any) -> str:
    """The caller's kind of dataframe; what was computed by an engine is given back in Arrow."""
    name = str(frame.implementation)
    return name if name in KINDS else "pyarrow"
