"""Every command takes the data that `explore` takes: folders, patterns and tables of databases give the
answers of the same rows in one file, in words of the command line."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from tests.cli.conftest import Command, Prepare

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
def folder(command: Command, prepared: Prepare, tmp_path: Path) -> Path:
    def made() -> None:
        people(command, tmp_path)

    prepared(made)
    return tmp_path


def people(command: Command, tmp_path: Path) -> None:
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
    assert (
        command("explore", "--space", "lattice", "people.csv", "--schema", "people.toml", "-o", "run").code
        == 0
    )
    document = json.loads((tmp_path / "run" / "frontier.json").read_text())
    pick = next(each["id"] for each in document["solutions"] if each["values"]["k"] >= 5)
    assert command("release", "run", "--pick", pick, "-o", "r.csv", "-q").code == 0
    (tmp_path / "pick").write_text(pick)


DOORS = {
    "folder": ["people"],
    "pattern": ["people/*.csv"],
    "sqlite": ["sqlite:///clinic.db", "--table", "people"],
    "duckdb": ["duckdb:///clinic.duckdb", "--query", "select * from people"],
    "engine": ["people.csv", "--engine", "duckdb", "--memory", "100MB"],
}


# As `audit` takes an original: a table of a database, and no engine.
OF_AUDIT = {
    **DOORS,
    "duckdb": ["duckdb:///clinic.duckdb", "--table", "people"],
    "engine": ["people.csv", "--memory", "100MB"],
}


def without_engine(words: list[str]) -> list[str]:
    """The words without --engine, which `attack` does not have."""
    place = words.index("--engine") if "--engine" in words else len(words)
    return words[:place] + words[place + 2 :]


def test_an_original_is_the_same_through_every_door(command: Command, folder: Path) -> None:
    for asked in (["audit", "r.csv"], ["attack", "r.csv"]):
        asked = [*asked, "--schema", "people.toml", "--json", "--original"]
        expected = command(*asked, "people.csv")
        assert json.loads(expected.out)
        for name, door in DOORS.items():
            words = OF_AUDIT[name] if asked[0] == "audit" else without_engine(list(door))
            found = command(*asked, *words)
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
    assert "people has nothing new" in news.out
    assert (folder / "people.toml").read_text() == schema
    saved = command("init", *DOORS["sqlite"], "-o", "draft.toml")
    assert "paretonym schema draft.toml --data sqlite:///clinic.db --table people" in saved.err


def test_a_schema_is_reviewed_through_every_door(command: Command, folder: Path) -> None:
    expected = json.loads(command("schema", "people.toml", "--data", "people.csv", "--json").out)
    for door in DOORS.values():
        found = json.loads(command("schema", "people.toml", "--data", *door, "--json").out)
        assert found == expected


def test_new_rows_come_through_every_door(command: Command, folder: Path) -> None:
    """Counted where they are, whatever the old rows are counted in: the same rows, the same answers."""
    pick = (folder / "pick").read_text()
    doors = {name: [each.replace("people", "new") for each in door] for name, door in DOORS.items()}
    written = []
    for name, door in {"file": ["new.csv"], **doors}.items():
        ended = command("apply", "run", "--pick", pick, *door, "-o", f"{name}.csv", "--json")
        assert ended.code == 0, ended.err
        document = json.loads(ended.out)
        document.pop("file")
        written.append(((folder / f"{name}.csv").read_bytes(), json.dumps(document)))
    assert len(set(written)) == 1
    beside = ["--original", *doors["sqlite"], "--old", "people.csv"]
    ended = command("audit", "sqlite.csv", "--schema", "people.toml", *beside)
    assert ended.code == 0, ended.out


def test_old_rows_that_are_counted(command: Command, folder: Path) -> None:
    """Old and new rows in an engine each: nothing is read into memory, and the file is the same."""
    pick = (folder / "pick").read_text()
    expected = command("apply", "run", "--pick", pick, "new.csv", "-o", "expected.csv", "--json")
    for place, old in enumerate((DOORS["sqlite"], DOORS["folder"])):
        explore = ["explore", "--space", "lattice", *old, "--schema", "people.toml", "-o", f"run{place}"]
        assert command(*explore).code == 0
        for name, new in (("file", "new.csv"), ("folder", "new")):
            out = f"{place}-{name}.csv"
            ended = command("apply", f"run{place}", "--pick", pick, new, "-o", out, "--json")
            assert ended.code == 0, ended.err
            assert json.loads(ended.out)["union"] == json.loads(expected.out)["union"]
            assert (folder / out).read_bytes() == (folder / "expected.csv").read_bytes()
    beside = ["--original", "new", "--old", *DOORS["sqlite"]]
    counted = command("audit", "expected.csv", "--schema", "people.toml", *beside, "--json")
    beside = ["--original", "new.csv", "--old", "people.csv"]
    assert counted.out == command("audit", "expected.csv", "--schema", "people.toml", *beside, "--json").out


def test_identifiers_of_counted_rows_are_compared(command: Command, folder: Path) -> None:
    """Somebody who has a row in both files is one person, wherever the rows are."""
    pick = (folder / "pick").read_text()
    assert (
        command("explore", "--space", "lattice", "people", "--schema", "people.toml", "-o", "counted").code
        == 0
    )
    for run, new in (("run", "people"), ("counted", "people.csv"), ("counted", "people")):
        ended = command("apply", run, "--pick", pick, new, "-o", "x.csv")
        assert ended.code == 2
        assert "column 'id': identifiers of new rows also occur in the old data: 120" in ended.err
        assert "p1" not in ended.err
    doubled = [*NEW, NEW[0]]
    write(folder / "doubled" / "a.csv", doubled)
    ended = command("apply", "counted", "--pick", pick, "doubled", "-o", "x.csv")
    assert ended.code == 2
    assert "identifier" in ended.err
    assert not (folder / "x.csv").exists()


def test_new_rows_become_a_folder_and_no_table(command: Command, folder: Path) -> None:
    pick = (folder / "pick").read_text()
    apply = ["apply", "run", "--pick", pick, "sqlite:///clinic.db", "--table", "new", "-q", "-o"]
    assert command(*apply, "parts").code == 0
    beside = ["--schema", "people.toml", "--original", "new.csv", "--old", "people.csv"]
    assert command("audit", "parts", *beside).code == 0
    for ended in (
        command(*apply, "duckdb:///p.duckdb"),
        command("release", "run", "--pick", pick, "-o", "sqlite:///p.db"),
    ):
        assert ended.code == 2
        assert (
            "this is an address, not a file on this machine; write a CSV, Parquet or Excel file" in ended.err
        )
    assert not list(folder.glob("p.*"))


WRONG = [
    (["--original", "sqlite:///clinic.db"], "give --table NAME or --query 'SELECT …'"),
    (["--original", "sqlite:///clinic.db", "--table", "peple"], "did you mean 'people'?"),
    (["--original", "people.csv", "--table", "people"], "--table: this is for tables in a"),
    (
        ["--original", "sqlite:///clinic.db", "--table", "people", "--query", "select 1"],
        "--query: given together with --table",
    ),
    (
        ["--original", "sqlite:///clinic.db", "--query", "drop table x"],
        "query: SQLite could not compute it (near",
    ),
    (["--original", "people", "--memory", "lots"], "--memory: 'lots' is not an amount of memory"),
]


@pytest.mark.parametrize(("options", "said"), WRONG)
def test_mistakes_are_named_as_the_options_are(
    command: Command, folder: Path, options: list[str], said: str
) -> None:
    ended = command("attack", "r.csv", "--schema", "people.toml", *options)
    assert ended.code == 2
    assert said in ended.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--original", "sqlite:///clinic.db"], "give --table NAME"),
        (["--original", "sqlite:///clinic.db", "--table", "peple"], "did you mean 'people'?"),
        (["--original", "people", "--memory", "lots"], "--memory: 'lots' is not an amount of memory"),
    ],
)
def test_mistakes_of_audits_are_named(command: Command, folder: Path, options: list[str], said: str) -> None:
    ended = command("audit", "r.csv", "--schema", "people.toml", *options)
    assert (ended.code, said in ended.err) == (2, True), ended.err


def test_passwords_are_shown_nowhere(command: Command, folder: Path) -> None:
    address = f"postgresql://me:{SECRET}@127.0.0.1:1/clinic"
    pick = (folder / "pick").read_text()
    for asked in (
        ["audit", "r.csv", "--schema", "people.toml", "--original", address, "--table", "people"],
        ["attack", "r.csv", "--schema", "people.toml", "--original", address, "--table", "people"],
        ["apply", "run", "--pick", pick, address, "--table", "new", "-o", "x.csv"],
        ["init", address, "--table", "people", "-o", "x.toml"],
        ["schema", "people.toml", "--data", address, "--table", "people"],
        ["audit", address],
    ):
        ended = command(*asked)
        assert ended.code == 2
        assert SECRET not in ended.out + ended.err
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert not any(SECRET.encode() in path.read_bytes() for path in written)
    assert not (folder / "x.csv").exists()


def test_an_attack_is_the_same_on_every_form(folder: Path, command: Command) -> None:
    pick = (folder / "pick").read_text()
    beside = ["--schema", "people.toml", "--original", "people.csv", "--json"]
    expected = json.loads(command("attack", "r.csv", *beside).out)
    for form in ("parts", "r.parquet"):
        assert command("release", "run", "--pick", pick, "-q", "-o", form).code == 0
        answer = json.loads(command("attack", form, *beside).out)
        assert answer == {**expected, "files": [form]}
    # A manifest that is elsewhere.
    moved = (folder / "r.parquet.manifest.json").rename(folder / "moved.json")
    again = json.loads(command("attack", "r.parquet", *beside, "--manifest", str(moved)).out)
    assert again == {**expected, "files": ["r.parquet"]}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["r.csv", "--manifest", "x.json"], "--manifest x.json: this file does not exist"),
        (["r.csv", "r.csv", "--manifest", "r.csv"], "--manifest: 1 manifests are named for 2 releases"),
    ],
)
def test_mistakes_in_what_is_attacked(command: Command, folder: Path, given: list[str], said: str) -> None:
    ended = command("attack", *given, "--schema", "people.toml", "--original", "people.csv")
    assert ended.code == 2
    assert said in ended.err


def test_a_table_is_named_in_words_of_the_command_line(folder: Path, command: Command) -> None:
    refused = command("audit", "sqlite:///clinic.db")
    assert refused.code == 2
    assert "which table?; give --table NAME" in refused.err
    assert "there are: 'new', 'people'" in refused.err
    assert "only a database has tables" in command("audit", "r.csv", "--table", "people").err
    pick, server = (folder / "pick").read_text(), f"postgresql://me:{SECRET}@127.0.0.1:1/db"
    refused = command("audit", server, "--table", "people")
    assert "postgresql://me@127.0.0.1:1/db: there is no connection to this server" in refused.err
    assert "Other users of this machine can see the password in the address" in refused.err
    written = command("release", "run", "--pick", pick, "-o", server)
    assert "postgresql://…: this is an address, not a file on this machine" in written.err
    for ended in (refused, written):
        assert ended.code == 2
        assert SECRET not in ended.out + ended.err


def test_new_rows_for_german_excel(command: Command, folder: Path) -> None:
    """New rows are written in the form of the options, which are not those of reading them, and audited."""
    pick = (folder / "pick").read_text()
    form = ("--out-separator", ";", "--out-encoding", "utf-8-sig", "--out-decimal", ",")
    assert command("apply", "run", "--pick", pick, "new.csv", "-o", "n.csv", *form, "-q").code == 0
    assert (folder / "n.csv").read_bytes().startswith("\ufeffage;sex;illness\n".encode())
    beside = ("--original", "new.csv", "--old", "people.csv", "--schema", "people.toml")
    assert command("audit", "n.csv", *beside).code == 0
    assert (
        command("apply", "run", "--pick", pick, "new.csv", "-o", "u.csv", "-q", "--allow-second-release").code
        == 0
    )
    with (
        (folder / "n.csv").open(encoding="utf-8-sig", newline="") as german,
        (folder / "u.csv").open() as usual,
    ):
        assert [*csv.reader(german, delimiter=";")] == [*csv.reader(usual)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-o", "n.parquet", "--out-decimal", ","), "--out-decimal: this is for CSV files"),
        (("-o", "n.csv", "--out-separator", "x"), "--out-separator: 'x' cannot separate"),
    ],
)
def test_a_form_that_cannot_be_written(
    command: Command, folder: Path, options: tuple[str, ...], message: str
) -> None:
    pick = (folder / "pick").read_text()
    refused = command("apply", "run", "--pick", pick, "new.csv", *options)
    assert refused.code == 2
    assert message in refused.err
    assert not list(folder.glob("n.*"))
