"""Sweeps and comparisons from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command, Prepare
from tests.cli.test_commands import SCHEMA

ROWS = "age,sex,illness\n" + "".join(
    f"{20 + number % 17},{'fm'[number % 2]},{['flu', 'none', 'secret'][number * number % 5 % 3]}\n"
    for number in range(120)
)
EXPLORE = ("explore", "--space", "lattice", "people.csv", "--schema", "people.toml", "-q")


@pytest.fixture
def runs(command: Command, prepared: Prepare, tmp_path: Path) -> Command:
    """A folder with a run of each space."""

    def explored() -> None:
        (tmp_path / "people.csv").write_text(ROWS)
        (tmp_path / "people.toml").write_text(SCHEMA)
        assert command(*EXPLORE, "-o", "levels", "--suppress", "0").code == 0
        assert command(*EXPLORE, "-o", "parts", "--space", "mondrian", "--sweep", "k=5,10,20").code == 0
        assert command(*EXPLORE, "-o", "mixed", "--space", "buckets", "--sweep", "t-js=0.05,0.2").code == 0

    prepared(explored)
    return command


def test_compare_puts_all_four_spaces_on_the_same_axes(runs: Command, tmp_path: Path) -> None:
    assert (
        runs(
            *EXPLORE, "-o", "cut", "--space", "cuts", "--suppress", "0", "--set", "hybrid.evaluations=300"
        ).code
        == 0
    )
    ended = runs("compare", "levels", "cut", "parts", "mixed", "--measures", "k,loss", "--json")
    found = json.loads(ended.out)
    assert {each["method"] for each in found["methods"]} == {"levels", "cut", "parts", "mixed"}
    saved = json.loads((tmp_path / "cut" / "frontier.json").read_text())["solutions"]
    measured = {each["id"]: each["values"] for each in found["releases"] if each["run"] == "cut"}
    assert measured == {e["id"]: {name: e["values"][name] for name in ("k", "loss")} for e in saved}
    share = {each["method"]: each for each in found["methods"]}
    # The search of cuts begins with what levels reach; nothing is suppressed in either run.
    assert share["cut"]["covered"] >= share["levels"]["covered"]


def test_sweeps_are_saved_with_all_candidates(runs: Command, tmp_path: Path) -> None:
    saved = json.loads((tmp_path / "parts" / "frontier.json").read_text())
    assert saved["space"] == {"kind": "mondrian", "size": 3}
    assert saved["search"]["method"] == "sweep"
    assert [each["recoding"]["requirement"] for each in saved["candidates"]] == [
        {"k": 5},
        {"k": 10},
        {"k": 20},
    ]
    assert {each["id"] for each in saved["solutions"]} <= {each["id"] for each in saved["candidates"]}
    again = runs(*EXPLORE, "-o", "again", "--space", "mondrian", "--sweep", "k=5,10,20")
    assert again.code == 0
    assert (tmp_path / "again" / "frontier.json").read_bytes() == (
        tmp_path / "parts" / "frontier.json"
    ).read_bytes()


def test_the_table_names_requirements(runs: Command) -> None:
    ended = runs(*EXPLORE, "--space", "mondrian", "--sweep", "k=5,10", "--objectives", "k,loss", "--details")
    assert "requirement" in ended.out
    assert "k=10" in ended.out
    assert "The requirement on every part." in ended.out


def test_compare(runs: Command, tmp_path: Path) -> None:
    ended = runs("compare", "levels", "parts", "mixed", "-o", "c.json", "--figure", "c.png", "-d")
    assert ended.code == 0
    assert "releases that no other beats in privacy-loss and utility-loss:" in ended.out
    assert "The joint frontier" in ended.out
    assert ended.err.endswith("Wrote c.json.\nWrote c.png.\n")
    saved = json.loads((tmp_path / "c.json").read_text())
    assert saved["format"] == "paretonym.comparison/1"
    assert {each["method"] for each in saved["methods"]} == {"levels", "parts", "mixed"}
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    printed = runs("compare", "levels", "parts", "mixed", "--json")
    assert json.loads(printed.out) == saved
    assert printed.err == ""


def test_other_measures(runs: Command) -> None:
    ended = runs("compare", "levels", "parts", "--measures", "k,loss,query-error", "--seed", "3", "--json")
    found = json.loads(ended.out)
    assert [each["name"] for each in found["measures"]] == ["k", "loss", "query-error"]


def test_data_that_moved(runs: Command, tmp_path: Path) -> None:
    (tmp_path / "people.csv").rename(tmp_path / "elsewhere.csv")
    assert runs("compare", "levels", "parts").code == 2
    assert runs("compare", "levels", "parts", "--data", "elsewhere.csv", "-q").code == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("levels", "levels"), "error: levels: this is given twice; give each run and each table once\n"),
        (
            ("levels", "nothing"),
            "error: nothing: this run does not exist; create it with 'paretonym explore … -o RUN'\n",
        ),
        (
            ("levels", "parts", "--measures", "k"),
            "error: --measures: these are not two or more different measures; use, for example, k,loss\n",
        ),
        (
            ("levels", "parts", "--out", "people.csv"),
            "error: --out people.csv: already exists",
        ),
        (
            ("levels", "parts", "--figure", "c.bmp"),
            "error: c.bmp: '.bmp' is not a format for figures; give a name",
        ),
        (
            ("levels", "parts", "--set", "utility-loss.x=1"),
            "error: --set: utility-loss has no parameter 'x'; it has",
        ),
    ],
)
def test_refused(runs: Command, options: tuple[str, ...], said: str) -> None:
    ended = runs("compare", *options, "-q")
    assert ended.code == 2
    assert ended.err.startswith(said)
    assert ended.out == ""


def test_another_schema_is_refused(runs: Command, tmp_path: Path) -> None:
    (tmp_path / "people.toml").write_text(SCHEMA.replace("[10, 20]", "[5, 20]"))
    assert runs(*EXPLORE, "-o", "other", "--suppress", "0").code == 0
    ended = runs("compare", "levels", "other", "-q")
    assert ended.code == 2
    assert "other: this run was made with another schema than levels" in ended.err


def test_a_run_beside_files(command: Command, tmp_path: Path) -> None:
    """ARX and sdcMicro write labels and missing cells."""
    head, *rows = ROWS.splitlines(keepends=True)
    (tmp_path / "people.csv").write_text("".join([head, *rows[:80]]))
    (tmp_path / "control.csv").write_text("".join([head, *rows[80:]]))
    (tmp_path / "people.toml").write_text(SCHEMA)
    assert command(*EXPLORE, "-o", "run", "--suppress", "0").code == 0
    lines = [row.strip().split(",") for row in rows[:80]]
    arx = [f'"[{int(age) // 10 * 10}, {int(age) // 10 * 10 + 10}[",*,{illness}' for age, _, illness in lines]
    (tmp_path / "arx.csv").write_text("\n".join(["age,sex,illness", *arx]) + "\n")
    (tmp_path / "sdc.csv").write_text(
        "\n".join(["sex,illness,age", *(f"NA,{i},{a}" for a, _, i in lines)]) + "\n"
    )
    beside = ("--control", "control.csv")
    stated = ("--stated", "sdc.csv: noise")
    ended = command("compare", "run", "arx.csv", "sdc.csv", "-o", "c.html", *stated, *beside)
    assert ended.code == 0
    assert "arx.csv: inference " in ended.out
    assert "stated: noise" in ended.out
    assert ended.err.endswith("Wrote c.html.\n")
    assert "<svg" in (tmp_path / "c.html").read_text()
    axes = ("--measures", "linkability,association-error")
    found = json.loads(command("compare", "run", "arx.csv", "--json", *axes, *beside).out)
    assert (found["risk"], found["cost"]) == ("linkability", "association-error")
    assert found["tables"][-1]["guarantee"]["strange"] == 0
    assert found["tables"][-1]["unread"] == {}


def test_files_without_a_control_are_refused(runs: Command) -> None:
    ended = runs("compare", "levels", "people.csv", "-q")
    assert ended.code == 2
    assert "--control: the criteria compare people whom the table was made from with others" in ended.err


def test_a_run_that_kept_a_control_group(command: Command, tmp_path: Path) -> None:
    """What was made from everybody, the control group too, is more at risk than it seems."""
    (tmp_path / "people.csv").write_text(ROWS)
    (tmp_path / "people.toml").write_text(SCHEMA)
    assert command(*EXPLORE, "-o", "run", "--suppress", "0", "--control", "30%").code == 0
    ended = command("compare", "run", "people.csv")
    assert ended.code == 0
    assert "The table has 120 rows, and the original has 84." in ended.err.replace("\n", " ")
