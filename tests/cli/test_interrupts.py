"""Ctrl-C at any moment ends with 130, without a traceback and without half an output; after the end, 0."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import AGE_AND_SEX

# Python says what it is about to do: at the first event that fits, Ctrl-C is pressed.
PROGRAM = """
import os, signal, sys, time
wanted, part = sys.argv[1:3]
number = getattr(signal, os.environ.get("PRESSED", "SIGINT"))
sys.argv = ["paretonym", *sys.argv[3:]]
waiting = [True]

def hook(event, arguments):
    if waiting and event == wanted and any(part in str(each) for each in arguments[:2]):
        waiting.clear()
        os.kill(os.getpid(), number)

def main():
    from paretonym.interfaces.cli.main import main as run
    sys.addaudithook(hook)
    run()
"""
ROWS = "age,sex\n" + "".join(f"{20 + i % 40},{'mf'[i % 2]}\n" for i in range(80))
EXPLORE = ("explore", "--space", "lattice", "data.csv", "--schema", "schema.toml", "-o", "run")
INIT = ("init", "data.csv", "-o", "draft.toml")


def ended(folder: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "data.csv").write_text(ROWS)
    (folder / "schema.toml").write_text(AGE_AND_SEX)
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
    )


@pytest.mark.parametrize(
    ("event", "part", "arguments"),
    [
        ("import", "paretonym.interfaces.cli.commands", INIT),
        ("import", "click", INIT),
        ("import", "paretonym.interfaces.cli.screen", INIT),
        ("import", "numpy", INIT),
        ("import", "pyarrow", EXPLORE),
        ("open", "data.csv", INIT),
        ("open", "schema.toml", EXPLORE),
        ("tempfile.mkstemp", "draft.toml", INIT),
        ("os.chmod", "draft.toml", INIT),
        ("tempfile.mkdtemp", "run", EXPLORE),
        ("open", "frontier.json", EXPLORE),
        ("open", "run.json", EXPLORE),
    ],
)
def test_at_any_moment(tmp_path: Path, event: str, part: str, arguments: tuple[str, ...]) -> None:
    found = ended(tmp_path, PROGRAM + "main()", event, part, *arguments)
    assert found.returncode == 130, found.stderr
    assert "Traceback" not in found.stderr
    assert found.stderr.count("Interrupted") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "schema.toml"]


RELEASE = ("release", "run", "--pick", "", "-o", "public")


@pytest.mark.parametrize(
    ("signal_name", "event", "part", "arguments"),
    [
        ("SIGTERM", "os.chmod", "draft.toml", INIT),
        ("SIGTERM", "open", "frontier.json", EXPLORE),
        ("SIGTERM", "open", "part-00000.parquet", RELEASE),
        ("SIGINT", "open", "part-00000.parquet", RELEASE),
    ],
)
def test_a_request_to_end_leaves_nothing_either(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    signal_name: str,
    event: str,
    part: str,
    arguments: tuple[str, ...],
) -> None:
    if arguments is RELEASE:
        assert (
            ended(tmp_path, PROGRAM + "main()", "never", "", *EXPLORE, "--engine", "duckdb").returncode == 0
        )
        solutions = json.loads((tmp_path / "run" / "frontier.json").read_text())["solutions"]
        arguments = tuple(each or solutions[0]["id"] for each in RELEASE)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    monkeypatch.setenv("PRESSED", signal_name)
    monkeypatch.setenv("TMPDIR", str(tmp_path.parent))
    found = ended(tmp_path, PROGRAM + "main()", event, part, *arguments)
    assert found.returncode == (130 if signal_name == "SIGINT" else -signal.SIGTERM), found.stderr
    assert "Traceback" not in found.stderr
    there = {path.name for path in tmp_path.rglob("*")} - {"data.csv", "schema.toml"}
    assert there == set(before) - {"data.csv", "schema.toml"}


def test_a_request_to_end_leaves_no_spilled_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.setenv("PRESSED", "SIGTERM")
    monkeypatch.setenv("TMPDIR", str(spill))
    spilling = ("tempfile.mkdtemp", "paretonym-spill")
    found = ended(tmp_path, PROGRAM + "main()", *spilling, *EXPLORE, "--engine", "duckdb")
    assert found.returncode == -signal.SIGTERM, found.stderr
    assert list(spill.iterdir()) == []


def test_after_the_end_it_changes_nothing(tmp_path: Path) -> None:
    late = "import atexit\natexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))\nmain()"
    found = ended(tmp_path, PROGRAM + late, "never", "", *INIT)
    assert (found.returncode, "Traceback" in found.stderr) == (0, False)
    assert (tmp_path / "draft.toml").exists()


def test_after_the_end_a_request_to_end_is_plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRESSED", "SIGTERM")
    late = "import atexit\natexit.register(lambda: os.kill(os.getpid(), number))\nmain()"
    found = ended(tmp_path, PROGRAM + late, "never", "", *INIT)
    assert (found.returncode, "Traceback" in found.stderr) == (-signal.SIGTERM, False)
    assert (tmp_path / "draft.toml").exists()


def test_where_nobody_reads_it_it_is_still_said_by_the_code(tmp_path: Path) -> None:
    unread = "os.dup2(os.open(os.devnull, os.O_RDONLY), 2)\nmain()"
    assert ended(tmp_path, PROGRAM + unread, "open", "data.csv", *INIT).returncode == 130


@pytest.mark.parametrize("failure", ["RuntimeError('Query interrupted')", "ValueError()", "None"])
def test_what_a_library_makes_of_it_does_not_count(tmp_path: Path, failure: str) -> None:
    """DuckDB raises an error of its own instead; another may lose it."""
    odd = f"""
from paretonym.tables.source.engines import data_reader as opening
read = opening.Reading._count
def reading(*arguments):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)
    except KeyboardInterrupt:
        if {failure}:
            raise {failure} from None
    return read(*arguments)
opening.Reading._count = reading
main()"""
    found = ended(tmp_path, PROGRAM + odd, "never", "", *INIT)
    assert (found.returncode, found.stdout) == (130, "") or failure == "None"
    assert found.returncode == 130
    assert "bug" not in found.stderr


def test_threads_that_still_work_are_not_waited_for(tmp_path: Path) -> None:
    busy = """
import threading
from paretonym.tables.source.engines import data_reader as opening
def reading(*arguments):
    threading.Thread(target=time.sleep, args=(200,)).start()
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(10)
opening.Reading._count = reading
main()"""
    assert ended(tmp_path, PROGRAM + busy, "never", "", *INIT).returncode == 130


def test_where_it_is_ignored_it_stays_ignored(tmp_path: Path) -> None:
    """As in `nohup` or in the background of a script."""
    ignoring = "signal.signal(signal.SIGINT, signal.SIG_IGN)\nmain()"
    found = ended(tmp_path, PROGRAM + ignoring, "open", "data.csv", *INIT)
    assert found.returncode == 0, found.stderr
