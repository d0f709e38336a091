"""A release as an Excel workbook: one sheet, written here so that nothing but the cells is in it: no author,
no time, no style, no list of texts with entries that no cell uses.

A column of numbers holds numbers; every other cell is a text, also one that begins with "=": a workbook says
of each cell what it is, so no program runs it as a formula.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from paretonym.base.errors import Field, InputError
from paretonym.release.released_rows import Released

WORKBOOK = ".xlsx"
MOST_ROWS, MOST_COLUMNS, LONGEST_CELL = 1_048_575, 16_384, 32_767
BLOCK = 1 << 14
# Digits beyond the fifteenth are lost in a workbook, and zeros at the ends.
NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,14})|-?(?=[0-9.]{3,16}$)(0|[1-9][0-9]*)\.[0-9]*[1-9]")
# What XML cannot hold or changes, and what Excel reads as an escape.
UNWRITABLE = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]|_x[0-9A-Fa-f]{4}_")
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
CONTENT = "application/vnd.openxmlformats-officedocument.spreadsheetml"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
SHEET = "xl/worksheets/sheet1.xml"
# Everything around the one sheet.
PARTS = {
    "[Content_Types].xml": (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{CONTENT}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{CONTENT}.worksheet+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{LINKS}"><Relationship Id="rId1" Type="{OFFICE}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets><sheet name="release" sheetId="1" '
        'r:id="rId1"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{LINKS}"><Relationship Id="rId1" Type="{OFFICE}/worksheet" '
        'Target="worksheets/sheet1.xml"/></Relationships>'
    ),
}


def write_workbook(released: Released, draft: Path) -> None:
    """Write a release as a workbook of one sheet."""
    _check(released)
    parts = {**{name: HEAD + text for name, text in PARTS.items()}, SHEET: "".join(_sheet(released))}
    with zipfile.ZipFile(draft, "w") as book:
        for name, text in parts.items():
            # Always of the same time.
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            book.writestr(entry, text.encode(), zipfile.ZIP_DEFLATED)


def _sheet(released: Released) -> Iterator[str]:
    """The sheet as XML, in blocks of rows; each cell is made once for each value."""
    cells = [_cells(column.texts.to_pylist()) for column in released.columns]
    header = "".join(_text_cell(column.name) for column in released.columns)
    yield f'{HEAD}<worksheet xmlns="{MAIN}"><sheetData><row>{header}</row>'
    for start in range(0, len(released), BLOCK):
        block = [codes.tolist() for codes in released.rows(start, start + BLOCK)]
        rows = zip(
            *([of[code] for code in codes] for of, codes in zip(cells, block, strict=True)), strict=True
        )
        yield "".join(f"<row>{''.join(row)}</row>" for row in rows)
    yield "</sheetData></worksheet>"


def _cells(texts: list[str]) -> list[str]:
    """The cell of each value and, last, of a null: numbers if all values are written as a workbook would."""
    if all(map(NUMBER.fullmatch, texts)):
        return [*(f"<c><v>{text}</v></c>" for text in texts), "<c/>"]
    return [*map(_text_cell, texts), "<c/>"]


def _text_cell(text: str) -> str:
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'


def _check(released: Released) -> None:
    """Refuse what a workbook cannot hold; no value is shown."""
    if len(released) > MOST_ROWS or len(released.columns) > MOST_COLUMNS:
        raise _refused(f"a sheet holds at most {MOST_ROWS:,} rows and {MOST_COLUMNS:,} columns")
    for column in released.columns:
        if any(len(text) > LONGEST_CELL for text in column.texts.to_pylist()):
            raise _refused(f"column '{column.name}' has texts of more than {LONGEST_CELL:,} characters")
        if any(UNWRITABLE.search(text) for text in [column.name, *column.texts.to_pylist()]):
            raise _refused(f"column '{column.name}' has characters that a workbook cannot hold")


def _refused(wrong: str) -> InputError:
    return InputError.of(Field("out"), wrong, "write .csv or .parquet")
