"""Checks of checklists on small releases, each beside what is known of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow
import pytest

from paretonym.report.checklist_findings import MET, NOT_MET, PERSON, CheckedList, Evidence, check_release
from paretonym.study.study import Study
from paretonym.tables.schema.policies import read_checklist

ROWS = 60
COLUMNS: dict[str, list[str]] = {
    "age": [str(30 + i % 10 * 7) for i in range(ROWS)],
    "zip": [("03601", "94110", "94117", "10001")[i % 4] for i in range(ROWS)],
    "admitted": [f"2020-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(ROWS)],
    "city": [("Berlin", "Bonn", "Paris")[i % 3] for i in range(ROWS)],
    "illness": [("flu", "cold", "gout")[i % 3] for i in range(ROWS)],
}
SCHEMA: dict[str, Any] = {
    "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10, 20, 60]}},
    "zip": {"role": "quasi", "hierarchy": {"keep": [3, 2]}},
    "admitted": {"role": "quasi", "type": "date", "hierarchy": {"date": ["month", "year"]}},
    "city": {"role": "quasi", "hierarchy": {"tree": {"Germany": ["Berlin", "Bonn"], "France": ["Paris"]}}},
    "illness": {"role": "sensitive"},
}


def checked(tmp_path: Path, item: str, **changes: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The status of one item for the release at the levels of the columns, 0 unless given."""
    path = tmp_path / "own.toml"
    path.write_text(f'title = "own"\nsource = "us"\n[[item]]\ntext = "it"\n{item}\n')
    levels = changes.pop("levels", {})
    pinned = {name: {**spec, "levels": [levels.get(name, 0)] * 2} if spec["role"] == "quasi" else spec
              for name, spec in {**SCHEMA, **changes}.items()}  # fmt: skip
    table = pyarrow.table({name: COLUMNS[name] for name in pinned})
    run = Study(table, {"columns": pinned}).explore("k", "loss", suppress=0, space="lattice")
    assert run.data is not None
    result: CheckedList = check_release(read_checklist(str(path)), Evidence(run.data, run[0]))
    (finding,) = result.findings
    return finding.status, finding.evidence


@pytest.mark.parametrize(
    ("item", "levels", "status", "words"),
    [
        ("oldest = 89", {}, NOT_MET, "1 labels show ages over 89 apart."),
        # Of 30, 37 … 93 the last is alone in [90, 100) and shares [80, 100) with 86.
        ("oldest = 89", {"age": 1}, MET, "0 labels show ages over 89 apart."),
        ("oldest = 80", {"age": 1}, NOT_MET, "2 labels show ages over 80 apart."),
        ("oldest = 80", {"age": 2}, MET, "0 labels show ages over 80 apart."),
        ("postal = 3", {}, NOT_MET, "4 of 4 postal codes show more than 3 digits"),
        ("postal = 3", {"zip": 1}, MET, "0 of 3 postal codes"),
        ('postal = 3\nsparse = ["036"]', {"zip": 1}, NOT_MET, "1 lie in sparse areas."),
        ('postal = 3\nsparse = ["036"]', {"zip": 3}, MET, "No column is called a postal code."),
        ('dates = "year"', {}, NOT_MET, "Columns with dates finer than a year: admitted."),
        ('dates = "year"', {"admitted": 1}, NOT_MET, "finer than a year"),
        ('dates = "year"', {"admitted": 2}, MET, "No label of 5 columns"),
        ('words = ["city"]', {}, NOT_MET, "Columns that look like it: city."),
        ('words = ["city"]', {"city": 1}, PERSON, "Generalized"),
        ('words = ["city"]', {"city": 2}, MET, "None of 4 columns"),
        ('limit = "k>=2"', {}, NOT_MET, "k is 1; the item asks for k at least 2."),
        ('limit = "k>=2"', dict.fromkeys(SCHEMA, 9), MET, "k is 60"),
        ('limit = "k>=2"\nperson = true', dict.fromkeys(SCHEMA, 9), PERSON, "k is 60"),
        ('limit = "k-map>=2"', {}, PERSON, "Not measured: "),
        ('criterion = "inference"', {}, PERSON, "Not measured: the run has no control group."),
        ("person = true", {}, PERSON, ""),
    ],
)
def test_an_item(tmp_path: Path, item: str, levels: dict[str, int], status: str, words: str) -> None:
    heights = {"age": 4, "zip": 3, "admitted": 3, "city": 2}
    least = {name: min(level, heights[name]) for name, level in levels.items() if name in heights}
    found, evidence = checked(tmp_path, item, levels=least)
    assert found == status, evidence
    assert words in " ".join(evidence)


def test_rows_that_are_not_people_meet_no_limit(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('title = "own"\nsource = "us"\n[[item]]\ntext = "it"\nlimit = "k>=2"\n')
    columns = {name: {**spec, "levels": [1, 1]} if spec["role"] == "quasi" else spec
               for name, spec in SCHEMA.items() if name in ("city", "illness")}  # fmt: skip
    table = pyarrow.table({name: COLUMNS[name] for name in columns})
    run = Study(table, {"rows": "events", "columns": columns}).explore(
        "k", "loss", suppress=0, space="lattice"
    )
    assert run.data is not None
    (finding,) = check_release(read_checklist(str(path)), Evidence(run.data, run[0])).findings
    assert finding.status == PERSON
    assert "rows are not people here" in finding.evidence[0]


def test_values_that_look_like_telephone_numbers(tmp_path: Path) -> None:
    phones = [f"+49 30 {123400 + i % 5}" for i in range(ROWS)]
    COLUMNS["contact"] = phones
    try:
        found, evidence = checked(
            tmp_path, 'patterns = ["telephone numbers"]', contact={"role": "other", "kept": "yes"}
        )
    finally:
        del COLUMNS["contact"]
    assert (found, evidence) == (NOT_MET, ("Columns that look like it: contact.",))
