"""`paretonym explore` with the options of its searches."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.cli.test_commands import EXPLORE, ROWS, SCHEMA


@pytest.fixture
def explore(command: Command, tmp_path: Path) -> Command:
    (tmp_path / "people.csv").write_text(ROWS)
    (tmp_path / "people.toml").write_text(SCHEMA)
    return lambda *options: command(*EXPLORE, "--suppress", "5%", *options)


def test_poka(explore: Command, tmp_path: Path) -> None:
    ended = explore("--search", "poka", "--depth", "2", "--base", "age=3, sex=1", "-o", "run", "--json")
    assert json.loads(ended.out)["search"] == {
        "method": "poka",
        "complete": False,
        "seed": None,
        "open": 0,
    } | {"open": json.loads(ended.out)["search"]["open"]}
    options = json.loads((tmp_path / "run" / "run.json").read_text())["options"]
    assert options["search"] == "poka"
    assert options["tuning"] == {"depth": 2, "base": {"age": 3, "sex": 1}}


def test_pbg(explore: Command, tmp_path: Path) -> None:
    ended = explore(
        "--search", "pbg", "--population", "5", "--generations", "7", "--evaluations", "4", "--seed", "9",
        "--objectives", "k,l-distinct,loss", "-o", "run", "--json",
    )  # fmt: skip
    search = json.loads(ended.out)["search"]
    assert (search["method"], search["complete"], search["seed"]) == ("pbg", False, 9)
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["evaluated"] == 4
    assert run["options"]["tuning"] == {"seed": 9, "population": 5, "generations": 7, "evaluations": 4}


@pytest.mark.parametrize("search", ["exact", "exhaustive", "pbg", "poka"])
def test_boxes_for_every_search(explore: Command, search: str) -> None:
    whole = json.loads(explore("--search", search, "--json").out)
    thin = json.loads(explore("--search", search, "--box", "k=20,loss=50%", "--json").out)
    assert thin["search"]["box"] == {"k": 20, "loss": 0.5}
    assert not thin["search"]["complete"]
    assert 1 <= len(thin["solutions"]) < len(whole["solutions"])
    assert "box" not in whole["search"]


def test_boxes_are_said(explore: Command) -> None:
    assert "over 60 rows, one per box of k=20, loss=0.5." in explore("--box", "k=20,loss=0.5").err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--depth", "2"),
            "--depth: the search 'exact' does not have this option; omit it, or use --search poka",
        ),
        (
            ("--generations", "2"),
            "--generations: the search 'exact' does not have this option; omit it, or use --search pbg",
        ),
        (("--box", "gl=1"), "--box: 'gl' is not an objective of this run; known: k, loss"),
        (("--box", "k"), "--box: 'k' is not of the form MEASURE=NUMBER; use, for example, k=5 or loss=25%"),
        (("--search", "poka", "--base", "age=1.5"), "--base: 'age=1.5' is not a level; give a whole number"),
        (("--search", "poka", "--base", "age=9"), "--base: 'age' has no level 9; give one from 0 to 3"),
    ],
)
def test_refused(explore: Command, options: tuple[str, ...], said: str) -> None:
    ended = explore(*options)
    assert (ended.code, ended.err.splitlines()[-1]) == (2, f"error: {said}")
