"""Small files are read whole; devices, pipes and folders are refused at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from paretonym.base.files.atomic_files import read_regular_file


def test_a_regular_file(tmp_path: Path) -> None:
    path = tmp_path / "schema.toml"
    path.write_bytes(b"\xef\xbb\xbfnull = []\r\n")
    assert read_regular_file(path) == b"\xef\xbb\xbfnull = []\r\n"


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_everything_else(tmp_path: Path, kind: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    path = {"pipe": tmp_path / "pipe", "device": Path("/dev/zero"), "folder": tmp_path}[kind]
    with pytest.raises(OSError, match=r"not a regular file|directory"):
        read_regular_file(path)
