"""Folders for spilled rows: gone at the end; those of killed processes are removed, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from paretonym.source.engines import duckdb_session as module
from paretonym.source.engines.duckdb_session import LOCK, PREFIX, spill_folder

KILLED = """
import os, signal
from pathlib import Path
from paretonym.source.engines.duckdb_session import spill_folder
with spill_folder() as folder:
    (Path(folder) / "duckdb_temp_storage_DEFAULT-0.tmp").write_text("spilled")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(module, "NEW", 0)
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
    assert sorted(path.name for path in left.iterdir()) == ["duckdb_temp_storage_DEFAULT-0.tmp", LOCK]
    with spill_folder() as folder:
        assert list(temporary.iterdir()) == [Path(folder)]


def test_what_is_in_use_or_not_ours_stays(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unlocked, other = temporary / f"{PREFIX}unlocked", temporary / f"{PREFIX}other"
    for folder in (unlocked, other):
        folder.mkdir()
        (folder / "letter.txt").write_text("dear")
    (other / LOCK).touch()
    (temporary / f"{PREFIX}link").symlink_to(unlocked)
    with spill_folder() as first, spill_folder():
        assert (Path(first) / LOCK).exists()
    assert (unlocked / "letter.txt").read_text() == (other / "letter.txt").read_text() == "dear"
    monkeypatch.setattr(module, "NEW", 60)
    (other / "letter.txt").unlink()
    (other / LOCK).touch()
    with spill_folder():
        assert other.exists(), "it may be about to be locked"
    monkeypatch.setattr(module, "NEW", 0)
    monkeypatch.setattr(os, "getuid", lambda: -1)
    with spill_folder():
        assert other.exists(), "it belongs to somebody else"
