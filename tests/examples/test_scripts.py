"""The scripts of strangers: short, and each of them runs where its library is."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.spark_session import NEEDS_JAVA, ONE_SPARK

FOLDER = Path(__file__).parents[2] / "examples" / "scripts"
NEEDS = {
    "with_pandas": "pandas",
    "with_polars": "polars",
    "with_duckdb": "duckdb",
    "with_a_database": "sqlite3",
    "with_a_pipeline": "pandas",
    "test_with_pytest": "pytest",
}
MOST_LINES = 14


def run(name: str, folder: Path) -> str:
    path = FOLDER / f"{name}.py"
    tested = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull) if "pytest" in name else ()
    command = [sys.executable, *tested]
    state = {**os.environ, "PARETONYM_STATE": str(folder / "state")}
    ended = subprocess.run(
        [*command, str(path)], cwd=folder, env=state, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.parametrize("name", NEEDS)
def test_it_runs(name: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(NEEDS[name]) is None:
        pytest.skip(f"{NEEDS[name]} is not installed")
    assert run(name, tmp_path).strip()


@pytest.mark.slow
@NEEDS_JAVA
@ONE_SPARK
def test_it_runs_in_spark(tmp_path: Path) -> None:
    assert int(run("with_spark", tmp_path).split()[-1]) > 1


def test_every_script_is_short_and_tried() -> None:
    paths = sorted(FOLDER.glob("*.py"))
    assert {path.stem for path in paths} == {*NEEDS, "with_spark"}
    for path in paths:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        assert len(lines) <= MOST_LINES, path
