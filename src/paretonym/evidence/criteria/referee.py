"""The original and a control, opened once, beside which any table about the same people is read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.audit import LabelSets
from paretonym.base.arrays import Codes, Integers, Mask
from paretonym.base.errors import Field, InputError, shown
from paretonym.base.sentence_parts import several
from paretonym.evidence.criteria.cell_sets import read_cells
from paretonym.evidence.criteria.compared_rows import ComparedColumn, ComparedRows
from paretonym.tables.data_kinds import Data
from paretonym.tables.schema import Analysis, Role, Schema, bind, read_schema, schema_from, wanted_of
from paretonym.tables.source import Counts
from paretonym.tables.source.engines import joined, open_source, read

SchemaLike: TypeAlias = str | os.PathLike[str] | Mapping[str, object] | Schema
# Roles of columns that a table about people may show.
COMPARED: tuple[Role, ...] = ("quasi", "sensitive", "class", "other")
# Fewer people say too little for an interval to mean anything.
FEWEST = 20
NO_CONTROL = (
    "the criteria compare people whom the table was made from with others, and there are no others",
    f"keep some of the people out: explore with {Field('control', '10%')}, or give a control of your own",
)


@dataclass(frozen=True, eq=False)
class ReadTable:
    """A table beside the original and the control, with the columns that are compared, those that it lacks,
    and the labels that could not be read, by column. `analyses` are those that the schema declares and whose
    columns the table has; they take `numeric` columns as numbers, and others in the order of `leaves`."""

    place: str
    rows: ComparedRows
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    lacking: tuple[str, ...]
    unread: Mapping[str, tuple[str, ...]]
    analyses: tuple[Analysis, ...]
    numeric: frozenset[str]
    leaves: Mapping[str, tuple[str, ...]]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are compared."""
        return tuple(column.name for column in self.rows.columns)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on what limits the figures."""
        remarks = []
        rows, people = int(self.rows.weights.sum()), len(self.rows.original)
        if rows > people:
            remarks.append(
                f"The table has {rows:,} rows, and the original has {people:,}. If it was made from people "
                "of the control too, its risk is higher than measured."
            )
        if self.lacking:
            remarks.append(f"The table lacks {shown(list(self.lacking))}: nothing is said about them.")
        for column, labels in self.unread.items():
            remarks.append(
                f"{several(len(labels), 'label', 'labels')} of '{column}' can be read neither as a value nor "
                "as a set; each counts as a value that nobody has."
            )
        return tuple(remarks)


@dataclass(frozen=True, eq=False)
class Referee:
    """People whom tables were made from, and people of the same population whom they were not made from."""

    schema: Schema
    original: Counts
    control: Counts
    memory: str | None = None

    @classmethod
    def of(
        cls, original: Data, control: Data | None, schema: SchemaLike, memory: str | None = None
    ) -> Referee:
        """Open both tables; each must have a few people."""
        if control is None:
            raise InputError.of(Field("control"), *NO_CONTROL)
        described = read_described(schema)
        wanted = wanted_of(described)
        tables = []
        for name, data in (("original", original), ("control", control)):
            counts = data if isinstance(data, Counts) else open_source(data, wanted, memory=memory)
            if counts.rows < FEWEST:
                wrong = f"it has {counts.rows:,} rows, too few to measure anything"
                raise InputError.of(Field(name), wrong, f"give {FEWEST} or more")
            tables.append(counts)
        return cls(described, tables[0], tables[1], memory)

    def read(self, table: Data, place: str = "") -> ReadTable:
        """A table, its columns matched by name; `place` is its name if it has no path."""
        place = place or (str(table) if isinstance(table, str | os.PathLike) else "the dataframe")
        counts = table if isinstance(table, Counts) else read(table, memory=self.memory)
        possible = [column.name for column in self.schema.columns if column.role in COMPARED]
        names = [name for name in possible if name in counts.names]
        by_role = {
            role: tuple(name for name in names if self.schema.column(name).role == role)
            for role in ("quasi", "sensitive")
        }
        if len(names) < 2 or not by_role["quasi"]:
            wrong = (
                f"it shares {len(names)} columns with the schema, {len(by_role['quasi'])} of them "
                "quasi-identifiers"
            )
            raise InputError.of(place, wrong, "give a table with the columns of the original")
        rows, unread = self._beside(counts, names)
        lacking = tuple(name for name in possible if name not in names)
        analyses = tuple(one for one in self.schema.purposes if set(names).issuperset(one.used))
        numeric = frozenset(name for name in names if self._is_numeric(name))
        leaves = self.leaves if analyses else {}
        return ReadTable(
            place, rows, by_role["quasi"], by_role["sensitive"], lacking, unread, analyses, numeric, leaves
        )

    def _is_numeric(self, name: str) -> bool:
        """True if schema or source say that values are numbers, or nothing says that they are not."""
        spec = self.schema.column(name)
        if spec.type is not None or spec.numeric:
            return spec.numeric
        typed = self.original.column(name).type in ("integer", "decimal") and spec.kind.reads != "texts"
        return typed or (spec.hierarchy is None and spec.order is None and spec.role != "quasi")

    def _beside(self, table: Counts, names: list[str]) -> tuple[ComparedRows, dict[str, tuple[str, ...]]]:
        """The three tables with the same codes, and the labels that could not be read, by column."""
        missing = frozenset(self.schema.null)
        columns, unread, cells = list[ComparedColumn](), dict[str, tuple[str, ...]](), list[Integers]()
        both = (self.original, self.control)
        people: tuple[list[Integers], list[Integers]] = ([], [])
        for name in names:
            texts = [_values(counts, name, missing) for counts in both]
            shown_texts = _values(table, name, missing)
            different = sorted(set(shown_texts))
            values = sorted({*texts[0], *texts[1]})
            reading = read_cells(name, values, different, _sets_of(self.labels, name, different))
            columns.append(reading.column)
            if reading.unread:
                unread[name] = reading.unread
            shown_cells = reading.column.alike[_numbered(shown_texts, different)]
            cells.append(shown_cells[table.column(name).codes])
            for rows, counts, of_column in zip(people, both, texts, strict=True):
                rows.append(_numbered(of_column, reading.column.values)[counts.column(name).codes])
        distinct, place = np.unique(np.stack(cells, axis=1), axis=0, return_inverse=True)
        weights = np.bincount(place.ravel(), table.weights, len(distinct)).astype(np.int64)
        repeated = (
            np.repeat(np.stack(rows, axis=1), counts.weights, axis=0)
            for rows, counts in zip(people, both, strict=True)
        )
        return ComparedRows(tuple(columns), distinct, weights, *repeated), unread

    @cached_property
    def labels(self) -> dict[str, SchemaLabels]:
        """The labels of the schema, by column."""
        return _schema_labels(self.schema, joined(self.original, self.control))

    @cached_property
    def leaves(self) -> dict[str, tuple[str, ...]]:
        """The values of each quasi-identifier in the order of its hierarchy."""
        return {column.name: column.hierarchy.leaves for column in bind(self.schema, self.original).quasi}


def label_values(
    schema: Schema, table: Counts, name: str, labels: Sequence[str]
) -> tuple[npt.NDArray[np.float64] | None, list[Mask]]:
    """The values of a column as numbers, if they are numbers, and which of them each of some labels of a
    release stands for."""
    values = sorted(set(_values(table, name, frozenset(schema.null))))
    sets = _sets_of(_schema_labels(schema, table), name, labels)
    column = read_cells(name, values, labels, sets).column
    return column.numbers, [column.members(cell) for cell in range(len(labels))]


@dataclass(frozen=True, eq=False)
class SchemaLabels:
    """The texts that each label of a schema stands for: of its levels, and, of a quasi-identifier, of any run
    of leaves, as cuts and parts show them and an audit reads them."""

    by_level: Mapping[str, frozenset[str]]
    texts: Sequence[str] = ()
    leaves: Sequence[int] = ()
    sets: LabelSets | None = None

    def of(self, cells: Sequence[str]) -> dict[str, frozenset[str]]:
        """The texts that some cells stand for; a cell that is read in no way, or in several, is left out."""
        formed = {}
        for cell in set(cells).difference(self.by_level, self.texts):
            runs = set() if self.sets is None else self.sets.meanings(cell)
            if len(runs) == 1:
                ((first, after),) = runs
                placed = zip(self.texts, self.leaves, strict=True)
                formed[cell] = frozenset(text for text, leaf in placed if first <= leaf < after)
        return {**formed, **self.by_level}


def _sets_of(
    labels: Mapping[str, SchemaLabels], name: str, cells: Sequence[str]
) -> dict[str, frozenset[str]]:
    return labels[name].of(cells) if name in labels else {}


def _schema_labels(schema: Schema, table: Counts) -> dict[str, SchemaLabels]:
    """The labels that a schema has for the values of a table, by column."""
    missing = frozenset(schema.null)
    bound = bind(schema, table)
    labels: dict[str, SchemaLabels] = {}
    for column in bound.quasi:
        texts = _values(table, column.name, missing)
        # Of a label that several levels share, the highest says what it stands for.
        levels = enumerate(column.hierarchy.levels)
        by_level = [_by_label(level.labels, column.groups(i), texts) for i, level in levels]
        members = {label: values for one in by_level for label, values in one.items()}
        labels[column.name] = SchemaLabels(members, texts, column.lookup.tolist(), LabelSets(column))
    for name, published in bound.published_levels.items():
        texts = _values(table, name, missing)[:-1]
        labels[name] = SchemaLabels(_by_label(published.labels, published.codes, texts))
    return labels


def read_described(schema: SchemaLike) -> Schema:
    """A schema, given as such, as a path or as a dict."""
    if isinstance(schema, Schema):
        return schema
    return schema_from(schema) if isinstance(schema, Mapping) else read_schema(Path(schema))


def _by_label(labels: tuple[str, ...], groups: Codes, texts: Sequence[str]) -> dict[str, frozenset[str]]:
    """The texts that belong to each label."""
    members: dict[str, list[str]] = {label: [] for label in labels}
    for text, group in zip(texts, groups.tolist(), strict=True):
        if group >= 0:
            members[labels[group]].append(text)
    return {label: frozenset(belonging) for label, belonging in members.items()}


def _values(counts: Counts, name: str, missing: frozenset[str]) -> list[str]:
    """The text of each code; what means missing, and a null, whose code -1 finds the last entry, is empty."""
    return [*("" if text.strip() in missing else text for text in counts.column(name).texts), ""]


def _numbered(texts: list[str], values: tuple[str, ...] | list[str]) -> Integers:
    """The place of each text among some values; what a table alone has is at none, and nobody has it."""
    place = {value: number for number, value in enumerate(values)}
    return np.array([place.get(text, 0) for text in texts], dtype=np.int64)
