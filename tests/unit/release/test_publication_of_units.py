"""Estimates of the population in a manifest, where whole households are suppressed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from paretonym.engine.frontier import Solution
from paretonym.engine.recoding import parse_keep
from paretonym.engine.spaces.lattice import LatticeRecoding
from paretonym.study import Study


def published(others: int, folder: Path) -> dict[str, Any]:
    ages = ["1"] * 6 + ["2"] * 6 + ["9"] * others
    table = {"home": [f"h{i}" for i in range(len(ages))], "age": ages, "weight": ["1.5"] * len(ages)}
    columns = {
        "home": {"role": "household"},
        "age": {"role": "quasi", "hierarchy": {"flat": True}},
        "weight": {"role": "weight"},
    }
    study = Study(pa.table(table), {"columns": columns, "suppress": {"unit": "household"}})
    recoding = LatticeRecoding((("age", 0),), parse_keep({"k": ">=6"}))
    folder.mkdir()
    chosen = Solution("", {}, others, recoding)
    study.publish(chosen, folder / "r.csv", allow_second_release=True)
    manifest: dict[str, Any] = json.loads((folder / "r.csv.manifest.json").read_text())
    return manifest


def test_a_manifest_does_not_tell_whether_a_household_was_suppressed(tmp_path: Path) -> None:
    nobody, somebody = published(0, tmp_path / "0"), published(1, tmp_path / "1")
    assert nobody == somebody
    assert nobody["statements"]["sl"] == 0
