"""Files and folders that appear completely or not at all; a failing disk is reported in one sentence."""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from paretonym.errors import InputError

# How two names are renamed in one step: refuse if the second exists, or exchange both.
NEW, EXCHANGE = 1, 2
_UNKNOWN = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM, errno.EACCES)
# A disk, a folder or a limit that refuses: not a bug of this program.
SPACE = frozenset(getattr(errno, name, errno.ENOSPC) for name in ("ENOSPC", "EDQUOT", "EFBIG"))
REFUSALS = frozenset(
    getattr(errno, name, errno.ENOSPC)
    for name in (
        "ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "EIO", "EFBIG", "EMFILE", "ENFILE", "ENAMETOOLONG",
        "ELOOP", "ETXTBSY", "EBUSY",
    )
)  # fmt: skip


def failed(places: Iterable[Path], error: OSError) -> InputError:
    """Writing to these places failed, as one sentence."""
    reason = os.strerror(error.errno) if error.errno else "it cannot be written"
    remedy = "free some space there, or give another place"
    if error.errno not in SPACE:
        remedy = "check the disk and the folder"
    return InputError.of(", ".join(map(str, places)), f"writing failed: {reason}", remedy)


@contextmanager
def reported(*places: Path) -> Iterator[None]:
    """Report a disk that fails while these are written in one sentence, as a problem for the user to fix."""
    try:
        yield
    except OSError as error:
        raise failed(places, error) from None


def new_draft(target: Path) -> Path:
    """An empty private file (mode 0600) beside the target, under a hidden name."""
    handle, name = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
    os.close(handle)
    return Path(name)


def settle(draft: Path, mode: int) -> None:
    """A finished draft on the disk, with its mode."""
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


def move_new(source: Path, target: Path) -> None:
    """Rename a file or folder to the target; never replace something else."""
    if _moved(source, target, NEW):
        return
    if taken(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    source.rename(target)


def swap_folders(new: Path, old: Path) -> Path:
    """Give the new folder the old one's name; return where the old one is now.

    In one step, so that a process that is killed leaves one or the other under that name. If the system has
    no such step, the old one waits under a hidden name that `restore` recognizes.
    """
    if _moved(new, old, EXCHANGE):
        return new
    aside = waiting_name(old)
    if taken(aside):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(aside))
    old.rename(aside)
    try:
        new.rename(old)
    except BaseException:
        # An interrupt too must not leave the old folder under another name.
        if not taken(old):
            aside.rename(old)
        raise
    return aside


def restore(path: Path) -> None:
    """Give a folder its name back that a killed process left without one."""
    if path.name and not taken(path) and waiting_name(path).is_dir():
        with suppress(OSError):
            move_new(waiting_name(path), path)


def waiting_name(path: Path) -> Path:
    """The hidden name under which a folder waits while another takes its place."""
    return path.with_name(f".{path.name}.replaced")


def taken(path: Path) -> bool:
    """Whether something has that name, even a broken link."""
    return os.path.lexists(path)


def _moved(source: Path, target: Path, how: int) -> bool:
    """Whether the system did it in one step; False if it cannot."""
    import ctypes

    call = _system_call()
    if call is None:
        return False
    if call(os.fsencode(source), os.fsencode(target), how) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNKNOWN:
        return False
    raise OSError(number, os.strerror(number), str(target))


@cache
def _system_call() -> Any:
    """Linux and macOS can refuse a taken name, and exchange two names, in one step."""
    import ctypes

    try:
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            # On macOS the numbers are the other way round.
            return lambda source, target, how: library.renamex_np(source, target, {NEW: 4, EXCHANGE: 2}[how])
        here = -100
        rename = library.renameat2
    except (OSError, AttributeError, TypeError):
        return None
    return lambda source, target, how: rename(here, source, here, target, how)


def read_regular_file(path: Path) -> bytes:
    """The content of a regular file; an OSError for everything else, without waiting for a writer."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "this is not a regular file")
        return file.read()
