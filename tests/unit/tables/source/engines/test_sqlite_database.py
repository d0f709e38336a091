"""Tables in SQLite files: a column is what all its values are; counted there, and never written to."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import paretonym
from paretonym import Study
from paretonym.base.errors import InputError
from paretonym.tables.source.engines import Wanted, open_source, relation
from paretonym.tables.source.table_counts import Counts

SCHEMA: dict[str, Any] = {
    "columns": {
        "name": {"role": "identifier"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 50]}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "illness": {"role": "sensitive"},
    }
}
ROWS = [(f"p{n}", 20 + n * 7 % 60, "mf"[n % 2], ("flu", "gout")[n % 7 % 2]) for n in range(200)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    made("people", "name text, age integer, sex text, illness text", ROWS)
    return tmp_path


def made(table: str, columns: str, rows: Sequence[tuple[Any, ...]], file: str = "people.db") -> None:
    with closing(sqlite3.connect(file)) as database:
        database.execute(f"drop table if exists {table}")
        database.execute(f"create table {table} ({columns})")
        database.executemany(f"insert into {table} values ({', '.join('?' * len(rows[0]))})", rows)
        database.commit()


def opened(**given: Any) -> Counts:
    return open_source("sqlite:///people.db", given.pop("wanted", Wanted()), **given)


def spelled(cells: Sequence[Any], kind: str = "") -> dict[str, int]:
    """The spellings of one column."""
    made("t", f"x {kind}", [(cell,) for cell in cells])
    column = opened(table="t").column("x")
    return dict(zip(column.texts, column.counts.tolist(), strict=True))


@pytest.mark.parametrize(
    ("cells", "kind", "expected"),
    [
        ([1, 2**62, None, 1], "integer", {"1": 2, str(2**62): 1}),
        ([1, 2.5, None], "numeric", {"1": 1, "2.5": 1}),
        ([1, 1.0, 2.0], "", {"1": 2, "2": 1}),
        ([-0.0, 0.0, 0.1], "real", {"0": 2, "0.1": 1}),
        (["a", "A", "a ", "", None], "text collate nocase", {"a": 1, "A": 1, "a ": 1}),
        (["a", "a "], "text collate rtrim", {"a": 1, "a ": 1}),
        (["2024-02-29", "2024-02-29 00:00:00"], "date", {"2024-02-29": 1, "2024-02-29 00:00:00": 1}),
        (["007", "7"], "text", {"007": 1, "7": 1}),
        ([None, None], "text", {}),
        ([1, 0, 1], "boolean", {"1": 2, "0": 1}),
    ],
)
def test_spellings(cells: list[Any], kind: str, expected: dict[str, int]) -> None:
    assert spelled(cells, kind) == expected


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (
            [1, "secret"],
            "column 'x': its values are of different types, or blobs: integers and text; give all of them",
        ),
        ([1.5, "secret", 2], "its values are of different types, or blobs: integers and numbers and text"),
        ([2**62, 0.5], "column 'x': its values are of different types, or blobs: integers and numbers"),
        ([b"secret"], "or blobs: blobs; give"),
        ([float("inf")], "column 'x': it contains an infinite number"),
    ],
)
def test_values_that_are_refused(cells: list[Any], words: str) -> None:
    with pytest.raises(InputError) as found:
        spelled(cells)
    assert words in str(found.value)
    assert str(found.value).startswith("sqlite:///people.db, table 't', ")
    assert "secret" not in str(found.value)


def test_text_that_is_not_utf8() -> None:
    made("t", "x", [("a",)])
    with closing(sqlite3.connect("people.db")) as database:
        database.execute("update t set x = cast(x'736563726574ff' as text)")
        database.commit()
    with pytest.raises(InputError, match="column 'x': it contains text that is not UTF-8") as found:
        opened(table="t")
    assert "secret" not in str(found.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "sqlite:///people.db: which table?; give table=NAME or query='SELECT …'; there are: 'people'"),
        (
            {"table": "peple"},
            "there is no table called 'peple', or this user may not see it; did you mean 'people'?",
        ),
        ({"query": "delete from people"}, 'SQLite could not compute it (near "delete": syntax error'),
        ({"query": "/* select */ drop table people"}, 'SQLite could not compute it (near "drop"'),
        ({"query": "select 1; drop table people"}, 'SQLite could not compute it (near ";": syntax error'),
        ({"query": "select 1) as x; drop table people; --"}, "SQLite could not compute it (You can only"),
        (
            {"query": "select a from people"},
            "SQLite could not compute it (no such column: a)",
        ),
        ({"query": "select 1 as x where 0"}, "query: there are no rows"),
        ({"table": "people", "query": "select 1"}, "query: given together with table=; give one of the two"),
        ({"table": "people", "engine": "spark"}, "engine: Spark reads files; a database or a dataframe"),
    ],
)
def test_what_cannot_be_read(given: dict[str, str], words: str) -> None:
    with pytest.raises(InputError) as found:
        opened(**given)
    assert words in str(found.value)
    assert opened(table="people").rows == 200


def test_files_that_are_none() -> None:
    Path("people.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"SQLITE_NOTADB\); check that no other program"):
        open_source("sqlite:///people.csv", Wanted(), table="people")
    with pytest.raises(InputError, match=r"this file does not exist; did you mean 'people.db'\?"):
        open_source("sqlite:///peple.db", Wanted(), table="people")
    with pytest.raises(InputError, match="table: this is for tables in a database, and the data are not the"):
        open_source("people.csv", Wanted(), table="people")
    damaged = Path("people.db").read_bytes()
    Path("damaged.db").write_bytes(damaged[:100] + b"\xff" * (len(damaged) - 100))
    with pytest.raises(InputError, match=r"SQLite could not compute it \(SQLITE_"):
        open_source("sqlite:///damaged.db", Wanted(), table="people")


def test_queries_may_end_in_a_comment() -> None:
    source = opened(query="with x as (select age from people) select * from x where age > 60 -- the old ;")
    assert source.names == ("age",)
    assert source.name == "the query"


def test_one_snapshot_for_all_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody can write between two passes; in the mode WAL they can, and it is not seen."""
    passed = relation._repeated
    for mode in ("delete", "wal"):
        with closing(sqlite3.connect("people.db", timeout=0)) as database:
            database.execute(f"pragma journal_mode = {mode}")

            def between(*given: Any, database: sqlite3.Connection = database, mode: str = mode) -> Any:
                try:
                    database.execute("insert into people values ('p0', 30, 'm', 'flu')")
                    database.commit()
                except sqlite3.OperationalError:
                    database.rollback()
                    assert mode == "delete"
                else:
                    assert mode == "wal"
                return passed(*given)

            monkeypatch.setattr(relation, "_repeated", between)
            found = opened(table="people", wanted=Wanted(frozenset({"age"}), frozenset({"name"})))
            assert found.rows == 200
            assert found.repeated("name").texts == ()


def test_a_file_that_is_being_written(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(sqlite3.connect("people.db", isolation_level=None)) as database:
        database.execute("begin exclusive")
        # Instead of the five seconds for which SQLite tries again.
        monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, timeout=0.1))
        with pytest.raises(InputError, match=r"SQLITE_BUSY\); check that no other program writes to it"):
            opened(table="people")


def test_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is noticed while SQLite counts."""
    import _thread
    import threading

    numbers = "with recursive n(x) as (select 1 union all select x + 1 from n where x < 3e7)"
    query = f"{numbers} select max(x) as y from n"
    threading.Timer(0.5, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        opened(query=query)


def test_more_rows_than_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    query = (
        "with recursive n(x) as (select 1 union all select x + 1 from n where x < 1500000) select x from n"
    )
    with pytest.raises(
        InputError, match="there are more than 1,398,101 different rows in the columns that are counted"
    ):
        opened(query=query, memory="64MiB")


def test_the_same_frontier_and_release_as_in_memory(folder: Path) -> None:
    expected = Study(sqlite3_frame(), SCHEMA).explore(space="lattice")
    study = Study("sqlite:///people.db", SCHEMA, table="people")
    front = study.explore(space="lattice")
    assert front.as_json() == expected.as_json()
    assert study.source.entries < 200
    front.save("run")
    before = Path("people.db").read_bytes()
    again = paretonym.load("run")
    again[1].release(folder / "a.csv")
    expected[1].release(folder / "b.csv", allow_second_release=True)
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()
    assert Path("people.db").read_bytes() == before
    made("people", "name text, age integer, sex text, illness text", ROWS[1:])
    with pytest.raises(InputError, match="the data have changed since this run was made"):
        paretonym.load("run")[1].release(folder / "c.csv")
    Path("people.db").unlink()
    with pytest.raises(InputError, match="from which the run was made, no longer exists"):
        paretonym.load("run")[1].release(folder / "c.csv")


def sqlite3_frame() -> Any:
    import pandas

    return pandas.DataFrame(ROWS, columns=["name", "age", "sex", "illness"])


def test_what_needs_rows_repeats_them() -> None:
    study = Study("sqlite:///people.db", SCHEMA, table="people")
    assert (study.table.rows, study.table.entries) == (200, 200)
    study.explore(space="lattice").save("run")
    assert paretonym.load("run")[0].known_data.table.rows == 200


def test_no_output_takes_the_place_of_the_database(folder: Path) -> None:
    front = Study("sqlite:///people.db", SCHEMA, table="people").explore(space="lattice")
    assert str(folder / "people.db") in front[0].known_data.inputs
    with pytest.raises(InputError, match=r"people.db"):
        front[0].release("people.db", force=True)
    assert Path("people.db").read_bytes()[:16] == b"SQLite format 3\0"
