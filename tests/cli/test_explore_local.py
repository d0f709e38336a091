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
    "greedy.evaluations=200",
    "--quiet",
)


def table(seed: int, rows: int) -> str:
    generator = random.Random(seed)
    ages = (min(89, int(20 + generator.expovariate(0.06))) for _ in range(rows))
    lines = (f"{age},{generator.choice('mf')},{generator.choice('abcd')}" for age in ages)
    return "\n".join(["age,sex,illness", *lines, ""])


@pytest.fixture
def run(command: Command, tmp_path: Path) -> dict[str, Any]:
    """A run in the folder `run`, and the solution with k of at least 4 that mixes most levels."""
    (tmp_path / "t.csv").write_text(table(1, 150))
    (tmp_path / "new.csv").write_text(table(2, 40))
    (tmp_path / "t.toml").write_text(SCHEMA)
    ended = command("explore", "--space", "lattice", "t.csv", *ASKED, "-o", "run", "--details")
    assert ended.code == 0, ended.err
    assert "The lowest and the highest level of age, sex in a chain of nodes" in ended.out
    saved = json.loads((tmp_path / "run" / "frontier.json").read_text(encoding="utf-8"))
    assert saved["space"]["kind"] == "local"
    assert saved["search"]["method"] == "greedy"
    assert saved["search"]["complete"] is False
    chains = [each for each in saved["solutions"] if each["values"]["k"] >= 4]
    return max(chains, key=lambda each: len(each["recoding"]["chain"]))


def test_the_whole_way(command: Command, tmp_path: Path, run: dict[str, Any]) -> None:
    k = run["values"]["k"]
    assert len(run["recoding"]["chain"]) > 2
    assert command("ask", "run", "--at-least", "k=4", "--best", "loss", "--json").code == 0
    assert command("release", "run", "--pick", run["id"], "-o", "out.csv").code == 0
    written = json.loads((tmp_path / "out.csv.manifest.json").read_text())
    assert written["recoding"] == run["recoding"]
    ages = {line.partition(",")[0] for line in (tmp_path / "out.csv").read_text().splitlines()[1:]}
    assert len({age.count("[") for age in ages}) > 1 or "*" in ages
    assert command("audit", "out.csv", "--require", f"k>={k}").code == 0
    ended = command("audit", "out.csv", "--original", "t.csv", "--schema", "t.toml", "--json")
    assert ended.code == 0
    assert all(check["holds"] for check in json.loads(ended.out)["checks"])
    ended = command("attack", "out.csv", "--original", "t.csv", "--schema", "t.toml")
    assert f"to {k:.0f} candidate rows or more" in ended.out


def test_reports_show_where_rows_are(command: Command, tmp_path: Path, run: dict[str, Any]) -> None:
    assert command("report", "run", "--pick", run["id"], "-o", "own.html").code == 0
    own = (tmp_path / "own.html").read_text(encoding="utf-8")
    assert "At which levels rows are shown" in own
    assert command("report", "run", "--pick", run["id"], "--for", "public", "-o", "public.html").code == 0
    public = (tmp_path / "public.html").read_text(encoding="utf-8")
    # How many rows are shown at a node is no business of the public.
    assert "At which levels rows are shown" not in public
    assert "in steps of 10" in public


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


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda chain, keep: chain.reverse(), "a node of the chain is not more general than the one before"),
        (lambda chain, keep: chain[0].pop("age"), "it names no level of 'age'"),
        (lambda chain, keep: keep.clear(), "it states a chain, but not how large a class must be"),
    ],
)
def test_a_manifest_with_a_broken_chain_fails(
    command: Command, tmp_path: Path, run: dict[str, Any], change: Any, why: str
) -> None:
    assert command("release", "run", "--pick", run["id"], "-o", "out.csv").code == 0
    path = tmp_path / "out.csv.manifest.json"
    document = json.loads(path.read_text())
    change(document["recoding"]["chain"], document["recoding"]["keep"])
    path.write_text(json.dumps(document))
    ended = command("audit", "out.csv", "--json")
    assert ended.code == 1
    assert why in ended.out


def test_another_chain_than_the_true_one_is_found_beside_the_original(
    command: Command, tmp_path: Path, run: dict[str, Any]
) -> None:
    assert command("release", "run", "--pick", run["id"], "-o", "out.csv").code == 0
    path = tmp_path / "out.csv.manifest.json"
    document = json.loads(path.read_text())
    del document["recoding"]["chain"][0]
    path.write_text(json.dumps(document))
    ended = command("audit", "out.csv", "--original", "t.csv", "--schema", "t.toml", "--json")
    assert ended.code == 1
    failed = [check["name"] for check in json.loads(ended.out)["checks"] if check["holds"] is False]
    assert "rows not from the original" in failed
