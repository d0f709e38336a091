"""Tables that look odd and are right: every command works on them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]


def write(folder: Path, header: str, rows: Iterable[str], schema: str) -> None:
    (folder / "people.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    (folder / "people.toml").write_text(schema, encoding="utf-8")


def column(name: str, hierarchy: str = "hierarchy.flat = true", role: str = "quasi") -> str:
    return f'[columns.{json.dumps(name, ensure_ascii=False)}]\nrole = "{role}"\n{hierarchy}\n'


def explored(command: Command, *options: str) -> dict[str, Any]:
    """The frontier of people.csv, once `schema` found no problem either."""
    assert command("schema", "people.toml", "--data", "people.csv").code == 0
    ended = command(
        "explore",
        "--space",
        "lattice",
        "people.csv",
        "--schema",
        "people.toml",
        "--json",
        "--quiet",
        *options,
    )
    assert (ended.code, ended.err) == (0, "")
    found: dict[str, Any] = json.loads(ended.out)
    return found


def test_one_row(command: Command, tmp_path: Path) -> None:
    write(tmp_path, "age,sex", ["31,f"], column("age", "hierarchy.intervals = [10]") + column("sex"))
    solutions = explored(command)["solutions"]
    assert [(one["values"]["k"], one["values"]["loss"]) for one in solutions] == [(1, 0)]


def test_all_rows_equal(command: Command, tmp_path: Path) -> None:
    write(tmp_path, "age,sex", ["31,f"] * 50, column("age", "hierarchy.intervals = [10]") + column("sex"))
    solutions = explored(command)["solutions"]
    assert [(one["values"]["k"], one["values"]["loss"]) for one in solutions] == [(50, 0)]


def test_a_quasi_identifier_with_one_value(command: Command, tmp_path: Path) -> None:
    rows = [f"{20 + number % 7},Wien" for number in range(40)]
    write(tmp_path, "age,city", rows, column("age", "hierarchy.intervals = [10]") + column("city"))
    # A domain of one value costs nothing, at any level.
    assert {one["values"]["loss"] for one in explored(command)["solutions"]} <= {0, 0.5}


@pytest.mark.slow
@pytest.mark.parametrize("hierarchy", ["hierarchy.intervals = [1000, 100000]", "hierarchy.keep = [3, 1]"])
def test_a_column_of_identifiers(command: Command, tmp_path: Path, hierarchy: str) -> None:
    """Nearly as many values as rows; a million of them are bound in the tests of the schema."""
    rows = [f"{number * 7 % 200_003:07d},{'fm'[number % 2]}" for number in range(200_000)]
    write(tmp_path, "code,sex", rows, column("code", hierarchy) + column("sex"))
    document = explored(command)
    assert document["rows"] == 200_000
    assert document["solutions"]


def test_200_columns(command: Command, tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(200)]
    rows = [",".join(str((row * number) % 5) for number in range(200)) for row in range(30)]
    schema = "".join(column(name) for name in names[:4]) + "".join(
        column(name, "", "drop") for name in names[4:]
    )
    write(tmp_path, ",".join(names), rows, schema)
    assert explored(command)["quasi"] == names[:4]
    assert command("init", "people.csv", "-o", "new.toml").code == 0


def test_unicode_names_and_values(command: Command, tmp_path: Path) -> None:
    rows = ["Ελλάδα,日本語,🙂", "Ísland,العربية,🙁", "Україна,日本語,🙂"] * 4
    schema = column("χώρα") + column("言語") + column("Gemüt 🙂", "", "sensitive")
    write(tmp_path, "χώρα,言語,Gemüt 🙂", rows, schema)
    document = explored(command, "-o", "run")
    assert document["quasi"] == ["χώρα", "言語"]
    assert document["sensitive"] == ["Gemüt 🙂"]
    assert (tmp_path / "run/schema.toml").read_text(encoding="utf-8") == schema
    shown = command("schema", "people.toml", "--data", "people.csv", "-d").out
    assert "Ελλάδα" in shown
    assert "🙁" not in shown


def test_values_that_look_like_labels(command: Command, tmp_path: Path) -> None:
    rows = ["*,1", "[20\\, 30),1", "20,2", "(missing),2", "<5,3"]
    rows = [row.replace("[20\\, 30)", '"[20, 30)"') for row in rows] * 3
    schema = column("band") + column("number", "hierarchy.intervals = [2]")
    write(tmp_path, "band,number", rows, schema)
    assert explored(command)["solutions"]
    levels = json.loads(command("schema", "people.toml", "--data", "people.csv", "--json").out)["columns"][0][
        "levels"
    ]
    assert [level["groups"] for level in levels] == [5, 1]
    # The value keeps its text; the set above it is told apart by its level.
    assert levels[1]["examples"] == ["* (level 1)"]


def test_encoding_and_separator_reach_the_reader(command: Command, tmp_path: Path) -> None:
    text = "größe,ort;teil\n1,Köln;a\n2,Wörth;b\n1,Köln;a\n"
    (tmp_path / "people.csv").write_bytes(text.encode("cp1252"))
    written = 'encoding = "cp1252"\nseparator = ";"\n'
    (tmp_path / "people.toml").write_text(written + column("größe,ort") + column("teil"), encoding="utf-8")
    assert command("explore", "--space", "lattice", "people.csv", "--schema", "people.toml").code == 0
    shown = command("schema", "people.toml", "--data", "people.csv", "-d")
    assert shown.code == 0
    assert "2,Wörth" in shown.out
    options = ("--encoding", "cp1252", "--separator", ";")
    assert command("init", "people.csv", "-o", "new.toml", *options).code == 0
    draft = (tmp_path / "new.toml").read_text(encoding="utf-8")
    assert written in draft
    assert '[columns."größe,ort"]' in draft


def test_a_command_without_an_option_says_what_the_schema_may_say(command: Command, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("a;b,c\n1;2,3\n")
    (tmp_path / "people.toml").write_text(column("a"), encoding="utf-8")
    ended = command("explore", "--space", "lattice", "people.csv", "--schema", "people.toml")
    assert ended.code == 2
    assert 'separator = "' in ended.err
    assert "in the schema" in ended.err
