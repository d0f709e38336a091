"""Killed at any moment, a release leaves no file or the whole file, and never a manifest of another."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import paretonym

# Stops for good at the n-th call of a function that the writing goes through.
PROGRAM = """
import sys, time, pathlib
import paretonym
from paretonym.release import release_writer as writing
from paretonym.base.files import outputs

where, number, ending, force = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4] == "force"
seen = 0

def stopping(function):
    def call(*arguments, **options):
        global seen
        seen += 1
        if seen == number:
            print("now", flush=True)
            time.sleep(600)
        return function(*arguments, **options)
    return call

writing.CSV_BLOCK = writing.PARQUET_BLOCK = 16
if where == "block":
    # Within the file: some blocks are written, others are not.
    ahead = writing.ahead
    writing.ahead = lambda make, starts: (stopping(lambda made: made)(made) for made in ahead(make, starts))
elif where == "rename":
    # Of the release; the log is written in the same way.
    plain, counted = pathlib.Path.replace, stopping(pathlib.Path.replace)
    pathlib.Path.replace = lambda path, to: (counted if "out." in path.name else plain)(path, to)
    outputs.give_new_name = stopping(outputs.give_new_name)

import pyarrow
rows = {"age": [str(20 + i % 30) for i in range(300)], "job": [f"job {i % 4}" for i in range(300)]}
columns = {name: {"role": "quasi", "hierarchy": {"flat": True}} for name in rows}
front = paretonym.Study(pyarrow.table(rows), {"columns": columns}).explore("k", "loss", suppress=0)
front[0 if force else -1].release("out" + ending, force=force, allow_second_release=force)
"""


def run(folder: Path, *arguments: str, kill: bool) -> None:
    command = [sys.executable, "-c", PROGRAM, *arguments]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        if kill:
            assert process.stdout is not None
            assert process.stdout.readline() == "now\n"
            os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == (-signal.SIGKILL if kill else 0)


def state(folder: Path, ending: str) -> tuple[bool, bool]:
    """Whether there is a file and a manifest; what is there must be whole and fit."""
    data, manifest = folder / f"out{ending}", folder / f"out{ending}.manifest.json"
    if manifest.exists():
        entry = json.loads(manifest.read_text(encoding="utf-8"))
        if data.exists():
            assert entry["output"]["sha256"] == hashlib.sha256(data.read_bytes()).hexdigest()
    return data.exists(), manifest.exists()


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_in_the_middle_of_the_file(tmp_path: Path, ending: str) -> None:
    run(tmp_path, "block", "3", ending, "", kill=True)
    assert state(tmp_path, ending) == (False, False)
    drafts = list(tmp_path.iterdir())
    assert [path.stat().st_mode & 0o777 for path in drafts] == [0o600] * 2
    run(tmp_path, "block", "0", ending, "", kill=False)
    assert state(tmp_path, ending) == (True, True)


@pytest.mark.parametrize(("number", "left"), [("1", (False, False)), ("2", (False, True))])
def test_between_the_names(tmp_path: Path, number: str, left: tuple[bool, bool]) -> None:
    """The manifest gets its name first: a file that is there has one."""
    run(tmp_path, "rename", number, ".csv", "", kill=True)
    found = {path.name for path in tmp_path.iterdir() if not path.name.startswith(".")}
    assert ("out.csv" in found, "out.csv.manifest.json" in found) == left


@pytest.mark.parametrize(
    ("number", "left"), [("1", (True, True)), ("2", (True, False)), ("3", (True, False))]
)
def test_replacing(tmp_path: Path, number: str, left: tuple[bool, bool]) -> None:
    """The old manifest goes first: none lies beside a file that it does not describe. What is left is known
    as ours, so that the same command again succeeds."""
    run(tmp_path, "block", "0", ".csv", "", kill=False)
    old = (tmp_path / "out.csv").read_bytes()
    run(tmp_path, "rename", number, ".csv", "force", kill=True)
    assert state(tmp_path, ".csv") == left
    assert ((tmp_path / "out.csv").read_bytes() == old) == (number != "3")
    if not left[1]:
        # Half replaced, it is no release that an audit accepts.
        with pytest.raises(paretonym.InputError, match="there is no manifest beside it"):
            paretonym.audit(tmp_path / "out.csv")
    run(tmp_path, "rename", "0", ".csv", "force", kill=False)
    assert state(tmp_path, ".csv") == (True, True)
    assert (tmp_path / "out.csv").read_bytes() != old
