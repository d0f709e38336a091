"""Files that cannot be used: each is refused with its place, what is wrong and what to do, word for word."""

from __future__ import annotations

import contextlib
import encodings
import gzip
import io
import pkgutil
import traceback
import zipfile
from encodings.aliases import aliases
from pathlib import Path

import pytest
import zstandard

from paretonym.base.errors import InputError
from paretonym.tables.source.engines import read

SAME_WIDTH = "give every line as many fields as the header, and quote values that contain the separator"
QUOTING = 'quote the whole field, and double a quote inside it ("")'
NAMES = "give every column a different name; if the first line of a file is data, add a header above it"
CONVERT = "convert the file to UTF-8, or name its encoding (encoding='cp1252')"
ZERO = (
    "there is a NUL byte, so this is not text, or it is UTF-16 without a byte order mark; "
    "give a CSV or Parquet file, or name the encoding (encoding='utf-16-le')"
)
SEPARATORS = (
    "more than one separator splits every line into the same number of fields; "
    "quote the values that contain the other one, or name the separator (separator=';')"
)
ONE_DOCUMENT = (
    "this is one JSON document, and rows are read from JSON lines: one object per line; "
    "write it as JSON lines (jq -c '.[]' FILE), as CSV or as Parquet"
)
ONE_OBJECT = (
    "this line is not a JSON object of single values; "
    "write one object per line, with texts, numbers, true, false or null under different keys"
)


def zipped(name: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(name, "a,b")
    return made.getvalue()


DAMAGED = "the gzip file is damaged or incomplete; compress or download it again"

# name: bytes, what follows the path in the message
FAULTS = {
    "too few fields": (
        b"a,b\n1,2\nsecret\n",
        f", line 3: the header has 2 fields, this line has 1 field; {SAME_WIDTH}",
    ),
    "too many fields, after quoted newlines and blank lines": (
        b'a,b\r\n"1\r\n\r\n",2\r\n\r\nsecret,4,5\r\n',
        f", line 6: the header has 2 fields, this line has 3 fields; {SAME_WIDTH}",
    ),
    "one column and a line that is divided": (
        b"a\nx\ny\nsecret,z\n",
        f", line 4: the header has 1 field, this line has 2 fields; {SAME_WIDTH}; if titles lie above the "
        "header, name its row (header_row=4)",
    ),
    "a title above the header": (
        b"People of 2020\na;b\n1;2\n",
        f", line 2: the header has 1 field, this line has 2 fields; {SAME_WIDTH}; if titles lie above the "
        "header, name its row (header_row=2)",
    ),
    "blanks only": (
        b"a,b\n1,2\n  \n3,4\n",
        f", line 3: the header has 2 fields, this line has 1 field; {SAME_WIDTH}",
    ),
    "late": (
        b"a,b\n" + b"1,2\n" * 400_000 + b"secret\n",
        f", line 400002: the header has 2 fields, this line has 1 field; {SAME_WIDTH}",
    ),
    "packed": (
        gzip.compress(b"a,b\n1,2\nsecret\n"),
        f", line 3: the header has 2 fields, this line has 1 field; {SAME_WIDTH}",
    ),
    "UTF-16": (
        "a,b\né,2\nsecret\n".encode("utf-16"),
        f", line 3: the header has 2 fields, this line has 1 field; {SAME_WIDTH}",
    ),
    "a quote never closed": (
        b'a,b\n1,2\n3,"secret\n5,6\n',
        f", line 3: a quote is opened and never closed; {QUOTING}",
    ),
    "a quote closed by another's opening": (
        b'a,b\n1,2\n3,"secret\n5,"6\n',
        f", line 4: something follows a closing quote; {QUOTING}",
    ),
    "text behind a quote": (b'a,b\n"1"secret,2\n', f", line 2: something follows a closing quote; {QUOTING}"),
    "a blank before a quote": (
        b'a,b\n1, "secret"\n',
        f", line 2: there is a space before a quote; {QUOTING}",
    ),
    "a quote in the header": (
        b'a,"b\n1,secret\n',
        f", line 1: a quote is opened and never closed; {QUOTING}",
    ),
    "not UTF-8": (
        "a,b\n1,2\nsécret,2\n".encode("cp1252"),
        f", line 3: some bytes are not valid UTF-8; {CONVERT}",
    ),
    "a name that is not UTF-8": (
        "é,b\n1,2\n".encode("cp1252"),
        f", line 1: some bytes are not valid UTF-8; {CONVERT}",
    ),
    "half of UTF-16": (
        "a,b\n1,2\nsecret,3\n".encode("utf-16")[:-1],
        f", line 3: some bytes are not valid UTF-16; {CONVERT}",
    ),
    "a NUL byte": (b"a,b\n1,2\nsec\0ret,2\n", f", line 3: {ZERO}"),
    "UTF-16 without a mark": ("a,b\n1,2\n".encode("utf-16-le"), f", line 1: {ZERO}"),
    "binary": (bytes(range(256)) * 9, f", line 1: {ZERO}"),
    "empty": (b"", ": the file is empty; give a file with a header line and rows"),
    "empty, packed": (gzip.compress(b""), ": the file is empty; give a file with a header line and rows"),
    "blank lines": (b"\n\r\n\n", ": the file has only blank lines; give a file with a header line and rows"),
    "a mark only": (b"\xef\xbb\xbf", ": the file is empty; give a file with a header line and rows"),
    "a header only": (b"a,b\n", ": there are no rows; give a table with rows"),
    "a header without newline": (b"a,b", ": there are no rows; give a table with rows"),
    "a header of one column": (
        b"a\n\n\n",
        ": there are no rows; give a table with rows",
    ),
    "the same name twice": (b"a,b,a\n1,2,3\n", f", header: columns 1 and 3 have the same name; {NAMES}"),
    "no name": (b"a,b,\n1,2,3\n", f", header: column 3 has no name; {NAMES}"),
    "two separators": (
        b"a;b,c\n1;2,3\n",
        f": {SEPARATORS}",
    ),
    "two separators, one with more fields": (b"a,b,c;d\n1,2,3;4\n", f": {SEPARATORS}"),
    "an endless header": (
        b"a" * (1 << 20) + b",b\n1,2\n",
        ": the header line does not end within the first megabyte; "
        "give a CSV or Parquet file with a header line",
    ),
    "half of a packed file": (gzip.compress(b"a,b\n1,2\n" * 99)[:-9], f": {DAMAGED}"),
    "a broken packed file": (gzip.compress(b"a,b\n1,2\n" * 99)[:20] + b"\0" * 40, f": {DAMAGED}"),
    "a broken workbook": (
        b"PK\x03\x04secret",
        ": the workbook is damaged, or of a kind that cannot be read; "
        "save it again as .xlsx, or save the sheet as CSV",
    ),
    "a broken old workbook": (
        b"\xd0\xcf\x11\xe0secret",
        ": the workbook is damaged, or of a kind that cannot be read; "
        "save it again as .xlsx, or save the sheet as CSV",
    ),
    "a zip archive": (
        zipped("secret.csv"),
        ": this is a zip archive, not a table; unpack it, and give the file inside",
    ),
    "a schema": (
        b'[columns.age]\nrole = "quasi"\n',
        ": this is a schema, not a table; give the table as DATA and the schema as SCHEMA",
    ),
    "an XML document": (
        b'<?xml version="1.0"?><secret/>',
        ": the file is an XML document, not a table; give a CSV, Parquet, JSON lines or Excel file",
    ),
    "a DuckDB database": (
        b"secretXXDUCK" + bytes(8),
        ": the file is a DuckDB database, not a table; give duckdb:///FILE and the name of a table",
    ),
    "JSON": (b'[{"secret": 1}]', f": {ONE_DOCUMENT}"),
    "JSON on several lines": (b'{\n "secret": 1,\n "b": [2]\n}\n', f": {ONE_DOCUMENT}"),
    "JSON lines, one of them not JSON": (
        b'{"a": 1}\n\n{"a": secret}\n',
        f", line 3: {ONE_OBJECT}",
    ),
    "JSON lines, one of them a list": (
        b'{"a": 1}\n["secret"]\n',
        f", line 2: {ONE_OBJECT}",
    ),
    "JSON lines with a list": (
        b'{"a": 1}\n{"a": ["secret"]}\n',
        f", line 2: {ONE_OBJECT}",
    ),
    "JSON lines with a key twice": (b'{"a": 1, "a": 2}\n', f", line 1: {ONE_OBJECT}"),
    "JSON lines that are not UTF-8": (
        b'{"a": "secr\xe9t"}\n',
        f", line 1: some bytes are not valid UTF-8; {CONVERT}",
    ),
    "JSON lines with half a character": (
        b'{"a": "secret\\ud800"}\n',
        f", line 1: {ONE_OBJECT}",
    ),
    "half of a file in zstd": (
        zstandard.compress(b"a,b\n1,2\n" * 99)[:-9],
        ": the zstd file is damaged or incomplete; compress or download it again",
    ),
    "half of a Parquet file": (
        b"PAR1secret",
        ": the Parquet file is damaged or incomplete; write or download it again",
    ),
    "Parquet in gzip": (
        gzip.compress(b"PAR1secret"),
        ": this is a Parquet file compressed with gzip; unpack it: Parquet is compressed by itself",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_told_by_place_and_without_content(tmp_path: Path, name: str) -> None:
    data, message = FAULTS[name]
    path = tmp_path / "people.csv"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value) == f"{path}{message}"
    assert "secret" not in "".join(traceback.format_exception(caught.value))


def test_all_faults_of_a_header_at_once(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(b"a,,a\n1,2,3\n")
    with pytest.raises(InputError) as caught:
        read(path)
    assert [problem.wrong for problem in caught.value.problems] == [
        "column 2 has no name",
        "columns 1 and 3 have the same name",
    ]


def test_a_folder_without_tables(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: there is no CSV, JSON lines or Parquet file in this folder; check the path"
    )


def test_no_such_file(tmp_path: Path) -> None:
    (tmp_path / "adult.csv").write_text("a\n1\n")
    with pytest.raises(InputError) as caught:
        read(tmp_path / "adlt.csv")
    assert str(caught.value) == (
        f"{tmp_path / 'adlt.csv'}: this file does not exist; did you mean '{tmp_path / 'adult.csv'}'?"
    )
    with pytest.raises(InputError) as caught:
        read(tmp_path / "zzz.parquet")
    assert str(caught.value) == f"{tmp_path / 'zzz.parquet'}: this file does not exist; check the path"
    # Only the ending is the same.
    (tmp_path / "reg4.csv").write_text("a\n1\n")
    with pytest.raises(InputError) as caught:
        read(tmp_path / "nope.csv")
    assert str(caught.value) == f"{tmp_path / 'nope.csv'}: this file does not exist; check the path"


def test_no_such_folder(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "adult.csv"
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value) == (
        f"{path}: this file does not exist; check the path: its folder cannot be read either"
    )


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a,b\n1,2\n")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value) == (
        f"{path}: there is no permission to read the file; ask its owner for permission, or give another file"
    )


def test_a_path_that_cannot_be(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 5000)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value) == f"{path}: the file cannot be opened; check the path and the disk"


def test_the_text_itself_is_not_a_path() -> None:
    with pytest.raises(InputError) as caught:
        read("a,b\nsecret,1\n")
    assert str(caught.value) == "the data: a text of several lines is not a path; write it to a file"


@pytest.mark.parametrize("encoding", ["latin-0", "undefined", "rot13", "base64", "hex"])
def test_an_unknown_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(InputError) as caught:
        read(path, encoding=encoding)
    assert str(caught.value) == (
        f"{path}: unknown encoding '{encoding}'; use a name such as utf-8, cp1252 or latin-1"
    )


def test_every_encoding_of_python_reads_or_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(b"a,b\n1,\xe4\xff\n2,--x\n")
    names = {*aliases.values(), *(module.name for module in pkgutil.iter_modules(encodings.__path__))}
    for name in sorted(names):
        with contextlib.suppress(InputError):
            assert read(path, encoding=name).rows


def test_a_wrong_encoding(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(b"a,b\n1,2\nsecret\x81,2\n")
    with pytest.raises(InputError) as caught:
        read(path, encoding="cp1252")
    assert str(caught.value) == f"{path}, line 3: some bytes are not valid CP1252; {CONVERT}"


@pytest.mark.parametrize("separator", ["", "||", '"', "\n", "é", "\0"])
def test_a_separator_that_cannot_be(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(InputError) as caught:
        read(path, separator=separator)
    assert str(caught.value) == (
        f"separator: {separator!r} cannot be a separator; give one character, such as ',', ';', '|' or a tab"
    )
