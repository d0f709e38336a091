"""Files as a relation of DuckDB, by their kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from paretonym.source.column_names import in_order
from paretonym.source.data_source import Wanted
from paretonym.source.dictionary_encoding import check_shape
from paretonym.source.engines.csv_relation import CsvRelation
from paretonym.source.engines.file_set import FileSet
from paretonym.source.engines.parquet_relation import ParquetRelation
from paretonym.source.engines.text_relation import TextRelation
from paretonym.source.json_lines import blocks, cells_of, names_in
from paretonym.source.value_types import categories_in


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


Relation: TypeAlias = ParquetRelation | TextRelation


def relation_of(
    files: FileSet, encoding: str | None, separator: str | None, wanted: Wanted | None = None
) -> Relation:
    """What reads these files, which are of one kind, as it is `wanted`."""
    wanted = wanted or Wanted()
    if files.kind == "parquet":
        return ParquetRelation(files)
    json = files.kind == "json"
    relation = (
        JsonRelation(files, encoding, wanted.order) if json else CsvRelation(files, encoding, separator)
    )
    relation.commas = wanted.commas
    return relation


def categories_of(relation: Relation) -> dict[str, bool]:
    """The columns of categories, and whether these are ordered, as the first file declares them."""
    names = relation.names
    return categories_in(names, [relation.types[name] for name in names])
