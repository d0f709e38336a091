"""Types of the public functions: the tables that users give, and what they get back."""

from __future__ import annotations

import os
from typing import Any, Protocol, TypeAlias


class Frame(Protocol):
    """A dataframe, eager or lazy, of any library that Narwhals knows: pandas, polars, pyarrow, DuckDB, Ibis,
    Dask, PySpark."""

    @property
    def columns(self) -> object:
        """The columns, or their names."""
        ...


class ArrowStream(Protocol):
    """A table that any library of Arrow can read, such as a reader of record batches."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


# A path, the address of a database, or a dataframe.
Data: TypeAlias = str | os.PathLike[str] | Frame | ArrowStream
# A document of JSON, such as a manifest.
Document: TypeAlias = dict[str, Any]
# Rows in the caller's own kind of dataframe: pandas for pandas, polars for polars. A union of all kinds would
# refuse every method of each of them, so checkers do not follow this type.
OwnFrame: TypeAlias = Any
