"""A release as a table of PostgreSQL, on a real server: whole or not at all, sorted, never instead of
something else; and an audit that groups its rows there and sees whatever is changed."""

from __future__ import annotations

import csv
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import paretonym
from paretonym import postgresql_connection
from paretonym.errors import InputError
from paretonym.release import release_files
from paretonym.release.postgresql_writer import PostgresqlTable
from tests.postgresql_server import PASSWORD, Server, programs, running_server
from tests.unit.release.test_database_writer import COLUMNS, data

pytestmark = [
    pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed (apt: postgresql)"),
    pytest.mark.xdist_group("postgresql"),
]
pytest.importorskip("adbc_driver_postgresql", reason="pip install 'paretonym[postgres]'")

MANIFEST = Path("people.manifest.json")


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with running_server() as started:
        started.run(
            f"create role reader login password '{PASSWORD}'",
            "grant select on all tables in schema public to reader",
            "alter default privileges in schema public grant select on tables to reader",
        )
        yield started


@pytest.fixture
def server(running: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in [name for name in os.environ if name.startswith("PG")]:
        monkeypatch.delenv(name)
    yield running
    running.run("drop table if exists people, turned, other cascade")


def study(table: Any = None, columns: Any = COLUMNS) -> Any:
    return paretonym.Study(data() if table is None else table, {"columns": columns})


@pytest.fixture(scope="module")
def solution() -> Any:
    return study().explore("k", "loss", suppress=0)[-1]


def audited(server: Server, table: str = "people", **options: Any) -> Any:
    return paretonym.audit(server.address(), table=table, **options)


def test_the_table_has_the_rows_of_the_file_in_their_order(server: Server, solution: Any) -> None:
    solution.release("out.csv")
    shown = f"postgresql://postgres@127.0.0.1:{server.port}/postgres"
    assert solution.release(server.address(), table="people") == shown
    names = "visits::text, weight, paid::text, day::text, insured::text"
    rows = server.asked(f"select age, sex, ill, {names} from people order by ctid")
    lines = list(csv.reader(Path("out.csv").read_text(encoding="utf-8").splitlines()))[1:]
    assert [list(map(_spelled, row)) for row in rows] == lines
    types = server.asked(
        "select string_agg(format_type(atttypid, atttypmod), ' ' order by attnum) from pg_attribute "
        "where attrelid = 'people'::regclass and attnum > 0"
    )
    assert types == [("text text text bigint double precision numeric(9,2) date boolean",)]
    assert server.asked("select count(distinct xmin::text) from people") == [(1,)]
    assert PASSWORD not in MANIFEST.read_text()


def _spelled(cell: Any) -> str:
    whole = isinstance(cell, float) and cell.is_integer()
    return "" if cell is None else str(int(cell)) if whole else str(cell)


def test_an_audit_finds_there_what_it_finds_in_a_file(server: Server, solution: Any) -> None:
    solution.release("out.csv")
    solution.release(server.address("postgres"), table="people")
    # Whoever may read the table may audit it.
    in_table = paretonym.audit(server.address("reader"), table="people", manifest=str(MANIFEST))
    in_file = paretonym.audit("out.csv")
    assert in_table.passed, in_table.failed
    assert in_file.passed
    assert "2 are not applicable" in str(in_table)

    measured = [[each for each in found.checks if each.kind != "file"] for found in (in_table, in_file)]
    assert measured[0] == measured[1]
    assert len(measured[0]) > 10
    assert (in_table.rows, in_table.roles) == (in_file.rows, in_file.roles)
    entry = json.loads(MANIFEST.read_text())
    assert entry["output"]["sha256"] == entry["output"]["content"] == in_table.sha256
    solution.release("duckdb:///out.duckdb", table="people")
    assert paretonym.audit("duckdb:///out.duckdb", table="people").sha256 == in_table.sha256
    beside = {"schema": {"columns": COLUMNS}, "original": data()}
    assert audited(server, **beside).passed
    required = audited(server, require=["k>=1000"])
    assert [each.name for each in required.failed] == ["k>=1000"]


def test_an_attack_reads_the_table_there(server: Server, solution: Any) -> None:
    solution.release("out.csv")
    solution.release(server.address(), table="people")
    beside = {"schema": {"columns": COLUMNS}, "original": data(), "estimates": False}
    in_file = paretonym.attack("out.csv", **beside)
    in_table = paretonym.attack(server.address(), table="people", manifest=str(MANIFEST), **beside)
    assert in_table.files == (f"postgresql://postgres@127.0.0.1:{server.port}/postgres, table people",)
    assert replace(in_table, files=in_file.files) == in_file


CHANGES: dict[str, tuple[str, str]] = {
    "update people set ill = 'gout' where ctid = (select min(ctid) from people where ill = 'flu')": (
        "sha256 of the rows",
        "the manifest was written for other rows",
    ),
    "insert into people select * from people limit 1": ("rows", ""),
    "delete from people where ctid = (select max(ctid) from people)": ("rows", ""),
    "alter table people rename column ill to illness": ("columns", ""),
    "alter table people add column note text": ("columns", ""),
    # What the digest does not tell apart.
    "update people set ill = '' where ill is null": ("rows with other spellings", "instead of null"),
    "update people set weight = '-0' where weight = 0": ("rows with other spellings", "a zero is negative"),
    # The same rows, stored elsewhere: the order of changes is in the places.
    "update people set ill = ill where ctid = (select min(ctid) from people)": ("rows sorted", ""),
    "create table turned as table people; truncate people; insert into people select * from turned "
    "order by insured desc": ("rows sorted", "rows are not sorted by all columns"),
    "with gone as (delete from people where ctid = '(0,2)' returning *) select * from gone": ("rows", ""),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_fails_the_audit(server: Server, solution: Any, change: str) -> None:
    solution.release(server.address(), table="people")
    server.run(*change.split("; "))
    name, why = CHANGES[change]
    failed = {check.name: check.why for check in audited(server).failed}
    assert name in failed
    assert why in failed[name]


def test_a_gap_between_rows_fails(server: Server, solution: Any) -> None:
    """The rows of the release, in their order, with a place left free: something was there."""
    solution.release(server.address(), table="people")
    server.run(
        "create table turned as table people",
        "truncate people",
        "insert into people select * from turned limit 1",
        "insert into people select * from turned order by ctid",
        "delete from people where ctid = '(0,1)'",
    )
    (failed,) = audited(server).failed
    assert failed.name == "rows sorted"
    assert "rows are not stored one behind the other" in failed.why


def test_types_and_relations_that_releases_do_not_have(server: Server, solution: Any) -> None:
    solution.release(server.address(), table="people")
    server.run("alter table people alter ill type varchar(40)")
    assert audited(server).passed
    server.run("alter table people alter ill type char(40)")
    with pytest.raises(InputError, match="the type of the column 'ill' is not one that releases have"):
        audited(server)
    server.run("create view seen as table people", "create table other () inherits (people)")
    for name in ("seen", "people", "nothing"):
        with pytest.raises(InputError, match=rf"there is no table '{name}'.*views are not audited"):
            audited(server, name)


def test_what_exists_is_never_replaced(server: Server, solution: Any) -> None:
    server.run(
        "create table other as select 1 as a", "create view seen as table other",
        "create type kind as enum ('a')", "create sequence numbers",
    )  # fmt: skip
    solution.release(server.address(), table="people")
    before = server.asked("select ctid::text, xmin::text from people"), MANIFEST.read_bytes()
    for name in ("people", "public.people", "other", "seen", "kind", "numbers"):
        with pytest.raises(InputError, match=f"the table '{name}' already exists, and a table is never repl"):
            solution.release(server.address(), table=name, force=True)
    assert (server.asked("select ctid::text, xmin::text from people"), MANIFEST.read_bytes()) == before
    server.run("drop type kind", "drop sequence numbers")
    # A manifest is not overwritten either.
    server.run("drop table people")
    with pytest.raises(InputError, match=r"people\.manifest\.json.*already exists"):
        solution.release(server.address(), table="people")
    assert solution.release(server.address(), table="people", force=True)


def test_a_table_of_the_same_name_at_the_same_time(
    server: Server, solution: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PostgresqlTable, "is_taken", lambda self: False)
    server.run("create table people as select 1 as a")
    with pytest.raises(InputError, match="the table 'people' already exists, and a table is never replaced"):
        solution.release(server.address(), table="people")
    assert server.asked("table people") == [(1,)]
    assert not MANIFEST.exists()


def test_schemas(server: Server, solution: Any) -> None:
    server.run("drop schema if exists clinic cascade", "create schema clinic")
    solution.release(server.address(), table="clinic.people")
    assert Path("clinic.people.manifest.json").exists()
    assert audited(server, "clinic.people").passed
    with pytest.raises(InputError, match="schema nowhere: there is no such schema; create it first"):
        solution.release(server.address(), table="nowhere.people")
    with pytest.raises(InputError, match="schema public: there is no permission to create a table there"):
        solution.release(server.address("reader"), table="people")
    address = server.address() + "?options=-csearch_path%3Dnowhere"
    with pytest.raises(InputError, match="there is no schema in which this user could create a table"):
        solution.release(address, table="people")


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_what_goes_wrong_leaves_nothing(
    server: Server, solution: Any, error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(release_files, "_write_manifest", fail)
    with pytest.raises(error if error is KeyboardInterrupt else InputError):
        solution.release(server.address(), table="people")
    assert nothing_there(server)


def nothing_there(server: Server) -> bool:
    return not MANIFEST.exists() and server.asked("select to_regclass('people') is null") == [(True,)]


def ended(server: Server, words: str) -> Callable[[], None]:
    """Ends the connection that executes a statement with these words, once it does."""

    def end() -> None:
        query = (
            "select count(pg_terminate_backend(pid)) from pg_stat_activity "
            f"where query ilike '{words}%' and pid <> pg_backend_pid()"
        )
        deadline = time.monotonic() + 60
        while server.asked(query) == [(0,)] and time.monotonic() < deadline:
            time.sleep(0.05)

    return end


def test_a_connection_that_is_lost(server: Server, solution: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """While rows are copied, nothing is there; while they are committed, nobody knows."""
    copy = postgresql_connection.Transaction.copy

    def lost(self: Any, *given: Any) -> None:
        copy(self, *given)
        ended(server, "copy")()
        self.rows("select 1")

    with monkeypatch.context() as patch:
        patch.setattr(postgresql_connection.Transaction, "copy", lost)
        with pytest.raises(InputError, match=r"connection to the server was lost|the server is being stopp"):
            solution.release(server.address(), table="people")
    assert nothing_there(server)
    commit = postgresql_connection.Transaction.commit

    def unconfirmed(self: Any) -> None:
        commit(self)
        ended(server, "commit")()
        self.run("commit")

    monkeypatch.setattr(postgresql_connection.Transaction, "commit", unconfirmed)
    with pytest.raises(InputError, match="the server did not confirm the commit, so the table may be there"):
        solution.release(server.address(), table="people")
    assert not MANIFEST.exists()


def test_an_interruption_during_the_commit_comes_too_late(
    server: Server, solution: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at, interruptions = postgresql_connection._looked_at, [KeyboardInterrupt()]

    def interrupted(asked: Any) -> Any:
        found = looked_at(asked)
        if MANIFEST.exists() and interruptions:
            raise interruptions.pop()
        return found

    monkeypatch.setattr(postgresql_connection, "_looked_at", interrupted)
    solution.release(server.address(), table="people")
    assert not interruptions
    assert MANIFEST.exists()
    assert audited(server).passed


def test_an_interruption_while_rows_are_copied(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server is asked to stop, and nothing is left."""
    rows = pa.table({"q": [str(n % 5) for n in range(400_000)], "n": list(range(400_000))})
    columns = {"q": {"role": "quasi", "hierarchy": {"flat": True}}, "n": {"role": "other", "kept": "yes"}}
    solution = study(rows, columns).explore("k", "loss", suppress=0)[-1]
    copied = "select count(*) from pg_stat_activity where query like 'COPY%'"
    real = vars(postgresql_connection)["wait"]

    def wait(asked: Any, seconds: float) -> Any:
        # The second time, until the server has stopped, is longer.
        if seconds < 1 and server.asked(f"{copied} and state = 'active'") == [(1,)]:
            raise KeyboardInterrupt
        return real(asked, min(seconds, 0.01))

    monkeypatch.setattr(postgresql_connection, "wait", wait)
    with pytest.raises(KeyboardInterrupt):
        solution.release(server.address(), table="people")
    monkeypatch.setattr(postgresql_connection, "wait", real)
    assert nothing_there(server)


def test_whole_numbers_of_every_width(server: Server) -> None:
    kinds = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
    largest = {kind: (1 << int(kind.strip("uint")) - (kind[0] == "i")) - 1 for kind in kinds}
    table = {"q": ["a"] * 4, **{k: pa.array([1, None, largest[k], 1], getattr(pa, k)()) for k in kinds}}
    kept = {name: {"role": "other", "kept": "yes"} for name in kinds}
    columns = {"q": {"role": "quasi", "hierarchy": {"flat": True}}, **kept}
    study(pa.table(table), columns).explore("k", "loss")[-1].release(server.address(), table="people")
    assert audited(server).passed
    found = server.asked(f"select {', '.join(f'max({kind})::text' for kind in kinds)} from people")
    assert found == [tuple(str(largest[kind]) for kind in kinds)]


def test_texts_and_names_that_the_server_cannot_store(server: Server) -> None:
    flat = {"role": "quasi", "hierarchy": {"flat": True}}
    best = study(pa.table({"q": ["a\0b"] * 4}), {"q": flat}).explore("k", "loss")[0]
    with pytest.raises(InputError, match="the column 'q' has a text with the character NUL, which it cannot"):
        best.release(server.address(), table="people")
    for name in ("ctid", "x" * 64):
        best = study(pa.table({name: ["a"] * 4}), {name: flat}).explore("k", "loss")[-1]
        with pytest.raises(InputError, match="PostgreSQL has no columns with such names: "):
            best.release(server.address(), table="people")
    assert nothing_there(server)
    # Names that differ by the case of letters are two, and quotes are no end.
    names = ["Age", "age", 'a"b', "select"]
    rows, columns = pa.table({name: ["'x\\n\t"] * 4 for name in names}), dict.fromkeys(names, flat)
    study(rows, columns).explore("k", "loss")[-1].release(server.address(), table="people")
    assert audited(server).passed


def test_rows_that_fill_several_pages(server: Server) -> None:
    rows = pa.table({"q": [str(n * 7 % 400) for n in range(4000)], "s": [str(n % 3) for n in range(4000)]})
    columns = {"q": {"role": "quasi", "hierarchy": {"flat": True}}, "s": {"role": "sensitive"}}
    study(rows, columns).explore("k", "loss")[-1].release(server.address(), table="people")
    assert server.asked("select max((ctid::text::point)[0]) > 5 from people") == [(True,)]
    assert audited(server).passed
    # What a server does by itself, or its administrator, keeps the order.
    server.run("analyze people", "vacuum people", "vacuum full people")
    assert audited(server).passed
    server.run("create index by_value on people (s)", "cluster people using by_value")
    assert [check.name for check in audited(server).failed] == ["rows sorted"]
