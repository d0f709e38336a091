"""How a CSV file is written: its fields, its separator and its header.

One grammar serves for finding out the separator and for finding the place of a fault: fields are quoted as
a whole, with doubled quotes inside, or not at all; a quote within an unquoted field is an ordinary character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

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
