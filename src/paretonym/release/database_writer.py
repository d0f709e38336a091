"""A release as a new table of a database: the whole table in one transaction, or nothing.

Rows are inserted in their sorted order, so neither where a row is stored nor its number says anything about
the input. A file that does not exist yet is written under a private name first; in a database that exists,
other tables stay as they are, and nothing is ever replaced.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from paretonym.arrow import pa
from paretonym.atomic_files import taken
from paretonym.authorship import DATABASE, RELEASE_MANIFEST
from paretonym.data_address import DataAddress
from paretonym.duckdb_connection import without_bar
from paretonym.errors import Bug, Field, InputError, shown
from paretonym.outputs import Inputs, Output, check_outputs
from paretonym.release.release_manifest import manifest_path
from paretonym.release.release_writer import arrow_batches, arrow_types
from paretonym.release.released_rows import Released
from paretonym.sql_literals import sql_name

TABLE_NAME = re.compile(r"\w[\w -]{0,62}")
MARKS = {"duckdb": (8, b"DUCK"), "sqlite": (0, b"SQLite format 3\0")}
NOUNS = {"duckdb": "a DuckDB database", "sqlite": "an SQLite database"}
INSERTED = 1 << 14
# What PostgreSQL has room for, in bytes, and the columns that every table of it has.
LONGEST_NAME = 63
SYSTEM_COLUMNS = frozenset({"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"})
LARGEST_INTEGER = 1 << 63


@dataclass(frozen=True, slots=True)
class ReleaseTable:
    """The name of a table that is to be written, and the database that it is to be in."""

    address: DataAddress
    table: str

    @classmethod
    def of(cls, out: str | os.PathLike[str], table: str | None, option: str = "table") -> ReleaseTable | None:
        """The table that an address and a name mean; None for a file or a folder. `option` gives the name."""
        address = DataAddress.of(out)
        if address is None:
            if table is None:
                return None
            remedy = "give duckdb:///FILE, sqlite:///FILE or postgresql://USER@HOST/DATABASE, or no table"
            raise InputError.of(Field(option, table), "only a database has tables", remedy)
        if table is None:
            raise InputError.of(address.shown, "no table is named", f"give {Field(option, 'NAME')}")
        parts = table.split(".", 1) if address.file is None else [table]
        if not all(map(_is_name, parts)) or table.lower().startswith("sqlite_"):
            wrong = "a table of a release has a name of at most 63 letters, digits, '_', '-' and blanks"
            raise InputError.of(Field(option, table), wrong, "give such a name")
        return cls(address, table)

    def __str__(self) -> str:
        return f"{self.address.shown}, table {self.table}"

    @property
    def name(self) -> str:
        """What the release log calls it."""
        return f"table {self.table} of {self.address.file.name if self.address.file else self.address.shown}"

    @property
    def path(self) -> Path:
        """The file that the database is in."""
        if self.address.file is None:
            raise Bug(f"{self.address.kind} has no file")
        return self.address.file

    @property
    def described(self) -> Output:
        """The manifest: beside the file, or in the working folder if the database is on a server."""
        file = self.address.file
        beside = Path(self.table) if file is None else file.with_name(f"{file.name}.{self.table}")
        return Output(manifest_path(beside), RELEASE_MANIFEST)

    @property
    def database(self) -> Output:
        return Output(self.path, DATABASE)

    @property
    def is_new(self) -> bool:
        return self.address.file is not None and not taken(self.address.file)

    def check(self, force: bool, inputs: Inputs = ()) -> None:
        """Refuse a table that cannot be written. The data may be in the same database, as another table."""
        if self.is_new:
            check_outputs([self.database, self.described], force, inputs)
            return
        if self.address.file is not None:
            self._check_file()
        with opened(self) as database:
            self.check_free(database)
        check_outputs([self.described], force, inputs)

    def _check_file(self) -> None:
        if not self.path.is_file():
            raise self.refusal("this is not a file", "give the name of a database, or a new name")
        if not os.access(self.path, os.R_OK | os.W_OK):
            raise self.refusal("the file cannot be written to", "ask its owner for permission")
        start, mark = MARKS[self.address.kind]
        with self.path.open("rb") as file:
            if file.read(start + len(mark))[start:] != mark:
                wrong = f"already exists, and is not {NOUNS[self.address.kind]}"
                raise self.refusal(wrong, "give another name")

    def check_columns(self, released: Released) -> None:
        """Names of columns must be such as the database can tell apart."""
        names = [column.name for column in released.columns]
        if "" in names:
            raise InputError.of(str(self), "a column has no name", "write a file, or name it in the data")
        if self.address.kind == "postgresql":
            odd = [name for name in names if len(name.encode()) > LONGEST_NAME or name in SYSTEM_COLUMNS]
            wrong = f"PostgreSQL has no columns with such names: {shown(odd)}"
        else:
            folded = Counter(name.casefold() for name in names)
            odd = [name for name in names if folded[name.casefold()] > 1]
            wrong = f"in a database these columns would have the same name: {shown(odd)}"
        if odd:
            raise InputError.of(str(self), wrong, "write a file, or rename them in the data")

    def refusal(self, wrong: str, remedy: str) -> InputError:
        return InputError.of(self.address.shown, wrong, remedy)

    def check_free(self, database: OpenDatabase) -> None:
        """Refuse a name that something in the database has."""
        if database.is_taken():
            raise self.refusal(*self.exists)

    @property
    def exists(self) -> tuple[str, str]:
        wrong = f"the table '{self.table}' already exists, and a table is never replaced"
        return wrong, "give another name, or drop it yourself"


class OpenDatabase(Protocol):
    """A database in a transaction, which ends without a trace unless it is committed."""

    def is_taken(self) -> bool:
        """Whether something in the database has the name of the table."""
        ...

    def write(self, released: Released) -> None:
        """Create the table, with its rows in their order."""

    def commit(self) -> None: ...


@contextmanager
def opened(target: ReleaseTable, path: Path | None = None) -> Iterator[OpenDatabase]:
    """The database in a transaction; `path` is where it is, if it has not got its name yet."""
    with OPENERS[target.address.kind](target, path or target.address.file) as found:
        yield found


class _Duckdb:
    def __init__(self, connection: Any, target: ReleaseTable) -> None:
        self._connection, self._target = connection, target

    def is_taken(self) -> bool:
        """Tables and views share their names."""
        query = "select count(*) from (select table_name as name from duckdb_tables() where not internal and "
        query += "schema_name = 'main' union all select view_name from duckdb_views() where not internal and "
        query += "schema_name = 'main') where lower(name) = lower(?)"
        # All rows are fetched, or DuckDB refuses the next statement.
        found: list[tuple[int]] = self._connection.execute(query, [self._target.table]).fetchall()
        return found != [(0,)]

    def write(self, released: Released) -> None:
        rows = pa.RecordBatchReader.from_batches(arrow_types(released), arrow_batches(released))
        self._connection.register("released_rows", rows)
        name = sql_name(self._target.table)
        self._connection.execute(f"create table main.{name} as select * from released_rows")
        self._connection.unregister("released_rows")

    def commit(self) -> None:
        self._connection.commit()


@contextmanager
def _duckdb(target: ReleaseTable, path: Path) -> Iterator[_Duckdb]:
    import duckdb

    settings: dict[str, str | bool | int | float | list[str]] = {
        "preserve_insertion_order": "true",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }
    try:
        with closing(duckdb.connect(str(path), config=settings)) as connection:
            without_bar(connection)
            connection.execute("begin transaction")
            yield _Duckdb(connection, target)
    except duckdb.OutOfMemoryException:
        raise MemoryError from None
    except duckdb.Error as error:
        raise _refused(target, "lock" in str(error) or "different configuration" in str(error)) from None
    except RuntimeError as error:
        # What DuckDB makes of Ctrl-C.
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        raise


class _Sqlite:
    def __init__(self, connection: sqlite3.Connection, target: ReleaseTable) -> None:
        self._connection, self._target = connection, target

    def is_taken(self) -> bool:
        """Tables, views and indexes share their names."""
        query = "select count(*) from sqlite_master where lower(name) = lower(?)"
        return bool(self._connection.execute(query, [self._target.table]).fetchone()[0])

    def write(self, released: Released) -> None:
        kept = [_sqlite_values(column.values) for column in released.columns]
        names = [sql_name(column.name) for column in released.columns]
        columns = ", ".join(f"{name} {kind}" for name, (kind, _) in zip(names, kept, strict=True))
        self._connection.execute(f"create table {sql_name(self._target.table)} ({columns})")
        marks = ", ".join("?" * len(kept))
        for start in range(0, len(released), INSERTED):
            codes = released.codes(start, start + INSERTED)
            cells = (map(of.__getitem__, own.tolist()) for (_, of), own in zip(kept, codes, strict=True))
            insert = f"insert into {sql_name(self._target.table)} values ({marks})"
            self._connection.executemany(insert, zip(*cells, strict=True))

    def commit(self) -> None:
        self._connection.execute("commit")


def _sqlite_values(values: Any) -> tuple[str, Sequence[Any]]:
    """The type of a column and its values, a missing one last: whole numbers and numbers as such, everything
    else as the text that the digest of the rows has."""
    found = values.to_pylist()
    if pa.types.is_integer(values.type) and all(-LARGEST_INTEGER <= v < LARGEST_INTEGER for v in found):
        return "INTEGER", [*found, None]
    if pa.types.is_float64(values.type):
        return "REAL", [*found, None]
    if pa.types.is_boolean(values.type):
        return "TEXT", [*(str(value).lower() for value in found), None]
    if pa.types.is_decimal128(values.type):
        return "TEXT", [*(format(value, "f") for value in found), None]
    return "TEXT", [*map(str, found), None]


@contextmanager
def _sqlite(target: ReleaseTable, path: Path) -> Iterator[_Sqlite]:
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("begin immediate")
            try:
                yield _Sqlite(connection, target)
            finally:
                if connection.in_transaction:
                    connection.execute("rollback")
    except sqlite3.Error as error:
        busy = getattr(error, "sqlite_errorcode", None) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
        raise _refused(target, busy) from None


def _postgresql(target: ReleaseTable, _: None) -> AbstractContextManager[OpenDatabase]:
    from paretonym.release.postgresql_writer import opened_on_server

    return opened_on_server(target.address, target.table, target.exists)


OPENERS: Mapping[str, Any] = {"duckdb": _duckdb, "sqlite": _sqlite, "postgresql": _postgresql}


def _refused(target: ReleaseTable, busy: bool) -> InputError:
    """What a database could not do, in our words: its own could hold values."""
    if busy:
        return target.refusal("another program has it open", "close it there, then try again")
    wrong = "the table cannot be written into it; nothing was written"
    return target.refusal(wrong, "check the file and the space on the disk, or give another name")


def _is_name(name: str) -> bool:
    return bool(TABLE_NAME.fullmatch(name)) and len(name.encode()) <= LONGEST_NAME
