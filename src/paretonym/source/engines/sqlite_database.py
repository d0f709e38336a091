"""SQLite files, by the library that Python brings. Values have types there, columns do not: a column is what
all its values are, and numbers beside text are an error."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from paretonym.arrays import Codes
from paretonym.arrow import pa
from paretonym.errors import InputError, Problem
from paretonym.source.dictionary_encoding import ArrowCounts
from paretonym.source.engines.database import Room, type_problem
from paretonym.source.engines.database_selection import Selection, source_of
from paretonym.sql_literals import sql_name

FETCHED = 10_000
# Steps of SQLite between two looks at Ctrl-C.
STEPS = 100_000
FIRST_BYTES = b"SQLite format 3\0"
LARGEST_EXACT = 2**53
NAMES = {int: "integers", float: "numbers", str: "text", bytes: "blobs"}
# What SQLite says of a query before it reads a row.
OF_THE_QUERY = ("no such ", "near ", "ambiguous ", "incomplete input", "wrong number of", "SELECTs to the")


class SqliteDatabase:
    """A connection in a transaction: what it sees does not change."""

    def __init__(self, connection: sqlite3.Connection, selection: Selection) -> None:
        self._connection = connection
        self._selection = selection
        self.source = source_of(selection, self._tables)

    @cached_property
    def names(self) -> tuple[str, ...]:
        with closing(self._connection.execute(f"select * from {self.source} limit 0")) as found:
            return tuple(column[0] for column in found.description)

    def cells(self, names: Sequence[str]) -> list[str]:
        return [sql_name(name) for name in names]

    def grouped(self, cell: str) -> str:
        return f"{cell} collate binary"

    def counts(self, query: str, names: Sequence[str], room: Room) -> ArrowCounts:
        columns, codes = [DistinctCells() for _ in names], [list[Codes]() for _ in names]
        weights = array("q")
        with closing(self._connection.execute(query)) as answer:
            while rows := answer.fetchmany(FETCHED):
                *cells, counts, lines = zip(*rows, strict=True)
                if not weights:
                    room(lines[0])
                for column, given, chunks in zip(columns, cells, codes, strict=True):
                    chunks.append(column.add(given))
                weights.extend(counts)
        values = _values(self._selection.place, names, columns)
        arrays = [_taken(each, chunks) for each, chunks in zip(values, codes, strict=True)]
        found = ArrowCounts([each.type for each in arrays])
        found.chunks = [[each] for each in arrays]
        found.counts = [np.array(weights, dtype=np.int64)]
        return found

    def _tables(self) -> Mapping[str, str]:
        known = (
            "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite\\_%' "
        )
        found = self._connection.execute(known + "escape '\\' order by name").fetchall()
        return {name: sql_name(name) for (name,) in found}


class DistinctCells:
    """The values of a column as they come, by their codes."""

    def __init__(self) -> None:
        self.values: dict[Any, int] = {}

    def __len__(self) -> int:
        return len(self.values)

    def add(self, cells: Sequence[Any]) -> Codes:
        values = self.values
        found = (-1 if cell is None else values.setdefault(cell, len(values)) for cell in cells)
        return np.fromiter(found, dtype=np.int32, count=len(cells))

    @property
    def kinds(self) -> set[type]:
        return {type(value) for value in self.values}


def _taken(values: Any, codes: Sequence[Codes]) -> Any:
    """A column of these values."""
    every = np.concatenate([np.zeros(0, dtype=np.int32), *codes])
    indices = pa.array(every, mask=every < 0)
    if values.type == pa.string():
        return pa.DictionaryArray.from_arrays(indices, values)
    return values.take(indices)


@contextmanager
def sqlite_database(selection: Selection, limit: int) -> Iterator[SqliteDatabase]:
    """A file that is read and not written; others wait to write until it is closed."""
    path = selection.address.file or Path()
    _check_file(path)
    try:
        uri = f"file:{quote(path.absolute().as_posix())}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
            connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
            connection.set_progress_handler(lambda: 0, STEPS)
            connection.execute("pragma query_only = on")
            connection.execute("pragma temp_store = file")
            connection.execute("begin")
            yield SqliteDatabase(connection, selection)
    except sqlite3.Error as error:
        raise _refusal(error, selection) from None


def _check_file(path: Path) -> None:
    from paretonym.source.data_file import check_regular, reading_from

    check_regular(path)
    with reading_from(path), path.open("rb") as file:
        if file.read(len(FIRST_BYTES)) != FIRST_BYTES:
            raise InputError.of(str(path), "this is not an SQLite database", "check the path")


def _values(place: str, names: Sequence[str], columns: Sequence[DistinctCells]) -> list[Any]:
    """The distinct values of each column, in one type."""
    arrays: list[Any] = []
    problems: list[Problem] = []
    for name, column in zip(names, columns, strict=True):
        made = _array(place, name, column)
        (problems if isinstance(made, Problem) else arrays).append(made)
    if problems:
        raise InputError(problems)
    return arrays


def _array(place: str, name: str, column: DistinctCells) -> Any:
    """A column in the one type that all its values have; whole numbers beside others are numbers."""
    kinds = column.kinds
    if bytes in kinds:
        return type_problem(place, name, "blob")
    if kinds == {int, float} and all(abs(v) <= LARGEST_EXACT for v in column.values if isinstance(v, int)):
        kinds = {float}
    if len(kinds) > 1:
        listed = " and ".join(sorted(NAMES[kind] for kind in kinds))
        return Problem(
            f"{place}, column '{name}'",
            f"its values are of different types: {listed}",
            "give all of them one type: cast(… as text) in a query, or correct the table",
        )
    kind = {int: pa.int64(), float: pa.float64()}.get(next(iter(kinds), str), pa.string())
    try:
        return pa.array(list(column.values), kind)
    except UnicodeEncodeError:
        wrong = "it contains text that is not UTF-8"
        return Problem(f"{place}, column '{name}'", wrong, "correct it in the database")


def _refusal(error: sqlite3.Error, selection: Selection) -> BaseException:
    """What SQLite could not do, in our words: its own could hold values."""
    code, text = getattr(error, "sqlite_errorcode", None), str(error)
    if code == sqlite3.SQLITE_INTERRUPT:
        # The handler that looks at Ctrl-C was interrupted by it.
        return KeyboardInterrupt()
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        wrong, remedy = "another program is writing to it", "wait until it has finished, then try again"
    elif code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        wrong, remedy = "the file is damaged, or encrypted", "restore it, or export the table as CSV"
    elif code == sqlite3.SQLITE_FULL:
        wrong, remedy = "counting needed more space for temporary files", "set TMPDIR to a larger disk"
    elif code == sqlite3.SQLITE_CANTOPEN:
        wrong, remedy = "the file, or one beside it, cannot be opened", "check permissions of its folder"
    elif text.startswith(OF_THE_QUERY):
        wrong, remedy = f"SQLite refuses the query: {text}", "correct the query"
    elif "one statement at a time" in text:
        wrong, remedy = "there is more than one statement in the query", "give one SELECT"
    else:
        wrong, remedy = "SQLite cannot read it", "try the query in sqlite3, which says more"
    return InputError.of(selection.place, wrong, remedy)
