"""A text file as a stream of UTF-8, whatever its encoding and compression; and JSON lines in it, one object
per line. Every cell of these is text, as in a CSV file: numbers as they are written, true and false; null, an
empty text and a key that is not there are missing. Faults are reported by line, never by content."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from paretonym.arrow import pa
from paretonym.errors import Field, InputError, printable
from paretonym.source.data_file import DataFile, packing_of

PIECE = 1 << 22
SAMPLE = 1 << 20
# The longer mark first: UTF-32's starts with UTF-16's.
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


# Ways to write a text in source code, not in a file.
ESCAPES = ("unicode_escape", "raw_unicode_escape", "punycode", "idna", "undefined")


# The line by which a spreadsheet says how the next ones are divided.
SEPARATOR_LINE = re.compile(rb'"?sep=([^\r\n"])"?(?:\r\n|\n|\r)', re.IGNORECASE)
LONGEST_SEPARATOR_LINE = 16


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file, what it is packed with, and its encoding. A first line that only names the separator
    (`sep=;`) is not part of the text: `separator` is what it says, `skipped` how many bytes it has."""

    file: DataFile
    packing: str | None
    encoding: str
    separator: str | None = None
    skipped: int = 0

    @classmethod
    def of(cls, file: DataFile, encoding: str | None) -> TextFile:
        """With the encoding as given, else as the byte-order mark says, else UTF-8."""
        packing = packing_of(file.read(0, 4))
        if encoding is not None:
            _check_known(file.path, encoding)
            return cls(file, packing, codecs.lookup(encoding).name)._behind_separator_line()
        plain = cls(file, packing, "utf-8")
        with plain.reading(), plain._stream() as stream:
            first = stream.read(4)
        found = next((name for mark, name in MARKS if first.startswith(mark)), "utf-8")
        return cls(file, packing, found)._behind_separator_line()

    def _behind_separator_line(self) -> TextFile:
        try:
            with self.reading(), self.open() as stream:
                said = SEPARATOR_LINE.match(stream.read(LONGEST_SEPARATOR_LINE))
        except InputError:
            # Whoever reads the file reports that.
            return self
        if said is None or not said[1].isascii():
            return self
        return replace(self, separator=said[1].decode(), skipped=said.end())

    @property
    def first_line(self) -> int:
        """The number of the line with which the text begins."""
        return 2 if self.skipped else 1

    @property
    def path(self) -> Path:
        return self.file.path

    def open(self) -> Any:
        """An Arrow stream of UTF-8 bytes, behind the byte-order mark and the line that names the separator,
        if there are any."""
        stream = self._stream()
        if stream.read(3) != codecs.BOM_UTF8:
            stream.close()
            stream = self._stream()
        if self.skipped:
            stream.read(self.skipped)
        return stream

    def sample(self) -> tuple[bytes, bool]:
        """The start of the file, and whether that is all of it."""
        with self.reading(), self.open() as stream:
            start = stream.read(SAMPLE)
            return start, not stream.read(1)

    def raw_pieces(self) -> Iterator[bytes]:
        """The bytes of the file, unpacked but not decoded."""
        with self.reading(), pa.input_stream(self.file.stream(), compression=self.packing) as stream:
            while piece := stream.read(PIECE):
                yield piece

    def pieces(self) -> Iterator[bytes]:
        with self.reading(), self.open() as stream:
            while piece := stream.read(PIECE):
                yield piece

    def check_decoded(self) -> None:
        """Refuse the file by its first line that cannot be decoded."""
        decoder, line, ended = codecs.getincrementaldecoder(self.encoding)(), 1, b""
        with self.reading(), pa.input_stream(self.file.stream(), compression=self.packing) as stream:
            more = True
            while more:
                piece = stream.read(PIECE)
                more = bool(piece)
                try:
                    # A line end of two characters may lie on both sides of a border.
                    text = ended + decoder.decode(piece, final=not more).encode("utf-8", "surrogatepass")
                except UnicodeDecodeError as fault:
                    before = fault.object[: fault.start].decode(self.encoding, errors="replace").encode()
                    raise self._not_decoded(line + line_at(ended + before, len(ended + before)) - 1) from None
                except UnicodeError:
                    raise self._not_decoded(line) from None
                ended = text[-1:] if text.endswith(b"\r") else b""
                line += line_at(text, len(text) - len(ended)) - 1

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Report faults of the compression and the encoding as the user's."""
        try:
            yield
        except UnicodeError:
            self.check_decoded()
            raise self._not_decoded(1) from None
        except OSError as fault:
            if self.packing is None or isinstance(fault, PermissionError):
                raise
            wrong = f"the {self.packing} file is damaged or incomplete"
            raise InputError.of(str(self.path), wrong, "compress or download it again") from None

    def _stream(self) -> Any:
        stream = pa.input_stream(self.file.stream(), compression=self.packing)
        if self.encoding == "utf-8":
            return stream
        return pa.transcoding_input_stream(stream, self.encoding, "utf-8")

    def _not_decoded(self, line: int) -> InputError:
        return InputError.of(
            f"{self.path}, line {line}",
            f"some bytes are not valid {self.encoding.upper()}",
            f"convert the file to UTF-8, or name its encoding ({Field('encoding', 'cp1252')})",
        )


def line_at(content: bytes, position: int) -> int:
    """The number of the line, counted from 1, in which this position lies."""
    ends = content.count(b"\n", 0, position) + content.count(b"\r", 0, position)
    return 1 + ends - content.count(b"\r\n", 0, position)


def _check_known(path: Path, encoding: str) -> None:
    """Refuse a name that Python does not know, and what is no way of writing a file: punycode and the like
    stand for one word each, not for a text that is read piece by piece."""
    try:
        sample = "a,b\n"
        readable = codecs.lookup(encoding).incrementaldecoder is not None and "".join(
            character.encode(encoding).decode(encoding) for character in sample
        ) == sample.encode(encoding).decode(encoding)
    except (LookupError, ValueError):
        readable = False
    if not readable or encoding.lower().replace("-", "_") in ESCAPES:
        raise InputError.of(
            str(path),
            f"unknown encoding '{printable(encoding)}'",
            "use a name such as utf-8, cp1252 or latin-1",
        )


# A longer line is not a row of a table.
LONGEST_LINE = 1 << 27
ENDINGS = (".json", ".jsonl", ".ndjson")
BLANK = b" \t\r\n"
FIRST_OBJECT = re.compile(rb'\{\s*(?:"|\}|\Z)')
Record: TypeAlias = dict[str, str | None]


class Fault(Exception):
    """What is wrong with a line."""


class Twice(ValueError):
    """A key occurs twice in an object."""


def is_json_lines(text: TextFile) -> bool:
    """Whether a text begins with an object of JSON; any other JSON is refused."""
    sample, whole = text.sample()
    start = sample.lstrip(BLANK)
    if FIRST_OBJECT.match(start):
        if not _is_object(start.splitlines()[0], whole) and _is_document(start, whole):
            raise _one_document(text)
        return True
    if start.startswith(b"[") and (text.path.name.lower().endswith(ENDINGS) or _is_document(start, whole)):
        raise _one_document(text)
    return False


def _is_object(line: bytes, whole: bool) -> bool:
    return not whole or isinstance(_parsed(line), dict)


def _is_document(content: bytes, whole: bool) -> bool:
    """Whether this is JSON that spans lines, as far as the beginning of a long one shows that."""
    if whole:
        return isinstance(_parsed(content), dict | list)
    return bool(re.match(rb'[\[{]\s*(?:\{\s*)?"[^"\n]*"\s*:', content)) or content.startswith(b"[")


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _one_document(text: TextFile) -> InputError:
    return InputError.of(
        str(text.path),
        "this is one JSON document, and rows are read from JSON lines: one object per line",
        "write it as JSON lines (jq -c '.[]' FILE), as CSV or as Parquet",
    )


class Objects(NamedTuple):
    """The objects of some lines: the cells of each."""

    records: list[Record]

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(name for record in self.records for name in record))


def blocks(text: TextFile, size: int = 1 << 15) -> Iterator[Objects]:
    """The rows of a file, some at a time."""
    held: list[Record] = []
    for number, line in _lines(text):
        try:
            held.append(_record(line))
        except Fault as fault:
            remedy = "write one object per line, with texts, numbers, true, false or null as its values"
            raise InputError.of(f"{text.path}, line {number}", str(fault), remedy) from None
        if len(held) == size:
            yield Objects(held)
            held = []
    if held:
        yield Objects(held)


def names_in(text: TextFile) -> tuple[str, ...]:
    """All keys of a file, in the order of their first appearance."""
    names: dict[str, None] = {}
    for block in blocks(text):
        names.update(dict.fromkeys(block.names))
    return tuple(names)


def cells_of(block: Objects, names: Sequence[str]) -> list[Any]:
    """Some columns of a block, as Arrow arrays of texts."""
    return [pa.array([record.get(name) for record in block.records], pa.string()) for name in names]


def _lines(text: TextFile) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers."""
    number, held = text.first_line, b""
    for piece in text.pieces():
        *lines, held = (held + piece).split(b"\n")
        for line in lines:
            if line.strip(BLANK):
                yield number, line
            number += 1
        if len(held) > LONGEST_LINE:
            wrong = "the line is too long for a row of a table"
            raise InputError.of(
                f"{text.path}, line {number}",
                wrong,
                "write one object per line",
            )
    if held.strip(BLANK):
        yield number, held


def _record(line: bytes) -> Record:
    try:
        found = json.loads(
            line, object_pairs_hook=_object, parse_float=str, parse_int=str, parse_constant=_constant
        )
    except Twice:
        raise Fault("a key occurs twice") from None
    except UnicodeDecodeError:
        raise Fault("some bytes are not valid UTF-8") from None
    except (ValueError, RecursionError):
        raise Fault("this line is not JSON") from None
    if not isinstance(found, dict):
        raise Fault("this line is JSON, but not an object")
    return {name: _cell(name, value) for name, value in found.items()}


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Twice
    return found


def _constant(name: str) -> None:
    if name != "NaN":
        raise ValueError(name)


def _cell(name: str, value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        raise Fault("a value is a list or an object")
    if value and not _is_text(value):
        raise Fault("a text contains half a character")
    return value or None


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
