"""Where compiled code is kept, also where the installation cannot be written to."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from paretonym.cube import compiling


@pytest.fixture
def sealed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Neither the installation nor the home folder can be written to; the temporary folder is `tmp_path`."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(compiling, "_writable", lambda folder: False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_given_folder_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", "somewhere")
    monkeypatch.setattr(compiling, "_writable", lambda folder: False)
    assert compiling._caching()
    assert os.environ["NUMBA_CACHE_DIR"] == "somewhere"


def test_a_writable_installation_needs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(compiling, "_writable", lambda folder: True)
    assert compiling._caching()
    assert "NUMBA_CACHE_DIR" not in os.environ


def test_a_sealed_installation_gets_a_private_folder(sealed: Path) -> None:
    assert compiling._caching()
    folder = Path(os.environ["NUMBA_CACHE_DIR"])
    assert folder.parent == sealed
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_can_write_to_is_refused(sealed: Path) -> None:
    assert compiling._caching()
    folder = Path(os.environ.pop("NUMBA_CACHE_DIR"))
    folder.chmod(0o777)
    assert not compiling._caching()
    assert "NUMBA_CACHE_DIR" not in os.environ


def test_a_link_in_its_place_is_refused(sealed: Path) -> None:
    assert compiling._caching()
    folder = Path(os.environ.pop("NUMBA_CACHE_DIR"))
    folder.rename(sealed / "elsewhere")
    folder.symlink_to(sealed / "elsewhere")
    assert not compiling._caching()


def test_no_folder_at_all(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(sealed / "nowhere"))
    assert not compiling._caching()


def test_writable_asks_the_nearest_folder_that_exists(tmp_path: Path) -> None:
    assert compiling._writable(tmp_path / "a" / "b")


def test_without_a_compiler_the_frontier_is_the_same() -> None:
    """As on a platform for which there is no numba."""
    program = (
        "import json, sys\n"
        "if sys.argv[1] == 'without': sys.modules['numba'] = None\n"
        "from random import Random\n"
        "from paretonym.cube import compiling\n"
        "from paretonym.testing.random_tables import random_table\n"
        "assert compiling.available() == (sys.argv[1] == 'with')\n"
        "print(json.dumps(random_table(Random(1), rows=(50, 50)).study().explore().as_json()))\n"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program, way], capture_output=True, text=True, check=True
        ).stdout
        for way in ("with", "without")
    }
    assert len(answers) == 1
