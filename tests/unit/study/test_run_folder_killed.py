"""Killed before any of its file operations, a command that replaces a run leaves the old or the new one."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pytest

import paretonym
from paretonym.study.explored_run import Run

# What Python says before it touches a file.
EVENTS = frozenset({"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "shutil.rmtree"})
MOST = 200
_hook: dict[str, int | None] = {"left": None}


def _count(event: str, arguments: object) -> None:
    left = _hook["left"]
    if left is None or event not in EVENTS:
        return
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    _hook["left"] = left - 1


def killed(act: Callable[[], None], number: int) -> bool:
    """Whether a copy of this process was killed before its file operation of that number."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _hook["left"] = number
            # In the copy alone: nothing takes a hook away again, and it is asked at every event.
            sys.addaudithook(_count)
            act()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


@pytest.fixture(scope="module")
def fronts() -> tuple[Run, Run]:
    rows = {"age": [str(20 + i % 30) for i in range(60)], "job": [f"job {i % 4}" for i in range(60)]}
    columns = {name: {"role": "quasi", "hierarchy": {"flat": True}} for name in rows}
    study = paretonym.Study(pyarrow.table(rows), {"columns": columns})
    return study.explore("k", "loss", suppress=0, space="lattice"), study.explore(
        "k", "gl", suppress=0, space="lattice"
    )


@pytest.mark.parametrize("before", ["run", "empty", "nothing"])
def test_a_run_is_there_whenever_it_is_killed(
    fronts: tuple[Run, Run],
    tmp_path: Path,
    before: str,
) -> None:
    old, new = fronts
    known = {str(front.objectives) for front in fronts}
    path, number = tmp_path / "run", 0
    while number < MOST:
        shutil.rmtree(tmp_path)
        tmp_path.mkdir()
        if before == "run":
            old.save(path)
        elif before == "empty":
            path.mkdir()
        was_killed = killed(lambda: new.save(path, force=True), number)
        if before == "run":
            assert str(paretonym.load(path).objectives) in known
        new.save(path, force=True)
        assert paretonym.load(path).objectives == new.objectives
        if not was_killed:
            break
        number += 1
    assert 10 < number < MOST
    assert [entry.name for entry in tmp_path.iterdir()] == ["run"]
