"""CSV files as a relation of DuckDB: our own strict reader hands the columns over block by block, so that an
engine sees exactly what the reader in memory sees, and faults are reported by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from paretonym.arrow import arrow_csv, pa, pc
from paretonym.errors import InputError
from paretonym.source.csv_faults import check_rows
from paretonym.source.csv_reader import NO_ROW, Layout, arrow_options, layout_of, unreadable
from paretonym.source.data_file import DataFile
from paretonym.source.engines.duckdb_session import Session
from paretonym.source.engines.file_set import DataPart, FileSet
from paretonym.source.table_reader import GZIP, check_text
from paretonym.source.text_stream import TextFile

BLOCK = 1 << 23
# For records that are longer than a block.
LARGER_BLOCK = 1 << 27


class LongRecord(Exception):
    """A record does not fit into a block: the rows have to be read again in larger ones."""


class CsvRelation:
    """Columns of CSV files, and the query that reads some of the columns."""

    def __init__(self, files: FileSet, encoding: str | None, separator: str | None) -> None:
        self.files = files
        self.fault: BaseException | None = None
        self._encoding = encoding
        self._block = BLOCK
        self._layouts = {part.path: self._layout(part.path, separator) for part in files.parts}
        self._check_alike()

    @property
    def _header(self) -> tuple[str, ...]:
        return self._layouts[self.files.parts[0].path].names

    @property
    def names(self) -> tuple[str, ...]:
        return (*self._header, *self.files.partitions)

    @property
    def types(self) -> Mapping[str, Any]:
        return dict.fromkeys(self.names, pa.string())

    @contextmanager
    def selected(self, session: Session, names: Sequence[str]) -> Iterator[str]:
        """A query for some columns, called c0, c1, … in their order."""
        schema = _shape(names)
        batches = self._noting(self._rows(names, schema))
        with session.registered("stream", pa.RecordBatchReader.from_batches(schema, batches)):
            yield "select * from stream"

    def no_row(self) -> InputError:
        return InputError.of(self.files.given, *NO_ROW)

    def enlarge(self) -> None:
        """Read in larger blocks from now on."""
        self._block, self.fault = LARGER_BLOCK, None

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

    def part_rows(self, number: int, names: Sequence[str]) -> Iterator[Any]:
        """Some columns of one of the files, called c0, c1, … in their order. Blocks are large ones, since
        what was handed over cannot be taken back."""
        self._block = LARGER_BLOCK
        yield from self._part_rows(self.files.parts[number], names, _shape(names))

    def settle(self) -> None:
        """Find out what depends on all files, before one of them is read elsewhere."""
        _ = self._blank_separator

    def _part_rows(self, part: DataPart, names: Sequence[str], schema: Any) -> Iterator[Any]:
        header, places = self._header, [self.names.index(name) for name in names]
        read = sorted({place for place in places if place < len(header)})
        said = [part.partition[name] for name in self.files.partitions]
        for batch in self._blocks(part.path, read):
            cells = {
                **dict(zip(read, batch, strict=True)),
                **{len(header) + number: _constant(text, len(batch[0])) for number, text in enumerate(said)},
            }
            yield pa.record_batch([cells[place] for place in places], schema=schema)

    def _blocks(self, path: Path, places: Sequence[int]) -> Iterator[list[Any]]:
        """The columns at some places, block by block, as the reader in memory would give them."""
        layout = self._layouts[path]
        if layout.empty:
            return
        # Some column must be read, so that rows are counted.
        read = list(places) or [0]
        with self._opened(path) as text:
            shown = (batch.columns for batch in self._batches(text, layout, read))
            if self._blank_separator:
                shown = (
                    [_without_blank(c) if place else c for place, c in zip(read, batch, strict=True)]
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
    def _blank_separator(self) -> bool:
        """Whether every value but the first of each row starts with a blank, in all files; then it belongs
        to the separator. Where the first rows do not look like that, nothing more is read."""
        layouts = self._layouts.values()
        if not all(layout.blanks and len(layout.names) > 1 for layout in layouts):
            return False
        filled = False
        for path, layout in self._layouts.items():
            if layout.empty:
                continue
            with self._opened(path) as text:
                for batch in self._batches(text, layout, range(1, len(layout.names))):
                    for column in batch.columns:
                        if not pc.all(pc.starts_with(column, " "), min_count=0).as_py():
                            return False
                        filled = filled or column.null_count < len(column)
        return filled

    @contextmanager
    def _opened(self, path: Path) -> Iterator[TextFile]:
        with DataFile.at(path) as file:
            first = file.read(0, 16)
            check_text(path, first)
            yield TextFile.of(file, first.startswith(GZIP), self._encoding)

    def _layout(self, path: Path, separator: str | None) -> Layout:
        with self._opened(path) as text:
            return layout_of(text, separator)

    def _check_alike(self) -> None:
        for name in self.files.partitions:
            if name in self._header:
                raise InputError.of(
                    self.files.given,
                    f"column '{name}' stands in the files and in the names of their folders",
                    "rename one of them",
                )
        first = self.files.parts[0].path
        for path, layout in self._layouts.items():
            if layout.names != self._header:
                raise InputError.of(
                    f"{path}, header",
                    f"its columns are not those of {first}",
                    "give files that have the same columns in the same order",
                )


def _shape(names: Sequence[str]) -> Any:
    return pa.schema([(f"c{number}", pa.string()) for number in range(len(names))])


def _constant(text: str | None, rows: int) -> Any:
    return pa.repeat(pa.scalar(text or None, pa.string()), rows)


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
