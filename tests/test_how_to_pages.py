"""How-to pages: their commands are run in order, their changes made, and what they show is what comes out."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from paretonym.cli.main import main

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "how-to" / "describe-your-table.md"
BLOCK = re.compile(r"```(console|text|toml|diff)\n(.*?)```", re.DOTALL)


def run(monkeypatch: pytest.MonkeyPatch, line: str) -> int:
    monkeypatch.setattr(sys, "argv", shlex.split(line))
    try:
        main()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    return 0


def changed(text: str, change: str) -> str:
    """The text with the line that begins with a minus replaced by the one that begins with a plus."""
    before, after = (line[1:] for line in change.splitlines())
    assert text.count(f"\n{before}\n") >= 1
    return text.replace(f"\n{before}\n", f"\n{after}\n", 1)


def test_describe_your_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "examples" / "tables" / "hospital.csv", tmp_path)
    schema, said = tmp_path / "hospital.toml", ""
    for kind, content in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "console":
            assert [run(monkeypatch, line) for line in content.splitlines()] == [0]
            caught = capsys.readouterr()
            said = caught.out + caught.err
        elif kind == "text":
            assert all(line in said for line in content.splitlines())
        elif kind == "toml":
            assert content in schema.read_text(encoding="utf-8")
        else:
            schema.write_text(changed(schema.read_text(encoding="utf-8"), content), encoding="utf-8")
    assert (tmp_path / "run" / "frontier.json").exists()


def test_the_links_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", PAGE.read_text(encoding="utf-8")):
        assert (PAGE.parent / link).exists(), link
