"""A data file, and what a path leads to, by its first bytes."""

from __future__ import annotations

import difflib
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader, FileIO
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias

from paretonym.base.errors import InputError
from paretonym.tables.data_address import check_local

PIECE = 1 << 22
# What files are packed with, by their first bytes.
PACKINGS: Mapping[bytes, str] = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}
PACKED_ENDINGS = (".gz", ".zst", ".bz2")


@dataclass(frozen=True)
class DataFile:
    """A regular file. The standard input can be read under no path: it is `held` open."""

    path: Path
    held: IO[bytes] | None = None

    def stream(self) -> BufferedReader:
        """The file from its start. Of a file that is held open one stream is read at a time."""
        if self.held is None:
            return self.path.open("rb")
        stream: BufferedReader = BufferedReader(FileIO(os.dup(self.held.fileno())))
        stream.seek(0)
        return stream

    def first(self, size: int = 16) -> bytes:
        """The first bytes."""
        with self.stream() as stream:
            return stream.read(size)

    def fingerprint(self) -> str:
        """The SHA-256 of the file as it lies there, packed or not."""
        with self.stream() as stream:
            return f"sha256:{hashlib.file_digest(stream, 'sha256').hexdigest()}"

    @property
    def size(self) -> int:
        with self.stream() as stream:
            return os.fstat(stream.fileno()).st_size


def packing_of(first: bytes) -> str | None:
    """The packing of a file, by its first bytes."""
    return next((name for start, name in PACKINGS.items() if first.startswith(start)), None)


def unpacked_name(path: Path) -> str:
    """The name of a file in small letters, without the ending that says what it is packed with.

    >>> unpacked_name(Path("People.CSV.zst"))
    'people.csv'
    """
    name = path.name.lower()
    return next((name.removesuffix(ending) for ending in PACKED_ENDINGS if name.endswith(ending)), name)


STANDARD_INPUT = "standard input"


@contextmanager
def standard_input() -> Iterator[DataFile]:
    """Whatever is piped into the process, to its end. It is read once; its copy has no name, so that nothing
    is left of it however the process ends."""
    piped = None if sys.stdin is None else getattr(sys.stdin, "buffer", None)
    if piped is None or piped.isatty():
        raise InputError.of(
            STANDARD_INPUT,
            "'-' means the standard input, and nothing is piped into it",
            "write, for example, zcat people.csv.gz | paretonym …, or give a file",
        )
    # Without a name from the beginning, or with one that is removed at once.
    with tempfile.TemporaryFile(prefix="paretonym-") as copy:
        shutil.copyfileobj(piped, copy, PIECE)
        copy.flush()
        if not copy.tell():
            wrong = "the standard input is empty, or was read before"
            raise InputError.of(
                STANDARD_INPUT, wrong, "give '-' once, and pipe a table with a header line and rows"
            )
        yield DataFile(Path(STANDARD_INPUT), copy)


PARQUET = b"PAR1"
ZIP = b"PK\x03\x04"
OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"
WORKBOOKS = (ZIP, OLD_WORKBOOK)
READABLE = "give a CSV, Parquet, JSON lines or Excel file"
# Kinds of files that people give by mistake, by their first bytes.
OTHERS = (
    (b"ARROW1", "an Arrow file", "write it as Parquet"),
    (b"\xfd7zXZ", "compressed with xz", "unpack it, or compress it with gzip or zstd"),
    (b"7z\xbc\xaf", "a 7z archive", "unpack it"),
    (
        b"SQLite format 3",
        "an SQLite database",
        "give sqlite:///FILE and the name of a table",
    ),
    (b"%PDF-", "a PDF document", READABLE),
    (b"<?xml", "an XML document", READABLE),
    (b"<!DOCTYPE html", "a web page", READABLE),
    (b"<html", "a web page", READABLE),
    (b"{\\rtf", "a text document", READABLE),
)
DUCKDB = (8, b"DUCK")
# Files of statistics programs, by their first bytes: the reader of each.
STATISTICS: Mapping[bytes, str] = {
    b"$FL2@(#)": "sav",
    b"$FL3@(#)": "sav",
    b"<stata_dta>": "dta",
    b"HEADER RECORD***": "xport",
    bytes(12) + b"\xc2\xea\x81\x60": "sas7bdat",
}
OLD_STATA = re.compile(rb"[\x6c-\x73][\x01\x02]\x01\x00")
STDIN = "-"


FileKind: TypeAlias = Literal["Parquet", "workbook", "statistics", "text"]


def kind_of(first: bytes) -> FileKind:
    """The kind of a file, by its first bytes: a name may say anything."""
    if first.startswith(PARQUET):
        return "Parquet"
    if first.startswith(WORKBOOKS):
        return "workbook"
    return "text" if statistics_kind(first) is None else "statistics"


def statistics_kind(first: bytes) -> str | None:
    """Which reader a file of a statistics program needs, by its first bytes; None of other files."""
    old = "dta" if OLD_STATA.match(first) else None
    return next((kind for start, kind in STATISTICS.items() if first.startswith(start)), old)


def check_path(data: Any) -> None:
    """Refuse a text that cannot be a path. Of an address only the scheme is shown: the rest may hold a
    password."""
    if isinstance(data, str) and "\n" in data:
        raise InputError.of("the data", "a text of several lines is not a path", "write it to a file")
    if isinstance(data, str | os.PathLike):
        check_local(data, "write the table to a Parquet or CSV file, or read it into a dataframe")


@contextmanager
def reading_from(place: str | os.PathLike[str]) -> Iterator[None]:
    """Report errors of the system while data are read, in our own words."""
    try:
        yield
    except PermissionError:
        raise InputError.of(
            str(place),
            "there is no permission to read the file",
            "ask its owner for permission, or give another file",
        ) from None
    except OSError:
        raise InputError.of(str(place), "the file cannot be opened", "check the path and the disk") from None


def check_text(path: Path, first: bytes) -> None:
    """Refuse what is not text, by its first bytes."""
    if not first:
        raise InputError.of(str(path), "the file is empty", "give a file with a header line and rows")
    for start, what, remedy in OTHERS:
        if first.startswith(start):
            raise InputError.of(str(path), f"the file is {what}, not a table", remedy)
    place, mark = DUCKDB
    if first[place:].startswith(mark):
        remedy = "give duckdb:///FILE and the name of a table"
        raise InputError.of(str(path), "the file is a DuckDB database, not a table", remedy)


def is_workbook(path: Path) -> bool:
    """True if a file begins as Excel workbooks and other archives do."""
    return kind_of(DataFile(path).first()) == "workbook"


def check_regular(path: Path) -> None:
    """Refuse what is not a file, or not there."""
    if path.is_dir():
        raise InputError.of(str(path), "this is a folder, not a file", READABLE)
    if not path.exists():
        raise InputError.of(str(path), "this file does not exist", _nearest(path))
    if not path.is_file():
        raise InputError.of(
            str(path), "this is not a regular file", "write the data to a file and give its path"
        )


def _nearest(path: Path) -> str:
    try:
        names = sorted(entry.name for entry in path.parent.iterdir() if entry.is_file())
    except OSError:
        return "check the path: its folder cannot be read either"
    # An ending that many files share makes no two of them alike.
    alike = [name for name in names if difflib.get_close_matches(path.stem, [Path(name).stem], cutoff=0.6)]
    near = difflib.get_close_matches(path.name, alike, n=1, cutoff=0.6)
    if not near:
        return "check the path"
    return f"did you mean '{path.with_name(near[0])}'?"
