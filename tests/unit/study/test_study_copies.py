"""Studies, runs and solutions are copied and sent to other processes, and go on working there."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest

import paretonym as pn
from paretonym.study import SpaceName

TABLES = Path(__file__).parents[3] / "examples" / "tables"
WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "deepcopy": copy.deepcopy,
}


@pytest.fixture(params=["file", "dataframe"])
def study(request: pytest.FixtureRequest) -> pn.Study:
    path = TABLES / "school.csv"
    data = path if request.param == "file" else pandas.read_csv(path, dtype=str, keep_default_na=False)
    return pn.Study(data, TABLES / "school.toml")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("space", ["lattice", "local", "cuts", "mondrian", "buckets"])
def test_a_copy_answers_as_the_original(study: pn.Study, space: SpaceName, way: str) -> None:
    run = study.explore("k", "loss", space=space)
    again = WAYS[way](run)
    assert again == run
    assert again[0].data is not run[0].data
    assert WAYS[way](run[-1]) == run[-1]
    first, second = (pandas.DataFrame(each[-1].release()) for each in (run, again))
    assert first.equals(second)


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_of_a_study_explores(study: pn.Study, way: str) -> None:
    before, _ = WAYS[way](study), study.explore("k", "loss", suppress="1%", space="lattice")
    assert before.explore("k", "loss", suppress="1%", space="lattice") == study.explore(
        "k", "loss", suppress="1%", space="lattice"
    )
    assert WAYS[way](study).explore("k", "loss", suppress="1%", space="lattice") == study.explore(
        "k", "loss", suppress="1%", space="lattice"
    )


def test_a_saved_run_is_sent_without_its_table(study: pn.Study, tmp_path: Path) -> None:
    study.explore("k", "loss", suppress="1%", space="lattice").save(tmp_path / "run")
    loaded = pn.load(tmp_path / "run")
    sent = pickle.dumps(loaded)
    assert "source" not in vars(loaded.data)
    assert pickle.loads(sent) == loaded
