"""Estimates of a population: stated by a manifest, computed again by an audit, and silent about suppressed
rows."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import paretonym as pn
from paretonym.audit import Audit
from paretonym.audit.measurer import ESTIMATE
from paretonym.audit.population import expected_reidentifications as expected
from paretonym.errors import InputError
from paretonym.measures.individual_risk import individual_risk
from paretonym.run.study import Study

AGE = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [5, 10, 20]}}
SEX = {"role": "quasi", "hierarchy": {"flat": True}}
NAMES = ["k-map-estimated", "expected-reidentifications"]
LOSSES = ["gl", "sl", "loss"]
WEIGHTED = [f"{name}.weights=1" for name in LOSSES]
Row = tuple[int, str, float, str]


def schema(**columns: Any) -> dict[str, Any]:
    plain = {"age": AGE, "sex": SEX, "w": {"role": "weight"}, "who": {"role": "drop"}}
    return {"columns": {**plain, **columns}}


def rows(seed: int = 3, number: int = 60) -> list[Row]:
    random = Random(seed)
    return [
        (random.randrange(20, 50), random.choice("fm"), round(random.uniform(2, 40), 2), f"p{n // 2}")
        for n in range(number)
    ]


def written(path: Path, table: list[Row]) -> Path:
    lines = [",".join(map(str, row)) for row in table]
    path.write_text("\n".join(["age,sex,w,who", *lines]) + "\n", encoding="utf-8")
    return path


def test_the_integral_is_the_individual_risk_of_the_search() -> None:
    """Two formulas of one number: a series and a recurrence there, Gauss–Legendre here; and ln 2 by hand."""
    sizes = np.array([1.0, 1, 2, 5, 29, 30, 31, 500, 1, 3])
    people = np.array([1.0, 2, 7.5, 5000, 30, 1e6, 31, 501, 1e12, 0.5])
    for f, many in zip(sizes, people, strict=True):
        right = f * individual_risk(np.array([f]), np.array([max(f, many)]))[0]
        assert math.isclose(expected(np.array([f]), np.array([max(f, many)])), right, rel_tol=1e-9)
    assert math.isclose(expected(np.array([1.0]), np.array([2.0])), math.log(2))


KINDS: dict[str, tuple[dict[str, Any], str | None]] = {
    "weights": ({}, None),
    "weights in the file": ({"w": {"role": "weight", "release": True}}, None),
    "scaled": ({}, "5%"),
    "scaled, in the file": ({"w": {"role": "weight", "release": True}}, "5%"),
    "fraction": ({"w": {"role": "drop"}}, "5%"),
    "persons": ({"w": {"role": "drop"}, "who": {"role": "person"}}, "5%"),
}
SHOWN = {
    "weights": [], "weights in the file": NAMES, "scaled": [], "scaled, in the file": NAMES,
    "fraction": NAMES, "persons": [],
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("space", ["lattice", "local"])
def test_an_audit_computes_every_estimate_again(kind: str, space: str, tmp_path: Path) -> None:
    columns, fraction = KINDS[kind]
    described, table = schema(**columns), written(tmp_path / "s.csv", rows())
    study = Study(table, described, sampling_fraction=fraction)
    options: dict[str, Any] = {"suppress": "any:0.2"} if space == "lattice" else {"space": "local"}
    front = study.explore("k", "loss", **options)
    weighted = NAMES + (WEIGHTED if described["columns"]["w"]["role"] == "weight" else [])
    for number, solution in enumerate([*front][1:3]):
        path = tmp_path / f"r{number}.csv"
        stated = study.publish(solution, path, allow_second_release=True)["estimates"]
        assert list(stated["values"]) == weighted
        assert stated.get("sampling_fraction") == (None if fraction is None else "0.05")
        alone = {check.name: check for check in pn.audit(path).checks if check.kind == "estimate"}
        assert [name for name, check in alone.items() if check.holds] == SHOWN[kind]
        assert not [name for name, check in alone.items() if check.holds is False]
        realized, by_weight = study.realized(solution.recoding), {n: {"weights": 1} for n in LOSSES}
        values = realized.measure(*NAMES)
        if len(weighted) > len(NAMES):
            losses = realized.measure(*LOSSES, settings=by_weight)
            values |= {f"{name}.weights=1": value for name, value in losses.items()}
        asked = [f"{name}={value!r}" for name, value in values.items()] if space == "lattice" else []
        beside = pn.audit(path, original=table, schema=described, require=asked)
        assert beside.passed, [(check.name, check.why) for check in beside.failed]
        checks = [check for check in beside.checks if check.kind == "estimate"]
        if space == "local":
            # Classes may overlap; then their labels do not say in which of them somebody is.
            assert [check.name for check in checks] == weighted
            continue
        assert [(check.name, check.holds, check.why) for check in checks] == [
            (name, True, ESTIMATE) for name in weighted
        ]


def test_a_person_counts_once_by_one_weight(tmp_path: Path) -> None:
    described = schema(who={"role": "person"})
    table = [(age, sex, 2.5 + int(who[1:]) % 4, who) for age, sex, _, who in rows()]
    study = Study(written(tmp_path / "s.csv", table), described)
    solution = next(
        each for each in study.explore("k", "loss", suppress="any:0.2", space="lattice") if each["k"] > 2
    )
    stated = study.publish(solution, tmp_path / "r.csv")["estimates"]["values"]
    beside = pn.audit(tmp_path / "r.csv", original=tmp_path / "s.csv", schema=described)
    assert beside.passed
    smallest = study.realized(solution.recoding).measure(*NAMES)[NAMES[0]]
    assert 0 <= smallest - stated["k-map-estimated"] < smallest / 10


@pytest.mark.parametrize("fraction", [None, "5%"])
def test_suppressed_rows_do_not_change_what_is_estimated(fraction: str | None, tmp_path: Path) -> None:
    """The attack: somebody knows every row that stays, and tries suppressed rows until the manifest fits.
    Every table with the same rows that stay, and fewer than k others, has the same manifest."""
    common = [(20 + n % 4, "fm"[n % 2], 3.0 + n % 7, "x") for n in range(24)]
    found = []
    one, two = [(49, "f", 900.0, "x")], [(48, "m", 0.5, "x"), (40, "f", 77.7, "x")]
    for number, others in enumerate([[], one, two]):
        table = written(tmp_path / f"s{number}.csv", [*common, *others])
        study = Study(table, schema(age={**AGE, "levels": [1, 1]}), sampling_fraction=fraction)
        front = study.explore("k", "loss", suppress="20%", space="lattice")
        solution = next(each for each in front if each["k"] >= 5 and each.suppressed == len(others))
        manifest = study.publish(solution, tmp_path / f"r{number}.csv", allow_second_release=True)
        found.append(json.dumps([manifest["estimates"], manifest["claims"]]))
    assert len(set(found)) == 1
    # The frontier itself, which is for the publisher alone, does depend on them.
    assert solution["sl"] > 0


def forged(path: Path, change: Callable[[dict[str, Any]], object]) -> Audit:
    stored = path.with_name(f"{path.name}.manifest.json")
    manifest = json.loads(stored.read_text(encoding="utf-8"))
    change(manifest["estimates"])
    stored.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return pn.audit(path, original=path.with_name("s.csv"), schema=schema())


@pytest.mark.parametrize(
    ("change", "name", "why"),
    [
        (lambda said: said["values"].update({"k-map-estimated": 9900}), "k-map-estimated", ESTIMATE),
        (lambda said: said["values"].update({"expected-reidentifications": 0.01}),
         "expected-reidentifications", ESTIMATE),
        (lambda said: said["values"].update({"gl.weights=1": 0.001}), "gl.weights=1", ESTIMATE),
        (lambda said: said["values"].update({"k-map-estimated": 123}), "estimates",
         "k-map-estimated has more digits than are published"),
        (lambda said: said["values"].update({"sl.weights=1": 0.12345}), "estimates",
         "sl.weights=1 has more digits than are published"),
        (lambda said: said["values"].update({"HIV": 1}), "estimates",
         "its estimates must be k-map-estimated, expected-reidentifications, gl.weights=1, sl.weights=1, "
         "loss.weights=1"),
        (lambda said: said.update(assumes=["row 3 is Alice's"]), "estimates",
         "what they assume is not what they are computed by"),
        (lambda said: said.update(note="x"), "manifest", "the key 'note' of 'estimates' has no meaning"),
    ],
)  # fmt: skip
def test_what_does_not_follow_fails(
    change: Callable[[dict[str, Any]], object], name: str, why: str, tmp_path: Path
) -> None:
    study = Study(written(tmp_path / "s.csv", rows()), schema())
    study.publish(study.explore("k", "loss", suppress=0, space="lattice")[0], tmp_path / "r.csv")
    failed = {check.name: check.why for check in forged(tmp_path / "r.csv", change).failed}
    assert why in failed[name]


@pytest.mark.parametrize("said", ["0", "1.5", "2%", "1e-3", "nan"])
def test_a_sampling_fraction_that_is_none(said: str, tmp_path: Path) -> None:
    study = Study(written(tmp_path / "s.csv", rows()), schema())
    study.publish(study.explore("k", "loss", suppress=0, space="lattice")[0], tmp_path / "r.csv")
    with pytest.raises(InputError, match=r"'estimates\.sampling_fraction' is not a decimal above 0"):
        forged(tmp_path / "r.csv", lambda stated: stated.update(sampling_fraction=said))


def test_weights_of_another_schema(tmp_path: Path) -> None:
    study = Study(written(tmp_path / "s.csv", rows()), schema())
    study.publish(study.explore("k", "loss", suppress=0, space="lattice")[0], tmp_path / "r.csv")
    other = schema(w={"role": "drop"})
    beside = pn.audit(tmp_path / "r.csv", original=tmp_path / "s.csv", schema=other)
    assert [check.holds for check in beside.checks if check.kind == "estimate"] == [None] * 5
    assert beside.passed


def test_nothing_is_estimated_of_events(tmp_path: Path) -> None:
    described = {**schema(w={"role": "weight", "release": True}), "rows": "events"}
    study = Study(written(tmp_path / "s.csv", rows()), described)
    manifest = study.publish(study.explore("k", "loss", suppress=0, space="lattice")[0], tmp_path / "r.csv")
    assert "estimates" not in manifest
    with pytest.raises(InputError, match="'k-map-estimated' cannot be measured: the file shows neither"):
        pn.audit(tmp_path / "r.csv", require=["k-map-estimated>=2"])
