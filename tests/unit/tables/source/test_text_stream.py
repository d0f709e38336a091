"""Text files: what they are packed with, and what lies above their header."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from paretonym.tables.source import FileForm
from paretonym.tables.source.data_source import TableForm
from paretonym.tables.source.engines import read

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


def test_a_line_that_names_the_separator_is_a_title(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("sep=;\na,b;c,d\n1,2;3,4\n5,6;7,8\n")
    form = FileForm.seen(path, TableForm())
    assert form == TableForm(header_row=2)
    assert read(path, separator=";", header_row=2).names == ("a,b", "c,d")
