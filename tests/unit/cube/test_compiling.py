"""Where compiled code is kept: in a folder that only this user can write to, or nowhere."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from paretonym.cube import compiling


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Path]:
    """The three places where compiled code may be kept, all of them fresh."""
    found = {name: tmp_path / name for name in ("given", "home", "temporary")}
    for folder in found.values():
        folder.mkdir()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(found["given"]))
    monkeypatch.setenv("XDG_CACHE_HOME", str(found["home"]))
    monkeypatch.setattr(tempfile, "tempdir", str(found["temporary"]))
    return found


def seal(folder: Path) -> None:
    """As if read-only, for the superuser too: a file stands where the folder would be made."""
    shutil.rmtree(folder)
    folder.write_text("")


def test_the_given_folder_comes_first(places: dict[str, Path]) -> None:
    folder = compiling.cache_folder()
    assert folder is not None
    assert folder.is_relative_to(places["given"])
    assert folder.stat().st_mode & 0o777 == 0o700
    assert compiling.cache_folder() == folder


def test_the_next_place_serves(places: dict[str, Path]) -> None:
    for sealed, used in (("given", "home"), ("home", "temporary")):
        seal(places[sealed])
        folder = compiling.cache_folder()
        assert folder is not None
        assert folder.is_relative_to(places[used])


def test_no_place_at_all(places: dict[str, Path]) -> None:
    for folder in places.values():
        seal(folder)
    assert compiling.cache_folder() is None


def test_a_folder_that_others_can_write_to_is_passed_by(places: dict[str, Path]) -> None:
    """Whatever lies there would be run."""
    folder = compiling.cache_folder()
    assert folder is not None
    folder.chmod(0o777)
    following = compiling.cache_folder()
    assert following is not None
    assert following.is_relative_to(places["home"])


def test_a_link_is_passed_by(places: dict[str, Path]) -> None:
    folder = compiling.cache_folder()
    assert folder is not None
    folder.rename(places["given"] / "elsewhere")
    folder.symlink_to(places["given"] / "elsewhere")
    following = compiling.cache_folder()
    assert following is not None
    assert following.is_relative_to(places["home"])


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
