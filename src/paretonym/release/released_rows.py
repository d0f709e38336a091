"""The rows of a release: new columns, made from what each class shows and from the columns that are
unchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Codes, Integers, Mask
from paretonym.arrow import pa, pc
from paretonym.counts import Cube
from paretonym.errors import Bug
from paretonym.measures import Realized
from paretonym.release.released_categories import Categories, categories_for
from paretonym.release.row_sort import SortedRows, Words, sort_rows
from paretonym.schema import PEOPLE, BoundSchema, PublishedLevel, Schema, Unit, missing_texts
from paretonym.source import Column, Counts, Omission, released_values, sorted_places

Made = TypeVar("Made")

THREADS = 2


def ahead(make: Callable[[int], Made], starts: Sequence[int]) -> Iterator[Made]:
    """The results of `make`, in order; only the next ones are prepared while one is used.

    >>> list(ahead(lambda start: start * 2, range(3)))
    [0, 2, 4]
    """
    with ThreadPoolExecutor(THREADS) as beside:
        waiting = [beside.submit(make, start) for start in starts[:THREADS]]
        for place in range(len(starts)):
            made = waiting.pop(0).result()
            if place + THREADS < len(starts):
                waiting.append(beside.submit(make, starts[place + THREADS]))
            yield made


# Rows that are processed together: enough for numpy, few enough for memory.
BLOCK = 1 << 19
_WORD = 1 << 62


@dataclass(frozen=True, eq=False)
class TupleIndex:
    """Numbers of tuples by the groups of their quasi-identifiers, at the lowest levels.

    Groups are combined into one number as in counting. Where the next column would no longer fit into a
    machine word, the numbers so far are replaced by their places in `breaks[column]`.
    """

    sizes: tuple[int, ...]
    breaks: Mapping[int, Any]
    known: Any

    @classmethod
    def of(cls, cube: Cube) -> TupleIndex:
        sizes = tuple(axis.groups(axis.lowest) for axis in cube.axes)
        breaks: dict[int, Any] = {}
        ids, space = np.zeros(cube.tuples, dtype=np.int64), 1
        for j, size in enumerate(sizes):
            if space * size >= _WORD:
                distinct, ids = np.unique(ids, return_inverse=True)
                breaks[j], space = pa.array(distinct), len(distinct)
            ids = ids * size + cube.groups[:, j]
            space *= size
        return cls(sizes, breaks, pa.array(ids))

    def find(self, groups: Sequence[npt.NDArray[np.integer]]) -> Integers:
        """The tuple of each row, given the group of each quasi-identifier."""
        ids = np.zeros(len(groups[0]), dtype=np.int64)
        for j, (column, size) in enumerate(zip(groups, self.sizes, strict=True)):
            if j in self.breaks:
                ids = _places(ids, self.breaks[j])
            ids *= size
            ids += column
        return _places(ids, self.known)


@dataclass(frozen=True, eq=False)
class RowTuples:
    """The tuples of the rows of a table that are `kept`, block by block; of a counted table, of its distinct
    rows. `groups[j]` gives the group of each value of quasi-identifier j and, last, of a null."""

    table: Counts
    kept: Mask
    index: TupleIndex
    names: tuple[str, ...]
    groups: tuple[Codes, ...]

    @classmethod
    def of(cls, table: Counts, bound: BoundSchema, cube: Cube) -> RowTuples:
        names = tuple(column.name for column in bound.quasi)
        groups = tuple(column.groups(column.lowest) for column in bound.quasi)
        return cls(table, ~table.dropped(bound.omitted), TupleIndex.of(cube), names, groups)

    def block(self, start: int, size: int = BLOCK) -> tuple[Integers, Integers]:
        """The rows from `start` on that are not dropped, counted from there, and the tuple of each."""
        rows = np.flatnonzero(self.kept[start : start + size])
        columns = (self.table.column(name).codes for name in self.names)
        cells = (codes[start : start + size][rows] for codes in columns)
        return rows, self.index.find([of[codes] for of, codes in zip(self.groups, cells, strict=True)])

    def every(self) -> Integers:
        """The tuple of each row of the table, -1 where it is dropped."""
        found = np.full(self.table.entries, -1, dtype=np.int64)
        for start in range(0, self.table.entries, BLOCK):
            rows, tuples = self.block(start)
            found[start + rows] = tuples
        return found


def _places(ids: Integers, known: Any) -> Integers:
    found = pc.index_in(pa.array(ids), value_set=known)
    if found.null_count:
        raise Bug("a row has a tuple that was not counted")
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.int64)


Labels: TypeAlias = Sequence[Sequence[str]]


@dataclass(frozen=True, eq=False)
class ReleasedColumn:
    """One column: the different values in ascending order, in their own type and as text, and nothing that
    does not occur. The code of a null, if there is one, follows that of the last value. `categories` are None
    unless the texts of the input were categories."""

    name: str
    role: str
    values: Any
    texts: Any
    categories: Categories | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_text(self) -> bool:
        kind = self.values.type
        return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))

    def of(self, places: Any) -> ReleasedColumn:
        """The column with some of its values only."""
        return replace(self, values=self.values.take(places), texts=self.texts.take(places))


@dataclass(frozen=True, eq=False)
class Released:
    """A release: columns in the order of the input, rows sorted by all of them. `unit` is what a row is."""

    columns: tuple[ReleasedColumn, ...]
    rows: SortedRows
    recoded: tuple[Codes, ...]
    unit: Unit = PEOPLE
    suppress_unit: str = "row"

    def __len__(self) -> int:
        return len(self.rows)

    def blocks(self, size: int = BLOCK) -> Iterator[list[Codes]]:
        """The codes of each column, in blocks of rows."""
        for start in range(0, len(self), size):
            yield self.codes(start, start + size)

    def codes(self, start: int, stop: int) -> list[Codes]:
        found = self.rows.codes(start, stop)
        return [recoded[codes] for recoded, codes in zip(self.recoded, found, strict=True)]

    def distinct(self) -> tuple[list[Codes], Integers]:
        """The codes of each column in the distinct rows, and how often each row occurs."""
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


def without_units(bound: BoundSchema, realized: Realized) -> BoundSchema:
    """The schema bound to the rows of units that stay, where a suppressed row takes those of its unit with
    it."""
    if realized.units is None:
        return bound
    columns = (bound.person, bound.household)
    column = next(each for each in columns if each is not None and each.name == realized.unit_column)
    # The last entry serves what is missing, which is omitted already.
    gone = ~np.append(realized.units, np.True_)[column.lookup]
    before = bound.omitted.values.get(column.name)
    values = {**bound.omitted.values, column.name: gone if before is None else gone | before}
    return replace(bound, omitted=Omission(values))


def release_rows(
    table: Counts,
    schema: Schema,
    bound: BoundSchema,
    realized: Realized,
    labels: Labels | None = None,
) -> Released:
    """The rows of a table as a recoding shows them, without those that are dropped or suppressed. For a
    counted table the distinct rows are recoded, and each is written as often as it was counted.

    `labels[j]` are the labels of the sets that quasi-identifier j shows, if not the recoding's own.
    """
    classes, bound = realized.classes, without_units(bound, realized)
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
        if schema.column(column.name).released
    ]
    words = Words.of([len(source.values) + 1 for source in sources])
    tuples = RowTuples.of(table, bound, realized.cube)

    weights = [table.weights]

    def pack(start: int) -> list[Integers]:
        """The words of the rows that stay and, if rows are counted, how often each occurs."""
        rows, found = tuples.block(start)
        of_row = classes.of_tuple[found]
        stays = realized.stays[of_row]
        packed = words.pack([source.of_rows(start, rows[stays], of_row[stays]) for source in sources])
        return [*packed, *(counts[start : start + BLOCK][rows[stays]] for counts in weights)]

    joined = [np.empty(table.entries, dtype=np.int64) for _ in (*words.digits, *weights)]
    filled = 0
    for block in ahead(pack, range(0, table.entries, BLOCK)):
        for whole, part in zip(joined, block, strict=True):
            whole[filled : filled + len(part)] = part
        filled += len(block[0])
    packed = [whole[:filled] for whole in joined]
    rows = sort_rows(words, packed[: len(words.digits)], *packed[len(words.digits) :])
    released = with_categories(without_unused(sources, rows, schema.unit), table, schema)
    return replace(released, suppress_unit=schema.suppress_unit)


def with_categories(released: Released, source: Counts, schema: Schema) -> Released:
    """A release in which the texts of a column are categories if those of the input are."""
    columns = (
        replace(column, categories=categories_for(column.name, source, schema)) if column.is_text else column
        for column in released.columns
    )
    return replace(released, columns=tuple(columns))


def class_source(name: str, labels: Sequence[str], shown: Integers) -> Source:
    """The source of a quasi-identifier's cells. Sets with the same label are one value, because the file
    shows no more."""
    texts = sorted(set(labels))
    rank = {text: place for place, text in enumerate(texts)}
    ranks = np.array([rank[label] for label in labels], dtype=np.int32)
    values = pa.array(texts, pa.string())
    return Source(name, "quasi", values, values, ranks[shown])


def kept_source(column: Column, schema: Schema, bound: BoundSchema) -> Source:
    """The source of a column that is unchanged, or generalized to its level of publication. All missing
    values become nulls, so that the file has one way to write them."""
    level = bound.published_levels.get(column.name)
    if level is not None:
        return _level_source(column, schema, level)
    spec = schema.column(column.name)
    if spec.round is not None:
        return _weight_source(column, bound)
    if spec.release_level or (spec.role in ("sensitive", "other") and spec.published_level is not None):
        raise Bug(f"column '{column.name}' would be released below its release_level")
    order = sorted_places(column.values, column.texts)
    codes = np.empty(len(order) + 1, dtype=np.int32)
    codes[order.to_numpy()] = np.arange(len(order), dtype=np.int32)
    codes[:-1][missing_texts(column, schema.null)] = len(order)
    codes[-1] = len(order)
    values = column.values.take(order)
    plain = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
    texts = values if plain else pa.array(column.texts, pa.string()).take(order)
    return Source(column.name, schema.column(column.name).role, values, texts, codes, column)


def _level_source(column: Column, schema: Schema, level: PublishedLevel) -> Source:
    """The source of a column at its level of publication. Sets with the same label are one value."""
    texts = sorted(set(level.labels))
    rank = {text: place for place, text in enumerate(texts)}
    # The last entry serves what is missing, and nulls.
    ranks = np.array([*(rank[label] for label in level.labels), len(texts)], dtype=np.int32)
    codes = np.append(ranks[level.codes], np.int32(len(texts)))
    values = pa.array(texts, pa.string())
    return Source(column.name, schema.column(column.name).role, values, values, codes, column)


def _weight_source(column: Column, bound: BoundSchema) -> Source:
    """The source of rounded weights: numbers, unless the table has texts."""
    weight = bound.weight
    if weight is None or weight.labels is None or weight.name != column.name:
        raise Bug(f"column '{column.name}' would be released without rounding")
    in_texts = column.type == "text"
    order = np.argsort(np.array(weight.labels, dtype=object) if in_texts else weight.values, kind="stable")
    ranks = np.empty(len(order) + 1, dtype=np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    ranks[-1] = len(order)
    texts = pa.array([weight.labels[place] for place in order.tolist()], pa.string())
    whole = all(value == int(value) for value in weight.values.tolist())
    numbers = pa.array(weight.values[order]).cast(pa.int64()) if whole else pa.array(weight.values[order])
    return Source(column.name, "weight", texts if in_texts else numbers, texts, ranks[weight.lookup], column)


def without_unused(sources: Sequence[Source], rows: SortedRows, unit: Unit) -> Released:
    """The release without values that occur in none of its rows; the type of a column follows from those
    that do: nothing of a suppressed row must be seen in the type of the others."""
    codes, _ = rows.distinct
    columns: list[ReleasedColumn] = []
    recoded: list[Codes] = []
    for source, found in zip(sources, codes, strict=True):
        occurs = np.bincount(found, minlength=len(source.values) + 1) > 0
        places = pa.array(np.flatnonzero(occurs[:-1]))
        recoded.append(np.asarray(np.cumsum(occurs) - occurs, dtype=np.int32))
        column = ReleasedColumn(source.name, source.role, source.values, source.texts).of(places)
        columns.append(replace(column, values=released_values(column.values, column.texts)))
    return Released(tuple(columns), rows, tuple(recoded), unit)
