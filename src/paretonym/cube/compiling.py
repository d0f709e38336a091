"""The one door through which numba enters, and where its compiled code is kept between runs."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any


def _writable(folder: Path) -> bool:
    while not folder.exists():
        folder = folder.parent
    return os.access(folder, os.W_OK)


def _private_folder() -> Path | None:
    """A cache folder of our own under the temporary one; refused if others could have put code there."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"paretonym-compiled-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    ours = stat.S_ISDIR(found.st_mode) and (not hasattr(os, "getuid") or found.st_uid == user)
    return folder if ours and not found.st_mode & 0o022 else None


def _caching() -> bool:
    """Whether compiled code can be kept: beside the source, in the user's cache folder, or in our own.

    numba tries the first two by itself, but fails outright where neither can be written.
    """
    if "NUMBA_CACHE_DIR" in os.environ:
        return True
    beside = Path(__file__).parent / "__pycache__"
    if _writable(beside) or _writable(Path.home() / ".cache"):
        return True
    folder = _private_folder()
    if folder is None:
        return False
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    return True


def compiled(function: Callable[..., Any]) -> Any:
    """Compile on first call, keep the result on disk, release the interpreter's lock while it runs."""
    return _njit(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compiled into its callers, for small pieces that are called very often: a call with arrays would cost
    more than they do."""
    return _inlined(function)


def available() -> bool:
    """Whether numba can be used on this machine."""
    return _njit is not None


_njit: Any = None
_inlined: Any = None
try:
    _cached = _caching()
    import numba

    _njit = numba.njit(nogil=True, cache=_cached, boundscheck=False)
    _inlined = numba.njit(nogil=True, inline="always")
except ImportError:  # pragma: no cover - platforms without numba use the plain numpy path
    pass
