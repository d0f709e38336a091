"""`paretonym reproduce`, with reproductions that are made up, so that it is quick."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from paretonym.research.papers.reproductions import reproduction_registry as registry
from paretonym.research.papers.reproductions.reproduction import Fact, Panel, Reproduction, Result, Series
from tests.cli.conftest import Command

PANEL = Panel("panel", ("k", "loss"), (Series("points", (1.0, 2.0), (3.0, 4.0)),))


def counted() -> Result:
    facts = (Fact("depth 1", "nodes evaluated", 466, 502), Fact("depth 1", "share of nodes", 0.026, 0.028))
    return Result((*facts, Fact("exact", "nodes evaluated", 1019)), (), ("Hierarchies differ.",))


def drawn() -> Result:
    return Result((Fact("seed 0", "ratio", 0.94),), (PANEL,))


@pytest.fixture(autouse=True)
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = (
        Reproduction("a-table", "A paper", "Table 1: counts", counted),
        Reproduction("a-figure", "A paper", "Figure 1: points", drawn),
    )
    monkeypatch.setattr(registry, "REPRODUCTIONS", {each.name: each for each in entries})


def test_without_a_name_they_are_listed(command: Command) -> None:
    ended = command("reproduce")
    assert ended.code == 0
    assert "a-table" in ended.out
    assert "Figure 1: points" in ended.out
    listed = json.loads(command("reproduce", "--json").out)
    assert [entry["name"] for entry in listed["reproductions"]] == ["a-table", "a-figure"]


def test_measured_beside_printed(command: Command) -> None:
    ended = command("reproduce", "a-table")
    assert ended.code == 0
    (line,) = [line for line in ended.out.splitlines() if "depth 1" in line]
    assert line.split() == ["depth", "1", "466", "502", "2.6", "%", "2.8", "%"]
    assert "Hierarchies differ." in ended.out
    assert "a-table: Table 1: counts …" in ended.err


def test_as_json(command: Command) -> None:
    ended = command("reproduce", "all", "--json")
    document = json.loads(ended.out)
    assert ended.err == ""
    assert [entry["name"] for entry in document["reproductions"]] == ["a-table", "a-figure"]
    assert document["reproductions"][0]["format"] == "paretonym.reproduction/1"
    assert document["reproductions"][0]["facts"][0] == {
        "row": "depth 1",
        "column": "nodes evaluated",
        "measured": 466,
        "printed": 502,
    }


def test_kept(command: Command, tmp_path: Path) -> None:
    assert command("reproduce", "all", "-o", "papers", "--quiet").err == ""
    names = sorted(path.name for path in (tmp_path / "papers").iterdir())
    assert names == [".paretonym.json", "a-figure.json", "a-figure.png", "a-figure.svg", "a-table.json"]
    again = command("reproduce", "all", "-o", "papers")
    assert again.code == 2
    assert "already exists" in again.err


def test_unknown(command: Command) -> None:
    ended = command("reproduce", "a-tabel")
    assert ended.code == 2
    known = "did you mean 'a-table'?"
    assert ended.err == f"error: NAME: unknown reproduction 'a-tabel'; {known}\n"
