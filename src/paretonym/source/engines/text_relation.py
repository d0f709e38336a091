"""Text files as a relation of DuckDB: our own strict readers hand the columns over block by block, so that an
engine sees exactly what a reader in memory sees, and faults are reported by line."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from paretonym.arrow import pa
from paretonym.errors import InputError
from paretonym.source.data_file import DataFile
from paretonym.source.decimal_comma import with_points
from paretonym.source.engines.duckdb_session import Session
from paretonym.source.engines.file_set import DataPart, FileSet
from paretonym.source.table_reader import check_text
from paretonym.source.text_stream import TextFile

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

    def settle(self) -> None:  # noqa: B027
        """Find out what depends on all files, before one of them is read elsewhere."""

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.header, *self.files.partitions)

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

    def part_rows(self, number: int, names: Sequence[str]) -> Iterator[Any]:
        """Some columns of one of the files, called c0, c1, … in their order. Blocks are large ones, since
        what was handed over cannot be taken back."""
        self.enlarge()
        yield from self._part_rows(self.files.parts[number], names, _shape(names))

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
        with DataFile.at(path) as file:
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
