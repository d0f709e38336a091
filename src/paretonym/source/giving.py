"""An Arrow table in the caller's own kind of dataframe."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any


def give_back(table: Any, kind: str) -> Any:
    """The same rows as the caller's kind: `pandas`, `polars` or `pyarrow`; of a file, pandas if it is there.

    >>> import pyarrow
    >>> give_back(pyarrow.table({"a": [1]}), "pyarrow").column_names
    ['a']
    """
    if kind == "file":
        kind = "pandas" if find_spec("pandas") else "pyarrow"
    if kind == "pandas":
        # Dates as pandas has them, not as Python objects.
        return table.to_pandas(date_as_object=False)
    if kind == "polars":
        import narwhals as nw

        return nw.from_arrow(table, backend="polars").to_native()
    return table
