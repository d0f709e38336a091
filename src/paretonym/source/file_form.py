"""How a data file is written, as far as a look at it shows: what it is, its encoding and separator, its
sheets. For programs that show this to a person before the rows are read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from paretonym.errors import InputError
from paretonym.source.data_file import PARQUET, WORKBOOKS, DataFile, check_text, packing_of, reading_from
from paretonym.source.table_counts import Extent

if TYPE_CHECKING:
    from paretonym.source.text_stream import TextFile

# What a text is taken to be written in if it is not valid UTF-8: most such files come from Western Windows.
USUAL_OTHER = "cp1252"


class FileForm(NamedTuple):
    """What a file is ("CSV", "JSON lines", "Parquet", "workbook"), and how it is written. `sheets` are the
    visible sheets of a workbook that have cells; what is not known, or has no meaning, is None."""

    kind: str
    packing: str | None = None
    encoding: str | None = None
    separator: str | None = None
    sheets: tuple[str, ...] = ()

    @classmethod
    def of(cls, path: Path, encoding: str | None, separator: str | None) -> FileForm:
        """How a file is written, with what is given about it. A text that is not valid UTF-8 is taken for
        Windows text, which a person should confirm by reading some of it."""
        file = DataFile(path)
        with reading_from(path):
            first = file.first()
            if first.startswith(PARQUET):
                return cls("Parquet")
            if first.startswith(WORKBOOKS):
                from paretonym.source.workbook import sheets_in

                return cls("workbook", sheets=sheets_in(file))
            check_text(path, first)
            return _text_form(file, encoding, separator)

    @staticmethod
    def is_container(first: bytes) -> bool:
        """Whether a file with these first bytes must be unpacked before anything in it can be seen."""
        return first.startswith((PARQUET, *WORKBOOKS)) or packing_of(first) is not None

    @staticmethod
    def extent(path: Path) -> Extent:
        """What a Parquet file or a workbook says of its size; nothing of it is unpacked. Other files have the
        size that they have."""
        file = DataFile(path)
        with reading_from(path):
            first = file.first()
            if first.startswith(PARQUET):
                from paretonym.source.parquet_files import read_extent

                return read_extent(file)
            if first.startswith(WORKBOOKS):
                from paretonym.source.workbook import archive_extent

                return archive_extent(file)
            return Extent(0, 0, file.size)

    @staticmethod
    def unpacked(path: Path) -> Iterator[bytes] | None:
        """The bytes of a compressed file, some at a time; None of a file that is not compressed."""
        return _pieces(path) if packing_of(DataFile(path).first()) is not None else None


def _text_form(file: DataFile, encoding: str | None, separator: str | None) -> FileForm:
    from paretonym.source.csv_layout import separator_of
    from paretonym.source.json_lines import is_json_lines
    from paretonym.source.text_stream import TextFile

    text = TextFile.of(file, encoding)
    if encoding is None and not _decodes(text):
        other = TextFile.of(file, USUAL_OTHER)
        text = other if _decodes(other) else text
    try:
        if is_json_lines(text):
            return FileForm("JSON lines", text.packing, text.encoding)
        found = separator_of(text, separator)
    except InputError:
        # Whoever reads the file reports that.
        found = None
    return FileForm("CSV", text.packing, text.encoding, found)


def _decodes(text: TextFile) -> bool:
    try:
        text.check_decoded()
    except InputError:
        return False
    return True


def _pieces(path: Path) -> Iterator[bytes]:
    from paretonym.source.text_stream import TextFile

    with reading_from(path):
        yield from TextFile.of(DataFile(path), "latin-1").raw_pieces()
