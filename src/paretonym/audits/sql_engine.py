"""DuckDB for audits: a private database in memory, and errors that show no data."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from paretonym.arrays import Integers
from paretonym.duckdb_connection import arrow_reader, full_disk, without_bar
from paretonym.errors import Field, InputError

# Classes of a release of ten million rows fit; what does not goes to a private folder.
MEMORY = "1200MB"
SMALLEST = 1 << 26


class Engine:
    """A connection that answers with plain values."""

    def __init__(self, connection: Any, folder: str) -> None:
        self._connection = connection
        # For copies that are gone with the database.
        self.folder = folder
        self._views: dict[str, str] = {}

    @classmethod
    @contextmanager
    def opened(cls, memory: str | None) -> Iterator[Engine]:
        """A database that is removed afterwards, with everything that it may have written."""
        import duckdb

        # Its errors quote the content of the file: none of that may reach a message.
        with tempfile.TemporaryDirectory(prefix="paretonym-") as folder:
            settings: dict[str, str | bool | int | float | list[str]] = {
                "memory_limit": memory_limit(memory),
                "temp_directory": folder,
                "preserve_insertion_order": "false",
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
            }
            connection = duckdb.connect(":memory:", config=settings)
            try:
                without_bar(connection)
                yield cls(connection, folder)
            except duckdb.Error as error:
                _check_disk(error)
                raise
            finally:
                connection.close()

    @staticmethod
    @contextmanager
    def reading(
        place: str, remedy: str = "give a Parquet file, or CSV in UTF-8 with a header line"
    ) -> Iterator[None]:
        """What goes wrong while a file is read is the file's mistake; the message names a line at most."""
        import duckdb

        try:
            yield
        except duckdb.OutOfMemoryException:
            raise MemoryError from None
        except duckdb.Error as error:
            _check_disk(error)
            line = re.search(r"CSV Error on Line: (\d+)", str(error))
            where = f"{place}, line {line[1]}" if line else place
            raise InputError.of(where, "it cannot be read as a table", remedy) from None

    def run(self, query: str, values: Sequence[Any] = ()) -> None:
        self._connection.execute(query, list(values))

    def define(self, view: str, query: str) -> None:
        """Give a query a name, unless it has that name already: views over wide tables take milliseconds."""
        if self._views.get(view) != query:
            self.run(f"create or replace temp view {view} as {query}")
            self._views[view] = query

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self._connection.execute(query, list(values)).fetchall()
        return found

    def row(self, query: str) -> tuple[Any, ...]:
        """The only row of an answer."""
        (found,) = self.rows(query)
        return found

    def number(self, query: str) -> float:
        """The only number of an answer; none is 0."""
        (value,) = self.row(query)
        return float(value or 0)

    def count(self, query: str) -> int:
        (value,) = self.row(query)
        return int(value or 0)

    def numbers(self, query: str, values: Sequence[Any] = ()) -> Integers:
        """The only column of an answer, whole numbers."""
        (found,) = self._connection.execute(query, list(values)).fetchnumpy().values()
        return np.asarray(found, dtype=np.int64)

    def texts(self, query: str) -> Iterator[bytes]:
        """The only column of an answer, texts one behind the other."""
        for batch in arrow_reader(self._connection.sql(query), 1 << 16):
            yield "".join(batch.column(0).to_pylist()).encode()

    @contextmanager
    def in_order(self) -> Iterator[None]:
        """Rows come in the order of the file meanwhile, which takes longer."""
        self.run("set preserve_insertion_order = true")
        try:
            yield
        finally:
            self.run("set preserve_insertion_order = false")

    def keep(self, name: str, columns: dict[str, Any]) -> None:
        """Make a table of numpy arrays of one length."""
        self._connection.register("arrays", columns)
        self.run(f"create or replace temp table {name} as select * from arrays")
        self._connection.unregister("arrays")

    def append(self, name: str, rows: Any) -> None:
        """Add the rows of an Arrow table to a table."""
        self._connection.register("arrays", rows)
        self.run(f"insert into {name} select * from arrays")
        self._connection.unregister("arrays")

    def lookup(self, name: str, texts: Sequence[str]) -> None:
        """Make a table of texts with their numbers: 0, 1, …"""
        self.run(
            f"create or replace temp table {name} as "
            "select unnest(?::varchar[]) as text, unnest(range(?)) as code",
            [list(texts), len(texts)],
        )


def memory_limit(given: str | None) -> str:
    """A limit as DuckDB takes it.

    >>> memory_limit("4 GB")
    '4GB'
    """
    text = MEMORY if given is None else "".join(str(given).split()).upper()
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]I?B)", text)
    if found is None:
        raise InputError.of(
            Field("memory"), f"{str(given)!r} is not an amount of memory", "give for example 4GB"
        )
    powers = {"K": 1, "M": 2, "G": 3, "T": 4}
    size = float(found[1]) * (1024 if "I" in found[2] else 1000) ** powers[found[2][0]]
    if size < SMALLEST:
        raise InputError.of(Field("memory"), f"{str(given)!r} is too little", "give at least 64MiB")
    return text


def _check_disk(error: Exception) -> None:
    """Call a full or forbidden disk by its name."""
    if (number := full_disk(error)) is not None:
        raise OSError(number, os.strerror(number), tempfile.gettempdir()) from None


def listed(columns: Sequence[str]) -> str:
    return ", ".join(columns)
