"""Files that are read as one table, be it a file, a folder, or a pattern with hive partitions; and as a
relation of DuckDB. Text files come to it as a stream of Arrow, block by block, decoded and unpacked on the
way; faults are reported by line."""

from __future__ import annotations

import glob
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import unquote

from paretonym.arrow import arrow_csv, pa, pc
from paretonym.errors import InputError, printable
from paretonym.source.column_names import in_order
from paretonym.source.csv_layout import Layout, arrow_options, check_rows, layout_of, unreadable
from paretonym.source.data_file import PARQUET, WORKBOOKS, DataFile, check_text, unpacked_name
from paretonym.source.decimal_comma import with_points
from paretonym.source.dictionary_encoding import check_shape
from paretonym.source.text_stream import TextFile, blocks, cells_of, names_in

Kind: TypeAlias = Literal["csv", "parquet", "json"]

ENDINGS: Mapping[str, Kind] = {
    ".parquet": "parquet", ".pq": "parquet",
    ".csv": "csv", ".tsv": "csv", ".tab": "csv", ".txt": "csv",
    ".jsonl": "json", ".ndjson": "json",
}  # fmt: skip
KINDS: Mapping[Kind, str] = {"csv": "CSV", "json": "JSON lines", "parquet": "Parquet"}
PATTERN_MARKS = "*?["
HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
State: TypeAlias = tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class DataPart:
    """One file, and what the names of its folders say of its rows (`year=2024`)."""

    path: Path
    partition: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class FileSet:
    """Files of one kind and one set of columns; `given` is what the user named."""

    given: str
    kind: Kind
    parts: tuple[DataPart, ...]
    # The standard input, which has no path.
    file: DataFile | None = None

    @classmethod
    def at(
        cls,
        given: str | os.PathLike[str],
        encoding: str | None = None,
        separator: str | None = None,
    ) -> FileSet:
        """The files of a path: itself, those in and below a folder, or those that a pattern finds."""
        root = Path(given)
        paths = _found(root)
        parts = tuple(DataPart(path, _partition(root, path)) for path in paths)
        kinds = {_kind(part.path, encoding, separator) for part in parts}
        if len(kinds) > 1:
            raise InputError.of(
                str(given),
                f"there are {' and '.join(KINDS[kind] for kind in sorted(kinds))} files in it",
                "give the files of one kind: 'data/*.parquet'",
            )
        _check_partitions(parts)
        return cls(str(given), kinds.pop(), parts)

    @classmethod
    def held(cls, file: DataFile, encoding: str | None, separator: str | None) -> FileSet:
        """A file that is open, and can be read under no path."""
        return cls(str(file.path), _kind_of(file, encoding, separator), (DataPart(file.path, {}),), file)

    @contextmanager
    def opened(self, part: Path) -> Iterator[DataFile]:
        """One of the files."""
        if self.file is not None:
            yield self.file
            return
        with DataFile.at(part) as file:
            yield file

    @property
    def partitions(self) -> tuple[str, ...]:
        """The columns that folders name."""
        return tuple(self.parts[0].partition)

    @property
    def base(self) -> Path:
        """The folder below which the names of folders speak of columns."""
        root = Path(self.given)
        return root if root.is_dir() else _fixed_folder(root)

    @property
    def size(self) -> int:
        return sum(part.path.stat().st_size for part in self.parts)

    def state(self) -> State:
        """What changes when somebody writes to one of the files, or puts another in its place."""
        if self.file is not None:
            return ()
        found = (part.path.stat() for part in self.parts)
        return tuple((each.st_ino, each.st_size, each.st_mtime_ns, each.st_ctime_ns) for each in found)

    def check_unchanged(self, before: State) -> None:
        if self.file is not None:
            return
        if self.state() != before or tuple(part.path for part in self.parts) != tuple(
            _found(Path(self.given))
        ):
            raise changed(self.given)


def changed(place: str) -> InputError:
    return InputError.of(
        place,
        "the data were changed while they were counted",
        "wait until nothing writes to them any more, then try again",
    )


def is_several(given: str | os.PathLike[str]) -> bool:
    """Whether a path is a folder or a pattern."""
    return Path(given).is_dir() or (not Path(given).exists() and _is_pattern(given))


def _is_pattern(given: str | os.PathLike[str]) -> bool:
    return any(mark in str(given) for mark in PATTERN_MARKS)


def _found(root: Path) -> list[Path]:
    if root.is_dir():
        found = _below(root)
        wrong = "there is no CSV, JSON lines or Parquet file in this folder"
    elif not root.exists() and _is_pattern(root):
        matches = glob.glob(str(root), recursive=True)  # noqa: PTH207 - a pattern may be absolute
        found = sorted(Path(name) for name in matches if Path(name).is_file())
        wrong = "no file matches this pattern"
    else:
        return [root]
    if not found:
        raise InputError.of(str(root), wrong, "check the path")
    return found


def _below(root: Path) -> list[Path]:
    """The data files in and below a folder; names that begin with a dot or an underscore are those of other
    programs' notes."""

    def refused(error: OSError) -> None:
        raise error

    found = []
    for folder, folders, names in os.walk(root, onerror=refused):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        data = (name for name in names if not name.startswith((".", "_")) and _ending(name))
        found += [Path(folder) / name for name in data]
    return sorted(found)


def _ending(name: str) -> Kind | None:
    unpacked = unpacked_name(Path(name))
    return next((kind for ending, kind in ENDINGS.items() if unpacked.endswith(ending)), None)


def _kind(path: Path, encoding: str | None, separator: str | None) -> Kind:
    """By the first bytes: a name may say anything."""
    with DataFile.at(path) as file:
        return _kind_of(file, encoding, separator)


def _kind_of(file: DataFile, encoding: str | None, separator: str | None) -> Kind:
    from paretonym.source.text_stream import TextFile, is_json_lines

    first = file.read(0, 16)
    if first.startswith(PARQUET):
        return "parquet"
    if first.startswith(WORKBOOKS):
        wrong = "an Excel workbook can be read only by itself"
        raise InputError.of(str(file.path), wrong, "give the workbook itself")
    check_text(file.path, first)
    # What has a separator is not JSON, whatever it begins with.
    return "json" if separator is None and is_json_lines(TextFile.of(file, encoding)) else "csv"


def _partition(root: Path, path: Path) -> dict[str, str | None]:
    """What the folders say between the one that was named and the file."""
    base = root if root.is_dir() else _fixed_folder(root)
    folders = path.parent.relative_to(base).parts if path.is_relative_to(base) else ()
    pairs = (folder.split("=", 1) for folder in folders if "=" in folder)
    return {unquote(key): None if value == HIVE_NULL else unquote(value) for key, value in pairs}


def _fixed_folder(pattern: Path) -> Path:
    """The folder in front of the first mark of a pattern."""
    fixed = []
    for part in pattern.parts[:-1]:
        if _is_pattern(part):
            break
        fixed.append(part)
    return Path(*fixed)


def _check_partitions(parts: Sequence[DataPart]) -> None:
    """Every file lies in folders that name the same columns."""
    for part in parts:
        if list(part.partition) != list(parts[0].partition):
            raise InputError.of(
                str(part.path),
                f"its folders name {_named(part)}, those of {parts[0].path} name {_named(parts[0])}",
                "put every file into folders that name the same columns",
            )


def _named(part: DataPart) -> str:
    return ", ".join(f"'{printable(key)}'" for key in part.partition) or "no column"


NO_ROW = ("there is a header but there are no rows", "give a file with rows")


class LongRecord(Exception):
    """A record does not fit into a block: the rows have to be read again in larger ones."""


class TextRelation(ABC):
    """Columns of text files, and the query that reads some of the columns."""

    def __init__(self, files: FileSet, encoding: str | None) -> None:
        self.files = files
        self.fault: BaseException | None = None
        # The columns whose numbers have a decimal comma.
        self.commas: frozenset[str] = frozenset()
        self._encoding = encoding

    @property
    @abstractmethod
    def header(self) -> tuple[str, ...]:
        """The columns of the files."""

    @abstractmethod
    def blocks(self, path: Path, places: Sequence[int]) -> Iterator[list[Any]]:
        """The columns at some places, at least one, block by block, as the reader in memory would give
        them."""

    def enlarge(self) -> None:  # noqa: B027 - not every reader has blocks of bytes
        """Read in larger blocks from now on."""

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.header, *self.files.partitions)

    @property
    def types(self) -> Mapping[str, Any]:
        return dict.fromkeys(self.names, pa.string())

    @contextmanager
    def selected(self, session: Any, names: Sequence[str]) -> Iterator[str]:
        """A query for some columns, called c0, c1, … in their order."""
        schema = _shape(names)
        batches = self._noting(self._rows(names, schema))
        with session.registered("stream", pa.RecordBatchReader.from_batches(schema, batches)):
            yield "select * from stream"

    def no_row(self) -> InputError:
        return InputError.of(self.files.given, *NO_ROW)

    def _noting(self, batches: Iterator[Any]) -> Iterator[Any]:
        """What goes wrong here would reach us as an error of DuckDB."""
        try:
            yield from batches
        except BaseException as fault:
            self.fault = fault
            raise

    def _rows(self, names: Sequence[str], schema: Any) -> Iterator[Any]:
        for part in self.files.parts:
            yield from self._part_rows(part, names, schema)

    def _part_rows(self, part: DataPart, names: Sequence[str], schema: Any) -> Iterator[Any]:
        header, places = self.header, [self.names.index(name) for name in names]
        read = sorted({place for place in places if place < len(header)})
        said = [part.partition[name] for name in self.files.partitions]
        # Some column must be read, so that rows are counted.
        for batch in self.blocks(part.path, read or [0]):
            cells = {
                **{place: self._pointed(place, cell) for place, cell in zip(read or [0], batch, strict=True)},
                **{len(header) + number: _constant(text, len(batch[0])) for number, text in enumerate(said)},
            }
            yield pa.record_batch([cells[place] for place in places], schema=schema)

    def _pointed(self, place: int, cells: Any) -> Any:
        name = self.names[place]
        return with_points(cells, f"{self.files.given}, column '{name}'") if name in self.commas else cells

    @contextmanager
    def opened(self, path: Path) -> Iterator[TextFile]:
        with self.files.opened(path) as file:
            check_text(path, file.read(0, 16))
            yield TextFile.of(file, self._encoding)

    def check_partitions(self) -> None:
        for name in self.files.partitions:
            if name in self.header:
                raise InputError.of(
                    self.files.given,
                    f"column '{name}' is both in the files and in the names of their folders",
                    "rename one of them",
                )


def _shape(names: Sequence[str]) -> Any:
    return pa.schema([(f"c{number}", pa.string()) for number in range(len(names))])


def _constant(text: str | None, rows: int) -> Any:
    return pa.repeat(pa.scalar(text or None, pa.string()), rows)


BLOCK = 1 << 23
# For records that are longer than a block.
LARGER_BLOCK = 1 << 27


class CsvRelation(TextRelation):
    """Columns of CSV files, and the query that reads some of the columns."""

    def __init__(self, files: FileSet, encoding: str | None, separator: str | None) -> None:
        super().__init__(files, encoding)
        self._block = BLOCK
        self._layouts = {part.path: self._layout(part.path, separator) for part in files.parts}
        self._check_alike()

    @property
    def header(self) -> tuple[str, ...]:
        return self._layouts[self.files.parts[0].path].names

    @property
    def separator(self) -> str | None:
        """The separator, where every reader of CSV finds the same cells: in UTF-8, without blanks behind
        separators and without a line that names it."""
        plain = not self.stripped and all(map(self._is_plain, self._layouts))
        marks = {layout.separator.decode() for layout in self._layouts.values()}
        return marks.pop() if plain and len(marks) == 1 else None

    def _is_plain(self, path: Path) -> bool:
        with self.opened(path) as text:
            return text.encoding == "utf-8" and not text.skipped

    def enlarge(self) -> None:
        self._block, self.fault = LARGER_BLOCK, None

    def extent(self, names: Sequence[str]) -> tuple[int, int]:
        """How many rows there are, and how many bytes of UTF-8 in their cells of these columns of the files.
        Faults are reported by line."""
        places, rows, size = [self.header.index(name) for name in names], 0, 0
        try:
            for path in self._layouts:
                # Some column must be read, so that rows are counted.
                for batch in self.blocks(path, places or [0]):
                    rows += len(batch[0])
                    cells = batch if places else ()
                    size += sum(pc.sum(pc.binary_length(cell), min_count=0).as_py() for cell in cells)
        except LongRecord:
            self.enlarge()
            return self.extent(names)
        return rows, size

    def blocks(self, path: Path, places: Sequence[int]) -> Iterator[list[Any]]:
        layout = self._layouts[path]
        if layout.empty:
            return
        with self.opened(path) as text:
            shown = (batch.columns for batch in self._batches(text, layout, places))
            if self.stripped:
                shown = (
                    [_without_blank(c) if place else c for place, c in zip(places, batch, strict=True)]
                    for batch in shown
                )
            yield from _rows_of_one(shown, layout) if len(layout.names) == 1 else shown

    def _batches(self, text: TextFile, layout: Layout, places: Sequence[int]) -> Iterator[Any]:
        try:
            with text.reading(), text.open() as stream:
                stream.read(layout.header.end)
                yield from arrow_csv.open_csv(
                    stream, *arrow_options(layout, self._block, pa.string(), places)
                )
        except pa.ArrowException:
            # Arrow's messages hold rows, so none of them may get out.
            check_rows(text, layout.separator, len(layout.names))
            raise (LongRecord() if self._block == BLOCK else unreadable(text)) from None

    @cached_property
    def stripped(self) -> bool:
        """Whether every value but the first of each row starts with a blank, in all files; then it belongs
        to the separator. Where the first rows do not look like that, nothing more is read."""
        layouts = self._layouts.values()
        if not all(layout.blanks and len(layout.names) > 1 for layout in layouts):
            return False
        filled = False
        for path, layout in self._layouts.items():
            if layout.empty:
                continue
            with self.opened(path) as text:
                for batch in self._batches(text, layout, range(1, len(layout.names))):
                    for column in batch.columns:
                        if not pc.all(pc.starts_with(column, " "), min_count=0).as_py():
                            return False
                        filled = filled or column.null_count < len(column)
        return filled

    def _layout(self, path: Path, separator: str | None) -> Layout:
        with self.opened(path) as text:
            return layout_of(text, separator)

    def _check_alike(self) -> None:
        self.check_partitions()
        first = self.files.parts[0].path
        for path, layout in self._layouts.items():
            if layout.names != self.header:
                raise InputError.of(
                    f"{path}, header",
                    f"its columns are not those of {first}",
                    "give files that have the same columns in the same order",
                )


def _without_blank(column: Any) -> Any:
    """Without the blank that belongs to the separator; what is empty then is null."""
    shorter = pc.utf8_slice_codeunits(column, 1)
    return pc.if_else(pc.equal(shorter, ""), pa.scalar(None, pa.string()), shorter)


def _rows_of_one(batches: Iterator[list[Any]], layout: Layout) -> Iterator[list[Any]]:
    """Of one column, a blank line is a missing value, except the header's line end and those at the end."""
    first, held, kept = 1, pa.array([], pa.string()), layout.found.blank_at_end
    for (column,) in batches:
        column, first = column.slice(min(first, len(column))), max(0, first - len(column))
        held = pa.concat_arrays([held, column])
        ready = max(0, len(held) - kept)
        yield [held.slice(0, ready)]
        held = held.slice(ready)


class JsonRelation(TextRelation):
    """Columns of JSON lines, which are the keys of all files in the order that is wanted, and the query that
    reads some of them."""

    def __init__(self, files: FileSet, encoding: str | None, order: Sequence[str]) -> None:
        super().__init__(files, encoding)
        found: dict[str, None] = {}
        for part in files.parts:
            with self.opened(part.path) as text:
                found.update(dict.fromkeys(names_in(text)))
        self._header = tuple(in_order(found, order) if order else found)
        check_shape(files.given, self._header, rows=1)
        self.check_partitions()

    @property
    def header(self) -> tuple[str, ...]:
        return self._header

    def blocks(self, path: Path, places: Sequence[int]) -> Iterator[list[Any]]:
        names = [self._header[place] for place in places]
        with self.opened(path) as text:
            yield from (cells_of(block, names) for block in blocks(text))
