"""A data file that is opened once: its content and its fingerprint come from the same file, even if another
one takes its name meanwhile; and what a path leads to, by its first bytes."""

from __future__ import annotations

import difflib
import hashlib
import io
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from paretonym.data_address import check_local
from paretonym.errors import InputError

PIECE = 1 << 22
# What files are packed with, by their first bytes.
PACKINGS: Mapping[bytes, str] = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}
PACKED_ENDINGS = (".gz", ".zst", ".bz2")
# A file that was changed so shortly before may change again without a new time of change.
TICK_NANOSECONDS = 2_000_000_000


class DataFile:
    """A regular file, held open; `streams` read it from one handle, each at its own place."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path = path
        self._file = file
        self._lock = threading.Lock()
        self._opened = time.time_ns()
        self._state = self._now()

    @classmethod
    @contextmanager
    def at(cls, path: Path) -> Iterator[DataFile]:
        with path.open("rb", buffering=0) as file:
            yield cls(path, file)

    def stream(self) -> io.RawIOBase:
        """The file from its start, as a file object of its own."""
        return _Stream(self)

    def read(self, position: int, size: int) -> bytes:
        """At most this many bytes from a position on."""
        with self._lock:
            self._file.seek(position)
            return self._file.read(size)

    def fingerprint(self) -> str:
        """The SHA-256 of the file as it lies there, packed or not."""
        digest, position = hashlib.sha256(), 0
        while piece := self.read(position, PIECE):
            digest.update(piece)
            position += len(piece)
        return f"sha256:{digest.hexdigest()}"

    @property
    def size(self) -> int:
        return os.fstat(self._file.fileno()).st_size

    @property
    def fresh(self) -> bool:
        """Whether the file was written so shortly before that times of change do not tell whether it is
        written again."""
        return self._opened - max(self._state[1:]) < TICK_NANOSECONDS

    def check_unchanged(self, fingerprint: str) -> None:
        """Refuse a file that was written to since it was opened. Where times of change cannot tell, since the
        file was written just before, its bytes are looked at again."""
        changed = self._now() != self._state
        if changed or (self.fresh and self.fingerprint() != fingerprint):
            raise InputError.of(
                str(self.path),
                "the file changed while it was being read",
                "wait until nothing writes to it, then try again",
            )

    def _now(self) -> tuple[int, int, int]:
        found = os.fstat(self._file.fileno())
        return found.st_size, found.st_mtime_ns, found.st_ctime_ns


class _Stream(io.RawIOBase):
    """A place in a data file; closing it leaves the file open."""

    def __init__(self, file: DataFile) -> None:
        super().__init__()
        self._data = file
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._data.size}[whence]
        self._place = start + offset
        return self._place

    def read(self, size: int | None = -1) -> bytes:
        wanted = self._data.size - self._place if size is None or size < 0 else size
        pieces = []
        while wanted > 0 and (piece := self._data.read(self._place, wanted)):
            pieces.append(piece)
            self._place += len(piece)
            wanted -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def packing_of(first: bytes) -> str | None:
    """What a file is packed with, by its first bytes."""
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
    given = None if sys.stdin is None else getattr(sys.stdin, "buffer", None)
    if given is None or given.isatty():
        raise InputError.of(
            STANDARD_INPUT,
            "'-' means the standard input, and nothing is piped into it",
            "write, for example, zcat people.csv.gz | paretonym …, or give a file",
        )
    # Without a name from the beginning, or with one that is removed at once.
    with tempfile.TemporaryFile(prefix="paretonym-") as copy:
        shutil.copyfileobj(given, copy, PIECE)
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
STDIN = "-"


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
    """Whether a file begins as Excel workbooks and other archives do."""
    with path.open("rb") as file:
        return file.read(4).startswith(WORKBOOKS)


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
