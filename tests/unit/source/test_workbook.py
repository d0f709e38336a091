"""Sheets of workbooks: which one is read, and what their cells become."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from paretonym.errors import InputError
from paretonym.source.engines import read
from paretonym.source.table_counts import Counts


def saved(path: Path, **sheets: list[list[Any]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def columns(table: Counts) -> dict[str, tuple[str, list[str | None]]]:
    texts = {each.name: (*each.texts, None) for each in table.columns}
    return {each.name: (each.type, [texts[each.name][code] for code in each.codes]) for each in table.columns}


def test_every_cell_is_written_by_itself(tmp_path: Path) -> None:
    rows: list[list[Any]] = [
        ["age", "bmi", "born", "seen", "smokes", "zip", "mixed"],
        [37, 22.5, dt.date(2024, 2, 29), dt.datetime(2024, 2, 29, 12, 30), True, "01234", 1.0],
        [38, None, dt.datetime(1969, 12, 31), None, False, "12345", "x"],
        [],
        [39, 1, None, dt.datetime(2024, 2, 29), None, None, True],
    ]
    assert columns(read(saved(tmp_path / "people.xlsx", people=rows))) == {
        "age": ("text", ["37", "38", "39"]),
        "bmi": ("text", ["22.5", None, "1"]),
        "born": ("text", ["2024-02-29", "1969-12-31", None]),
        "seen": ("text", ["2024-02-29T12:30:00", None, "2024-02-29"]),
        "smokes": ("text", ["true", "false", None]),
        "zip": ("text", ["01234", "12345", None]),
        "mixed": ("text", ["1", "x", "true"]),
    }


def test_the_only_visible_sheet_with_cells_is_read(tmp_path: Path) -> None:
    path = saved(tmp_path / "people.xlsx", people=[["a", None], ["x", None]], empty=[], hidden=[["b"], ["y"]])
    book = openpyxl.load_workbook(path)
    book["hidden"].sheet_state = "hidden"
    book.save(path)
    assert read(path).names == ("a",)
    assert read(path, table="hidden").names == ("b",)
    assert dict(read(path, table="hidden").selection) == {"table": "hidden"}


@pytest.mark.parametrize(
    ("sheets", "sheet", "words"),
    [
        (
            {"A": [["a"], [1]], "B": [["b"], [2]]},
            None,
            "people.xlsx: 2 of its sheets have cells: 'A', 'B'; say which it is (table=A)",
        ),
        (
            {"About": [["a"], [1]], "Data": [["b", "c"], [2, 3], [3, 4]], "More": [["c"], [4]]},
            None,
            "people.xlsx: 3 of its sheets have cells: 'About', 'Data', 'More'; say which it is "
            "(table='Data')",
        ),
        (
            {"A": [["a"], [1]]},
            "C",
            "people.xlsx: there is no sheet called 'C'; its sheets are 'A'",
        ),
        ({"A": []}, None, "people.xlsx: its sheets are empty; give a workbook with rows"),
        (
            {"A": [["a"]]},
            None,
            "people.xlsx, sheet 'A': there is a header but there are no rows; give a sheet with a header and "
            "rows",
        ),
        (
            {"A": [["a", None], [1, "secret"]]},
            None,
            "people.xlsx, sheet 'A', header: column 2 has no name; give every column a different name; if "
            "the first line of a file is data, add a header above it",
        ),
    ],
)
def test_what_cannot_be_read_is_refused(
    tmp_path: Path, sheets: dict[str, list[list[Any]]], sheet: str | None, words: str
) -> None:
    path = saved(tmp_path / "people.xlsx", **sheets)
    with pytest.raises(InputError) as error:
        read(path, table=sheet)
    assert str(error.value) == words.replace("people.xlsx", str(path))


def test_a_sheet_is_asked_of_workbooks_alone(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="this is for tables in a database, and the data are not the"):
        read(path, table="A")


def with_cell(path: Path, place: str) -> Path:
    """A small workbook, with one further cell."""
    book = openpyxl.Workbook()
    for row in (["age", "ill"], ["5", "u"], ["6", "v"]):
        book.active.append(row)
    book.active[place] = "x"
    book.save(path)
    return path


@pytest.mark.parametrize("place", ["XFD1048576", "ZZ100000"])
def test_a_cell_far_away_is_refused(tmp_path: Path, place: str) -> None:
    """A reader would make room for every cell up to it."""
    path = with_cell(tmp_path / "corner.xlsx", place)
    with pytest.raises(InputError, match=r"a sheet reaches over [\d,]+ cells, most of them empty"):
        read(path)


def test_a_cell_beside_the_table_is_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="column 3 has no name"):
        read(with_cell(tmp_path / "near.xlsx", "C2"))


def test_a_text_of_many_megabytes_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = with_cell(tmp_path / "long.xlsx", "A5")
    monkeypatch.setattr("paretonym.source.workbook.LARGEST_PART", 100)
    with pytest.raises(InputError, match="a part of the workbook has more than 0 MiB once it is unpacked"):
        read(path)
