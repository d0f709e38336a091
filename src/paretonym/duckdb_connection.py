"""What every connection to DuckDB needs, whoever counts: no progress bar, answers in Arrow, and a full disk
recognized."""

from __future__ import annotations

import errno
import os
from typing import Any


def without_bar(connection: Any) -> None:
    """Switch the progress bar off, which on stdout would spoil what a program reads there. In a notebook
    without ipywidgets it is off, and whoever sets it gets an error."""
    # To the last row: a result that is still open would be in the way of what follows.
    ((shown,),) = connection.execute("select current_setting('enable_progress_bar')").fetchall()
    if shown:
        connection.execute("set enable_progress_bar = false")


def arrow_reader(answer: Any, rows: int) -> Any:
    """An answer in Arrow, this many rows at a time."""
    # Its name since version 2.
    reader = getattr(answer, "to_arrow_reader", None) or answer.fetch_arrow_reader
    return reader(rows)


def full_disk(error: Exception) -> int | None:
    """The number of the error if a disk is full, forbidden or broken, for which DuckDB has but a text."""
    numbers = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG)
    return next((number for number in numbers if os.strerror(number) in str(error)), None)
