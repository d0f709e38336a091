"""The control group: whole persons and households, once per table, in nothing that is released."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as csv
import pytest

import paretonym as pn
from paretonym.base.errors import InputError
from paretonym.release import without_control
from paretonym.study.study import Study
from paretonym.tables.source import Counts

AGE = {"role": "quasi", "hierarchy": {"intervals": [10, 20, 40, 80]}}
SEX = {"role": "quasi", "hierarchy": {"flat": True}}


def schema(**further: dict[str, Any]) -> dict[str, Any]:
    return {"columns": {"age": AGE, "sex": SEX, "job": {"role": "sensitive"}, **further}}


def people(number: int, **further: list[str]) -> pa.Table:
    """Many of them are alike."""
    return pa.table(
        {
            "age": [str(20 + place * 7 % 13) for place in range(number)],
            "sex": ["mf"[place % 2] for place in range(number)],
            "job": ["abc"[place * place % 3] for place in range(number)],
            **further,
        }
    )


def rows(table: Counts) -> list[tuple[str, ...]]:
    """The rows of a table, sorted."""
    columns = [[*column.texts, ""] for column in table.columns]
    entries = zip(*(column.codes.tolist() for column in table.columns), strict=True)
    texts = [tuple(texts[code] for texts, code in zip(columns, entry, strict=True)) for entry in entries]
    return sorted(
        row for row, weight in zip(texts, table.weights.tolist(), strict=True) for _ in range(weight)
    )


def control_of(study: Study) -> Counts:
    assert study.source.control is not None
    return study.source.control


def test_both_parts_are_the_table_and_one_in_ten_is_held_out() -> None:
    whole, study = Study(people(400), schema()), Study(people(400), schema(), control="10%")
    assert (study.source.rows, control_of(study).rows) == (360, 40)
    assert sorted([*rows(study.source), *rows(control_of(study))]) == rows(whole.source)
    # Of people who look the same some are in it, others are not.
    assert set(rows(control_of(study))) & set(rows(study.source))


def test_the_group_is_chosen_once_for_each_table() -> None:
    table = people(400)
    first = rows(control_of(Study(table, schema(), control="10%")))
    turned = table.take(list(range(399, -1, -1))).select(["sex", "job", "age"])
    assert sorted((a, s, j) for s, j, a in rows(control_of(Study(turned, schema(), control="10%")))) == first
    larger = rows(control_of(Study(table, schema(), control="20%")))
    assert all(larger.count(row) >= first.count(row) for row in first)
    fewer = {"columns": {**schema()["columns"], "job": {"role": "drop"}}}
    assert rows(control_of(Study(table, fewer, control="10%"))) == sorted(row[:2] for row in first)


def test_another_key_chooses_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = rows(control_of(Study(people(400), schema(), control="10%")))
    monkeypatch.setenv("PARETONYM_STATE", str(tmp_path / "another"))
    assert rows(control_of(Study(people(400), schema(), control="10%"))) != first


def test_persons_and_households_stay_together() -> None:
    who = [f"p{place // 2}" for place in range(400)]
    home = [f"h{place // 5}" for place in range(400)]
    described = schema(who={"role": "person"}, home={"role": "household"})
    study = Study(people(400, who=who, home=home), described, control="25%")
    names = [column.name for column in study.source.columns]
    for name in ("who", "home"):
        place = names.index(name)
        inside, outside = ({row[place] for row in rows(t)} for t in (control_of(study), study.source))
        assert inside
        assert not inside & outside


def test_values_that_only_the_control_has_are_nowhere() -> None:
    table = people(200, note=[f"n{place}" for place in range(200)])
    study = Study(table, schema(note={"role": "other", "kept": "yes"}), control="50%")
    inside, outside = (set(t.column("note").texts) for t in (control_of(study), study.source))
    assert len(inside) == len(outside) == 100
    assert not inside & outside


@pytest.mark.parametrize("share", ["0%", "60%", "1"])
def test_shares_that_make_no_group_are_refused(share: str) -> None:
    with pytest.raises(InputError, match="a control group is a share above 0, and at most 50%"):
        Study(people(100), schema(), control=share)


def test_too_few_people_are_refused() -> None:
    with pytest.raises(InputError, match="of 100 rows 10 would be the control group"):
        Study(people(100), schema(), control="10%")


def test_a_run_is_loaded_with_its_group(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    csv.write_csv(people(400), file)
    study = Study(file, schema(), control="10%")
    run = study.explore("k", "loss", space="lattice")
    run.save(tmp_path / "run")
    loaded = pn.load(tmp_path / "run")
    assert loaded.data is not None
    assert rows(loaded.data.source) == rows(study.source)
    assert loaded.table.read == 360
    loaded[0].release(tmp_path / "release.csv")
    assert pn.audit(tmp_path / "release.csv", original=loaded.data.source, schema=loaded.data.schema)


def test_a_run_moves_with_its_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    csv.write_csv(people(400), file)
    study = Study(file, schema(), control="10%")
    study.explore("k", "loss", space="lattice").save(tmp_path / "run")
    monkeypatch.setenv("PARETONYM_STATE", str(tmp_path / "another"))
    loaded = pn.load(tmp_path / "run")
    assert loaded.data is not None
    assert rows(loaded.data.source) == rows(study.source)


def test_releases_with_and_without_the_group_are_two_of_one_table(tmp_path: Path) -> None:
    """Their difference would be the group."""
    table = people(400)
    Study(table, schema(), control="10%").explore("k", "loss", space="lattice")[0].release(tmp_path / "a.csv")
    later = Study(table, schema()).explore("k", "loss", space="lattice")[0]
    with pytest.raises(InputError, match="another release of this table already exists"):
        later.release(tmp_path / "b.csv")


def test_a_group_is_drawn_for_the_share(tmp_path: Path) -> None:
    source = Study(people(400), schema()).source
    kept = without_control(source, Study(people(400), schema()).schema, Fraction(1, 4))
    assert kept.rows == 300


def test_new_rows_of_somebody_in_the_group_are_refused() -> None:
    who = [f"p{place}" for place in range(400)]
    study = Study(people(400, who=who), schema(who={"role": "identifier"}), control="10%")
    pick = study.explore("k", "loss", space="lattice")[0]
    held_out = control_of(study).every_value("who").texts
    new = people(30, who=[*held_out[:3], *(f"q{place}" for place in range(27))])
    with pytest.raises(InputError, match="identifiers of new rows also occur in the control group: 3"):
        pick.apply(new)


def test_a_resumed_run_has_the_same_group(tmp_path: Path) -> None:
    """The state of a search belongs to the table without the group."""
    table = people(400)
    with_group, whole = Study(table, schema(), control="10%"), Study(table, schema())
    assert with_group.source.fingerprint == Study(table, schema(), control="10%").source.fingerprint
    assert with_group.source.fingerprint != whole.source.fingerprint
