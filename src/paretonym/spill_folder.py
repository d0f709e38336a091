"""Private folders for what does not fit into memory: gone at the end, whatever happens. What a killed process
has left is removed by the next one."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "paretonym-spill-"
LOCK = "in-use"
# The names that DuckDB gives to what it spills; nothing else is ever removed from the folder of another.
SPILLED = "duckdb_temp_*"
# Seconds in which a new folder gets its lock.
NEW = 60


@contextmanager
def spill_folder() -> Iterator[str]:
    """A folder of our own (mode 0700) below TMPDIR."""
    _remove_left()
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name, (Path(name) / LOCK).open("wb") as held:
        _lock(held.fileno())
        yield name


def _remove_left() -> None:
    """Remove folders of processes that were killed: those of this user that nobody holds."""
    if not hasattr(os, "getuid"):
        return
    with suppress(OSError):
        for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
            with suppress(OSError):
                _remove_unheld(folder)


def _remove_unheld(folder: Path) -> None:
    found = folder.lstat()
    if found.st_uid != os.getuid() or not folder.is_dir() or folder.is_symlink():
        return
    if time.time() - found.st_ctime < NEW:
        return
    with (folder / LOCK).open("r+b") as held:
        if not _lock(held.fileno()):
            return
        for spilled in folder.glob(SPILLED):
            spilled.unlink()
        (folder / LOCK).unlink()
        folder.rmdir()


def _lock(file: int) -> bool:
    """Whether nobody else has it; the lock ends with the process, however that ends."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True
