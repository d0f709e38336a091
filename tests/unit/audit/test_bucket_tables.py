"""Buckets beside their original: true ones hold, and every damage is named though file and manifest agree."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import paretonym as pn
from paretonym.audit import Audit
from paretonym.base.errors import InputError
from paretonym.engine.measures.registry import MEASURES
from paretonym.research.buckets.buckets_space import BucketsRecoding
from paretonym.research.exams.random_tables import random_table
from paretonym.study.explored_run import Solution
from paretonym.study.study import Study

NOT_HERE = (
    "t-ordered",
    "t-ordered-release",
    "classification-error",
    "utility-loss",
    "query-error",
    "privacy-loss",
    "k-map",
    "presence-max",
    "presence-min",
    *(name for name, card in MEASURES.items() if card.needs is not None),
)
STATED = tuple(name for name in MEASURES if name not in NOT_HERE)
SCHEMA: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10, 20]}},
        "illness": {"role": "sensitive"},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "ward": {"role": "other"},
    }
}
ILLNESSES = ("flu", "none", "gout", "acne", "cold")
WAYS = [("mondrian", {"k": 8}), ("anatomy", {"l": 3})]


def people(same: int = 1) -> pa.Table:
    """Two hundred, so many of each look."""
    ages, sexes = [20 + i // same for i in range(200)], ["fm"[i // same % 2] for i in range(200)]
    ill = [ILLNESSES[i * i % 7 % 5] for i in range(200)]
    rows = zip(ages, ill, sexes, ["w"] * 200, strict=True)
    return pa.table(dict(zip(SCHEMA["columns"], map(list, zip(*rows, strict=True)), strict=True)))


def published(study: Study, recoding: BucketsRecoding, path: Path, names: tuple[str, ...] = ()) -> None:
    study.publish(Solution("", study.realized(recoding).measure(*names), 0, recoding), path)


def audited(path: Path, table: Any, schema: Any = SCHEMA, **options: Any) -> Audit:
    return pn.audit(path, original=table, schema=schema, **options)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(("way", "bound"), WAYS)
def test_what_is_true_holds(way: str, bound: dict[str, float], ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{ending}"
    published(Study(people(), SCHEMA), BucketsRecoding.of(bound, way), path, STATED)
    found = audited(path, people())
    assert found.failed == ()
    assert {"original", "statement"} <= {check.kind for check in found.checks}
    assert found["gl"] == 0
    assert found["sl"] == 0


@pytest.mark.parametrize("seed", range(6))
def test_random_tables_hold(seed: int, tmp_path: Path) -> None:
    """Missing values, levels that may not be used, several sensitive columns, class labels."""
    table = random_table(
        Random(f"b {seed}"), rows=(10, 60), sensitive=1 + seed % 2, labelled=True, missing=0.4
    )
    study, path = table.study(), tmp_path / "x.csv"
    published(study, BucketsRecoding.of({"k": 2 + seed % 4}), path, (*STATED, "classification-error"))
    assert audited(path, study.table, study.schema).failed == ()


def test_a_sensitive_column_measured_at_a_level(tmp_path: Path) -> None:
    illness = {
        "role": "sensitive",
        "level": 1,
        "hierarchy": {"tree": {"bad": ["flu", "gout", "acne"], "not": ["none", "cold"]}},
    }
    schema = {"columns": {**SCHEMA["columns"], "illness": illness}}
    study, path = Study(people(), schema), tmp_path / "x.csv"
    published(study, BucketsRecoding.of({"k": 10}), path, ("l", "t", "l-distinct"))
    found = audited(path, people(), schema)
    assert found.failed == ()
    assert {check.name for check in found.checks if check.kind == "statement"} == {"loss", "gl", "sl"}


def test_levels_that_may_not_be_used_are_not_shown(tmp_path: Path) -> None:
    """Two hundred ages in tens: a cell of half the columns loses 9 of 199 steps."""
    schema = {"columns": {**SCHEMA["columns"], "age": {**SCHEMA["columns"]["age"], "levels": [1, 2]}}}
    published(Study(people(), schema), BucketsRecoding.of({"k": 8}), tmp_path / "x.csv")
    found = audited(tmp_path / "x.csv", people(), schema)
    assert found.failed == ()
    assert found["gl"] == pytest.approx(9 / 199 / 2)


Rows = dict[str, list[dict[str, str]]]


def swap_values(files: Rows, _: dict[str, Any]) -> None:
    """A value of one bucket for another one of another, in both files that have it."""
    apart = files["x.st.csv"]
    one = apart[0]
    other = next(r for r in apart if r["bucket"] != one["bucket"] and r["illness"] != one["illness"])
    for row, value in ((one, other["illness"]), (other, one["illness"])):
        mixed = next(
            each for each in files["x.csv"]
            if (each["bucket"], each["illness"]) == (row["bucket"], row["illness"]) and "new" not in each
        )  # fmt: skip
        mixed["illness"], mixed["new"] = value, ""
    one["illness"], other["illness"] = other["illness"], one["illness"]


def change_an_age(files: Rows, _: dict[str, Any]) -> None:
    look = {name: value for name, value in files["x.qit.csv"][0].items() if name != "illness"}
    for name in ("x.qit.csv", "x.csv"):
        row = next(row for row in files[name] if look.items() <= row.items())
        row["age"] = "21" if row["age"] != "21" else "22"


def delete_a_row(files: Rows, manifest: dict[str, Any]) -> None:
    gone = files["x.csv"].pop(0)
    for name in ("x.qit.csv", "x.st.csv"):
        files[name].remove({key: gone[key] for key in files[name][0]})
    manifest["output"]["rows"] -= 1


def change_a_value(files: Rows, _: dict[str, Any]) -> None:
    apart = files["x.st.csv"][0]
    mixed = next(r for r in files["x.csv"] if apart.items() <= r.items())
    apart["illness"] = mixed["illness"] = "plague"


def move_a_person(files: Rows, _: dict[str, Any]) -> None:
    """Somebody goes to another bucket, with a value of somebody else."""
    own = {str(row["age"]): row["illness"] for row in people().to_pylist()}
    gone = next(row for row in files["x.csv"] if row["illness"] != own[row["age"]])
    bucket = next(row["bucket"] for row in files["x.csv"] if row["bucket"] != gone["bucket"])
    for name in ("x.qit.csv", "x.st.csv"):
        row = next(row for row in files[name] if row == {key: gone[key] for key in row})
        row["bucket"] = bucket
    gone["bucket"] = bucket


def edit_a_claim(_: Rows, manifest: dict[str, Any]) -> None:
    manifest["claims"]["l"] += 1


def edit_a_statement(_: Rows, manifest: dict[str, Any]) -> None:
    manifest["statements"]["gl"] += 0.01


DAMAGES: dict[Callable[..., None], str] = {
    swap_values: "sensitive values in a wrong bucket",
    change_an_age: "rows not from the original",
    delete_a_row: "rows of the original missing",
    change_a_value: "sensitive values not from the original",
    move_a_person: "sensitive values in a wrong bucket",
    edit_a_claim: "l",
    edit_a_statement: "gl",
}


def forge(path: Path, change: Callable[..., None]) -> None:
    """Change files and manifest together: the digests agree, only the original can tell."""
    beside = path.with_name("x.csv.manifest.json")
    manifest = json.loads(beside.read_text())
    names = list(manifest["output"]["files"])
    files = {name: list(csv.DictReader((path.parent / name).read_text().splitlines())) for name in names}
    headers = {name: list(rows[0]) for name, rows in files.items()}
    change(files, manifest)
    for name in names:
        with (path.parent / name).open("w", newline="") as file:
            writer = csv.DictWriter(file, headers[name], extrasaction="ignore")
            writer.writeheader()
            writer.writerows(files[name])
        digest = hashlib.sha256((path.parent / name).read_bytes()).hexdigest()
        manifest["output"]["files"][name] = digest
    manifest["output"]["sha256"] = manifest["output"]["files"]["x.csv"]
    beside.write_text(json.dumps(manifest))


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize(("way", "bound"), WAYS)
def test_damage_is_named(
    way: str, bound: dict[str, float], damage: Callable[..., None], tmp_path: Path
) -> None:
    path, table = tmp_path / "x.csv", people()
    published(Study(table, SCHEMA), BucketsRecoding.of(bound, way), path)
    forge(path, damage)
    failed = {check.name for check in audited(path, table).failed}
    assert not any(name.endswith("agree") or name.startswith("sha256") for name in failed)
    assert DAMAGES[damage] in failed


def test_people_alike_are_together_in_parts_and_apart_in_anatomy(tmp_path: Path) -> None:
    table, path = people(same=4), tmp_path / "x.csv"
    published(Study(table, SCHEMA), BucketsRecoding.of({"l": 2}, "anatomy"), path)
    found = audited(path, table)
    assert found.failed == ()
    (open_one,) = [check for check in found.checks if check.holds is None]
    assert open_one.name == "rows alike in several buckets"
    assert "cannot be decided" in open_one.why
    # The same file, called one of parts: nobody may be in two of them.
    forge(path, lambda _, manifest: manifest["recoding"].update({"buckets": "mondrian"}))
    assert "people alike in several buckets" in {check.name for check in audited(path, table).failed}


def deal(looks: str, values: str, buckets: str) -> Callable[..., None]:
    """Other rows in all three files."""

    def change(files: Rows, _: dict[str, Any]) -> None:
        rows = zip(looks, values, buckets, strict=True)
        mixed = [{"look": look, "v": value, "bucket": bucket} for look, value, bucket in rows]
        for kept in files.values():
            keys = list(kept[0])
            kept[:] = [{key: row[key] for key in keys} for row in mixed]

    return change


def test_people_who_look_alike_in_two_buckets_leave_their_values_open(tmp_path: Path) -> None:
    """Two called a have x and y, two called b have z and w; c has u and d has t. One a and one b are in each
    of the first two buckets, which may hold x or y. Neither may hold u: it is c's, in the third."""
    schema = {"columns": {"look": {"role": "quasi", "hierarchy": {"flat": True}}, "v": {"role": "sensitive"}}}
    table, path = pa.table({"look": list("aabbcd"), "v": list("xyzwut")}), tmp_path / "x.csv"
    published(Study(table, schema), BucketsRecoding.of({"l": 2}, "anatomy"), path)

    def failed(values: str) -> list[str]:
        forge(path, deal("ababcd", values, "112233"))
        return [check.name for check in audited(path, table, schema).failed if check.kind == "original"]

    assert failed("xzywut") == failed("zxwytu") == failed("xwyzut") == []
    assert failed("uzywxt") == ["sensitive values in a wrong bucket"]


def test_requirements_about_the_input(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    published(Study(people(), SCHEMA), BucketsRecoding.of({"k": 8}), path)
    assert audited(path, people(), require=["t<=1", "sl<=0"]).passed
    assert [check.name for check in audited(path, people(), require=["t<=0.001"]).failed] == ["t<=0.001"]
    with pytest.raises(InputError, match="it is measured against the input: give original="):
        pn.audit(path, require=["t<=1"])


def test_another_schema_or_original_fails(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    published(Study(people(), SCHEMA), BucketsRecoding.of({"k": 8}), path)
    less = {"columns": {**SCHEMA["columns"], "ward": {"role": "drop"}}}
    failed = {check.name: check.why for check in audited(path, people(), less).failed}
    assert failed["rows of the original"] == "the columns that the schema releases are not those of the file"
    assert failed["roles"] == "the schema does not release these: ward"
    assert failed.keys() >= {"loss", "gl", "sl"}
    assert {"rows not from the original", "rows of the original missing"} <= {
        check.name for check in audited(path, people(same=3)).failed
    }
