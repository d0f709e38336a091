"""An audit beside a peer: pycanon measured the same releases (`make peers`); its answers are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import paretonym
from scripts.peers.recodings import SENSITIVE, write

KEPT = json.loads((Path(__file__).parent / "data" / "pycanon.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("table", KEPT["tables"], ids=lambda table: table["id"])
def test_pycanon_finds_the_same(table: dict[str, Any], tmp_path: Path) -> None:
    study = paretonym.example("adult")
    path = tmp_path / "release.csv"
    write(path, study, table["recoding"])
    found = paretonym.audit(path, quasi=[axis.name for axis in study.cube.axes], sensitive=[SENSITIVE])
    answers = table["answers"]
    assert found.rows == answers.pop("rows")
    assert {name: found[name] for name in answers} == pytest.approx(answers, rel=1e-9)
