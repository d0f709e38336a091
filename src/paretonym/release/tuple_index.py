"""Which tuple of a cube a row has: the way back from counting to rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from paretonym.arrays import Codes, Integers, Mask
from paretonym.counts.cube import Cube
from paretonym.errors import Bug
from paretonym.schema.bound_schema import BoundSchema
from paretonym.source.table import Table

# Rows that are looked at together: enough for numpy, few enough for memory.
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
    """The tuples of the rows of a table that are `kept`, block by block. `groups[j]` gives the group of each
    value of quasi-identifier j and, last, of a null."""

    table: Table
    kept: Mask
    index: TupleIndex
    names: tuple[str, ...]
    groups: tuple[Codes, ...]

    @classmethod
    def of(cls, table: Table, bound: BoundSchema, cube: Cube) -> RowTuples:
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
        found = np.full(self.table.rows, -1, dtype=np.int64)
        for start in range(0, self.table.rows, BLOCK):
            rows, tuples = self.block(start)
            found[start + rows] = tuples
        return found


def _places(ids: Integers, known: Any) -> Integers:
    found = pc.index_in(pa.array(ids), value_set=known)
    if found.null_count:
        raise Bug("a row has a tuple that was not counted")
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.int64)
