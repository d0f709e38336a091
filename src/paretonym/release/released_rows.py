"""The rows of a release: new columns, made from what each class shows and from the columns that are
unchanged. Like every table they are distinct rows with counts, sorted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from paretonym.base.arrays import Codes, Integers
from paretonym.base.errors import Bug
from paretonym.base.factorize import distinct_rows, summed_rows
from paretonym.engine.counts import Cube
from paretonym.engine.measures import Realized
from paretonym.tables.arrow import pa
from paretonym.tables.schema import PEOPLE, BoundSchema, PublishedLevel, Schema, Unit, missing_texts
from paretonym.tables.source import Column, Counts, Omission, released_values, sorted_places

Labels: TypeAlias = Sequence[Sequence[str]]
# The column with how often a row occurs, where rows are handed on as distinct ones.
COUNT = "paretonym_count"


def row_tuples(table: Counts, bound: BoundSchema, cube: Cube) -> Integers:
    """The tuple of the cube that each entry of the table has, -1 where the schema drops it."""
    tuples = np.full(table.entries, -1, dtype=np.int64)
    remaining = ~table.dropped(bound.omitted)
    groups = [
        column.groups(column.lowest)[table.column(column.name).codes[remaining]] for column in bound.quasi
    ]
    sizes = [axis.groups(axis.lowest) for axis in cube.axes]
    both = [np.concatenate([cube.groups[:, j], column]) for j, column in enumerate(groups)]
    first, numbers, _ = distinct_rows(both, sizes)
    # Tuples of the cube stand first, so that each is the first with its groups.
    if (first >= cube.tuples).any():
        raise Bug("a row has a tuple that was not counted")
    tuples[remaining] = first[numbers[cube.tuples :]]
    return tuples


@dataclass(frozen=True, eq=False)
class ReleasedColumn:
    """One column: the different values in ascending order, in their own type and as text, and nothing that
    does not occur. The code of a null, if there is one, follows that of the last value."""

    name: str
    role: str
    values: Any
    texts: Any

    def __len__(self) -> int:
        return len(self.values)

    def cells(self, codes: Codes) -> Any:
        """The values of these codes in Arrow."""
        return self.values.take(pa.array(codes, mask=codes == len(self)))


@dataclass(frozen=True, eq=False)
class Source:
    """Where the cells of a released column come from: `codes` gives the code of each class, or of each value
    of the table's column and, last, of a null."""

    name: str
    role: str
    values: Any
    texts: Any
    codes: Codes


@dataclass(frozen=True, eq=False)
class Released:
    """A release: columns in the order of the input, and distinct rows, sorted by all of them, with how often
    each occurs. `codes[j]` holds the cells of column j. `unit` is what a row is."""

    columns: tuple[ReleasedColumn, ...]
    codes: tuple[Codes, ...]
    counts: Integers
    unit: Unit = PEOPLE
    suppress_unit: str = "row"

    @classmethod
    def of(
        cls,
        sources: Sequence[Source],
        cells: Sequence[Codes],
        counts: Integers,
        unit: Unit,
        suppress_unit: str = "row",
    ) -> Released:
        """The release of rows with these cells, each of them `counts` times. The type of a column follows
        from the values that occur: nothing of a suppressed row must be seen in the type of the others."""
        first, often = summed_rows(cells, [len(source.values) + 1 for source in sources], counts)
        columns = [
            ReleasedColumn(source.name, source.role, source.values, source.texts) for source in sources
        ]
        rows = cls(tuple(columns), tuple(codes[first] for codes in cells), often, unit, suppress_unit)
        occurring = rows._without_unused()
        typed = (replace(c, values=released_values(c.values, c.texts)) for c in occurring.columns)
        return replace(occurring, columns=tuple(typed))

    def __len__(self) -> int:
        return int(self.counts.sum())

    def part(self, start: int, stop: int) -> Released:
        """The rows from `start` up to `stop` as a release of their own, with no value that does not occur in
        them. A row that occurs often may begin in one part and continue in the next."""
        chosen, often = self._between(start, stop)
        part = replace(self, codes=tuple(codes[chosen] for codes in self.codes), counts=often)
        return part._without_unused()

    def rows(self, start: int, stop: int) -> list[Codes]:
        """The codes of each column in the rows from `start` up to `stop`."""
        chosen, often = self._between(start, stop)
        return [np.repeat(codes[chosen], often) for codes in self.codes]

    def _between(self, start: int, stop: int) -> tuple[slice, Integers]:
        """The distinct rows that occur from row `start` up to `stop`, and how often they do there."""
        stop = min(stop, len(self))
        places = np.searchsorted(self._ends, [start, stop - 1], side="right")
        chosen = slice(int(places[0]), int(places[1]) + 1)
        ends: Integers = np.clip(self._ends[chosen], start, stop)
        return chosen, ends - np.append(np.int64(start), ends[:-1])

    @cached_property
    def _ends(self) -> Integers:
        return np.cumsum(self.counts)

    def _without_unused(self) -> Released:
        columns: list[ReleasedColumn] = []
        cells: list[Codes] = []
        for column, codes in zip(self.columns, self.codes, strict=True):
            occurs = np.bincount(codes, minlength=len(column) + 1) > 0
            places = pa.array(np.flatnonzero(occurs[:-1]))
            ranks: Codes = np.asarray(np.cumsum(occurs) - occurs, dtype=np.int32)
            cells.append(ranks[codes])
            values, texts = column.values.take(places), column.texts.take(places)
            columns.append(replace(column, values=values, texts=texts))
        return replace(self, columns=tuple(columns), codes=tuple(cells))

    def with_role(self, role: str) -> list[int]:
        """The places of the columns of a role."""
        return [place for place, column in enumerate(self.columns) if column.role == role]

    def distinct_table(self) -> Any:
        """The distinct rows in Arrow, with how often each occurs in the last column."""
        cells = [column.cells(codes) for column, codes in zip(self.columns, self.codes, strict=True)]
        names = [*(column.name for column in self.columns), COUNT]
        return pa.table([*cells, pa.array(self.counts)], names=names)


def without_units(bound: BoundSchema, realized: Realized) -> BoundSchema:
    """The schema bound to the rows of units that stay, where a suppressed row takes those of its unit with
    it."""
    if realized.units is None:
        return bound
    columns = (bound.person, bound.household)
    column = next(one for one in columns if one is not None and one.name == realized.unit_column)
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
    """The rows of a table as a recoding shows them, without those that are dropped or suppressed.

    `labels[j]` are the labels of the sets that quasi-identifier j shows, if not the recoding's own.
    """
    classes, bound = realized.classes, without_units(bound, realized)
    if classes.buckets is not None:
        raise Bug("rows of buckets would be released as they are")
    # The last entry is that of dropped rows.
    of_row = np.append(classes.of_tuple, -1)[row_tuples(table, bound, realized.cube)]
    rows = np.flatnonzero(np.append(realized.stays, np.False_)[of_row])
    names = labels or [sets.labels for sets in classes.sets]
    axes = {axis.name: j for j, axis in enumerate(realized.cube.axes)}
    sources: list[Source] = []
    cells: list[Codes] = []
    for column in table.columns:
        if not schema.column(column.name).released:
            continue
        if (j := axes.get(column.name)) is not None:
            sources.append(class_source(column.name, names[j], classes.shown[:, j]))
            cells.append(sources[-1].codes[of_row[rows]])
        else:
            sources.append(kept_source(column, schema, bound))
            cells.append(sources[-1].codes[column.codes[rows]])
    return Released.of(sources, cells, table.weights[rows], schema.unit, schema.suppress_unit)


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
    codes[:-1][missing_texts(column, schema.null_of(column.name))] = len(order)
    codes[-1] = len(order)
    values = column.values.take(order)
    plain = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
    texts = values if plain else pa.array(column.texts, pa.string()).take(order)
    return Source(column.name, schema.column(column.name).role, values, texts, codes)


def _level_source(column: Column, schema: Schema, level: PublishedLevel) -> Source:
    """The source of a column at its level of publication. Sets with the same label are one value."""
    texts = sorted(set(level.labels))
    rank = {text: place for place, text in enumerate(texts)}
    # The last entry serves what is missing, and nulls.
    ranks = np.array([*(rank[label] for label in level.labels), len(texts)], dtype=np.int32)
    codes = np.append(ranks[level.codes], np.int32(len(texts)))
    values = pa.array(texts, pa.string())
    return Source(column.name, schema.column(column.name).role, values, values, codes)


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
    return Source(column.name, "weight", texts if in_texts else numbers, texts, ranks[weight.lookup])
