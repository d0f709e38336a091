"""Is a file written as releases are: rows sorted, and no byte but those that its cells need?

The order of rows, an unneeded quote, a byte behind the last row or metadata that no reader shows can carry
what the cells do not. Readers pass over a lot in a Parquet file: key-value metadata, dictionary entries that
no row uses, bytes between the parts, statistics, fields of the footer that they do not know. What is seen of
that is named; and the table is written again, in the way of releases, and compared byte by byte. That is
decided only where the file says that it was written by the library that is installed here: another version
may write other bytes.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from paretonym.audits.checks import NOT_APPLICABLE, Check
from paretonym.audits.declared_categories import declaration, is_ordered, is_text, only_declares, plain
from paretonym.audits.part_files import is_parquet
from paretonym.audits.sql_engine import listed
from paretonym.audits.table_file import TableFile, open_file
from paretonym.sql_literals import sql_text

# As releases are written.
ROWS_TOGETHER = 1 << 20
ROWS_OF_PART = 1 << 22
LONGEST_DICTIONARY = 1 << 14
MAGIC = b"PAR1"
WRITER = "parquet-cpp-arrow version "
OTHER_VERSION = "it was written by another version of the library, so its bytes cannot be compared"
# The length of the footer and the magic behind it.
TAIL = 8


class FormVerdict(NamedTuple):
    """Whether a file is written as releases are, None where that cannot be decided, and why not."""

    holds: bool | None
    why: str = ""


class _Difference(Exception):
    """The bytes differ."""


def parquet_verdict(path: Path) -> FormVerdict:
    """Whether a Parquet file is written as releases are."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    try:
        with parquet.ParquetFile(path) as file:
            texts = [field.name for field in file.schema_arrow if is_text(field.type)]
            entries = _entries(path, texts)
            faults = [*_metadata(file), *_gaps(file, path), *_unused(entries)]
            if not faults and file.metadata.created_by == f"{WRITER}{pa.__version__}":
                same = _same_when_written_again(path, file.schema_arrow, _dictionaries(file, entries))
                faults = [] if same else [("its bytes contain more than its table needs, or something else")]
            elif not faults:
                return FormVerdict(None, OTHER_VERSION)
    # Its errors quote what stands in the file.
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError):
        faults = ["its parts cannot be read one by one"]
    return FormVerdict(not faults, "; ".join(faults))


def _metadata(file: Any) -> Iterator[str]:
    if file.metadata.metadata and not only_declares(file):
        yield "it contains metadata beside its table"
    if any(field.metadata for field in file.schema_arrow):
        yield "a column contains metadata"
    if not re.fullmatch(
        re.escape(WRITER) + r"[0-9]+\.[0-9]+\.[0-9]+(-SNAPSHOT)?", str(file.metadata.created_by)
    ):
        yield "it names a writer that does not write releases"
    sizes = [file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups)]
    if any(size != ROWS_TOGETHER for size in sizes[:-1]) or any(size > ROWS_TOGETHER for size in sizes[-1:]):
        yield "its rows are not in blocks as releases have them"


def _gaps(file: Any, path: Path) -> Iterator[str]:
    """The column chunks and the footer follow each other from the first byte to the last."""
    metadata, end = file.metadata, len(MAGIC)
    chunks = sorted(
        (_start(chunk), chunk.total_compressed_size)
        for group in range(metadata.num_row_groups)
        for chunk in (metadata.row_group(group).column(j) for j in range(metadata.num_columns))
    )
    for start, size in chunks:
        if start != end:
            break
        end += size
    if end + metadata.serialized_size + TAIL != path.stat().st_size or any(
        start >= end for start, _ in chunks
    ):
        yield "it has bytes that do not belong to any column"


def _start(chunk: Any) -> int:
    first = chunk.data_page_offset
    return int(min(first, chunk.dictionary_page_offset) if chunk.has_dictionary_page else first)


class _Entries(NamedTuple):
    """The values in the dictionaries of a column, in their order, and those of them that rows have."""

    listed: dict[str, None]
    used: set[str]


def _entries(path: Path, texts: list[str]) -> dict[str, _Entries]:
    """What the dictionaries of each column of texts hold; each part of the file may have those of all."""
    import pyarrow.parquet as parquet

    found = {name: _Entries({}, set()) for name in texts}
    with parquet.ParquetFile(path, read_dictionary=texts) as file:
        for group in range(file.metadata.num_row_groups if texts else 0):
            table = file.read_row_group(group, columns=texts)
            for name, entries in found.items():
                for chunk in table.column(name).chunks:
                    entries.listed.update(dict.fromkeys(chunk.dictionary.to_pylist()))
                    places = chunk.indices.unique().drop_null()
                    entries.used.update(chunk.dictionary.take(places).to_pylist())
    return found


def _unused(found: Mapping[str, _Entries]) -> Iterator[str]:
    """Dictionary entries that no row of the file uses."""
    for name, entries in found.items():
        if entries.listed.keys() - entries.used:
            yield f"column '{name}' has dictionary entries that no row uses"


class _Comparison(io.RawIOBase):
    """A file that takes what is written into it only if another one has the same bytes there."""

    def __init__(self, other: BinaryIO) -> None:
        self._other = other

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._other.tell()

    def write(self, content: Any) -> int:
        size = memoryview(content).nbytes
        if self._other.read(size) != bytes(content):
            raise _Difference
        return size


def _same_when_written_again(path: Path, declared: Any, dictionaries: Mapping[str, Any]) -> bool:
    """Whether the table, written as releases are, gives the bytes of the file; `declared` are its types."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    with (
        path.open("rb") as content,
        parquet.ParquetFile(path, read_dictionary=list(dictionaries)) as file,
    ):
        schema = pa.schema(
            [pa.field(field.name, _stored(field, dictionaries)) for field in file.schema_arrow]
        )
        try:
            with parquet.ParquetWriter(_Comparison(content), schema, store_schema=False) as writer:
                for group in range(file.metadata.num_row_groups):
                    table = _encoded(file.read_row_group(group), schema, dictionaries)
                    writer.write_table(table, row_group_size=ROWS_TOGETHER)
                if file.metadata.metadata:
                    writer.add_key_value_metadata(declaration(declared))
        except _Difference:
            return False
        return content.read(1) == b""


def _stored(field: Any, dictionaries: Mapping[str, Any]) -> Any:
    import pyarrow as pa

    known = dictionaries.get(field.name)
    return field.type if known is None else pa.dictionary(pa.int32(), known.type)


def _dictionaries(file: Any, found: Mapping[str, _Entries]) -> dict[str, Any]:
    """The different values of each column of texts, where these are not too many: in rising order, or in that
    of categories which are declared to be ordered."""
    import pyarrow as pa

    kinds = {field.name: field.type for field in file.schema_arrow}
    return {
        name: pa.array(
            entries.listed if is_ordered(kinds[name]) else sorted(entries.used), plain(kinds[name])
        )
        for name, entries in found.items()
        if len(entries.used) <= LONGEST_DICTIONARY
    }


def _encoded(table: Any, schema: Any, dictionaries: Mapping[str, Any]) -> Any:
    """A part of the table with every dictionary in the order of all values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = []
    for field in schema:
        column = table.column(field.name)
        if field.name in dictionaries:
            known = dictionaries[field.name]
            chunk = column.unify_dictionaries().combine_chunks()
            places = pc.index_in(chunk.dictionary, value_set=known).take(chunk.indices)
            column = pa.DictionaryArray.from_arrays(places, known)
        columns.append(column)
    return pa.table(columns, schema=schema)


# A cell that holds one of these, or begins or ends with a blank, is quoted.
QUOTED = '[",;|\\t\\r\\n]|^[\\t\\n\\f\\r ]|[\\t\\n\\f\\r ]$'
ORDER, BYTES = "rows sorted", "bytes of the file"
NO_BYTES = (
    f"{NOT_APPLICABLE}: a database's file holds more than the rows of a table; whoever gets it also gets its "
    "other tables, comments and constraints, and perhaps rows deleted before"
)
CELLS = "rows with other spellings"
ODD_CELLS = (
    "a missing cell is an empty text instead of null, or a zero is negative: such differences are not in the "
    "digest of the rows, and may reveal something"
)
NOT_STORED_SORTED = (
    "rows are not stored one behind the other as they are sorted, so their order may reveal something"
)


def check_form(file: TableFile, name: str = "") -> list[Check]:
    """The checks of one file; `name` tells several files of one release apart."""
    of = f" of {name}" if name else ""
    if file.in_database:
        return [_order(file, ORDER), _cells(file), Check("file", BYTES, None, None, None, NO_BYTES)]
    return [
        _order(file, f"{ORDER}{of}"),
        _bytes_of_parts(file) if file.in_parts else _bytes(file, f"{BYTES}{of}"),
    ]


def _bytes_of_parts(file: TableFile) -> Check:
    """The bytes of all parts; what is wrong with the first that is not right."""
    found = [(part.name, _verdict(open_file(file.engine, part, f"{file.view}_part"))) for part in file.parts]
    if misplaced := _misplaced(file.parts):
        found.insert(
            0, (misplaced, FormVerdict(False, "its name or its number of rows is not that of a part"))
        )
    wrong = sorted((entry for entry in found if not entry[1].holds), key=lambda entry: entry[1].holds is None)
    holds, why = (wrong[0][1].holds, f"{wrong[0][0]}: {wrong[0][1].why}") if wrong else (True, "")
    return Check("file", f"{BYTES}s", None, None, holds, why)


def _misplaced(parts: Sequence[Path]) -> str | None:
    """The first part that is not called by its number or does not have as many rows as such parts have: names
    and sizes could tell what the rows do not."""
    digits = max(5, len(str(len(parts))))
    for number, part in enumerate(parts):
        called = part.name == f"part-{number:0{digits}}{part.suffix}" and not part.is_symlink()
        if not called or (is_parquet(part) and not _whole(part, last=number == len(parts) - 1)):
            return part.name
    return None


def _whole(part: Path, last: bool) -> bool:
    import pyarrow.parquet as parquet

    rows = int(parquet.read_metadata(part).num_rows)
    return rows <= ROWS_OF_PART if last else rows == ROWS_OF_PART


def _order(file: TableFile, name: str) -> Check:
    """Rows rise from the first column to the last: texts by code points or numbers by size, empty cells
    last. Of what type a column was, a CSV file does not say."""
    meant = file.as_meant()
    places = [file.column(each) for each in file.names]
    before = listed([f"lag({place}) over () as before_{place}" for place in places])
    source = f"(select {listed(places)}, {before} from {meant.view})"
    # Most rows are equal to the one before; those need no further look. The first has none before it.
    changed = " or ".join(f"{place} <> before_{place}" for place in reversed(places))
    source = f"(select * from {source} where {changed})"
    counts = []
    for number, place in enumerate(places):
        equal = "".join(f"{other} = before_{other} and " for other in places[:number])
        counts += [f"count(*) filter ({equal}{falls})" for falls in (_falls(place), _number_falls(place))]
    with file.engine.in_order():
        found = file.engine.row(f"select {listed(counts)} from {source}")
    wrong = [
        file.names[number] for number in range(len(places)) if found[2 * number] and found[2 * number + 1]
    ]
    why = (
        f"rows are not sorted by all columns, so their order may reveal something: '{wrong[0]}'"
        if wrong
        else ""
    )
    if file.in_order is None:
        return Check("file", name, None, None, None, "the rows of this table have no numbers")
    if not file.in_order:
        wrong, why = [*wrong, ""], why or NOT_STORED_SORTED
    return Check("file", name, None, None, not wrong, why)


def _cells(file: TableFile) -> Check:
    why = ODD_CELLS if file.odd_cells else ""
    return Check("file", CELLS, 0, file.odd_cells, not why, why)


def _falls(place: str) -> str:
    """Whether a text comes before the one in the row above, as SQL; an empty cell comes last."""
    return f"({place} <> '' and (before_{place} = '' or {place} < before_{place}))"


def _number_falls(place: str) -> str:
    """Whether a number is below the one in the row above, as SQL; so is a text that is none."""
    now, before = (f"try_cast({each} as double)" for each in (place, f"before_{place}"))
    less = f"({now} is null or {before} is null or {now} < {before})"
    return f"({place} <> '' and (before_{place} = '' or {less}))"


def _bytes(file: TableFile, name: str) -> Check:
    verdict = _verdict(file)
    return Check("file", name, None, None, verdict.holds, verdict.why)


def _verdict(file: TableFile) -> FormVerdict:
    return parquet_verdict(file.path) if file.parquet else _csv_verdict(file)


def _csv_verdict(file: TableFile) -> FormVerdict:
    """The cells written again, line by line, beside the bytes of the file."""
    alone, form = len(file.names) == 1, file.form
    cells = [_cell(form.as_written(file.column(name)), alone) for name in file.names]
    line = f" || {sql_text(file.form.written_separator)} || ".join(cells)
    with file.path.open("rb") as content, file.engine.in_order():
        header = _header_again(file)
        same = content.read(len(header)) == header
        for block in file.engine.texts(f"select {line} || chr(10) from {file.view}") if same else ():
            expected = form.encoded(block)
            same = content.read(len(expected)) == expected
            if not same:
                break
        same = same and content.read(1) == b""
    why = (
        "it contains more than its cells need: quotes, separators, line ends, a mark or text beside the rows"
    )
    return FormVerdict(same, "" if same else why)


def _cell(place: str, alone: bool) -> str:
    """A cell as releases write it; an empty one that is alone in its line is quoted."""
    needed = f"regexp_matches({place}, {sql_text(QUOTED)})" + (f" or {place} = ''" if alone else "")
    within = f"chr(34) || replace({place}, chr(34), chr(34) || chr(34)) || chr(34)"
    return f"if({needed}, {within}, {place})"


def _header_again(file: TableFile) -> bytes:
    form = file.form
    with file.path.open(encoding=form.reader, newline="") as content:
        names = next(csv.reader(content, delimiter=form.written_separator), [])
    cells = [f'"{name.replace(chr(34), chr(34) * 2)}"' if re.search(QUOTED, name) else name for name in names]
    return form.mark + form.encoded((form.written_separator.join(cells) + "\n").encode())
