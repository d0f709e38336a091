"""Folders for spilled rows: gone at the end; those of killed processes are removed, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from paretonym.tables.source.engines.duckdb_session import PREFIX, spill_folder

KILLED = """
import os, signal
from pathlib import Path
from paretonym.tables.source.engines.duckdb_session import spill_folder
with spill_folder() as folder:
    (Path(folder) / "duckdb_temp_storage_DEFAULT-0.tmp").write_text("spilled")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def spilled() -> None:
    with spill_folder() as folder:
        assert Path(folder).stat().st_mode & 0o777 == 0o700
        (Path(folder) / "duckdb_temp_block-1.block").write_text("a")
        raise KeyError


def test_it_is_private_and_gone_afterwards(temporary: Path) -> None:
    with pytest.raises(KeyError):
        spilled()
    assert list(temporary.iterdir()) == []


def test_what_a_killed_process_left_is_removed(temporary: Path) -> None:
    found = subprocess.run([sys.executable, "-c", KILLED], check=False)
    assert found.returncode == -signal.SIGKILL
    (left,) = temporary.iterdir()
    assert sorted(path.name for path in left.iterdir()) == ["duckdb_temp_storage_DEFAULT-0.tmp"]
    with spill_folder() as folder:
        assert list(temporary.iterdir()) == [Path(folder)]


def test_what_is_in_use_or_not_ours_stays(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nobody = 2**22 + 1
    running, other = temporary / f"{PREFIX}{os.getpid()}-a", temporary / f"{PREFIX}{nobody}-b"
    for folder in (running, other):
        folder.mkdir()
        (folder / "letter.txt").write_text("dear")
    (temporary / f"{PREFIX}{nobody}-link").symlink_to(running)
    with spill_folder(), spill_folder():
        assert running.exists()
    assert (running / "letter.txt").read_text() == (other / "letter.txt").read_text() == "dear"
    (other / "letter.txt").unlink()
    monkeypatch.setattr(os, "getuid", lambda: -1)
    with spill_folder():
        assert other.exists(), "it belongs to somebody else"
