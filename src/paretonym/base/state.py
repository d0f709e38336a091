"""The user's private state folder: what must be remembered from one run to the next, for the user alone.

It holds a secret, and for each released table a folder with its release log and its draw key. A table is
identified there by a digest that is keyed with the secret: nothing in the folder shows a value of any table.
`PARETONYM_STATE` sets another place for it.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from paretonym.base.errors import InputError
from paretonym.base.files import flush_folders

VARIABLE = "PARETONYM_STATE"
KEY_BYTES = 32
# The key that what hides is drawn with: in the folder of a table, and a copy in that of a run.
KEY_FILE = "key"
# Seconds; a release of ten million rows takes less than one minute.
LONGEST_WAIT = 600.0
PRIVATE = 0o700
# The names that this program uses in the state folder.
NAMES = frozenset(("secret", "lock", "tables"))


def state_folder() -> Path:
    """The state folder: `PARETONYM_STATE` if it is set, otherwise the usual place of the platform."""
    if folder := os.environ.get(VARIABLE):
        return Path(folder).absolute()
    if sys.platform == "darwin":
        return _home() / "Library" / "Application Support" / "paretonym"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else _home() / "AppData" / "Local") / "paretonym"
    folder = os.environ.get("XDG_STATE_HOME", "")
    # The standard says that a relative path is to be ignored.
    return (Path(folder) if Path(folder).is_absolute() else _home() / ".local" / "state") / "paretonym"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        raise InputError.of(
            "the release log",
            "it is stored in the user's home folder, but this user has none",
            f"set {VARIABLE} to a private, permanent folder",
        ) from None


@dataclass(frozen=True, slots=True)
class State:
    """A state folder that exists and is writable, and its secret."""

    folder: Path
    secret: bytes

    @classmethod
    def open(cls) -> State:
        """The user's state folder, created if there is none. Fails if nothing can be stored: a second release
        of a table would go unnoticed."""
        folder = state_folder()
        with writing(folder):
            _make_private(folder)
            with locked(folder / "lock"):
                return cls(folder, _secret(folder))

    def of_table(self, digest: str) -> TableState:
        """State that is kept about the table of a content digest."""
        return TableState(self.folder / "tables" / digest)

    def tables(self) -> Iterator[TableState]:
        """State that is kept about each table that is known."""
        folder = self.folder / "tables"
        if folder.is_dir():
            yield from (TableState(path) for path in sorted(folder.iterdir()))


@dataclass(frozen=True, slots=True)
class TableState:
    """State that is kept about one table: small files in a folder of their own."""

    folder: Path

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold a lock for one process at a time; it is released if the process dies."""
        with writing(self.folder):
            self.folder.parent.mkdir(mode=PRIVATE, exist_ok=True)
            self.folder.mkdir(mode=PRIVATE, exist_ok=True)
        with locked(self.folder / "lock"):
            yield

    def read(self, name: str) -> dict[str, Any] | None:
        """A JSON file, None if there is none."""
        path = self.folder / name
        try:
            entry = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            entry = None
        if not isinstance(entry, dict):
            raise _damaged(path)
        return entry

    def write(self, name: str, entry: Mapping[str, Any]) -> None:
        """Replace a JSON file, completely or not at all."""
        text = json.dumps(entry, indent=1, ensure_ascii=False) + "\n"
        with writing(self.folder):
            write_private(self.folder / name, text.encode())


def read_key(path: Path) -> bytes | None:
    """The 32 bytes that a file holds as hexadecimal digits, None if this file does not exist."""
    try:
        key = bytes.fromhex(path.read_text(encoding="ascii"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        raise _damaged(path)
    return key


def write_key(path: Path, key: bytes) -> None:
    """Keep a key in a file that only its owner may read."""
    with writing(path.parent):
        write_private(path, f"{key.hex()}\n".encode())


def write_private(path: Path, content: bytes) -> None:
    """Replace a file by one of mode 0600 that is on the disk before it gets its name."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    flush_folders([path])


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Report what prevents writing the state as a problem for the user to fix."""
    try:
        yield
    except OSError as error:
        raise InputError.of(
            str(folder),
            "the release log and the keys of random draws cannot be stored here "
            f"({error.strerror or type(error).__name__}), and without them a second release of the same "
            "people would go unnoticed",
            f"make it writable, or set {VARIABLE} to a private, permanent folder",
        ) from None


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file; the system releases the lock when the process ends."""
    with writing(path.parent):
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
    with file:
        _wait_for(file, path)
        try:
            yield
        finally:
            _let_go(file)


if sys.platform == "win32":
    import msvcrt

    _BUSY = PermissionError

    def _acquire(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    def _let_go(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    _BUSY = BlockingIOError

    def _acquire(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _let_go(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)


def _wait_for(file: IO[bytes], path: Path) -> None:
    """Wait until the lock is released, or for very long."""
    end = time.monotonic() + LONGEST_WAIT
    while True:
        with writing(path.parent):
            try:
                return _acquire(file)
            except _BUSY:
                pass
        if time.monotonic() > end:
            wrong = "another paretonym has been writing a release of this table for ten minutes"
            raise InputError.of(str(path), wrong, "wait until it is done, or stop it")
        time.sleep(0.02)


def _make_private(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=PRIVATE, exist_ok=True)
    # A folder that the user made for this: nobody else may read it from now on.
    if folder.stat().st_mode & 0o077 and {path.name for path in folder.iterdir()} <= NAMES:
        folder.chmod(PRIVATE)


def _secret(folder: Path) -> bytes:
    """The secret that digests are keyed with; drawn once."""
    path = folder / "secret"
    secret = read_key(path)
    if secret is not None:
        return secret
    if (folder / "tables").exists():
        raise InputError.of(
            str(path),
            "the secret is missing, and without it no table of the release log can be recognized",
            f"restore the file, or set {VARIABLE} to a new folder if no table was released before",
        )
    made = secrets.token_bytes(KEY_BYTES)
    write_private(path, f"{made.hex()}\n".encode())
    return made


def _damaged(path: Path) -> InputError:
    return InputError.of(
        str(path), "this file is damaged or not readable", "restore it from a copy of the folder"
    )
