"""What can be wrong with a CSV file, and on which line.

A quick survey of the bytes comes before reading; the slow search for the place is made only if there is a
fault. The content of a row is never shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

import numpy as np

from paretonym.errors import Field, InputError
from paretonym.source.csv_dialect import QuoteError, Record, records, row_pattern
from paretonym.source.text_stream import TextFile, line_at

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
