"""Peers measured the same tables (`make peers`): pycanon releases, anonymeter criteria."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import paretonym
from paretonym.evidence.criteria import Referee
from scripts.peers.beside_anonymeter import ours
from scripts.peers.recodings import SENSITIVE, write
from scripts.peers.referee_tables import split

DATA = Path(__file__).parent / "data"
KEPT = json.loads((DATA / "pycanon.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("table", KEPT["tables"], ids=lambda table: table["id"])
def test_pycanon_finds_the_same(table: dict[str, Any], tmp_path: Path) -> None:
    study = paretonym.example("adult")
    path = tmp_path / "release.csv"
    write(path, study, table["recoding"])
    found = paretonym.audit(path, quasi=[axis.name for axis in study.cube.axes], sensitive=[SENSITIVE])
    answers = table["answers"]
    assert found.rows == answers.pop("rows")
    assert {name: found[name] for name in answers} == pytest.approx(answers, rel=1e-9)


def test_criteria_beside_anonymeter(tmp_path: Path) -> None:
    """Both intervals of every attack overlap; those of ours on a copy of the survey are measured again.

    The risk of singling out is apart where a control is scaled: tables that are drawn from noisy counts have
    one of 0 here, within its interval.
    """
    stored = json.loads((DATA / "anonymeter.json").read_text(encoding="utf-8"))
    attacks = [
        attack for table in ("adult", "survey") for risks in stored[table].values() for attack in risks
    ]
    assert len(attacks) == 45
    apart = [
        attack
        for attack in attacks
        if attack["ours"][0] > attack["interval"][1] or attack["interval"][0] > attack["ours"][1]
    ]
    assert {(attack["criterion"], attack["subject"]) for attack in apart} == {("singling-out", "risk")}
    assert [attack["ours"][0] for attack in apart] == [0, 0, 0, 0]
    split("survey", tmp_path)
    referee = Referee.of(tmp_path / "original.csv", tmp_path / "control.csv", tmp_path / "schema.toml")
    measured = ours(referee.read(tmp_path / "original.csv"))
    for attack in stored["survey"]["original"]:
        assert measured[attack["criterion"], attack["subject"]] == pytest.approx(attack["ours"], abs=1e-6)
