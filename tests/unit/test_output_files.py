"""Files that are replaced whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from paretonym.errors import InputError
from paretonym.outputs import write_files


def test_files_are_written_and_replaced(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("before")
    old.chmod(0o640)
    write_files({old: b"after", new: b"fresh"})
    assert (old.read_text(), new.read_text()) == ("after", "fresh")
    assert old.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "old"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("before")
    (tmp_path / "link").symlink_to("file")
    write_files({tmp_path / "link": b"after"})
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "after"


def test_none_changes_if_one_cannot_be_written(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_text("before")
    nowhere = tmp_path / "nowhere" / "new"
    with pytest.raises(InputError) as error:
        write_files({old: b"after", nowhere: b"fresh"})
    assert str(error.value) == (
        f"{old}, {nowhere}: writing failed: No such file or directory; check the disk and the folder"
    )
    assert old.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def test_a_folder_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError):
        write_files({tmp_path / "folder": b""})
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
