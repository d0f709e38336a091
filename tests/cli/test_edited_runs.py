"""Run files that somebody edited: refused with a message, or used; never a bug of ours, never obeyed."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command

SCHEMA = """
[columns.age]
role = "quasi"
type = "integer"
hierarchy.intervals = [10, 40]
[columns.sex]
role = "quasi"
hierarchy.flat = true
[columns.illness]
role = "sensitive"
"""
ODD: tuple[Any, ...] = (
    None, True, -1, 0, 1.5, "", "x", [], {}, [[]], 1e308, "NaN", 10**40, "\x1b[31m", {"a": 1},
)  # fmt: skip
SPACES = {
    "lattice": (),
    "cuts": ("--space", "cuts", "--set", "hybrid.evaluations=100"),
    "mondrian": ("--space", "mondrian", "--sweep", "k=5,10"),
}


def places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(document, dict):
        for key in document:
            yield from places(document[key], (*path, key))
    elif isinstance(document, list):
        for position in range(min(len(document), 2)):
            yield from places(document[position], (*path, position))


def edited(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    changed = copy.deepcopy(document)
    inside = changed
    for key in path[:-1]:
        inside = inside[key]
    if value is Ellipsis:
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    return changed


@pytest.mark.parametrize("space", SPACES)
def test_edited_files(command: Command, tmp_path: Path, space: str) -> None:
    drawn = random.Random(5)
    rows = [f"{drawn.randrange(20, 60)},{drawn.choice('mf')},{drawn.choice('xyz')}" for _ in range(60)]
    (tmp_path / "d.csv").write_text("\n".join(["age,sex,illness", *rows]) + "\n")
    (tmp_path / "s.toml").write_text(SCHEMA)
    assert (
        command(
            "explore", "--space", "lattice", "d.csv", "--schema", "s.toml", "-o", "run", *SPACES[space]
        ).code
        == 0
    )
    run = tmp_path / "run"
    kept = {name: json.loads((run / name).read_text()) for name in ("frontier.json", "run.json")}
    kept["run.json"].pop("files")  # else every edit of the other file is refused by its digest
    ids = kept["frontier.json"]["solutions"][0]["id"]
    asked = (
        ("ask", "run", "--at-most", "loss=90%"),
        ("report", "run", "--pick", ids, "-o", "report.html"),
        ("compare", "run", "run"),
    )
    for name, document in kept.items():
        chosen = [(path, value) for path in places(document) for value in (*ODD, Ellipsis) if path or value]
        for path, value in drawn.sample(chosen, 40):
            for each, content in kept.items():
                text = json.dumps(edited(content, path, value) if each == name else content)
                (run / each).write_text(text)
            ended = command(*drawn.choice(asked))
            (tmp_path / "report.html").unlink(missing_ok=True)
            assert ended.code in (0, 1, 2), (name, path, value, ended.err)
            assert "\x1b" not in ended.err + ended.out


def test_a_recoding_that_is_not_the_one_that_was_found(command: Command, tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("age,sex,illness\n" + "30,m,x\n31,f,y\n32,m,z\n" * 5)
    (tmp_path / "s.toml").write_text(SCHEMA)
    assert command("explore", "--space", "lattice", "d.csv", "--schema", "s.toml", "-o", "run").code == 0
    path = tmp_path / "run" / "frontier.json"
    frontier = json.loads(path.read_text())
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    record.pop("files")
    (tmp_path / "run" / "run.json").write_text(json.dumps(record))
    frontier["solutions"][0]["recoding"]["levels"]["age"] = 0
    path.write_text(json.dumps(frontier))
    ended = command("ask", "run", "--at-most", "loss=90%")
    assert ended.code == 2
    assert ended.err == "error: run: the files of this run are damaged; run 'paretonym explore' again\n"


@pytest.mark.parametrize("words", ["", " or ", "unchanged or ", "unchanged, ", "{0} in steps of 5"])
def test_words_that_say_nothing(command: Command, tmp_path: Path, words: str) -> None:
    (tmp_path / "d.csv").write_text("age,sex,illness\n" + "30,m,x\n31,f,y\n32,m,z\n" * 5)
    (tmp_path / "s.toml").write_text(SCHEMA)
    assert command("explore", "--space", "lattice", "d.csv", "--schema", "s.toml", "-o", "run").code == 0
    path = tmp_path / "run" / "run.json"
    record = json.loads(path.read_text())
    for facts in record["facts"]["releases"].values():
        facts["columns"][0]["words"] = words
    path.write_text(json.dumps(record))
    ended = command("ask", "run", "--at-most", "loss=90%")
    assert ended.code == 2
    assert ended.err == "error: run: the files of this run are damaged; run 'paretonym explore' again\n"


def test_a_run_file_that_is_a_pipe_is_not_waited_for(command: Command, tmp_path: Path) -> None:
    import os

    (tmp_path / "run").mkdir()
    os.mkfifo(tmp_path / "run" / "frontier.json")
    ended = command("ask", "run", "--at-most", "loss=90%")
    assert ended.code == 2
    assert ended.err.endswith("frontier.json: this file cannot be read; run 'paretonym explore' again\n")
