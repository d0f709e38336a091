"""Files counted in Spark, which reads them itself: a session is opened for them, and nothing more. CSV files
are read here first, since Spark is lenient: separator and header are found, faults are reported by line, and
Spark must find the same number of rows and bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from paretonym.errors import InputError
from paretonym.source.data_source import Wanted
from paretonym.source.dictionary_encoding import type_problems
from paretonym.source.engines.duckdb_counts import Relation, categories_of, relation_of
from paretonym.source.engines.duckdb_session import parse_memory
from paretonym.source.engines.lazy_frame import LazyCounts, asking
from paretonym.source.engines.parquet_relation import ParquetRelation
from paretonym.source.engines.spark_session import open_session
from paretonym.source.file_relation import CsvRelation, FileSet
from paretonym.source.table_counts import Counts

OTHERWISE = "leave the engine out: DuckDB reads such files"


def count_in_spark(
    files: FileSet, wanted: Wanted, memory: str | None, encoding: str | None, separator: str | None
) -> Counts:
    """The distinct rows of files, with their counts."""
    limit, before = parse_memory(memory), files.state()
    relation = relation_of(files, encoding, separator, wanted)
    names, unique = wanted.of(relation.names), wanted.unique_of(relation.names)
    if problems := type_problems(files.given, {name: relation.types[name] for name in (*names, *unique)}):
        raise InputError(problems)
    if isinstance(relation, ParquetRelation):
        with asking("spark", files.given):
            frame = _parquet_frame(open_session(limit if memory else None), relation)
    else:
        frame = _csv_frame(partial(open_session, limit if memory else None), relation, (*names, *unique))
    table = LazyCounts(frame, relation.names, files.given, limit, relation.types).table(wanted)
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
        categories=categories_of(relation),
    )


def _parquet_frame(session: Any, relation: ParquetRelation) -> Any:
    """Folders that name columns hold text, as in every other engine: Spark guesses no type of a column that
    it is given one for."""
    reader, paths = _reader(session, relation.files)
    if not relation.files.partitions:
        return reader.parquet(*paths)
    shape = session.read.parquet(paths[0]).schema
    for name in relation.files.partitions:
        shape = shape.add(name, "string")
    return reader.schema(shape).parquet(*paths)


def _csv_frame(opened: Callable[[], Any], relation: Relation, names: Sequence[str]) -> Any:
    """Files in which Spark finds the cells that our own reader finds in the columns of these names."""
    place = relation.files.given
    if not isinstance(relation, CsvRelation) or relation.separator is None:
        wrong = "Spark is given CSV and Parquet files in UTF-8, whose cells are written in the usual way"
        raise InputError.of(place, wrong, OTHERWISE)
    cells = [name for name in names if name in relation.header]
    rows, size = relation.extent(cells)
    places = [f"f{place}" for place in range(len(relation.names))]
    if not rows:
        raise relation.no_row()
    with asking("spark", place):
        frame = _read_csv(opened(), relation, relation.separator)
        read = _extent(frame.toDF(*places), [places[relation.names.index(name)] for name in cells])
    if read != (rows, size):
        wrong = (
            f"Spark would read other cells: {read[0]:,} rows with {read[1]:,} bytes, "
            f"where there are {rows:,} with {size:,}"
        )
        raise InputError.of(place, wrong, OTHERWISE)
    return frame


def _read_csv(session: Any, relation: CsvRelation, separator: str) -> Any:
    """Columns get their names last: Spark's ignore case."""
    from pyspark.sql.types import StringType, StructField, StructType

    reader, paths = _reader(session, relation.files)
    names = (*(f"cell {place}" for place in range(len(relation.header))), *relation.files.partitions)
    shape = StructType([StructField(name, StringType()) for name in names])
    strict = reader.schema(shape).option("header", True).option("mode", "FAILFAST")
    whole = strict.option("multiLine", True).option("columnPruning", False)
    return whole.option("escape", '"').option("sep", separator).csv(paths).toDF(*relation.names)


def _extent(frame: Any, names: Sequence[str]) -> tuple[int, int]:
    """How many rows there are, and how many bytes of UTF-8 in their cells."""
    sums = (f"coalesce(sum(octet_length({name})), 0)" for name in names)
    rows, *sizes = frame.selectExpr("count(*)", *sums).collect()[0]
    return rows, sum(sizes)


def _reader(session: Any, files: FileSet) -> tuple[Any, list[str]]:
    """What reads files, and their addresses."""
    paths = [_address(part.path) for part in files.parts]
    return session.read.option("basePath", _address(files.base)) if files.partitions else session.read, paths


def _address(path: Path) -> str:
    """A cluster may look for paths elsewhere unless it is said that they are files."""
    return f"file://{path.absolute()}"
