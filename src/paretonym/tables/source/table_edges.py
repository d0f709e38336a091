"""Where a table begins and ends in its file: titles above the header, sums and notes below the rows.

Only what is hardly ever a row of people is taken for a title or a sum; and whoever leaves it out says so.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice, takewhile
from typing import NamedTuple, TypeAlias

from paretonym.tables.source.column_names import with_row

# So many rows are examined at the beginning, and lines at the end.
FIRST_ROWS, LAST_ROWS = 1000, 5
MOST_TITLES = 20
# How rows begin that summarize the others, or say something about them.
SUMMARY = re.compile(
    r"\W*(summe|gesamt|insgesamt|total|sum|somme|totale|anzahl|count|durchschnitt|mittelwert|average|mean"
    r"|moyenne|quelle|source|stand|hinweis|anmerkung|note|erstellt|©)\b",
    re.IGNORECASE,
)
NUMBER = re.compile(r"[-+]?[0-9][0-9.,:/ -]*")
Row: TypeAlias = tuple[int, Sequence[str]]


class Edges(NamedTuple):
    """The row of the header if titles lie above it, and how many rows below the table are none of it."""

    header_row: int | None = None
    footer_rows: int | None = None

    @classmethod
    def of(cls, first: Sequence[Row], last: Sequence[Sequence[str]]) -> Edges:
        """The edges of a table by its first rows, with their numbers, and its last ones."""
        widths = Counter(len(cells) for _number, cells in first)
        width = max(widths, key=lambda one: (widths[one], one), default=0)
        if width < 2 or not widths[width] > 1:
            return cls()
        titles = list(takewhile(lambda row: _is_title(row[1], width), first))
        header = first[len(titles)] if len(titles) < len(first) else None
        titled = 0 < len(titles) <= MOST_TITLES and header is not None and _is_header(header[1], width)
        below = len(list(takewhile(lambda cells: _is_below(cells, width), reversed(last))))
        return cls(header[0] if titled and header else None, below if 0 < below < len(last) else None)


def edges_of_lines(lines: Sequence[str], tail: Sequence[str], marks: Sequence[str]) -> Edges:
    """The edges of a table in the lines of a text, with the separator that divides most of them alike."""
    readings = [_records(lines, mark) for mark in marks]
    if not any(readings):
        return Edges()
    best = max(range(len(readings)), key=lambda place: _steadiness(readings[place]))
    mark = marks[best]
    # Only behind the last record of several lines is a line a record.
    broken = [place for place, line in enumerate(tail) if line.count('"') % 2]
    last = csv.reader(tail[broken[-1] + 1 :] if broken else tail, delimiter=mark)
    return Edges.of(readings[best], list(filter(None, last)))


def _records(lines: Sequence[str], mark: str) -> list[Row]:
    """The records that are not blank, each with its first line."""
    reader = csv.reader(lines, delimiter=mark)
    rows, line = list[Row](), 1
    try:
        for fields in islice(reader, FIRST_ROWS):
            rows += [(line, fields)] if any(map(str.strip, fields)) else []
            line = reader.line_num + 1
    except csv.Error:
        return []
    return rows


def _steadiness(rows: Sequence[Row]) -> tuple[float, int]:
    """The share of the rows that have the most frequent number of fields, and that number."""
    widths = Counter(len(cells) for _number, cells in rows if len(cells) > 1)
    width, number = max(widths.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
    return number / max(1, len(rows)), width


def _filled(cells: Sequence[str]) -> list[str]:
    return [cell for cell in cells if cell.strip()]


def _is_title(cells: Sequence[str], width: int) -> bool:
    """True if a row has fewer cells than the table, or text in the first and at most half of its cells."""
    filled = _filled(cells)
    return len(cells) < width or not filled or (bool(cells[0].strip()) and len(filled) <= width // 2)


def _is_header(cells: Sequence[str], width: int) -> bool:
    """True if a row has a different name for every column, none of which is a number or a date."""
    names = with_row([cell.strip() for cell in cells])
    return len(set(names)) == len(names) == width and not any(
        not name or NUMBER.fullmatch(name) for name in names
    )


def _is_below(cells: Sequence[str], width: int) -> bool:
    """True if a row is a sum or a note below the table: it is blank, begins as sums and notes do and lacks
    some cells, or is one cell of text. A row with fewer cells may be a person whose record was cut off."""
    filled = _filled(cells)
    if not filled:
        return True
    lacking = len(cells) <= width and len(filled) < width
    text = cells[0].strip()
    alone = len(filled) == 1 and bool(text) and NUMBER.fullmatch(text) is None
    note = alone and (len(cells) < width or (width > 2 and " " in text))
    return lacking and (note or SUMMARY.match(filled[0]) is not None)
