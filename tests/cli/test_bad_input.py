"""Everything that people hand in by mistake: exit code 2, one message, word for word, and nothing written."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.mistakes import AGE, DATA, OPTIONS, SCHEMA, SCHEMAS, SEX, Case

Command = Callable[..., Any]


def prepare(folder: Path, case: Case) -> dict[str, bytes]:
    """Write the case's files; what stands in the folder then."""
    (folder / "people.csv").write_bytes(case.data)
    (folder / "people.toml").write_text(case.schema, encoding="utf-8")
    (folder / "sex.csv").write_text("f;one;A\nm;one;B\n")
    return standing(folder)


def standing(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def explored(case: Case) -> tuple[str, ...]:
    out = () if "-o" in case.options else ("-o", "run")
    return ("explore", "people.csv", "--schema", "people.toml", "-q", *out, *case.options)


def in_schema(said: str) -> str:
    """A message that names the key of a schema in place of the option of `init`."""
    return re.sub(r"--(encoding|separator) ([\w-]+)", r'\1 = "\2" in the schema', said)


@pytest.mark.parametrize("name", [*DATA, *SCHEMAS, *OPTIONS])
def test_explore_refuses(command: Command, tmp_path: Path, name: str) -> None:
    case = {**DATA, **SCHEMAS, **OPTIONS}[name]
    before = prepare(tmp_path, case)
    ended = command(*explored(case))
    assert (ended.err, ended.out, ended.code) == (f"error: {in_schema(case.said)}\n", "", 2)
    assert standing(tmp_path) == before


@pytest.mark.parametrize("name", [*DATA, *SCHEMAS])
def test_schema_refuses(command: Command, tmp_path: Path, name: str) -> None:
    case = {**DATA, **SCHEMAS}[name]
    before = prepare(tmp_path, case)
    ended = command("schema", "people.toml", "--data", "people.csv", *case.options)
    assert (ended.err, ended.out, ended.code) == (f"error: {in_schema(case.said)}\n", "", 2)
    ended = command("schema", "people.toml", "--data", "people.csv", "--json", *case.options)
    problems = json.loads(ended.out)["problems"]
    assert "\n".join(f"{one['place']}: {one['wrong']}; {one['remedy']}" for one in problems) == (
        in_schema(case.said)
    )
    assert ended.code == 2
    assert standing(tmp_path) == before


# A draft finds the encoding out by itself, and leaves a line of sums out; it says both.
DRAFTED = {"wrong encoding": "Read in cp1252", "a line of sums": "Read without the last row"}
SUMS = Case("", b"age,sex,illness\n20,f,x\n21,m,y\nTotal,2\n")


@pytest.mark.parametrize("name", DRAFTED)
def test_init_finds_out(command: Command, tmp_path: Path, name: str) -> None:
    prepare(tmp_path, DATA.get(name, SUMS))
    ended = command("init", "people.csv", "-o", "new.toml")
    assert ended.code == 0
    assert f"{DRAFTED[name]}; the schema says so." in ended.out


@pytest.mark.parametrize(
    ("name", "update"),
    [(name, update) for name in DATA for update in (False, True) if update or name not in DRAFTED],
)
def test_init_refuses(command: Command, tmp_path: Path, name: str, update: bool) -> None:
    before = prepare(tmp_path, DATA[name])
    target = ("--update", "people.toml") if update else ("-o", "new.toml")
    ended = command("init", "people.csv", *target, *DATA[name].options)
    assert (ended.err, ended.out, ended.code) == (f"error: {DATA[name].said}\n", "", 2)
    assert standing(tmp_path) == before


NO_FILE = [
    (
        ("explore", "peple.csv", "--schema", "people.toml"),
        "peple.csv: this file does not exist; did you mean 'people.csv'?",
    ),
    (
        ("schema", "people.toml", "--data", "peple.csv"),
        "peple.csv: this file does not exist; did you mean 'people.csv'?",
    ),
    (
        ("init", "peple.csv", "-o", "new.toml"),
        "peple.csv: this file does not exist; did you mean 'people.csv'?",
    ),
    (
        ("explore", "people.csv", "--schema", "no.toml"),
        "no.toml: this file does not exist; check the path no.toml",
    ),
    (
        ("schema", "no.toml", "--data", "people.csv"),
        "no.toml: this file does not exist; check the path no.toml",
    ),
    (
        ("init", "people.csv", "--update", "no.toml"),
        "no.toml: this file does not exist; check the path no.toml",
    ),
    (
        ("schema", "people.toml", "--data", "."),
        "sex.csv: its columns are not those of people.csv; give files that have the same columns, of the "
        "same types, in the same order",
    ),
    (
        ("init", ".", "-o", "new.toml"),
        "sex.csv: its columns are not those of people.csv; give files that have the same columns, of the "
        "same types, in the same order",
    ),
    (
        ("init", "people.csv", "-o", "people.toml"),
        "--out people.toml: already exists, and is not replaced (paretonym did not write it, or it has "
        "changed since); give another name",
    ),
    (
        ("init", "people.csv", "-o", "x", "--update", "people.toml"),
        "--out: given together with --update; give only one of the two",
    ),
]


@pytest.mark.parametrize(("arguments", "said"), NO_FILE)
def test_files_that_cannot_be_used(
    command: Command, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    before = prepare(tmp_path, Case(""))
    ended = command(*arguments, "--quiet")
    assert (ended.err, ended.out, ended.code) == (f"error: {said}\n", "", 2)
    assert standing(tmp_path) == before


@pytest.mark.parametrize("arguments", [explored(Case("")), ("init", "people.csv", "-o", "run")])
def test_an_unwritable_folder(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    before = prepare(tmp_path, Case(""))
    # Nothing is unwritable for root, so that the system is asked in vain.
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)
    ended = command(*arguments)
    wrong = f"the folder '{tmp_path}' cannot be written to"
    assert ended.err == f"error: --out run: {wrong}; give a name in a folder of your own\n"
    assert (ended.out, ended.code) == ("", 2)
    assert standing(tmp_path) == before


def test_diversity_without_a_sensitive_column(command: Command, tmp_path: Path) -> None:
    before = prepare(tmp_path, Case("", schema=SCHEMA.replace("sensitive", "drop")))
    ended = command(*explored(Case("", options=("--objectives", "l,loss"))))
    assert (ended.out, ended.code) == ("", 2)
    assert ended.err.startswith("error: --objectives: ")
    assert ended.err.count("\n") == 1
    assert standing(tmp_path) == before


def test_all_problems_at_once(command: Command, tmp_path: Path) -> None:
    schema = AGE.replace("[10, 20]", "[10, 15]") + SEX + "nothing = 1\n"
    schema += '[columns.illness]\nrole = "sensitiv"\n'
    prepare(tmp_path, Case("", schema=schema))
    ended = command("schema", "people.toml", "--data", "people.csv")
    assert ended.code == 2
    assert [line.split(": ")[0 if number else 1] for number, line in enumerate(ended.err.splitlines())] == [
        "people.toml, column 'age', hierarchy.intervals",
        "people.toml, column 'sex'",
        "people.toml, column 'illness'",
    ]


def test_a_file_without_a_header_shows_nobody(command: Command, tmp_path: Path) -> None:
    """Its first person would be the names of its columns, which messages show."""
    (tmp_path / "people.toml").write_text(
        '[columns.name]\nrole = "identifier"\n[columns.age]\nrole = "quasi"\nhierarchy.flat = true\n'
        '[columns.illness]\nrole = "sensitive"\n'
    )
    rows = [f"Somebody{i},{20 + i % 7},gout{i % 3}" for i in range(40)]
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n")
    ended = command("explore", "people.csv", "--schema", "people.toml")
    assert ended.code == 2
    assert "it is another table, or its first line is a row" in ended.err
    for commanded in (ended, command("schema", "people.toml", "--data", "people.csv")):
        assert not re.search(r"Somebody|gout", commanded.out + commanded.err)
