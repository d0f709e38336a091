"""`paretonym explore --resume`: a run that was stopped goes on; nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest

from paretonym.engine.search import branch_and_bound, exact
from paretonym.study.checkpoint import INTERVAL, RunCheckpoint
from tests.cli.conftest import Command
from tests.cli.test_commands import EXPLORE, ROWS, SCHEMA


@pytest.fixture
def stopped(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """A run in the folder "run", interrupted after its first state, and the whole one in "whole"."""
    (tmp_path / "people.csv").write_text(ROWS)
    (tmp_path / "people.toml").write_text(SCHEMA)
    monkeypatch.setenv(INTERVAL, "0")
    monkeypatch.setattr(exact, "MOST_NODES", 0)
    monkeypatch.setattr(branch_and_bound, "_BATCH", 1)
    monkeypatch.setattr(branch_and_bound, "_MOST_FIRST", 1)
    assert command(*EXPLORE, "--suppress", "5%", "-o", "whole").code == 0

    class Interrupted(RunCheckpoint):
        def _write(self, content: bytes) -> None:
            super()._write(content)
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("paretonym.study.study.RunCheckpoint", Interrupted)
        ended = command(*EXPLORE, "--suppress", "5%", "-o", "run")
    assert ended.code == 130
    assert "'paretonym explore --resume run' continues from the last saved state" in ended.err
    return command


def test_it_goes_on_without_any_other_option(stopped: Command, tmp_path: Path) -> None:
    assert stopped("explore", "--resume", "run").code == 0
    one, other = ((tmp_path / name / "frontier.json").read_bytes() for name in ("run", "whole"))
    assert one == other
    again = stopped("explore", "--resume", "run")
    assert again.code == 2
    assert "--resume run: this run has ended; open it with 'paretonym ask'" in again.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--suppress", "4%"), "--suppress: the unfinished run was started with something else; omit it"),
        (("--objectives", "k,gl"), "--objectives: the unfinished run was started with something else"),
        (("-o", "other"), "--out: --resume continues the run in run, and saves it there; omit it"),
        (("other.csv",), "this run was started with other data, another schema, other options"),
    ],
)
def test_nothing_else_goes_on(stopped: Command, tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    (tmp_path / "other.csv").write_text("".join(ROWS.splitlines(keepends=True)[:-1]))
    ended = stopped("explore", *options, "--resume", "run")
    assert ended.code == 2
    assert words in ended.err
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["checkpoint.json"]


def test_the_same_options_and_moved_data_are_no_other_question(stopped: Command, tmp_path: Path) -> None:
    (tmp_path / "people.csv").rename(tmp_path / "moved.csv")
    assert stopped("explore", "moved.csv", "--suppress", "5%", "--resume", "run").code == 0


def test_commands_say_that_it_has_not_ended(stopped: Command) -> None:
    ended = stopped("ask", "run", "--best", "k")
    assert ended.code == 2
    assert "run: this run has not ended; explore with --resume run to continue it" in ended.err
    ended = stopped(*EXPLORE, "-o", "run")
    assert ended.code == 2
    assert "already exists; give another name, or use --force" in ended.err


def test_data_and_schema_are_needed_otherwise(command: Command) -> None:
    for arguments, missing in (((), "argument 'DATA'"), (("people.csv",), "option '--schema'")):
        ended = command("explore", *arguments)
        assert ended.code == 2
        assert f"Missing {missing}." in ended.err
