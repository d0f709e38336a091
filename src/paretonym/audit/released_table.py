"""A finished table in a database of the audit: one or several files, or whatever `source` reads; its cells as
texts, and its distinct rows with counts.

Whoever gets a folder gets all of it. So an audit reads all of it, or refuses: a file that readers pass over
(`_old.parquet`, `.part.crc`), a folder inside and a part with other columns are mistakes, not details.
"""

from __future__ import annotations

import csv
import glob
import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from paretonym.audit.audit_database import Database, listed, reading
from paretonym.audit.stated_form import SEPARATORS, UNSTATED, CsvForm, unescaped, unescaped_cell
from paretonym.data_address import check_local
from paretonym.errors import InputError, printable, shown
from paretonym.sql_literals import sql_text

PARQUET, ENDINGS, PATTERN_MARKS = b"PAR1", (".parquet", ".csv"), "*?["
# What Spark leaves behind when it is done: an empty file.
DONE = "_SUCCESS"
KINDS = "give a CSV or Parquet file, or a folder of them"
ALL_OF_IT = "an audit must cover everything that is handed over: move it away, or audit it separately"
FLOATS = ("DOUBLE", "FLOAT")
MISSING = "(missing)"


@dataclass(frozen=True, eq=False)
class ReleasedTable:
    """A finished table. The view `view` of the database has its columns as texts, called c0, c1, …, in the
    order of the file, a null being an empty text. `names` are those of the header, as they were before they
    were made harmless; `floats` the columns that hold floats. What is no file has no `parts`."""

    place: str
    path: Path
    parts: tuple[Path, ...]
    names: tuple[str, ...]
    view: str
    database: Database
    floats: frozenset[str] = frozenset()
    form: CsvForm = UNSTATED

    @property
    def is_csv(self) -> bool:
        return bool(self.parts) and not is_parquet(self.parts[0])

    def column(self, name: str) -> str:
        return f"c{self.names.index(name)}"

    @property
    def columns(self) -> list[str]:
        return [f"c{place}" for place in range(len(self.names))]

    @cached_property
    def rows(self) -> int:
        with reading(self.place):
            return self.database.count(f"select count(*) from {self.view}")

    @cached_property
    def distinct(self) -> str:
        """A table of the distinct rows and how often each occurs, `n`."""
        query = f"select {listed(self.columns)}, count(*) as n from {self.view} group by all"
        with reading(self.place):
            return self.database.make(f"{self.view}_distinct", query)

    @cached_property
    def meant(self) -> str:
        """The distinct rows with every cell as it was before it was made harmless for spreadsheets."""
        if not self.is_csv:
            return self.distinct
        cells = listed([f"{unescaped_cell(column)} as {column}" for column in self.columns])
        query = f"select {cells}, sum(n)::bigint as n from {self.distinct} group by all"
        return self.database.make(f"{self.view}_meant", query)

    def comparable(self, text: str, column: str, null: Sequence[str]) -> str:
        """A text for comparing with cells of a column, as SQL: floats have many spellings, and a missing
        value, however it is written, is an empty text."""
        missing = listed([sql_text(word) for word in ("", MISSING, *null)])
        number = f"coalesce(try_cast({text} as double)::varchar, {text})" if column in self.floats else text
        return f"if(trim({text}) in ({missing}), '', {number})"

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """The SHA-256 of each part, by its name."""
        return {part.name: _sha256(part) for part in self.parts}

    @property
    def in_parts(self) -> bool:
        """Whether the table is a folder, or what fits a pattern, even if that is one file."""
        return bool(self.parts) and (self.path.is_dir() or not self.path.exists())

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the file, of all parts of a folder, or, of what is no file, of its rows."""
        if not self.parts:
            return self.content
        return digest_of_parts(self.digests) if self.in_parts else self.digests[self.path.name]

    @cached_property
    def content(self) -> str:
        """The digest of the rows, whatever files they lie in: hashes of distinct rows with their counts, in
        the order of the hashes, after a line for the names and the number of rows."""
        hashes = "".join(hashlib.sha256(name.encode()).hexdigest() for name in self.names)
        digest = hashlib.sha256(f"{hashlib.sha256(hashes.encode()).hexdigest()} {self.rows}\n".encode())
        cells = " || ".join(f"sha256({column})" for column in self.columns)
        hashed = f"select sha256({cells}) as hash, sum(n)::bigint as n from {self.meant} group by 1"
        with self.database.in_order():
            lines = self.database.texts(f"select hash || ' ' || n || chr(10) from ({hashed}) order by hash")
            for block in lines:
                digest.update(block)
        return digest.hexdigest()

    def cells(self, names: Sequence[str]) -> dict[str, dict[str, int]]:
        """The different texts of each column, and in how many rows each is; one pass for all columns."""
        if not names:
            return {}
        places = [self.column(name) for name in names]
        rows = self.database.rows(
            f"select grouping({listed(places)}), coalesce({listed(places)}), sum(n)::bigint from {self.meant}"
            f" group by grouping sets ({listed([f'({place})' for place in places])})"
        )
        cells: dict[str, dict[str, int]] = {name: {} for name in names}
        for rest, text, number in rows:
            # One bit for each column, the first one highest; set where rows are not grouped by it.
            place = len(names) - ((1 << len(names)) - 1 - rest).bit_length()
            cells[names[place]][text] = number
        return cells


def is_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(PARQUET)) == PARQUET


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of_parts(digests: Mapping[str, str]) -> str:
    """The SHA-256 of several files, given theirs by name: that of the lines which `sha256sum *` prints.

    >>> digest_of_parts({"a": "0" * 64})[:8]
    '53d743f3'
    """
    lines = "".join(f"{digests[name]}  {name}\n" for name in sorted(digests))
    return hashlib.sha256(lines.encode()).hexdigest()


def part_files(path: Path) -> tuple[Path, ...]:
    """The files of a finished table, in the order of their names; a file is its own only part."""
    if path.is_dir():
        parts = _inside(path)
    elif not path.exists() and any(mark in str(path) for mark in PATTERN_MARKS):
        parts = sorted(Path(name) for name in glob.glob(str(path)))  # noqa: PTH207 - it may be absolute
        if not parts:
            raise InputError.of(str(path), "no file matches this pattern", "check the path")
    else:
        parts = [path]
    for part in parts:
        _check_file(part)
    if len({is_parquet(part) for part in parts}) > 1:
        raise InputError.of(str(path), "there are CSV and Parquet files in it", "give parts of one kind")
    return tuple(parts)


def _inside(folder: Path) -> list[Path]:
    """The parts in a folder, which has nothing else."""
    parts = []
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name == DONE and entry.is_file() and not entry.stat().st_size:
            continue
        name = printable(entry.name)
        if entry.is_dir():
            wrong = f"it contains the folder '{name}', whose name and files are not read"
            raise InputError.of(str(folder), wrong, ALL_OF_IT)
        if entry.name.startswith((".", "_")) or not entry.name.lower().endswith(ENDINGS):
            wrong = f"it contains the file '{name}', which is not read as a part of the table"
            raise InputError.of(str(folder), wrong, ALL_OF_IT)
        parts.append(folder / entry.name)
    if not parts:
        raise InputError.of(str(folder), "there is no CSV or Parquet file in this folder", "check the path")
    return parts


def _check_file(path: Path) -> None:
    check_local(path, KINDS)
    if not path.is_file():
        wrong = "this file does not exist" if not path.exists() else "this is not a file"
        raise InputError.of(str(path), wrong, KINDS)
    if not os.access(path, os.R_OK):
        remedy = "ask its owner for permission"
        raise InputError.of(str(path), "there is no permission to read the file", remedy)
    if any(mark in str(path) for mark in PATTERN_MARKS):
        raise InputError.of(str(path), "the path contains '*', '?' or '['", "give the file another name")


def open_files(
    database: Database, path: Path, form: CsvForm = UNSTATED, view: str = "release"
) -> ReleasedTable:
    """The table in a CSV or Parquet file, or in all such files of a folder."""
    parts = part_files(path)
    with reading(str(path)):
        if is_parquet(parts[0]):
            names, types, source = _parquet(database, parts)
            texts = [_text(f"c{place}", kind) for place, kind in enumerate(types)]
        else:
            names, source = _csv(database, parts, form)
            texts, types = [form.with_points(f"c{place}") for place in range(len(names))], []
        _make_view(database, view, source, texts)
    if twice := sorted({name for name in names if names.count(name) > 1}):
        wrong = f"columns have the same name: {shown(twice)}"
        raise InputError.of(str(path), wrong, "give each its own name")
    return ReleasedTable(str(path), path, parts, names, view, database, _floats(types), form)


def open_cells(
    database: Database, place: str, columns: Mapping[str, Any], view: str = "release"
) -> ReleasedTable:
    """A table that is no file of its own: columns as Arrow arrays, in the order of its rows."""
    numbered = {f"c{number}": cells for number, cells in enumerate(columns.values())}
    table = database.load(f"{view}_cells", numbered)
    types = [kind for _, kind, *_ in database.rows(f"describe {table}")]
    _make_view(database, view, table, [_text(f"c{number}", kind) for number, kind in enumerate(types)])
    return ReleasedTable(place, Path(), (), tuple(columns), view, database, _floats(types))


def _floats(types: Sequence[str]) -> frozenset[str]:
    return frozenset(f"c{place}" for place, kind in enumerate(types) if kind in FLOATS)


def _parquet(database: Database, parts: Sequence[Path]) -> tuple[tuple[str, ...], list[str], str]:
    shapes = []
    for part in parts:
        # The names as they are stored: DuckDB's ignore case.
        stored = database.rows(f"select name, num_children from parquet_schema({sql_text(str(part))})")[1:]
        if any(children for _, children in stored):
            wrong = "a column contains lists or records"
            raise InputError.of(str(part), wrong, "give a table of single values")
        source = f"read_parquet([{sql_text(str(part))}], hive_partitioning = false)"
        shapes.append((stored, [row[1] for row in database.rows(f"describe from {source}")]))
    _check_alike(parts, shapes)
    files = listed([sql_text(str(part)) for part in parts])
    source = f"read_parquet([{files}], hive_partitioning = false, union_by_name = false)"
    return tuple(name for name, _ in shapes[0][0]), shapes[0][1], source


def _csv(database: Database, parts: Sequence[Path], form: CsvForm) -> tuple[tuple[str, ...], str]:
    readable = [form.readable(part, database.folder) for part in parts]
    headers = [_header(part, form, copy) for part, copy in zip(parts, readable, strict=True)]
    _check_alike(parts, headers)
    separator, names = headers[0]
    columns = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(names)))
    files = listed([sql_text(str(part)) for part in readable])
    source = (
        f"read_csv([{files}], auto_detect = false, header = true, strict_mode = true, "
        f"hive_partitioning = false, delim = {sql_text(separator)}, quote = '\"', escape = '\"', "
        f"columns = {{{columns}}})"
    )
    return names, source


def _header(path: Path, form: CsvForm, readable: Path) -> tuple[str, tuple[str, ...]]:
    """The separator that is stated, or that divides the header into the most names, and these."""
    headers = {}
    try:
        for separator in SEPARATORS if form.separator is None else (form.separator,):
            with readable.open(encoding="utf-8-sig", newline="") as file:
                headers[separator] = next(csv.reader(file, delimiter=separator), [])
    except (UnicodeDecodeError, csv.Error):
        wrong = "the header cannot be read"
        raise InputError.of(str(path), wrong, "give a Parquet file, or CSV in UTF-8") from None
    separator = max(headers, key=lambda mark: len(headers[mark]))
    if not any(headers[separator]):
        raise InputError.of(str(path), "there is no header line", "give a table with named columns")
    return separator, tuple(map(unescaped, headers[separator]))


def _check_alike(parts: Sequence[Path], shapes: Sequence[object]) -> None:
    """Refuse a part whose columns, by name and type, are not those of the first."""
    for part, shape in zip(parts, shapes, strict=True):
        if shape != shapes[0]:
            wrong = f"its columns or their types are not those of {parts[0].name}"
            raise InputError.of(str(part), wrong, "write all parts with the same columns in the same order")


def _text(column: str, kind: str) -> str:
    """A whole number among decimals is written without a point: 1, not 1.0."""
    if kind not in FLOATS:
        return column
    whole = f"{column} = trunc({column}) and abs({column}) < 1e15"
    return f"case when {whole} then {column}::bigint::varchar else {column}::varchar end"


def _make_view(database: Database, view: str, source: str, texts: Sequence[str]) -> None:
    columns = listed([f"c{place}" for place in range(len(texts))])
    cells = listed([f"coalesce(({text})::varchar, '') as c{place}" for place, text in enumerate(texts)])
    database.run(f"create or replace temp view {view} as select {cells} from {source} as file({columns})")
