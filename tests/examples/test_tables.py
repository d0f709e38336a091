"""Five tables of different shape go from `init` through few decisions to `explore`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import paretonym
from examples.tables.make_schemas import DECISIONS, decided
from examples.tables.make_tables import TABLES, write_table
from paretonym.interfaces.cli.main import run as run_command
from paretonym.tables.schema.schema_file import read_schema

FOLDER = Path(__file__).parents[2] / "examples" / "tables"


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["paretonym", *arguments])
    return run_command()


@pytest.mark.parametrize("name", TABLES)
def test_the_files_are_what_the_scripts_make(tmp_path: Path, name: str) -> None:
    assert write_table(name, tmp_path).read_bytes() == (FOLDER / f"{name}.csv").read_bytes()
    assert (FOLDER / f"{name}.csv").stat().st_size < 150_000


@pytest.mark.parametrize("name", TABLES)
def test_from_a_bare_table_to_its_frontier(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    data, schema = str(FOLDER / f"{name}.csv"), tmp_path / "schema.toml"
    assert run(monkeypatch, "init", data, "-o", "schema.toml") == 0
    open_roles = read_schema(schema).with_role("undecided")
    assert len(open_roles) <= 3
    assert (
        run(monkeypatch, "explore", "--space", "lattice", data, "--schema", "schema.toml", "-o", "run") == 2
    )
    assert "undecided" in capsys.readouterr().err

    schema.write_text(decided(schema.read_text(encoding="utf-8"), DECISIONS[name]), encoding="utf-8")
    assert schema.read_bytes() == (FOLDER / f"{name}.toml").read_bytes(), "run make_schemas.py again"
    assert run(monkeypatch, "schema", "schema.toml", "--data", data) == 0
    assert (
        run(monkeypatch, "explore", "--space", "lattice", data, "--schema", "schema.toml", "-o", "run") == 0
    )
    assert len(paretonym.load("run")) > 1
