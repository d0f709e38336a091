"""Files as a relation of DuckDB, by their kind."""

from __future__ import annotations

from typing import TypeAlias

from paretonym.source.engines.csv_relation import CsvRelation
from paretonym.source.engines.file_set import FileSet
from paretonym.source.engines.json_relation import JsonRelation
from paretonym.source.engines.parquet_relation import ParquetRelation
from paretonym.source.engines.text_relation import TextRelation

Relation: TypeAlias = ParquetRelation | TextRelation


def relation_of(files: FileSet, encoding: str | None, separator: str | None) -> Relation:
    """What reads these files, which are of one kind."""
    if files.kind == "parquet":
        return ParquetRelation(files)
    return JsonRelation(files, encoding) if files.kind == "json" else CsvRelation(files, encoding, separator)
