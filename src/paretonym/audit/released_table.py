"""A finished table in a database of the audit: one or several files, or whatever `source` reads; its cells as
texts, its distinct rows with counts, and the form in which it is written.

Whoever gets a folder gets all of it. So an audit reads all of it, or refuses: a file that readers pass over
(`_old.parquet`, `.part.crc`), a folder inside and a part with other columns are mistakes, not details.
"""

from __future__ import annotations

import csv
import glob
import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from paretonym.audit.audit_database import Database, listed, reading
from paretonym.audit.checks import Check, passes
from paretonym.audit.stated_form import SEPARATORS, UNSTATED, CsvForm, unescaped, unescaped_cell
from paretonym.data_address import check_local
from paretonym.errors import InputError, printable, shown
from paretonym.sql_literals import sql_text

PARQUET, ENDINGS, PATTERN_MARKS = b"PAR1", (".parquet", ".csv"), "*?["
# What Spark leaves behind when it is done: an empty file.
DONE = "_SUCCESS"
ROWS_OF_PART = 1 << 22
GIVEN = "give a CSV or Parquet file, or a folder of them"
ALL_OF_IT = "an audit must cover everything that is handed over: move it away, or audit it separately"
FLOATS = ("DOUBLE", "FLOAT")
MISSING = "(missing)"
# Where a Parquet file declares that texts are categories.
DECLARED = b"ARROW:schema"
# A cell that holds one of these, or begins or ends with a blank, is quoted.
QUOTED = '[",;|\\t\\r\\n]|^[\\t\\n\\f\\r ]|[\\t\\n\\f\\r ]$'


@dataclass(frozen=True, eq=False)
class ReleasedTable:
    """A finished table. The view `view` of the database has its columns as texts, called c0, c1, …, in the
    order of the file, a null being an empty text. `names` are those of the header, as they were before they
    were made harmless; `floats` the columns that hold floats."""

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
        if not self.in_parts:
            return self.digests[self.path.name]
        return digest_of_parts(self.digests)

    @cached_property
    def content(self) -> str:
        """The digest of the rows, whatever files they lie in: hashes of distinct rows with their counts, in
        the order of the hashes, after a line for the names and the number of rows."""
        hashes = "".join(hashlib.sha256(name.encode()).hexdigest() for name in self.names)
        digest = hashlib.sha256(f"{hashlib.sha256(hashes.encode()).hexdigest()} {self.rows}\n".encode())
        cells = " || ".join(f"sha256({column})" for column in self.columns)
        hashed = f"select sha256({cells}) as hash, sum(n)::bigint as n from {self.meant} group by 1"
        with self.database.in_order():
            for block in self.database.texts(
                f"select hash || ' ' || n || chr(10) from ({hashed}) order by hash"
            ):
                digest.update(block)
        return digest.hexdigest()


def is_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(PARQUET)) == PARQUET


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of_parts(digests: Mapping[str, str]) -> str:
    """The SHA-256 of a folder, given those of its parts by name: that of the lines which `sha256sum *` prints
    there.

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
    check_local(path, GIVEN)
    if not path.is_file():
        wrong = "this file does not exist" if not path.exists() else "this is not a file"
        raise InputError.of(str(path), wrong, GIVEN)
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
        raise InputError.of(
            str(path), f"columns have the same name: {shown(twice)}", "give each its own name"
        )
    floats = frozenset(f"c{place}" for place, kind in enumerate(types) if kind in FLOATS)
    return ReleasedTable(str(path), path, parts, names, view, database, floats, form)


def open_cells(
    database: Database, place: str, columns: Mapping[str, Any], view: str = "release"
) -> ReleasedTable:
    """A table that is no file of its own: columns as Arrow arrays, in the order of its rows."""
    table = database.load(
        f"{view}_cells", {f"c{number}": cells for number, cells in enumerate(columns.values())}
    )
    types = [kind for _, kind, *_ in database.rows(f"describe {table}")]
    _make_view(database, view, table, [_text(f"c{number}", kind) for number, kind in enumerate(types)])
    floats = frozenset(f"c{number}" for number, kind in enumerate(types) if kind in FLOATS)
    return ReleasedTable(place, Path(), (), tuple(columns), view, database, floats)


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
    tried = SEPARATORS if form.separator is None else (form.separator,)

    def names(separator: str) -> list[str]:
        with readable.open(encoding="utf-8-sig", newline="") as file:
            return next(csv.reader(file, delimiter=separator), [])

    try:
        headers = {separator: names(separator) for separator in tried}
    except (UnicodeDecodeError, csv.Error):
        wrong = "the header cannot be read"
        raise InputError.of(str(path), wrong, "give a Parquet file, or CSV in UTF-8") from None
    separator = max(tried, key=lambda mark: len(headers[mark]))
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


def check_form(
    table: ReleasedTable, orders: Mapping[str, Sequence[str]] | None, name: str = ""
) -> list[Check]:
    """Whether rows are sorted and nothing lies beside the cells: the order of rows, an unneeded quote, a byte
    behind the last row, metadata or an unused dictionary entry can carry what the cells do not. `orders` are
    those that the schema gives to values, `name` tells several files of one release apart."""
    suffix = f" of {name}" if name else ""
    with reading(table.place):
        checks = [_check_order(table, f"rows sorted{suffix}")]
        if table.parts:
            faults = [*_misplaced(table.parts)] if table.in_parts else []
            faults += [f"{part.name}: {fault}" for part in table.parts for fault in _part_faults(table, part)]
            name = "bytes of the files" if table.in_parts else "bytes of the file"
            checks.append(passes("file", f"{name}{suffix}", "; ".join(faults)))
        if table.parts and not table.is_csv:
            checks += _check_categories(table, orders)
        return checks


def _check_order(table: ReleasedTable, name: str) -> Check:
    """Rows rise from the first column to the last: texts by code points or numbers by size, empty cells
    last. Of what type a column was, a CSV file does not say."""
    columns = table.columns
    cells = listed(
        [f"{unescaped_cell(column) if table.is_csv else column} as {column}" for column in columns]
    )
    before = listed([f"lag({column}) over () as before_{column}" for column in columns])
    changed = " or ".join(f"{column} <> before_{column}" for column in reversed(columns))
    counts = []
    for number, column in enumerate(columns):
        equal = "".join(f"{other} = before_{other} and " for other in columns[:number])
        now, last = (f"try_cast({each} as double)" for each in (column, f"before_{column}"))
        less = (f"{column} < before_{column}", f"({now} is null or {last} is null or {now} < {last})")
        counts += [
            f"count(*) filter ({equal}{column} <> '' and (before_{column} = '' or {falls}))" for falls in less
        ]
    with table.database.in_order():
        fallen = table.database.row(
            f"select {listed(counts)} from (select * from (select {listed(columns)}, {before} from "
            f"(select {cells} from {table.view})) where {changed})"
        )
    wrong = [table.names[i] for i in range(len(columns)) if fallen[2 * i] and fallen[2 * i + 1]]
    why = "rows are not sorted by all columns, so their order may reveal something"
    return passes("file", name, f"{why}: '{wrong[0]}'" if wrong else "")


def _misplaced(parts: Sequence[Path]) -> Iterator[str]:
    """Parts that are not called by their numbers or do not have as many rows as such parts have: names and
    sizes could tell what the rows do not."""
    import pyarrow.parquet as parquet

    digits = max(5, len(str(len(parts))))
    for number, part in enumerate(parts):
        named = part.name == f"part-{number:0{digits}}{part.suffix}" and not part.is_symlink()
        rows = int(parquet.read_metadata(part).num_rows) if is_parquet(part) else ROWS_OF_PART
        last = number == len(parts) - 1
        if not named or rows > ROWS_OF_PART or (rows < ROWS_OF_PART and not last):
            yield f"{part.name}: its name or its number of rows is not that of a part"


def _part_faults(table: ReleasedTable, part: Path) -> Iterator[str]:
    """Whatever one file contains beside its cells."""
    if not table.is_csv:
        yield from parquet_faults(part)
        return
    one = open_files(table.database, part, table.form, f"{table.view}_part") if table.in_parts else table
    if not _written_again(one, part):
        beside = "quotes, separators, line ends, a mark or text beside the rows"
        yield f"it contains more than its cells need: {beside}"


def _written_again(table: ReleasedTable, part: Path) -> bool:
    form, alone = table.form, len(table.names) == 1
    cells = [_written_cell(form.as_written(column), alone) for column in table.columns]
    line = f" || {sql_text(form.written_separator)} || ".join(cells)
    with part.open("rb") as content, table.database.in_order():
        header = _written_header(part, form)
        if content.read(len(header)) != header:
            return False
        for block in table.database.texts(f"select {line} || chr(10) from {table.view}"):
            expected = form.encoded(block)
            if content.read(len(expected)) != expected:
                return False
        return content.read(1) == b""


def _written_cell(cell: str, alone: bool) -> str:
    """A cell as releases write it; an empty one that is alone in its line is quoted."""
    needed = f"regexp_matches({cell}, {sql_text(QUOTED)})" + (f" or {cell} = ''" if alone else "")
    return f"if({needed}, chr(34) || replace({cell}, chr(34), chr(34) || chr(34)) || chr(34), {cell})"


def _written_header(part: Path, form: CsvForm) -> bytes:
    with part.open(encoding=form.reader, newline="") as content:
        names = next(csv.reader(content, delimiter=form.written_separator), [])
    cells = [f'"{name.replace(chr(34), chr(34) * 2)}"' if re.search(QUOTED, name) else name for name in names]
    return form.mark + form.encoded((form.written_separator.join(cells) + "\n").encode())


def parquet_faults(part: Path) -> Iterator[str]:
    """Metadata beside the table, and dictionary entries that no row uses."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    try:
        with parquet.ParquetFile(part) as file:
            stored, kinds = set(file.metadata.metadata or {}), file.schema_arrow.types
            categories = any(pa.types.is_dictionary(kind) for kind in kinds)
            declared = stored == {DECLARED} and categories and all(map(_is_released, kinds))
            if (stored and not declared) or file.schema_arrow.metadata:
                yield "it contains metadata beside its table"
            if any(set(field.metadata or {}) - {b"PARQUET:field_id"} for field in file.schema_arrow):
                yield "a column contains metadata"
            texts = [field.name for field in file.schema_arrow if _is_text(field.type)]
        yield from (
            f"column '{name}' has dictionary entries that no row uses" for name in _unused(part, texts)
        )
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError):
        # Its errors quote what stands in the file.
        yield "its parts cannot be read one by one"


def _is_released(kind: Any) -> bool:
    """Whether a release has columns of this type. The names of some types, such as zones of timestamps and
    types of other programs, can hold any text."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_dictionary(kind):
        return bool(kind.index_type == pa.int32() and kind.value_type == pa.string())
    tests = (
        types.is_string, types.is_boolean, types.is_integer, types.is_floating, types.is_decimal,
        types.is_date32,
    )  # fmt: skip
    return any(test(kind) for test in tests)


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(plain) or pa.types.is_large_string(plain))


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
                    places = chunk.indices.unique().drop_null()
                    used[name].update(chunk.dictionary.take(places).to_pylist())
    yield from (name for name in texts if entries[name] - used[name])


def _check_categories(table: ReleasedTable, orders: Mapping[str, Sequence[str]] | None) -> Iterator[Check]:
    """Whether ordered categories are in the order of the schema; nothing if there are none. Another order,
    such as that of the original's own categories, could carry what no row shows."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    wrong, ordered = "", False
    for part in table.parts:
        with parquet.ParquetFile(part) as file:
            for field in file.schema_arrow:
                if not (pa.types.is_dictionary(field.type) and field.type.ordered):
                    continue
                ordered = True
                chunks = file.read(columns=[field.name]).column(0).unify_dictionaries().chunks
                listing = chunks[0].dictionary.to_pylist() if chunks else []
                expected = [text for text in (orders or {}).get(field.name, ()) if text in set(listing)]
                wrong = wrong or (
                    "" if expected == listing else f"'{field.name}' is ordered, and not by the schema's order"
                )
    if ordered and orders is None:
        yield Check("file", "order of the categories", reason="cannot be verified: give the schema")
    elif ordered:
        yield passes("file", "order of the categories", wrong)
