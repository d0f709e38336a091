"""Tables in PostgreSQL, on a real server: counted there, exactly, on one snapshot, without writing anything;
and no message, file or traceback shows a password."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import paretonym
from paretonym import Study
from paretonym.base.errors import InputError
from paretonym.base.sql_literals import sql_name
from paretonym.tables.schema.draft import draft_schema
from paretonym.tables.source import Counts
from paretonym.tables.source import dictionary_encoding as counting_engine
from paretonym.tables.source.engines import Wanted, open_source, open_undescribed
from tests.exams.engine_exam import ENGINE_CHECKS, Engine
from tests.postgresql_server import PASSWORD, Server, programs, running_server
from tests.properties.test_suppressed_spellings import shown

pytestmark = [
    pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed (apt: postgresql)"),
    # One server for all of them.
    pytest.mark.xdist_group("postgresql"),
]
pytest.importorskip("adbc_driver_postgresql", reason="pip install 'paretonym[postgres]'")

SCHEMA: dict[str, Any] = {
    "columns": {
        "name": {"role": "identifier"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 50]}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "illness": {"role": "sensitive"},
        "note": {"role": "drop"},
    }
}
TOML = """
[columns]
name.role = "identifier"
sex = {role = "quasi", hierarchy.flat = true}
age = {role = "quasi", hierarchy.intervals = [10, 50]}
illness.role = "sensitive"
note.role = "drop"
"""
PEOPLE = (
    "create table people as select 'person ' || n as name, 20 + n * 7 % 60 as age, "
    "(array['m', 'f'])[1 + n % 2] as sex, (array['flu', 'cold', 'gout'])[1 + n % 7 % 3] as illness, "
    "'note ' || n as note from generate_series(0, 299) as n"
)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as started:
        started.run(PEOPLE)
        yield started


@pytest.fixture(autouse=True)
def _no_password_around(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in [name for name in os.environ if name.startswith("PG")]:
        monkeypatch.delenv(name)


TYPES = {
    "bool": "boolean", "int32": "integer", "int64": "bigint", "double": "double precision",
    "decimal128(20, 2)": "numeric(20, 2)", "date32[day]": "date", "timestamp[us]": "timestamp",
    "timestamp[us, tz=UTC]": "timestamptz",
}  # fmt: skip


def stored(server: Server, table: Any, name: str = "exam", types: dict[str, str] = TYPES) -> None:
    """An Arrow table in PostgreSQL; rows come in through text, which every type reads."""
    listed = ", ".join(f"{sql_name(f.name)} {types.get(str(f.type), 'text')}" for f in table.schema)
    texts = pa.table({f"c{n}": _texts(column) for n, column in enumerate(table.columns)})
    casts = ", ".join(f"cast(c{n} as {types.get(str(f.type), 'text')})" for n, f in enumerate(table.schema))
    with server.connected() as connection, closing(connection.cursor()) as cursor:
        cursor.execute(f"drop table if exists {name}, raw_rows")
        cursor.adbc_ingest("raw_rows", texts, mode="create")
        cursor.execute(f"create table {name} ({listed})")
        cursor.execute(f"insert into {name} select {casts} from raw_rows")


def _texts(column: Any) -> Any:
    return pa.array([None if cell is None else str(cell) for cell in column.to_pylist()], pa.string())


def exam_engine(server: Server, **form: Any) -> Engine:
    def study(table: Any, schema: Any) -> Study:
        stored(server, table)
        return Study(server.address(), schema, table="exam", **form)

    reason = "PostgreSQL keeps the moment, not the zone that it was written in"
    return Engine(study, dict.fromkeys(("timestamps in a zone", "midnights in a zone"), reason))


@pytest.mark.parametrize("check", ENGINE_CHECKS)
@pytest.mark.parametrize("form", [{}])
def test_exam(server: Server, check: str, form: Any) -> None:
    ENGINE_CHECKS[check](exam_engine(server, **form))


UUID = "00000000-0000-0000-0000-000000000001"


def counted(server: Server, query: str, *names: str) -> dict[str, Any]:
    """The spellings of some columns of a query, with their counts."""
    source = open_source(server.address(), Wanted(), query=query)
    columns = (source.column(name) for name in names or source.names)
    return {c.name: dict(zip(c.texts, c.counts.tolist(), strict=True)) for c in columns}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("values (1.5), (1.50), (2.25)", {"1.5": 1, "1.50": 1, "2.25": 1}),
        ("values (1e30), (1.0)", {"1000000000000000000000000000000": 1, "1.0": 1}),
        (f"values ({'1234567890' * 5}.5)", {f"{'1234567890' * 5}.5": 1}),
        ("values (0.1::real), ('NaN'::real), (-0.0::real)", {"0.1": 1, "0": 1}),
        ("values ('NaN'::numeric), (1::numeric)", {"1": 1}),
        ("values ('a '::char(5)), ('a'::char(5))", {"a": 2}),
        ("values ('a '::varchar), ('a'::varchar)", {"a ": 1, "a": 1}),
        (f"values ('{UUID}'::uuid)", {UUID: 1}),
        ("values (timestamptz '2024-07-01 00:00+02')", {"2024-06-30T22:00:00Z": 1}),
        ("values (9007199254740993), (9007199254740992)", {"9007199254740993": 1, "9007199254740992": 1}),
        ("select null::text as x, 1 as y", {}),
        ("select array[1, 2] as x", {"{1,2}": 1}),
    ],
)  # fmt: skip
def test_values_are_exact(server: Server, query: str, expected: dict[str, int]) -> None:
    query = query if query.startswith("select") else f"select * from ({query}) as v(x)"
    assert counted(server, query, "x") == {"x": expected}


@pytest.mark.parametrize(
    ("kind", "stay", "odd"),
    [
        ("numeric", ("1.50", "2.25"), ("7", "7.123456789", "NaN", None, "1e45")),
        ("numeric", ("1", "2.25"), ("7", "1.5")),
        (
            "timestamp",
            ("2024-02-29", "2024-07-01"),
            ("2024-07-02", "2024-07-01 10:30", "2024-07-01 00:00:00.5"),
        ),
        ("timestamptz", ("2024-02-29", "2024-07-01 10:30"), ("2024-07-02", "2024-07-01 10:30:00.123456")),
        ("double precision", ("1", "37"), ("2", "0.5", "1e300", "NaN", None)),
    ],
)
@pytest.mark.parametrize("role", ["quasi", "sensitive", "other"])
def test_what_a_suppressed_row_holds_is_not_seen(
    server: Server, kind: str, stay: tuple[str, ...], odd: tuple[str | None, ...], role: str
) -> None:
    found = []
    for cell in odd:
        cells, groups = [*(each for each in stay for _ in range(4)), cell], ["a"] * 4 + ["b"] * 4 + ["z"]
        stored(
            server,
            pa.table({"x": pa.array(cells, pa.large_string()), "g": groups}),
            "odd",
            {"large_string": kind},
        )
        found.append(shown(server.address(), role, {"table": "odd"}))
    assert all(each == found[0] for each in found)


def test_spellings_that_a_collation_takes_for_one(server: Server) -> None:
    server.run(
        "create collation if not exists any_case (provider = icu, locale = 'und-u-ks-level2', "
        "deterministic = false)",
        "drop table if exists spelled",
        "create table spelled (x text collate any_case)",
        "insert into spelled values ('a'), ('A'), ('a')",
    )
    assert counted(server, "table spelled") == {"x": {"a": 2, "A": 1}}


def test_types_that_the_server_was_taught(server: Server) -> None:
    server.run(
        "drop table if exists taught",
        "drop type if exists mood",
        "drop domain if exists small",
        "create type mood as enum ('low', 'high')",
        "create domain small as integer check (value < 10)",
        "create table taught (m mood, s small)",
        "insert into taught values ('low', 1), ('low', 1)",
    )
    assert counted(server, "select * from taught") == {"m": {"low": 2}, "s": {"1": 2}}


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("select 1 as x, 2 as x", "columns 1 and 2 have the same name"),
        ("select date 'infinity' as x", "column 'x': it contains an infinite date, or one that is not"),
        ("select timestamp '-infinity' as x", "column 'x': it contains an infinite date"),
        ("select date '0044-03-15 BC' as x", "column 'x': it contains an infinite date, or one that"),
        ("select 'infinity'::numeric as x", "column 'x': it contains an infinite number"),
        ("select 'infinity'::float8 as x", "column 'x': it contains an infinite number"),
        ("select 1 as x where false", "query: there are no rows; give a table with rows"),
    ],
)  # fmt: skip
def test_values_that_are_refused(server: Server, query: str, words: str) -> None:
    with pytest.raises(InputError) as found:
        open_source(server.address(), Wanted(), query=query)
    assert words in str(found.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "which table?; give table=NAME or query='SELECT …'; there are: "),
        ({"table": "peple"}, "there is no table called 'peple', or this user may not see it; did you mean"),
        ({"query": "select * from peple"}, '(42P01: relation "peple" does not exist'),
        ({"query": "select agee from people"}, '(42703: column "agee" does not exist'),
        ({"query": "selec 1"}, '(42601: syntax error at or near "1"'),
        ({"query": "drop table people"}, '(42601: syntax error at or near "table"'),
        ({"query": "select 1; drop table people"}, '(42601: syntax error at or near ";"'),
        ({"query": "select 1) as x; drop table people; --"}, "could not compute it (42601: syntax"),
        ({"query": "with x as (delete from people returning *) table x"}, "could not compute it (0A000)"),
        ({"query": "select nextval('numbers')"}, "PostgreSQL could not compute it (25006)"),
        ({"query": "select name::int as x from people"}, "could not compute it (22P02)"),
        ({"query": "select 1 as x", "table": "people"}, "query: given together with table="),
        ({"table": "people", "engine": "spark"}, "engine: Spark reads files; a database or a dataframe is"),
    ],
)  # fmt: skip
def test_what_cannot_be_read(server: Server, given: dict[str, Any], words: str) -> None:
    server.run("create sequence if not exists numbers")
    with pytest.raises(InputError) as found:
        open_source(server.address(), Wanted(), **given)
    assert words in str(found.value)
    assert "person 1" not in str(found.value)
    assert server.asked("select count(*) from people") == [(300,)]


def test_tables_by_their_schemas(server: Server) -> None:
    server.run(
        "create schema if not exists clinic", "drop table if exists clinic.visits",
        'create table clinic.visits as select 1 as "a b"',
    )  # fmt: skip
    assert open_source(server.address(), Wanted(), table="clinic.visits").names == ("a b",)
    assert open_source(server.address(), Wanted(), table="public.people").rows == 300
    with pytest.raises(InputError, match="there is no table called 'visits'"):
        open_source(server.address(), Wanted(), table="visits")


def test_columns_that_are_dropped_are_not_asked_for(server: Server) -> None:
    source = Study(server.address(), SCHEMA, table="people").source
    assert source.names == ("name", "age", "sex", "illness", "note")
    assert source.counted == ("age", "sex", "illness")
    assert isinstance(source, Counts)
    assert source.engine == "auto"


def test_more_distinct_rows_than_memory(server: Server) -> None:
    query = "select n, n as m, n as o from generate_series(1, 1000000) as n"
    with pytest.raises(InputError, match="more than 838,860 different rows in the columns that are coun"):
        open_source(server.address(), Wanted(), query=query, memory="64MiB")
    with pytest.raises(InputError, match="there are more than 838,860 different rows"):
        open_source(server.address(), Wanted(), query=query, memory="64MiB")


def test_one_snapshot_for_all_passes(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that come in between two passes are in neither; nobody is kept from writing them."""
    from paretonym.tables.source.engines import relation

    server.run("drop table if exists moving", "create table moving as select 'a' as id, 1 as q")
    passed = relation._repeated

    def between(*given: Any) -> Any:
        server.run("insert into moving values ('a', 1)")
        return passed(*given)

    monkeypatch.setattr(relation, "_repeated", between)
    wanted = Wanted(frozenset("q"), frozenset({"id"}))
    found = open_source(server.address(), wanted, table="moving")
    assert found.rows == 1
    assert found.repeated("id").texts == ()
    assert server.asked("select count(*) from moving") == [(2,)]


@pytest.mark.parametrize(
    ("change", "password"),
    [
        (("", ""), "wrong"),
        (("", ""), None),
        ((":PORT", ":1"), PASSWORD),
        (("127.0.0.1", "nowhere.invalid"), PASSWORD),
        (("/postgres", "/nothing"), PASSWORD),
    ],
)
def test_servers_that_admit_nobody(server: Server, change: tuple[str, str], password: str | None) -> None:
    address = server.address(password=password)
    if change[0]:
        address = change[1].join(address.rsplit(change[0].replace("PORT", str(server.port)), 1))
    with pytest.raises(InputError) as found:
        open_source(address, Wanted(), table="people")
    assert "there is no connection to this server, or it was lost; try the address in psql" in str(
        found.value
    )
    assert "horse" not in str(found.value)


def test_no_permission(server: Server) -> None:
    server.run("drop role if exists guest", f"create role guest login password '{PASSWORD}'")
    selections: list[dict[str, Any]] = [{"table": "people"}, {"query": "select * from people"}]
    for given in selections:
        with pytest.raises(
            InputError, match=r"PostgreSQL could not compute it \(42501: permission denied for table people"
        ):
            open_source(server.address("guest"), Wanted(), **given)


def test_a_statement_that_takes_too_long(server: Server) -> None:
    server.run(
        "drop role if exists slow", f"create role slow login password '{PASSWORD}'",
        "alter role slow set statement_timeout = 200",
    )  # fmt: skip
    with pytest.raises(InputError, match=r"could not compute it \(57014\); check that no other"):
        open_source(server.address("slow"), Wanted(), query="select pg_sleep(60)::text as x")


def test_a_server_that_goes(server: Server) -> None:
    def end() -> None:
        deadline = time.monotonic() + 60
        ended = (
            "select count(pg_terminate_backend(pid)) from pg_stat_activity where query like '%as odd_one%' "
        )
        while time.monotonic() < deadline:
            if server.asked(ended + "and pid <> pg_backend_pid()") != [(0,)]:
                return
            time.sleep(0.1)

    ending = threading.Thread(target=end)
    ending.start()
    with pytest.raises(
        InputError, match=r"no connection to this server, or it was lost|could not compute it \(57P01\)"
    ):
        open_source(server.address(), Wanted(), query="select pg_sleep(60)::text as odd_one")
    ending.join()


def written(folder: Path) -> str:
    return "\n".join(path.read_text(errors="replace") for path in sorted(folder.rglob("*")) if path.is_file())


def command(*words: str, **further: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from paretonym.interfaces.cli.main import main; main()", *words],
        capture_output=True, text=True, timeout=60, env={**os.environ, **further},
    )  # fmt: skip


def test_commands_never_show_the_password(server: Server, tmp_path: Path, state: Path) -> None:
    """From the draft of a schema to the audit, with the password in the address once, then in PGPASSWORD."""
    address = server.address()
    said = [command("init", address, "--table", "people", "-o", "draft.toml")]
    (tmp_path / "people.toml").write_text(TOML)
    said.append(command("schema", "people.toml", "--data", address, "--table", "people"))
    explore = (
        "explore",
        "--space",
        "lattice",
        address,
        "--table",
        "people",
        "--schema",
        "people.toml",
        "-o",
        "run",
    )
    said.append(command(*explore))
    ask = ("ask", "run", "--best", "k", "--json")
    said.append(command(*ask))
    pick = json.loads(said[-1].stdout)["answer"]["id"]
    out = ("release", "run", "--pick", pick, "-o", "public.csv")
    failed = command(*out)
    assert failed.returncode == 2
    assert "a password belongs in PGPASSWORD" in failed.stderr
    said.append(command(*out, PGPASSWORD=PASSWORD))
    said.append(command("audit", "public.csv"))
    for each in said:
        assert each.returncode == 0, each.stderr
    record = json.loads((tmp_path / "run/run.json").read_text())
    assert record["data"]["path"] == f"postgresql://postgres@127.0.0.1:{server.port}/postgres"
    assert record["options"]["table"] == "people"
    assert record["options"]["engine"] == "auto"
    shown = "".join(each.stdout + each.stderr for each in (*said, failed))
    for secret in (PASSWORD, PASSWORD.replace(" ", "%20")):
        assert secret not in shown + written(tmp_path) + written(state)
    moved = command(*out[:-1], "again.csv", "--data", address)
    assert moved.returncode == 0, moved.stderr
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "public.csv").read_bytes()


def test_bugs_show_no_password(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even the whole traceback, with the values of variables."""
    broken = (
        "import sys; from paretonym.tables.source.engines import postgresql_database as p; "
        "p.PostgresqlRelation.rows_query = lambda self, names: 1 / 0; "
        "from paretonym.interfaces.cli.main import main; main()"
    )
    Path("people.toml").write_text(TOML)
    explore = [
        "explore",
        "--space",
        "lattice",
        server.address(),
        "--table",
        "people",
        "--schema",
        "people.toml",
    ]
    for debug in ("", "1"):
        done = subprocess.run(
            [sys.executable, "-c", broken, *explore],
            capture_output=True, text=True, timeout=60, env={**os.environ, "PARETONYM_DEBUG": debug},
        )  # fmt: skip
        assert "ZeroDivisionError" in done.stderr
        assert "horse" not in done.stdout + done.stderr


def test_changed_data_are_refused(server: Server, tmp_path: Path) -> None:
    server.run("drop table if exists patients", "create table patients as table people")
    study = Study(server.address(), SCHEMA, table="patients")
    study.explore(space="lattice").save("run")
    server.run("update patients set illness = 'flu' where name = 'person 1'")
    address = server.address()
    with pytest.raises(InputError, match="the data have changed since this run was made"):
        paretonym.load("run", address)[0].release(tmp_path / "a.csv")
    server.run("drop table patients")
    with pytest.raises(InputError, match="there is no table called 'patients'"):
        paretonym.load("run", address)[0].release(tmp_path / "a.csv")
    assert not (tmp_path / "a.csv").exists()


def test_interrupted(server: Server) -> None:
    """Ctrl-C ends the command at once, and what the server does for it."""
    # A shell makes background jobs ignore it, and so do their children.
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code = f"{heard}from paretonym.interfaces.cli.main import main; main()"
    query = "select pg_sleep(60)::text as interrupted_one"
    Path("people.toml").write_text('[columns]\ninterrupted_one = {role = "quasi", hierarchy.flat = true}\n')
    explore = [
        "explore",
        "--space",
        "lattice",
        server.address(),
        "--query",
        query,
        "--schema",
        "people.toml",
        "-o",
        "run",
    ]
    running = "select count(*) from pg_stat_activity where query like '%pg_sleep(60)%' and state = 'active' "
    others = f"{running} and pid <> pg_backend_pid()"
    with subprocess.Popen(
        [sys.executable, "-c", code, *explore], stderr=subprocess.PIPE, text=True
    ) as process:
        _wait_until(lambda: server.asked(others) != [(0,)])
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said
    _wait_until(lambda: server.asked(others) == [(0,)])
    assert not Path("run").exists()


def _wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_draft_and_an_original_are_counted_there(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The distinct rows of a draft, and those beside a release."""
    address = server.address()
    drafted = draft_schema(open_undescribed(address, table="people"))
    assert drafted.suggestions == draft_schema(open_source(address, Wanted(), table="people")).suggestions
    study = Study(address, SCHEMA, table="people")
    release = study.explore("k", "loss", space="lattice")[-1].release(tmp_path / "r.csv")
    beside: dict[str, Any] = {"schema": SCHEMA, "original": address, "table": "people"}
    assert paretonym.audit(release, **beside).passed
    attacked = paretonym.attack(release, original=address, table="people", schema=SCHEMA)
    assert attacked.people == 300
    monkeypatch.setattr(counting_engine, "CELL_BYTES", 1 << 20)
    with pytest.raises(InputError, match="different rows in the columns that are counted") as refused:
        paretonym.audit(release, **beside, memory="64MiB")
    assert PASSWORD not in str(refused.value)
