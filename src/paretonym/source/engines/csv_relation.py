"""CSV files as a relation of DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from paretonym.arrow import arrow_csv, pa, pc
from paretonym.errors import InputError
from paretonym.source.csv_faults import check_rows
from paretonym.source.csv_reader import Layout, arrow_options, layout_of, unreadable
from paretonym.source.engines.file_set import FileSet
from paretonym.source.engines.text_relation import LongRecord, TextRelation
from paretonym.source.text_stream import TextFile

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

    def enlarge(self) -> None:
        self._block, self.fault = LARGER_BLOCK, None

    def settle(self) -> None:
        _ = self._blank_separator

    def blocks(self, path: Path, places: Sequence[int]) -> Iterator[list[Any]]:
        layout = self._layouts[path]
        if layout.empty:
            return
        with self.opened(path) as text:
            shown = (batch.columns for batch in self._batches(text, layout, places))
            if self._blank_separator:
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
