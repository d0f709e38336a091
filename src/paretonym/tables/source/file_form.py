"""Form of a data file, as far as a look at it shows: what it is, its encoding and separator, its
sheets. For programs that show this to a person before the rows are read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from paretonym.base.errors import InputError
from paretonym.tables.source.data_file import (
    DataFile,
    check_text,
    kind_of,
    packing_of,
    reading_from,
)
from paretonym.tables.source.data_source import TableForm
from paretonym.tables.source.table_counts import Extent
from paretonym.tables.source.table_edges import FIRST_ROWS, LAST_ROWS, Edges, edges_of_lines

if TYPE_CHECKING:
    from paretonym.tables.source.text_stream import TextFile

# What a text is taken to be written in if it is not valid UTF-8: most such files come from Western Windows.
USUAL_OTHER = "cp1252"
LONGEST_TAIL = 1 << 16


class FileForm(NamedTuple):
    """Kind of a file ("CSV", "JSON lines", "Parquet", "workbook"), and how it is written. `sheets` are the
    visible sheets of a workbook that have cells, the one that seems to hold the table first. `header_row` is
    the row of the header if titles lie above it, `footer_rows` how many rows below the table are none of it.
    What is not known, or has no meaning, is None."""

    kind: str
    packing: str | None = None
    encoding: str | None = None
    separator: str | None = None
    sheets: tuple[str, ...] = ()
    header_row: int | None = None
    footer_rows: int | None = None

    @classmethod
    def of(
        cls,
        path: Path,
        encoding: str | None = None,
        separator: str | None = None,
        sheet: str | None = None,
    ) -> FileForm:
        """Form of a file, with what is given about it. A text that is not valid UTF-8 is taken for
        Windows text, which a person should confirm by reading some of it."""
        file = DataFile(path)
        with reading_from(path):
            first = file.first()
            kind = kind_of(first)
            if kind == "workbook":
                return _workbook_form(file, sheet)
            if kind != "text":
                return cls(kind)
            check_text(path, first)
            return _text_form(file, encoding, separator)

    def told(self, given: TableForm) -> TableForm:
        """Form that a reader needs: what was given, and what was seen and is not what a reader assumes."""
        usual = self.encoding in (None, "utf-8", "utf-16", "utf-32")
        seen = TableForm(
            encoding=None if usual else self.encoding,
            sheet=self.sheets[0] if len(self.sheets) > 1 else None,
            header_row=self.header_row,
            footer_rows=self.footer_rows,
        )
        return given.or_else(seen)

    @classmethod
    def seen(cls, data: Any, given: TableForm, sheet: str | None = None) -> TableForm:
        """Form that a reader needs of data that nobody has described: what was given and, of a file, what a
        look at it shows."""
        if not isinstance(data, str | os.PathLike) or not Path(data).is_file():
            return given
        form = cls.of(Path(data), given.encoding, given.separator, sheet)
        return form.told(replace(given, sheet=sheet) if form.kind == "workbook" else given)

    @staticmethod
    def first_rows(path: Path, form: TableForm, most: int) -> Any:
        """The first rows of a file as they lie in it, as a table of Arrow."""
        from paretonym.tables.source.engines.duckdb_counts import first_rows_of
        from paretonym.tables.source.file_set import FileSet

        file = DataFile(path)
        with reading_from(path):
            kind = kind_of(file.first())
            if kind == "workbook":
                from paretonym.tables.source.workbook import first_rows_in

                return first_rows_in(file, form, most)
            return first_rows_of(FileSet.of_file(file, form), form, most)

    @staticmethod
    def is_container(first: bytes) -> bool:
        """True if a file with these first bytes must be unpacked before anything in it can be seen."""
        return kind_of(first) in ("Parquet", "workbook") or packing_of(first) is not None

    @staticmethod
    def extent(path: Path) -> Extent:
        """Size that a Parquet file or a workbook states; nothing of it is unpacked. Other files have the
        size that they have."""
        file = DataFile(path)
        with reading_from(path):
            kind = kind_of(file.first())
            if kind == "Parquet":
                from paretonym.tables.source.parquet_files import read_extent

                return read_extent(file)
            if kind == "workbook":
                from paretonym.tables.source.workbook import archive_extent

                return archive_extent(file)
            return Extent(0, 0, file.size)

    @staticmethod
    def unpacked(path: Path) -> Iterator[bytes] | None:
        """The bytes of a compressed file, some at a time; None of a file that is not compressed."""
        return _pieces(path) if packing_of(DataFile(path).first()) is not None else None


def _text_form(file: DataFile, encoding: str | None, separator: str | None) -> FileForm:
    from paretonym.tables.source.csv_layout import SEPARATORS, separator_of
    from paretonym.tables.source.file_set import is_json_lines
    from paretonym.tables.source.text_stream import TextFile

    text = TextFile.of(file, TableForm(encoding))
    if encoding is None and not _decodes(text):
        other = TextFile.of(file, TableForm(USUAL_OTHER))
        text = other if _decodes(other) else text
    edges, mark = Edges(), None
    try:
        if is_json_lines(text):
            return FileForm("JSON lines", text.packing, text.encoding)
        mark = separator
        edges = edges_of_lines(*_ends(text), SEPARATORS if mark is None else [mark])
        form = TableForm(text.encoding, header_row=edges.header_row, footer_rows=edges.footer_rows)
        mark = separator_of(TextFile.of(file, form), mark)
    except InputError:
        # Whoever reads the file reports that.
        pass
    return FileForm("CSV", text.packing, text.encoding, mark, (), *edges)


def _ends(text: TextFile) -> tuple[list[str], list[str]]:
    """The lines at the beginning of a text, with empty ones for those above it, and its last ones."""
    sample, whole = text.sample()
    lines = sample.decode("utf-8", "replace").splitlines(keepends=True)
    tail = sample if whole else b""
    for piece in () if whole else text.pieces():
        tail = (tail + piece)[-LONGEST_TAIL:]
    last = [line for line in tail.decode("utf-8", "replace").splitlines() if line.strip()]
    first = lines if whole else lines[:-1]
    return ["\n"] * (text.first_line - 1) + first, last[-1 - LAST_ROWS :]


def _workbook_form(file: DataFile, sheet: str | None) -> FileForm:
    from paretonym.tables.source.workbook import rows_in, sheets_in

    sheets = sheets_in(file)
    if not sheets:
        return FileForm("workbook")
    rows = rows_in(file, sheet or sheets[0])
    edges = Edges.of(rows[:FIRST_ROWS], [cells for _number, cells in rows[-1 - LAST_ROWS :]])
    return FileForm("workbook", None, None, None, sheets, *edges)


def _decodes(text: TextFile) -> bool:
    try:
        text.check_decoded()
    except InputError:
        return False
    return True


def _pieces(path: Path) -> Iterator[bytes]:
    from paretonym.tables.source.text_stream import TextFile

    with reading_from(path):
        yield from TextFile.of(DataFile(path), TableForm("latin-1")).raw_pieces()
