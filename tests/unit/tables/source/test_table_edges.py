"""Titles above the header and sums below the rows: seen where they are, never where people are."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from paretonym.base.errors import InputError
from paretonym.tables.source import FileForm, TableForm
from paretonym.tables.source.engines import Wanted, open_source, read

ROWS = "".join(f"{name};{number};2\n" for number, name in enumerate("abcdefgh"))


@pytest.mark.parametrize(
    ("above", "below", "edges"),
    [
        ("name;age;n\n", "", (None, None)),
        ("Patients of 2023\n\nname;age;n\n", "", (3, None)),
        ("Patients of 2023;;\nas of May;;\nname;age;n\n", "Sum;;16\n", (3, 1)),
        ("Patients;of;2023;all\nname;age;n\n", "", (None, None)),
        ("name;age;n\n", "Total;;16\n\nSource: clinic\n", (None, 2)),
        # A person without an age, whose name is Sum and nobody lacks anything, and one without a name.
        ("name;age;n\n", "x;;1\n", (None, None)),
        ("name;age;n\n", "Sum;1;1\n", (None, None)),
        ("name;age;n\n", ";1;1\n", (None, None)),
        # A person whose record was cut off, and a note of one cell.
        ("name;age;n\n", "x;1\n", (None, None)),
        ("name;age;n\n", "17\n", (None, None)),
        ("name;age;n\n", "Preliminary\n", (None, 1)),
        # An index without a name, as pandas writes it, and a file without a header.
        (";age;n\n", "", (None, None)),
        ("Title\n1;2;3\n", "", (None, None)),
        # A last record of several lines.
        ("name;age;n\n", '"x\ny\nz";1;2\n', (None, None)),
    ],
)
def test_what_lies_above_and_below(
    tmp_path: Path, above: str, below: str, edges: tuple[int | None, int | None]
) -> None:
    path = tmp_path / "people.csv"
    path.write_text(above + ROWS + below)
    form = FileForm.of(path)
    assert (form.header_row, form.footer_rows) == edges
    assert form.separator == ";"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_same_table_with_and_without_titles(tmp_path: Path, encoding: str) -> None:
    plain, titled = tmp_path / "plain.csv", tmp_path / "titled.csv"
    table = "name;größe\n" + "".join(f"ü{number};{number}\n" for number in range(50))
    plain.write_text(table, encoding="utf-8")
    titled.write_text(f"Übersicht\n\n{table}Summe;\n\n", encoding=encoding)
    form = FileForm.seen(titled, TableForm())
    assert (form.header_row, form.footer_rows) == (3, 1)
    counted = open_source(titled, Wanted(), form=form)
    assert counted.fingerprint == read(plain).fingerprint
    assert counted.form == form
    # Faults are named by the lines of the file.
    titled.write_text("Title\n\nname;size\na;1\nb;2;3\nSum;\n")
    with pytest.raises(InputError, match="line 5: the header has 2 fields, this line has 3 fields"):
        read(titled, header_row=3, footer_rows=1)


def test_what_is_left_out_leaves_something(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a,b\n1,2\n")
    for key, number in (("header_row", 9), ("footer_rows", 2), ("header_row", 0), ("footer_rows", -1)):
        with pytest.raises(InputError, match=key):
            open_source(path, Wanted(), form=TableForm.of({key: number}))
    assert read(path, footer_rows=0).rows == 1


def test_the_sheet_with_the_table_is_first(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    cover, data = book.active, book.create_sheet("data")
    for line in range(40):
        cover.append([f"note {line}"])
    for row in (
        [],
        ["People"],
        ["id", "age", "sex"],
        *([n, n + 20, "f"] for n in range(10)),
        ["Sum", None, 10],
    ):
        data.append(row)
    book.save(path := tmp_path / "people.xlsx")
    form = FileForm.of(path)
    assert form.sheets == ("data", "Sheet")
    assert form.told(TableForm()) == TableForm(sheet="data", header_row=3, footer_rows=1)
    counted = open_source(path, Wanted(), form=form.told(TableForm()))
    assert (counted.names, counted.rows) == (("id", "age", "sex"), 10)
    assert dict(counted.selection) == {"table": "data"}
