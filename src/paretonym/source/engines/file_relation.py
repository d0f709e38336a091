"""Files as a relation of DuckDB, by their kind."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeAlias

from paretonym.source.engines.csv_relation import CsvRelation
from paretonym.source.engines.file_set import FileSet
from paretonym.source.engines.json_relation import JsonRelation
from paretonym.source.engines.parquet_relation import ParquetRelation
from paretonym.source.engines.text_relation import TextRelation
from paretonym.source.value_types import categories_in

Relation: TypeAlias = ParquetRelation | TextRelation


def relation_of(
    files: FileSet, encoding: str | None, separator: str | None, commas: Collection[str] = ()
) -> Relation:
    """What reads these files, which are of one kind. Numbers in the columns `commas` of text files have a
    decimal comma."""
    if files.kind == "parquet":
        return ParquetRelation(files)
    json = files.kind == "json"
    relation = JsonRelation(files, encoding) if json else CsvRelation(files, encoding, separator)
    relation.commas = frozenset(commas)
    return relation


def categories_of(relation: Relation) -> dict[str, bool]:
    """The columns of categories, and whether these are ordered, as the first file declares them."""
    names = relation.names
    return categories_in(names, [relation.types[name] for name in names])
