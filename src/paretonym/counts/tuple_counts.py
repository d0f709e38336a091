"""Filling the cube from a table in memory: one pass of counting, whatever is asked later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from paretonym.counts.cube import Axis, Cube, Margin
from paretonym.counts.factorize import BLOCK, Ids, counted, rank
from paretonym.schema.bound_schema import BoundSchema, ClassColumn, QuasiColumn, SensitiveColumn
from paretonym.source.table import Table

_WORD = 1 << 62


def count_tuples(table: Table, bound: BoundSchema) -> Cube:
    """The cube of a table: distinct tuples of the quasi-identifiers at their lowest levels, with counts."""
    kept = ~bound.dropped
    ids, space, axes = np.zeros(int(kept.sum()), dtype=np.int64), 1, []
    for column in bound.quasi:
        leaf = _row_codes(table, column, kept)
        axes.append(_axis(column, leaf))
        shown = column.hierarchy.levels[column.lowest].groups[leaf]
        space = _append(ids, space, shown, column.hierarchy.group_counts[column.lowest])
    del leaf, shown  # large: a number a row
    ranked = rank(ids)
    cube = Cube(
        axes=tuple(axes),
        groups=_groups(table, bound, np.flatnonzero(kept)[ranked.first]),
        counts=ranked.counts,
        sensitive=tuple(_margin(table, column, kept, ids) for column in bound.sensitive),
        classes=tuple(_margin(table, column, kept, ids) for column in bound.classes),
        rows=len(ids),
        read=table.rows,
    )
    if not any(column.lowest for column in bound.quasi):
        return cube
    finest = replace(bound, quasi=tuple(replace(column, lowest=0) for column in bound.quasi))
    return replace(cube, finest=count_tuples(table, finest))


def distinct_rows(
    columns: Sequence[npt.NDArray[np.integer]], sizes: Sequence[int]
) -> tuple[Ids, Ids, npt.NDArray[np.int64]]:
    """The distinct tuples of several columns, sorted: a row that shows each, each row's tuple, counts."""
    ids, space = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column, size in zip(columns, sizes, strict=True):
        space = _append(ids, space, column, size)
    ranked = rank(ids)
    return ranked.first, ids, ranked.counts


def _append(ids: Ids, space: int, column: npt.NDArray[np.integer], size: int) -> int:
    """Give every row's number, which is less than `space`, one more digit; what it is less than now.

    Columns are combined into one number as long as it fits a machine word; then the numbers are replaced by
    their ranks and the next columns go on from there.
    """
    if space * size >= _WORD:
        space = len(rank(ids).distinct)
    ids *= size
    ids += column
    return space * size


def _groups(table: Table, bound: BoundSchema, rows: Ids) -> npt.NDArray[np.int32]:
    """What some rows show at the lowest levels."""
    shown = (
        column.hierarchy.levels[column.lowest].groups[_row_codes(table, column, rows)]
        for column in bound.quasi
    )
    return np.stack(list(shown), axis=1).astype(np.int32)


def _row_codes(
    table: Table, column: QuasiColumn | SensitiveColumn | ClassColumn, rows: npt.NDArray[np.bool_] | Ids
) -> npt.NDArray[np.int32]:
    """The schema's code of some rows; the last entry of the look-up serves nulls (code -1)."""
    lookup = np.append(column.codes, np.int32(column.null_code)).astype(np.int32)
    return lookup[table.column(column.name).codes[rows]]


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
    starts = range(0, max(len(ids), 1), BLOCK)
    cells, counts = counted(ids[s : s + BLOCK] * size + values[s : s + BLOCK] for s in starts)
    margin = Margin(
        name=column.name,
        labels=column.values,
        tuples=cells // size,
        values=(cells % size).astype(np.int32),
        counts=counts,
    )
    if isinstance(column, SensitiveColumn):
        return replace(margin, ordered=column.ordered, tree=column.tree)
    return margin
