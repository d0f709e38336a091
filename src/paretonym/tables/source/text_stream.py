"""A text file as a stream of UTF-8, whatever its encoding and compression, transcoded on the way."""

from __future__ import annotations

import codecs
import io
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from paretonym.base.errors import Field, InputError, printable
from paretonym.tables.arrow import pa
from paretonym.tables.source.data_file import DataFile, packing_of
from paretonym.tables.source.data_source import TableForm

PIECE = 1 << 22
SAMPLE = 1 << 20
# The longer mark first: UTF-32's starts with UTF-16's.
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


# Ways to write one word.
OF_WORDS = ("idna", "punycode")


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file, what it is packed with, and its encoding. What lies above the header or below the table is not
    part of the text: it begins with `first_line`, behind `skipped` bytes, and has `size` bytes, if something
    lies below it."""

    file: DataFile
    packing: str | None
    encoding: str
    first_line: int = 1
    skipped: int = 0
    size: int | None = None

    @classmethod
    def of(cls, file: DataFile, form: TableForm) -> TextFile:
        """With the encoding as given, else as the byte-order mark says, else UTF-8."""
        packing = packing_of(file.first())
        if form.encoding is not None:
            _check_known(file.path, form.encoding)
            encoding = codecs.lookup(form.encoding).name
        else:
            with cls(file, packing, "utf-8")._stream() as stream:
                first = stream.read(4)
            encoding = next((name for mark, name in MARKS if first.startswith(mark)), "utf-8")
        text = cls(file, packing, encoding)
        return text._from_header(form)._without_footer(form.below) if form.cuts else text

    def _from_header(self, form: TableForm) -> TextFile:
        """The text from the line of its header."""
        line, skipped, header = 1, 0, form.header_row or 1
        with self.open() as stream, io.BufferedReader(_Bytes(stream)) as lines:
            while line < header:
                content = lines.readline()
                if not content:
                    wrong = f"the file has only {line - 1:,} lines"
                    raise InputError.of(
                        Field("header_row", str(header)), wrong, "give the line of the header"
                    )
                line, skipped = line + 1, skipped + len(content)
        return replace(self, first_line=line, skipped=skipped)

    def _without_footer(self, rows: int) -> TextFile:
        """The text without its last lines; blank ones do not count."""
        if not rows:
            return self
        starts: deque[int] = deque(maxlen=rows)
        place = 0
        with self.open() as stream, io.BufferedReader(_Bytes(stream)) as lines:
            for content in lines:
                if content.strip():
                    starts.append(place)
                place += len(content)
        if len(starts) < rows or not starts[0]:
            wrong = "nothing would remain of the table"
            raise InputError.of(Field("footer_rows", str(rows)), wrong, "give fewer rows")
        return replace(self, size=starts[0])

    @property
    def path(self) -> Path:
        return self.file.path

    @contextmanager
    def open(self) -> Iterator[Any]:
        """An Arrow stream of UTF-8 bytes, behind the byte-order mark and what is skipped."""
        with self._stream() as stream:
            marked = stream.read(3) == codecs.BOM_UTF8
        with self._stream() as stream:
            stream.read(3 * marked + self.skipped)
            if self.size is None:
                yield stream
            else:
                yield io.BufferedReader(_Bytes(stream, self.size))

    def sample(self) -> tuple[bytes, bool]:
        """The start of the file, and whether that is all of it."""
        with self.open() as stream:
            start = stream.read(SAMPLE)
            return start, not stream.read(1)

    def raw_pieces(self) -> Iterator[bytes]:
        """The bytes of the file, unpacked but not decoded."""
        with self._unpacked() as stream:
            while piece := stream.read(PIECE):
                yield piece

    def pieces(self) -> Iterator[bytes]:
        with self.open() as stream:
            while piece := stream.read(PIECE):
                yield piece

    def lines(self) -> Iterator[tuple[int, list[bytes]]]:
        """Some lines at a time, with the number of the first of them."""
        number, rest = self.first_line, b""
        for piece in self.pieces():
            *lines, rest = (rest + piece).split(b"\n")
            yield number, lines
            number += len(lines)
        yield number, [rest]

    def check_decoded(self) -> None:
        """Refuse the file by its first line that cannot be decoded."""
        decoder, line, ended = codecs.getincrementaldecoder(self.encoding)(), 1, b""
        with self._unpacked() as stream:
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
    def _unpacked(self) -> Iterator[Any]:
        """The bytes of the file; faults of the compression are reported as the user's."""
        try:
            with self.file.stream() as file, pa.input_stream(file, compression=self.packing) as stream:
                yield stream
        except OSError as fault:
            if self.packing is None or isinstance(fault, PermissionError):
                raise
            wrong = f"the {self.packing} file is damaged or incomplete"
            raise InputError.of(str(self.path), wrong, "compress or download it again") from None

    @contextmanager
    def _stream(self) -> Iterator[Any]:
        """The text in UTF-8; faults of the encoding are reported as the user's."""
        try:
            with self._unpacked() as stream:
                if self.encoding == "utf-8":
                    yield stream
                else:
                    yield pa.transcoding_input_stream(stream, self.encoding, "utf-8")
        except UnicodeError:
            self.check_decoded()
            raise self._not_decoded(1) from None

    def _not_decoded(self, line: int) -> InputError:
        return InputError.of(
            f"{self.path}, line {line}",
            f"some bytes are not valid {self.encoding.upper()}",
            f"convert the file to UTF-8, or name its encoding ({Field('encoding', 'cp1252')})",
        )


class _Bytes(io.RawIOBase):
    """The bytes of a stream up to some size, as Python reads a file."""

    def __init__(self, stream: Any, size: int | None = None) -> None:
        self._stream, self._rest = stream, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        wanted = len(buffer) if self._rest is None else min(len(buffer), self._rest)
        content = self._stream.read(wanted)
        buffer[: len(content)] = content
        if self._rest is not None:
            self._rest -= len(content)
        return len(content)


def line_at(content: bytes, position: int) -> int:
    """The number of the line, counted from 1, in which this position lies."""
    ends = content.count(b"\n", 0, position) + content.count(b"\r", 0, position)
    return 1 + ends - content.count(b"\r\n", 0, position)


def _check_known(path: Path, encoding: str) -> None:
    """Refuse a name that Python does not know, or does not read a text with."""
    try:
        usable = "a,b\n".encode(encoding).decode(encoding) == "a,b\n"
    except (LookupError, ValueError):
        usable = False
    if not usable or codecs.lookup(encoding).name in OF_WORDS:
        raise InputError.of(
            str(path),
            f"unknown encoding '{printable(encoding)}'",
            "use a name such as utf-8, cp1252 or latin-1",
        )
