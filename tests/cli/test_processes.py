"""The command as a process of its own: pipes, terminals, signals, and what is loaded when."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest

from tests.cli.conftest import Command

COMMAND = (sys.executable, "-c", "from paretonym.interfaces.cli.main import main; main()")
SCHEMA = "".join(
    f'[columns.q{j}]\nrole = "quasi"\nhierarchy.intervals = [2, 4, 8, 16, 32]\n' for j in range(8)
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table whose lattice of 7⁸ nodes takes minutes."""
    generator = Random(0)
    rows = [",".join(str(generator.randint(0, 63)) for _ in range(8)) for _ in range(2000)]
    (tmp_path / "large.csv").write_text(",".join(f"q{j}" for j in range(8)) + "\n" + "\n".join(rows) + "\n")
    (tmp_path / "large.toml").write_text(SCHEMA)
    few = SCHEMA.split("[columns.q2]")[0]
    (tmp_path / "small.csv").write_text("q0,q1\n1,2\n3,4\n1,2\n40,2\n")
    (tmp_path / "small.toml").write_text(few)
    return tmp_path


def environment(**further: str) -> Mapping[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    return {**kept, "TERM": "xterm-256color", "COLUMNS": "100", **further}


def read_until(terminal: int, wanted: bytes) -> bytes:
    """What comes from a terminal, up to the wanted text or the end."""
    seen = b""
    while wanted not in seen or not wanted:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        seen += piece
    return seen


def test_interrupted_in_the_middle(folder: Path) -> None:
    ours, theirs = pty.openpty()
    arguments = (
        "explore",
        "--space",
        "lattice",
        "large.csv",
        "--schema",
        "large.toml",
        "-o",
        "run",
        "--suppress",
        "0",
    )
    process = subprocess.Popen(
        [*COMMAND, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=theirs, env=environment()
    )
    os.close(theirs)
    try:
        assert b"5,764,801 nodes" in read_until(ours, b"5,764,801 nodes")
        process.send_signal(signal.SIGINT)
        said = read_until(ours, b"")
        out, _ = process.communicate()
    finally:
        process.kill()
        os.close(ours)
    assert process.returncode == 130
    assert out == b""
    assert b"Interrupted: nothing was written." in said
    assert b"Traceback" not in said
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["large.csv", "large.toml", "small.csv", "small.toml"]


def test_a_terminal_shows_that_an_audit_is_at_work(folder: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "audit", "small.csv", "--quasi", columns_of(folder / "small.csv")[0]],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=environment(),
    )
    os.close(theirs)
    try:
        assert b"Measuring" in read_until(ours, b"Measuring")
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def columns_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").partition("\n")[0].split(",")


def test_no_progress_and_no_colour_in_a_pipe(folder: Path) -> None:
    ended = subprocess.run(
        [*COMMAND, "explore", "--space", "lattice", "small.csv", "--schema", "small.toml"],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Exploring" not in ended.stderr
    assert "\x1b" not in ended.stdout + ended.stderr


@pytest.mark.parametrize("no_color", [False, True])
def test_no_color_is_honoured(folder: Path, no_color: bool) -> None:
    """On a terminal, with the measures as a table."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "measures"],
        cwd=folder,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env=environment(**({"NO_COLOR": "1"} if no_color else {})),
    )
    os.close(theirs)
    said = read_until(ours, b"")
    os.close(ours)
    assert process.wait() == 0
    assert b"weighted-k" in said
    if no_color:
        coloured = [b"\x1b[3" + str(digit).encode() for digit in range(8)]
        assert not any(colour in said for colour in coloured)


@pytest.mark.parametrize("arguments", [("measures",), ("measures", "--json"), ("--help",)])
def test_a_reader_that_goes_away(folder: Path, arguments: tuple[str, ...]) -> None:
    """As in `paretonym measures | head -1`: no complaint, and not the exit code of "no"."""
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [*COMMAND, *arguments], stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_of_few_characters(command: Command, encoding: str) -> None:
    """Tables with question marks in them, and the same JSON as ever."""
    table, listed = (
        subprocess.run(
            [*COMMAND, "measures", *options],
            env=environment(PYTHONIOENCODING=encoding),
            capture_output=True,
            check=True,
        ).stdout
        for options in ((), ("--json",))
    )
    assert b"weighted-k" in table
    assert json.loads(listed) == json.loads(command("measures", "--json").out)
