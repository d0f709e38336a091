"""The form in which a release is written: rows sorted, and nothing beside the cells. The order of rows, an
unneeded quote, a byte behind the last row, metadata or an unused dictionary entry can carry what the cells do
not."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from paretonym.audit.audit_database import listed, reading
from paretonym.audit.checks import Check, passes
from paretonym.audit.released_table import ReleasedTable, is_parquet, open_files
from paretonym.audit.stated_form import CsvForm, unescaped_cell
from paretonym.sql_literals import sql_text

ROWS_OF_PART = 1 << 22
# A cell that holds one of these, or begins or ends with a blank, is quoted.
QUOTED = '[",;|\\t\\r\\n]|^[\\t\\n\\f\\r ]|[\\t\\n\\f\\r ]$'


def check_form(table: ReleasedTable, name: str = "") -> list[Check]:
    """The checks of the form; `name` tells several files of one release apart."""
    suffix = f" of {name}" if name else ""
    with reading(table.place):
        checks = [_check_order(table, f"rows sorted{suffix}")]
        if table.parts:
            faults = [*_misplaced(table.parts)] if table.in_parts else []
            faults += [f"{part.name}: {fault}" for part in table.parts for fault in _part_faults(table, part)]
            name = "bytes of the files" if table.in_parts else "bytes of the file"
            checks.append(passes("file", f"{name}{suffix}", "; ".join(faults)))
        return checks


def _check_order(table: ReleasedTable, name: str) -> Check:
    """Rows rise from the first column to the last: texts by code points or numbers by size, empty cells
    last. Of what type a column was, a CSV file does not say."""
    columns = table.columns
    cells = [f"{unescaped_cell(column) if table.is_csv else column} as {column}" for column in columns]
    before = listed([f"lag({column}) over () as before_{column}" for column in columns])
    changed = " or ".join(f"{column} <> before_{column}" for column in reversed(columns))
    counts = []
    for number, column in enumerate(columns):
        equal = "".join(f"{other} = before_{other} and " for other in columns[:number])
        now, last = (f"try_cast({text} as double)" for text in (column, f"before_{column}"))
        less = (f"{column} < before_{column}", f"({now} is null or {last} is null or {now} < {last})")
        counts += [
            f"count(*) filter ({equal}{column} <> '' and (before_{column} = '' or {falls}))" for falls in less
        ]
    with table.database.in_order():
        fallen = table.database.row(
            f"select {listed(counts)} from (select * from (select {listed(columns)}, {before} from "
            f"(select {listed(cells)} from {table.view})) where {changed})"
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
    if not _is_written_again(one, part):
        beside = "quotes, separators, line ends, a mark or text beside the rows"
        yield f"it contains more than its cells need: {beside}"


def _is_written_again(table: ReleasedTable, part: Path) -> bool:
    """Whether a release with these cells has these bytes."""
    form, alone = table.form, len(table.names) == 1
    separator = form.separator or ","
    line = f" || {sql_text(separator)} || ".join(
        _written_cell(form.as_written(column), alone) for column in table.columns
    )
    with part.open("rb") as content, table.database.in_order():
        header = _written_header(part, form, separator)
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


def _written_header(part: Path, form: CsvForm, separator: str) -> bytes:
    with part.open(encoding=form.reader, newline="") as content:
        names = next(csv.reader(content, delimiter=separator), [])
    cells = [f'"{name.replace(chr(34), chr(34) * 2)}"' if re.search(QUOTED, name) else name for name in names]
    mark = b"\xef\xbb\xbf" if form.encoding == "utf-8-sig" else b""
    return mark + form.encoded((separator.join(cells) + "\n").encode())


def parquet_faults(part: Path) -> Iterator[str]:
    """Metadata beside the table, and dictionary entries that no row uses."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    try:
        with parquet.ParquetFile(part) as file:
            if file.metadata.metadata or file.schema_arrow.metadata:
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


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    plain = kind.value_type if types.is_dictionary(kind) else kind
    return bool(types.is_string(plain) or types.is_large_string(plain))


def _unused(part: Path, texts: Sequence[str]) -> Iterator[str]:
    """The columns of texts with dictionary entries that no row of the file uses."""
    import pyarrow.parquet as parquet

    unused: dict[str, set[str]] = {name: set() for name in texts}
    used: dict[str, set[str]] = {name: set() for name in texts}
    with parquet.ParquetFile(part, read_dictionary=list(texts)) as file:
        for group in range(file.metadata.num_row_groups if texts else 0):
            columns = file.read_row_group(group, columns=list(texts))
            for name in texts:
                for chunk in columns.column(name).chunks:
                    unused[name].update(chunk.dictionary.to_pylist())
                    used[name].update(chunk.dictionary.take(chunk.indices.unique().drop_null()).to_pylist())
    yield from (name for name in texts if unused[name] - used[name])
