"""`-` is the standard input: read once, into a copy without a name."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

COMMAND = (sys.executable, "-c", "from paretonym.interfaces.cli.main import main; main()")
ROWS = "age,sex\n" + "".join(f"{20 + number % 5},{'mf'[number % 2]}\n" for number in range(60))
SCHEMA = """[columns.age]
role = "quasi"
hierarchy.intervals = [10]
[columns.sex]
role = "quasi"
hierarchy.flat = true
"""


def command(*arguments: str, folder: Path, given: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state"), "TMPDIR": str(folder / "tmp")}
    (folder / "tmp").mkdir(exist_ok=True)
    line = [*COMMAND, *arguments]
    return subprocess.run(
        line, input=given, capture_output=True, text=True, cwd=folder, env=environment, timeout=120
    )


def test_a_run_from_the_standard_input(tmp_path: Path) -> None:
    (tmp_path / "schema.toml").write_text(SCHEMA)
    (tmp_path / "people.csv").write_text(ROWS)
    explored = command(
        "explore",
        "--space",
        "lattice",
        "-",
        "--schema",
        "schema.toml",
        "-o",
        "piped",
        folder=tmp_path,
        given=ROWS,
    )
    assert explored.returncode == 0, explored.stderr
    command(
        "explore",
        "--space",
        "lattice",
        "people.csv",
        "--schema",
        "schema.toml",
        "-o",
        "read",
        folder=tmp_path,
    )
    assert (tmp_path / "piped/frontier.json").read_bytes() == (tmp_path / "read/frontier.json").read_bytes()
    assert not list((tmp_path / "tmp").iterdir())

    pick = json.loads((tmp_path / "piped/frontier.json").read_text())["solutions"][0]["id"]
    released = command("release", "piped", "--pick", pick, "-o", "out.csv", folder=tmp_path)
    assert released.returncode == 2
    assert "the run does not record where they are; give --data PATH" in released.stderr
    again = ("release", "piped", "--pick", pick, "-o", "out.csv", "--data", "-")
    assert command(*again, folder=tmp_path, given=ROWS + "25,m\n").returncode == 2
    assert command(*again, folder=tmp_path, given=ROWS).returncode == 0
    assert not list((tmp_path / "tmp").iterdir())


def test_an_empty_standard_input(tmp_path: Path) -> None:
    answer = command("init", "-", folder=tmp_path, given="")
    assert answer.returncode == 2
    assert answer.stderr == (
        "error: standard input: the standard input is empty, or was read before; "
        "give '-' once, and pipe a table with a header line and rows\n"
    )


def test_spark_does_not_count_the_standard_input(tmp_path: Path) -> None:
    answer = command("init", "-", "--engine", "spark", folder=tmp_path, given=ROWS)
    assert answer.returncode == 2
    assert "Spark reads files; a database or a dataframe is counted where it is" in answer.stderr


def test_nothing_is_left_when_the_process_is_killed(tmp_path: Path) -> None:
    """Not even by SIGKILL: the copy has no name."""
    copies = tmp_path / "tmp"
    copies.mkdir()
    line = [*COMMAND, "init", "-"]
    environment = {**os.environ, "TMPDIR": str(copies), "XDG_STATE_HOME": str(tmp_path / "state")}
    with subprocess.Popen(line, stdin=subprocess.PIPE, env=environment) as process:
        assert process.stdin is not None
        process.stdin.write((ROWS * 1000).encode())
        process.stdin.flush()
        process.send_signal(signal.SIGKILL)
        with suppress(BrokenPipeError):
            process.stdin.close()
        process.wait(timeout=60)
    assert not list(copies.iterdir())
