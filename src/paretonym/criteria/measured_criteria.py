"""A table beside the people that it was made from and others of the same population: the three criteria."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from paretonym.arrays import Codes, Integers
from paretonym.criteria.cell_sets import read_cells
from paretonym.criteria.compared_rows import ComparedColumn, ComparedRows
from paretonym.criteria.inference import inference
from paretonym.criteria.linkability import linkability
from paretonym.criteria.singling_out import singling_out
from paretonym.criteria.success_rate import Criterion
from paretonym.data_kinds import Data
from paretonym.errors import Field, InputError, shown
from paretonym.schema import BoundSchema, Schema, bind, read_schema, schema_from, wanted_of
from paretonym.source import Counts
from paretonym.source.engines import joined, open_source, read

SchemaLike: TypeAlias = str | os.PathLike[str] | Mapping[str, object] | Schema
TARGETS = 2000
NEIGHBOURS = (1, 5)
# Roles of columns that a table about people may show.
COMPARED = ("quasi", "sensitive", "class", "other")
# Fewer people say too little for an interval to mean anything.
FEWEST = 20


@dataclass(frozen=True, slots=True)
class MeasuredCriteria:
    """What the attacks on one table measured, with the columns that were compared, those that the table
    lacks, and the labels that could not be read, by column."""

    place: str
    columns: tuple[str, ...]
    lacking: tuple[str, ...]
    unread: Mapping[str, tuple[str, ...]]
    seed: int
    criteria: tuple[Criterion, ...]

    def highest(self, name: str) -> Criterion:
        """The attack on one criterion that learned most."""
        return max((one for one in self.criteria if one.name == name), key=lambda one: one.risk)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What limits the figures."""
        remarks = []
        if self.lacking:
            remarks.append(f"The table lacks {shown(list(self.lacking))}: nothing is said about them.")
        for column, labels in self.unread.items():
            remarks.append(
                f"{len(labels):,} labels of '{column}' are neither values nor sets that can be read; each "
                "counts as a value that nobody has."
            )
        return tuple(remarks)

    def as_json(self) -> dict[str, Any]:
        return {
            "table": self.place,
            "columns": list(self.columns),
            "lacking": list(self.lacking),
            "unread": {column: len(labels) for column, labels in self.unread.items()},
            "seed": self.seed,
            "criteria": [criterion.as_json() for criterion in self.criteria],
        }


def measure_criteria(
    table: Data,
    original: Data,
    control: Data,
    schema: SchemaLike,
    *,
    targets: int = TARGETS,
    seed: int = 0,
    memory: str | None = None,
) -> MeasuredCriteria:
    """Measure singling out, linkability and inference for a table about the people of the original.

    `control` holds people of the same population that the table was not made from, in the same columns as
    the original. Every attack is tried on both, and what counts is the difference.
    """
    described = _schema(schema)
    wanted = wanted_of(described)
    people, others = (
        data if isinstance(data, Counts) else open_source(data, wanted, memory=memory)
        for data in (original, control)
    )
    for name, rows in (("original", people), ("control", others)):
        if rows.rows < FEWEST:
            wrong = f"it has {rows.rows:,} rows, too few to measure anything"
            raise InputError.of(Field(name), wrong, f"give {FEWEST} or more")
    place = str(table) if isinstance(table, str | os.PathLike) else "the dataframe"
    shown_rows = read(table, memory=memory)
    possible = [column.name for column in described.columns if column.role in COMPARED]
    names = [name for name in possible if name in shown_rows.names]
    compared, unread = compared_rows(names, shown_rows, people, others, described)
    known = [name for name in names if described.column(name).role == "quasi"]
    secrets = [name for name in names if described.column(name).role == "sensitive"]
    if len(names) < 2 or not known:
        wrong = f"it shares {len(names)} columns with the schema, {len(known)} of them quasi-identifiers"
        raise InputError.of(place, wrong, "give a table with the columns of the original")
    criteria = [singling_out(compared, targets, seed)]
    criteria += [linkability(compared, number, targets, seed) for number in NEIGHBOURS]
    criteria += [inference(compared, known, secret, targets, seed) for secret in secrets]
    lacking = tuple(name for name in possible if name not in names)
    return MeasuredCriteria(place, tuple(names), lacking, unread, seed, tuple(criteria))


def compared_rows(
    names: list[str], table: Counts, original: Counts, control: Counts, schema: Schema
) -> tuple[ComparedRows, dict[str, tuple[str, ...]]]:
    """The three tables with the same codes, and the labels that could not be read, by column."""
    labels = label_members(schema, joined(original, control))
    missing = frozenset(schema.null)
    columns, unread, cells = list[ComparedColumn](), dict[str, tuple[str, ...]](), list[Integers]()
    of_people, of_others = list[Integers](), list[Integers]()
    for name in names:
        texts = [_values(counts, name, missing) for counts in (original, control)]
        shown_texts = _values(table, name, missing)
        values = sorted({*texts[0], *texts[1]})
        reading = read_cells(name, values, sorted(set(shown_texts)), labels.get(name, {}))
        columns.append(reading.column)
        if reading.unread:
            unread[name] = reading.unread
        cells.append(_numbered(shown_texts, sorted(set(shown_texts)))[table.column(name).codes])
        for rows, counts, own in zip((of_people, of_others), (original, control), texts, strict=True):
            rows.append(_numbered(own, reading.column.values)[counts.column(name).codes])
    distinct, place = np.unique(np.stack(cells, axis=1), axis=0, return_inverse=True)
    weights = np.bincount(place.ravel(), table.weights, len(distinct)).astype(np.int64)
    people, others = (
        np.repeat(np.stack(rows, axis=1), counts.weights, axis=0)
        for rows, counts in ((of_people, original), (of_others, control))
    )
    return ComparedRows(tuple(columns), distinct, weights, people, others), unread


def label_members(schema: Schema, table: Counts) -> dict[str, dict[str, frozenset[str]]]:
    """The values of a table that each label of the schema stands for, by column."""
    bound = bind(schema, table)
    return {
        **{column.name: _of_hierarchy(bound, column.name, table) for column in bound.quasi},
        **{name: _of_level(bound, name, table) for name in bound.published_levels},
    }


def _of_hierarchy(bound: BoundSchema, name: str, table: Counts) -> dict[str, frozenset[str]]:
    """The values behind each label of a quasi-identifier's hierarchy; of a label that several levels share
    those of the highest."""
    column = next(column for column in bound.quasi if column.name == name)
    texts = table.column(name).texts
    members: dict[str, frozenset[str]] = {}
    for level in column.hierarchy.levels:
        groups = np.append(level.groups, np.int32(-1))[column.codes]
        members |= _by_label(level.labels, groups, texts)
    return members


def _of_level(bound: BoundSchema, name: str, table: Counts) -> dict[str, frozenset[str]]:
    level = bound.published_levels[name]
    return _by_label(level.labels, level.codes, table.column(name).texts)


def _by_label(labels: tuple[str, ...], groups: Codes, texts: tuple[str, ...]) -> dict[str, frozenset[str]]:
    """The texts that belong to each label."""
    members: dict[str, list[str]] = {label: [] for label in labels}
    for text, group in zip(texts, groups.tolist(), strict=False):
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


def _schema(schema: SchemaLike) -> Schema:
    if isinstance(schema, Schema):
        return schema
    return schema_from(schema) if isinstance(schema, Mapping) else read_schema(Path(schema))
