"""Every command takes the data that `explore` takes: folders, patterns and tables of databases give the
answers of the same rows in one file, in words of the command line."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from tests.cli.conftest import Command

HEADER = ["id", "age", "sex", "illness"]
SCHEMA = """
[columns.id]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy.intervals = [10, 20]
[columns.sex]
role = "quasi"
hierarchy.flat = true
[columns.illness]
role = "sensitive"
"""
ROWS = [(f"p{n}", str(20 + n * 7 % 40), "fm"[n % 2], ("flu", "gout", "none")[n % 7 % 3]) for n in range(120)]
NEW = [(f"q{n}", *row[1:]) for n, row in enumerate(ROWS[:60])]
SECRET = "hunter2"


def write(path: Path, rows: Sequence[tuple[str, ...]]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(",".join(row) for row in [tuple(HEADER), *rows]) + "\n")


@pytest.fixture
def folder(command: Command, tmp_path: Path) -> Path:
    """The same rows in a file, in a folder, in hive partitions, in SQLite and in DuckDB; new rows too."""
    for name, rows in (("people", ROWS), ("new", NEW)):
        write(tmp_path / f"{name}.csv", rows)
        write(tmp_path / name / "a.csv", rows[::2])
        write(tmp_path / name / "b.csv", rows[1::2])
        with closing(sqlite3.connect("clinic.db")) as database:
            database.execute(f"create table {name} (id text, age text, sex text, illness text)")
            database.executemany(f"insert into {name} values (?, ?, ?, ?)", rows)
            database.commit()
        with duckdb.connect("clinic.duckdb") as warehouse:
            warehouse.execute(f"create table {name} as from read_csv('{name}.csv', all_varchar = true)")
    (tmp_path / "people.toml").write_text(SCHEMA)
    assert command("explore", "people.csv", "--schema", "people.toml", "-o", "run").code == 0
    document = json.loads((tmp_path / "run" / "frontier.json").read_text())
    pick = next(each["id"] for each in document["solutions"] if each["values"]["k"] >= 5)
    assert command("release", "run", "--pick", pick, "-o", "r.csv", "-q").code == 0
    (tmp_path / "pick").write_text(pick)
    return tmp_path


DOORS = {
    "folder": ["people"],
    "pattern": ["people/*.csv"],
    "sqlite": ["sqlite:///clinic.db", "--table", "people"],
    "duckdb": ["duckdb:///clinic.duckdb", "--query", "select * from people"],
    "engine": ["people.csv", "--engine", "duckdb", "--memory", "100MB"],
}


def as_original(door: Sequence[str]) -> list[str]:
    return [
        each.replace("--table", "--original-table").replace("--query", "--original-query") for each in door
    ]


def test_an_original_is_the_same_through_every_door(command: Command, folder: Path) -> None:
    for asked in (["audit", "r.csv"], ["attack", "r.csv"]):
        asked = [*asked, "--schema", "people.toml", "--json", "--original"]
        expected = command(*asked, "people.csv")
        assert json.loads(expected.out)
        for name, door in DOORS.items():
            found = command(*asked, *as_original(door))
            assert (found.code, found.out) == (expected.code, expected.out), name
    assert command("audit", "r.csv", "--schema", "people.toml", "--original", "people").code == 0


def test_a_draft_is_the_same_through_every_door(command: Command, folder: Path) -> None:
    expected = command("init", "people.csv")
    for door in DOORS.values():
        found = command("init", *door)
        assert found.code == 0
        # The first line names the data.
        assert found.out.partition("quasi:")[2] == expected.out.partition("quasi:")[2]
    schema = (folder / "people.toml").read_text()
    news = command("init", "--update", "people.toml", *DOORS["sqlite"])
    assert "people has nothing new" in news.err
    assert (folder / "people.toml").read_text() == schema
    saved = command("init", *DOORS["sqlite"], "-o", "draft.toml")
    assert "paretonym schema draft.toml --data sqlite:///clinic.db --table people" in saved.err


def test_a_schema_is_reviewed_through_every_door(command: Command, folder: Path) -> None:
    expected = json.loads(command("schema", "people.toml", "--data", "people.csv", "--json").out)
    for door in DOORS.values():
        found = json.loads(command("schema", "people.toml", "--data", *door, "--json").out)
        # Of identifiers an engine counts only what repeats.
        first, *others = found.pop("columns")
        assert first == {**expected["columns"][0], "type": None, "distinct": None, "missing": None}
        assert others == expected["columns"][1:]
        assert found == {name: value for name, value in expected.items() if name != "columns"}
    shown = command("schema", "people.toml", "--data", "people")
    assert "not counted" in shown.out


def test_new_rows_come_through_every_door(command: Command, folder: Path) -> None:
    pick = (folder / "pick").read_text()
    doors = {name: [each.replace("people", "new") for each in door] for name, door in DOORS.items()}
    written = []
    for name, door in {"file": ["new.csv"], **doors}.items():
        ended = command("apply", "run", "--pick", pick, *door, "-o", f"{name}.csv", "-q")
        # The run was read in memory: only the rows of files can be counted in another engine.
        if name == "engine":
            assert ended.code == 2
            assert "this needs the rows themselves" in ended.err
            continue
        assert ended.code == 0, ended.err
        written.append((folder / f"{name}.csv").read_bytes())
    assert len(set(written)) == 1
    beside = ["--original", *as_original(doors["sqlite"]), "--old", "duckdb:///clinic.duckdb"]
    ended = command("audit", "sqlite.csv", "--schema", "people.toml", *beside, "--old-table", "people")
    assert ended.code == 0, ended.out


WRONG = [
    (["--original", "sqlite:///clinic.db"], "give --original-table NAME or --original-query 'SELECT …'"),
    (["--original", "sqlite:///clinic.db", "--original-table", "peple"], "did you mean 'people'?"),
    (["--original", "people.csv", "--original-table", "people"], "--original-table: this is for tables in a"),
    (["--original-query", "select 1"], "--original-query: it says what is read of --original, which is not"),
    (
        ["--original", "sqlite:///clinic.db", "--original-table", "people", "--original-query", "select 1"],
        "--original-query: given together with --original-table",
    ),
    (
        ["--original", "sqlite:///clinic.db", "--original-query", "drop table x"],
        "--original-query: this is not a",
    ),
    (["--original", "people", "--engine", "oracle"], "--engine: there is no engine called 'oracle'"),
    (["--original", "people", "--memory", "lots"], "--memory: 'lots' is not an amount of memory"),
]


@pytest.mark.parametrize(("options", "said"), WRONG)
def test_mistakes_are_named_as_the_options_are(
    command: Command, folder: Path, options: list[str], said: str
) -> None:
    for asked in ("audit", "attack"):
        ended = command(asked, "r.csv", "--schema", "people.toml", *options)
        assert ended.code == 2
        assert said in ended.err


def test_passwords_are_shown_nowhere(command: Command, folder: Path) -> None:
    address = f"postgresql://me:{SECRET}@127.0.0.1:1/clinic"
    pick = (folder / "pick").read_text()
    for asked in (
        ["audit", "r.csv", "--schema", "people.toml", "--original", address, "--original-table", "people"],
        ["attack", "r.csv", "--schema", "people.toml", "--original", address, "--original-table", "people"],
        ["apply", "run", "--pick", pick, address, "--table", "new", "-o", "x.csv"],
        ["init", address, "--table", "people", "-o", "x.toml"],
        ["schema", "people.toml", "--data", address, "--table", "people"],
        ["audit", address],
        ["attack", address, "--schema", "people.toml"],
    ):
        ended = command(*asked)
        assert ended.code == 2
        assert SECRET not in ended.out + ended.err
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert not any(SECRET.encode() in path.read_bytes() for path in written)
    assert not (folder / "x.csv").exists()


@pytest.mark.parametrize("address", ["duckdb:///clinic.duckdb", "sqlite:///clinic.db"])
def test_a_release_is_a_table_beside_its_own_data(folder: Path, command: Command, address: str) -> None:
    """The run reads one table of the database and its release is written as another."""
    assert command("explore", address, "--table", "people", "--schema", "people.toml", "-o", "own").code == 0
    pick = ["release", "own", "--pick", (folder / "pick").read_text(), "-o", address, "-q"]
    refused = command(*pick, "--table", "people", "--force")
    assert refused.code == 2
    assert "the table 'people' already exists, and a table is never replaced" in refused.err
    assert command(*pick, "--table", "public").code == 0
    manifest = folder / f"{address.rpartition('/')[2]}.public.manifest.json"
    audit = ["audit", address, "--table", "public"]
    ended = command(*audit, "--schema", "people.toml", "--original", address, "--original-table", "people")
    assert ended.code == 0
    assert "checks hold, 2 are not applicable" in ended.err
    assert "sha256 of the rows" in ended.err
    moved = manifest.rename(folder / "moved.json")
    assert "there is no manifest beside it" in command(*audit).err
    assert json.loads(command(*audit, "--manifest", str(moved), "--json").out)["passed"] is True
    # The log knows the release by its rows: the same as a file is no second one, another is.
    assert command(*pick[:4], "-o", "again.csv", "-q").code == 0
    assert "table public of clinic" in (folder / "own" / "run.json").read_text()


def test_a_table_is_named_in_words_of_the_command_line(folder: Path, command: Command) -> None:
    refused = command("audit", "sqlite:///clinic.db")
    assert refused.code == 2
    assert "no table is named, and it has 'new', 'people'; give --table NAME" in refused.err
    assert "only a database has tables" in command("audit", "r.csv", "--table", "people").err
    pick, server = (folder / "pick").read_text(), f"postgresql://me:{SECRET}@127.0.0.1:1/db"
    for ended in (
        command("audit", server, "--table", "people"),
        command("release", "run", "--pick", pick, "-o", server, "--table", "people"),
    ):
        assert ended.code == 2
        assert "postgresql://me@127.0.0.1:1/db: no server answers there; check the address" in ended.err
        assert "Other users of this machine can see the password in the address" in ended.err
        assert SECRET not in ended.out + ended.err
