"""How a CSV file is written: fields, separator and header; and what can be wrong with it, by line.

One grammar serves for finding out the separator and for finding the place of a fault: fields are quoted as
a whole, with doubled quotes inside, or not at all; a quote within an unquoted field is an ordinary character.
A quick survey of the bytes comes before reading; the slow search for the place is made only if there is a
fault. Every column is text, exactly as written; the content of a row is never shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from paretonym.arrow import arrow_csv
from paretonym.errors import Field, InputError
from paretonym.source.column_names import header_problems
from paretonym.source.data_file import unpacked_name
from paretonym.source.text_stream import TextFile, line_at

# Enough lines to find out the separator; a later one that differs is found when the file is read.
LINES_TRIED = 1000
SEPARATORS = (b",", b";", b"\t", b"|")
QUOTED = rb'"[^"]*+(?:""[^"]*+)*+"'
LINE_END = rb"(?:\r\n|\n|\r|\Z)"


class QuoteError(ValueError):
    """A quote that does not open or close a whole field, and its place."""

    def __init__(self, position: int, wrong: str, unclosed: bool = False) -> None:
        super().__init__(wrong)
        self.position = position
        self.wrong = wrong
        self.unclosed = unclosed


class Record(NamedTuple):
    """One line of fields (more than one line of text if a quoted field holds line ends)."""

    start: int
    end: int
    following: int
    fields: list[bytes]

    @property
    def blank(self) -> bool:
        return self.start == self.end


def records(content: bytes, separator: bytes, start: int = 0) -> Iterator[Record]:
    """All records, blank ones too; a `QuoteError` at the first one that breaks the grammar."""
    while start < len(content):
        record = _record_at(content, start, separator)
        yield record
        start = record.following


def unquoted(field: bytes) -> bytes:
    return field[1:-1].replace(b'""', b'"') if field.startswith(b'"') else field


@cache
def row_pattern(separator: bytes, width: int) -> re.Pattern[bytes]:
    field, between = _field(separator), re.escape(separator)
    rest = rb"(?:%b%b){%d}" % (between, field, width - 1)
    return re.compile(rb"(?:\r\n|\n|\r)++|%b%b%b" % (field, rest, LINE_END))


@cache
def _step(separator: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"(%b)(?:(%b)|%b)" % (_field(separator), re.escape(separator), LINE_END))


def _field(separator: bytes) -> bytes:
    inner = re.escape(separator)
    return rb'(?:%b|(?! +")[^"%b\r\n][^%b\r\n]*+|)' % (QUOTED, inner, inner)


def _record_at(content: bytes, start: int, separator: bytes) -> Record:
    step, fields, position = _step(separator), [], start
    while True:
        match = step.match(content, position)
        if match is None:
            raise _quote_fault(content, position)
        fields.append(match[1])
        position = match.end()
        if match[2] is None:
            return Record(start, match.end(1), position, fields)


def _quote_fault(content: bytes, position: int) -> QuoteError:
    if content[position : position + 1] == b" ":
        return QuoteError(position, "there is a space before a quote")
    closed = re.compile(QUOTED).match(content, position)
    if closed is None:
        return QuoteError(position, "a quote is opened and never closed", unclosed=True)
    return QuoteError(closed.end(), "something follows a closing quote")


def find_separator(sample: bytes, whole: bool, favoured: bytes | None = None) -> bytes | None:
    """The separator by which every record of the sample has the same number of fields; if more than one does,
    the favoured one or None.

    If none does, the one that the header suggests (the reader then finds the line that differs); a file
    without any has one column. `whole`: the sample is the whole file.
    """
    widths = {separator: _widths(sample, separator, whole) for separator in SEPARATORS}
    steady = [mark for mark, found in widths.items() if len(set(found)) == 1 and found[0] > 1]
    if steady:
        return steady[0] if len(steady) == 1 else favoured if favoured in steady else None
    in_header = max(SEPARATORS, key=lambda mark: widths[mark][0] if widths[mark] else 0)
    if widths[in_header][:1] > [1]:
        return in_header
    # A title above the header: every line but the first is divided.
    below = (mark for mark in SEPARATORS if len(set(widths[mark][1:])) == 1 and widths[mark][1] > 1)
    return next(below, b",")


def _widths(sample: bytes, separator: bytes, whole: bool) -> list[int]:
    """The number of fields of every record; a 0 at the end means a record that breaks the grammar."""
    text = sample if whole else sample[: max(sample.rfind(b"\n"), sample.rfind(b"\r")) + 1]
    widths = []
    try:
        for record in islice(records(text, separator), LINES_TRIED):
            if not record.blank:
                widths.append(len(record.fields))  # noqa: PERF401 - what came before the fault counts
    except QuoteError as fault:
        if whole or not fault.unclosed:
            widths.append(0)
    return widths


QUOTE = ord('"')
# A record that is longer is one with a quote that is never closed.
LONGEST_RECORD = 1 << 28


class Survey(NamedTuple):
    """What the bytes show before anything is parsed; `regular`: every quote opens or closes a whole field."""

    quotes: bool
    regular: bool
    zero: bool
    blank_at_end: int


def survey(pieces: Iterable[bytes], separator: bytes) -> Survey:
    quotes = zero = False
    regular, count, tail, last = True, 0, b"", b"\n"
    for piece in pieces:
        zero = zero or b"\0" in piece
        quotes = quotes or QUOTE in piece
        if quotes and regular:
            regular, count = _regular(last + piece, count, separator)
        last = (last + piece)[-2:]
        kept = piece.rstrip(b"\r\n")
        tail = piece[len(kept) :] if kept else tail + piece
    if quotes and regular:
        regular, count = _regular(last + b"\n", count, separator)
    ends = len(re.findall(rb"\r\n|\n|\r", tail))
    return Survey(quotes, regular and count % 2 == 0, zero, max(0, ends - 1))


def _regular(window: bytes, before: int, separator: bytes) -> tuple[bool, int]:
    """Whether quotes open after a separator or line end and close before one, and how many there were.

    The first and the last byte are neighbours only. A doubled quote counts as closed and opened again.
    """
    text = np.frombuffer(window, dtype=np.uint8)
    places = np.flatnonzero(text[1:-1] == QUOTE) + 1
    skipped = before % 2
    edges = np.frombuffer(separator + b'"\r\n', dtype=np.uint8)
    opened, closed = places[skipped::2], places[1 - skipped :: 2]
    regular = np.isin(text[opened - 1], edges).all() and np.isin(text[closed + 1], edges).all()
    return bool(regular), before + len(places)


def check_zero(text: TextFile, found: Survey) -> None:
    """Refuses a file with a NUL byte."""
    line = text.first_line
    for piece in text.pieces() if found.zero else ():
        place = piece.find(b"\0")
        if place >= 0:
            raise InputError.of(
                f"{text.path}, line {line + line_at(piece, place) - 1}",
                "there is a NUL byte, so this is not text, or it is UTF-16 without a byte order mark",
                f"give a CSV or Parquet file, or name the encoding ({Field('encoding', 'utf-16-le')})",
            )
        line += line_at(piece, len(piece)) - 1


def check_rows(text: TextFile, separator: bytes, width: int) -> None:
    """Refuses the file by its first line that cannot be decoded, breaks the quoting or has another width.
    Little more than a record is held at a time."""
    text.check_decoded()
    line, held = text.first_line, b""
    for piece in chain(text.pieces(), [b""]):
        held += piece
        last = not piece or len(held) > LONGEST_RECORD
        done = _fitting(held, separator, width, last)
        line, held = line + line_at(held, done) - 1, held[done:]
        fault = _first_fault(text, held, line, separator, width, last)
        if fault is not None:
            raise fault


def check_header(text: TextFile, separator: bytes) -> None:
    """Refuses the file if its first line cannot be decoded or breaks the quoting."""
    text.check_decoded()
    held = b""
    for piece in chain(text.pieces(), [b""]):
        held += piece
        last = not piece or len(held) > LONGEST_RECORD
        found = _first_record(held, separator, last)
        if isinstance(found, QuoteError):
            raise _quoting(text, text.first_line + line_at(held, found.position) - 1, found)
        if found is not None or last:
            return


def _fitting(held: bytes, separator: bytes, width: int, last: bool) -> int:
    """Where the records end that have `width` fields each; unless it is the `last`, a record that ends with
    what is held may go on."""
    row, position = row_pattern(separator, width), 0
    while position < len(held):
        match = row.match(held, position)
        if match is None or (match.end() == len(held) and not last):
            return position
        position = match.end()
    return position


def _first_record(held: bytes, separator: bytes, last: bool) -> Record | QuoteError | None:
    """The first record that is not blank, or what is wrong with it; None while more of it may follow."""
    try:
        found = next((record for record in records(held, separator) if not record.blank), None)
    except QuoteError as fault:
        open_ended = fault.unclosed or fault.position >= len(held) - 1
        return None if open_ended and not last else fault
    if found is None or (found.following == len(held) and not last):
        return None
    return found


def _first_fault(
    text: TextFile, held: bytes, line: int, separator: bytes, width: int, last: bool
) -> InputError | None:
    found = _first_record(held, separator, last)
    if isinstance(found, QuoteError):
        return _quoting(text, line + line_at(held, found.position) - 1, found)
    if found is None or len(found.fields) == width:
        return None
    return InputError.of(
        f"{text.path}, line {line + line_at(held, found.start) - 1}",
        f"the header has {_fields(width)}, this line has {_fields(len(found.fields))}",
        "give every line as many fields as the header, and quote values that contain the separator",
    )


def _quoting(text: TextFile, line: int, fault: QuoteError) -> InputError:
    remedy = 'quote the whole field, and double a quote inside it ("")'
    return InputError.of(f"{text.path}, line {line}", fault.wrong, remedy)


def _fields(number: int) -> str:
    return "1 field" if number == 1 else f"{number:,} fields"


# Lines of a schema.
DESCRIBED = re.compile(rb"^\[columns\.[^\r\n]+\]\s*$", re.MULTILINE)
ROLE = re.compile(rb"^role\s*=", re.MULTILINE)


class Header(NamedTuple):
    """The columns' names and where the header's line ends."""

    names: tuple[str, ...]
    end: int


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
