"""Commands run in this process, in a folder of their own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from paretonym.cli.main import run

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
