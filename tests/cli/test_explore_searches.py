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
    parameters = ("--set", "poka.depth=2", "--set", "poka.base=age=3, sex=1")
    ended = explore("--search", "poka", *parameters, "-o", "run", "--json")
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
        "--search", "pbg", "--set", "pbg.population=5", "--set", "pbg.generations=7",
        "--set", "pbg.evaluations=4", "--seed", "9", "--objectives", "k,l-distinct,loss",
        "-o", "run", "--json",
    )  # fmt: skip
    search = json.loads(ended.out)["search"]
    assert (search["method"], search["complete"], search["seed"]) == ("pbg", False, 9)
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["evaluated"] == 4
    assert run["options"]["tuning"] == {"seed": 9, "population": 5, "generations": 7, "evaluations": 4}


@pytest.mark.parametrize("search", ["exact", "exhaustive", "pbg", "poka"])
def test_boxes_for_every_search(explore: Command, search: str) -> None:
    whole = json.loads(explore("--search", search, "--json").out)
    thin = json.loads(explore("--search", search, "--set", "box.k=20", "--set", "box.loss=50%", "--json").out)
    assert thin["search"]["box"] == {"k": 20, "loss": 0.5}
    assert not thin["search"]["complete"]
    assert 1 <= len(thin["solutions"]) < len(whole["solutions"])
    assert "box" not in whole["search"]


def test_boxes_are_said(explore: Command) -> None:
    assert (
        "over 60 rows, one per box of k=20, loss=0.5."
        in explore("--set", "box.k=20", "--set", "box.loss=0.5").out
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--set", "poka.depth=2"),
            "--set: 'poka.depth' is given, but the search is exact in the space lattice; omit it, or use "
            "--search poka",
        ),
        (
            ("--set", "poka.deep=2"),
            "--set: poka has no parameter 'deep'; did you mean 'depth'?",
        ),
        (
            ("--set", "polka.depth=2"),
            "--set: 'polka' is no measure, search or space with parameters; did you mean 'poka'?",
        ),
        (
            ("--search", "pbg", "--set", "pbg.generations=few"),
            "--set SEARCH.generations: 'few' is not a whole number; give, for example, 3",
        ),
        (
            ("--set", "box.gl=1"),
            "--set box.MEASURE=SIDE: 'gl' is not an objective of this run; known: k, loss",
        ),
        (
            ("--set", "box.k"),
            "--set box.MEASURE=SIDE: 'k' is not of the form MEASURE=NUMBER; use, for example, k=5 or "
            "loss=25%",
        ),
        (
            ("--search", "poka", "--set", "poka.base=age=1.5"),
            "--set poka.base: 'age=1.5' is not a level; give a whole number",
        ),
        (
            ("--search", "poka", "--set", "poka.base=age=9"),
            "--set poka.base: 'age' has no level 9; give one from 0 to 3",
        ),
    ],
)
def test_refused(explore: Command, options: tuple[str, ...], said: str) -> None:
    ended = explore(*options)
    assert (ended.code, ended.err.splitlines()[-1]) == (2, f"error: {said}")


def test_the_parameters_of_searches_are_listed(command: Command) -> None:
    listed = json.loads(command("measures", "--searches", "--json").out)["spaces"]
    by_name = {space["name"]: space for space in listed}
    assert set(by_name["cuts"]["parameters"]) == {
        f"cuts.{n}" for n in ("problem", "prefer", "sound", "floor-l")
    }
    (poka,) = (search for search in by_name["lattice"]["searches"] if search["name"] == "poka")
    assert set(poka["parameters"]) == {"poka.depth", "poka.base"}
    assert "nsga2.population" in command("measures", "--searches").out
