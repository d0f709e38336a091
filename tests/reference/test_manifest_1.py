"""Releases with manifests of the first version are still audited, by their own rules and with a warning."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import paretonym

OLD = Path(__file__).parent / "data" / "manifest_1"
FILES = ("lattice.csv", "lattice.parquet", "cuts.csv", "mondrian.csv", "buckets.csv", "anatomy.csv")


@pytest.mark.parametrize("name", FILES)
def test_every_space(name: str) -> None:
    found = paretonym.audit(OLD / name, original=OLD / "people.csv", schema=OLD / "people.toml")
    assert found.failed == ()
    assert {"t", "t-js", "delta"} <= {check.name for check in found.checks if check.kind == "statement"}
    (warning,) = found.warnings
    assert warning.startswith("the manifest has version 1: its statements about the input")
    assert found.as_json()["warnings"] == [warning]


def test_its_statements_are_measured_again(tmp_path: Path) -> None:
    for file in OLD.glob("lattice.csv*"):
        shutil.copy(file, tmp_path)
    beside = tmp_path / "lattice.csv.manifest.json"
    document = json.loads(beside.read_text())
    document["statements"]["t"] += 0.01
    beside.write_text(json.dumps(document))
    found = paretonym.audit(tmp_path / "lattice.csv", original=OLD / "people.csv", schema=OLD / "people.toml")
    assert [check.name for check in found.failed] == ["t"]


def test_it_may_not_carry_more_either(tmp_path: Path) -> None:
    """Calling a manifest old is no way around what a manifest may hold."""
    for file in OLD.glob("lattice.csv*"):
        shutil.copy(file, tmp_path)
    beside = tmp_path / "lattice.csv.manifest.json"
    beside.write_text(beside.read_text().replace("{", '{"note": "P017 has Kuru", ', 1))
    (check,) = paretonym.audit(tmp_path / "lattice.csv").failed
    assert check.why == "the key 'note' has no meaning"
