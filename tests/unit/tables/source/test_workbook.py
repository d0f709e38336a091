"""Sheets of workbooks: which one is read, and what their cells become."""

from __future__ import annotations

import datetime as dt
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from paretonym.base.errors import InputError
from paretonym.tables.source.engines import read
from paretonym.tables.source.table_counts import Counts


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


def test_names_of_rows_have_a_column(tmp_path: Path) -> None:
    """As pandas' to_excel() writes them."""
    path = saved(tmp_path / "people.xlsx", people=[[None, "age"], [0, 20], [1, 30]])
    assert columns(read(path)) == {"row": ("text", ["0", "1"]), "age": ("text", ["20", "30"])}


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
    """The reader makes room for every cell up to it, in a process of its own, which may end as it likes."""
    path = with_cell(tmp_path / "corner.xlsx", place)
    with pytest.raises(
        InputError, match=r"the workbook needs more than 1\.0 GiB of memory; perhaps a cell is"
    ):
        read(path)


def rewritten(path: Path, part: str, old: bytes, new: bytes) -> Path:
    """A workbook in which a part says something else."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert old in parts[part]
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content.replace(old, new) if name == part else content)
    return path


@pytest.mark.parametrize("reach", [b"A1:XFD1048576", b"A1", b"C9:D9"])
def test_a_sheet_that_says_a_false_reach_is_read(tmp_path: Path, reach: bytes) -> None:
    """Only the cells' own references count."""
    path = saved(tmp_path / "people.xlsx", people=[["age", "ill"], ["5", "u"], ["6", "v"]])
    rewritten(path, "xl/worksheets/sheet1.xml", b'ref="A1:B3"', b'ref="' + reach + b'"')
    assert columns(read(path)) == {"age": ("text", ["5", "6"]), "ill": ("text", ["u", "v"])}


def test_damaged_headers_inside_are_the_users_fault(tmp_path: Path) -> None:
    """Each part's own header: the list at the end is whole."""
    path = saved(tmp_path / "people.xlsx", people=[["age", "ill"], ["5", "u"], ["6", "v"]])
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        places = [e.header_offset for e in archive.infolist() if e.filename.startswith(("xl/w", "xl/sh"))]
    for place in places:
        path.write_bytes(content[:place] + b"XX" + content[place + 2 :])
        with pytest.raises(InputError, match="the workbook is damaged, or of a kind that cannot be read"):
            read(path)


def test_a_workbook_that_takes_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path / "people.xlsx", people=[["age"], ["5"]])
    monkeypatch.setattr("paretonym.tables.source.workbook_cells.SECONDS", 0)
    with pytest.raises(InputError, match="the workbook takes too long to read; perhaps a cell is far from"):
        read(path)


def test_a_cell_beside_the_table_is_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="column 3 has no name"):
        read(with_cell(tmp_path / "near.xlsx", "C2"))


def test_a_text_of_many_megabytes_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = with_cell(tmp_path / "long.xlsx", "A5")
    monkeypatch.setattr("paretonym.tables.source.workbook.LARGEST_PART", 100)
    with pytest.raises(InputError, match="a part of the workbook has more than 0 MiB once it is unpacked"):
        read(path)
