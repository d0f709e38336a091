"""An upload from the browser: limited in size, time and shape, in a private folder. What it is, its first
bytes say."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from paretonym.base.errors import InputError
from paretonym.tables.source import PARQUET, FileForm, check_text

MOST_BYTES = 256 << 20
MOST_SECONDS = 300.0
MOST_WAITING = 15.0
MOST_COLUMNS = 500
LONGEST_LINE = 1 << 20
SEPARATORS = b",;\t|"
# A cell of a CSV file takes two bytes at least, with what separates it: a Parquet file may hold no more cells
# than a CSV file of the largest size, however well it is packed, and unpack to no more than eight times that.
MOST_CELLS = MOST_BYTES // 2
MOST_UNPACKED = 8 * MOST_BYTES
LARGE = "use 'paretonym explore' for large tables"
TEXT_NAMES = (".csv", ".tsv", ".tab", ".txt", ".json", ".jsonl", ".ndjson")
PACKED_NAMES = tuple(name + ending for name in TEXT_NAMES for ending in (".gz", ".zst", ".bz2"))
BOOK_NAMES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of an upload: size and time."""

    bytes: int = MOST_BYTES
    seconds: float = MOST_SECONDS
    waiting: float = MOST_WAITING


def file_name(name: str) -> str:
    """A plain name for the private copy: nothing of a path, no strange characters.

    >>> file_name("../../etc/pass wd"), file_name("C:\\\\data\\\\Survey 1.csv"), file_name("")
    ('pass-wd.csv', 'Survey-1.csv', 'table.csv')
    >>> file_name("people.parquet"), file_name("Umfrage 2024.xlsx"), file_name("people.csv.gz")
    ('people.parquet', 'Umfrage-2024.xlsx', 'people.csv.gz')
    """
    plain = _plain(name)
    typed = plain.lower().endswith((*TEXT_NAMES, *PACKED_NAMES, *BOOK_NAMES, ".parquet"))
    return plain if typed else f"{plain or 'table'}.csv"


def file_label(name: str) -> str:
    r"""The last part of a name, for messages.

    >>> file_label("C:\\x\\Clinic 1.toml")
    'Clinic-1.toml'
    """
    return _plain(name) or "the file"


def _plain(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", re.split(r"[\\/]", name)[-1]).strip(".-")[:80]


def named_by_content(path: Path) -> Path:
    """The file, renamed if its suffix does not match its first bytes."""
    with path.open("rb") as file:
        packed = file.read(len(PARQUET)) == PARQUET
    if packed == (path.suffix.lower() == ".parquet"):
        return path
    return path.rename(path.with_suffix(".parquet" if packed else ".csv"))


def check_unpacked(rows: int, columns: int, unpacked: int) -> None:
    """Refuse a file that would be too large once it is unpacked."""
    if columns > MOST_COLUMNS:
        raise _many_columns()
    if rows * columns > MOST_CELLS or unpacked > MOST_UNPACKED:
        raise _refused("it is too large once unpacked", LARGE)


def check_content(pieces: Iterable[bytes]) -> None:
    """Refuse a compressed text for what a plain one would be refused for, once it is unpacked."""
    look, taken = Look(), 0
    for piece in pieces:
        taken += len(piece)
        if taken > MOST_BYTES:
            raise _refused(f"it is larger than {MOST_BYTES >> 20} MB once unpacked", LARGE)
        look.at(piece)


async def receive(chunks: AsyncIterator[bytes], path: Path, bounds: Bounds | None = None) -> int:
    """Write an upload to a new private file; return the number of bytes. A refused upload leaves no file."""
    try:
        with _private(path) as file:
            return await _take(chunks, file, bounds or Bounds())
    except BaseException:
        path.unlink(missing_ok=True)
        raise


async def _take(chunks: AsyncIterator[bytes], file: BinaryIO, bounds: Bounds) -> int:
    look, taken = Look(), 0
    end = asyncio.get_running_loop().time() + bounds.seconds
    while True:
        try:
            async with asyncio.timeout_at(min(end, asyncio.get_running_loop().time() + bounds.waiting)):
                chunk = await anext(chunks, None)
        except TimeoutError:
            raise _refused("the upload is too slow", "send it again, or use 'paretonym explore'") from None
        if chunk is None:
            break
        taken += len(chunk)
        if taken > bounds.bytes:
            most = f"{bounds.bytes >> 20} MB" if bounds.bytes >= 1 << 20 else f"{bounds.bytes} bytes"
            raise _refused(f"it is larger than {most}", LARGE)
        look.at(chunk)
        file.write(chunk)
    if not taken:
        raise _refused("it is empty", "give a file with a header line and rows")
    look.end()
    return taken


class Look:
    """Examines bytes as they arrive: what is no table, or malicious, is refused. The worker checks what a
    file unpacks to."""

    def __init__(self) -> None:
        self._start = b""
        self._end = b""
        self._header = True
        self._columns = 1
        self._line = 0

    def at(self, chunk: bytes) -> None:
        if not chunk:
            return
        if len(self._start) < 16:
            self._start += chunk[: 16 - len(self._start)]
            self._kind()
        if FileForm.is_container(self._start):
            self._end = (self._end + chunk)[-len(PARQUET) :]
            return
        if self._header:
            line, newline, _ = chunk.partition(b"\n")
            self._columns += sum(line.count(separator) for separator in SEPARATORS)
            self._header = not newline
            if self._columns > MOST_COLUMNS:
                raise _many_columns()
        self._lines(chunk)

    def end(self) -> None:
        """The end of the upload: a Parquet file must end as it begins."""
        if self._start.startswith(PARQUET) and self._end != PARQUET:
            raise _refused("the Parquet file is damaged or incomplete", "write or download it again")

    def _kind(self) -> None:
        if not FileForm.is_container(self._start):
            check_text(Path("the upload"), self._start)

    def _lines(self, chunk: bytes) -> None:
        pieces = chunk.split(b"\n")
        longest = max(self._line + len(pieces[0]), *map(len, pieces[1:]), 0)
        self._line = self._line + len(pieces[0]) if len(pieces) == 1 else len(pieces[-1])
        if longest > LONGEST_LINE:
            raise _refused("a line is longer than 1 MB", "check the quotes and line ends of the file")


def _private(path: Path) -> BinaryIO:
    path.touch(mode=0o600, exist_ok=False)
    return path.open("wb")


def _many_columns() -> InputError:
    wrong = f"it has more than {MOST_COLUMNS} columns"
    return _refused(wrong, "remove the columns that are not needed")


def _refused(wrong: str, remedy: str) -> InputError:
    return InputError.of("the upload", wrong, remedy)
