"""Releases without levels beside their originals: cuts and parts of random tables, all true; every damage is
named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import paretonym
from paretonym.frontier.solution import Solution
from paretonym.measures.registry import MEASURES
from paretonym.recoding.cuts.recoding import CutsRecoding
from paretonym.recoding.cuts.space import CutsSpace
from paretonym.recoding.mondrian.recoding import PartsRecoding
from paretonym.recoding.recoding import Recoding
from paretonym.study import Study
from paretonym.testing.random_tables import RandomTable, bounded, random_table

STATED = tuple(
    name
    for name in MEASURES
    if name not in ("precision-loss", "t-ordered", "utility-loss", "query-error", "privacy-loss")
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
    space = CutsSpace.of(study.cube)
    genome = space.random(1, np.random.default_rng(seed))[0]
    whole = study.realized(CutsRecoding.of(space, genome, {"k": ">=1"}))
    sizes = sorted(set(whole.classes.rows.tolist()))
    return CutsRecoding.of(space, genome, {"k": f">={sizes[len(sizes) // 3]}"})


def published(study: Study, recoding: Recoding, path: Path) -> dict[str, Any]:
    values = study.realized(recoding).measure(*STATED)
    return study.publish(Solution("", values, 0, recoding), path)


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
    assert paretonym.attack(path, original=study.table, schema=study.schema).withstood


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_are_audited_as_true(seed: int, tmp_path: Path) -> None:
    study, path = drawn(seed).study(), tmp_path / "r.csv"
    published(study, PartsRecoding.of({"k": 2 + seed % 5}), path)
    assert failed(study, path) == []
    assert paretonym.attack(path, original=study.table, schema=study.schema).withstood


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_that_overlap_are_not_refuted(seed: int, tmp_path: Path) -> None:
    table = drawn(seed)
    study, path = (strays(table, seed) if seed % 2 else table).study(), tmp_path / "r.csv"
    published(study, PartsRecoding.of({"k": 2}, relaxed=seed % 3 > 0), path)
    assert failed(study, path) == []
