"""Outputs appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from paretonym.errors import InputError
from paretonym.outputs import check_free, new_folder


def fill(path: Path, text: str, force: bool = False) -> None:
    with new_folder(path, force) as draft:
        (draft / "file").write_text(text)
        assert not (path / "file").exists() or (path / "file").read_text() != text


def fill_half(path: Path, failure: type[BaseException]) -> None:
    with new_folder(path, force=True) as draft:
        (draft / "file").write_text("half")
        raise failure


def test_a_new_folder_is_private(tmp_path: Path) -> None:
    fill(tmp_path / "run", "new")
    assert (tmp_path / "run/file").read_text() == "new"
    assert (tmp_path / "run").stat().st_mode & 0o777 == 0o700
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_what_exists_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "run"
    path.mkdir() if kind == "folder" else path.write_text("old")
    with pytest.raises(InputError) as error:
        fill(path, "new")
    assert str(error.value) == (
        f"--out {path}: this exists already; give another name, or --force to replace it"
    )
    assert [entry.name for entry in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_force_replaces(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "run"
    if kind == "folder":
        fill(path, "old")
        (path / "other").write_text("old")
    else:
        path.write_text("old")
    fill(path, "new", force=True)
    assert [entry.name for entry in path.iterdir()] == ["file"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["run"]


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        fill_half(tmp_path / "run", ZeroDivisionError)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_leaves_what_was_there(tmp_path: Path) -> None:
    fill(tmp_path / "run", "old")
    with pytest.raises(KeyboardInterrupt):
        fill_half(tmp_path / "run", KeyboardInterrupt)
    assert (tmp_path / "run/file").read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize("failure", [OSError, KeyboardInterrupt])
def test_a_failure_while_replacing_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: type[BaseException]
) -> None:
    fill(tmp_path / "run", "old")
    rename = Path.rename

    def failing(self: Path, target: Path) -> Path:
        if (self / "file").exists() and (self / "file").read_text() == "new":
            raise failure
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(failure):
        fill(tmp_path / "run", "new", force=True)
    monkeypatch.undo()
    assert (tmp_path / "run/file").read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["run"]


def test_no_folder_to_put_it_in(tmp_path: Path) -> None:
    path = tmp_path / "none" / "run"
    with pytest.raises(InputError) as error:
        check_free(path, force=False)
    assert str(error.value) == (
        f"--out {path}: there is no folder '{path.parent}'; make the folder first, or give another name"
    )


def test_a_folder_that_cannot_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(InputError) as error:
        check_free(tmp_path / "run", force=False)
    assert str(error.value) == (
        f"--out {tmp_path / 'run'}: the folder '{tmp_path}' cannot be written to; "
        "give a name in a folder of your own"
    )


def test_a_link_to_nothing_is_something(tmp_path: Path) -> None:
    (tmp_path / "run").symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError, match="this exists already"):
        check_free(tmp_path / "run", force=False)


def test_force_replaces_a_link_and_not_what_it_points_to(tmp_path: Path) -> None:
    fill(tmp_path / "kept", "old")
    (tmp_path / "run").symlink_to(tmp_path / "kept")
    fill(tmp_path / "run", "new", force=True)
    assert not (tmp_path / "run").is_symlink()
    assert (tmp_path / "kept/file").read_text() == "old"
