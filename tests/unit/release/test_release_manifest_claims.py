"""From a frontier to files: every claim is counted again by code that shares nothing with the package."""

from __future__ import annotations

import csv
import json
from collections import Counter
from math import log
from pathlib import Path
from random import Random

import pytest

import paretonym
from paretonym.release.publication import release_cost
from paretonym.research.exams.random_tables import random_table
from paretonym.study.explored_run import Solution
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
    gone = solution.suppressed // solution["k"] * solution["k"]
    spent = release_cost(solution.known_data, solution.recoding).generalization
    assert spent is not None
    if not solution.suppressed:
        assert spent == pytest.approx(solution["gl"] * len(rows))
    stated = manifest["statements"]
    assert set(stated) == {"loss", "gl", "sl"}
    assert stated["sl"] == pytest.approx(gone / (len(rows) + gone), abs=0.00051)
    assert stated["gl"] == pytest.approx(spent / (len(rows) + gone), abs=0.00051)
    assert stated["loss"] == pytest.approx(stated["gl"] + stated["sl"], abs=1e-9)


@pytest.fixture(scope="module")
def adult() -> paretonym.Run:
    return paretonym.example("adult").explore("k", "loss", suppress=0.01, space="lattice")


@pytest.mark.parametrize("tenth", range(10))
def test_ten_solutions_across_the_frontier_of_adult(adult: paretonym.Run, tenth: int, tmp_path: Path) -> None:
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
    front = table.study().explore(
        *objectives, suppress=generator.choice(["0", "0.1", "any:0.3"]), space="lattice"
    )
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

    front = paretonym.Study(pyarrow.table(rows), schema).explore("k", "gl", suppress=0, space="lattice")
    solution = next(s for s in front if s["k"] == 2)
    solution.release(tmp_path / "paper.csv")
    shown = solution.release().to_pydict()
    assert Counter(zip(shown["age"], shown["illness"], strict=True)) == {
        ("[20, 30)", "flu"): 2, ("[20, 30)", "cold"): 1, ("[20, 30)", "gout"): 1, ("[30, 40)", "flu"): 2,
    }  # fmt: skip
    claims = json.loads((tmp_path / "paper.csv.manifest.json").read_text())["claims"]
    assert claims["k"] == 2
    assert claims["risk-average"] == pytest.approx(2 / 6)
    assert (claims["l"], claims["l-distinct"], claims["l-entropy"], claims["alpha"]) == (1, 1, 1, 1)
    assert claims["t-release"] == pytest.approx(1 / 3)
    assert claims["delta-release"] == pytest.approx(log(3 / 2))


@pytest.mark.parametrize("alone", [0, 1, 2, 3, 4, 7])
def test_rows_left_out_are_stated_in_blocks_of_k(alone: int, tmp_path: Path) -> None:
    """Three of one town stay, and some people of no town go: 0, 1 and 2 of them are stated alike, and so are
    3, 4 and 5."""
    import pyarrow

    rows = {"town": ["a"] * 3 + [f"b{n}" for n in range(alone)], "wage": ["1", "2", "3"] + ["4"] * alone}
    schema = {
        "columns": {
            "town": {"role": "quasi", "hierarchy": {"flat": True}},
            "wage": {"role": "sensitive"},
        }
    }
    study = paretonym.Study(pyarrow.table(rows), schema)
    front = study.explore("k", "loss", "discernibility", "weighted-k", suppress="any:0.9", space="lattice")
    solution = next(s for s in front if s.suppressed == alone and s["k"] == 3)
    solution.release(tmp_path / "towns.csv")
    manifest = json.loads((tmp_path / "towns.csv.manifest.json").read_text())
    share = round(alone // 3 * 3 / (3 + alone // 3 * 3), 3)
    assert manifest["statements"] == {"loss": share, "gl": 0, "sl": share}
    assert paretonym.audit(tmp_path / "towns.csv", original=study.table, schema=study.schema).passed


def test_nothing_is_measured_against_the_input(tmp_path: Path) -> None:
    """Fourteen people, each alone and all with the same diagnosis, are suppressed by k and t: neither their
    distance nor the rule about it is published, only that there was one."""
    import pyarrow

    ages = [age for age in range(20, 60) for _ in range(3)] + list(range(63, 203, 10))
    ill = ["yes" if n % 7 == 0 else "no" for n in range(120)] + ["yes"] * 14
    table = pyarrow.table({"age": list(map(str, ages)), "hiv": ill})
    schema = {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10, 50]}},
            "hiv": {"role": "sensitive"},
        }
    }
    front = paretonym.Study(table, schema).explore("k", "t", "loss", suppress="any:0.5", space="lattice")
    solution = next(s for s in front if s.suppressed == 14)
    solution.release(tmp_path / "r.csv")
    text = (tmp_path / "r.csv.manifest.json").read_text()
    manifest = json.loads(text)
    assert set(manifest["statements"]) == {"loss", "gl", "sl"}
    assert set(manifest["recoding"]["keep"]) == {"k"}
    assert manifest["recoding"]["further"] == "closeness"
    assert all(f'"{name}"' not in text for name in ("t", "t-js", "delta", "beta"))
    assert paretonym.audit(tmp_path / "r.csv", original=table, schema=schema).passed


def test_a_level_is_searched_and_the_file_claimed(tmp_path: Path) -> None:
    """Four wages are two bands: the file shows four values, the search looks at two. Only what the file shows
    is published."""
    import pyarrow

    rows = {"sex": ["f", "f", "m", "m"], "wage": ["11", "19", "21", "29"]}
    schema = {
        "columns": {
            "sex": {"role": "quasi", "hierarchy": {"flat": True}},
            "wage": {"role": "sensitive", "level": 1, "hierarchy": {"intervals": [10]}},
        }
    }
    front = paretonym.Study(pyarrow.table(rows), schema).explore("l", "loss", suppress=0, space="lattice")
    next(s for s in front if s["loss"] == 0).release(tmp_path / "wages.csv")
    manifest = json.loads((tmp_path / "wages.csv.manifest.json").read_text())
    assert manifest["claims"]["l"] == 2
    assert set(manifest["statements"]) == {"loss", "gl", "sl"}
