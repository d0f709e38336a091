"""Tables in DuckDB files: opened read only, counted within a memory limit, nothing else of the disk read."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from paretonym.base.errors import InputError
from paretonym.tables.source.engines import Wanted, open_source
from paretonym.tables.source.table_counts import Counts


@pytest.fixture(autouse=True)
def _file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(duckdb.connect("people.duckdb")) as database:
        database.execute("create table people as select 'p' || n as name, n % 7 as age from range(100) t(n)")
        database.execute("create schema clinic")
        database.execute("create view clinic.visits as select age, count(*) as n from people group by 1")


def opened(**given: Any) -> Counts:
    return open_source("duckdb:///people.duckdb", given.pop("wanted", Wanted()), **given)


def test_tables_views_and_queries() -> None:
    before = Path("people.duckdb").read_bytes()
    assert opened(table="people").rows == 100
    assert opened(table="people", engine="duckdb", memory="100MB").rows == 100
    assert opened(table="clinic.visits").names == ("age", "n")
    assert opened(query="from people where age > 3; ").name == "the query"
    assert Path("people.duckdb").read_bytes() == before


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("select 'a' collate nocase as x union all select 'A'", {"a": 1, "A": 1}),
        (f"select {2**127 - 1}::hugeint as x", {str(2**127 - 1): 1}),
        (
            "select uuid '00000000-0000-0000-0000-000000000001' as x",
            {"00000000-0000-0000-0000-000000000001": 1},
        ),
        ("select 12345678901234567890::hugeint as x", {"12345678901234567890": 1}),
        ("select 'a'::enum('a', 'b') as x", {"a": 1}),
        ("select timestamptz '2024-07-01 00:00:00+02' as x", {"2024-06-30T22:00:00Z": 1}),
        ("select 1.50::decimal(20, 2) as x", {"1.50": 1}),
    ],
)
def test_values_are_exact(query: str, expected: dict[str, int]) -> None:
    column = opened(query=query).column("x")
    assert dict(zip(column.texts, column.counts.tolist(), strict=True)) == expected


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "which table?; give table=NAME or query='SELECT …'; there are: 'clinic.visits', 'people'"),
        (
            {"table": "peple"},
            "there is no table called 'peple', or this user may not see it; did you mean 'people'?",
        ),
        ({"query": "drop table people"}, "DuckDB could not compute it (syntax error"),
        ({"query": "select 1; drop table people"}, "DuckDB could not compute it (syntax error"),
        ({"query": "with x as (select 1) delete from people"}, "DuckDB could not compute it (syntax error"),
        ({"query": "select 1) as x; drop table people; --"}, "DuckDB could not compute it (InvalidInput"),
        (
            {"query": "select agee from people"},
            'DuckDB could not compute it (Referenced column "agee" not found',
        ),
        (
            {"query": "from read_csv('secret.csv')"},
            "DuckDB could not compute it (PermissionException); ",
        ),
        ({"query": "select name::int as x from people"}, "could not compute it (ConversionException)"),
        (
            {"query": "select [1] as x"},
            "column 'x': its type, list, is not supported; convert it to text",
        ),
        ({"query": "select date 'infinity' as x"}, "column 'x': it contains an infinite date"),
        ({"query": "select 1 as x where false"}, "query: there are no rows"),
        ({"table": "people", "engine": "duck"}, "engine: there is no engine called 'duck'"),
    ],
)
def test_what_cannot_be_read(given: dict[str, str], words: str) -> None:
    Path("secret.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError) as found:
        opened(**given)
    assert words in str(found.value)
    assert "p1" not in str(found.value)
    assert opened(table="people").rows == 100


def test_files_that_are_none() -> None:
    Path("people.csv").write_text("a,b\n1,2\n" * 1000)
    with pytest.raises(
        InputError, match=r"duckdb:///people\.csv: this is not a DuckDB database; check the path"
    ):
        open_source("duckdb:///people.csv", Wanted(), table="people")
    with pytest.raises(InputError, match=r"this file does not exist; did you mean 'people.duckdb'\?"):
        open_source("duckdb:///people.duckd", Wanted(), table="people")


def test_a_file_that_another_program_writes() -> None:
    code = (
        "import duckdb, sys; c = duckdb.connect('people.duckdb'); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(InputError, match="that no other program writes to it"):
            opened(table="people")
        other.stdin.close()
