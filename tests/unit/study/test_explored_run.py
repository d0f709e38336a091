"""Runs that are opened again: answers without the data, and what is no run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import paretonym as pn

SCHEMA = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "ill": {"role": "sensitive"},
    }
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    rows = [f"{20 + i % 37},{'fm'[i % 2]},{'abc'[i % 3]}" for i in range(60)]
    path.write_text("\n".join(["age,sex,ill", *rows, ""]), encoding="utf-8")
    return path


def test_answers_need_no_data(data: Path, tmp_path: Path) -> None:
    front = pn.Study(data, SCHEMA).explore("k", "loss", suppress=0.1, space="lattice")
    front.save(tmp_path / "run")
    data.rename(tmp_path / "elsewhere.csv")
    loaded = pn.load(tmp_path / "run")
    for before, after in zip(front.solutions, loaded.solutions, strict=True):
        assert after.describe() == before.describe()
        assert after.warnings() == before.warnings()
    with pytest.raises(pn.InputError, match="from which the run was made, no longer exists"):
        loaded[0].risk()


def test_stored_facts_hold_no_sensitive_value(data: Path, tmp_path: Path) -> None:
    data.write_text(data.read_text().replace(",c", ",secret-c"), encoding="utf-8")
    pn.Study(data, SCHEMA).explore("k", "loss", space="lattice").save(tmp_path / "run")
    assert "secret-c" not in (tmp_path / "run/run.json").read_text()


def test_a_run_without_facts_reads_its_data(data: Path, tmp_path: Path) -> None:
    front = pn.Study(data, SCHEMA).explore("k", "loss", space="lattice")
    front.save(tmp_path / "run")
    path = tmp_path / "run/run.json"
    run = json.loads(path.read_text())
    del run["facts"]
    path.write_text(json.dumps(run))
    assert pn.load(tmp_path / "run")[0].describe() == front[0].describe()


def test_a_release_is_warned_of_by_its_data_not_by_its_run(tmp_path: Path) -> None:
    """Facts that somebody edited hide nothing once the data are open."""
    data = tmp_path / "people.csv"
    rows = [f"{20 + 10 * (i // 10)},{'fm'[i % 2]},{'a' if i < 10 else 'abc'[i % 3]}" for i in range(40)]
    data.write_text("\n".join(["age,sex,ill", *rows, ""]), encoding="utf-8")
    pn.Study(data, SCHEMA).explore("k", "loss", suppress=0, space="lattice").save(tmp_path / "run")
    path = tmp_path / "run/run.json"
    run = json.loads(path.read_text())
    for facts in run["facts"]["releases"].values():
        facts["known"] = [{**entry, "certain": 0, "likely": 0} for entry in facts["known"]]
    path.write_text(json.dumps(run))
    unchanged = pn.load(tmp_path / "run").solutions[-1]
    assert not any("is certain for 10 people" in text for text in unchanged.warnings())
    unchanged.release()
    assert any("is certain for 10 people" in text for text in unchanged.warnings())


def test_facts_of_another_table_are_damage(data: Path, tmp_path: Path) -> None:
    pn.Study(data, SCHEMA).explore("k", "loss", space="lattice").save(tmp_path / "run")
    path = tmp_path / "run/run.json"
    path.write_text(path.read_text().replace('"name": "sex"', '"name": "size"'))
    with pytest.raises(pn.InputError, match="the files of this run are damaged"):
        pn.load(tmp_path / "run")


def test_what_is_no_run_no_id_and_no_schema_is_said(data: Path) -> None:
    with pytest.raises(pn.InputError, match="5 is not the path of a folder; give the path of a folder"):
        pn.load(5)  # type: ignore[arg-type]
    study = pn.Study(data, SCHEMA)
    with pytest.raises(pn.InputError, match="None is not the id of a solution; give an id as text"):
        study.explore("k", "loss", space="lattice").pick(None)  # type: ignore[arg-type]
    with pytest.raises(pn.InputError, match="a list is not a schema; give the path of a schema file, or a"):
        pn.Study(data, [1])  # type: ignore[arg-type]
