"""The one door for data: a path or a dataframe becomes a `Table`.

Arrow and the dataframe libraries are loaded behind this door, when there is something to read.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from paretonym.errors import InputError
from paretonym.source.data_file import DataFile
from paretonym.source.table import Extent, Table

PARQUET = b"PAR1"
GZIP = b"\x1f\x8b"
# What people hand in by mistake, by its first bytes.
OTHERS = (
    (b"PK\x03\x04", "a zip archive or an Excel workbook", "unpack it, or save the sheet as CSV"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook", "save the sheet as CSV"),
    (b"ARROW1", "an Arrow file", "write it as Parquet"),
    (b"BZh", "compressed with bzip2", "unpack it, or compress it with gzip"),
    (b"\xfd7zXZ", "compressed with xz", "unpack it, or compress it with gzip"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd", "unpack it, or compress it with gzip"),
    (b"SQLite format 3", "an SQLite database", "give sqlite:///FILE and the name of a table"),
    (b"%PDF-", "a PDF document", "give a CSV or Parquet file"),
)
# The first bytes of files that are read from a disk alone, or not at all.
NOT_STREAMED = (GZIP, *(start for start, _, _ in OTHERS))


def open_table(data: Any, *, encoding: str | None = None, separator: str | None = None) -> Table:
    """The table in a CSV or Parquet file, or in a dataframe of any kind.

    `encoding` and `separator` are for text files that do not say by themselves how they are written.
    A mistake in the data is an `InputError` that names the place and never shows what stands there.
    """
    check_path(data)
    if isinstance(data, str | os.PathLike):
        return _open_file(Path(data), encoding, separator)
    from paretonym.source.dataframe import read_dataframe

    return read_dataframe(data)


def check_path(data: Any) -> None:
    """Refuse a text that cannot be a path. Of an address only the scheme is shown: the rest may hold a
    password."""
    if isinstance(data, str) and "\n" in data:
        raise InputError.of("the data", "a text of several lines is not a path", "write it to a file")
    if isinstance(data, str) and (address := re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", data)):
        raise InputError.of(
            f"{address[0]}…",
            "this is an address, and only files and dataframes can be read",
            "write the table to a Parquet or CSV file, or read it into a dataframe",
        )


def parquet_extent(path: Path) -> Extent:
    """What a Parquet file says of its size; none of its data is read."""
    from paretonym.source.parquet_reader import read_extent

    return read_extent(path)


def _open_file(path: Path, encoding: str | None, separator: str | None) -> Table:
    with reading_from(path):
        check_regular(path)
        with DataFile.at(path) as file:
            table = _read_file(file, encoding, separator)
        return replace(table, encoding=encoding, separator=separator)


@contextmanager
def reading_from(place: str | os.PathLike[str]) -> Iterator[None]:
    """What the system refuses while data are read, in our words."""
    try:
        yield
    except PermissionError:
        raise InputError.of(
            str(place),
            "there is no permission to read the file",
            "ask its owner for permission, or give another file",
        ) from None
    except OSError:
        raise InputError.of(str(place), "the file cannot be opened", "check the path and the disk") from None


def _read_file(file: DataFile, encoding: str | None, separator: str | None) -> Table:
    path, first = file.path, file.read(0, 16)
    if first.startswith(PARQUET):
        from paretonym.source.parquet_reader import read_parquet

        return read_parquet(file)
    check_text(path, first)
    from paretonym.source.csv_reader import read_csv
    from paretonym.source.text_stream import TextFile

    return read_csv(TextFile.of(file, first.startswith(GZIP), encoding), separator)


def check_text(path: Path, first: bytes) -> None:
    """Refuse what is not text, by its first bytes."""
    if not first:
        raise InputError.of(str(path), "the file is empty", "give a file with a header line and rows")
    for start, what, remedy in OTHERS:
        if first.startswith(start):
            raise InputError.of(str(path), f"the file is {what}, not CSV or Parquet", remedy)


def check_regular(path: Path) -> None:
    """Refuse what is not a file, or not there."""
    if path.is_dir():
        raise InputError.of(str(path), "this is a folder, not a file", "give a CSV or Parquet file")
    if not path.exists():
        raise InputError.of(str(path), "this file does not exist", _nearest(path))
    if not path.is_file():
        raise InputError.of(
            str(path), "this is not a regular file", "write the data to a file and give its path"
        )


def _nearest(path: Path) -> str:
    try:
        names = sorted(entry.name for entry in path.parent.iterdir() if entry.is_file())
    except OSError:
        return "check the path: its folder cannot be read either"
    near = difflib.get_close_matches(path.name, names, n=1, cutoff=0.6)
    return f"did you mean '{path.with_name(near[0])}'?" if near else "check the path"
