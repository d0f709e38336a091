"""Layout of a CSV file: its separator and its header; and what can be wrong with it, by line.

Arrow reads the rows and is lenient about quotes. So a quick survey of the bytes comes first, and where that
shows something odd, or Arrow fails, Python's reader looks for the place of the fault. Blank lines are
ignored, every column is text, exactly as written, and the content of a row is never shown.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from paretonym.base.errors import Field, InputError
from paretonym.tables.arrow import arrow_csv, pa
from paretonym.tables.source.column_names import name_problems, with_row
from paretonym.tables.source.data_file import unpacked_name
from paretonym.tables.source.data_source import TableForm
from paretonym.tables.source.file_set import FileSet, check_same_columns
from paretonym.tables.source.text_stream import TextFile, line_at

# Enough lines to find out the separator; a later one that differs is found when the file is read.
LINES_TRIED = 1000
SEPARATORS = (",", ";", "\t", "|")
BLOCK = 1 << 23
# One that is longer has a quote that is never closed.
LONGEST_FIELD = 1 << 28
QUOTING = 'quote the whole field, and double a quote inside it ("")'
# Lines of a schema.
DESCRIBED = re.compile(rb"^\[columns\.[^\r\n]+\]\s*$", re.MULTILINE)
ROLE = re.compile(rb"^role\s*=", re.MULTILINE)


@contextmanager
def long_fields() -> Iterator[None]:
    """Let Python's reader of CSV read fields of any length."""
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(before)


class Layout(NamedTuple):
    """Layout of a file: the names of its columns, the separator, how many `lines` stand above the rows,
    and whether there are quotes."""

    names: tuple[str, ...]
    separator: str
    lines: int
    quotes: bool

    @classmethod
    @long_fields()
    def of(cls, text: TextFile, separator: str | None) -> Layout:
        """The layout of a text; whatever a look at its bytes shows to be wrong is refused."""
        sample, whole = text.sample()
        _check_start(text, sample)
        mark = separator_of(text, separator)
        quotes, regular = _survey(text, mark.encode())
        lines = _lines(sample, whole)
        names, above = _header(text, lines, mark, whole)
        if not regular:
            check_rows(text, mark, len(names))
        return cls(names, mark, above, quotes)


def separator_of(text: TextFile, given: str | None = None) -> str:
    """The separator of a text, as given or as its first lines show."""
    if given is not None:
        if len(given) != 1 or not given.isascii() or given in '"\r\n\0':
            wrong = f"{given!r} cannot be a separator"
            raise InputError.of("separator", wrong, "give one character, such as ',', ';', '|' or a tab")
        return given
    sample, whole = text.sample()
    tabs = unpacked_name(text.path).endswith((".tsv", ".tab"))
    mark = find_separator(_lines(sample, whole), whole, "\t" if tabs else None)
    if mark is None:
        wrong = "more than one separator splits every line into the same number of fields"
        remedy = (
            f"quote the values that contain the other one, or name the separator ({Field('separator', ';')})"
        )
        raise InputError.of(str(text.path), wrong, remedy)
    return mark


def find_separator(lines: Sequence[str], whole: bool, favoured: str | None = None) -> str | None:
    """The separator by which every record has the same number of fields; if more than one does, the favoured
    one or None.

    If none does, the one that the header suggests (the reader then finds the line that differs); a file
    without any has one column. `whole`: these are all lines of the file.
    """
    widths = {separator: _widths(lines, separator, whole) for separator in SEPARATORS}
    steady = [mark for mark, counts in widths.items() if len(set(counts)) == 1 and counts[0] > 1]
    if steady:
        return steady[0] if len(steady) == 1 else favoured if favoured in steady else None
    in_header = max(SEPARATORS, key=lambda mark: widths[mark][0] if widths[mark] else 0)
    if widths[in_header][:1] > [1]:
        return in_header
    # A title above the header: every line but the first is divided.
    below = (mark for mark in SEPARATORS if len(set(widths[mark][1:])) == 1 and widths[mark][1] > 1)
    return next(below, ",")


@long_fields()
def check_rows(text: TextFile, separator: str, width: int) -> None:
    """Refuse the file by its first line that cannot be decoded, breaks the quoting or has another width."""
    text.check_decoded()
    for line, fields in _records(text, separator):
        if len(fields) != width:
            title = f"; if titles lie above the header, name its row ({Field('header_row', line)})"
            raise InputError.of(
                f"{text.path}, line {line}",
                f"the header has {_fields(width)}, this line has {_fields(len(fields))}",
                "give every line as many fields as the header, and quote values that contain the separator"
                f"{title if width == 1 else ''}",
            )


def arrow_batches(text: TextFile, layout: Layout, places: Sequence[int]) -> Iterator[Any]:
    """The columns at some places, as texts; whatever is empty is null."""
    # Columns are called by their places.
    names = [str(index) for index in range(len(layout.names))]
    options = (
        arrow_csv.ReadOptions(column_names=names, block_size=BLOCK, skip_rows=layout.lines),
        arrow_csv.ParseOptions(delimiter=layout.separator, newlines_in_values=layout.quotes),
        arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            include_columns=[str(place) for place in places],
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        ),
    )
    try:
        with text.open() as stream:
            yield from arrow_csv.open_csv(stream, *options)
    except pa.ArrowException as error:
        if "skip initial" in str(error):
            # There is nothing behind the header.
            return
        # Arrow's messages hold rows, so none of them may get out.
        check_rows(text, layout.separator, len(layout.names))
        wrong = "the file cannot be read as CSV"
        raise InputError.of(str(text.path), wrong, "write it again with a header line and rows") from None


def _records(text: TextFile, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The records that are not blank, each with its first line."""
    line, before = text.first_line, text.first_line - 1
    with text.open() as stream, io.TextIOWrapper(stream, "utf-8", newline="") as lines:
        reader = csv.reader(lines, delimiter=separator, strict=True)
        try:
            for fields in reader:
                if any(f.startswith(" ") and f.lstrip(" ").startswith('"') for f in fields):
                    raise _quoting(text, line, "there is a space before a quote")
                if fields:
                    yield line, fields
                line = before + reader.line_num + 1
        except csv.Error as error:
            if "expected after" in str(error):
                raise _quoting(text, before + reader.line_num, "something follows a closing quote") from None
            raise _quoting(text, line, "a quote is opened and never closed") from None


def _quoting(text: TextFile, line: int, wrong: str) -> InputError:
    return InputError.of(f"{text.path}, line {line}", wrong, QUOTING)


def _fields(number: int) -> str:
    return "1 field" if number == 1 else f"{number:,} fields"


def _lines(sample: bytes, whole: bool) -> list[str]:
    """The whole lines of a sample; what is not UTF-8 in them is for others to find."""
    lines = list(io.StringIO(sample.decode("utf-8", "replace"), newline=""))
    return lines if whole else lines[:-1]


def _widths(lines: Sequence[str], separator: str, whole: bool) -> list[int]:
    """The number of fields of every record; a 0 at the end means a record that breaks the grammar."""
    widths = []
    try:
        for fields in islice(csv.reader(lines, delimiter=separator, strict=True), LINES_TRIED):
            widths += [len(fields)] if fields else []
    except csv.Error as error:
        widths += [0] if whole or "expected after" in str(error) else []
    return widths


def _header(text: TextFile, lines: Sequence[str], separator: str, whole: bool) -> tuple[tuple[str, ...], int]:
    """The names in the first line that is not blank, and how many lines there are up to it."""
    reader = csv.reader(lines, delimiter=separator, strict=True)
    try:
        names = next(fields for fields in reader if fields)
    except StopIteration:
        wrong = "the header line does not end within the first megabyte"
        raise InputError.of(str(text.path), wrong, "give a CSV or Parquet file with a header line") from None
    except csv.Error:
        names = []
    if not names or any('"' in name or "\ufffd" in name for name in names):
        # What is wrong with it is found where rows are.
        text.check_decoded()
        next(_records(text, separator))
    if names[1:] and all(name.startswith(" ") for name in names[1:]):
        names = [names[0], *(name[1:] for name in names[1:])]
    names = with_row(names)
    if problems := name_problems(f"{text.path}, header", names):
        raise InputError(problems)
    return tuple(names), reader.line_num


def _survey(text: TextFile, separator: bytes) -> tuple[bool, bool]:
    """True if there are quotes, and True if each of them opens or closes a whole field. A NUL byte is
    refused."""
    quotes, regular, count, last, line = False, True, 0, b"\n", text.first_line
    for piece in text.pieces():
        if b"\0" in piece:
            raise InputError.of(
                f"{text.path}, line {line + line_at(piece, piece.find(bytes(1))) - 1}",
                "there is a NUL byte, so this is not text, or it is UTF-16 without a byte order mark",
                f"give a CSV or Parquet file, or name the encoding ({Field('encoding', 'utf-16-le')})",
            )
        quotes = quotes or b'"' in piece
        if quotes and regular:
            regular, count = _regular(last + piece, count, separator)
        last = (last + piece)[-2:]
        line += line_at(piece, len(piece)) - 1
    if quotes and regular:
        regular, count = _regular(last + b"\n", count, separator)
    return quotes, regular and count % 2 == 0


def _regular(window: bytes, before: int, separator: bytes) -> tuple[bool, int]:
    """True if quotes open after a separator or line end and close before one, and their number.

    The first and the last byte are neighbours only. A doubled quote counts as closed and opened again.
    """
    text = np.frombuffer(window, dtype=np.uint8)
    places = np.flatnonzero(text[1:-1] == ord('"')) + 1
    skipped = before % 2
    edges = np.frombuffer(separator + b'"\r\n', dtype=np.uint8)
    opened, closed = places[skipped::2], places[1 - skipped :: 2]
    regular = np.isin(text[opened - 1], edges).all() and np.isin(text[closed + 1], edges).all()
    return bool(regular), before + len(places)


def _check_start(text: TextFile, sample: bytes) -> None:
    if text.packing and sample.startswith(b"PAR1"):
        wrong = f"this is a Parquet file compressed with {text.packing}"
        raise InputError.of(str(text.path), wrong, "unpack it: Parquet is compressed by itself")
    if DESCRIBED.search(sample) and ROLE.search(sample):
        wrong = "this is a schema, not a table"
        raise InputError.of(str(text.path), wrong, "give the table as DATA and the schema as SCHEMA")
    if not sample.strip(b"\r\n"):
        wrong = "the file has only blank lines" if sample else "the file is empty"
        raise InputError.of(str(text.path), wrong, "give a file with a header line and rows")


class CsvRows:
    """Rows of CSV files, which have the same header."""

    def __init__(self, files: FileSet, form: TableForm) -> None:
        self._files = files
        self._texts = [TextFile.of(part.file, form) for part in files.parts]
        self._layouts = [Layout.of(text, form.separator) for text in self._texts]
        self._header = self._layouts[0].names
        for part, layout in zip(files.parts, self._layouts, strict=True):
            check_same_columns(files.parts[0].path, self._header, part.path, layout.names)
        files.check_partitions(self._header)

    @property
    def names(self) -> tuple[str, ...]:
        return (*self._header, *self._files.partitions)

    def batches(self, names: Sequence[str]) -> Iterator[list[Any]]:
        """Some columns, as texts, some rows at a time."""
        # Some column must be read, so that rows are counted.
        read = [name for name in names if name in self._header] or self._header[:1]
        places = [self._header.index(name) for name in read]
        for part, text, layout in zip(self._files.parts, self._texts, self._layouts, strict=True):
            for batch in arrow_batches(text, layout, places):
                yield part.cells(dict(zip(read, batch.columns, strict=True)), names)
