"""Arrow arrays become columns: distinct values that occur, in the order of appearance, and a code a row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from paretonym.arrays import Codes
from paretonym.arrow import pa, pc
from paretonym.errors import InputError
from paretonym.source.column_names import name_problems
from paretonym.source.data_source import NULL
from paretonym.source.table import Column
from paretonym.source.value_types import check_type, normalized, written

# Beyond it the 32-bit offsets of a text array overflow when chunks are joined.
MOST_TEXT_BYTES = 2**31 - 1


class Coded(NamedTuple):
    """Values and the code of each row; every value occurs, in the order of first appearance."""

    values: Any
    codes: Codes


def coded(array: Any) -> Coded:
    """The distinct values of an Arrow array (chunked or not, dictionary-encoded or not)."""
    return _in_order(*as_read(array))


def as_read(array: Any) -> Coded:
    """The distinct values of an Arrow array in the order of its dictionaries: for a reader that puts in
    only what occurs."""
    chunks = _dictionaries(array)
    codes = np.empty(len(array), dtype=np.int32)
    start = 0
    for chunk in chunks:
        codes[start : start + len(chunk)] = _indices(chunk)
        start += len(chunk)
    return Coded(chunks[0].dictionary, codes)


def _indices(chunk: Any) -> Codes:
    """The codes of a dictionary array. They are read from its buffer: `to_numpy` and `scalar` import pandas
    where it is installed, which takes longer than reading a small table."""
    indices = chunk.indices.cast(pa.int32(), safe=False)
    if indices.null_count:
        indices = pc.fill_null(indices, integers(np.array([NULL], dtype=np.int32))[0])
    if not len(indices):
        return np.empty(0, dtype=np.int32)
    return np.frombuffer(indices.buffers()[1], np.int32, len(indices), 4 * indices.offset)


def integers(codes: Codes) -> Any:
    """An Arrow array of codes, without a copy and without importing pandas."""
    return pa.Array.from_buffers(pa.int32(), len(codes), [None, pa.py_buffer(np.ascontiguousarray(codes))])


def text_column(name: str, pair: Coded) -> Column:
    """The column of texts that are distinct already, and none of them empty."""
    return Column(name, "text", pair.values, tuple(pair.values.to_pylist()), pair.codes)


def make_column(name: str, pair: Coded, place: str) -> Column:
    """The column of these values; `place` is for the message if their type cannot be used."""
    kind, values = normalized(pair.values, place)
    # Values that were different may now be one (-0.0 and 0.0), or null (NaN, the empty text).
    again = values.dictionary_encode()
    mapping = _indices(again)
    codes = pair.codes
    if not np.array_equal(mapping, np.arange(len(mapping))):
        codes = np.append(mapping, np.int32(NULL))[codes]
    return _one_each(Column(name, kind, again.dictionary, written(kind, again.dictionary), codes))


def _one_each(column: Column) -> Column:
    """A column without two values that are written alike: where clocks are set back at midnight, two moments
    are one date. The earlier one is kept, whichever row comes first: the table is known by it."""
    if not pa.types.is_timestamp(column.values.type):
        return column
    first: dict[str, int] = {}
    places = np.array([first.setdefault(text, len(first)) for text in column.texts], dtype=np.int32)
    if len(first) == len(places):
        return column
    kept = np.empty(len(first), dtype=np.int32)
    for place in pc.array_sort_indices(column.values, order="descending").to_pylist():
        kept[places[place]] = place
    codes = np.append(places, np.int32(NULL))[column.codes]
    return replace(column, values=column.values.take(integers(kept)), texts=tuple(first), codes=codes)


def _dictionaries(array: Any) -> list[Any]:
    """At least one dictionary array, all with the same dictionary."""
    if not pa.types.is_dictionary(array.type):
        # Joined first: encoding chunk by chunk would copy the growing dictionary each time.
        return [_joined(_widened(array)).dictionary_encode()]
    return list(array.unify_dictionaries().chunks) if isinstance(array, pa.ChunkedArray) else [array]


def _widened(array: Any) -> Any:
    """Arrow encodes neither text views nor short decimals."""
    kind = array.type
    if pa.types.is_string_view(kind):
        return array.cast(pa.large_string())
    if pa.types.is_decimal(kind) and kind.bit_width < 128:
        return array.cast(pa.decimal128(kind.precision, kind.scale))
    return array


def _joined(array: Any) -> Any:
    if not isinstance(array, pa.ChunkedArray):
        return array
    if array.num_chunks == 1:
        return array.chunk(0)
    if pa.types.is_string(array.type) and array.nbytes > MOST_TEXT_BYTES:
        array = array.cast(pa.large_string())
    return array.combine_chunks()


def _in_order(values: Any, codes: Codes) -> Coded:
    """Without values that do not occur, and in the order of first appearance."""
    rows = len(codes)
    first = np.full(len(values) + 1, rows, dtype=np.int32)
    # Assigned from the last row to the first, so that the earliest row stays.
    first[codes[::-1]] = np.arange(rows - 1, -1, -1, dtype=np.int32)
    first = first[:-1]
    order = np.argsort(first, kind="stable")[: int((first < rows).sum())].astype(np.int32)
    if len(order) == len(values) and np.array_equal(order, np.arange(len(values))):
        return Coded(values, codes)
    renumbered = np.full(len(values) + 1, NULL, dtype=np.int32)
    renumbered[order] = np.arange(len(order), dtype=np.int32)
    return Coded(pc.take(values, integers(order)), renumbered[codes])


def check_shape(place: str, names: Sequence[Any], rows: int) -> None:
    """Refuses a table without columns or rows, and names that are not text, missing or given twice."""
    if not names:
        raise InputError.of(place, "there are no columns", "give a table with columns and rows")
    if problems := name_problems(place, names):
        raise InputError(problems)
    if not rows:
        raise InputError.of(place, "there are no rows", "give a table with rows")


def arrow_columns(
    place: str, names: Sequence[str], types: Sequence[Any], arrays: Iterable[Any]
) -> tuple[Column, ...]:
    """One column an array; all types that cannot be read are reported before the first array is asked for."""
    places = [f"{place}, column '{name}'" for name in names]
    found = (check_type(where, kind) for where, kind in zip(places, types, strict=True))
    if problems := [problem for problem in found if problem]:
        raise InputError(problems)
    return tuple(
        make_column(name, coded(array), where)
        for name, where, array in zip(names, places, arrays, strict=True)
    )
