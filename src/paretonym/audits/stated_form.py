"""The form of a CSV file as a manifest states it: separator, encoding and decimal mark."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from paretonym.errors import InputError

SEPARATORS = (",", ";", "\t", "|")
ENCODINGS = ("utf-8", "utf-8-sig", "cp1252")
DECIMALS = (".", ",")
# Numbers with a point, and the same with a comma.
_NUMBER = "^[+-]?(?:[0-9]+{mark}[0-9]*|{mark}[0-9]+)(?:[eE][+-]?[0-9]+)?%?$"
WITH_POINT, WITH_COMMA = _NUMBER.replace("{mark}", "[.]"), _NUMBER.replace("{mark}", ",")
BLOCK = 1 << 22


@dataclass(frozen=True, slots=True)
class StatedForm:
    """How a CSV file is written; without a separator, the one that divides its header."""

    separator: str | None = None
    encoding: str = "utf-8"
    decimal: str = "."

    @classmethod
    def of(cls, entry: Mapping[str, str] | None) -> StatedForm:
        return cls() if entry is None else cls(entry["separator"], entry["encoding"], entry["decimal"])

    @property
    def written_separator(self) -> str:
        return self.separator or ","

    @property
    def mark(self) -> bytes:
        """What stands before the header."""
        return b"\xef\xbb\xbf" if self.encoding == "utf-8-sig" else b""

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
        if self.decimal == ".":
            return column
        return f"if(regexp_matches({column}, '{WITH_COMMA}'), replace({column}, ',', '.'), {column})"

    def as_written(self, column: str) -> str:
        """The cells of a column, as SQL, with the decimal mark of the file in numbers."""
        if self.decimal == ".":
            return column
        return f"if(regexp_matches({column}, '{WITH_POINT}'), replace({column}, '.', ','), {column})"


# Nothing says how a file is written: the separator is found out.
UNSTATED = StatedForm()
