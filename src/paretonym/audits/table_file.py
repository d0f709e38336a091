"""The file, or the table of a database, that a finished table is: its columns, all as text, and the digest of
its bytes.

A release in CSV has an apostrophe before cells that a spreadsheet would run as a formula. Removing it
restores every value, since a text that already looked like that got one more. This is only for comparing with
an original: measures use the cells unchanged.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from paretonym.audits.part_files import (
    check_alike,
    digest_of_parts,
    is_folder,
    is_parquet,
    part_files,
    sha256,
)
from paretonym.audits.schema_adapter import MISSING
from paretonym.audits.sql_engine import Engine, listed
from paretonym.audits.stated_form import SEPARATORS, UNSTATED, StatedForm
from paretonym.errors import InputError, shown
from paretonym.sql_literals import sql_text

BLANKS = "\\s\u00a0\ufeff\u3000"
STARTS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
ESCAPED = f"^'(?:['{BLANKS}]*[{STARTS}]|'*[\\t\\r\\n])"
# Numbers are not escaped, signs or not.
NUMBER = "^'[+-]?(?:[0-9][0-9.,]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?%?$"


def meant(text: str) -> str:
    """A name or cell of a CSV file without the added apostrophe.

    >>> meant("'=1"), meant("''=1"), meant("'-5"), meant("'tis"), meant("-5")
    ('=1', "'=1", "'-5", "'tis", '-5')
    """
    return text[1:] if re.search(ESCAPED, text) and not re.search(NUMBER, text) else text


def cell_as_meant(column: str) -> str:
    """The cells of a column without the added apostrophe, as SQL."""
    escaped, number = (f"regexp_matches({column}, {sql_text(form)})" for form in (ESCAPED, NUMBER))
    return f"if({escaped} and not {number}, substr({column}, 2), {column}) as {column}"


FLOATS = ("DOUBLE", "FLOAT")
# The names of the columns, and the places of those that hold floats.
Shape: TypeAlias = tuple[tuple[str, ...], frozenset[str]]


@dataclass(frozen=True, eq=False)
class TableFile:
    """A file, or the `parts` of one table, in an engine. The view `view` has its columns as texts, called c0,
    c1, …, a null being an empty text; names are those of the header, as they were before they were made
    harmless. A table of a database has no parts: its cells are stored unchanged, as in Parquet.
    `in_order` says whether equal rows are stored together, numbered from 1, None where nothing says so;
    `odd_cells` counts rows with cells that have the same text as others and are stored differently."""

    path: Path
    parts: tuple[Path, ...]
    names: tuple[str, ...]
    view: str
    engine: Engine
    parquet: bool
    floats: frozenset[str]
    _digests: Future[dict[str, str]] | None = None
    # How messages name it.
    place: str = ""
    in_order: bool | None = True
    odd_cells: int = 0
    # How a CSV file is written. Cells of the view have decimal points.
    form: StatedForm = UNSTATED

    @property
    def in_database(self) -> bool:
        return not self.parts

    def column(self, name: str) -> str:
        return f"c{self.names.index(name)}"

    def same(self, column: str, text: str) -> str:
        """A text for comparing with cells of a column, as SQL: floats have many spellings."""
        return f"coalesce(try_cast({text} as double)::varchar, {text})" if column in self.floats else text

    def plain(self, text: str, column: str, null: Sequence[str]) -> str:
        """A text for comparing with cells of a column, as SQL: a missing value, however it is written, is an
        empty text."""
        missing = listed([sql_text(word) for word in ("", MISSING, *null)])
        return f"if(trim({text}) in ({missing}), '', {self.same(column, text)})"

    def as_meant(self) -> TableFile:
        """The same table with every cell as it was before it was made harmless for spreadsheets."""
        if self.parquet:
            return self
        view = f"{self.view}_meant"
        cells = [cell_as_meant(self.column(name)) for name in self.names]
        self.engine.define(view, f"select {listed(cells)} from {self.view}")
        return replace(self, view=view)

    @property
    def sha256(self) -> str:
        return digest_of_parts(self.digests) if self.in_parts else self.digests[self.path.name]

    @property
    def digests(self) -> dict[str, str]:
        """The SHA-256 of each part, by its name."""
        return {} if self._digests is None else self._digests.result()

    @property
    def in_parts(self) -> bool:
        """Whether the table is a folder, or what fits a pattern, even if that is one file."""
        return not self.in_database and is_folder(self.path)


def open_file(engine: Engine, path: Path, view: str = "release", form: StatedForm | None = None) -> TableFile:
    """The table in a CSV or Parquet file, or in all such files of a folder, read by DuckDB when something is
    asked of it. `form` says how CSV is written, if something says so."""
    form = form or UNSTATED
    parts = part_files(path)
    pool = ThreadPoolExecutor(max_workers=1)
    # Hashing goes on beside counting: it does not need the interpreter.
    found = pool.submit(lambda: {part.name: sha256(part) for part in parts})
    pool.shutdown(wait=False)
    with engine.reading(str(path)):
        parquet = is_parquet(parts[0])
        shape = _parquet_view(engine, parts, view) if parquet else _csv_view(engine, parts, view, form)
        names, floats = shape
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError.of(
            str(path), f"columns have the same name: {shown(twice)}", "give each its own name"
        )
    return TableFile(path, parts, names, view, engine, parquet, floats, found, str(path), form=form)


def _parquet_view(engine: Engine, parts: Sequence[Path], view: str) -> Shape:
    stored = [
        engine.rows(f"select name, num_children from parquet_schema({sql_text(str(part))})") for part in parts
    ]
    for part, columns in zip(parts, stored, strict=True):
        if any(children for _, children in columns[1:]):
            raise InputError.of(
                str(part), "a column contains lists or records", "give a table of single values"
            )
    names = tuple(name for name, _ in stored[0][1:])
    described = [[row[1] for row in engine.rows(f"describe from {_parquet([part])}")] for part in parts]
    # The names as they are stored: DuckDB's ignore case.
    check_alike(parts, [(columns[1:], types) for columns, types in zip(stored, described, strict=True)])
    types = described[0]
    return names, text_view(engine, view, _parquet(parts), types)


def _parquet(parts: Sequence[Path]) -> str:
    listed_parts = listed([sql_text(str(part)) for part in parts])
    return f"read_parquet([{listed_parts}], hive_partitioning = false, union_by_name = false)"


def _csv_view(engine: Engine, parts: Sequence[Path], view: str, form: StatedForm) -> Shape:
    readable = [form.readable(part, engine.folder) for part in parts]
    headers = [_header(part, form, copy) for part, copy in zip(parts, readable, strict=True)]
    check_alike(parts, headers)
    separator, names = headers[0]
    columns = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(names)))
    listed_parts = listed([sql_text(str(part)) for part in readable])
    source = (
        f"read_csv([{listed_parts}], auto_detect = false, header = true, "
        f"strict_mode = true, hive_partitioning = false, "
        f"delim = {sql_text(separator)}, quote = '\"', escape = '\"', columns = {{{columns}}})"
    )
    _view(engine, view, source, [form.with_points(f"c{place}") for place in range(len(names))])
    return names, frozenset()


def _header(path: Path, form: StatedForm, readable: Path) -> tuple[str, tuple[str, ...]]:
    """The separator that is stated, or that divides the header into the most names, and these."""
    tried = SEPARATORS if form.separator is None else (form.separator,)
    try:
        found = {mark: next(csv.reader(_lines(readable), delimiter=mark), []) for mark in tried}
    except (UnicodeDecodeError, csv.Error):
        raise InputError.of(
            str(path), "the header cannot be read", "give a Parquet file, or CSV in UTF-8"
        ) from None
    separator = max(tried, key=lambda mark: len(found[mark]))
    if not any(found[separator]):
        raise InputError.of(str(path), "there is no header line", "give a table with named columns")
    return separator, tuple(meant(name) for name in found[separator])


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        yield from file


def text_view(engine: Engine, view: str, source: str, types: Sequence[str]) -> frozenset[str]:
    """Make a view of typed columns as texts; returns those that hold floats."""
    _view(engine, view, source, [_text(f"c{place}", kind) for place, kind in enumerate(types)])
    return frozenset(f"c{place}" for place, kind in enumerate(types) if kind in FLOATS)


def _text(column: str, kind: str) -> str:
    """A whole number among decimals is written without a point: 1, not 1.0."""
    if kind not in FLOATS:
        return column
    whole = f"{column} = trunc({column}) and abs({column}) < 1e15"
    return f"case when {whole} then {column}::bigint::varchar else {column}::varchar end"


def _view(engine: Engine, view: str, source: str, texts_of: Sequence[str]) -> None:
    """Make a view of the columns c0, c1, … as texts, given as expressions."""
    columns = [f"c{place}" for place in range(len(texts_of))]
    texts = listed(
        [
            f"coalesce(({text})::varchar, '') as {column}"
            for text, column in zip(texts_of, columns, strict=True)
        ]
    )
    engine.run(
        f"create or replace temp view {view} as select {texts} from {source} as file({listed(columns)})"
    )
