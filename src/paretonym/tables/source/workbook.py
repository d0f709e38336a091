"""Sheets of Excel workbooks (xlsx, xlsm, xlsb, xls) and of OpenDocument spreadsheets, read by calamine.

Every column is text, as in a CSV file: a cell has a type, a column has none, and what one cell is must not be
seen in how the others are written. Formulas count with the values that were saved with them.
"""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from paretonym.base.errors import Field, InputError, shown
from paretonym.base.extras import require
from paretonym.tables.arrow import pa
from paretonym.tables.source.column_names import name_problems, with_row
from paretonym.tables.source.data_file import DataFile
from paretonym.tables.source.data_source import TableForm, Wanted
from paretonym.tables.source.dataframe import read_dataframe
from paretonym.tables.source.table_counts import Counts, Extent
from paretonym.tables.source.value_types import written
from paretonym.tables.source.workbook_cells import (
    DAMAGED,
    EMPTY,
    PROTECTED,
    TOO_LONG,
    Book,
    Unreadable,
    cells_of,
    memory_for,
)

# What a workbook's archive contains, whatever else is in it.
SPREADSHEETS = ("xl/", "content.xml")
LARGEST_PART = 512 << 20
NO_ROWS = "give a workbook with rows"
Row = list[Any]


def read_workbook(file: DataFile, sheet: str | None, form: TableForm, wanted: Wanted) -> Counts:
    """The table in a sheet: the first row that is not blank is the header, further blank ones are ignored."""
    check_archive(file)
    require("excel", str(file.path))
    sheet = sheet or form.sheet
    _place, columns = _columns(file, sheet, form)
    counts = read_dataframe(_texts(columns), wanted)
    path = str(file.path)
    selection = {} if sheet is None else {"table": sheet}
    return replace(
        counts, name=file.path.name, kind="file", path=path, files=(path,), form=form, selection=selection
    )


def first_rows_in(file: DataFile, form: TableForm, most: int) -> Any:
    """The first rows of the table in a sheet, as a table of Arrow."""
    _place, columns = _columns(file, form.sheet, form)
    return _texts({name: cells[:most] for name, cells in columns.items()})


def _texts(columns: Mapping[str, Row]) -> Any:
    """Columns as texts, in Arrow."""
    return pa.table({name: pa.array(map(_text, cells), pa.string()) for name, cells in columns.items()})


def _columns(file: DataFile, sheet: str | None, form: TableForm) -> tuple[str, dict[str, Row]]:
    """The columns of the table in a sheet, and where that is."""
    name, rows = _opened(file, sheet)
    place = f"{file.path}, sheet '{name}'"
    within = [row for number, row in rows if number > form.above]
    names, cells = _shape(place, within[: len(within) - form.below])
    return place, dict(zip(names, cells, strict=True))


def check_archive(file: DataFile) -> None:
    """Refuse an archive that is not a spreadsheet."""
    if (unpacked := _listed(file)) is not None and not any(
        name.startswith(SPREADSHEETS) for name in unpacked
    ):
        raise InputError.of(
            str(file.path), "this is a zip archive, not a table", "unpack it, and give the file inside"
        )


def archive_extent(file: DataFile) -> Extent:
    """Size of an archive once it is unpacked, as it states it; nothing of it is unpacked."""
    return Extent(0, 0, sum((_listed(file) or {}).values()))


def _listed(file: DataFile) -> Mapping[str, int] | None:
    """The names and sizes of what is in an archive; None if it is an older kind of workbook."""
    if file.first(2) != b"PK":
        return None
    try:
        with file.stream() as stream, zipfile.ZipFile(stream) as archive:
            return {entry.filename: entry.file_size for entry in archive.infolist()}
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        raise _damaged(file) from None


def sheets_in(file: DataFile) -> tuple[str, ...]:
    """The visible sheets that have cells, the one that seems to hold the table first."""
    check_archive(file)
    require("excel", str(file.path))
    return tuple(_table_first(_book(file, None)))


def rows_in(file: DataFile, sheet: str | None) -> list[tuple[int, list[str]]]:
    """The rows of a sheet that are not blank, as texts, with their numbers."""
    _name, rows = _opened(file, sheet)
    return [(number, [_text(cell) or "" for cell in row]) for number, row in rows]


def _opened(file: DataFile, sheet: str | None) -> tuple[str, list[tuple[int, Row]]]:
    """The name of a sheet, the only visible one with cells if none is named, and its rows that are not blank
    with their numbers."""
    book = _book(file, sheet)
    if sheet is not None and sheet not in book.names:
        wrong = f"there is no sheet called '{sheet}'"
        raise InputError.of(str(file.path), wrong, f"its sheets are {shown(book.names)}")
    if book.sheet is None:
        several = f"{len(book.filled)} of its sheets have cells: {shown(book.filled)}"
        wrong = several if book.filled else "its sheets are empty"
        remedy = NO_ROWS
        if book.filled:
            remedy = f"say which it is ({Field('sheet', _table_first(book)[0])})"
        raise InputError.of(str(file.path), wrong, remedy)
    return book.sheet, book.rows


def _book(file: DataFile, sheet: str | None) -> Book:
    """The cells of a workbook; faults are reported as the user's."""
    parts = _listed(file)
    if max((parts or {}).values(), default=0) > LARGEST_PART:
        wrong = f"a part of the workbook has more than {LARGEST_PART >> 20} MiB once it is unpacked"
        raise InputError.of(str(file.path), wrong, "save the sheet as CSV")
    size = file.size if parts is None else sum(parts.values())
    try:
        with file.stream() as stream:
            return cells_of(stream, sheet, size)
    except Unreadable as error:
        raise _refusal(file, error.code, size) from None


def _refusal(file: DataFile, code: int, size: int) -> InputError:
    if code == PROTECTED:
        wrong = "the workbook is protected by a password"
        remedy = "save it without a password, in a folder that is protected in another way"
        return InputError.of(str(file.path), wrong, remedy)
    if code == DAMAGED:
        return _damaged(file)
    far = "perhaps a cell is far from the table"
    wrong = f"the workbook needs more than {memory_for(size) / (1 << 30):.1f} GiB of memory; {far}"
    if code == TOO_LONG:
        wrong = f"the workbook takes too long to read; {far}"
    remedy = "delete what stands beside or below the table, or save the table as CSV"
    return InputError.of(str(file.path), wrong, remedy)


def _damaged(file: DataFile) -> InputError:
    wrong = "the workbook is damaged, or of a kind that cannot be read"
    return InputError.of(str(file.path), wrong, "save it again as .xlsx, or save the sheet as CSV")


def _table_first(book: Book) -> list[str]:
    """First the sheet with the most cells in rows of several: probably the table, while the others explain
    it."""
    table = max(book.filled, key=lambda name: book.cells.get(name, 0), default=None)
    return sorted(book.filled, key=lambda name: name != table)


def _shape(place: str, rows: Sequence[Row]) -> tuple[list[str], list[Row]]:
    """The names and the cells of the columns; a column without a name and without cells is none."""
    if len(rows) < 2:
        wrong = "there is a header but there are no rows" if rows else "there are no cells"
        raise InputError.of(place, wrong, "give a sheet with a header and rows")
    columns = [list(column) for column in zip(*rows, strict=True)]
    columns = [column for column in columns if any(cell != EMPTY for cell in column)]
    names = with_row([_text(column[0]) or "" for column in columns])
    if problems := name_problems(f"{place}, header", names):
        raise InputError(problems)
    return names, [column[1:] for column in columns]


def _text(cell: Any) -> str | None:
    """A cell as text, as a column of its type is written."""
    if cell == EMPTY:
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int | float):
        # Adding zero turns -0.0 into 0.0.
        return written("decimal", pa.array([float(cell) + 0.0]))[0]
    if isinstance(cell, datetime.datetime):
        return written("text", pa.array([cell], pa.timestamp("us")))[0]
    return cell.isoformat() if isinstance(cell, datetime.date | datetime.time) else str(cell)
