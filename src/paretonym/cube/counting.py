"""Filling the cube from a table in memory: one pass of counting, whatever is asked later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.cube import Axis, Cube, Margin
from paretonym.schema.bound import BoundSchema, ClassColumn, QuasiColumn, SensitiveColumn
from paretonym.source.table import Table

Ids: TypeAlias = npt.NDArray[np.int64]

_WORD = 1 << 62


def count_tuples(table: Table, bound: BoundSchema) -> Cube:
    """The cube of a table: distinct tuples of the quasi-identifiers at their lowest levels, with counts."""
    kept = ~bound.dropped
    columns, axes = [], []
    for column in bound.quasi:
        leaf = _row_codes(table, column, kept)
        columns.append(column.hierarchy.levels[column.lowest].groups[leaf])
        axes.append(_axis(column, leaf))
    del leaf  # large: a number a row
    first, ids, counts = distinct_rows(columns, [c.hierarchy.group_counts[c.lowest] for c in bound.quasi])
    cube = Cube(
        axes=tuple(axes),
        groups=np.stack([column[first] for column in columns], axis=1).astype(np.int32),
        counts=counts,
        sensitive=tuple(_margin(table, column, kept, ids) for column in bound.sensitive),
        classes=tuple(_margin(table, column, kept, ids) for column in bound.classes),
        rows=int(kept.sum()),
        read=table.rows,
    )
    if not any(column.lowest for column in bound.quasi):
        return cube
    finest = replace(bound, quasi=tuple(replace(column, lowest=0) for column in bound.quasi))
    return replace(cube, finest=count_tuples(table, finest))


def distinct_rows(
    columns: Sequence[npt.NDArray[np.integer]], sizes: Sequence[int]
) -> tuple[Ids, Ids, npt.NDArray[np.int64]]:
    """The distinct tuples of several columns, sorted: a row that shows each, the tuple of each row, counts.

    Columns are combined into one number as long as it fits a machine word; then the numbers are replaced by
    their ranks and the next columns go on from there.
    """
    ids = np.zeros(len(columns[0]), dtype=np.int64)
    space = 1
    for column, size in zip(columns, sizes, strict=True):
        if space * size >= _WORD:
            _, ids = np.unique(ids, return_inverse=True)
            space = int(ids.max()) + 1
        ids = ids * size + column
        space *= size
    _, first, inverse, counts = np.unique(ids, return_index=True, return_inverse=True, return_counts=True)
    return first, inverse, counts.astype(np.int64)


def _row_codes(
    table: Table, column: QuasiColumn | SensitiveColumn | ClassColumn, kept: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int32]:
    """The schema's code of every kept row; the last entry of the look-up serves nulls (code -1)."""
    lookup = np.append(column.codes, np.int32(column.null_code)).astype(np.int32)
    return lookup[table.column(column.name).codes[kept]]


def _axis(column: QuasiColumn, leaf: npt.NDArray[np.int32]) -> Axis:
    rows = np.bincount(leaf, minlength=len(column.hierarchy.leaves)).astype(np.int64)
    return Axis(
        column.name,
        column.hierarchy,
        column.lowest,
        column.highest,
        column.importance,
        rows,
        column.cutting,
    )


def _margin(
    table: Table, column: SensitiveColumn | ClassColumn, kept: npt.NDArray[np.bool_], ids: Ids
) -> Margin:
    values = _row_codes(table, column, kept)
    size = len(column.values)
    cells, counts = np.unique(ids * size + values, return_counts=True)
    margin = Margin(
        name=column.name,
        labels=column.values,
        tuples=cells // size,
        values=(cells % size).astype(np.int32),
        counts=counts.astype(np.int64),
    )
    if isinstance(column, SensitiveColumn):
        return replace(margin, ordered=column.ordered, tree=column.tree)
    return margin
