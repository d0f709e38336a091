"""Text files: what they are packed with, and the line with which a spreadsheet names the separator."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from paretonym.source.data_file import DataFile
from paretonym.source.data_source import TableForm
from paretonym.source.engines import read
from paretonym.source.text_stream import TextFile

TEXT = b"a,b\n1,x\n2,y\n"
PACK: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "gzip in two members": lambda text: gzip.compress(text[:5]) + gzip.compress(text[5:]),
    "zstd": zstandard.compress,
    "zstd in two frames": lambda text: zstandard.compress(text[:5]) + zstandard.compress(text[5:]),
    "bzip2": bz2.compress,
}


@pytest.mark.parametrize("packing", PACK)
def test_packed_files_are_read_as_if_they_were_not(tmp_path: Path, packing: str) -> None:
    path = tmp_path / "people"
    path.write_bytes(PACK[packing](TEXT))
    table = read(path)
    assert table.names == ("a", "b")
    assert [column.texts for column in table.columns] == [("1", "2"), ("x", "y")]


@pytest.mark.parametrize(
    ("start", "separator"),
    [
        (b"sep=;\r\n", ";"),
        (b"\xef\xbb\xbfsep=|\n", "|"),
        (b'"SEP=\t"\r\n', "\t"),
        (b"sep=;;\n", None),
        (b"sep=\n", None),
        (b"step=;\n", None),
    ],
)
def test_a_first_line_may_name_the_separator(tmp_path: Path, start: bytes, separator: str | None) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(start + b"a;b\n1;2\n")
    text = TextFile.of(DataFile(path), TableForm())
    assert (text.separator, text.first_line) == (separator, 2 if separator else 1)
    assert text.sample()[0].startswith(b"a;b" if separator else start.removeprefix(b"\xef\xbb\xbf"))


def test_the_named_separator_decides(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("sep=;\na,b;c,d\n1,2;3,4\n")
    assert read(path).names == ("a,b", "c,d")
    assert read(path, separator=",").names == ("a", "b;c", "d")


def test_the_named_separator_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes("sep=;\r\nä;b\r\n1;2\r\n".encode("utf-16"))
    assert read(path).names == ("ä", "b")
