"""DuckDB, embedded: a database of our own that counts within a memory limit and spills into a private folder,
which is gone afterwards. None of its messages gets out: they quote what stands in files."""

from __future__ import annotations

import errno
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb

from paretonym.budget import machine_memory
from paretonym.errors import Bug, Field, InputError

PREFIX = "paretonym-spill-"
LOCK = "in-use"
# The names that DuckDB gives to what it spills; nothing else is ever removed from the folder of another.
SPILLED = "duckdb_temp_*"
# Seconds in which a new folder gets its lock.
NEW = 60
# Rows that are brought back at a time.
BATCH = 1 << 17
SMALLEST_MEMORY = 64 << 20
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
# What our queries may raise if they are wrong; other errors come from what is read, damaged files among them.
OWN_ERRORS = (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException, duckdb.SyntaxException)


def parse_memory(text: str | int | None) -> int:
    """A memory limit in bytes; half of the machine's memory unless one is given.

    >>> parse_memory("4GB"), parse_memory("512 MiB")
    (4000000000, 536870912)
    """
    if text is None:
        return machine_memory() // 2
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", str(text))
    unit = None if found is None else UNITS.get(found[2].upper())
    if found is None or unit is None:
        raise InputError.of(
            Field("memory"), f"{str(text)!r} is not an amount of memory", "give for example 4GB"
        )
    limit = int(float(found[1]) * unit)
    if limit < SMALLEST_MEMORY:
        raise InputError.of(
            Field("memory"), f"{str(text)!r} is too little to count with", "give at least 64MiB"
        )
    return limit


class Session:
    """A connection, and the limit that it keeps."""

    def __init__(self, connection: Any, limit: int) -> None:
        self._connection = connection
        self.limit = limit

    def run(self, query: str, values: Sequence[Any] = ()) -> None:
        self._connection.execute(query, list(values))

    def row(self, query: str) -> tuple[Any, ...]:
        """The only row of an answer."""
        (found,) = self._connection.execute(query).fetchall()
        return tuple(found)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return list(self._connection.execute(query).fetchall())

    def schema(self, query: str) -> Any:
        """The columns of an answer and their types in Arrow."""
        return self._reader(f"from ({query}) limit 0").schema

    def shape(self, source: str, values: Sequence[Any] = ()) -> list[str]:
        """The names of the columns of a source."""
        self._connection.execute(f"describe from {source}", list(values))
        return [row[0] for row in self._connection.fetchall()]

    def batches(self, query: str) -> Iterator[Any]:
        """An answer in Arrow, some rows at a time."""
        yield from self._reader(query)

    def _reader(self, query: str) -> Any:
        return arrow_reader(self._connection.sql(query), BATCH)

    def keep(self, name: str, table: Any) -> None:
        """Make a table of an Arrow table."""
        with self.registered("given_rows", table):
            self.run(f"create or replace temp table {name} as from given_rows")

    @contextmanager
    def registered(self, name: str, reader: Any) -> Iterator[None]:
        """An Arrow stream under a name, for one query."""
        self._connection.register(name, reader)
        try:
            yield
        finally:
            self._connection.unregister(name)


@contextmanager
def session(
    place: str,
    limit: int,
    fault: Callable[[], BaseException | None] = lambda: None,
    reading: Callable[[Exception], Exception | None] = lambda error: None,
) -> Iterator[Session]:
    """A database that is gone afterwards with everything that it has written, whatever happens.

    `place` names the data in refusals; `fault` is asked first what went wrong, where rows were handed in by
    code of ours; `reading` is then asked what an error of DuckDB means for these data, if it knows.
    """
    with spill_folder() as folder:
        connection = duckdb.connect(
            ":memory:",
            config={
                "memory_limit": f"{limit}B",
                "temp_directory": folder,
                "preserve_insertion_order": "false",
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
            },
        )
        try:
            without_bar(connection)
            yield Session(connection, limit)
        except duckdb.Error as error:
            raise fault() or reading(error) or _refusal(error, place, folder) from None
        except RuntimeError as error:
            # What DuckDB makes of Ctrl-C.
            if "interrupted" in str(error).lower():
                raise KeyboardInterrupt from None
            raise
        finally:
            connection.close()


def _refusal(error: Exception, place: str, folder: str) -> Exception:
    """What DuckDB could not do, in our words."""
    if (number := full_disk(error)) is not None:
        return InputError.of(
            folder,
            f"counting needed more space on this disk: {os.strerror(number)}",
            f"free some, set TMPDIR to a folder on a larger disk, or give more {Field('memory')}",
        )
    if isinstance(error, duckdb.OutOfMemoryException):
        return InputError.of(
            place,
            "counting needs more memory than it may use, or more space for temporary files than there is",
            f"give more {Field('memory')}, drop columns that need not be published, or set TMPDIR to a "
            "folder on a larger disk",
        )
    if isinstance(error, OWN_ERRORS):
        # Its text could hold data.
        return Bug(f"DuckDB refused a query: {type(error).__name__}")
    if "ermission denied" in str(error):
        return InputError.of(place, "a file may not be read", "ask its owner for permission")
    return InputError.of(
        place,
        "DuckDB cannot read this as one table: a file may be damaged",
        "check the files, or write them again",
    )


def every_nth(query: str, columns: int, step: int) -> str:
    """A query for every n-th row of another, which has the columns c0, c1, …; each counts as one. In any
    dialect of SQL."""
    cells = ", ".join(f"c{place}" for place in range(columns))
    numbered = f"select {cells}, row_number() over () as r from ({query}) as given"
    return f"select {cells}, 1 as n from ({numbered}) as numbered where (r - 1) % {step} = 0"


def without_bar(connection: Any) -> None:
    """Switch the progress bar off, which on stdout would spoil what a program reads there. In a notebook
    without ipywidgets it is off, and whoever sets it gets an error."""
    # To the last row: a result that is still open would be in the way of what follows.
    ((shown,),) = connection.execute("select current_setting('enable_progress_bar')").fetchall()
    if shown:
        connection.execute("set enable_progress_bar = false")


def arrow_reader(answer: Any, rows: int) -> Any:
    """An answer in Arrow, this many rows at a time."""
    # Its name since version 2.
    reader = getattr(answer, "to_arrow_reader", None) or answer.fetch_arrow_reader
    return reader(rows)


def full_disk(error: Exception) -> int | None:
    """The number of the error if a disk is full, forbidden or broken, for which DuckDB has but a text."""
    numbers = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG)
    return next((number for number in numbers if os.strerror(number) in str(error)), None)


@contextmanager
def spill_folder() -> Iterator[str]:
    """A folder of our own (mode 0700) below TMPDIR."""
    _remove_left()
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name, (Path(name) / LOCK).open("wb") as held:
        _lock(held.fileno())
        yield name


def _remove_left() -> None:
    """Remove folders of processes that were killed: those of this user that nobody holds."""
    if not hasattr(os, "getuid"):
        return
    with suppress(OSError):
        for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
            with suppress(OSError):
                _remove_unheld(folder)


def _remove_unheld(folder: Path) -> None:
    found = folder.lstat()
    if found.st_uid != os.getuid() or not folder.is_dir() or folder.is_symlink():
        return
    if time.time() - found.st_ctime < NEW:
        return
    with (folder / LOCK).open("r+b") as held:
        if not _lock(held.fileno()):
            return
        for spilled in folder.glob(SPILLED):
            spilled.unlink()
        (folder / LOCK).unlink()
        folder.rmdir()


def _lock(file: int) -> bool:
    """Whether nobody else has it; the lock ends with the process, however that ends."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True
