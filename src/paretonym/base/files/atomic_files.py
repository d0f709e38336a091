"""Files and folders written under a temporary name, then given their own; a failing disk is one sentence."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from paretonym.base.errors import InputError

PRIVATE = 0o600
# The files by which folders are known that can be replaced.
RUN_MARKER, MARKER = MARKERS = ("run.json", ".paretonym.json")
# A disk, a folder or a limit that refuses: not a bug of this program.
SPACE = frozenset(getattr(errno, name, errno.ENOSPC) for name in ("ENOSPC", "EDQUOT", "EFBIG"))
REFUSALS = SPACE | {
    getattr(errno, name, errno.ENOSPC)
    for name in (
        "EROFS", "EACCES", "EPERM", "EIO", "EMFILE", "ENFILE", "ENAMETOOLONG", "ELOOP", "ETXTBSY", "EBUSY",
    )
}  # fmt: skip


def failed(places: Iterable[Path], error: OSError) -> InputError:
    """Writing to these places failed, as one sentence."""
    reason = os.strerror(error.errno) if error.errno else "it cannot be written"
    full = error.errno in SPACE
    remedy = "free some space there, or give another place" if full else "check the disk and the folder"
    return InputError.of(", ".join(map(str, places)), f"writing failed: {reason}", remedy)


def new_draft(target: Path) -> Path:
    """An empty private file (mode 0600) beside the target, under a hidden name."""
    handle, name = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
    os.close(handle)
    return Path(name)


def settle(draft: Path, mode: int) -> None:
    """Put a finished draft on the disk, with its mode."""
    with draft.open("rb+") as file:
        os.fsync(file.fileno())
    draft.chmod(mode)


def mode_for(target: Path) -> int:
    """The mode that a file has, or that the user wants for a new one."""
    return stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_mask()


def _mask() -> int:
    """The user's umask, which can be read only by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def flush_folders(targets: Iterable[Path]) -> None:
    """Make the new names survive a power failure, if folders can be opened at all."""
    for folder in {target.parent for target in targets}:
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def taken(path: Path) -> bool:
    """True if something has that name, even a broken link."""
    return os.path.lexists(path)


def give_new_name(draft: Path, target: Path) -> None:
    """Rename a draft; a file that has taken the name meanwhile stays, where the file system has links."""
    try:
        os.link(draft, target)
    except FileExistsError:
        raise
    except OSError:
        draft.replace(target)
    else:
        draft.unlink()


def moved_aside(target: Path) -> Path:
    """Rename a file to a hidden name beside it, which is returned."""
    aside = new_draft(target)
    target.replace(aside)
    return aside


def restore(path: Path) -> None:
    """Give a folder its name back that a killed process left without one."""
    if path.name and not taken(path) and _waiting_name(path).is_dir():
        with suppress(OSError):
            _waiting_name(path).rename(path)


def place_folder(draft: Path, path: Path, check: Callable[[Path], None]) -> None:
    """Give a finished folder its name. An older one waits under a hidden name until that is done, so that a
    killed process leaves the one or the other; it is removed once `check` finds nothing in it that is
    somebody's."""
    old = _waiting_name(path)
    if not taken(path) or is_empty(path):
        with suppress(OSError):
            path.rmdir()
        # The system itself refuses a name that a file or a filled folder has taken meanwhile.
        draft.rename(path)
    else:
        _remove(old, check)
        path.rename(old)
        try:
            draft.rename(path)
        except BaseException:
            # An interrupt too must not leave the old folder under another name.
            if not taken(path):
                old.rename(path)
            raise
    _remove(old, check)


def _remove(folder: Path, check: Callable[[Path], None]) -> None:
    """Remove a folder file by file, the markers last: by them a killed process's rest is known."""
    if taken(folder) and not is_empty(folder):
        check(folder)
    for place, _, names in os.walk(folder, topdown=False):
        for name in sorted(names, key=MARKERS.__contains__):
            Path(place, name).unlink()
        Path(place).rmdir()


def _waiting_name(path: Path) -> Path:
    """The hidden name under which a folder waits while another takes its place."""
    return path.with_name(f".{path.name}.replaced")


def discard(draft: Path) -> None:
    """Remove a draft that did not get a name, a file or a folder."""
    if draft.is_dir():
        shutil.rmtree(draft, ignore_errors=True)
    else:
        draft.unlink(missing_ok=True)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """While names in a folder are checked and given, no other process of this program does the same there;
    where folders cannot be locked, it may."""
    try:
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        yield
        return
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def digest_of(path: Path) -> str:
    """The sha256 of a file."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def read_regular_file(path: Path) -> bytes:
    """The content of a regular file; an OSError for everything else, without waiting for a writer."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "this is not a regular file")
        return file.read()


def is_empty(path: Path) -> bool:
    """True if a name leads to a folder with nothing in it, and not by a link."""
    try:
        return path.is_dir() and not path.is_symlink() and not any(path.iterdir())
    except OSError:
        return False
