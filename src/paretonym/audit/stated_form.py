"""The form of a CSV file as a manifest states it (separator, encoding, decimal mark), and cells that were
made harmless for spreadsheets.

A release in CSV has an apostrophe before cells that a spreadsheet would run as a formula. Removing it
restores every value, since a text that already looked like that got one more. Measures use the cells
unchanged.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from paretonym.errors import InputError
from paretonym.sql_literals import sql_text

SEPARATORS = (",", ";", "\t", "|")
ENCODINGS = ("utf-8", "utf-8-sig", "cp1252")
DECIMALS = (".", ",")
BLOCK = 1 << 22
# A number with a decimal mark.
_NUMBER = "^[+-]?(?:[0-9]+[{mark}][0-9]*|[{mark}][0-9]+)(?:[eE][+-]?[0-9]+)?%?$"
_BLANKS = "\\s\u00a0\ufeff\u3000"
_STARTS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
ESCAPED = f"^'(?:['{_BLANKS}]*[{_STARTS}]|'*[\\t\\r\\n])"
# Numbers are not escaped, signs or not.
NUMBER = "^'[+-]?(?:[0-9][0-9.,]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?%?$"


def unescaped(text: str) -> str:
    """A name or cell of a CSV file without the added apostrophe.

    >>> unescaped("'=1"), unescaped("''=1"), unescaped("'-5"), unescaped("'tis"), unescaped("-5")
    ('=1', "'=1", "'-5", "'tis", '-5')
    """
    return text[1:] if re.search(ESCAPED, text) and not re.search(NUMBER, text) else text


def unescaped_cell(column: str) -> str:
    """The cells of a column without the added apostrophe, as SQL."""
    escaped, number = (f"regexp_matches({column}, {sql_text(form)})" for form in (ESCAPED, NUMBER))
    return f"if({escaped} and not {number}, substr({column}, 2), {column})"


@dataclass(frozen=True, slots=True)
class CsvForm:
    """How a CSV file is written; without a separator, the one that divides its header."""

    separator: str | None = None
    encoding: str = "utf-8"
    decimal: str = "."

    @property
    def reader(self) -> str:
        """The encoding for reading: a mark before the header is no part of a name."""
        return "utf-8-sig" if self.encoding.startswith("utf-8") else self.encoding

    def encoded(self, content: bytes) -> bytes:
        """Bytes of UTF-8 in the encoding of the file; what it does not have cannot be in it."""
        return content if self.encoding != "cp1252" else content.decode().encode("cp1252", "replace")

    def readable(self, part: Path, folder: str) -> Path:
        """The file, or a private copy of it in UTF-8, which is what DuckDB reads."""
        if self.encoding != "cp1252":
            return part
        with tempfile.NamedTemporaryFile("wb", dir=folder, suffix=".csv", delete=False) as copy:
            try:
                with part.open(encoding="cp1252", newline="") as content:
                    while block := content.read(BLOCK):
                        copy.write(block.encode())
            except UnicodeDecodeError:
                wrong = "it contains bytes that are not cp1252, the encoding that its manifest states"
                raise InputError.of(str(part), wrong, "get the file again from the publisher") from None
        return Path(copy.name)

    def with_points(self, column: str) -> str:
        """The cells of a column, as SQL, with decimal points in numbers."""
        return column if self.decimal == "." else _with_mark(column, ",", ".")

    def as_written(self, column: str) -> str:
        """The cells of a column, as SQL, with the decimal mark of the file in numbers."""
        return column if self.decimal == "." else _with_mark(column, ".", ",")


def _with_mark(column: str, mark: str, other: str) -> str:
    is_number = f"regexp_matches({column}, '{_NUMBER.replace('{mark}', mark)}')"
    return f"if({is_number}, replace({column}, '{mark}', '{other}'), {column})"


# Nothing says how a file is written: the separator is found out.
UNSTATED = CsvForm()
