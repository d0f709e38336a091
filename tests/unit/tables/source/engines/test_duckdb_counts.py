"""Rows counted in DuckDB are those that the readers in memory find, spelling by spelling, whatever the file
holds; what cannot be counted is refused in words that show no value."""

from __future__ import annotations

import datetime as dt
import gzip
import math
import os
import re
import tempfile
import threading
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from paretonym.base.errors import Bug, InputError
from paretonym.tables.source.data_source import TableForm
from paretonym.tables.source.engines import Wanted, duckdb_session, open_source, read
from paretonym.tables.source.fingerprint import content_digest
from paretonym.tables.source.table_counts import Counts

DAY = dt.date(2024, 2, 29)
NOON = dt.datetime(2024, 7, 1, 12, 30)
TYPED: dict[str, pa.Array] = {
    "null": pa.nulls(5),
    "boolean": pa.array([True, None, False, True, None]),
    "small": pa.array([1, -1, None, 1, -1], pa.int8()),
    "beyond doubles": pa.array([2**53, 2**53 + 1, None, 2**53, 2**63 - 1]),
    "unsigned": pa.array([2**64 - 1, 0, None, 1, 2**64 - 1], pa.uint64()),
    "decimal": pa.array([Decimal("1.50"), Decimal("-0.00"), None, None, None], pa.decimal128(20, 2)),
    "long decimal": pa.array([Decimal(10**37), None, Decimal(1), Decimal(1), None], pa.decimal128(38, 0)),
    "double": pa.array([0.1, -0.0, math.nan, 0.0, None]),
    "whole double": pa.array([1.0, -0.0, math.nan, 0.0, None]),
    "float": pa.array([0.1, -0.0, None, 1e-7, 3.0], pa.float32()),
    "date": pa.array([DAY, None, DAY, dt.date(1, 1, 1), dt.date(9999, 12, 31)]),
    "midnights": pa.array([dt.datetime(2024, 1, 1), None] * 2 + [None], pa.timestamp("us")),
    "moment": pa.array([NOON, None, NOON, dt.datetime(1969, 12, 31, 23, 59, 59), NOON], pa.timestamp("ms")),
    "nanoseconds": pa.array([1, None, 1_000, 10**9, 1], pa.timestamp("ns")),
    "zoned": pa.array([NOON, None, NOON, NOON, None], pa.timestamp("us", "Europe/Berlin")),
    "zoned midnights": pa.array([1719784800, None] * 2 + [None], pa.timestamp("s", "Europe/Berlin")),
    "zoned nanoseconds": pa.array([1, None, 2, 3, 1], pa.timestamp("ns", "America/Lima")),
    "text": pa.array(["a", "a ", " a", "", None]),
    "odd": pa.array(['"', "a\nb", "\u00e9", "e\u0301", "it's, 'x'"]),
    "large": pa.array(["x", "y", "x", None, ""], pa.large_string()),
    "category": pa.array(["x", None, "x", "y", "y"]).dictionary_encode(),
    "Case": pa.array(["x", "y", "z", "x", "y"]),
    "case": pa.array(["1", "2", "3", "1", "2"]),
    'quoted "name"; --': pa.array(["x", "y", "z", "x", "y"]),
}  # fmt: skip


def rows_of(table: Counts) -> Counter[tuple[str | None, ...]]:
    """Every row in its spellings, with how often it occurs."""
    columns = [[*column.texts, None] for column in table.columns]
    codes = [column.codes.tolist() for column in table.columns]
    weights = [1] * table.entries if table.weights is None else table.weights.tolist()
    found: Counter[tuple[str | None, ...]] = Counter()
    for place, weight in enumerate(weights):
        found[tuple(texts[code[place]] for texts, code in zip(columns, codes, strict=True))] += weight
    return found


def counted(path: Path | str, wanted: Wanted = Wanted(), **form: Any) -> Counts:  # noqa: B008
    memory = form.pop("memory", None)
    found = open_source(path, wanted, engine="duckdb", memory=memory, form=TableForm(**form))
    assert isinstance(found, Counts)
    return found


def assert_same(path: Path, **form: Any) -> Counts:
    """Counted as read into memory; returned."""
    table, found = read(path, **form), counted(path, **form)
    assert found.names == table.names == found.counted
    assert [column.type for column in found.columns] == [column.type for column in table.columns]
    assert [column.values.type for column in found.columns] == [c.values.type for c in table.columns]
    assert rows_of(found) == rows_of(table)
    assert found.rows == table.rows
    assert found.fingerprint == table.fingerprint
    assert content_digest(found, b"key") == content_digest(table, b"key")
    return found


@pytest.mark.parametrize("name", TYPED)
def test_every_type(name: str, tmp_path: Path) -> None:
    parquet.write_table(pa.table({name: TYPED[name], "other": [1, 1, 1, 2, 2]}), tmp_path / "t.parquet")
    assert_same(tmp_path / "t.parquet")


def test_all_types_together(tmp_path: Path) -> None:
    table = pa.table(TYPED)
    parquet.write_table(pa.concat_tables([table] * 3), tmp_path / "t.parquet", row_group_size=4)
    assert assert_same(tmp_path / "t.parquet").rows == 15


CSV_FILES = {
    "plain": "a,b\n1,x\n1,x\n2,\n",
    "no line end": "a,b\n1,x\n2,y",
    "mixed line ends": "a,b\r\n1,x\r2,y\n1,x\r\n",
    "blank lines": "\n\na,b\n\n1,x\n\n\n2,y\n\n",
    "quotes": 'a,b\n"1","x ""y"""\n"1","x\ny"\n"","z"\n',
    "quote inside": 'a,b\n1,5" pipe\n2,x\n',
    "semicolons": "a;b\n1,5;x\n2,5;y\n",
    "tabs": "a\tb\n1\tx\n",
    "blank separator": "a, b, c\n1, x, y\n2, , z\n3,,\n",
    "blanks that are values": "a,b\n1, x\n2,x\n3,x \n",
    "one column": "a\n1\n\n2\n1\n\n\n",
    "one column, nothing at end": "a\n1\n\n2",
    "numbers as written": "a,b\n007,1e3\n7,1000\n7.0,-0\n+7,NaN\n,NULL\n",
    "mark": "\ufeffa,b\n1,\ufeffx\n",
    "wide": "a,b\n\u4e2d,\U0001f600\n\u4e2d,\U0001f600\n",
}


@pytest.mark.parametrize("name", CSV_FILES)
@pytest.mark.parametrize("packed", [False, True])
def test_every_csv(name: str, packed: bool, tmp_path: Path) -> None:
    path, content = tmp_path / f"t.csv{'.gz' if packed else ''}", CSV_FILES[name].encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    assert_same(path)


def test_encodings_and_separators(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("a|b\n\u00e9|1\n\u00e9|1\n".encode("cp1252"))
    assert assert_same(path, encoding="cp1252", separator="|").rows == 2
    path.write_text("a,b\n\u00e9,1\n", encoding="utf-16")
    assert_same(path)


FAULTS = {
    "width": ("a,b\n1,secret\n2\n", "line 3: the header has 2 fields, this line has 1 field"),
    "quote": ('a,b\n1,secret\n"2"x,y\n', "line 3: something follows a closing quote"),
    "open": ('a,b\n1,secret\n"2,y\n', "line 3: a quote is opened and never closed"),
    "blank before": ('a,b\n1,secret\n2, "y"\n', "line 3: there is a space before a quote"),
    "zero": ("a,b\n1,secret\n2,\0\n", "line 3: there is a NUL byte"),
    "empty": ("", "the file is empty"),
    "header only": ("a,b\n", "there are no rows"),
    "names": ("a,a\n1,secret\n", "header: columns 1 and 2 have the same name"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_csv_are_named_by_line(name: str, tmp_path: Path) -> None:
    content, words = FAULTS[name]
    path = tmp_path / "t.csv"
    path.write_text(content)
    with pytest.raises(InputError) as found:
        counted(path)
    assert words in str(found.value)
    assert "secret" not in str(found.value)
    with pytest.raises(InputError, match=re.escape(str(found.value))):
        read(path)


def test_a_line_far_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Faults are looked for piece by piece; lines are counted over all of them, and line ends of two
    characters that lie on a border are one."""
    from paretonym.tables.source import text_stream

    monkeypatch.setattr(text_stream, "PIECE", 7)
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\r\n" + b"1,x\r\n" * 500 + b'"q\nr",y\r\n' + b"2\r\n")
    with pytest.raises(InputError, match="line 504: the header has 2 fields, this line has 1 field"):
        counted(path)
    path.write_bytes(b"a,b\r\n" + b"1,x\r\n" * 500 + b"2,\xff\r\n")
    with pytest.raises(InputError, match=r"line 502: .*UTF-8"):
        counted(path)


def test_text_that_is_not_utf8_in_parquet(tmp_path: Path) -> None:
    broken = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"s\xff")]
    )
    parquet.write_table(pa.table({"a": broken}), tmp_path / "t.parquet")
    with pytest.raises(InputError) as found:
        counted(tmp_path / "t.parquet")
    assert "s" not in str(found.value).split(": ", 1)[1].split("DuckDB")[0]


def test_a_damaged_part_is_named(tmp_path: Path) -> None:
    """As after a copy that was broken off."""
    for name in ("a", "b"):
        parquet.write_table(pa.table({"a": ["x", "y"]}), tmp_path / f"{name}.parquet")
    whole = (tmp_path / "b.parquet").read_bytes()
    for left in (whole[: len(whole) // 2], whole[:4] + bytes(len(whole) - 8) + whole[-4:]):
        (tmp_path / "b.parquet").write_bytes(left)
        with pytest.raises(InputError, match=r"b.parquet: the Parquet file is damaged or incomplete; write"):
            counted(tmp_path)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (pa.array([[1]]), "its type, list, is not supported"),
        (pa.array([b"x"]), "its type, binary, is not supported"),
    ],
)
def test_types_that_are_refused(array: pa.Array, words: str, tmp_path: Path) -> None:
    parquet.write_table(pa.table({"a": array, "b": [1]}), tmp_path / "t.parquet")
    with pytest.raises(InputError, match=f"column 'a': .*{words}"):
        counted(tmp_path / "t.parquet")
    assert counted(tmp_path / "t.parquet", Wanted(frozenset("b"))).counted == ("b",)


def test_infinite_numbers(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"a": [math.inf]}), tmp_path / "t.parquet")
    with pytest.raises(InputError, match="column 'a': it contains an infinite number"):
        counted(tmp_path / "t.parquet")


def test_only_what_is_wanted_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns that are dropped stand in no query, and identifiers come back only where they repeat."""
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"id": ["a", "b", "c", "c"], "q": [1, 1, 2, 2], "gone": ["s"] * 4}), path)
    queries: list[str] = []
    batches = duckdb_session.Session.batches

    def note(self: Any, query: str) -> Any:
        queries.append(query)
        return batches(self, query)

    monkeypatch.setattr(duckdb_session.Session, "batches", note)
    found = counted(path, Wanted(frozenset("q"), frozenset({"id"})))
    assert found.names == ("id", "q", "gone")
    assert found.counted == ("q",)
    assert found.repeated("id").texts == ("c",)
    assert found.repeated("id").counts.tolist() == [2]
    assert len(queries) == 2
    assert all("f2 as" not in query for query in queries)
    with pytest.raises(InputError, match="column 'gone': its values were not counted"):
        found.column("gone")


def test_identifiers_that_repeat_too_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paretonym.tables.source.engines.relation.MOST_REPEATED", 2)
    path = tmp_path / "t.csv"
    path.write_text("id,q\n" + "a,1\nb,1\nc,1\n" * 2)
    with pytest.raises(InputError, match="column 'id': more than 2 values of this identifier occur in more"):
        counted(path, Wanted(frozenset("q"), frozenset({"id"})))


def test_memory_that_is_too_little(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    for wrong, words in {
        "much": "memory: 'much' is not an amount of memory; give for example 4GB",
        "4QB": "'4QB' is not an amount of memory",
        "1KB": "'1KB' is too little to count with; give at least 64MiB",
    }.items():
        with pytest.raises(InputError, match=words):
            counted(path, memory=wrong)
    assert duckdb_session.parse_memory(None) > 0


def test_more_distinct_rows_than_memory(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"a": range(1_500_000)}), path)
    with pytest.raises(InputError) as found:
        counted(path, memory="64MiB")
    assert "different rows in the columns that are counted ('a'), which need" in str(found.value)
    assert "give more memory=" in str(found.value)


def spill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which temporary files are made."""
    folder = tmp_path / "spill"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_spilled_rows_are_gone_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, path = spill(tmp_path, monkeypatch), tmp_path / "t.parquet"
    parquet.write_table(
        pa.table({"id": [f"a longer identifier {n}" for n in range(800_000)], "q": ["x"] * 800_000}), path
    )
    seen: list[int] = []
    stop = threading.Event()

    def watch() -> None:
        while not stop.wait(0.002):
            seen.extend(len(names) for _, _, names in os.walk(folder))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        found = counted(path, Wanted(frozenset("q"), frozenset({"id"})), memory="64MiB")
    finally:
        stop.set()
        watcher.join()
    assert found.rows == 800_000
    assert max(seen, default=0) > 0, "nothing was spilled: this test tests nothing"
    assert list(folder.iterdir()) == []


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, path = spill(tmp_path, monkeypatch), tmp_path / "t.csv"
    path.write_text("a,b\n1,secret\n")
    import duckdb

    def full(self: Any, query: str) -> None:
        raise duckdb.IOException(f'IO Error: could not write "secret": {os.strerror(28)}')

    monkeypatch.setattr(duckdb_session.Session, "batches", full)
    with pytest.raises(InputError) as found:
        counted(path)
    assert "counting needed more space on this disk: No space left on device; free some, set TMPDIR" in str(
        found.value
    )
    assert "secret" not in str(found.value)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        ("OutOfMemoryException", InputError, "counting needs more memory than it may use"),
        ("InvalidInputException", InputError, "DuckDB could not compute it"),
        ("IOException", InputError, "DuckDB could not compute it"),
        ("BinderException", Bug, "DuckDB refused a query: BinderException"),
    ],
)
def test_errors_of_duckdb_show_nothing(
    error: str, kind: type[Exception], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import duckdb

    def fail(self: Any, query: str) -> None:
        raise getattr(duckdb, error)("about a secret")

    monkeypatch.setattr(duckdb_session.Session, "batches", fail)
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(kind, match=words) as found:
        counted(path)
    assert "secret" not in str(found.value)


@pytest.mark.parametrize("signal", [RuntimeError("Query interrupted"), KeyboardInterrupt()])
def test_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, signal: BaseException) -> None:
    """Ctrl-C in DuckDB is an error of its own, Ctrl-C in our code is not: both end the same, with nothing
    left behind."""
    folder, path = tmp_path / "spill", tmp_path / "t.parquet"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    parquet.write_table(pa.table({"id": [str(n % 3000) for n in range(9000)]}), path)
    seen = []

    def interrupted(self: duckdb_session.Session, query: str) -> None:
        (private,) = folder.iterdir()
        (private / "spilled").write_text("a")
        seen.append(query)
        raise signal

    monkeypatch.setattr(duckdb_session.Session, "batches", interrupted)
    with pytest.raises(KeyboardInterrupt):
        counted(path, Wanted(unique=frozenset({"id"})))
    assert seen
    assert list(folder.iterdir()) == []


def test_data_that_change_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,q\na,1\nb,2\n")
    batches = duckdb_session.Session.batches

    def change(self: Any, query: str) -> Any:
        path.write_text("id,q\na,1\nb,3\n")
        return batches(self, query)

    monkeypatch.setattr(duckdb_session.Session, "batches", change)
    with pytest.raises(InputError, match="the data were changed while they were counted; wait until nothing"):
        counted(path, Wanted(frozenset("q"), frozenset({"id"})))


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    opened = Path.open

    def refused(self: Path, *given: Any, **named: Any) -> Any:
        """Root may read everything, so the refusal is made here."""
        if self == path:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(self, *given, **named)

    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(InputError, match="there is no permission to read the file; ask its owner"):
        counted(path)


def test_no_such_file(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"did you mean '.*table.csv'\?"):
        counted(tmp_path / "tabel.csv")


@pytest.mark.parametrize("engine", ["auto", "duckdb"])
@pytest.mark.parametrize("address", ["mysql://me:secret@host/people", "s3://me:secret@bucket/*.parquet"])
def test_an_address_is_refused_without_its_password(address: str, engine: str) -> None:
    with pytest.raises(InputError) as error:
        open_source(address, Wanted(), engine=engine)
    scheme = address.partition("//")[0]
    assert str(error.value) == (
        f"{scheme}//…: this is an address, not a file on this machine; write the table to a "
        "Parquet or CSV file, or read it into a dataframe"
    )
