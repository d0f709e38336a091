"""The form in which a release is written: rows sorted, and in Parquet nothing beside the cells. The order of
rows, metadata and an unused dictionary entry can carry what the cells do not."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from paretonym.audit.checks import Check, passes
from paretonym.audit.released_table import CsvForm, ReleasedTable, is_parquet, unescaped
from paretonym.base.arrays import Mask
from paretonym.base.errors import InputError

BESIDE = "nothing beside the cells"
# A workbook as it is released: parts that are always the same, with their checksums, and one sheet.
WORKBOOK_SHEET = "xl/worksheets/sheet1.xml"
WORKBOOK_PARTS = {
    "[Content_Types].xml": 0x3AD01426,
    "_rels/.rels": 0x82C75906,
    "xl/workbook.xml": 0x244B3353,
    "xl/_rels/workbook.xml.rels": 0x7C3C6F9A,
}
SHEET_ROW = re.compile(
    r"""<\?xml version="1.0" encoding="UTF-8" standalone="yes"\?>\n<worksheet xmlns="[\w:/.]+"><sheetData>"""
    r"""|(<c/>|<c><v>[^<>]*</v></c>|<c t="inlineStr"><is><t xml:space="preserve">[^<]*</t></is></c>)*</row>"""
    r"(</sheetData></worksheet>)?"
)
MOST_SHEET_ROWS = 1 << 20
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def check_form(table: ReleasedTable, form: CsvForm, name: str = "") -> list[Check]:
    """The checks of the form; `name` tells several files of one release apart."""
    import pyarrow as pa

    if not table.files:
        return []
    suffix = f" of {name}" if name else ""
    try:
        faults = [f"{part.name}: {fault}" for part in table.files for fault in _faults(part)]
        # Of what type a column was, a CSV file does not say: it falls if it does as texts and as numbers.
        wrong = _falling(table, form, by_number=False)
        wrong &= _falling(table, form, by_number=True) if wrong else set()
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError):
        # Its errors quote what stands in the file.
        raise InputError.of(table.place, "it cannot be read row by row", "write the release again") from None
    reason = "rows are not sorted by all columns, so their order may reveal something"
    return [
        passes("file", f"rows sorted{suffix}", f"{reason}: '{table.names[min(wrong)]}'" if wrong else ""),
        passes("file", f"{BESIDE}{suffix}", "; ".join(faults)),
    ]


def _falling(table: ReleasedTable, form: CsvForm, by_number: bool) -> set[int]:
    """The columns in which rows fall that are equal in all before: texts by code points or numbers by size,
    empty cells last."""
    import pyarrow as pa
    from pyarrow import compute as pc

    falling: set[int] = set()
    last: list[Any] = []
    for file in table.files:
        for batch in _batches(file, form, len(table.names)):
            columns = [pa.concat_arrays(pair) for pair in zip(last, batch, strict=True)] if last else batch
            if not len(columns[0]):
                continue
            last = [column.slice(len(column) - 1) for column in columns]
            tied = np.ones(len(columns[0]) - 1, dtype=np.bool_)
            for place, column in enumerate(columns):
                now, before = column.slice(1), column.slice(0, len(column) - 1)
                if by_number:
                    numbers = _numbers(column)
                    less = ~(numbers[1:] >= numbers[:-1])
                else:
                    less = _mask(pc.less(now, before))
                less = ~_mask(pc.equal(now, "")) & (less | _mask(pc.equal(before, "")))
                falling |= {place} if (tied & less).any() else set()
                tied &= _mask(pc.equal(now, before))
                if not tied.any():
                    break
    return falling


def _mask(array: Any) -> Mask:
    mask: Mask = array.to_numpy(zero_copy_only=False)
    return mask


def _numbers(column: Any) -> Any:
    """The number of each text, NaN where there is none."""
    import pyarrow as pa
    from pyarrow import compute as pc

    texts = pc.if_else(pc.match_substring_regex(column, NUMBER), column, None)
    return pc.cast(texts, pa.float64()).to_numpy(zero_copy_only=False)


def _batches(file: Path, form: CsvForm, columns: int) -> Iterator[list[Any]]:
    """The rows of a file as they lie there, as arrays of texts, cells being as they are meant."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    from paretonym.tables.source import is_workbook

    if is_parquet(file):
        with parquet.ParquetFile(file) as content:
            for batch in content.iter_batches():
                yield [_texts(column) for column in batch.columns]
        return
    if is_workbook(file):
        for batch in _sheet_rows(file).to_batches():
            yield [_texts(column) for column in batch.columns]
        return
    names = [f"c{place}" for place in range(columns)]
    read = csv.ReadOptions(encoding=form.encoding or "utf-8", column_names=names, skip_rows_after_names=1)
    parse = csv.ParseOptions(delimiter=form.separator or ",", newlines_in_values=True)
    convert = csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
    with csv.open_csv(file, read_options=read, parse_options=parse, convert_options=convert) as reader:
        for batch in reader:
            yield [_meant(column) for column in batch.columns]


def _texts(column: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column.cast(pa.string()).fill_null("")


def _meant(column: Any) -> Any:
    import pyarrow as pa
    from pyarrow import compute as pc

    if not pc.any(pc.starts_with(column, "'")).as_py():
        return column
    return pa.array([unescaped(text) for text in column.to_pylist()], pa.string())


def _sheet_rows(file: Path) -> Any:
    """All rows of a sheet, as an Arrow table."""
    from paretonym.tables.source import FileForm, TableForm

    return FileForm.first_rows(file, TableForm(), MOST_SHEET_ROWS).combine_chunks()


def _faults(part: Path) -> Iterator[str]:
    from paretonym.tables.source import is_workbook

    if is_workbook(part):
        return workbook_faults(part)
    return parquet_faults(part) if is_parquet(part) else iter(())


def workbook_faults(part: Path) -> Iterator[str]:
    """Anything in a workbook but one sheet of cells: properties, styles, comments, further sheets, marks in
    the sheet that are no cells."""
    with zipfile.ZipFile(part) as book:
        for entry in book.infolist():
            if entry.comment or entry.extra or WORKBOOK_PARTS.get(entry.filename, entry.CRC) != entry.CRC:
                yield f"{entry.filename} holds more than leads to its table"
            elif entry.filename not in (*WORKBOOK_PARTS, WORKBOOK_SHEET):
                yield f"it contains {entry.filename} beside its table"
        sheet = book.read(WORKBOOK_SHEET).decode() if WORKBOOK_SHEET in book.namelist() else ""
    if book.comment or not all(map(SHEET_ROW.fullmatch, sheet.split("<row>"))):
        yield "its sheet contains more than cells"


def parquet_faults(part: Path) -> Iterator[str]:
    """Metadata beside the table, and dictionary entries that no row uses."""
    import pyarrow.parquet as parquet

    with parquet.ParquetFile(part) as file:
        if file.metadata.metadata or file.schema_arrow.metadata:
            yield "it contains metadata beside its table"
        if any(set(field.metadata or {}) - {b"PARQUET:field_id"} for field in file.schema_arrow):
            yield "a column contains metadata"
        texts = [field.name for field in file.schema_arrow if _is_text(field.type)]
    yield from (f"column '{name}' has dictionary entries that no row uses" for name in _unused(part, texts))


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    plain = kind.value_type if types.is_dictionary(kind) else kind
    return bool(types.is_string(plain) or types.is_large_string(plain))


def _unused(part: Path, texts: Sequence[str]) -> Iterator[str]:
    """The columns of texts with dictionary entries that no row of the file uses."""
    import pyarrow.parquet as parquet

    entries: dict[str, set[str]] = {name: set() for name in texts}
    used: dict[str, set[str]] = {name: set() for name in texts}
    with parquet.ParquetFile(part, read_dictionary=list(texts)) as file:
        for group in range(file.metadata.num_row_groups if texts else 0):
            columns = file.read_row_group(group, columns=list(texts))
            for name in texts:
                for chunk in columns.column(name).chunks:
                    entries[name].update(chunk.dictionary.to_pylist())
                    used[name].update(chunk.dictionary.take(chunk.indices.unique().drop_null()).to_pylist())
    yield from (name for name in texts if entries[name] - used[name])
