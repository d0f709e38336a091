"""The answer first: every command prints it in a few lines, and one line for each kind of warning."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Command

TABLES = Path(__file__).parents[2] / "examples" / "tables"
TERMS = (" gl ", " sl ", "any:0.1", "hypervolume", "dominates")


@pytest.mark.parametrize("table", ["hospital", "survey"])
def test_every_answer_is_short(command: Command, tmp_path: Path, table: str) -> None:
    for suffix in ("csv", "toml"):
        shutil.copy(TABLES / f"{table}.{suffix}", tmp_path)
    beside = ("--original", f"{table}.csv", "--schema", f"{table}.toml")
    lines = 0

    def ask(*words: str) -> None:
        nonlocal lines
        ended = command(*words)
        assert ended.code == 0, ended.err
        assert len(ended.out.splitlines()) <= 10, ended.out
        assert not [term for term in TERMS if term in ended.out]
        warned = [line for line in ended.err.splitlines() if line.startswith("Warning: ")]
        assert len(warned) == len(set(warned)) <= 4
        lines += len((ended.out + ended.err).splitlines())

    ask("init", f"{table}.csv", "-o", "draft.toml")
    ask("schema", f"{table}.toml", "--data", f"{table}.csv")
    ask("risk", f"{table}.csv", "--schema", f"{table}.toml")
    ask("explore", f"{table}.csv", "--schema", f"{table}.toml", "--space", "lattice", "-o", "run")
    ask("ask", "run")
    solutions = json.loads(Path("run/frontier.json").read_text())["solutions"]
    pick = solutions[len(solutions) // 2]["id"]
    ask("ask", "run", "--at-least", "k=2", "--best", "loss")
    ask("release", "run", "--pick", pick, "-o", "out.csv")
    ask("audit", "out.csv", *beside)
    ask("attack", "out.csv", *beside)
    ask("report", "run", "--pick", pick, "-o", "r.html")
    assert lines <= 110
