"""`paretonym utility` from the shell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from paretonym.cli.main import run as run_command

SCHEMA = """
[columns.age]
role = "quasi"
type = "integer"
hierarchy.intervals = [5, 10]
[columns.city]
role = "quasi"
hierarchy.flat = true
[columns.ill]
role = "sensitive"
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{20 + i % 20},{'ab'[i % 2]},{'xyz'[i % 3]}\n" for i in range(60))
    Path("people.csv").write_text("age,city,ill\n" + rows)
    Path("people.toml").write_text(SCHEMA)
    assert _said("explore", "people.csv", "--schema", "people.toml", "-o", "run", "-q") == 0
    frontier = json.loads(Path("run/frontier.json").read_text())
    return str(frontier["solutions"][0]["id"])


def _said(*arguments: str) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["paretonym", *arguments])
        return run_command()


def test_tables_and_sentences(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert _said("utility", "run", "--pick", run, "--regression", "age ~ city") == 0
    said = capsys.readouterr()
    for part in (
        "Shares of single values are off by",
        "Cramér's V",
        "(constant)",
        "not shown by the release",
    ):
        assert part in said.out
    assert "Confidential" in said.err
    assert "Nothing is proven" in said.err


def test_json(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert _said("utility", "run", "--pick", run, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["format"] == "paretonym.utility/1"
    assert said["audience"] == "publisher"
    assert set(said["values"]) == {"marginal-error", "association-error", "pmse"}
    assert [each["name"] for each in said["columns"]] == ["age", "city", "ill"]


def test_refused(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _said("utility", "run", "--pick", run, "--target", "illness") == 2
    assert "--target: 'illness' is not a sensitive or class column" in capsys.readouterr().err
