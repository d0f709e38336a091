"""A file from the browser: bounded in size, time and shape, in a private folder; CSV, or Parquet by its magic
bytes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from paretonym.errors import InputError
from paretonym.source import NOT_STREAMED, PARQUET

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
TEXT_NAMES = (".csv", ".tsv", ".txt")


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much and how slowly an upload may come."""

    bytes: int = MOST_BYTES
    seconds: float = MOST_SECONDS
    waiting: float = MOST_WAITING


def file_name(given: str) -> str:
    """A plain name for the private copy: nothing of a path, no strange characters.

    >>> file_name("../../etc/pass wd"), file_name("C:\\\\data\\\\Survey 1.csv"), file_name("")
    ('pass-wd.csv', 'Survey-1.csv', 'table.csv')
    >>> file_name("people.parquet")
    'people.parquet'
    """
    last = re.split(r"[\\/]", given)[-1]
    plain = re.sub(r"[^\w.-]+", "-", last).strip(".-")[:80]
    known = plain.lower().endswith((*TEXT_NAMES, ".parquet"))
    return plain if known else f"{plain or 'table'}.csv"


def named_by_content(path: Path) -> Path:
    """The file, renamed where its name says another kind than its first bytes."""
    with path.open("rb") as file:
        packed = file.read(len(PARQUET)) == PARQUET
    if packed == (path.suffix.lower() == ".parquet"):
        return path
    return path.rename(path.with_suffix(".parquet" if packed else ".csv"))


def check_unpacked(rows: int, columns: int, unpacked: int) -> None:
    """Refuse a Parquet file that would be unbearable once it is unpacked."""
    if columns > MOST_COLUMNS:
        raise _many_columns()
    if rows * columns > MOST_CELLS or unpacked > MOST_UNPACKED:
        raise _refused("it is too large once unpacked", LARGE)


async def receive(chunks: AsyncIterator[bytes], path: Path, bounds: Bounds | None = None) -> int:
    """Write what comes into a new private file; how many bytes came. Whatever is refused leaves no file."""
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
        raise _refused("it is empty", "give a CSV file with a header line and rows, or a Parquet file")
    look.end()
    return taken


class Look:
    """Looks at bytes as they come: what is neither CSV nor Parquet, or made to be unbearable, goes no
    further. What a Parquet file unpacks to is looked at by the worker."""

    def __init__(self) -> None:
        self._start = b""
        self._end = b""
        self._header = True
        self._columns = 1
        self._line = 0

    def at(self, chunk: bytes) -> None:
        if len(self._start) < 16:
            self._start += chunk[: 16 - len(self._start)]
            self._kind()
        if self._packed:
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
        """Nothing more comes: a Parquet file ends as it began."""
        if self._packed and self._end != PARQUET:
            raise _refused("the Parquet file is damaged or incomplete", "write or download it again")

    @property
    def _packed(self) -> bool:
        return self._start.startswith(PARQUET)

    def _kind(self) -> None:
        for start in NOT_STREAMED:
            if self._start.startswith(start):
                raise _refused("it is neither plain CSV nor Parquet", "save it as CSV or Parquet")

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
    return _refused(f"it has more than {MOST_COLUMNS} columns", "remove the columns that are not needed")


def _refused(wrong: str, remedy: str) -> InputError:
    return InputError.of("the upload", wrong, remedy)
