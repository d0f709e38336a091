"""Arrow arrays become columns: distinct values that occur, and a code for each row or distinct row. Whatever
reads or counts them, the one canon of types and spellings makes the columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from paretonym.base.arrays import Codes, Integers
from paretonym.base.errors import Field, InputError, Problem, shown
from paretonym.tables.arrow import pa, pc
from paretonym.tables.source.column_names import name_problems
from paretonym.tables.source.data_source import NULL
from paretonym.tables.source.table_counts import Column
from paretonym.tables.source.value_types import check_type, is_text, normalized, value_type, written

# Beyond it the 32-bit offsets of a text array overflow when chunks are joined.
MOST_TEXT_BYTES = 2**31 - 1


class Coded(NamedTuple):
    """Values and the code of each row; every value occurs."""

    values: Any
    codes: Codes


def coded(array: Any) -> Coded:
    """The distinct values of an Arrow array (chunked or not, dictionary-encoded or not)."""
    chunks = _dictionaries(array)
    values, codes = chunks[0].dictionary, np.concatenate([_indices(chunk) for chunk in chunks])
    occurs = np.bincount(codes + 1, minlength=len(values) + 1)[1:] > 0
    if occurs.all():
        return Coded(values, codes)
    places = np.append(np.cumsum(occurs, dtype=np.int32) - 1, np.int32(NULL)).astype(np.int32)
    return Coded(pc.take(values, integers(np.flatnonzero(occurs).astype(np.int32))), places[codes])


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
    numbers = np.empty(len(first), dtype=np.int32)
    for place in pc.array_sort_indices(column.values, order="descending").to_pylist():
        numbers[places[place]] = place
    codes = np.append(places, np.int32(NULL))[column.codes]
    return replace(column, values=column.values.take(integers(numbers)), texts=tuple(first), codes=codes)


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


def check_shape(place: str, names: Sequence[Any], rows: int) -> None:
    """Refuses a table without columns or rows, and names that are not text, missing or given twice."""
    if not names:
        raise InputError.of(place, "there are no columns", "give a table with columns and rows")
    if problems := name_problems(place, names):
        raise InputError(problems)
    if not rows:
        raise InputError.of(place, "there are no rows", "give a table with rows")


# Bytes that a distinct row takes here, besides those of each of its cells.
ROW_BYTES, CELL_BYTES = 32, 16


@dataclass(slots=True)
class ArrowCounts:
    """Distinct rows as an engine gives them: chunks of each column, and counts."""

    types: Sequence[Any]
    chunks: list[list[Any]]
    counts: list[Integers]

    @classmethod
    def of(cls, types: Sequence[Any], batches: Iterable[Any], place: str) -> ArrowCounts:
        """Batches whose last column counts; texts become codes batch by batch, so that little is held."""
        rows = cls(types, [[] for _ in types], [])
        for batch in batches:
            *cells, counts = batch.columns
            for kind, chunks, array in zip(types, rows.chunks, cells, strict=True):
                chunks.append(in_type(array, kind, place))
            rows.counts.append(_integers(counts.cast(pa.int64())))
        return rows

    @property
    def weights(self) -> Integers:
        return np.concatenate([np.zeros(0, dtype=np.int64), *self.counts])

    def column(self, place: int) -> Any:
        kind = _held(self.types[place])
        return pa.chunked_array(self.chunks[place] or [pa.array([], kind)], type=kind)

    def taken(self, place: int) -> Any:
        """A column whose chunks are no longer held here."""
        column = self.column(place)
        self.chunks[place].clear()
        return column


def _integers(counts: Any) -> Integers:
    """An Arrow array of numbers without nulls. They are read from its buffer: `to_numpy` imports pandas where
    it is installed, which takes longer than reading a small table."""
    return np.frombuffer(counts.buffers()[1], np.int64, len(counts), 8 * counts.offset)


def _held(kind: Any) -> Any:
    return pa.dictionary(pa.int32(), pa.string()) if is_text(value_type(kind)) else value_type(kind)


def in_type(array: Any, kind: Any, place: str) -> Any:
    """An array in the type that a reader of ours gives: zones and units are those of the file again."""
    if is_text(value_type(kind)):
        coded = array if pa.types.is_dictionary(array.type) else array.cast(pa.string()).dictionary_encode()
        return coded.cast(_held(kind))
    if pa.types.is_null(kind):
        return pa.nulls(len(array))
    try:
        return array.cast(value_type(kind))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError.of(
            place,
            f"the engine does not give its values back as {kind}",
            "write it in another type",
        ) from None


def type_problems(place: str, types: Mapping[str, Any]) -> list[Problem]:
    """The columns whose types cannot be counted, of those that are to be."""
    places = {name: f"{place}, column '{name}'" for name in types}
    problems = [check_type(places[name], kind) for name, kind in types.items()]
    problems += [
        Problem(
            places[name],
            f"its type, {kind}, is not one that an engine can count exactly",
            "leave it out, or write it in another type",
        )
        for name, kind in types.items()
        if pa.types.is_decimal256(kind)
    ]
    return [problem for problem in problems if problem is not None]


def counted_columns(place: str, names: Sequence[str], found: ArrowCounts) -> tuple[Column, ...]:
    """The columns of distinct rows, made as those of a table in memory are; their chunks are no longer held
    afterwards."""
    weights = found.weights
    return tuple(counted_column(place, name, found.taken(at), weights) for at, name in enumerate(names))


def counted_column(place: str, name: str, cells: Any, weights: Integers) -> Column:
    """One column of distinct rows."""
    return replace(make_column(name, coded(cells), f"{place}, column '{name}'"), weights=weights)


def room_for(columns: int, limit: int) -> int:
    """Number of distinct rows of that many columns that a memory limit has room for."""
    return limit // (ROW_BYTES + columns * CELL_BYTES)


def check_room(place: str, rows: int, most: int, names: Sequence[str]) -> None:
    """Refuse more distinct rows than there is room for."""
    if rows > most:
        raise InputError.of(
            place,
            f"there are more than {most:,} different rows in the columns that are counted ({shown(names)}), "
            "which need more memory than counting may use",
            f"give more {Field('memory')}, drop columns that need not be published, or coarsen those with "
            "the most values where the data are (the month of a birth, three digits of a postcode)",
        )
