"""From a frontier to files: every claim is counted again by code that shares nothing with the package."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

import paretonym
from paretonym.frontier.solution import Solution
from paretonym.testing.random_tables import random_table
from tests.naive.recount import recount


def check(solution: Solution, path: Path) -> None:
    solution.release(path)
    manifest = json.loads(path.with_name(f"{path.name}.manifest.json").read_text(encoding="utf-8"))
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert list(manifest["roles"]) == header
    assert manifest["output"]["rows"] == len(rows)
    assert rows == sorted(rows)
    claimed = {name: float(value) for name, value in manifest["claims"].items()}
    assert claimed == pytest.approx(recount(path, manifest["roles"]), rel=1e-9, abs=1e-9)
    assert claimed["k"] == solution["k"]
    assert manifest["recoding"]["levels"] == solution.recoding.as_json()["levels"]
    if 0 < solution.suppressed < solution["k"]:
        assert not {"loss", "gl", "sl", "t", "t-js", "delta"} & set(manifest["statements"])
    else:
        assert manifest["statements"]["loss"] == round(solution["loss"], 3)


@pytest.fixture(scope="module")
def adult() -> paretonym.Frontier:
    return paretonym.example("adult").explore("k", "loss", suppress=0.01)


@pytest.mark.parametrize("tenth", range(10))
def test_ten_solutions_across_the_frontier_of_adult(
    adult: paretonym.Frontier, tenth: int, tmp_path: Path
) -> None:
    solution = adult[round(tenth * (len(adult) - 1) / 9)]
    check(solution, tmp_path / "adult.csv")
    with (tmp_path / "adult.csv").open(encoding="utf-8") as file:
        assert sum(1 for _ in file) - 1 == adult.table.rows - solution.suppressed


@pytest.mark.parametrize("seed", range(20))
def test_random_tables(seed: int, tmp_path: Path) -> None:
    generator = Random(seed)
    table = random_table(generator, rows=(20, 120), sensitive=generator.randint(0, 2), labelled=seed % 3 == 0)
    objectives = (
        ("k", "l", "loss") if any(name == "s0" for name in table.schema["columns"]) else ("k", "loss")
    )
    front = table.study().explore(*objectives, suppress=generator.choice(["0", "0.1", "any:0.3"]))
    check(generator.choice(front.solutions), tmp_path / "random.csv")


def test_a_case_on_paper(tmp_path: Path) -> None:
    """Two classes of four and two; in the smaller one both have the flu."""
    rows = {
        "age": ["21", "22", "25", "29", "33", "38"],
        "illness": ["flu", "cold", "flu", "gout", "flu", "flu"],
    }
    schema = {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
            "illness": {"role": "sensitive"},
        }
    }
    import pyarrow

    front = paretonym.Study(pyarrow.table(rows), schema).explore("k", "gl", suppress=0)
    shown = next(s for s in front if s["k"] == 2).release(tmp_path / "paper.csv").to_pydict()
    assert Counter(zip(shown["age"], shown["illness"], strict=True)) == {
        ("[20, 30)", "flu"): 2, ("[20, 30)", "cold"): 1, ("[20, 30)", "gout"): 1, ("[30, 40)", "flu"): 2,
    }  # fmt: skip
    claims = json.loads((tmp_path / "paper.csv.manifest.json").read_text())["claims"]
    assert claims["k"] == 2
    assert claims["risk-average"] == pytest.approx(2 / 6)
    assert (claims["l"], claims["l-distinct"], claims["l-entropy"], claims["alpha"]) == (1, 1, 1, 1)
    assert claims["t-release"] == pytest.approx(1 / 3)
    assert claims["delta-release"] == "inf"


@pytest.mark.parametrize(("alone", "stated"), [(1, False), (2, False), (3, True)])
def test_too_few_left_out_are_not_told(alone: int, stated: bool, tmp_path: Path) -> None:
    """Three of one town stay, and one to three people of no town go: from the loss, or from how far wages lie
    from those of all, fewer than three could be counted."""
    import pyarrow

    rows = {"town": ["a"] * 3 + [f"b{n}" for n in range(alone)], "wage": ["1", "2", "3"] + ["4"] * alone}
    schema = {
        "columns": {
            "town": {"role": "quasi", "hierarchy": {"flat": True}},
            "wage": {"role": "sensitive"},
        }
    }
    study = paretonym.Study(pyarrow.table(rows), schema)
    front = study.explore("k", "loss", "discernibility", "weighted-k", suppress="any:0.9")
    solution = next(s for s in front if s.suppressed == alone and s["k"] == 3)
    solution.release(tmp_path / "towns.csv")
    manifest = json.loads((tmp_path / "towns.csv.manifest.json").read_text())
    expected = {"loss", "gl", "sl", "t", "t-js", "delta", "discernibility", "weighted-k"} if stated else set()
    assert set(manifest["statements"]) == expected
    assert paretonym.audit(tmp_path / "towns.csv", original=study.table, schema=study.schema).passed


def test_a_level_is_stated_and_the_file_claimed(tmp_path: Path) -> None:
    """Four wages are two bands: the file shows four values, the search looks at two."""
    import pyarrow

    rows = {"sex": ["f", "f", "m", "m"], "wage": ["11", "19", "21", "29"]}
    schema = {
        "columns": {
            "sex": {"role": "quasi", "hierarchy": {"flat": True}},
            "wage": {"role": "sensitive", "level": 1, "hierarchy": {"intervals": [10]}},
        }
    }
    front = paretonym.Study(pyarrow.table(rows), schema).explore("l", "loss", suppress=0)
    next(s for s in front if s["loss"] == 0).release(tmp_path / "wages.csv")
    manifest = json.loads((tmp_path / "wages.csv.manifest.json").read_text())
    assert manifest["claims"]["l"] == 2
    assert manifest["statements"]["l"] == 1
    assert manifest["claims"]["t-release"] == manifest["statements"]["t"] == 0.5
