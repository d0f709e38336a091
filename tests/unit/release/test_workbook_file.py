"""A release as a workbook: every cell as it is, nothing beside the cells, and an audit that sees more."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

import paretonym as pn

SCHEMA = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
        "code": {"role": "other", "kept": "yes"},
        "cost": {"role": "sensitive", "type": "decimal", "level": 1, "hierarchy": {"intervals": [10]}},
    }
}
CODES = ["01067", "=1+1", " a<b & c", "-5", "1e5", "ü\n2", "99999999999999999"]


@pytest.fixture
def solution() -> pn.Solution:
    rows = 70
    frame = pd.DataFrame(
        {
            "age": [30 + place % 7 for place in range(rows)],
            "code": [CODES[place % 7] for place in range(rows)],
            "cost": [None if place % 5 == 0 else str(place % 7 / 4) for place in range(rows)],
        }
    )
    run = pn.Study(frame, {**SCHEMA, "missing": "value"}).explore("k", "loss", space="lattice")
    return run.ask(at_most={"loss": 0}, best="k")


def test_a_workbook_holds_the_rows_of_the_csv_file(solution: pn.Solution, tmp_path: Path) -> None:
    solution.release(tmp_path / "a.xlsx")
    solution.release(tmp_path / "a.csv")
    names = ["age", "code", "cost"]
    written = pd.read_csv(tmp_path / "a.csv", dtype=str, keep_default_na=False)
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    assert sheet is not None
    head, *rows = sheet.iter_rows(values_only=True)
    assert list(head) == list(written.columns) == names
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    assert cells == [["=1+1" if cell == "'=1+1" else cell for cell in row] for row in written.to_numpy()]
    assert {type(row[0]) for row in rows} == {int}
    assert {type(row[1]) for row in rows} == {str}


def test_it_is_audited_and_the_same_bytes_again(solution: pn.Solution, tmp_path: Path) -> None:
    solution.release(tmp_path / "a.xlsx")
    solution.release(tmp_path / "b.xlsx")
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()
    assert pn.audit(tmp_path / "a.xlsx")


def _changed(path: Path, part: str, text: str, by: str) -> None:
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name).decode() for name in book.namelist()}
    parts[part] = parts.get(part, "").replace(text, by, 1)
    with zipfile.ZipFile(path, "w") as book:
        for name, content in parts.items():
            book.writestr(name, content)


@pytest.mark.parametrize(
    ("part", "text", "by", "fault"),
    [
        ("docProps/core.xml", "", "<a>Smith</a>", "it contains docProps/core.xml beside its table"),
        ("xl/workbook.xml", "release", "of Smith", "xl/workbook.xml holds more than leads to its table"),
        ("xl/worksheets/sheet1.xml", "<row>", "<!-- Smith --><row>", "its sheet contains more than cells"),
        ("xl/worksheets/sheet1.xml", "<c/>", '<c s="4"/>', "its sheet contains more than cells"),
        ("xl/worksheets/sheet1.xml", "<row>", '<row ht="2">', "its sheet contains more than cells"),
    ],
)
def test_what_is_beside_the_cells_is_found(
    solution: pn.Solution, tmp_path: Path, part: str, text: str, by: str, fault: str
) -> None:
    solution.release(tmp_path / "a.xlsx")
    _changed(tmp_path / "a.xlsx", part, text, by)
    failed = {check.name: check.reason for check in pn.audit(tmp_path / "a.xlsx").failed}
    assert failed["nothing beside the cells"] == f"a.xlsx: {fault}"


def test_unsorted_rows_are_found(solution: pn.Solution, tmp_path: Path) -> None:
    solution.release(tmp_path / "a.xlsx")
    shutil.copyfile(tmp_path / "a.xlsx", tmp_path / "b.xlsx")
    with zipfile.ZipFile(tmp_path / "b.xlsx") as book:
        _head, first, *rows = book.read("xl/worksheets/sheet1.xml").decode().split("<row>")[1:]
    _changed(tmp_path / "a.xlsx", "xl/worksheets/sheet1.xml", f"<row>{first}", "")
    _changed(
        tmp_path / "a.xlsx", "xl/worksheets/sheet1.xml", f"<row>{rows[-2]}", f"<row>{rows[-2]}<row>{first}"
    )
    assert "rows sorted" in [check.name for check in pn.audit(tmp_path / "a.xlsx").failed]


def test_what_a_workbook_cannot_hold_is_refused(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": ["1", "1"], "code": ["a\x01", "b"]})
    schema = {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"flat": True}},
            "code": {"role": "other", "kept": "yes"},
        }
    }
    run = pn.Study(frame, schema).explore("k", "loss", space="lattice")
    with pytest.raises(pn.InputError, match="column 'code' has characters that a workbook cannot hold"):
        run[0].release(tmp_path / "a.xlsx")
    assert not list(tmp_path.iterdir())
