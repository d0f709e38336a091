"""SQLite files, by the library that Python brings. Values have types there, columns do not: a column is what
all its values are, and numbers beside text are an error."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from paretonym.base.errors import InputError, Problem
from paretonym.base.sql_literals import sql_name
from paretonym.tables.arrow import pa
from paretonym.tables.source.data_file import check_regular
from paretonym.tables.source.dictionary_encoding import ArrowCounts
from paretonym.tables.source.engines.database_selection import Selection
from paretonym.tables.source.engines.relation import SqlRelation, not_computed
from paretonym.tables.source.value_types import LARGEST_EXACT

FETCHED = 10_000
# Steps of SQLite between two looks at Ctrl-C.
STEPS = 100_000
NAMES = {int: "integers", float: "numbers", str: "text", bytes: "blobs"}
TABLES = (
    "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite^_%' escape '^' "
    "order by name"
)
# What SQLite says of a query before it reads a row.
OF_THE_QUERY = ("no such ", "near ", "ambiguous ", "incomplete input", "wrong number of", "You can only")


class SqliteRelation(SqlRelation):
    """A table or a query in a transaction: what it sees does not change."""

    by = "{} collate binary"

    def __init__(self, connection: sqlite3.Connection, selection: Selection) -> None:
        self.place, self._connection = selection.place, connection
        self._source = selection.source(self._tables)
        with closing(connection.execute(f"select * from {self._source} limit 0")) as answer:
            self.names = tuple(column[0] for column in answer.description)

    def rows_query(self, names: Sequence[str]) -> str:
        cells = ", ".join(f"{sql_name(name)} as c{place}" for place, name in enumerate(names))
        return f"select {cells} from {self._source}"

    def answer(self, query: str, names: Sequence[str]) -> ArrowCounts:
        values: list[dict[Any, int]] = [{} for _ in names]
        codes, weights = [array("i") for _ in names], array("q")
        with closing(self._connection.execute(query)) as answer:
            while rows := answer.fetchmany(FETCHED):
                *cells, counts = zip(*rows, strict=True)
                for places, numbers, column in zip(codes, values, cells, strict=True):
                    places.extend(-1 if c is None else numbers.setdefault(c, len(numbers)) for c in column)
                weights.extend(counts)
        arrays = self._arrays(names, values)
        chunks = [_taken(*pair) for pair in zip(arrays, codes, strict=True)]
        return ArrowCounts(
            [array.type for array in arrays],
            [[chunk] for chunk in chunks],
            [np.array(weights, dtype=np.int64)],
        )

    def _arrays(self, names: Sequence[str], values: Sequence[Mapping[Any, int]]) -> list[Any]:
        """The distinct values of each column, in one type."""
        pairs = zip(names, values, strict=True)
        arrays = [_array(f"{self.place}, column '{name}'", list(distinct)) for name, distinct in pairs]
        if problems := [problem for problem in arrays if isinstance(problem, Problem)]:
            raise InputError(problems)
        return arrays

    def _tables(self) -> Mapping[str, str]:
        return {name: sql_name(name) for (name,) in self._connection.execute(TABLES)}


def _taken(values: Any, codes: Any) -> Any:
    """A column of these values."""
    places = np.array(codes, dtype=np.int32)
    indices = pa.array(places, mask=places < 0)
    if values.type == pa.string():
        return pa.DictionaryArray.from_arrays(indices, values)
    return values.take(indices)


@contextmanager
def sqlite_relation(selection: Selection) -> Iterator[SqliteRelation]:
    """A file that is read and not written; others wait to write until it is closed."""
    path = selection.address.file or Path()
    check_regular(path)
    try:
        uri = f"file:{quote(path.absolute().as_posix())}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
            connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
            connection.set_progress_handler(lambda: 0, STEPS)
            connection.execute("pragma query_only = on")
            connection.execute("pragma temp_store = file")
            connection.execute("begin")
            yield SqliteRelation(connection, selection)
    except sqlite3.Error as error:
        raise _refusal(error, selection) from None


def _array(place: str, values: list[Any]) -> Any:
    """Values in the one type that all of them have; whole numbers beside others are numbers."""
    kinds = {type(value) for value in values}
    if kinds == {int, float} and all(abs(value) <= LARGEST_EXACT for value in values):
        kinds = {float}
    if bytes in kinds or len(kinds) > 1:
        listed = " and ".join(sorted(NAMES[kind] for kind in kinds))
        remedy = "give all of them one type: cast(… as text) in a query, or correct the table"
        return Problem(place, f"its values are of different types, or blobs: {listed}", remedy)
    kind = {int: pa.int64(), float: pa.float64()}.get(next(iter(kinds), str), pa.string())
    try:
        return pa.array(values, kind)
    except UnicodeEncodeError:
        return Problem(place, "it contains text that is not UTF-8", "correct it in the database")


def _refusal(error: sqlite3.Error, selection: Selection) -> BaseException:
    """Error for what SQLite could not do: its own words could hold values, except those about a query."""
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
        # The handler that looks at Ctrl-C was interrupted by it.
        return KeyboardInterrupt()
    if str(error).startswith(OF_THE_QUERY):
        return not_computed("SQLite", selection.place, str(error))
    return not_computed("SQLite", selection.place, getattr(error, "sqlite_errorname", "no SQLite database"))
