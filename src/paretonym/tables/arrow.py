"""Arrow, loaded when it is first used: questions to a saved run need no table, and should not wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as arrow_csv
    from pyarrow import parquet
else:
    from importlib import import_module

    class _Later:
        """A module that is imported when something in it is asked for."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, name: str) -> object:
            value = getattr(import_module(self._name), name)
            setattr(self, name, value)
            return value

    pa, pc = _Later("pyarrow"), _Later("pyarrow.compute")
    arrow_csv, parquet = _Later("pyarrow.csv"), _Later("pyarrow.parquet")

__all__ = ["arrow_csv", "pa", "parquet", "pc"]
