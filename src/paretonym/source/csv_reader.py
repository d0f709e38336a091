"""CSV files: every column is text, exactly as written; faults are reported by line, never by content."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from paretonym.arrow import arrow_csv, pa, pc
from paretonym.errors import Field, InputError
from paretonym.source.column_names import header_problems
from paretonym.source.csv_dialect import QuoteError, Record, find_separator, records, unquoted
from paretonym.source.csv_faults import Survey, check_header, check_rows, check_zero, survey
from paretonym.source.data_file import unpacked_name
from paretonym.source.dictionary_encoding import Coded, as_read, make_column, text_column
from paretonym.source.table import Column, Table
from paretonym.source.text_stream import TextFile

# Large enough that joining the blocks' dictionaries costs little, small enough for a few in memory.
BLOCK = 1 << 23
LARGEST_BLOCK = 1 << 30
NO_ROW = ("there is a header but there are no rows", "give a file with rows")


# Lines of a schema.
DESCRIBED = re.compile(rb"^\[columns\.[^\r\n]+\]\s*$", re.MULTILINE)
ROLE = re.compile(rb"^role\s*=", re.MULTILINE)


class Header(NamedTuple):
    """The columns' names and where the header's line ends."""

    names: tuple[str, ...]
    end: int


def read_csv(text: TextFile, separator: str | None) -> Table:
    """The table in a text file; see the reference page on data for what is accepted."""
    with ThreadPoolExecutor(1) as beside:
        fingerprint = beside.submit(text.file.fingerprint)
        columns = _read_columns(text, separator)
    text.file.check_unchanged(fingerprint.result())
    rows = len(columns[0].codes)
    return Table(text.path.name, rows, columns, fingerprint.result(), "file", str(text.path))


class Layout(NamedTuple):
    """How a file is written: its header, its separator, and what a survey of its bytes has found. `blanks`
    says whether a blank follows every separator in the first lines."""

    header: Header
    separator: bytes
    found: Survey
    empty: bool
    blanks: bool

    @property
    def names(self) -> tuple[str, ...]:
        return self.header.names


def layout_of(text: TextFile, separator: str | None) -> Layout:
    """How a file is written; whatever a look at its bytes shows to be wrong is refused."""
    sample, whole = text.sample()
    _check_start(text, sample)
    mark = _separator(text, sample, whole, separator)
    found = survey(text.pieces(), mark)
    check_zero(text, found)
    header = _header(text, sample, whole, mark)
    if not found.regular:
        check_rows(text, mark, len(header.names))
    return Layout(header, mark, found, whole and header.end == len(sample), _seem_blank(sample, header, mark))


def _seem_blank(sample: bytes, header: Header, separator: bytes) -> bool:
    """Whether the first row has a blank, or nothing, behind every separator."""
    try:
        first = next(record for record in records(sample, separator, header.end) if not record.blank)
    except (StopIteration, QuoteError):
        return True
    cells = map(unquoted, first.fields[1:])
    return all(cell.startswith(b" ") or not cell for cell in cells)


def _read_columns(text: TextFile, separator: str | None) -> tuple[Column, ...]:
    layout = layout_of(text, separator)
    arrays = [] if layout.empty else _read(text, layout)
    if not arrays or not len(arrays[0]):
        raise InputError.of(str(text.path), *NO_ROW)
    return tuple(_columns(layout.names, arrays))


def unreadable(text: TextFile) -> InputError:
    wrong = "the file cannot be read as CSV"
    return InputError.of(str(text.path), wrong, "write it again with a header line and rows")


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


def separator_of(text: TextFile, given: str | None = None) -> str:
    """The separator of a text, as given or as its first lines show."""
    return _separator(text, *text.sample(), given).decode()


def _separator(text: TextFile, sample: bytes, whole: bool, given: str | None) -> bytes:
    said = text.separator if given is None else given
    if said is not None:
        return _given_separator(said)
    tabs = unpacked_name(text.path).endswith((".tsv", ".tab"))
    found = find_separator(sample, whole, b"\t" if tabs else None)
    if found is None:
        wrong = "more than one separator splits every line into the same number of fields"
        remedy = (
            f"quote the values that contain the other one, or name the separator ({Field('separator', ';')})"
        )
        raise InputError.of(str(text.path), wrong, remedy)
    return found


def _given_separator(given: str) -> bytes:
    if len(given) != 1 or not given.isascii() or given in '"\r\n\0':
        wrong = f"{given!r} cannot be a separator"
        raise InputError.of("separator", wrong, "give one character, such as ',', ';', '|' or a tab")
    return given.encode()


def _header(text: TextFile, sample: bytes, whole: bool, separator: bytes) -> Header:
    first = _first_line(text, sample, whole, separator)
    names = _without_blanks(tuple(unquoted(field).decode() for field in first.fields))
    if problems := header_problems(f"{text.path}, header", names):
        raise InputError(problems)
    return Header(names, first.end)


def _first_line(text: TextFile, sample: bytes, whole: bool, separator: bytes) -> Record:
    """The first line that is not blank."""
    if first := _decodable_record(sample, separator):
        if whole or first.following < len(sample):
            return first
    else:
        check_header(text, separator)
    wrong = "the header line does not end within the first megabyte"
    raise InputError.of(str(text.path), wrong, "give a CSV or Parquet file with a header line")


def _decodable_record(sample: bytes, separator: bytes) -> Record | None:
    try:
        first = next(record for record in records(sample, separator) if not record.blank)
        b"".join(first.fields).decode()
    except (QuoteError, UnicodeDecodeError):
        return None
    return first


def _without_blanks(names: tuple[str, ...]) -> tuple[str, ...]:
    rest = names[1:]
    if all(name.startswith(" ") for name in rest):
        return names[:1] + tuple(name[1:] for name in rest)
    return names


def _read(text: TextFile, layout: Layout) -> list[Any]:
    """One chunked array a column."""
    table = _table(text, layout, BLOCK)
    if table is None:
        check_rows(text, layout.separator, len(layout.names))
        # No fault: a record is longer than a block.
        table = _table(text, layout, LARGEST_BLOCK)
    if table is None:
        raise unreadable(text)
    columns = [table.column(index) for index in range(table.num_columns)]
    return [_rows_of_one(columns[0], layout.found)] if len(columns) == 1 else columns


def _table(text: TextFile, layout: Layout, block: int) -> Any:
    """None if there is a fault: Arrow's messages hold rows, so none of them may get out."""
    try:
        with text.reading(), text.open() as stream:
            stream.read(layout.header.end)
            repeated = pa.dictionary(pa.int32(), pa.string())
            return arrow_csv.read_csv(stream, *arrow_options(layout, block, repeated))
    except MemoryError:
        raise
    except pa.ArrowException:
        return None


def arrow_options(
    layout: Layout, block: int, kind: Any, places: Sequence[int] | None = None
) -> tuple[Any, Any, Any]:
    """What Arrow must know to read the rows behind the header: columns are called by their places, and those
    of some places may be enough. Whatever is empty is null."""
    # The stream starts at the header's line end, so that a mark in the first row is not taken for the file's.
    names = [str(index) for index in range(len(layout.names))]
    return (
        arrow_csv.ReadOptions(column_names=names, block_size=block),
        arrow_csv.ParseOptions(
            delimiter=layout.separator.decode(),
            newlines_in_values=layout.found.quotes,
            ignore_empty_lines=len(names) > 1,
        ),
        arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, kind),
            include_columns=[] if places is None else [str(place) for place in places],
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        ),
    )


def _rows_of_one(column: Any, found: Survey) -> Any:
    """Of one column, a blank line is a missing value, save the header's line end and those at the end."""
    return column.slice(1, max(0, len(column) - 1 - found.blank_at_end))


def _columns(names: tuple[str, ...], arrays: list[Any]) -> Iterator[Column]:
    pairs = []
    while arrays:
        pairs.append(as_read(arrays.pop(0)))
        pa.default_memory_pool().release_unused()
    if not _blank_belongs_to_separator(pairs[1:]):
        yield from (text_column(name, pair) for name, pair in zip(names, pairs, strict=True))
        return
    yield text_column(names[0], pairs[0])
    for name, pair in zip(names[1:], pairs[1:], strict=True):
        yield make_column(name, Coded(pc.utf8_slice_codeunits(pair.values, 1), pair.codes), name)


def _blank_belongs_to_separator(pairs: list[Coded]) -> bool:
    """Whether every value but the first of each row starts with a blank ("39, Private, 77516")."""
    filled = [pair.values for pair in pairs if len(pair.values)]
    return bool(filled) and all(pc.all(pc.starts_with(values, " ")).as_py() for values in filled)
