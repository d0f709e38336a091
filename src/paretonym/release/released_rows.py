"""The rows of a release: new columns, made from what each class shows and from what is kept as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from paretonym.arrays import Codes, Integers
from paretonym.errors import Bug
from paretonym.measures.recoded_counts import Realized
from paretonym.release.prefetch import ahead
from paretonym.release.row_sort import SortedRows, Words, sort_rows
from paretonym.release.tuple_index import BLOCK, RowTuples
from paretonym.schema.bound_schema import BoundSchema, PublishedLevel
from paretonym.schema.missing_values import missing_texts
from paretonym.schema.model import Schema
from paretonym.schema.row_unit import PEOPLE, Unit
from paretonym.source.table import Column, Table

Labels: TypeAlias = Sequence[Sequence[str]]

RELEASED = ("quasi", "sensitive", "class", "other")


@dataclass(frozen=True, eq=False)
class ReleasedColumn:
    """One column: the different values in rising order, in their own type and as text, and nothing that does
    not occur. The code of a null, where there is one, comes after the last value's."""

    name: str
    role: str
    values: Any
    texts: Any

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, eq=False)
class Released:
    """A release: columns in the order of the input, rows sorted by all of them. `unit` is what a row is."""

    columns: tuple[ReleasedColumn, ...]
    rows: SortedRows
    recoded: tuple[Codes, ...]
    unit: Unit = PEOPLE

    def __len__(self) -> int:
        return len(self.rows)

    def blocks(self, size: int = BLOCK) -> Iterator[list[Codes]]:
        """The codes of each column, so many rows at a time."""
        for start in range(0, len(self), size):
            yield self.codes(start, start + size)

    def codes(self, start: int, stop: int) -> list[Codes]:
        found = self.rows.codes(start, stop)
        return [recoded[codes] for recoded, codes in zip(self.recoded, found, strict=True)]

    def distinct(self) -> tuple[list[Codes], Integers]:
        """The codes of each column in the different rows, and how often each of these occurs."""
        found, counts = self.rows.distinct
        return [recoded[codes] for recoded, codes in zip(self.recoded, found, strict=True)], counts

    def with_role(self, role: str) -> list[int]:
        return [place for place, column in enumerate(self.columns) if column.role == role]


@dataclass(frozen=True, eq=False)
class Source:
    """Where the cells of a released column come from: from a row's class, or from a column of the table.

    `codes` gives the code of each class, or of each value of the table's column and, last, of a null.
    """

    name: str
    role: str
    values: Any
    texts: Any
    codes: Codes
    cells: Column | None = None

    def of_rows(self, start: int, rows: npt.NDArray[np.integer], classes: Integers) -> Codes:
        places = classes if self.cells is None else self.cells.codes[start : start + BLOCK][rows]
        codes: Codes = self.codes[places]
        return codes


def release_rows(
    table: Table, schema: Schema, bound: BoundSchema, realized: Realized, labels: Labels | None = None
) -> Released:
    """The rows of a table as a recoding shows them, without those that are dropped or suppressed.

    `labels[j]` are the labels of the sets that quasi-identifier j shows, if not the recoding's own.
    """
    classes = realized.classes
    if classes.buckets is not None:
        raise Bug("rows of buckets would be released as they are")
    names = labels or [sets.labels for sets in classes.sets]
    quasi = {
        axis.name: class_source(axis.name, names[j], classes.shown[:, j])
        for j, axis in enumerate(realized.cube.axes)
    }
    sources = [
        quasi.get(column.name) or kept_source(column, schema, bound)
        for column in table.columns
        if schema.column(column.name).role in RELEASED
    ]
    words = Words.of([len(source.values) + 1 for source in sources])
    tuples = RowTuples.of(table, bound, realized.cube)

    def pack(start: int) -> list[Integers]:
        rows, found = tuples.block(start)
        of_row = classes.of_tuple[found]
        stays = realized.stays[of_row]
        return words.pack([source.of_rows(start, rows[stays], of_row[stays]) for source in sources])

    joined = [np.empty(table.rows, dtype=np.int64) for _ in words.digits]
    filled = 0
    for block in ahead(pack, range(0, table.rows, BLOCK)):
        for whole, part in zip(joined, block, strict=True):
            whole[filled : filled + len(part)] = part
        filled += len(block[0])
    rows = sort_rows(words, [whole[:filled] for whole in joined])
    return without_unused(sources, rows, schema.unit)


def class_source(name: str, labels: Sequence[str], shown: Integers) -> Source:
    """Sets with one label are one value: the file shows no more."""
    texts = sorted(set(labels))
    rank = {text: place for place, text in enumerate(texts)}
    ranks = np.array([rank[label] for label in labels], dtype=np.int32)
    values = pa.array(texts, pa.string())
    return Source(name, "quasi", values, values, ranks[shown])


def kept_source(column: Column, schema: Schema, bound: BoundSchema) -> Source:
    """A column as it is, or at the level at which it is published. Whatever means missing is a null: the file
    has one way to write it."""
    level = bound.published(column.name)
    if level is not None:
        return _level_source(column, schema, level)
    order = pc.sort_indices(column.values)
    codes = np.empty(len(order) + 1, dtype=np.int32)
    codes[order.to_numpy()] = np.arange(len(order), dtype=np.int32)
    codes[:-1][missing_texts(column, schema.null)] = len(order)
    codes[-1] = len(order)
    values = column.values.take(order)
    texts = values if column.type == "text" else pa.array(column.texts, pa.string()).take(order)
    return Source(column.name, schema.column(column.name).role, values, texts, codes, column)


def _level_source(column: Column, schema: Schema, level: PublishedLevel) -> Source:
    """Sets with one label are one value, as those of a quasi-identifier."""
    texts = sorted(set(level.labels))
    rank = {text: place for place, text in enumerate(texts)}
    # The last entry serves what is missing, and nulls.
    ranks = np.array([*(rank[label] for label in level.labels), len(texts)], dtype=np.int32)
    codes = np.append(ranks[level.codes], np.int32(len(texts)))
    values = pa.array(texts, pa.string())
    return Source(column.name, schema.column(column.name).role, values, values, codes, column)


def without_unused(sources: Sequence[Source], rows: SortedRows, unit: Unit) -> Released:
    """The release, with no value that stands in no row of it."""
    codes, _ = rows.distinct
    columns: list[ReleasedColumn] = []
    recoded: list[Codes] = []
    for source, found in zip(sources, codes, strict=True):
        occurs = np.bincount(found, minlength=len(source.values) + 1) > 0
        places = pa.array(np.flatnonzero(occurs[:-1]))
        recoded.append(np.asarray(np.cumsum(occurs) - occurs, dtype=np.int32))
        columns.append(
            ReleasedColumn(source.name, source.role, source.values.take(places), source.texts.take(places))
        )
    return Released(tuple(columns), rows, tuple(recoded), unit)
