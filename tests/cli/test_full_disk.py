"""A full or forbidden disk: exit code 2, one message, nothing half written, nothing of before lost."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import paretonym
from paretonym.base.files import atomic_files as moves
from tests.cli.conftest import AGE_AND_SEX, Command, Prepare

ROWS = "age,sex,job\n" + "".join(f"{20 + i * 7 % 40},{'mf'[i % 2]},job {i % 4}\n" for i in range(200))
SCHEMA = f"""{AGE_AND_SEX}[columns.job]
role = "sensitive"
"""
LINES = {
    "explore": "explore data.csv --space lattice --schema schema.toml --objectives k,gl -o new",
    "explore again": "explore data.csv --space lattice --schema schema.toml --objectives k,gl -o old --force",
    "init": "init data.csv -o new.toml",
    "release": "release run --pick {pick} -o new.csv",
    "release as Parquet": "release run --pick {pick} -o new.parquet",
    "release again": "release run --pick {pick} -o old.csv --force",
    "apply": "apply run data.csv --pick {pick} -o new.csv",
    "report": "report run -o new.html",
    "compare": "compare run old --measures k,loss -o new.json",
    "a figure": "compare run old --measures k,loss --figure new.svg",
}


@pytest.fixture
def pick(tmp_path: Path, command: Command, prepared: Prepare) -> str:
    """A table, runs and a release of it; a solution that can be released again."""

    def explored() -> None:
        (tmp_path / "data.csv").write_text(ROWS)
        (tmp_path / "schema.toml").write_text(SCHEMA)
        front = paretonym.Study("data.csv", "schema.toml").explore("k", "loss", suppress=0, space="lattice")
        for name in ("run", "old"):
            front.save(name)
        paretonym.load("run")[-1].release("old.csv")

    prepared(explored)
    return paretonym.load("run")[-1].id


def standing(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file of this process may grow beyond."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("name", LINES)
def test_a_file_that_cannot_grow(command: Command, tmp_path: Path, pick: str, name: str) -> None:
    before = standing(tmp_path)
    with largest_file(250):
        ended = command(*LINES[name].replace("{pick}", pick).split(), "--quiet")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: ")
    assert ended.err.endswith(
        "writing failed: File too large; free some space there, or give another place\n"
    )
    assert ended.err.count("\n") == 1
    assert standing(tmp_path) == before


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EIO])
@pytest.mark.parametrize("name", ["explore", "explore again", "init", "release again"])
def test_a_disk_that_refuses(
    command: Command, tmp_path: Path, pick: str, monkeypatch: pytest.MonkeyPatch, name: str, number: int
) -> None:
    def failing(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    before = standing(tmp_path)
    monkeypatch.setattr(os, "fsync", failing)
    ended = command(*LINES[name].replace("{pick}", pick).split(), "--quiet")
    monkeypatch.undo()
    assert (ended.code, ended.out) == (2, "")
    # Of a release the log is written first, and says what that means.
    refused = "make it writable, or set PARETONYM_STATE" if "release" in name else os.strerror(number)
    assert refused in ended.err
    assert ended.err.count("\n") == 1
    assert standing(tmp_path) == before


@pytest.mark.parametrize("number", sorted({errno.ENOSPC, errno.EROFS, errno.EIO}))
def test_a_disk_that_refuses_anywhere_else(
    command: Command, monkeypatch: pytest.MonkeyPatch, pick: str, number: int
) -> None:
    """Such as the compiler's cache or a temporary file."""
    assert number in moves.REFUSALS

    def failing(*_: Any, **__: Any) -> None:
        raise OSError(number, "some words of a library", "/cache/x")

    monkeypatch.setattr(paretonym.Study, "explore", failing)
    ended = command(*LINES["explore"].split(), "--quiet")
    said = f"error: /cache/x: {os.strerror(number)}; check the disk, its free space and permissions\n"
    assert (ended.code, ended.err) == (2, said)


def test_duckdb_says_it_in_a_text(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb

    from paretonym.audit.audit_database import Database

    def failing(*_: Any) -> None:
        raise duckdb.IOException('Could not write file "/x": No space left on device, secret')

    (tmp_path / "data.csv").write_text(ROWS)
    monkeypatch.setattr(Database, "run", failing)
    ended = command("audit", "data.csv", "--quasi", "age", "--quiet")
    assert ended.code == 2
    assert "counting needed more space on this disk: No space left on device; free some" in ended.err
    assert "secret" not in ended.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("buffered", ["", "1"])
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_standard_output_on_a_full_disk(options: tuple[str, ...], buffered: str) -> None:
    program = "from paretonym.interfaces.cli.main import main; main()"
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-c", program, "measures", *options],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "PYTHONUNBUFFERED": buffered},
        )
    assert ended.returncode == 2
    assert "failed: No space left on device; " in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_what_a_run_remembers_survives_a_full_disk(command: Command, tmp_path: Path, pick: str) -> None:
    """The record of a release cannot be written: then there is no release."""
    before = json.loads((tmp_path / "run/run.json").read_text())["releases"]
    (tmp_path / "old.csv").unlink()
    (tmp_path / "old.csv.manifest.json").unlink()
    size = (tmp_path / "run/run.json").stat().st_size
    with largest_file(size + 10):
        ended = command("release", "run", "--pick", pick, "-o", "again.csv", "--quiet")
    assert ended.code == 2
    assert json.loads((tmp_path / "run/run.json").read_text())["releases"] == before
    assert not (tmp_path / "again.csv").exists()
