"""A release as a file: CSV or Parquet, rows in blocks, nothing in it but what the release shows.

A cell of a CSV file that a spreadsheet could take for a formula gets a leading apostrophe. So does a cell
that begins with apostrophes followed by such a formula, which would otherwise look the same. All values
remain distinct, and removing one apostrophe from such cells restores them.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from paretonym.arrays import Codes
from paretonym.arrow import pa, parquet, pc
from paretonym.errors import Field, InputError
from paretonym.release.csv_form import USUAL, CsvForm
from paretonym.release.released_categories import Categories
from paretonym.release.released_rows import Released, ReleasedColumn, ahead

# Leading blanks are allowed: some programs remove them. Full-width characters are read as their usual forms.
FORMULA = r"^['\s\x{a0}\x{feff}\x{3000}]*[=+\-@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}]|^'*[\t\r\n]"
NUMBER = r"^[+-]?([0-9][0-9.,]*|[.,][0-9]+)([eE][+-]?[0-9]+)?%?$"
# Quoted also for the sake of programs that expect another separator.
QUOTED = r"""[",;|\t\r\n]|^\s|\s$"""
LINE_END = "\n"


def harmless(texts: Any) -> Any:
    """The texts of an Arrow array, none of which a spreadsheet runs; numbers stay as they are.

    >>> harmless(pa.array(["=1+1", "'=1+1", "-5", "+49 30", "a=b"])).to_pylist()
    ["'=1+1", "''=1+1", '-5', "'+49 30", 'a=b']
    """
    runs = pc.and_not(pc.match_substring_regex(texts, FORMULA), pc.match_substring_regex(texts, NUMBER))
    if not pc.any(runs).as_py():
        return texts
    return pc.if_else(runs, _joined("'", texts), texts)


def harmless_name(name: str) -> str:
    return str(harmless(pa.array([name]))[0].as_py())


def cells(texts: Any, last: bool, alone: bool, form: CsvForm = USUAL) -> Any:
    """The cell in a file for each text and, last, for a null; with the separator or line end.

    >>> cells(pa.array(["a", 'b"c']), last=False, alone=False).to_pylist()
    ['a,', '"b""c",', ',']
    """
    harmed = form.numbers(harmless(texts)).cast(pa.large_string())
    quoted = _joined(_joined('"', pc.replace_substring(harmed, '"', '""')), '"')
    shown = pc.if_else(pc.match_substring_regex(harmed, QUOTED), quoted, harmed)
    # A line with one cell must not be blank: readers would skip it.
    null = '""' if alone else ""
    every = pa.concat_arrays([shown, pa.array([null], pa.large_string())])
    return _joined(every, LINE_END if last else form.separator)


def _joined(first: Any, second: Any) -> Any:
    kind = next(part.type for part in (first, second) if isinstance(part, pa.Array))
    parts = [pa.scalar(part, kind) if isinstance(part, str) else part for part in (first, second)]
    return pc.binary_join_element_wise(*parts, pa.scalar("", kind))


CSV_BLOCK = 1 << 17
PARQUET_BLOCK = 1 << 20
# A longer dictionary would be written again with every block.
LONGEST_DICTIONARY = 1 << 14
# Where Arrow keeps the types of a Parquet file.
DECLARED = "ARROW:schema"
# Texts in a file are stored as categories are, whatever they are declared to be.
TEXTS = Categories()


def is_folder(path: Path) -> bool:
    """Whether the name, which has no ending, is that of a folder of Parquet files."""
    return path.name not in ("", "..") and not path.suffix


def check_kind(path: Path, parts: bool = True) -> None:
    """Refuse a name that says neither CSV nor Parquet, nor a folder where a release may have `parts`."""
    if path.suffix.lower() in WRITERS or (parts and is_folder(path)):
        return
    folder = ", or a name without an ending for a folder of Parquet files" if parts else ""
    raise InputError.of(
        Field("out", str(path)),
        "the name does not say which format to write",
        f"use a name that ends with .csv or .parquet{folder}",
    )


def write_release(released: Released, draft: Path, kind: str, form: CsvForm = USUAL) -> None:
    """Write a file; `kind` is the ending of its name, `form` that of a CSV file."""
    WRITERS[kind.lower()](released, draft, form)


def names_in_file(released: Released, kind: str) -> dict[str, str]:
    """The name of each column in the file: in a CSV file, a name must not run as a formula either."""
    rename: Callable[[str], str] = harmless_name if kind.lower() == ".csv" else str
    return {column.name: rename(column.name) for column in released.columns}


def arrow_types(released: Released) -> Any:
    """The columns of a release in Arrow, without metadata."""
    return pa.schema([pa.field(column.name, column.values.type) for column in released.columns])


def arrow_batches(released: Released) -> Iterator[Any]:
    """The rows of a release in Arrow, as plain columns, block by block."""
    for block in released.blocks():
        cells = [_plain(column, codes) for column, codes in zip(released.columns, block, strict=True)]
        yield pa.record_batch(cells, schema=arrow_types(released))


def arrow_table(released: Released) -> Any:
    """The release as an Arrow table without metadata: plain columns, and categories where those of the input
    were some."""
    table = pa.Table.from_batches(arrow_batches(released), schema=arrow_types(released))
    for place, column in enumerate(released.columns):
        if (categories := column.categories) is not None:
            indices = pc.index_in(table.column(place).combine_chunks(), value_set=column.values)
            table = table.set_column(place, column.name, categories.array(column.values, indices))
    return table


def _write_csv(released: Released, draft: Path, form: CsvForm) -> None:
    """Write CSV in blocks of lines; each cell is made once for each value."""
    columns = released.columns
    form.check([(column.name, column.texts) for column in columns])
    last, alone = len(columns) - 1, len(columns) == 1
    header = [
        cells(pa.array([column.name]), place == last, alone, replace(form, decimal="."))[0].as_py()
        for place, column in enumerate(columns)
    ]
    shown = [cells(column.texts, place == last, alone, form) for place, column in enumerate(columns)]

    def lines(start: int) -> Any:
        block = released.codes(start, start + CSV_BLOCK)
        parts = [of.take(pa.array(codes)) for of, codes in zip(shown, block, strict=True)]
        joined = pc.binary_join_element_wise(*parts, pa.scalar("", pa.large_string()))
        return joined.buffers()[2]

    with draft.open("wb") as file:
        file.write(form.mark + form.encoded("".join(header).encode()))
        for written in ahead(lines, range(0, len(released), CSV_BLOCK)):
            file.write(form.encoded(written))


def _write_parquet(released: Released, draft: Path, form: CsvForm) -> None:
    schema = pa.schema([pa.field(column.name, _stored(column)) for column in released.columns])
    # Without Arrow's own copy of the schema, in which all texts would be categories.
    with parquet.ParquetWriter(draft, schema, store_schema=False) as writer:

        def batch(start: int) -> Any:
            block = released.codes(start, start + PARQUET_BLOCK)
            arrays = [_array(column, codes) for column, codes in zip(released.columns, block, strict=True)]
            return pa.table(arrays, schema=schema)

        for table in ahead(batch, range(0, len(released), PARQUET_BLOCK)):
            writer.write_table(table, row_group_size=PARQUET_BLOCK)
        if any(column.categories and _short(column) for column in released.columns):
            writer.add_key_value_metadata(_declared(released))


def _declared(released: Released) -> dict[str, bytes]:
    """What tells readers which columns are categories: the types in Arrow. Others find plain columns."""
    shown = pa.schema([pa.field(column.name, _shown(column)) for column in released.columns])
    return {DECLARED: base64.b64encode(shown.serialize().to_pybytes())}


def _shown(column: ReleasedColumn) -> Any:
    if column.categories is not None and _short(column):
        return column.categories.type(column.values)
    return pa.string() if column.is_text else column.values.type


WRITERS: Mapping[str, Callable[[Released, Path, CsvForm], None]] = {
    ".csv": _write_csv,
    ".parquet": _write_parquet,
}


def _stored(column: ReleasedColumn) -> Any:
    if not _short(column):
        return column.values.type
    return (column.categories or TEXTS).type(column.values)


def _short(column: ReleasedColumn) -> bool:
    return column.is_text and len(column) <= LONGEST_DICTIONARY


def _array(column: ReleasedColumn, codes: Codes) -> Any:
    if not _short(column):
        return _plain(column, codes)
    return (column.categories or TEXTS).array(column.values, _indices(column, codes))


def _plain(column: ReleasedColumn, codes: Codes) -> Any:
    return column.values.take(_indices(column, codes))


def _indices(column: ReleasedColumn, codes: Codes) -> Any:
    null = np.asarray(codes == len(column))
    return pa.array(codes, mask=null) if null.any() else pa.array(codes)
