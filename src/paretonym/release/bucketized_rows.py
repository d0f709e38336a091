"""The rows of a release in buckets: every row in its bucket, with the sensitive values in a separate table or
permuted inside the bucket.

The assignment that protects people is drawn once for each table and recoding: rows are put into an order that
depends on their content alone, then everything is drawn with the table's key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from paretonym.base.arrays import Codes, Integers
from paretonym.base.errors import Bug
from paretonym.engine.measures import Realized
from paretonym.engine.recoding import Recoding, digest
from paretonym.engine.spaces import DealtRows, space_of
from paretonym.release.draw_key import Draw, Numbers
from paretonym.release.released_rows import (
    Released,
    Source,
    class_source,
    kept_source,
    row_tuples,
)
from paretonym.tables.arrow import pa
from paretonym.tables.schema import BoundSchema, Schema, SensitiveColumn, Unit
from paretonym.tables.source import Counts

Cells: TypeAlias = tuple[Source, Codes]

BUCKET = "bucket"


@dataclass(frozen=True, eq=False)
class Bucketed:
    """A release in buckets: `shown` has everything but the sensitive columns (Anatomy's QIT), `apart` the
    sensitive ones (its ST), each with the bucket's number; `mixed` is both in one table, the sensitive rows
    of each bucket in random order."""

    shown: Released
    apart: Released
    mixed: Released
    column: str


def bucket_rows(
    table: Counts,
    schema: Schema,
    bound: BoundSchema,
    realized: Realized,
    recoding: Recoding,
    key: bytes,
    taken: Sequence[str],
) -> Bucketed:
    """The rows of a table in their buckets, without those that are dropped. `taken` are the names of all
    columns of the data."""
    bucket_of = space_of(recoding).publish
    if bucket_of is None:
        raise Bug("a recoding without buckets was to be put into buckets")
    draw = Draw(key, digest(recoding))
    tuples = row_tuples(table, bound, realized.cube)
    order = draw.order(table)
    # Drawn for every row: which rows a schema drops changes nothing for the others.
    stays = tuples[order] >= 0
    rows = order[stays]
    deal, shuffle = (draw.numbers(purpose, table.rows)[stays] for purpose in ("deal", "shuffle"))
    values = tuple(_codes(table, column, rows) for column in bound.sensitive)
    of_row = bucket_of(recoding, realized.cube, DealtRows(tuples[rows], values, deal))
    name = _free_name(taken)
    numbers = pa.array(np.arange(1, int(of_row.max()) + 2))
    texts = numbers.cast(pa.string())
    visible, secret = _cells(table, schema, bound, realized, rows, tuples[rows])
    moved = _shuffled(of_row, shuffle)
    inside = Source(name, BUCKET, numbers, texts, np.arange(len(numbers), dtype=np.int32))
    # For sensitive values, a bucket takes the role of a class.
    of_secret = Source(name, "quasi", numbers, texts, inside.codes)
    codes = of_row.astype(np.int32)
    mixed = [(source, cells[moved]) for source, cells in secret]
    shown_apart = [*visible, (inside, codes)], [(of_secret, codes), *secret]
    together = [*_in_order(table, [*visible, *mixed]), (inside, codes)]
    first, second, joined = (_released(columns, schema.unit) for columns in (*shown_apart, together))
    return Bucketed(first, second, joined, name)


def _codes(table: Counts, column: SensitiveColumn, rows: Integers) -> Codes:
    """The value of each row in a sensitive column."""
    return column.lookup[table.column(column.name).codes[rows]]


def _shuffled(of_row: Integers, drawn: Numbers) -> Integers:
    """A random permutation of the rows inside every bucket."""
    source = np.lexsort((drawn, of_row))
    moved = np.empty(len(of_row), dtype=np.int64)
    moved[np.argsort(of_row, kind="stable")] = source
    return moved


def _cells(
    table: Counts, schema: Schema, bound: BoundSchema, realized: Realized, rows: Integers, tuples: Integers
) -> tuple[list[Cells], list[Cells]]:
    """The unchanged columns and the sensitive ones, in the order of the input."""
    classes = realized.classes
    axes = {axis.name: j for j, axis in enumerate(realized.cube.axes)}
    columns: list[Cells] = []
    secret: list[Cells] = []
    for column in table.columns:
        role = schema.column(column.name).role
        if role == "quasi":
            j = axes[column.name]
            source = class_source(column.name, classes.sets[j].labels, classes.shown[:, j])
            columns.append((source, source.codes[classes.of_tuple[tuples]]))
        elif schema.column(column.name).released:
            source = kept_source(column, schema, bound)
            entry = source, source.codes[column.codes[rows]]
            (secret if role == "sensitive" else columns).append(entry)
    return columns, secret


def _in_order(table: Counts, columns: Sequence[Cells]) -> list[Cells]:
    return sorted(columns, key=lambda entry: table.names.index(entry[0].name))


def _released(columns: Sequence[Cells], unit: Unit) -> Released:
    """Columns with the cells of each row as a release."""
    sources, cells = zip(*columns, strict=True)
    return Released.of(sources, cells, np.ones(len(cells[0]), dtype=np.int64), unit)


def _free_name(taken: Sequence[str]) -> str:
    name = BUCKET
    while name in taken:
        name = f"{name}_"
    return name
