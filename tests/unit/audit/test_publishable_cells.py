"""Cells that are finer than the schema publishes fail an audit that has the schema, in every space, although
file and manifest agree and no original is given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import paretonym
from paretonym.audit import Check
from paretonym.audit.audit_database import Database
from paretonym.audit.manifest import Recoding
from paretonym.audit.manifest_file import read_manifest
from paretonym.audit.publishable_cells import UNPUBLISHED, check_cells
from paretonym.audit.released_table import UNSTATED, open_release, unescaped
from paretonym.study.study import Study
from paretonym.tables.schema import schema_from
from tests.naive.releases import write_table
from tests.naive.tampering import beside, sign, taken_apart, write

ROWS = 240
SCHEMA: dict[str, Any] = {
    "null": ["?"],
    "missing": "value",
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}, "top": 80, "levels": [1, 3]},
        "zip": {"role": "quasi", "hierarchy": {"mask": 3}, "levels": [1, 3]},
        "born": {"role": "quasi", "hierarchy": {"date": ["quarter", "year"]}, "format": "%d.%m.%Y"},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "diagnosis": {"role": "sensitive", "hierarchy": {"ready": "icd10"}, "release_level": 1},
        "charge": {"role": "other", "hierarchy": {"intervals": [100, 1000]}, "release_level": 1, "top": 4000},
        "ward": {"role": "sensitive", "hierarchy": {"tree": {"A": ["a1", "a2"], "B": ["b1"]}}},
    },
}


@pytest.fixture(scope="module")
def study() -> Study:
    places = range(ROWS)
    columns = {
        "age": [str(20 + (7 * row) % 70) for row in places],
        "zip": [f"1{row % 3}{row % 7}" for row in places],
        "born": [f"{1 + row % 28:02d}.{1 + row % 12:02d}.{2018 + row % 3}" for row in places],
        "sex": ["?" if row % 17 == 0 else "fm"[row % 2] for row in places],
        "diagnosis": [("A01.1", "A01.4", "E11.9", "E66", "C50.1")[row % 5] for row in places],
        "charge": [str(40 * row % 5000) for row in places],
        "ward": [("a1", "a2", "b1")[row % 3] for row in places],
    }
    return Study(pa.table(columns), SCHEMA)


EXPLORED: dict[str, dict[str, Any]] = {
    "lattice": {},
    "local": {"space": "local", "suppress": 0.2},
    "cuts": {"space": "cuts", "suppress": 0.2, "evaluations": 300},
    "mondrian": {"space": "mondrian", "sweep": "k=5", "suppress": 0},
    "buckets": {"space": "buckets", "sweep": "l=2", "suppress": 0, "objectives": ("l", "sl")},
}


@pytest.fixture(scope="module")
def releases(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("releases")
    for space, options in EXPLORED.items():
        objectives = options.pop("objectives", ("k", "loss"))
        frontier = study.explore(*objectives, **{"space": "lattice", **options})
        finest = min(frontier, key=lambda each: (each.values.get("gl", 0), -each.values["k"]))
        study.publish(finest, folder / f"{space}.csv", allow_second_release=True)
    return folder


def found(path: Path, schema: Any = SCHEMA) -> Check:
    """The check alone; the whole audit takes longer."""
    manifest = read_manifest(beside(path), unescaped)
    with Database.opened() as database:
        table = open_release(database, path, UNSTATED)
        return check_cells(table, schema_from(schema), manifest.recoding if manifest else None)


def forged(releases: Path, folder: Path, space: str, column: str, cell: str) -> Path:
    """A release in which one cell shows something else; its digest is that of the changed file."""
    release = taken_apart(releases / f"{space}.csv")
    place, number = release.column(column), len(release.rows) // 2
    row = release.rows[number]
    release.rows[number] = (*row[:place], cell, *row[place + 1 :])
    path = folder / f"{space}.csv"
    write(release, path)
    return path


@pytest.mark.parametrize("space", EXPLORED)
def test_what_was_released_can_be_published(releases: Path, space: str) -> None:
    check = found(releases / f"{space}.csv")
    assert (check.holds, check.found, check.reason) == (True, 0, "")


def test_the_whole_audit_fails_and_says_why(releases: Path, tmp_path: Path) -> None:
    audited = paretonym.audit(releases / "lattice.csv", schema=SCHEMA)
    assert audited.passed, audited.failed
    path = forged(releases, tmp_path, "lattice", "charge", "4200")
    why = "column 'charge' has 1 cell that the schema does not publish at the stated level"
    audited = paretonym.audit(path, schema=SCHEMA)
    assert [(check.name, check.reason) for check in audited.failed] == [(UNPUBLISHED, why)]
    assert paretonym.audit(path).passed


FORGED = {
    "age": ("41", "[40, 45)", "85", "[41, 60)", "", "[20, 30) "),
    "zip": ("123", "104", "John", "?"),
    "born": ("2019-02-31", "2019-W07", "born 02.03.2019"),
    "sex": ("?", ""),
    "diagnosis": ("A01.1", "A01", "E11.9*", "HIV"),
    "charge": ("4200", "4000", "[4000, 4100)", "[150, 200)", "4,200", "~4200"),
    "ward": ("a3", "A", "a1 (Anna)"),
}


@pytest.mark.parametrize("space", EXPLORED)
def test_cells_that_the_schema_does_not_publish(releases: Path, tmp_path: Path, space: str) -> None:
    release = taken_apart(releases / f"{space}.csv")
    cells = [(column, cell) for column, each in FORGED.items() for cell in each]
    for number, (column, cell) in enumerate(cells):
        row, place = release.rows[number], release.column(column)
        release.rows[number] = (*row[:place], cell, *row[place + 1 :])
    write(release, tmp_path / "forged.csv")
    check = found(tmp_path / "forged.csv")
    assert (check.holds, check.found) == (False, len(cells)), check.reason
    for column, each in FORGED.items():
        assert f"column '{column}' has {len(each)} cells that the schema does not publish" in check.reason
        secret = SCHEMA["columns"][column]["role"] != "quasi"
        assert all((repr(cell) in check.reason) is not secret for cell in each)


def test_a_level_that_the_schema_does_not_allow(releases: Path, tmp_path: Path) -> None:
    """File and manifest may agree on a level below the lowest, or on one that the hierarchy lacks."""
    path = forged(releases, tmp_path, "lattice", "sex", "f")
    manifest = json.loads(beside(path).read_text())
    for level in (0, 9):
        manifest["recoding"]["levels"]["age"] = level
        sign(path, manifest)
        assert (
            f"the manifest states level {level} of 'age', but the schema allows levels 1 to 3"
            in found(path).reason
        )


def test_rows_in_a_folder_and_in_memory(releases: Path, tmp_path: Path) -> None:
    rows, names = taken_apart(releases / "lattice.csv").rows, taken_apart(releases / "lattice.csv").names
    place = names.index("diagnosis")
    columns = [list(column) for column in zip(*rows, strict=True)]
    columns[place][0] = "A01.1"
    (tmp_path / "parts").mkdir()
    for number, half in enumerate((slice(0, 100), slice(100, None))):
        part = pa.table({name: column[half] for name, column in zip(names, columns, strict=True)})
        parquet.write_table(part, tmp_path / "parts" / f"part-{number:05}.parquet")
    whole = pa.table(dict(zip(names, columns, strict=True)))
    manifest = read_manifest(beside(releases / "lattice.csv"), unescaped)
    assert manifest is not None
    with Database.opened() as database:
        folder = open_release(database, tmp_path / "parts", UNSTATED)
        assert check_cells(folder, schema_from(SCHEMA), manifest.recoding).found == 1
        frame = open_release(database, whole, UNSTATED)
        assert check_cells(frame, schema_from(SCHEMA), manifest.recoding).found == 1


def test_without_a_manifest_columns_at_a_level_are_judged(releases: Path, tmp_path: Path) -> None:
    path = forged(releases, tmp_path, "lattice", "charge", "4200")
    beside(path).unlink()
    assert "column 'charge' has 1 cell" in found(path).reason
    other = forged(releases, tmp_path, "lattice", "age", "41")
    beside(other).unlink()
    assert found(other).holds


def test_granules_and_free_cuts(tmp_path: Path) -> None:
    """With a granularity groups of cuts begin where granules do; without, anywhere."""
    entry = {"role": "quasi", "hierarchy": {"flat": True}, "type": "integer"}
    cells = ["<25", "[25, 30)", "[30, 41)", "41+", "any number", "[25, 30) (2)", "old … young"]
    path = tmp_path / "r.csv"
    write_table(path, ["age"], [[cell] for cell in cells])
    for granularity, right in (({}, 6), ({"granularity": 5}, 4)):
        schema = {"columns": {"age": {**entry, **granularity}}}
        with Database.opened() as database:
            table = open_release(database, path, UNSTATED)
            check = check_cells(table, schema_from(schema), Recoding(space="cuts"))
        assert check.found == len(cells) - right, check.reason


def test_what_is_missing_is_an_empty_cell(tmp_path: Path) -> None:
    """Another spelling of missing could carry information."""
    path = tmp_path / "r.csv"
    write_table(path, ["note", "mark"], [["x", "?"], ["?", "y"], ["", " "], [" ? ", "z"]])
    schema = {"null": ["?"], "columns": {"note": {"role": "other"}, "mark": {"role": "class"}}}
    check = found(path, schema)
    assert (check.holds, check.found) == (False, 4)
    assert "column 'note' has 2 cells" in check.reason
    assert "column 'mark' has 2 cells" in check.reason


@pytest.mark.parametrize("hierarchy", [{"intervals": [5, 10]}, {"flat": True}])
def test_no_set_begins_among_numbers_that_are_coded(tmp_path: Path, hierarchy: dict[str, Any]) -> None:
    """From 60 on, and below 21, all numbers are one: no cut separates them."""
    entry = {"role": "quasi", "type": "integer", "hierarchy": hierarchy, "top": 60, "bottom": 21}
    right = ["60+", "<21", "[21, 22)", "[38, 60)", "<33", "33+", "44", "any number"]
    wrong = ["93+", "[61, 93)", "[70, 75)", "<15", "[15, 30)", "[40, 61)", "93", "[2020-01-01, 2020-02-01)"]
    path = tmp_path / "r.csv"
    write_table(path, ["age"], [[cell] for cell in (*right, *wrong)])
    with Database.opened() as database:
        schema = schema_from({"columns": {"age": entry}})
        check = check_cells(open_release(database, path, UNSTATED), schema, Recoding(space="cuts"))
    assert check.found == len(wrong), check.reason
    assert not any(f"'{cell}'" in check.reason for cell in right)


def test_rounded_weights_are_multiples(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    for step, right, wrong in (
        (10, ["10", "120", "50.0"], ["123", "47", "0", "-10", " 10", "about 50"]),
        (0.5, ["0.5", "3"], ["0.7"]),
    ):
        write_table(path, ["w", "d"], [[cell, "x"] for cell in (*right, *wrong)])
        weight = {"role": "weight", "release": True, "round": step, "kept": "yes"}
        check = found(path, {"columns": {"w": weight, "d": {"role": "class"}}})
        assert check.found == len(wrong), check.reason
        assert check.reason.startswith(f"column 'w' has {len(wrong)} cell")
