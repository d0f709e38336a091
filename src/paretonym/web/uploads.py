"""A file from the browser: bounded in size, time and shape, in a private folder, read as text alone."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from paretonym.errors import InputError
from paretonym.source.opening import GZIP, OTHERS, PARQUET

MOST_BYTES = 256 << 20
MOST_SECONDS = 300.0
MOST_WAITING = 15.0
MOST_COLUMNS = 500
LONGEST_LINE = 1 << 20
SEPARATORS = b",;\t|"


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
    """
    last = re.split(r"[\\/]", given)[-1]
    plain = re.sub(r"[^\w.-]+", "-", last).strip(".-")[:80]
    return plain if plain.lower().endswith((".csv", ".tsv", ".txt")) else f"{plain or 'table'}.csv"


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
            raise _refused("it comes too slowly", "send it again, or use 'paretonym explore'") from None
        if chunk is None:
            break
        taken += len(chunk)
        if taken > bounds.bytes:
            most = f"{bounds.bytes >> 20} MB" if bounds.bytes >= 1 << 20 else f"{bounds.bytes} bytes"
            raise _refused(f"it is larger than {most}", "use 'paretonym explore' for large tables")
        look.at(chunk)
        file.write(chunk)
    if not taken:
        raise _refused("it is empty", "give a CSV file with a header line and rows")
    return taken


class Look:
    """Looks at bytes as they come: what is no CSV, or made to be unbearable, goes no further."""

    def __init__(self) -> None:
        self._start = b""
        self._header = True
        self._columns = 1
        self._line = 0

    def at(self, chunk: bytes) -> None:
        if len(self._start) < 16:
            self._start += chunk[: 16 - len(self._start)]
            self._kind()
        if self._header:
            line, newline, _ = chunk.partition(b"\n")
            self._columns += sum(line.count(separator) for separator in SEPARATORS)
            self._header = not newline
            if self._columns > MOST_COLUMNS:
                raise _refused(f"it has more than {MOST_COLUMNS} columns", "leave out what is not needed")
        self._lines(chunk)

    def _kind(self) -> None:
        for start in (PARQUET, GZIP, *(other for other, _, _ in OTHERS)):
            if self._start.startswith(start):
                raise _refused(
                    "it is not a plain CSV file", "save it as CSV; 'paretonym explore' reads Parquet too"
                )

    def _lines(self, chunk: bytes) -> None:
        pieces = chunk.split(b"\n")
        longest = max(self._line + len(pieces[0]), *map(len, pieces[1:]), 0)
        self._line = self._line + len(pieces[0]) if len(pieces) == 1 else len(pieces[-1])
        if longest > LONGEST_LINE:
            raise _refused("a line is longer than 1 MB", "check the quotes and line ends of the file")


def _private(path: Path) -> BinaryIO:
    path.touch(mode=0o600, exist_ok=False)
    return path.open("wb")


def _refused(wrong: str, remedy: str) -> InputError:
    return InputError.of("the upload", wrong, remedy)
