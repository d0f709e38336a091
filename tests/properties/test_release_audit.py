"""What a release writes, an audit reads: random tables with awkward texts, names and types, as CSV and as
Parquet, all true beside the original; and every kind of damage is named."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import paretonym
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.research.exams.random_tables import RandomTable, Spelling, random_table
from paretonym.study.explored_run import Solution
from paretonym.study.study import Study

# Numbers, alphabets and prefixes that CSV files, spreadsheets and SQL stumble over.
SPELLINGS = (
    Spelling("=v", False, 1, 0, "=+-@"),
    Spelling("'=v", True, 1, -9, "'=\t,"),
    Spelling('"v,\n', False, 3, -20, '";\n|'),
    Spelling(" v ", True, 1, 0, "ab c"),
    Spelling("(missing", False, 7, 1, "äß☃\u00a0"),
)
KEPT = (
    "=1+1",
    "'=1+1",
    "''=1+1",
    "-5",
    "'-5",
    "+5%",
    "@x",
    "\t",
    "a\nb",
    'say "x"',
    ";",
    "NULL",
    "?",
    None,
    " ",
)
NAMES = ("=name", 'the "other"', "a,b", "'", "ü\nü")
TYPED: dict[str, Callable[[Random], Any]] = {
    "decimal": lambda generator: generator.choice([Decimal("1.50"), Decimal("-0.25"), Decimal("3.00"), None]),
    "float": lambda generator: generator.choice([1.0, 2.5, -1e-7, 1e16, None]),
    "whole": lambda generator: generator.choice([1, -2, None]),
    "day": lambda generator: generator.choice([date(2024, 2, 29), date(1899, 12, 31), None]),
    "yes": lambda generator: generator.choice([True, False, None]),
}


def awkward(seed: int) -> Study:
    """A random table, one of its columns renamed, with kept columns of awkward texts and of every type."""
    generator = Random(seed)
    spelling = SPELLINGS[seed % len(SPELLINGS)]
    table = random_table(generator, spelling, sensitive=seed % 3, missing=0.5, rows=(5, 60))
    name = NAMES[seed % len(NAMES)]
    renamed = {(name if old == "q0" else old): cells for old, cells in table.columns.items()}
    arrays = {column: pa.array(cells, pa.string()) for column, cells in renamed.items()}
    entries = {(name if old == "q0" else old): entry for old, entry in table.schema["columns"].items()}
    rows = len(table.rows)
    arrays["texts"] = pa.array([generator.choice(KEPT) for _ in range(rows)], pa.string())
    arrays |= {kind: pa.array([draw(generator) for _ in range(rows)]) for kind, draw in TYPED.items()}
    entries |= {column: {"role": "other", "kept": "yes"} for column in ("texts", *TYPED)}
    return Study(pa.table(arrays), {**table.schema, "null": ["?"], "columns": entries})


def released(study: Study, seed: int, path: Path) -> dict[str, Any]:
    """Some release of a study, written; its manifest."""
    generator = Random(seed)
    levels = {column.name: generator.randint(column.lowest, column.highest) for column in study.bound.quasi}
    whole = study.realized(LatticeRecoding.of(levels, {"k": ">=1"}))
    k = generator.choice(sorted(set(whole.classes.rows.tolist())))
    return study.publish(Solution("", {}, 0, LatticeRecoding.of(levels, {"k": f">={k}"})), path)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("seed", range(25))
def test_awkward_tables_are_audited_as_true(seed: int, kind: str, tmp_path: Path) -> None:
    study, path = awkward(seed), tmp_path / f"release.{kind}"
    manifest = released(study, seed, path)
    found = paretonym.audit(path, original=study.table, schema=study.schema)
    assert found.failed == ()
    kinds = {check.kind: check.name for check in found.checks}
    # Where fewer than k were left out, nothing is stated that would tell how many.
    assert set(kinds) - {"statement"} == {"file", "claim", "original"}
    assert ("statement" in kinds) == bool(manifest["statements"])
    assert found.rows == manifest["output"]["rows"]
    assert paretonym.attack(path, original=study.table, schema=study.schema).matches


def test_missing_is_written_in_one_way(tmp_path: Path) -> None:
    cells = ["?", "", None, " ", "x"] * 2
    table = pa.table({"q": ["a"] * 10, "s": cells, "note": cells})
    roles = {"q": {"role": "quasi", "hierarchy": {"flat": True}}, "s": {"role": "sensitive"}}
    schema = {"null": ["?"], "missing": "value", "columns": {**roles, "note": {"role": "other"}}}
    study, path = Study(table, schema), tmp_path / "out.csv"
    recoding = LatticeRecoding.of({"q": 0}, {"k": ">=1"})
    manifest = study.publish(Solution("", {}, 0, recoding), path)
    assert path.read_text() == "q,s,note\n" + "a,x,x\n" * 2 + "a,,\n" * 8
    assert (
        manifest["claims"]["l-distinct"] == study.realized(recoding).measure("l-distinct")["l-distinct"] == 2
    )
    assert paretonym.audit(path, original=table, schema=schema).failed == ()


def flip_a_cell(path: Path, generator: Random) -> str:
    rows = _rows(path)
    row, column = generator.randrange(1, len(rows)), generator.randrange(len(rows[0]))
    rows[row][column] += "x"
    _write(path, rows)
    return "sha256"


def delete_a_row(path: Path, generator: Random) -> str:
    rows = _rows(path)
    del rows[generator.randrange(1, len(rows))]
    _write(path, rows)
    return "rows"


def edit_a_claim(path: Path, generator: Random) -> str:
    beside = path.with_name(f"{path.name}.manifest.json")
    manifest = json.loads(beside.read_text(encoding="utf-8"))
    name = generator.choice(sorted(manifest["claims"]))
    manifest["claims"][name] = 0.123 if manifest["claims"][name] == "inf" else manifest["claims"][name] + 1
    beside.write_text(json.dumps(manifest), encoding="utf-8")
    return str(name)


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def _write(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


DAMAGES = (flip_a_cell, delete_a_row, edit_a_claim)


def drawn(seed: int) -> RandomTable:
    return random_table(Random(seed), sensitive=1, rows=(20, 40))


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("seed", range(5))
def test_damage_is_named(seed: int, damage: Callable[[Path, Random], str], tmp_path: Path) -> None:
    study, path = drawn(seed).study(), tmp_path / "release.csv"
    released(study, seed, path)
    assert paretonym.audit(path).passed
    named = damage(path, Random(seed))
    assert named in [check.name for check in paretonym.audit(path).failed]
