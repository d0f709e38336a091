"""The state folder: where it lies, who may read it, and what happens where it cannot be kept."""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from paretonym.base.errors import InputError
from paretonym.base.state import State, locked, read_key, state_folder, write_key


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.skipif(sys.platform != "linux", reason="where it lies on Linux")
def test_where_it_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PARETONYM_STATE", str(tmp_path / "mine"))
    assert state_folder() == tmp_path / "mine"
    monkeypatch.delenv("PARETONYM_STATE")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_folder() == tmp_path / "paretonym"
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for ignored in ("", "relative"):
        monkeypatch.setenv("XDG_STATE_HOME", ignored)
        assert state_folder() == tmp_path / "home/.local/state/paretonym"


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container that runs under a number nobody knows."""

    def nowhere() -> Path:
        raise RuntimeError

    for name in ("PARETONYM_STATE", "XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    with pytest.raises(InputError) as error:
        State.open()
    assert str(error.value) == (
        "the release log: it is stored in the user's home folder, but this user has none; "
        "set PARETONYM_STATE to a private, permanent folder"
    )


def test_for_its_owner_alone(state: Path) -> None:
    table = State.open().of_table("abc")
    with table.lock():
        table.write("releases.json", {"releases": []})
        write_key(table.folder / "key", b"k" * 32)
    assert {mode(path) for path in (state, state / "tables", table.folder)} == {0o700}
    files = [path for path in state.rglob("*") if path.is_file()]
    assert {path.name for path in files} == {"secret", "lock", "releases.json", "key"}
    assert {mode(path) for path in files} == {0o600}
    assert read_key(table.folder / "key") == b"k" * 32


def test_a_folder_that_was_made_for_it_is_closed(state: Path) -> None:
    state.mkdir(mode=0o755)
    State.open()
    assert mode(state) == 0o700


def test_a_folder_with_other_things_stays_as_it_is(state: Path) -> None:
    state.mkdir(mode=0o755)
    (state / "letter.txt").write_text("mine")
    State.open()
    assert (mode(state), mode(state / "secret")) == (0o755, 0o600)


def test_the_secret_stays(state: Path) -> None:
    assert State.open().secret == State.open().secret
    assert len(State.open().secret) == 32


def test_a_lost_secret_is_not_drawn_again(state: Path) -> None:
    with State.open().of_table("abc").lock():
        pass
    (state / "secret").unlink()
    with pytest.raises(InputError, match="the secret is missing, and without it no table of the release log"):
        State.open()


@pytest.mark.parametrize("content", ["", "abc", "zz" * 32])
def test_a_damaged_key_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "key").write_text(content)
    with pytest.raises(InputError, match="this file is damaged or not readable; restore it from a copy"):
        read_key(tmp_path / "key")


def test_no_place_for_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A file where the folder should be; root may write everywhere else."""
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("PARETONYM_STATE", str(tmp_path / "taken"))
    with pytest.raises(InputError) as error:
        State.open()
    assert "the release log and the keys of random draws cannot be stored here (" in str(error.value)
    assert "set PARETONYM_STATE to a private, permanent folder" in str(error.value)


def test_a_home_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refused(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setenv("PARETONYM_STATE", str(tmp_path / "state"))
    # Root may write everywhere, so the system's answer is made up.
    monkeypatch.setattr(Path, "mkdir", refused)
    with pytest.raises(InputError, match="cannot be stored here"):
        State.open()


def test_one_at_a_time(tmp_path: Path) -> None:
    order: list[str] = []

    def second() -> None:
        with locked(tmp_path / "lock"):
            order.append("second")

    with locked(tmp_path / "lock"):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.2)
        order.append("first")
    thread.join(60)
    assert order == ["first", "second"]


def test_a_lock_that_is_never_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paretonym.base.state.LONGEST_WAIT", 0.1)
    with locked(tmp_path / "lock"), pytest.raises(InputError) as error, locked(tmp_path / "lock"):
        pass
    assert str(error.value) == (
        f"{tmp_path / 'lock'}: another paretonym has been writing a release of this table for ten minutes; "
        "wait until it is done, or stop it"
    )
