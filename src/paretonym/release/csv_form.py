"""The form of a CSV file: separator, encoding and decimal mark, as the programs of its readers expect them.

The values are those of the release, whatever the form: each is one way to write them, and reading it back
gives them again. That is why a text that already looks like a number with a decimal comma is refused where
numbers are written so, and a character that an encoding does not have is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from paretonym.base.errors import Field, InputError, Problem, renamed_fields
from paretonym.tables.arrow import pc

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
# UTF-8 with a mark at the beginning is what Excel recognizes.
ENCODINGS = ("utf-8", "utf-8-sig", "cp1252")
DECIMALS = (".", ",")
_DIGITS = r"^[+-]?([0-9]+\{mark}[0-9]*|\{mark}[0-9]+)([eE][+-]?[0-9]+)?%?$"
WITH_POINT, WITH_COMMA = _DIGITS.replace("{mark}", "."), _DIGITS.replace("{mark}", ",")


@dataclass(frozen=True, slots=True)
class CsvForm:
    """Form of a CSV file.

    >>> CsvForm.of("semicolon", "cp1252", ",").as_json()
    {'separator': ';', 'encoding': 'cp1252', 'decimal': ','}
    """

    separator: str = ","
    encoding: str = "utf-8"
    decimal: str = "."

    @classmethod
    def of(
        cls, separator: str | None = None, encoding: str | None = None, decimal: str | None = None
    ) -> CsvForm:
        """The form with these parts; the usual ones where none is given."""
        mark = "," if separator is None else SEPARATORS.get(separator, separator)
        mark = "\t" if mark == "\\t" else mark
        if mark not in SEPARATORS.values():
            wrong = f"'{mark}' cannot separate the cells of a release"
            raise InputError.of(Field("separator"), wrong, "use ',', ';', '|' or tab")
        named = "utf-8" if encoding is None else encoding.lower().replace("_", "-")
        named = {"utf8": "utf-8", "windows-1252": "cp1252"}.get(named, named)
        if named not in ENCODINGS:
            wrong = f"releases are not written in '{encoding}'"
            raise InputError.of(Field("encoding"), wrong, "use utf-8, utf-8-sig or cp1252")
        if decimal not in (None, *DECIMALS):
            raise InputError.of(Field("decimal"), f"'{decimal}' is not a decimal mark", "use '.' or ','")
        return cls(mark, named, decimal or ".")

    @property
    def is_usual(self) -> bool:
        return self == USUAL

    def as_json(self) -> dict[str, str]:
        """As the manifest holds it."""
        return asdict(self)

    @property
    def _given(self) -> Field:
        """The first option that differs from the usual form."""
        usual = asdict(USUAL)
        return next(Field(name) for name, part in self.as_json().items() if part != usual[name])

    def check_kind(self, path: Path) -> None:
        """Refuse a form for anything but a CSV file."""
        if self.is_usual or path.suffix.lower() == ".csv":
            return
        wrong = "this is for CSV files, and the release is not one"
        raise InputError.of(self._given, wrong, "leave it out, or use a name that ends with .csv")

    def check(self, columns: Sequence[tuple[str, Any]]) -> None:
        """Refuse columns, given by name and texts, that cannot be written in this form. No value is shown."""
        problems = [problem for name, texts in columns for problem in self._problems(name, texts)]
        if problems:
            raise InputError(problems)

    def _problems(self, name: str, texts: Any) -> list[Problem]:
        problems = []
        if self.encoding == "cp1252" and not _has_all(name, texts):
            problems.append(
                Problem(
                    f"column '{name}'",
                    "it contains characters that cp1252 does not have",
                    f"use {Field('encoding', 'utf-8-sig')}, which Excel reads too",
                )
            )
        if self.decimal == "," and pc.any(pc.match_substring_regex(texts, WITH_COMMA)).as_py():
            problems.append(
                Problem(
                    f"column '{name}'",
                    "it contains texts that look like numbers with a decimal comma, and would no longer "
                    "differ from numbers",
                    f'use {Field("decimal", ".")}, or describe them as numbers: decimal = "," in the schema',
                )
            )
        return problems

    def numbers(self, texts: Any) -> Any:
        """The texts of an Arrow array, numbers among them with the decimal mark of this form.

        >>> import pyarrow as pa
        >>> CsvForm(decimal=",").numbers(pa.array(["27.5", "7", "[18.5, 25)", "1.2.3"])).to_pylist()
        ['27,5', '7', '[18.5, 25)', '1.2.3']
        """
        if self.decimal == ".":
            return texts
        points = pc.match_substring_regex(texts, WITH_POINT)
        return pc.if_else(points, pc.replace_substring(texts, ".", ","), texts)

    def encoded(self, written: Any) -> Any:
        """Bytes of UTF-8 in the encoding of the file."""
        return written if self.encoding != "cp1252" else bytes(written).decode().encode("cp1252")

    @property
    def mark(self) -> bytes:
        """The bytes before the header."""
        return b"\xef\xbb\xbf" if self.encoding == "utf-8-sig" else b""


USUAL = CsvForm()


def of_output() -> AbstractContextManager[None]:
    """Where input and output have a form, the options of the output are called `out_separator` and so on."""
    return renamed_fields({name: f"out_{name}" for name in asdict(USUAL)})


def _has_all(name: str, texts: Any) -> bool:
    try:
        name.encode("cp1252")
        for text in texts.to_pylist():
            text.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True
