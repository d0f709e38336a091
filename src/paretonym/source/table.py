"""A table as the rest of the program sees it: every column as distinct values and one code a row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Codes

ColumnType: TypeAlias = Literal["text", "integer", "decimal", "date", "boolean"]

NULL = -1


@dataclass(frozen=True, eq=False)
class Column:
    """One column: `values[codes[row]]` is what stands in a row; the code -1 is a null.

    `texts` are the distinct values as they are written, in the order of `values`; no two are equal.
    `values` is an Arrow array of the distinct values in the column's own type.
    """

    name: str
    type: ColumnType
    values: Any
    texts: tuple[str, ...]
    codes: Codes

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """How many rows hold each distinct value."""
        return np.bincount(self.codes[self.codes != NULL], minlength=len(self.texts)).astype(np.int64)

    @cached_property
    def nulls(self) -> int:
        return int((self.codes == NULL).sum())


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of one length, and a name for messages (a file's name, or "the dataframe").

    `kind` is how the caller held it ("file", "pandas", "polars", "pyarrow"), so that a release can be
    given back the same way. `path` is the file's, where there is one; `encoding` and `separator` are what
    had to be said to read it.
    """

    name: str
    rows: int
    columns: tuple[Column, ...]
    fingerprint: str
    kind: str = "file"
    path: str | None = None
    encoding: str | None = None
    separator: str | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @cached_property
    def by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    def column(self, name: str) -> Column:
        return self.by_name[name]
