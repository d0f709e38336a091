"""Sheets of Excel workbooks (xlsx, xlsm, xlsb, xls) and of OpenDocument spreadsheets, read by calamine.

Every column is text, as in a CSV file: a cell has a type, a column has none, and what one cell is must not be
seen in how the others are written. Formulas count with the values that were saved with them.
"""

from __future__ import annotations

import datetime
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from paretonym.arrow import pa
from paretonym.errors import Field, InputError, shown
from paretonym.extras import require
from paretonym.source.column_names import name_problems
from paretonym.source.data_file import DataFile
from paretonym.source.data_source import TableForm, Wanted
from paretonym.source.dataframe import read_dataframe
from paretonym.source.table_counts import Counts, Extent
from paretonym.source.value_types import written

# What a workbook's archive contains, whatever else is in it.
SPREADSHEETS = ("xl/", "content.xml")
EMPTY = ""
# The first and the last cell of a sheet, as its XML says at the beginning.
REACH = rb"([A-Z]{1,3})([0-9]{1,7})"
DIMENSION = re.compile(rb"<(?:\w+:)?dimension ref=['\"]" + REACH + b":" + REACH)
PIECE = 1 << 12
LARGEST_PART = 512 << 20
# As many cells may be empty; more only where there is a byte for each.
MOST_EMPTY = 2_000_000
NO_ROWS = "give a workbook with rows"
Row = list[Any]
T = TypeVar("T")


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


def check_used_range(file: DataFile) -> None:
    """Refuse a workbook that would take far more memory than it has cells: a reader makes room for every cell
    between the first and the last one, and reads texts whole."""
    unpacked = _listed(file) or {}
    if max(unpacked.values(), default=0) > LARGEST_PART:
        wrong = f"a part of the workbook has more than {LARGEST_PART >> 20} MiB once it is unpacked"
        raise InputError.of(str(file.path), wrong, "save the sheet as CSV")
    with file.stream() as stream, zipfile.ZipFile(stream) as archive:
        for name, size in unpacked.items():
            if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                with archive.open(name) as part:
                    _check_sparse(file, part.read(PIECE), size)


def _check_sparse(file: DataFile, begin: bytes, size: int) -> None:
    """Refuse a sheet that says it reaches far beyond the cells that a part of this size can hold."""
    if (reach := DIMENSION.search(begin)) is None:
        return
    first, last = ([_column_number(reach[n]), int(reach[n + 1])] for n in (1, 3))
    room = (last[0] - first[0] + 1) * (last[1] - first[1] + 1)
    if room > max(MOST_EMPTY, size):
        raise InputError.of(
            str(file.path),
            f"a sheet reaches over {room:,} cells, most of them empty: one is far from the table",
            "delete what stands beside or below the table, or save the table as CSV",
        )


def _column_number(letters: bytes) -> int:
    """
    >>> _column_number(b"A"), _column_number(b"AA"), _column_number(b"XFD")
    (1, 27, 16384)
    """
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number


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
    return _of_book(file, lambda book: tuple(_table_first(book, _filled(book))))


def rows_in(file: DataFile, sheet: str | None) -> list[tuple[int, list[str]]]:
    """The rows of a sheet that are not blank, as texts, with their numbers."""
    _name, rows = _opened(file, sheet)
    return [(number, [_text(cell) or "" for cell in row]) for number, row in rows]


def _opened(file: DataFile, sheet: str | None) -> tuple[str, list[tuple[int, Row]]]:
    """The name of a sheet, and its rows that are not blank with their numbers."""

    def rows(book: Any) -> tuple[str, list[tuple[int, Row]]]:
        name = _sheet(file, book, sheet)
        page = book.get_sheet_by_name(name)
        first = 1 + (page.start[0] if page.start else 0)
        every = enumerate(page.to_python(skip_empty_area=True), first)
        return name, [(number, row) for number, row in every if any(cell != EMPTY for cell in row)]

    return _of_book(file, rows)


def _of_book(file: DataFile, found: Callable[[Any], T]) -> T:
    """Result of reading a workbook; faults are reported as the user's."""
    import python_calamine

    if file.first(2) == b"PK":
        check_used_range(file)
    try:
        with file.stream() as stream:
            return found(python_calamine.CalamineWorkbook.from_filelike(stream))
    except python_calamine.PasswordError:
        remedy = "save it without a password, in a folder that is protected in another way"
        raise InputError.of(str(file.path), "the workbook is protected by a password", remedy) from None
    except python_calamine.CalamineError:
        # Its text could hold cells.
        raise _damaged(file) from None


def _damaged(file: DataFile) -> InputError:
    wrong = "the workbook is damaged, or of a kind that cannot be read"
    return InputError.of(str(file.path), wrong, "save it again as .xlsx, or save the sheet as CSV")


def _sheet(file: DataFile, book: Any, given: str | None) -> str:
    """The sheet that is named, or else the only visible one with cells."""
    if given is not None:
        if given not in book.sheet_names:
            wrong = f"there is no sheet called '{given}'"
            raise InputError.of(str(file.path), wrong, f"its sheets are {shown(book.sheet_names)}")
        return given
    filled = _filled(book)
    if len(filled) != 1:
        several = f"{len(filled)} of its sheets have cells: {shown(filled)}"
        wrong = several if filled else "its sheets are empty"
        remedy = NO_ROWS
        if filled:
            remedy = f"say which it is ({Field('sheet', _table_first(book, filled)[0])})"
        raise InputError.of(str(file.path), wrong, remedy)
    return filled[0]


def _table_first(book: Any, names: Sequence[str]) -> list[str]:
    """First the sheet with the most cells in rows of several: probably the table, while the others explain
    it."""

    def cells(name: str) -> int:
        rows = book.get_sheet_by_name(name).to_python(skip_empty_area=True)
        widths = (sum(cell != EMPTY for cell in row) for row in rows)
        return sum(width for width in widths if width > 1)

    table = max(names, key=cells, default=None)
    return sorted(names, key=lambda name: name != table)


def _filled(book: Any) -> list[str]:
    """The names of the visible sheets with cells."""
    visible = [sheet.name for sheet in book.sheets_metadata if str(sheet.visible).endswith(".Visible")]
    return [name for name in visible if book.get_sheet_by_name(name).height]


def _shape(place: str, rows: Sequence[Row]) -> tuple[list[str], list[Row]]:
    """The names and the cells of the columns; a column without a name and without cells is none."""
    if len(rows) < 2:
        wrong = "there is a header but there are no rows" if rows else "there are no cells"
        raise InputError.of(place, wrong, "give a sheet with a header and rows")
    columns = [list(column) for column in zip(*rows, strict=True)]
    columns = [column for column in columns if any(cell != EMPTY for cell in column)]
    names = [_text(column[0]) or "" for column in columns]
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
