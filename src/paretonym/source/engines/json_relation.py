"""JSON lines as a relation of DuckDB; the columns are the keys of all files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from paretonym.source.dictionary_encoding import check_shape
from paretonym.source.engines.file_set import FileSet
from paretonym.source.engines.text_relation import TextRelation
from paretonym.source.json_lines import blocks, cells_of, names_in


class JsonRelation(TextRelation):
    """Columns of JSON lines, and the query that reads some of the columns."""

    def __init__(self, files: FileSet, encoding: str | None) -> None:
        super().__init__(files, encoding)
        found: dict[str, None] = {}
        for part in files.parts:
            with self.opened(part.path) as text:
                found.update(dict.fromkeys(names_in(text)))
        self._header = tuple(found)
        check_shape(files.given, self._header, rows=1)
        self.check_partitions()

    @property
    def header(self) -> tuple[str, ...]:
        return self._header

    def blocks(self, path: Path, places: Sequence[int]) -> Iterator[list[Any]]:
        names = [self._header[place] for place in places]
        with self.opened(path) as text:
            yield from (cells_of(block, names) for block in blocks(text))
