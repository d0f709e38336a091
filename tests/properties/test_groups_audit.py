"""Releases without levels beside their originals: cuts and parts of random tables, all true; every damage is
named."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import paretonym
from paretonym.engine.measures.registry import MEASURES
from paretonym.engine.recoding.equivalence_classes import Recoding
from paretonym.engine.recoding.suppression import parse_keep
from paretonym.engine.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.engine.spaces.cuts.genome_space import GenomeSpace
from paretonym.engine.spaces.mondrian.mondrian_space import PartsRecoding
from paretonym.research.exams.random_tables import RandomTable, bounded, random_cuts, random_table
from paretonym.study.explored_run import Solution
from paretonym.study.study import Study

STATED = tuple(
    name
    for name, card in MEASURES.items()
    if not card.needs
    and name not in ("precision-loss", "t-ordered", "utility-loss", "query-error", "privacy-loss")
)
SEEDS = range(12)


def drawn(seed: int, sensitive: int = 1) -> RandomTable:
    """A random table, at times with bounds on its levels, granules, and values without a place."""
    generator = Random(f"groups {seed}")
    table = random_table(generator, rows=(10, 80), sensitive=sensitive, labelled=True, missing=0.4)
    table = bounded(table, generator) if generator.random() < 0.3 else table
    entries = {name: dict(entry) for name, entry in table.schema["columns"].items()}
    for entry in entries.values():
        kind = next(iter(entry.get("hierarchy", {})), "")
        if kind in ("intervals", "breaks") and "levels" not in entry and generator.random() < 0.5:
            entry["granularity"] = generator.choice([2, 5])
    return replace(table, schema={**table.schema, "columns": entries})


def strays(table: RandomTable, seed: int) -> RandomTable:
    """The same with values without a place in its listed columns."""
    generator = Random(seed)
    entries = {name: dict(entry) for name, entry in table.schema["columns"].items()}
    rows = [dict(row) for row in table.rows]
    for name, entry in entries.items():
        if entry["role"] == "quasi" and set(entry.get("hierarchy", {})) & {"tree", "intervals", "breaks"}:
            entry["unknown"] = "top"
            for row in generator.sample(rows, max(1, len(rows) // 6)):
                row[name] = "elsewhere"
    return replace(table, rows=tuple(rows), schema={**table.schema, "columns": entries})


def some_cuts(study: Study, seed: int) -> Recoding:
    """Random cuts; some of the smallest classes go."""
    return random_cuts(study.cube, seed)


def published(study: Study, recoding: Recoding, path: Path, names: Sequence[str] = STATED) -> dict[str, Any]:
    values = study.realized(recoding).measure(*names)
    return study.publish(Solution("", values, 0, recoding), path, allow_second_release=True)


def failed(study: Study, path: Path) -> list[str]:
    found = paretonym.audit(path, original=study.table, schema=study.schema)
    assert {"original", "statement"} <= {check.kind for check in found.checks}
    return [f"{check.name}: {check.said} {check.found} {check.why}" for check in found.failed]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("seed", SEEDS)
def test_cuts_are_audited_as_true(seed: int, kind: str, tmp_path: Path) -> None:
    table = drawn(seed, 1 + seed % 2)
    study, path = (strays(table, seed) if seed % 4 == 3 else table).study(), tmp_path / f"r.{kind}"
    published(study, some_cuts(study, seed), path)
    assert failed(study, path) == []
    assert paretonym.attack(path, original=study.table, schema=study.schema).matches


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_are_audited_as_true(seed: int, tmp_path: Path) -> None:
    study, path = drawn(seed).study(), tmp_path / "r.csv"
    published(study, PartsRecoding.of({"k": 2 + seed % 5}, seed=seed if seed % 2 else None), path)
    assert failed(study, path) == []
    assert paretonym.attack(path, original=study.table, schema=study.schema).matches


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_that_overlap_are_not_refuted(seed: int, tmp_path: Path) -> None:
    table = drawn(seed)
    study, path = (strays(table, seed) if seed % 2 else table).study(), tmp_path / "r.csv"
    published(study, PartsRecoding.of({"k": 2}), path)
    assert failed(study, path) == []


def forged(path: Path, change: Any) -> None:
    """Change file or manifest, and let the manifest know the new digest: only the original can tell."""
    beside = path.with_name(f"{path.name}.manifest.json")
    rows, manifest = path.read_text(encoding="utf-8").splitlines(), json.loads(beside.read_text())
    change(rows, manifest)
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    manifest["output"]["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    beside.write_text(json.dumps(manifest), encoding="utf-8")


def flip_a_cell(rows: list[str], _: dict[str, Any]) -> None:
    """One row shows the quasi-identifiers of another class."""
    other = next(row for row in rows[1:] if row.rpartition(",")[0] != rows[1].rpartition(",")[0])
    rows[1] = f"{other.rpartition(',')[0]},{rows[1].rpartition(',')[2]}"


def invent_a_label(rows: list[str], _: dict[str, Any]) -> None:
    rows[1] = f"nobody{rows[1]}"


def take_a_row_out(rows: list[str], manifest: dict[str, Any]) -> None:
    del rows[1]
    manifest["output"]["rows"] -= 1


def edit_a_statement(_: list[str], manifest: dict[str, Any]) -> None:
    manifest["statements"]["gl"] += 0.01


FEW = ("weighted-k", "entropy-loss", "discernibility", "t-tree")
DAMAGES = {
    flip_a_cell: "rows not from the original",
    invent_a_label: "rows of the original",
    take_a_row_out: "classes with rows missing",
    edit_a_statement: "gl",
}
TOWNS = {
    "role": "quasi",
    "hierarchy": {"tree": {"north": ["Kiel", "Husum"], "south": ["Ulm", "Calw"]}},
}
AGE = {"role": "quasi", "hierarchy": {"flat": True}}
SCHEMA = {"columns": {"age": AGE, "town": TOWNS, "ill": {"role": "sensitive"}}}


def towns() -> Study:
    """Forty people: five ages in each of four towns, two each; what ails them differs from town to town."""
    people = [(age, town) for town in ("Kiel", "Husum", "Ulm", "Calw") for age in range(20, 70, 10)] * 2
    ill = [f"i{age // 10 + len(town) + number // 20}" for number, (age, town) in enumerate(people)]
    return Study(
        pa.table({"age": [age for age, _ in people], "town": [town for _, town in people], "ill": ill}),
        SCHEMA,
    )


def cut_towns(study: Study) -> Recoding:
    """Ages below 40 and from 40 on, towns north and south: by hand, gl = ((1·2 + 2·3)/5/4 + 1/3) / 2."""
    groups = (
        ("age", (("20", "30"), ("40", "50", "60"))),
        ("town", (("Kiel", "Husum"), ("Ulm", "Calw"))),
    )
    return CutsRecoding(groups, parse_keep({"k": ">=2"}))


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("recoding", [cut_towns, lambda _: PartsRecoding.of({"k": 4})])
def test_damage_is_named(recoding: Any, damage: Any, tmp_path: Path) -> None:
    study, path = towns(), tmp_path / "r.csv"
    published(study, recoding(study), path, FEW)
    assert failed(study, path) == []
    forged(path, damage)
    # Suppressed rows may lie within the sets of cuts: that one is missing shows in the classes of the file.
    within = recoding is cut_towns and damage is take_a_row_out
    name = "risk-average" if within else DAMAGES[damage]
    assert name in [name.partition(":")[0] for name in failed(study, path)]


def test_a_loss_known_in_closed_form(tmp_path: Path) -> None:
    study, path = towns(), tmp_path / "r.csv"
    published(study, cut_towns(study), path, FEW)
    assert {row.rpartition(",")[0] for row in path.read_text().split()[1:]} == {
        "<40,north",
        "<40,south",
        "40+,north",
        "40+,south",
    }
    found = paretonym.audit(path, original=study.table, schema=study.schema)
    assert found["gl"] == pytest.approx(((2 * 1 + 3 * 2) / 5 / 4 + 1 / 3) / 2)


def test_rows_left_out_are_not_judged_where_the_release_hides_their_class(tmp_path: Path) -> None:
    """The two oldest people are suppressed, each alone: nothing shows with whom, had there been others."""
    table = pa.table({"age": [20, 20, 30, 30, 75, 80], "ill": ["a", "b", "a", "b", "c", "c"]})
    schema = {"columns": {"age": AGE, "ill": {"role": "sensitive"}}}
    study, path = Study(table, schema), tmp_path / "r.csv"
    recoding = CutsRecoding((("age", (("20",), ("30",), ("75",), ("80",))),), parse_keep({"k": ">=2"}))
    published(study, recoding, path, FEW)
    found = paretonym.audit(path, original=table, schema=schema)
    assert found.failed == ()
    undecided = {check.name: check.found for check in found.checks if check.holds is None}
    assert undecided["suppressed rows of unknown classes"] == 2


def test_what_a_sweep_is_about_is_left_open_and_an_invented_statement_fails(tmp_path: Path) -> None:
    study, path = towns(), tmp_path / "r.csv"
    published(study, PartsRecoding.of({"k": 4}), path, ("utility-loss",))
    assert failed(study, path) == []
    forged(path, lambda _, manifest: manifest["statements"].update({"goodness": 1.0}))
    assert [name.partition(":")[0] for name in failed(study, path)] == ["goodness"]


def test_what_has_no_place_among_granules_stands_for_all_rows(tmp_path: Path) -> None:
    """Such a value is shown as everything: its cell loses all the information of the column."""
    age = {"role": "quasi", "hierarchy": {"intervals": [10]}, "granularity": 10, "unknown": "top"}
    table = pa.table({"age": ["21", "22", "35", "36", "old", "old"]})
    study, path = Study(table, {"columns": {"age": age}}), tmp_path / "r.csv"
    space = GenomeSpace.of(study.cube)
    recoding = CutsRecoding.of(space, np.ones(space.length, dtype=np.bool_), parse_keep({"k": ">=2"}))
    published(study, recoding, path, ("entropy-loss",))
    assert failed(study, path) == []
    # ln f summed over rows: as shown 4·ln 2 + 2·ln 6, as they are 2·ln 2; N·H = 6·ln 6 − 2·ln 2.
    lost = (4 * np.log(2) + 2 * np.log(6) - 2 * np.log(2)) / (6 * np.log(6) - 2 * np.log(2))
    assert study.realized(recoding).measure("entropy-loss")["entropy-loss"] == pytest.approx(lost)
