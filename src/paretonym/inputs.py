"""Small files that a command reads whole: regular files only, since a device or a pipe may never end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def read_regular_file(path: Path) -> bytes:
    """The content of a regular file; an OSError for everything else, without waiting for anybody to write."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "this is not a regular file")
        return file.read()
