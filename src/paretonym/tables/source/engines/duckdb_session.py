"""DuckDB, embedded: a database of our own that counts within a memory limit. It spills into a
private folder that is gone afterwards. None of its messages gets out: they quote what stands in files."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import duckdb

from paretonym.base.budget import machine_memory
from paretonym.base.errors import Bug, Field, InputError
from paretonym.tables.arrow import pa
from paretonym.tables.source.dictionary_encoding import ArrowCounts, type_problems
from paretonym.tables.source.engines.relation import SqlRelation, not_computed
from paretonym.tables.source.value_types import value_type

PREFIX = "paretonym-spill-"
# The names that DuckDB gives to what it spills.
SPILLED = "duckdb_temp_*"
# Rows that are brought back at a time.
BATCH = 1 << 17
SMALLEST_MEMORY = 64 << 20
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
# What is wrong with a query; other errors come from what is read, damaged files among them.
OF_THE_QUERY = (
    duckdb.ParserException,
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.SyntaxException,
)
CONFIG = {
    "preserve_insertion_order": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


def parse_memory(text: str | int | None) -> int:
    """A memory limit in bytes; half of the machine's memory unless one is given.

    >>> parse_memory("4GB"), parse_memory("512 MiB")
    (4000000000, 536870912)
    """
    if text is None:
        return machine_memory() // 2
    amount = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", str(text))
    unit = None if amount is None else UNITS.get(amount[2].upper())
    if amount is None or unit is None:
        raise InputError.of(
            Field("memory"), f"{str(text)!r} is not an amount of memory", "give for example 4GB"
        )
    limit = int(float(amount[1]) * unit)
    if limit < SMALLEST_MEMORY:
        raise InputError.of(
            Field("memory"), f"{str(text)!r} is too little to count with", "give at least 64MiB"
        )
    return limit


class Session:
    """A connection; `fault` is what went wrong in a stream that it reads."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.fault: BaseException | None = None

    def run(self, query: str) -> None:
        self._connection.execute(query)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return list(self._connection.execute(query).fetchall())

    def batches(self, query: str) -> Any:
        """An answer as a reader of Arrow."""
        answer = self._connection.sql(query)
        # Its name since version 2.
        return (getattr(answer, "to_arrow_reader", None) or answer.fetch_arrow_reader)(BATCH)

    @contextmanager
    def streaming(self, name: str, schema: Any, batches: Iterator[Any]) -> Iterator[None]:
        """Batches of Arrow under a name, for one query."""
        self._connection.register(name, pa.RecordBatchReader.from_batches(schema, self._noting(batches)))
        try:
            yield
        finally:
            self._connection.unregister(name)

    def _noting(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield the batches; note what goes wrong, which would reach us as an error of DuckDB."""
        try:
            yield from batches
        except BaseException as fault:
            self.fault = fault
            raise


class DuckdbRelation(SqlRelation):
    """Rows that DuckDB reads: `source` stands behind FROM, `cells` are the expressions of the columns and
    `types` their types in Arrow."""

    def __init__(
        self, engine: Session, place: str, source: str, types: Mapping[str, Any], cells: Mapping[str, str]
    ) -> None:
        self.place, self.names, self.types = place, tuple(types), types
        self._engine, self._source, self._cells = engine, source, cells

    def rows_query(self, names: Sequence[str]) -> str:
        if problems := type_problems(self.place, {name: self.types[name] for name in names}):
            raise InputError(problems)
        cells = ", ".join(f"{self._cells[name]} as c{place}" for place, name in enumerate(names))
        return f"select {cells} from {self._source}"

    def answer(self, query: str, names: Sequence[str]) -> ArrowCounts:
        with self.reading(names):
            batches = self._engine.batches(query)
            return ArrowCounts.of([self.types[name] for name in names], batches, self.place)

    def reading(self, names: Sequence[str]) -> Any:
        """Makes ready what a query for these columns reads."""
        return nullcontext()


class StreamRelation(DuckdbRelation):
    """Rows that are given to DuckDB as a stream of Arrow: `batches` makes one of some columns."""

    def __init__(
        self,
        engine: Session,
        place: str,
        types: Mapping[str, Any],
        batches: Callable[[Sequence[str]], Iterator[list[Any]]],
    ) -> None:
        super().__init__(engine, place, "stream", types, {})
        self._batches = batches

    def rows_query(self, names: Sequence[str]) -> str:
        if problems := type_problems(self.place, {name: self.types[name] for name in names}):
            raise InputError(problems)
        return "select * from stream"

    def reading(self, names: Sequence[str]) -> Any:
        kinds = (value_type(self.types[name]) for name in names)
        schema = pa.schema([(f"c{place}", kind) for place, kind in enumerate(kinds)])
        batches = (pa.record_batch(cells, schema=schema) for cells in self._batches(names))
        return self._engine.streaming("stream", schema, batches)


@contextmanager
def session(place: str, limit: int, query: bool = False) -> Iterator[Session]:
    """A database that is gone afterwards with everything that it has written, whatever happens. `place` names
    the data in refusals; `query` says whether the query is the user's."""
    with spill_folder() as folder:
        connection = duckdb.connect(
            ":memory:", config={**CONFIG, "memory_limit": f"{limit}B", "temp_directory": folder}
        )
        with suppress(duckdb.Error):
            # On stdout it would spoil what a program reads there; some notebooks have none.
            connection.execute("set enable_progress_bar = false")
        engine = Session(connection)
        try:
            yield engine
        except duckdb.Error as error:
            raise engine.fault or _refusal(error, place, folder, query) from None
        except RuntimeError as error:
            # What DuckDB makes of Ctrl-C.
            if "interrupted" in str(error).lower():
                raise KeyboardInterrupt from None
            raise
        finally:
            connection.close()


def _refusal(error: Exception, place: str, folder: str, query: bool) -> Exception:
    """Error for what DuckDB could not do, in our words."""
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
    kind = type(error).__name__
    if isinstance(error, OF_THE_QUERY):
        # Its text could hold data where the query is ours.
        words = str(error).splitlines()[0].partition(": ")[2]
        return not_computed("DuckDB", place, words) if query else Bug(f"DuckDB refused a query: {kind}")
    return not_computed("DuckDB", place, kind)


def full_disk(error: Exception) -> int | None:
    """The number of the error if a disk is full, forbidden or broken, for which DuckDB has but a text."""
    numbers = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG)
    return next((number for number in numbers if os.strerror(number) in str(error)), None)


@contextmanager
def spill_folder() -> Iterator[str]:
    """A folder of our own (mode 0700) below TMPDIR, with the number of the process in its name."""
    _remove_left()
    with tempfile.TemporaryDirectory(prefix=f"{PREFIX}{os.getpid()}-") as folder:
        yield folder


def _remove_left() -> None:
    """Remove what processes of this user that were killed have spilled, and nothing else."""
    if not hasattr(os, "getuid"):
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError, ValueError):
            state, process = folder.lstat(), int(folder.name.removeprefix(PREFIX).partition("-")[0])
            if state.st_uid == os.getuid() and stat.S_ISDIR(state.st_mode) and not _runs(process):
                for spilled in folder.glob(SPILLED):
                    spilled.unlink()
                folder.rmdir()


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
