"""New rows beside a local recoding: how they are shown says nothing of old rows that were suppressed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from paretonym.recoding.class_condition import parse_keep
from paretonym.run.explored_run import Solution
from paretonym.run.study import Study
from paretonym.spaces.local.local_recoding import LocalRecoding

NAMES = ("age", "sex", "ill")
SCHEMA: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10, 20]}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "ill": {"role": "sensitive"},
    }
}
CHAIN = LocalRecoding(
    ((("age", 1), ("sex", 0)), (("age", 2), ("sex", 0))), parse_keep({"k": ">=3", "l-distinct": ">=2"})
)
STAY = [("21", "f", "flu"), ("22", "f", "cold"), ("23", "f", "flu"), ("27", "f", "HIV")]
# Three are suppressed: for what they have in common, or because they are few.
WORLDS = (
    [*STAY, *[("61", "f", "HIV")] * 3],
    [*STAY, ("61", "f", "HIV"), ("81", "m", "HIV"), ("41", "m", "flu")],
)
NEW = [("62", "f", "flu"), ("63", "f", "cold"), ("64", "f", "flu"), ("25", "f", "cold")]


def table(rows: Sequence[tuple[str, ...]]) -> pa.Table:
    return pa.table(dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True)))


def written(path: Path) -> tuple[str, Any]:
    manifest = path.with_name(f"{path.name}.manifest.json")
    return path.read_text(encoding="utf-8"), json.loads(manifest.read_text(encoding="utf-8"))


def test_a_class_that_lacked_diversity_is_not_told(tmp_path: Path) -> None:
    """New rows of [60, 70) were shown there, as no old row is, where three old rows had one illness."""
    found = []
    for place, rows in enumerate(WORLDS):
        study, old, new = Study(table(rows), SCHEMA), tmp_path / f"{place}.csv", tmp_path / f"n{place}.csv"
        study.publish(Solution("", {}, 3, CHAIN), old, allow_second_release=True)
        study.apply(CHAIN, table(NEW), new, allow_second_release=True)
        found.append((written(old), written(new)))
    assert found[0] == found[1]
    assert found[0][1][0].splitlines()[1:] == [
        '"[20, 30)",f,cold',
    ]
