"""Reading tables: a path or a dataframe becomes a `Table`.

Arrow and the dataframe libraries are loaded here, only when there is something to read.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from paretonym.data_address import check_local
from paretonym.errors import Field, InputError
from paretonym.source.data_file import DataFile, standard_input
from paretonym.source.table import Table

PARQUET = b"PAR1"
ZIP = b"PK\x03\x04"
OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"
WORKBOOKS = (ZIP, OLD_WORKBOOK)
READABLE = "give a CSV, Parquet, JSON lines or Excel file"
# Kinds of files that people give by mistake, by their first bytes.
OTHERS = (
    (b"ARROW1", "an Arrow file", "write it as Parquet"),
    (b"\xfd7zXZ", "compressed with xz", "unpack it, or compress it with gzip or zstd"),
    (b"7z\xbc\xaf", "a 7z archive", "unpack it"),
    (
        b"SQLite format 3",
        "an SQLite database",
        "give sqlite:///FILE and the name of a table",
    ),
    (b"%PDF-", "a PDF document", READABLE),
    (b"<?xml", "an XML document", READABLE),
    (b"<!DOCTYPE html", "a web page", READABLE),
    (b"<html", "a web page", READABLE),
    (b"{\\rtf", "a text document", READABLE),
)
DUCKDB = (8, b"DUCK")
STDIN = "-"


def open_table(
    data: Any, *, encoding: str | None = None, separator: str | None = None, sheet: str | None = None
) -> Table:
    """The table in a CSV, Parquet, JSON lines or Excel file, in the standard input ("-"), or in a dataframe
    of any kind.

    `encoding` and `separator` are for text files in which they cannot be detected, `sheet` for workbooks
    with more than one. A mistake in the data is an `InputError` that names the place and never shows the
    content.
    """
    check_path(data)
    if isinstance(data, str) and data == STDIN:
        return _open_standard_input(encoding, separator, sheet)
    if isinstance(data, str | os.PathLike):
        return _open_file(Path(data), encoding, separator, sheet)
    from paretonym.source.dataframe import read_dataframe

    return read_dataframe(data)


def _open_standard_input(encoding: str | None, separator: str | None, sheet: str | None) -> Table:
    with standard_input() as file:
        table = _read_file(file, encoding, separator, sheet)
    # There is no path under which the rows could be read again.
    return replace(table, path=None, encoding=encoding, separator=separator)


def check_path(data: Any) -> None:
    """Refuse a text that cannot be a path. Of an address only the scheme is shown: the rest may hold a
    password."""
    if isinstance(data, str) and "\n" in data:
        raise InputError.of("the data", "a text of several lines is not a path", "write it to a file")
    if isinstance(data, str | os.PathLike):
        check_local(data, "write the table to a Parquet or CSV file, or read it into a dataframe")


def _open_file(path: Path, encoding: str | None, separator: str | None, sheet: str | None) -> Table:
    with reading_from(path):
        check_regular(path)
        with DataFile.at(path) as file:
            table = _read_file(file, encoding, separator, sheet)
        return replace(table, encoding=encoding, separator=separator)


@contextmanager
def reading_from(place: str | os.PathLike[str]) -> Iterator[None]:
    """Report errors of the system while data are read, in our own words."""
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


def _read_file(file: DataFile, encoding: str | None, separator: str | None, sheet: str | None) -> Table:
    path, first = file.path, file.read(0, 16)
    if first.startswith(WORKBOOKS):
        from paretonym.source.workbook import read_workbook

        return read_workbook(file, sheet)
    if sheet is not None:
        raise InputError.of(
            Field("table", sheet),
            "this is for sheets of a workbook and tables of a database, and the data are neither",
            "leave it out",
        )
    if first.startswith(PARQUET):
        from paretonym.source.parquet_reader import read_parquet

        return read_parquet(file)
    check_text(path, first)
    from paretonym.source.csv_reader import read_csv
    from paretonym.source.json_lines import is_json_lines, read_json_lines
    from paretonym.source.text_stream import TextFile

    text = TextFile.of(file, encoding)
    return read_json_lines(text) if is_json_lines(text) else read_csv(text, separator)


def check_text(path: Path, first: bytes) -> None:
    """Refuse what is not text, by its first bytes."""
    if not first:
        raise InputError.of(str(path), "the file is empty", "give a file with a header line and rows")
    for start, what, remedy in OTHERS:
        if first.startswith(start):
            raise InputError.of(str(path), f"the file is {what}, not a table", remedy)
    place, mark = DUCKDB
    if first[place:].startswith(mark):
        remedy = "give duckdb:///FILE and the name of a table"
        raise InputError.of(str(path), "the file is a DuckDB database, not a table", remedy)


def is_workbook(path: Path) -> bool:
    """Whether a file begins as Excel workbooks and other archives do."""
    with path.open("rb") as file:
        return file.read(4).startswith(WORKBOOKS)


def check_regular(path: Path) -> None:
    """Refuse what is not a file, or not there."""
    if path.is_dir():
        raise InputError.of(str(path), "this is a folder, not a file", READABLE)
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
    # An ending that many files share makes no two of them alike.
    alike = [name for name in names if difflib.get_close_matches(path.stem, [Path(name).stem], cutoff=0.6)]
    near = difflib.get_close_matches(path.name, alike, n=1, cutoff=0.6)
    if not near:
        return "check the path"
    return f"did you mean '{path.with_name(near[0])}'?"
