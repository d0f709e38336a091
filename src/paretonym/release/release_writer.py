"""A release as a file, CSV, Parquet or Excel, or a folder of Parquet files: rows in blocks, nothing but
what the release shows.

The files of a folder follow each other by name, and rows are sorted as in one file. So neither the order of
rows nor the file that a row is in says anything about the input: both follow from the released rows alone.

A cell of a CSV file that a spreadsheet could take for a formula gets a leading apostrophe. So does a cell
that begins with apostrophes followed by such a formula, which would otherwise look the same. All values
remain distinct, and removing one apostrophe from such cells restores them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from paretonym.base.errors import Field, InputError
from paretonym.base.files import digest_of
from paretonym.release.csv_form import USUAL, CsvForm
from paretonym.release.released_rows import Released
from paretonym.release.workbook_file import WORKBOOK, write_workbook
from paretonym.tables.arrow import pa, parquet, pc

Made = TypeVar("Made")

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
    written = pc.if_else(pc.match_substring_regex(harmed, QUOTED), quoted, harmed)
    # A line with one cell must not be blank: readers would skip it.
    null = '""' if alone else ""
    every = pa.concat_arrays([written, pa.array([null], pa.large_string())])
    return _joined(every, LINE_END if last else form.separator)


def _joined(first: Any, second: Any) -> Any:
    kind = next(part.type for part in (first, second) if isinstance(part, pa.Array))
    parts = [pa.scalar(part, kind) if isinstance(part, str) else part for part in (first, second)]
    return pc.binary_join_element_wise(*parts, pa.scalar("", kind))


THREADS = 2
CSV_BLOCK = 1 << 17
PARQUET_BLOCK = 1 << 20
# Rows of one file of a folder.
PART_ROWS = 4 * PARQUET_BLOCK
PARQUET = ".parquet"


def ahead(make: Callable[[int], Made], starts: Sequence[int]) -> Iterator[Made]:
    """The results of `make`, in order; only the next ones are prepared while one is used.

    >>> list(ahead(lambda start: start * 2, range(3)))
    [0, 2, 4]
    """
    with ThreadPoolExecutor(THREADS) as beside:
        waiting = [beside.submit(make, start) for start in starts[:THREADS]]
        for place in range(len(starts)):
            made = waiting.pop(0).result()
            if place + THREADS < len(starts):
                waiting.append(beside.submit(make, starts[place + THREADS]))
            yield made


def is_folder(path: Path) -> bool:
    """True if the name, which has no ending, is that of a folder of Parquet files."""
    return path.name not in ("", "..") and not path.suffix


def check_kind(path: Path, parts: bool = True) -> None:
    """Refuse a name that says no kind of file, nor a folder where a release may have `parts`."""
    if path.suffix.lower() in WRITERS or (parts and is_folder(path)):
        return
    folder = ", or a name without an ending for a folder of Parquet files" if parts else ""
    raise InputError.of(
        Field("out", str(path)),
        "the name does not say which format to write",
        f"use a name that ends with .csv, .parquet or .xlsx{folder}",
    )


def write_release(released: Released, draft: Path, kind: str, form: CsvForm = USUAL) -> None:
    """Write a file; `kind` is the ending of its name, `form` that of a CSV file."""
    WRITERS[kind.lower()](released, draft, form)


def names_in_file(released: Released, kind: str) -> dict[str, str]:
    """The name of each column in the file: in a CSV file, a name must not run as a formula either."""
    rename: Callable[[str], str] = harmless_name if kind.lower() == ".csv" else str
    return {column.name: rename(column.name) for column in released.columns}


def arrow_table(released: Released) -> Any:
    """The release as an Arrow table of plain columns, without metadata."""
    return _block(released, 0, len(released))


def _block(released: Released, start: int, stop: int) -> Any:
    codes = released.rows(start, stop)
    cells = [column.cells(block) for column, block in zip(released.columns, codes, strict=True)]
    return pa.table(cells, names=[column.name for column in released.columns])


def write_parts(released: Released, folder: Path) -> dict[str, str]:
    """Write a release into an empty folder, some rows to a file; returns the digests of the files by name."""
    digests = {}
    starts = range(0, max(len(released), 1), PART_ROWS)
    for place, start in enumerate(starts):
        name = f"part-{place:0{max(5, len(str(len(starts))))}}{PARQUET}"
        write_release(released.part(start, start + PART_ROWS), folder / name, PARQUET)
        digests[name] = digest_of(folder / name)
    return digests


def folder_digest(digests: Mapping[str, str]) -> str:
    """The SHA-256 of a folder, given those of its files by name: that of the lines which `sha256sum *` prints
    there.

    >>> folder_digest({"a": "0" * 64})[:8]
    '53d743f3'
    """
    lines = "".join(f"{digests[name]}  {name}\n" for name in sorted(digests))
    return hashlib.sha256(lines.encode()).hexdigest()


def _write_csv(released: Released, draft: Path, form: CsvForm) -> None:
    """Write CSV in blocks of lines; each cell is made once for each value."""
    columns = released.columns
    form.check([(column.name, column.texts) for column in columns])
    last, alone = len(columns) - 1, len(columns) == 1
    header = [
        cells(pa.array([column.name]), place == last, alone, replace(form, decimal="."))[0].as_py()
        for place, column in enumerate(columns)
    ]
    written_cells = [cells(column.texts, place == last, alone, form) for place, column in enumerate(columns)]

    def lines(start: int) -> Any:
        block = released.rows(start, start + CSV_BLOCK)
        parts = [of.take(pa.array(codes)) for of, codes in zip(written_cells, block, strict=True)]
        joined = pc.binary_join_element_wise(*parts, pa.scalar("", pa.large_string()))
        return joined.buffers()[2]

    with draft.open("wb") as file:
        file.write(form.mark + form.encoded("".join(header).encode()))
        for written in ahead(lines, range(0, len(released), CSV_BLOCK)):
            file.write(form.encoded(written))


def _write_parquet(released: Released, draft: Path, form: CsvForm) -> None:
    types = pa.schema([pa.field(column.name, column.values.type) for column in released.columns])
    with parquet.ParquetWriter(draft, types, store_schema=False) as writer:
        starts = range(0, len(released), PARQUET_BLOCK)
        for table in ahead(lambda start: _block(released, start, start + PARQUET_BLOCK), starts):
            writer.write_table(table, row_group_size=PARQUET_BLOCK)


WRITERS: Mapping[str, Callable[[Released, Path, CsvForm], None]] = {
    ".csv": _write_csv,
    PARQUET: _write_parquet,
    WORKBOOK: lambda released, draft, form: write_workbook(released, draft),
}
