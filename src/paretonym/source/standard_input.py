"""The standard input as a data file. It is read once; its copy has no name, so that nothing is left of it
however the process ends."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from paretonym.errors import InputError
from paretonym.source.data_file import DataFile

NAME = "standard input"
PIECE = 1 << 20


@contextmanager
def standard_input() -> Iterator[DataFile]:
    """Whatever is piped into the process, to its end."""
    given = None if sys.stdin is None else getattr(sys.stdin, "buffer", None)
    if given is None or given.isatty():
        raise InputError.of(
            NAME,
            "'-' means the standard input, and nothing is piped into it",
            "write, for example, zcat people.csv.gz | paretonym …, or give a file",
        )
    # Without a name from the beginning, or with one that is removed at once.
    with tempfile.TemporaryFile(prefix="paretonym-") as copy:
        shutil.copyfileobj(given, copy, PIECE)
        copy.flush()
        if not copy.tell():
            wrong = "the standard input is empty, or was read before"
            raise InputError.of(NAME, wrong, "give '-' once, and pipe a table with a header line and rows")
        yield DataFile(Path(NAME), copy)
