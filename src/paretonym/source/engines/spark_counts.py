"""Files counted in Spark, which reads them itself: a session is opened for them, and nothing more. Separator
and header of CSV files are found here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from paretonym.errors import InputError
from paretonym.source.data_source import Wanted
from paretonym.source.dictionary_encoding import type_problems
from paretonym.source.engines.duckdb_counts import Relation, categories_of, relation_of
from paretonym.source.engines.duckdb_session import parse_memory
from paretonym.source.engines.frame_dialects import SPARK, asking
from paretonym.source.engines.lazy_frame import FrameCounts
from paretonym.source.engines.parquet_relation import ParquetRelation
from paretonym.source.engines.spark_session import open_session
from paretonym.source.file_relation import CsvRelation, FileSet
from paretonym.source.table_counts import Counts


def count_in_spark(
    files: FileSet, wanted: Wanted, memory: str | None, encoding: str | None, separator: str | None
) -> Counts:
    """The distinct rows of files, with their counts."""
    limit, before = parse_memory(memory), files.state()
    relation = relation_of(files, encoding, separator, wanted)
    names, unique = wanted.of(relation.names), wanted.unique_of(relation.names)
    if problems := type_problems(files.given, {name: relation.types[name] for name in (*names, *unique)}):
        raise InputError(problems)
    session = open_session(limit if memory else None)
    with asking(SPARK.engine, files.given):
        frame = _frame(session, relation)
    counts = FrameCounts(frame, SPARK, files.given, limit, relation.types)
    table = counts.table(wanted, relation.names)
    files.check_unchanged(before)
    return replace(
        table,
        name=Path(files.given).name,
        engine="spark",
        path=files.given,
        files=tuple(str(part.path) for part in files.parts),
        memory=memory,
        encoding=encoding,
        separator=separator,
        blocks=counts.column_blocks,
        categories=categories_of(relation),
    )


def _frame(session: Any, relation: Relation) -> Any:
    """The files as a frame of Spark. Folders that name columns hold text, as in every other engine: Spark
    guesses no type of a column that it is given one for."""
    files = relation.files
    paths = [_address(part.path) for part in files.parts]
    reader = session.read.option("basePath", _address(files.base)) if files.partitions else session.read
    if isinstance(relation, ParquetRelation):
        if not files.partitions:
            return reader.parquet(*paths)
        shape = session.read.parquet(paths[0]).schema
        for name in files.partitions:
            shape = shape.add(name, "string")
        return reader.schema(shape).parquet(*paths)
    if not isinstance(relation, CsvRelation) or relation.separator is None:
        wrong = "Spark is given CSV and Parquet files in UTF-8, whose cells are written in the usual way"
        raise InputError.of(files.given, wrong, "leave the engine out: DuckDB reads them")
    from pyspark.sql.types import StringType, StructField, StructType

    shape = StructType([StructField(name, StringType()) for name in relation.names])
    rows = reader.schema(shape).option("header", True).option("enforceSchema", False)
    strict = rows.option("mode", "FAILFAST").option("multiLine", True).option("escape", '"')
    return strict.option("sep", relation.separator).csv(paths)


def _address(path: Path) -> str:
    """A cluster may look for paths elsewhere unless it is said that they are files."""
    return f"file://{path.absolute()}"
