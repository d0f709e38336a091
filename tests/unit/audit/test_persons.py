"""k-map and presence measured again in a table of the population, and statements that do not hold."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import paretonym as pn
from paretonym.base.errors import InputError
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.study.study import Study

SCHEMA: dict[str, Any] = {
    "missing": "drop",
    "columns": {
        "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [5, 10]}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "ill": {"role": "sensitive"},
    },
}
MEASURED = ("k-map", "presence-max", "presence-min")


@pytest.fixture
def made(tmp_path: Path) -> tuple[Path, Path, Study]:
    """A sample of every third person, and everybody; the population has values that the sample lacks."""
    random = Random(5)
    people = [(str(random.randint(20, 49)), random.choice("fm"), random.choice("xyz")) for _ in range(240)]
    everybody = [f"{age},{sex}" for age, sex, _ in people] + ["77,f", ",m"]
    (tmp_path / "all.csv").write_text("\n".join(["age,sex", *everybody]) + "\n", encoding="utf-8")
    sample = [",".join(person) for person in people[::3]]
    (tmp_path / "some.csv").write_text("\n".join(["age,sex,ill", *sample]) + "\n", encoding="utf-8")
    study = Study(tmp_path / "some.csv", SCHEMA, population_file=tmp_path / "all.csv")
    return tmp_path / "all.csv", tmp_path / "some.csv", study


def test_an_audit_counts_the_population_itself(made: tuple[Path, Path, Study], tmp_path: Path) -> None:
    people, _, study = made
    for number, solution in enumerate(study.explore("k-map", "loss", suppress="10%", space="lattice")):
        path = tmp_path / f"r{number}.csv"
        manifest = study.publish(solution, path, allow_second_release=True)
        assert manifest["statements"]["k-map"] == solution["k-map"]
        found = pn.audit(path, schema=SCHEMA, population_file=people, require=["k-map>=2", "presence-min<=1"])
        assert [check.name for check in found.failed if check.kind != "requirement"] == []
        values = Realized.of(solution.recoding, study.cube).measure(*MEASURED)
        asked = [f"{name}={values[name]!r}" for name in MEASURED]
        assert pn.audit(path, schema=SCHEMA, population_file=people, require=asked).passed
        assert "register" not in json.dumps(manifest)
        assert str(people) not in json.dumps(manifest)


def test_without_the_population_what_is_stated_of_it_fails(
    made: tuple[Path, Path, Study], tmp_path: Path
) -> None:
    people, _, study = made
    solution = study.explore("k-map", "loss", suppress="10%", space="lattice")[1]
    study.publish(solution, tmp_path / "r.csv")
    alone = pn.audit(tmp_path / "r.csv")
    assert {check.name for check in alone.failed} == set(MEASURED)
    (check,) = [check for check in alone.failed if check.name == "k-map"]
    assert check.why == "cannot be decided: give population_file= and schema="
    beside = tmp_path / "r.csv.manifest.json"
    said = json.loads(beside.read_text(encoding="utf-8"))
    said["statements"]["k-map"] += 1
    beside.write_text(json.dumps(said), encoding="utf-8")
    found = pn.audit(tmp_path / "r.csv", schema=SCHEMA, population_file=people)
    assert [check.name for check in found.failed] == ["k-map"]


def test_a_population_that_the_rows_are_no_part_of(made: tuple[Path, Path, Study], tmp_path: Path) -> None:
    people, some, study = made
    solution = study.explore("k-map", "loss", suppress="10%", space="lattice")[1]
    study.publish(solution, tmp_path / "r.csv")
    people.write_text("age,sex\n20,f\n", encoding="utf-8")
    found = pn.audit(tmp_path / "r.csv", schema=SCHEMA, population_file=people)
    failed = {check.name: check.why for check in found.failed}
    assert set(failed) == {"rows are part of the population", *MEASURED}
    assert failed["rows are part of the population"].endswith(
        "rows look like nobody in it, or like fewer people than rows"
    )
    with pytest.raises(InputError, match="nothing says what its columns mean; give the schema with"):
        pn.audit(tmp_path / "r.csv", population_file=people)
    with pytest.raises(InputError, match="there is no manifest beside"):
        pn.audit(some, schema=SCHEMA, population_file=people)


def test_a_population_of_parts_is_not_stated(made: tuple[Path, Path, Study], tmp_path: Path) -> None:
    """It is known only of classes at one level of each column."""
    _, some, _ = made
    front = Study(some, SCHEMA).explore("k", "loss", space="mondrian", sweep="k=5")
    front[0].release(tmp_path / "r.csv")
    beside = tmp_path / "r.csv.manifest.json"
    manifest = json.loads(beside.read_text(encoding="utf-8"))
    manifest["statements"]["k-map"] = 1000
    beside.write_text(json.dumps(manifest), encoding="utf-8")
    assert {check.name for check in pn.audit(tmp_path / "r.csv").failed} == {"k-map"}
