"""`release` and `apply` from the command line."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Command

TABLES = Path(__file__).parents[2] / "examples" / "tables"
ROWS = 30
SCHEMA = """
[columns.id]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy.intervals = [10]
[columns.town]
role = "quasi"
hierarchy.flat = true
[columns.ill]
role = "sensitive"
"""


def write(path: Path, rows: list[list[str]], encoding: str = "utf-8") -> None:
    with path.open("w", encoding=encoding, newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["id", "age", "town", "ill"], *rows])


def people(first: int, count: int, town: str = "Köln") -> list[list[str]]:
    return [[str(i), str(20 + i % 20), town, "flu" if i % 3 else "cold"] for i in range(first, first + count)]


@pytest.fixture
def run(command: Command, tmp_path: Path) -> list[dict[str, object]]:
    """A run on thirty people; its solutions, best k first."""
    write(tmp_path / "data.csv", people(0, ROWS))
    (tmp_path / "schema.toml").write_text(SCHEMA)
    ended = command(
        "explore",
        "--space",
        "lattice",
        "data.csv",
        "--schema",
        "schema.toml",
        "-o",
        "run",
        "--suppress",
        "0",
        "--json",
    )
    solutions: list[dict[str, object]] = json.loads(ended.out)["solutions"]
    return solutions


def ids(run: list[dict[str, object]]) -> list[str]:
    return [str(solution["id"]) for solution in run]


def test_a_release_and_its_manifest(command: Command, run: list[dict[str, object]], tmp_path: Path) -> None:
    ended = command("release", "run", "--pick", ids(run)[0], "-o", "out.csv", "--json")
    assert (ended.code, ended.err) == (0, "")
    told = json.loads(ended.out)
    assert told["manifest"] == json.loads((tmp_path / "out.csv.manifest.json").read_text())
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == "age,town,ill"
    [made] = json.loads((tmp_path / "run/run.json").read_text())["releases"]
    assert (made["id"], made["file"]) == (ids(run)[0], "out.csv")
    assert made["sha256"] == told["manifest"]["output"]["sha256"]
    assert (tmp_path / "run").stat().st_mode & 0o777 == 0o700


def test_a_second_release_needs_also(command: Command, run: list[dict[str, object]], tmp_path: Path) -> None:
    first, second = ids(run)[0], ids(run)[-1]
    assert command("release", "run", "--pick", first, "-o", "a.csv").code == 0
    # The same again, in any kind of file, shows nothing new.
    assert command("release", "run", "--pick", first, "-o", "a.parquet").code == 0
    assert command("release", "run", "--pick", first, "-o", "a.csv", "--force").code == 0
    refused = command("release", "run", "--pick", second, "-o", "b.csv")
    assert refused.code == 2
    assert f"another release of this table already exists ({first} in a.parquet" in refused.err
    assert "two releases of one table can be joined" in refused.err
    assert not (tmp_path / "b.csv").exists()
    assert command("release", "run", "--pick", second, "-o", "b.csv", "--allow-second-release").code == 0
    made = json.loads((tmp_path / "run/run.json").read_text())["releases"]
    assert [(entry["id"], entry["file"]) for entry in made] == [
        (first, "a.parquet"), (first, "a.csv"), (second, "b.csv"),
    ]  # fmt: skip


def test_a_second_run_knows_of_the_first(
    command: Command, run: list[dict[str, object]], tmp_path: Path
) -> None:
    first, second = ids(run)[0], ids(run)[-1]
    explore = (
        "explore",
        "--space",
        "lattice",
        "data.csv",
        "--schema",
        "schema.toml",
        "--suppress",
        "0",
        "--quiet",
        "-o",
    )
    assert command(*explore, "again").code == 0
    assert command("release", "run", "--pick", first, "-o", "a.csv").code == 0
    refused = command("release", "again", "--pick", second, "-o", "b.csv")
    assert refused.code == 2
    assert f"another release of this table already exists ({first} in a.csv, 20" in refused.err
    assert command(*explore, "run", "--force").code == 0
    assert command("release", "run", "--pick", second, "-o", "b.csv").code == 2
    assert not (tmp_path / "b.csv").exists()
    assert command("release", "again", "--pick", first, "-o", "c.csv").code == 0
    assert command("release", "again", "--pick", second, "-o", "b.csv", "--allow-second-release").code == 0


def test_the_same_file_with_other_content(
    command: Command, run: list[dict[str, object]], tmp_path: Path
) -> None:
    command("release", "run", "--pick", ids(run)[0], "-o", "a.csv")
    write(tmp_path / "data.csv", people(1, ROWS))
    explore = (
        "explore",
        "--space",
        "lattice",
        "data.csv",
        "--schema",
        "schema.toml",
        "--suppress",
        "0",
        "--quiet",
        "-o",
    )
    assert command(*explore, "again").code == 0
    ended = command("release", "again", "--pick", ids(run)[0], "-o", "b.csv")
    assert ended.code == 0
    assert (
        f"Warning: the same file was released before with other content ({ids(run)[0]} in a.csv, "
        in ended.err
    )


def test_nowhere_to_remember(
    command: Command, run: list[dict[str, object]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("PARETONYM_STATE", str(tmp_path / "taken"))
    ended = command("release", "run", "--pick", ids(run)[0], "-o", "a.csv")
    assert ended.code == 2
    assert "set PARETONYM_STATE to a private, permanent folder" in ended.err
    assert not (tmp_path / "a.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--pick", "zzzzzz", "-o", "a.csv"], "--pick: no solution has the id 'zzzzzz'; the frontier has "),
        (["--pick", "", "-o", "a.csv"], "--pick: no solution has the id ''; the frontier has "),
        (["--pick", "{}", "-o", "a.xls"], "use a name that ends with .csv, .parquet or .xlsx"),
        (["--pick", "{}", "-o", "data.csv"], "data.csv, which the command reads; give another name"),
        (["--pick", "{}", "-o", "no/a.csv"], "create the folder first"),
        (["--pick", "{}", "-o", "a.csv", "--data", "gone.csv"], "gone.csv: this file does not exist"),
    ],
)
def test_refused(
    command: Command, run: list[dict[str, object]], tmp_path: Path, arguments: list[str], said: str
) -> None:
    before = sorted(path.name for path in tmp_path.iterdir())
    ended = command("release", "run", *(a.format(ids(run)[0]) for a in arguments))
    assert ended.code == 2
    assert said in ended.err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_the_data_must_be_the_same(command: Command, run: list[dict[str, object]], tmp_path: Path) -> None:
    shutil.copy(tmp_path / "data.csv", tmp_path / "kept.csv")
    write(tmp_path / "data.csv", people(1, ROWS))
    ended = command("release", "run", "--pick", ids(run)[0], "-o", "out.csv")
    assert ended.code == 2
    assert "data.csv: the data have changed since this run was made" in ended.err
    assert not (tmp_path / "out.csv").exists()
    assert command("release", "run", "--pick", ids(run)[0], "-o", "out.csv", "--data", "kept.csv").code == 0


def test_how_the_data_were_read_is_remembered(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "data.csv", people(0, ROWS), encoding="cp1252")
    (tmp_path / "schema.toml").write_text('encoding = "cp1252"\nseparator = ","\n' + SCHEMA)
    options = ["--schema", "schema.toml", "-o", "run", "--json"]
    best = json.loads(command("explore", "data.csv", *options, "--suppress", "0").out)["solutions"][-1]
    assert command("release", "run", "--pick", best["id"], "-o", "out.csv").code == 0
    assert "Köln" in (tmp_path / "out.csv").read_text(encoding="utf-8")


def banded(run: list[dict[str, object]]) -> str:
    """Ages in bands of ten, towns as they are: classes of twenty and of ten."""
    wanted = {"age": 1, "town": 0}
    return next(str(s["id"]) for s in run if s["recoding"]["levels"] == wanted)  # type: ignore[index]


def test_new_rows(command: Command, run: list[dict[str, object]], tmp_path: Path) -> None:
    """Six more in old classes, two of an age that nobody had: those must be left out."""
    pick = banded(run)
    old = [["a", "99", "Köln", "flu"], ["b", "98", "Köln", "cold"]]
    write(tmp_path / "new.csv", [*people(100, 6), *old])
    command("release", "run", "--pick", pick, "-o", "out.csv")
    ended = command("apply", "run", "--pick", pick, "new.csv", "-o", "more.csv", "--json")
    assert ended.code == 0
    told = json.loads(ended.out)
    assert told["union"] == {
        "old": 30, "read": 8, "dropped": 0, "left_out": 2, "classes_left_out": 1, "stay": 6,
        "k_of_all": 2, "k": 10, "k_of_new": 6, "holds": True, "nowhere": 0,
    }  # fmt: skip
    assert told["manifest"]["claims"]["k"] == 6
    # Two are fewer than k: the share of those left out would tell how many they were.
    assert told["manifest"]["statements"] == {"sl": 0}
    shown = list(csv.DictReader((tmp_path / "more.csv").read_text("utf-8").splitlines()))
    assert {(row["age"], row["town"]) for row in shown} == {("[20, 30)", "Köln")}


def test_an_audit_says_that_a_release_was_withdrawn(
    command: Command, run: list[dict[str, object]], tmp_path: Path
) -> None:
    command("release", "run", "--pick", banded(run), "-o", "out.csv")
    assert "withdrawn" not in command("audit", "out.csv").err
    command("release", "run", "--pick", banded(run), "--withdraw", "a test")
    ended = command("audit", "out.csv")
    assert ended.code == 0
    assert "Warning: this release was withdrawn on 20" in ended.err
    assert "(a test)" in ended.err
    assert any(
        "withdrawn" in text for text in json.loads(command("audit", "out.csv", "--json").out)["warnings"]
    )


def test_an_earlier_batch_is_named(command: Command, run: list[dict[str, object]], tmp_path: Path) -> None:
    pick = banded(run)
    write(tmp_path / "new.csv", people(100, 6))
    command("apply", "run", "--pick", pick, "new.csv", "-o", "may.csv")
    ended = command("apply", "run", "--pick", pick, "new.csv", "-o", "june.csv")
    assert "Warning: New rows were written to may.csv before, and are not counted here, and the" in ended.err
    assert "difference of two such files stands alone" in ended.err
    assert "publish june.csv alone and withdraw may.csv." in ended.err
    made = json.loads((tmp_path / "run/run.json").read_text())["releases"]
    assert [(entry["file"], entry["new_rows"]) for entry in made] == [("may.csv", 6), ("june.csv", 6)]


def test_new_rows_that_cannot_stay(command: Command, run: list[dict[str, object]], tmp_path: Path) -> None:
    write(tmp_path / "new.csv", people(100, 3, town="Bonn"))
    ended = command("apply", "run", "--pick", banded(run), "new.csv", "-o", "more.csv")
    assert ended.code == 1
    assert "Every new row would have to be suppressed" in ended.err
    assert not (tmp_path / "more.csv").exists()


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [["1", "25", "Köln", "flu"]],
            "new.csv, column 'id': identifiers of new rows also occur in the old data: 1; remove these rows ",
        ),
        (
            [["x", "25", "Köln", "flu"], ["x", "26", "Köln", "flu"]],
            "run/schema.toml, column 'id': this identifier repeats: 1 value is in 2 rows; fix the new ",
        ),
        (
            [["x", "old", "Köln", "flu"]],
            "run/schema.toml, column 'age': not numbers: 1 value ('old'); fix the new rows, or explore old "
            "and new rows together with a schema that covers them",
        ),
    ],
)
def test_new_rows_that_break_the_rules(
    command: Command, run: list[dict[str, object]], tmp_path: Path, rows: list[list[str]], said: str
) -> None:
    write(tmp_path / "new.csv", [*people(100, 3), *rows])
    ended = command("apply", "run", "--pick", banded(run), "new.csv", "-o", "more.csv")
    assert ended.code == 2
    assert said in ended.err
    assert "events" not in ended.err
    assert not (tmp_path / "more.csv").exists()


def test_moved_data_are_asked_for(command: Command, run: list[dict[str, object]], tmp_path: Path) -> None:
    """A release beside the place where the data were has nearly their name, and is not proposed."""
    command("release", "run", "--pick", ids(run)[0], "-o", "data2.csv")
    (tmp_path / "data.csv").rename(tmp_path / "elsewhere.csv")
    again = ("release", "run", "--pick", ids(run)[0], "-o", "again.csv")
    ended = command(*again)
    assert ended.code == 2
    assert "data2.csv" not in ended.err
    assert "give the new place of the data with --data PATH" in ended.err
    assert command(*again, "--data", "elsewhere.csv").code == 0


def test_new_rows_follow_the_release(command: Command, run: list[dict[str, object]], tmp_path: Path) -> None:
    write(tmp_path / "new.csv", people(100, 3))
    command("release", "run", "--pick", ids(run)[0], "-o", "out.csv")
    ended = command("apply", "run", "--pick", banded(run), "new.csv", "-o", "more.csv")
    assert ended.code == 2
    assert f"this table was released as {ids(run)[0]}" in ended.err


WAGES = """
[columns.pay]
role = "quasi"
type = "integer"
hierarchy.intervals = [10000, 20000]
granularity = 5000
[columns.team]
role = "quasi"
hierarchy.flat = true
[columns.bonus]
role = "sensitive"
type = "integer"
hierarchy.intervals = [500, 1000]
level = 2
release_level = 1
"""


def wages(first: int, count: int) -> str:
    rows = (f"{9000 + 1000 * (i * 7 % 40)},{'ab'[i % 2]},{100 * (i * i % 31)}" for i in range(count))
    return "\n".join(["pay,team,bonus", *list(rows)[first:], ""])


@pytest.mark.parametrize("space", [("lattice",), ("cuts",), ("mondrian", "--sweep", "k=4")])
def test_new_rows_show_no_more_of_a_sensitive_value_than_the_release(
    command: Command, tmp_path: Path, space: tuple[str, ...]
) -> None:
    """A partition does not keep to the schema's granularity, which is for cuts."""
    (tmp_path / "data.csv").write_text(wages(0, 80))
    (tmp_path / "new.csv").write_text(wages(80, 120))
    (tmp_path / "schema.toml").write_text(WAGES)
    explored = command(
        "explore", "data.csv", "--schema", "schema.toml", "--space", *space, "-o", "run", "--json"
    )
    pick = max(json.loads(explored.out)["solutions"], key=lambda each: each["values"]["k"])["id"]
    assert command("release", "run", "--pick", pick, "-o", "old.csv").code == 0
    ended = command("apply", "run", "--pick", pick, "new.csv", "-o", "more.csv", "--allow-second-release")
    assert ended.code == 0, ended.err
    files = [(tmp_path / name).read_text().splitlines() for name in ("old.csv", "more.csv")]
    shown = [list(csv.DictReader(lines)) for lines in files]
    steps = {f"[{low}, {low + 500})" for low in range(0, 3500, 500)}
    assert {row["bonus"] for rows in shown for row in rows} <= steps
    audited = command(
        "audit", "more.csv", "--schema", "schema.toml", "--original", "new.csv", "--old", "data.csv"
    )
    assert audited.code == 0, audited.out


CODED = """
[columns.pay]
role = "quasi"
type = "integer"
hierarchy.intervals = [10000, 20000]
[columns.team]
role = "other"
hierarchy.tree = {All = ["a", "b"], None = ["c"]}
release_level = 1
[columns.bonus]
role = "sensitive"
type = "integer"
top = 2000
bottom = 300
"""


def test_columns_are_published_at_a_level_and_coded_at_the_ends(command: Command, tmp_path: Path) -> None:
    """With `top` and no `release_level`, bonuses above the top were published exactly."""
    (tmp_path / "data.csv").write_text(wages(0, 80))
    (tmp_path / "schema.toml").write_text(CODED)
    explored = command(
        "explore", "--space", "lattice", "data.csv", "--schema", "schema.toml", "-o", "run", "--json"
    )
    pick = json.loads(explored.out)["solutions"][0]["id"]
    written = command("release", "run", "--pick", pick, "-o", "out.csv", "--details")
    assert (
        "Column 'bonus' is published as the schema says (unchanged, all below 300 together, all from 2,000 "
        in written.out
    )
    assert "Column 'team' is published as the schema says" in written.out
    assert "it loses 50.0 % of its detail, which no measure of loss counts." in written.out
    rows = list(csv.DictReader((tmp_path / "out.csv").read_text().splitlines()))
    assert {row["team"] for row in rows} == {"All"}
    numbers = {row["bonus"] for row in rows}
    assert {"<300", "2000+"} <= numbers
    assert all(300 <= int(number) < 2000 for number in numbers - {"<300", "2000+"})
    audited = command("audit", "out.csv", "--schema", "schema.toml", "--original", "data.csv")
    assert audited.code == 0, audited.out
    text = (tmp_path / "out.csv").read_text()
    (tmp_path / "out.csv").write_text(text.replace(",All,", ",None,", 1))
    assert command("audit", "out.csv", "--schema", "schema.toml", "--original", "data.csv").code == 1
    command("report", "run", "--pick", pick, "-o", "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "<dt>sensitive</dt><dd>bonus (" in page
    assert "<dt>others</dt><dd>team (" in page
    assert "of its detail is lost, in addition to loss)" in page
    assert "sensitive, unchanged" not in page
    again = json.loads(command("release", "run", "--pick", pick, "-o", "b.csv", "--json").out)
    assert again["coarsened"]["team"] == 0.5
    (tmp_path / "schema.toml").write_text(CODED.replace("release_level = 1", "release_level = 2"))
    refused = command("schema", "schema.toml", "--data", "data.csv")
    assert refused.code == 2
    assert "column 'team': level 2 is not below the hierarchy's top, level 2" in refused.err
