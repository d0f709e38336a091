"""Commands run in this process, in a folder of their own."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from paretonym.interfaces.cli.main import run

# The schema of a table with ages and sexes; others add their columns.
AGE_AND_SEX = """
[columns.age]
role = "quasi"
type = "integer"
hierarchy.intervals = [10, 20]
[columns.sex]
role = "quasi"
hierarchy.flat = true
"""


@dataclass(frozen=True)
class Ended:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


Command: TypeAlias = Callable[..., Ended]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Command:
    """Runs a command in the folder `tmp_path`."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["paretonym", *arguments])
        code = run()
        said = capsys.readouterr()
        return Ended(code, said.out, said.err)

    return call


Prepare: TypeAlias = Callable[[Callable[[], object]], None]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shelf")


@pytest.fixture
def prepared(shelf: Path, tmp_path: Path, state: Path) -> Prepare:
    """Fills the folder of a test. The function that does so is called for the first test of a module alone;
    the others get copies of the files and of the state that it left, as if they had been made here."""

    def fill(make: Callable[[], object]) -> None:
        kept, origin = shelf / make.__qualname__, shelf / f"{make.__qualname__}.origin"
        if not origin.exists():
            make()
            shutil.copytree(tmp_path, kept / "files")
            if state.exists():
                shutil.copytree(state, kept / "state")
            origin.write_text(str(tmp_path))
            return
        shutil.copytree(kept / "files", tmp_path, dirs_exist_ok=True)
        if (kept / "state").exists():
            shutil.copytree(kept / "state", state)
        # A run names its table by the whole path.
        for file in tmp_path.glob("*/run.json"):
            file.write_text(file.read_text().replace(f'"{origin.read_text()}/', f'"{tmp_path}/'))

    return fill
