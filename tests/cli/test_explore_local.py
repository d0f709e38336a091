"""`paretonym explore --space local`, and the whole way of what it finds: ask, release, audit, attack, apply,
report."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import AGE_AND_SEX, Command

SCHEMA = AGE_AND_SEX + '[columns.illness]\nrole = "sensitive"\n'
ASKED = (
    "--schema",
    "t.toml",
    "--space",
    "local",
    "--suppress",
    "5%",
    "--set",
    "clusters.evaluations=2000",
    "--quiet",
)


def table(seed: int, rows: int) -> str:
    generator = random.Random(seed)
    ages = (min(89, int(20 + generator.expovariate(0.06))) for _ in range(rows))
    lines = (f"{age},{generator.choice('mf')},{generator.choice('abcd')}" for age in ages)
    return "\n".join(["age,sex,illness", *lines, ""])


@pytest.fixture
def run(command: Command, tmp_path: Path) -> dict[str, Any]:
    """A run in the folder `run`, and the partition that loses least with a k of at least 4."""
    (tmp_path / "t.csv").write_text(table(1, 150))
    (tmp_path / "new.csv").write_text(table(2, 40))
    (tmp_path / "t.toml").write_text(SCHEMA)
    ended = command("explore", "--space", "lattice", "t.csv", *ASKED, "-o", "run", "--details")
    assert ended.code == 0, ended.err
    assert "every class of age, sex shows the smallest sets that contain it" in " ".join(ended.out.split())
    saved = json.loads((tmp_path / "run" / "frontier.json").read_text(encoding="utf-8"))
    assert saved["space"]["kind"] == "local"
    assert saved["search"]["method"] == "clusters"
    assert saved["search"]["complete"] is False
    local = [each for each in saved["solutions"] if "partition" in each["recoding"]]
    return min((each for each in local if each["values"]["k"] >= 4), key=lambda each: each["values"]["loss"])


def test_the_whole_way(command: Command, tmp_path: Path, run: dict[str, Any]) -> None:
    k = run["values"]["k"]
    assert command("ask", "run", "--at-least", "k=4", "--best", "loss", "--json").code == 0
    assert command("release", "run", "--pick", run["id"], "-o", "out.csv").code == 0
    written = json.loads((tmp_path / "out.csv.manifest.json").read_text())
    assert written["recoding"]["space"] == "local"
    assert written["recoding"]["keep"] == run["recoding"]["keep"]
    assert "partition" not in written["recoding"]
    ages = {line.partition(",")[0] for line in (tmp_path / "out.csv").read_text().splitlines()[1:]}
    assert len({age.count("[") for age in ages}) > 1 or "*" in ages
    assert command("audit", "out.csv", "--require", f"k>={k}").code == 0
    ended = command("audit", "out.csv", "--original", "t.csv", "--schema", "t.toml", "--json")
    assert ended.code == 0
    assert not [check for check in json.loads(ended.out)["checks"] if check["holds"] is False]
    ended = command("attack", "out.csv", "--original", "t.csv", "--schema", "t.toml")
    assert f"to {k:.0f} candidate rows or more" in ended.out


def test_reports_are_written(command: Command, tmp_path: Path, run: dict[str, Any]) -> None:
    assert command("report", "run", "--pick", run["id"], "-o", "own.html").code == 0
    assert command("report", "run", "--pick", run["id"], "--for", "public", "-o", "public.html").code == 0
    assert run["recoding"]["partition"] not in (tmp_path / "public.html").read_text(encoding="utf-8")


def test_new_rows_join_the_classes_of_the_old_release(
    command: Command, tmp_path: Path, run: dict[str, Any]
) -> None:
    assert command("release", "run", "--pick", run["id"], "-o", "out.csv").code == 0
    ended = command("apply", "run", "--pick", run["id"], "new.csv", "-o", "more.csv")
    assert ended.code == 0, ended.err
    assert json.loads((tmp_path / "more.csv.manifest.json").read_text())["applied"]["k"] >= run["values"]["k"]
    old, more = (
        {line.rpartition(",")[0] for line in (tmp_path / name).read_text().splitlines()[1:]}
        for name in ("out.csv", "more.csv")
    )
    assert more & old
    assert command("audit", "more.csv").code == 1
    beside = ("--original", "new.csv", "--old", "t.csv", "--schema", "t.toml")
    ended = command("audit", "more.csv", *beside, "--json")
    assert ended.code == 0
    assert not [check for check in json.loads(ended.out)["checks"] if check["holds"] is False]


def test_runs_of_other_spaces_are_compared_with_it(command: Command, run: dict[str, Any]) -> None:
    lattice = ("--space", "lattice", "--schema", "t.toml", "--suppress", "5%", "--quiet", "-o", "levels")
    assert command("explore", "t.csv", *lattice).code == 0
    ended = command("compare", "run", "levels", "--measures", "k,loss", "--json")
    assert ended.code == 0
    covered = {each["method"]: each["covered"] for each in json.loads(ended.out)["methods"]}
    assert covered["run"] == 1 > covered["levels"]
