"""DuckDB for an audit: a private database in memory, and errors that show no data."""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from paretonym.errors import Field, InputError

# Classes of a release of ten million rows fit; what does not goes to a private folder.
MEMORY = "1200MB"
SMALLEST = 1 << 26
READABLE = "give a Parquet file, or CSV in UTF-8 with a header line"
# A full, forbidden or broken disk, for which DuckDB has but a text.
DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG)


class Database:
    """A connection that answers with plain values."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    @classmethod
    @contextmanager
    def opened(cls, memory: str | None = None) -> Iterator[Database]:
        """A database that is removed afterwards, with everything that it may have written."""
        import duckdb

        with tempfile.TemporaryDirectory(prefix="paretonym-") as folder:
            settings: dict[str, Any] = {
                "memory_limit": memory_limit(memory),
                "temp_directory": folder,
                "preserve_insertion_order": "false",
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
            }
            connection = duckdb.connect(":memory:", config=settings)
            try:
                # In a notebook without ipywidgets the bar is off, and whoever sets it gets an error.
                if connection.execute("select current_setting('enable_progress_bar')").fetchall()[0][0]:
                    connection.execute("set enable_progress_bar = false")
                yield cls(connection)
            except duckdb.Error as error:
                _check_disk(error)
                raise
            finally:
                connection.close()

    def run(self, query: str) -> None:
        self._connection.execute(query)

    def make(self, table: str, query: str) -> str:
        """Make a temporary table of what a query selects; returns its name."""
        self.run(f"create or replace temp table {table} as {query}")
        return table

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        answer: list[tuple[Any, ...]] = self._connection.execute(query).fetchall()
        return answer

    def row(self, query: str) -> tuple[Any, ...]:
        """The only row of an answer."""
        (row,) = self.rows(query)
        return row

    def number(self, query: str) -> float:
        """The only number of an answer; none is 0."""
        return float(self.row(query)[0] or 0)

    def count(self, query: str) -> int:
        """The only whole number of an answer; none is 0."""
        return int(self.row(query)[0] or 0)

    def arrow(self, query: str) -> Any:
        """An answer as an Arrow table."""
        answer = self._connection.sql(query)
        # Its name since version 2.
        return (getattr(answer, "to_arrow_reader", None) or answer.fetch_arrow_reader)(1 << 20).read_all()

    @contextmanager
    def in_order(self) -> Iterator[None]:
        """Rows come in the order of the file meanwhile, which takes longer."""
        self.run("set preserve_insertion_order = true")
        try:
            yield
        finally:
            self.run("set preserve_insertion_order = false")

    def load(self, table: str, columns: Mapping[str, Any]) -> str:
        """Make a table of Arrow or numpy arrays of one length; returns its name. Dictionaries become
        texts."""
        import pyarrow as pa

        arrays = {name: pa.array(array) for name, array in columns.items()}
        cells = [
            f'"{name}"{"::varchar" if pa.types.is_dictionary(array.type) else ""} as "{name}"'
            for name, array in arrays.items()
        ]
        self._connection.register("arrays", pa.table(arrays))
        self.make(table, f"select {listed(cells)} from arrays")
        self._connection.unregister("arrays")
        return table


@contextmanager
def reading(place: str) -> Iterator[None]:
    """Whatever goes wrong while a file is read is the file's mistake; the message names a line at most:
    DuckDB's errors quote the content of the file, and none of that may reach a message."""
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException:
        raise MemoryError from None
    except duckdb.Error as error:
        _check_disk(error)
        line = re.search(r"CSV Error on Line: (\d+)", str(error))
        where = f"{place}, line {line[1]}" if line else place
        raise InputError.of(where, "it cannot be read as a table", READABLE) from None


def memory_limit(amount: str | None) -> str:
    """A limit as DuckDB takes it.

    >>> memory_limit("4 GB")
    '4GB'
    """
    text = MEMORY if amount is None else "".join(str(amount).split()).upper()
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]I?B)", text)
    if match is None:
        wrong = f"{str(amount)!r} is not an amount of memory"
        raise InputError.of(Field("memory"), wrong, "give for example 4GB")
    power = "KMGT".index(match[2][0]) + 1
    if float(match[1]) * (1024 if "I" in match[2] else 1000) ** power < SMALLEST:
        raise InputError.of(Field("memory"), f"{str(amount)!r} is too little", "give at least 64MiB")
    return text


def _check_disk(error: Exception) -> None:
    """Call a full or forbidden disk by its name."""
    for number in DISK:
        if os.strerror(number) in str(error):
            raise OSError(number, os.strerror(number), tempfile.gettempdir()) from None


def listed(columns: Sequence[str]) -> str:
    return ", ".join(columns)
