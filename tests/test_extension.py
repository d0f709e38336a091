"""A package of somebody else adds a space, a search, a measure and a command: `examples/extension`, which
`docs/how-to/extend.md` explains."""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from paretonym.research.exams.measure_exam import sit_measure_exam

EXTENSION = Path(__file__).parents[1] / "examples" / "extension"
TABLE = "age,zip,ill\n" + "".join(f"{20 + 7 * i % 40},{10 + i % 6},{'abc'[i % 3]}\n" for i in range(90))
SCHEMA = """
columns.age = { role = "quasi", type = "integer", hierarchy.intervals = [5, 10, 20] }
columns.zip = { role = "quasi", hierarchy.mask = 2 }
columns.ill = { role = "sensitive" }
"""
Call = Callable[..., "subprocess.CompletedProcess[str]"]


def install(folder: Path, entry_points: dict[str, dict[str, str]], name: str) -> None:
    """Entry points in a folder beside modules that are there already, as pip leaves them."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in points.items())
        for group, points in entry_points.items()
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    folder = tmp_path / "packages"
    folder.mkdir()
    shutil.copy(EXTENSION / "even.py", folder)
    project = tomllib.loads((EXTENSION / "pyproject.toml").read_text())["project"]
    install(folder, project["entry-points"], project["name"].replace("-", "_"))
    return folder


@pytest.fixture
def call(packages: Path, tmp_path: Path) -> Call:
    work = tmp_path / "work"
    work.mkdir()
    (work / "people.csv").write_text(TABLE)
    (work / "people.toml").write_text(SCHEMA)

    def called(*words: str) -> subprocess.CompletedProcess[str]:
        program = "from paretonym.interfaces.cli.main import main; main()"
        return subprocess.run(
            [sys.executable, "-c", program, *words],
            capture_output=True, text=True, check=False, cwd=work,
            env={**os.environ, "PYTHONPATH": str(packages), "NO_COLOR": "1"},
        )  # fmt: skip

    return called


EXPLORE = ("explore", "people.csv", "--schema", "people.toml", "--suppress", "any:0.2", "-o")


def test_a_space_of_another_package_from_explore_to_audit(call: Call, tmp_path: Path) -> None:
    explored = call(*EXPLORE, "run", "--space", "even", "--objectives", "k,loss,median-class", "--json")
    assert explored.returncode == 0, explored.stderr
    front = json.loads(explored.stdout)
    levels = [tuple(one["recoding"]["levels"].values()) for one in front["solutions"]]
    assert set(levels) <= {(0, 0), (1, 1), (2, 2), (3, 2), (4, 2)}
    assert all(one["values"]["median-class"] >= one["values"]["k"] for one in front["solutions"])
    pick = next(one["id"] for one in front["solutions"] if one["values"]["k"] > 1)
    released = call("release", "run", "--pick", pick, "-o", "public.csv")
    assert released.returncode == 0, released.stderr
    audited = call("audit", "public.csv", "--schema", "people.toml", "--original", "people.csv")
    assert audited.returncode == 0, audited.stdout + audited.stderr
    counted = call("sizes", "run", pick)
    classes = [line.split(" of ") for line in counted.stdout.splitlines()]
    rows = len((tmp_path / "work" / "public.csv").read_text().splitlines()) - 1
    assert sum(int(number) * int(size) for number, size in classes) == rows


def test_a_search_of_another_package(call: Call) -> None:
    explored = call(*EXPLORE, "run", "--space", "lattice", "--search", "ends", "--json")
    assert explored.returncode == 0, explored.stderr
    levels = [tuple(one["recoding"]["levels"].values()) for one in json.loads(explored.stdout)["solutions"]]
    assert set(levels) == {(0, 0), (4, 2)}


def test_what_plugs_in_is_listed_and_offered(call: Call) -> None:
    assert "sizes      Count the classes of a release by their size." in call("--help").stdout
    assert "median-class" in call("measures").stdout
    misspelled = call(*EXPLORE, "run", "--space", "evn")
    assert misspelled.returncode == 2
    assert "did you mean 'even'" in misspelled.stderr


def test_two_packages_with_one_name_are_refused(call: Call, packages: Path) -> None:
    (packages / "odd.py").write_text("EVEN = None\n")
    install(packages, {"paretonym.spaces": {"even": "odd:EVEN"}}, "paretonym_odd")
    ended = call(*EXPLORE, "run", "--space", "even")
    assert ended.returncode == 2
    assert "the plug-in 'even'" in ended.stderr
    assert "uninstall one of them" in ended.stderr


def test_a_package_that_cannot_be_loaded_is_named(call: Call, packages: Path) -> None:
    (packages / "even.py").write_text("import nothing_of_this_name\n")
    ended = call(*EXPLORE, "run", "--space", "even")
    assert ended.returncode == 2
    assert "paretonym-even cannot be loaded: No module named 'nothing_of_this_name'" in ended.stderr.replace(
        "paretonym_even", "paretonym-even"
    )


def test_the_page_quotes_the_example() -> None:
    page = (EXTENSION.parents[1] / "docs" / "how-to" / "extend.md").read_text()
    code, project = (EXTENSION / "even.py").read_text(), (EXTENSION / "pyproject.toml").read_text()
    for kind, block in re.findall(r"```(py|toml)\n(.*?)```", page, re.DOTALL):
        assert block in (code if kind == "py" else project) or "sit_measure_exam" in block, block


def test_the_exam_of_measures_takes_it(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(packages))
    sit_measure_exam(importlib.import_module("even").MEDIAN_CLASS, seeds=range(3))
