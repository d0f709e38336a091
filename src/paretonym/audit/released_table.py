"""A finished table, read back: by the reader that everything uses, whatever it lies in, it becomes distinct
rows with counts in the database of an audit; and what its files hold beside these.

Whoever gets a folder gets all of it. So an audit reads all of it, or refuses: a file that readers pass over
(`_old.parquet`, `.part.crc`) and a folder inside are mistakes, not details.
"""

from __future__ import annotations

import glob
import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from paretonym.audit.audit_database import Database, listed
from paretonym.base.errors import InputError, printable
from paretonym.base.sql_literals import sql_text
from paretonym.tables.data_address import DataAddress, check_local
from paretonym.tables.data_kinds import Data

if TYPE_CHECKING:
    from paretonym.tables.source import Counts

ENDINGS, PATTERN_MARKS = (".parquet", ".csv"), "*?["
FRAME, MISSING = "the dataframe", "(missing)"
# What Spark leaves behind when it is done: an empty file.
DONE = "_SUCCESS"
ALL_OF_IT = "an audit must cover everything that is handed over: move it away, or audit it separately"

# A CSV release has an apostrophe before cells that a spreadsheet would run as a formula, numbers excepted.
# Removing it restores every value, since a text that already looked like that got one more.
ESCAPED = re.compile(r"'(?:['\s\u00a0\ufeff\u3000]*[=+\-@\uff1d\uff0b\uff0d\uff20]|'*[\t\r\n])")
NUMBER = r"[+-]?(?:[0-9][0-9.,]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?%?"


def unescaped(text: str) -> str:
    """A name or cell of a CSV file without the added apostrophe.

    >>> unescaped("'=1"), unescaped("''=1"), unescaped("'-5"), unescaped("'tis"), unescaped("-5")
    ('=1', "'=1", "'-5", "'tis", '-5')
    """
    return text[1:] if ESCAPED.match(text) and not re.fullmatch(f"'{NUMBER}", text) else text


@dataclass(frozen=True, slots=True)
class CsvForm:
    """Form of a CSV file as a manifest states it; the separator is found out where it says nothing."""

    separator: str | None = None
    encoding: str | None = None
    decimal: str = "."


UNSTATED = CsvForm()


@dataclass(frozen=True, eq=False)
class ReleasedTable:
    """A finished table. The table `view` of the database has its distinct rows as texts in the columns c0,
    c1, …, in the order of the file, a null being an empty text, and how often each occurs, `n`. `names` are
    those of the header. What is no file has no `files`; `in_parts` if they are a folder or fit a pattern."""

    place: str
    names: tuple[str, ...]
    view: str
    database: Database
    files: tuple[Path, ...] = ()
    in_parts: bool = False

    def column(self, name: str) -> str:
        return f"c{self.names.index(name)}"

    @cached_property
    def rows(self) -> int:
        return self.database.count(f"select sum(n)::bigint from {self.view}")

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """The SHA-256 of each file, by its name."""
        return {file.name: _sha256(file) for file in self.files}

    @property
    def sha256(self) -> str | None:
        """The SHA-256 of the file or of all parts of a folder; None of what is no file."""
        if not self.files:
            return None
        return digest_of_parts(self.digests) if self.in_parts else self.digests[self.files[0].name]

    def cells(self, names: Sequence[str], among: Sequence[str] = ()) -> dict[str, dict[str, int]]:
        """The different texts of each column, and in how many rows each is; only those `among` some, which
        may have blanks around them."""
        cells = {}
        for name in names:
            place = self.column(name)
            where = f"where trim({place}) in ({listed([sql_text(text) for text in among])})" if among else ""
            query = f"select {place}, sum(n)::bigint from {self.view} {where} group by all order by all"
            cells[name] = dict(self.database.rows(query))
        return cells


def comparable(text: str, null: Sequence[str]) -> str:
    """A cell for comparing, as SQL: a missing value, however it is written, is an empty text."""
    missing = listed([sql_text(word) for word in ("", MISSING, *null)])
    return f"if(trim({text}) in ({missing}), '', {text})"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of_parts(digests: Mapping[str, str]) -> str:
    """The SHA-256 of several files, given theirs by name: that of the lines which `sha256sum *` prints.

    >>> digest_of_parts({"a": "0" * 64})[:8]
    '53d743f3'
    """
    lines = "".join(f"{digests[name]}  {name}\n" for name in sorted(digests))
    return hashlib.sha256(lines.encode()).hexdigest()


def place_of(data: Data) -> str:
    """A name of the data for messages, which shows no password."""
    if not isinstance(data, str | os.PathLike):
        return FRAME
    address = DataAddress.of(data)
    return str(data) if address is None else address.shown


def released_files(data: Data) -> tuple[Path, ...]:
    """The files of a finished table, in the order of their names; none of a dataframe or a database."""
    if not isinstance(data, str | os.PathLike) or DataAddress.of(data) is not None or str(data) == "-":
        return ()
    path = Path(data)
    if path.is_dir():
        return tuple(_inside(path))
    if not path.exists() and any(mark in str(path) for mark in PATTERN_MARKS):
        return tuple(sorted(Path(name) for name in glob.glob(str(path))))  # noqa: PTH207 - it may be absolute
    check_local(path, "give a CSV or Parquet file, or a folder of them")
    if any(mark in str(path) for mark in PATTERN_MARKS):
        raise InputError.of(str(path), "the path contains '*', '?' or '['", "give the file another name")
    return (path,) if path.is_file() else ()


def _inside(folder: Path) -> Iterator[Path]:
    """The parts in a folder, which has nothing else."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name == DONE and entry.is_file() and not entry.stat().st_size:
            continue
        if entry.is_dir() or entry.name.startswith((".", "_")) or not entry.name.endswith(ENDINGS):
            what = "folder" if entry.is_dir() else "file"
            wrong = f"it contains the {what} '{printable(entry.name)}', which is not read as a part"
            raise InputError.of(str(folder), wrong, ALL_OF_IT)
        yield folder / entry.name


def is_parquet(path: Path) -> bool:
    from paretonym.tables.source import PARQUET

    with path.open("rb") as file:
        return file.read(len(PARQUET)) == PARQUET


def bucket_files(path: Path) -> tuple[Path, Path]:
    """The files of a release in buckets beside the mixed table."""
    first, second = (path.with_name(f"{path.stem}.{part}{path.suffix}") for part in ("qit", "st"))
    return first, second


def is_escaped(files: Sequence[Path]) -> bool:
    """True if names and cells have added apostrophes: those of CSV files have."""
    from paretonym.tables.source import is_workbook

    if not files or is_workbook(files[0]):
        return False
    return os.access(files[0], os.R_OK) and not is_parquet(files[0])


def read_release(data: Data, form: CsvForm = UNSTATED, **options: Any) -> Counts:
    """The distinct rows of a finished table, names and cells as they are meant; `options` are those of the
    reader."""
    from paretonym.tables.source import TableForm, counts_with_points
    from paretonym.tables.source.engines import Wanted, open_source

    counts = open_source(data, Wanted(), form=TableForm(form.encoding, form.separator), **options)
    if form.decimal == ",":
        counts = counts_with_points(counts, counts.names)
    if not is_escaped(released_files(data)):
        return counts
    columns = (
        replace(column, name=unescaped(column.name), texts=tuple(map(unescaped, column.texts)))
        for column in counts.columns
    )
    return replace(counts, columns=tuple(columns), names=tuple(map(unescaped, counts.names)))


def open_release(
    database: Database, data: Data, form: CsvForm, view: str = "release", **options: Any
) -> ReleasedTable:
    """A finished table in a database."""
    import pyarrow as pa

    counts, files = read_release(data, form, **options), released_files(data)
    columns: dict[str, Any] = {}
    for number, column in enumerate(counts.columns):
        # The last text is that of a null.
        texts = pa.array([*column.texts, ""], pa.string())
        codes = np.where(column.codes < 0, len(column.texts), column.codes)
        columns[f"c{number}"] = pa.DictionaryArray.from_arrays(codes, texts)
    database.load(f"{view}_read", {**columns, "n": counts.weights})
    database.make(view, f"select {listed([*columns, 'sum(n)::bigint as n'])} from {view}_read group by all")
    in_parts = bool(files) and not Path(str(data)).is_file()
    return ReleasedTable(place_of(data), counts.names, view, database, files, in_parts)
