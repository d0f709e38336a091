"""The one door through which numba enters, and where its compiled code is kept between runs.

It is kept in a folder of the user's own, not beside the source: an installation may be read-only. The
folder's name holds a digest of the kernels here and of those beside the function: numba itself looks only at
the file of the function it compiles, and would miss a change in a function that was compiled into it. So a
kernel may call kernels of its own folder and of this one, and no others.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def compiled(function: Callable[..., Any]) -> Any:
    """Compile on first call, keep the result on disk, release the interpreter's lock while it runs."""
    folder = _kept(Path(function.__code__.co_filename).parent)
    # Here, since it takes a second to load: most commands never compile.
    import numba

    with _kept_in(folder, numba.config):
        return numba.njit(nogil=True, cache=folder is not None)(function)


def available() -> bool:
    """Whether numba can be used on this machine."""
    return find_spec("numba") is not None


def compiled_before(name: str, package: Path = HERE) -> bool:
    """Whether the kernel of that name was compiled in an earlier run, or never will be."""
    if not available():
        return True
    folder = _kept(package)
    return folder is not None and any(folder.glob(f"*/*.{name}-*.nbi"))


def cache_folder(package: Path = HERE) -> Path | None:
    """A folder for what is compiled from a package, that only this user can write to; None if there is
    none."""
    name = f"compiled-{_digest(package)}"
    for base in _bases():
        folder = base / name
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            continue
        if _ours(folder) and _ours(folder.parent):
            return folder
    return None


# Read once in a process: a source that changes while it runs must not mix with what was compiled before.
_kept = cache(cache_folder)


def _bases() -> Iterator[Path]:
    if os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(os.environ["NUMBA_CACHE_DIR"]) / "paretonym"
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    yield Path(home) / "paretonym"
    user = os.getuid() if hasattr(os, "getuid") else 0
    yield Path(tempfile.gettempdir()) / f"paretonym-{user}"


def _ours(folder: Path) -> bool:
    """Whether nobody else could have put code there: it would be run."""
    if not hasattr(os, "getuid"):
        return os.access(folder, os.W_OK)
    found = folder.lstat()
    mine = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022
    return mine and os.access(folder, os.W_OK)


def _digest(package: Path) -> str:
    digest = hashlib.sha256()
    for folder in dict.fromkeys((HERE, package)):
        for source in sorted(folder.glob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


@contextmanager
def _kept_in(folder: Path | None, settings: Any) -> Iterator[None]:
    """Let numba put what it compiles into `folder`, and leave its settings as they were."""
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(folder) if folder is not None else before
    try:
        yield
    finally:
        settings.CACHE_DIR = before
