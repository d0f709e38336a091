"""A data file that is opened once: its content and its fingerprint come from the same file, even if another
one takes its name meanwhile."""

from __future__ import annotations

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
from typing import IO

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

    def check_unchanged(self, fingerprint: str) -> None:
        """Refuse a file that was written to since it was opened. Where times of change cannot tell, since the
        file was written just before, its bytes are looked at again."""
        changed = self._now() != self._state
        fresh = self._opened - max(self._state[1:]) < TICK_NANOSECONDS
        if changed or (fresh and self.fingerprint() != fingerprint):
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
