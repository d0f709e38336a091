"""`schema`: the review that a person reads, and the same for programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
SCHEMA = """
missing = "drop"
[columns.age]
role = "quasi"
type = "integer"
hierarchy.intervals = [10]
levels = [1, 2]
[columns.city]
role = "quasi"
hierarchy.tree.South = ["Ulm", "Wien"]
hierarchy.tree.North = ["Kiel", "Bremen"]
[columns.illness]
role = "sensitive"
[columns.note]
role = "drop"
"""
REVIEW = ("schema", "people.toml", "--data", "people.csv")


@pytest.fixture(autouse=True)
def _table(tmp_path: Path) -> None:
    rows = [
        f"{20 + n},{['Ulm', 'Wien', 'Kiel'][n % 3]},{['flü', 'cöld'][n % 2]},sëcret{n}" for n in range(15)
    ]
    (tmp_path / "people.csv").write_text(
        "\n".join(["age,city,illness,note", *rows, ",Ulm,flü,x"]) + "\n", "utf-8"
    )
    (tmp_path / "people.toml").write_text(SCHEMA)


def cells(text: str) -> list[list[str]]:
    """The words of each line, columns parted by two blanks or more."""
    return [
        [cell.strip() for cell in line.split("  ") if cell.strip()]
        for line in text.splitlines()
        if line.strip()
    ]


def test_the_review(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    ended = command(*REVIEW, "--details")
    assert ended.code == 0
    lines = cells(ended.out)
    answer = lines.index(["column", "role", "type", "values", "missing"])
    assert answer <= 10
    assert lines[answer + 2 : answer + 6] == [
        ["age", "quasi", "integer", "15", "1"],
        ["city", "quasi", "text", "3"],
        ["illness", "sensitive", "text", "2"],
        ["note", "drop", "text", "15"],
    ]
    heading = ["level", "groups", "rows each", "values each", "such as"]
    levels = [line for line in lines[answer + 6 :] if line != heading and not line[0].startswith("─")]
    # A level that the search may not use stands in brackets.
    assert levels == [
        ["age (quasi): D = 15, the distinct values that occur"],
        ["(0)", "15", "1", "1", "20, 21, 22"],
        ["1", "2", "5 … 10", "5 … 10", "[20, 30), [30, 40)"],
        ["2", "1", "15", "15", "*"],
        ["city (quasi): D = 4, the leaves of the tree"],
        ["0", "4 (1 empty)", "5", "1", "Ulm, Wien, Kiel"],
        ["1", "2", "5 … 10", "2", "South, North"],
        ["2", "1", "15", "4", "*"],
        ["illness (sensitive): D = 2, the values at the level at which it is measured"],
        ["0", "2", "7 … 8", "1", "not shown because sensitive"],
    ]
    assert lines[0] == [
        "The schema fits the table: 16 rows read, 1 dropped for a missing value, 15 remaining."
    ]
    assert ["There are 6 ways to choose a level for every quasi-identifier."] in lines
    assert not any(secret in ended.out for secret in ("sëcret", "flü", "cöld"))


def test_the_review_as_json(command: Command) -> None:
    ended = command(*REVIEW, "--json")
    assert (ended.code, ended.err) == (0, "")
    document = json.loads(ended.out)
    assert document["format"] == "paretonym.schema-review/1"
    assert (document["read"], document["dropped"], document["rows"], document["lattice"]) == (16, 1, 15, 6)
    assert document["problems"] == []
    assert document["columns"][0]["levels"][1] == {
        "level": 1, "groups": 2, "smallest_size": 5, "largest_size": 10,
        "smallest_rows": 5, "largest_rows": 10,
        "empty": 0, "examples": ["[20, 30)", "[30, 40)"],
    }  # fmt: skip
    assert document["columns"][2]["levels"][0]["examples"] == []
    assert not any(secret in ended.out for secret in ("sëcret", "flü", "cöld"))


def test_a_verdict_does_not_contradict_the_warnings(command: Command, tmp_path: Path) -> None:
    """Values that differ by a blank alone are warned of; after that, "No problem found." was false."""
    (tmp_path / "people.csv").write_text("x\na\na\n a\n")
    (tmp_path / "people.toml").write_text('[columns.x]\nrole = "quasi"\nhierarchy.flat = true\n')
    said = command(*REVIEW).err
    assert said.startswith("Warning: ")
    assert "No problem found" not in said


def test_quiet(command: Command) -> None:
    assert command(*REVIEW, "--quiet").err == ""


def test_the_number_of_ways(command: Command, tmp_path: Path) -> None:
    """One, and more than any search can number."""
    (tmp_path / "people.csv").write_text("x\n1\n")
    (tmp_path / "people.toml").write_text('[columns.x]\nrole = "quasi"\nhierarchy.flat = true\n')
    assert "There is 1 way to choose a level for every quasi-identifier.\n" in command(*REVIEW).out
    names = [f"v{n}" for n in range(70)]
    (tmp_path / "people.csv").write_text("\n".join(",".join(x) for x in (names, "1" * 70, "2" * 70)) + "\n")
    entry = 'role = "quasi"\nhierarchy.flat = true\n'
    (tmp_path / "people.toml").write_text("".join(f"[columns.{name}]\n{entry}" for name in names))
    ended = command(*REVIEW, "--details")
    assert ended.code == 0
    assert (
        "There are 1.2e+21 ways to choose a level for every quasi-identifier. These are too many" in ended.out
    )


def test_values_cannot_paint_the_terminal(command: Command, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("x\n\x1b[31mred\n")
    (tmp_path / "people.toml").write_text('[columns.x]\nrole = "quasi"\nhierarchy.flat = true\n')
    ended = command(*REVIEW, "--details")
    assert ended.code == 0
    assert "\x1b" not in ended.out
    assert "[31mred" in ended.out


def test_names_and_addresses_are_not_published_by_accident(command: Command, tmp_path: Path) -> None:
    """They were, as columns of role other: schema found no problem, and every audit held."""
    first, last = ("Anna", "Peter", "Julia", "Lukas"), ("Schmidt", "Krause", "Novotny")
    rows = [f"{first[n % 4]} {last[n % 3]},Lindenweg {n % 9},{20 + n % 3},{'ab'[n % 2]}" for n in range(60)]
    (tmp_path / "people.csv").write_text("\n".join(["Name,Anschrift,age,arm", *rows]) + "\n")
    roles = {"Name": "other", "Anschrift": "class", "age": "quasi", "arm": "other"}
    entries = "".join(f'[columns.{name}]\nrole = "{role}"\n' for name, role in roles.items())
    schema = entries.replace('"quasi"\n', '"quasi"\nhierarchy.flat = true\n')
    (tmp_path / "people.toml").write_text(schema)
    for arguments in (
        REVIEW,
        ("explore", "--space", "lattice", "people.csv", "--schema", "people.toml", "-o", "run"),
    ):
        ended = command(*arguments)
        assert ended.code == 2
        assert "column 'Name': its values look like names of people" in ended.err
        assert "column 'Anschrift': its values look like addresses" in ended.err
        assert "column 'arm'" not in ended.err
        assert not any(text in ended.err for text in ("Anna", "Schmidt", "Lindenweg"))
    harmless = schema.replace('"other"\n', '"other"\nkept = "yes"\n')
    (tmp_path / "people.toml").write_text(harmless.replace('"class"\n', '"class"\nkept = "yes"\n'))
    assert command(*REVIEW).code == 0
