"""Files are on the disk before they get their names, and their names before the work is done."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from paretonym.base.files.outputs import Kind, Output, new_files, new_folder
from paretonym.base.state import write_private


class Disk:
    """What was flushed: each file or folder, by its number, and whether the name was there by then."""

    def __init__(self, name: Path) -> None:
        self.name = name
        self.flushed: list[tuple[int, bool]] = []

    def flush(self, file: int) -> None:
        self.flushed.append((os.fstat(file).st_ino, self.name.exists()))

    def holds(self, content: Path) -> bool:
        """Whether this was flushed before the name was given, and its folder after that."""
        return (_number(content), False) in self.flushed and (_number(self.name.parent), True) in self.flushed


def _number(path: Path) -> int:
    return path.stat().st_ino


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    watched = Disk(tmp_path / "new")
    monkeypatch.setattr(os, "fsync", watched.flush)
    return watched


def test_a_file(disk: Disk) -> None:
    with new_files([Output(disk.name)]) as (draft,):
        draft.write_text("content")
    assert disk.holds(disk.name)


def test_every_file_of_a_folder(disk: Disk) -> None:
    with new_folder(Output(disk.name, Kind.FOLDER)) as draft:
        (draft / "one").write_text("content")
        (draft / "other").write_text("content")
    assert disk.holds(disk.name / "one")
    assert disk.holds(disk.name / "other")


def test_what_is_kept_between_commands(disk: Disk) -> None:
    write_private(disk.name, b"content")
    assert disk.holds(disk.name)


def test_other_tests_do_not_wait_but_are_refused_alike() -> None:
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fsync(10**6)
