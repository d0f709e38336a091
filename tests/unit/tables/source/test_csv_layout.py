"""CSV files: what is legal, and what comes out of it."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from paretonym.tables.source import csv_layout as csvfile
from paretonym.tables.source.engines import read as read_table
from paretonym.tables.source.table_counts import Column, Counts


def rows(column: Column) -> list[str | None]:
    return [column.texts[code] if code >= 0 else None for code in column.codes.tolist()]


def content(table: Counts) -> dict[str, list[str | None]]:
    return ordered({column.name: rows(column) for column in table.repeat().columns})


def ordered(columns: dict[str, list[str | None]]) -> dict[str, list[str | None]]:
    """The rows in an order of their own: that of a file is not kept."""
    lines = sorted(zip(*columns.values(), strict=True), key=repr)
    return {name: [line[place] for line in lines] for place, name in enumerate(columns)}


Read = Callable[..., dict[str, list[str | None]]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads these bytes as a file."""

    def read(data: bytes, name: str = "people.csv", **options: str) -> dict[str, list[str | None]]:
        path = tmp_path / name
        path.write_bytes(data)
        return content(read_table(path, **options))

    return read


LEGAL: dict[str, tuple[bytes, dict[str, list[str | None]]]] = {
    "comma": (b"a,b\n1,2\n3,4\n", {"a": ["1", "3"], "b": ["2", "4"]}),
    "semicolon with decimal commas": (b"a;b\n1,5;2\n3;4,5\n", {"a": ["1,5", "3"], "b": ["2", "4,5"]}),
    "tab": (b"a\tb\n1,2\t3;4\n", {"a": ["1,2"], "b": ["3;4"]}),
    "pipe": (b"a|b\n1|2\n", {"a": ["1"], "b": ["2"]}),
    "one column": (b"name\nx\ny\n", {"name": ["x", "y"]}),
    "one column, blank lines between and at the end": (b"a\nx\n\ny\n\n\n", {"a": ["x", "y"]}),
    "one column, quoted nothing at the end": (b'a\nx\n""\n', {"a": ["x", None]}),
    "separator in quotes": (b'a,b\n"1,2",3\n', {"a": ["1,2"], "b": ["3"]}),
    "separator in a quoted name": (b'"a,b",c\n1,2\n', {"a,b": ["1"], "c": ["2"]}),
    "doubled quotes": (b'a,b\n"x ""y"" z",""""\n', {"a": ['x "y" z'], "b": ['"']}),
    "newlines in quotes": (b'a,b\n"x\ny",1\n"x\r\ny",2\n', {"a": ["x\ny", "x\r\ny"], "b": ["1", "2"]}),
    "a newline in a name": (b'"a\nb",c\n1,2\n', {"a\nb": ["1"], "c": ["2"]}),
    "a quote within an unquoted value": (b'a,b\n5" pipe,1\n', {"a": ['5" pipe'], "b": ["1"]}),
    "carriage returns": (b"a,b\r\n1,2\r\n", {"a": ["1"], "b": ["2"]}),
    "no newline at the end": (b"a,b\n1,2", {"a": ["1"], "b": ["2"]}),
    "blank lines": (b"\na,b\n\n1,2\n\r\n\n3,4\n\n\n", {"a": ["1", "3"], "b": ["2", "4"]}),
    "as written": (b"a,b\n007, 7\n1.0,+7 \n", {"a": ["007", "1.0"], "b": [" 7", "+7 "]}),
    "words for missing are text": (b"a,b\nNA,null\n", {"a": ["NA"], "b": ["null"]}),
    "empty is missing": (b'a,b\n,""\n', {"a": [None], "b": [None]}),
    "a star": (b"a,b\n*,1\n", {"a": ["*"], "b": ["1"]}),
    "a blank after each separator": (b"a, b\n1, x\n2, \n", {"a": ["1", "2"], "b": [" x", " "]}),
    "a blank in the header only": (b"a, b\n1,2\n", {"a": ["1"], "b": ["2"]}),
    "a mark within the data": ("a,b\n\ufeffx,1\n".encode(), {"a": ["\ufeffx"], "b": ["1"]}),
    "Unicode": ("Größe,年齢\nÆ,👩🏽\n".encode(), {"Größe": ["Æ"], "年齢": ["👩🏽"]}),
    "UTF-8 with a mark": ("\ufeffa,b\né,2\n".encode(), {"a": ["é"], "b": ["2"]}),
    "a mark before a quoted name": ('\ufeff"a",b\né,2\n'.encode(), {"a": ["é"], "b": ["2"]}),
    "UTF-16": ("a,b\né,2\n".encode("utf-16"), {"a": ["é"], "b": ["2"]}),
    "UTF-16, other order": ("\ufeffa,b\né,2\n".encode("utf-16-be"), {"a": ["é"], "b": ["2"]}),
    "UTF-32": ("a,b\né,2\n".encode("utf-32"), {"a": ["é"], "b": ["2"]}),
    "packed": (gzip.compress(b"a,b\n1,2\n"), {"a": ["1"], "b": ["2"]}),
    "packed UTF-16": (gzip.compress("a,b\né,2\n".encode("utf-16")), {"a": ["é"], "b": ["2"]}),
}


@pytest.mark.parametrize("name", LEGAL)
def test_legal_files_are_read(read: Read, name: str) -> None:
    data, expected = LEGAL[name]
    assert read(data) == ordered(expected)


def test_an_encoding_can_be_named(read: Read) -> None:
    assert read("a,b\né€,2\n".encode("cp1252"), encoding="cp1252") == {"a": ["é€"], "b": ["2"]}
    assert read("\ufeffa,b\né,2\n".encode("utf-16-le"), encoding="utf-16-le") == {"a": ["é"], "b": ["2"]}


def test_a_separator_can_be_named(read: Read) -> None:
    assert read(b"a;b,c\n1;2,3\n", separator=";") == {"a": ["1"], "b,c": ["2,3"]}
    assert read(b"a b\n1 2\n", separator=" ") == {"a": ["1"], "b": ["2"]}


def test_the_suffix_decides_between_two_separators(read: Read) -> None:
    assert read(b"a\tb,c,d\n1\t2,3,4\n", name="x.tsv") == {"a": ["1"], "b,c,d": ["2,3,4"]}
    assert read(gzip.compress(b"a\tb,c\n1\t2,3\n"), name="x.TSV.gz") == {"a": ["1"], "b,c": ["2,3"]}


def test_two_hundred_columns(read: Read) -> None:
    header = ",".join(f"c{index}" for index in range(200))
    line = ",".join(str(index) for index in range(200))
    assert read(f"{header}\n{line}\n".encode()) == {f"c{index}": [str(index)] for index in range(200)}


def test_what_a_table_says_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(b"a,b\nx,1\ny,\nx,1\n")
    table = read_table(str(path))
    assert (table.name, table.rows, table.kind, table.path) == ("people.csv", 3, "file", str(path))
    assert (table.entries, table.files) == (2, (str(path),))
    assert {column.type for column in table.columns} == {"text"}
    assert table.column("a").texts == ("x", "y")
    assert table.column("a").values.to_pylist() == ["x", "y"]
    assert table.column("a").codes.dtype == "int32"
    assert table.column("b").nulls == 1
    assert table.column("b").counts.tolist() == [2]


def test_a_file_of_many_blocks(tmp_path: Path) -> None:
    """Around quoted newlines, too."""
    path = tmp_path / "long.csv"
    expected = [f"value {index * 7919 % 50_000}\n{'x' * 60}" for index in range(150_000)]
    path.write_bytes(b"a,b\n" + "".join(f'"{value}",1\n' for value in expected).encode())
    table = read_table(path)
    assert path.stat().st_size > csvfile.BLOCK
    assert Counter(rows(table.repeat().column("a"))) == Counter(expected)
    assert table.column("a").texts == tuple(sorted({*expected}))
