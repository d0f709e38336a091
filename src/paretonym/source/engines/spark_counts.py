"""Files counted in Spark. Parquet is read by Spark itself, with the types that Arrow finds in the files. CSV
and JSON lines are read by our own strict readers, which run in Spark's workers, one task for each file: what
a text file means must not depend on where it is counted."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from paretonym.errors import InputError, Problem
from paretonym.source.counted_table import CountedTable
from paretonym.source.data_source import Wanted
from paretonym.source.engines.counting_engine import type_problems
from paretonym.source.engines.duckdb_session import parse_memory
from paretonym.source.engines.file_relation import Relation, categories_of, relation_of
from paretonym.source.engines.file_set import FileSet
from paretonym.source.engines.frame_dialects import SPARK, asking
from paretonym.source.engines.lazy_frame import FrameCounts
from paretonym.source.engines.parquet_relation import ParquetRelation
from paretonym.source.engines.spark_session import open_session
from paretonym.source.engines.text_relation import TextRelation

# What a reader of ours found wrong in a worker, within the text of Spark's error.
FAULT = re.compile(r"paretonym-fault:([0-9a-f]*);")


def count_in_spark(
    given: str, wanted: Wanted, memory: str | None, encoding: str | None, separator: str | None
) -> CountedTable:
    """The distinct rows of a file, or of all files of a folder or a pattern, with their counts."""
    limit = parse_memory(memory)
    # Spark's workers have a working folder of their own.
    given = os.path.abspath(given)  # noqa: PTH100 - a pattern is no path
    files = FileSet.at(given)
    before = files.state()
    relation = relation_of(files, encoding, separator, wanted)
    names, unique = wanted.of(relation.names), wanted.unique_of(relation.names)
    if problems := type_problems(given, {name: relation.types[name] for name in (*names, *unique)}):
        raise InputError(problems)
    session = open_session(limit if memory else None)
    with asking(SPARK.engine, given):
        frame = _frame(session, relation, (*names, *unique))
    counts = FrameCounts(frame, SPARK, given, limit, _fault_in, relation.types)
    table = counts.table(wanted, relation.names)
    files.check_unchanged(before)
    return replace(
        table,
        name=Path(given).name,
        path=given,
        files=tuple(str(part.path) for part in files.parts),
        memory=memory,
        encoding=encoding,
        separator=separator,
        blocks=counts.column_blocks,
        categories=categories_of(relation),
    )


def _frame(session: Any, relation: Relation, names: Sequence[str]) -> Any:
    """The files as a frame of Spark, with the columns that are needed at least."""
    if isinstance(relation, ParquetRelation):
        return _parquet_frame(session, relation)
    return _text_frame(session, relation, names)


def _parquet_frame(session: Any, relation: ParquetRelation) -> Any:
    """Folders that name columns hold text, as in every other engine: Spark guesses no type of a column that
    it is given one for."""
    files = relation.files
    paths = [_address(part.path) for part in files.parts]
    if not files.partitions:
        return session.read.parquet(*paths)
    shape = session.read.parquet(paths[0]).schema
    for name in files.partitions:
        shape = shape.add(name, "string")
    return session.read.schema(shape).option("basePath", _address(files.base)).parquet(*paths)


def _address(path: Path) -> str:
    """A cluster may look for paths elsewhere unless it is said that they are files."""
    return f"file://{path.absolute()}"


def _text_frame(session: Any, relation: TextRelation, names: Sequence[str]) -> Any:
    """A task for each file, in which our reader hands over the columns block by block."""
    number = len(relation.files.parts)
    relation.settle()
    shape = ", ".join(f"c{place} string" for place in range(len(names)))

    def rows(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for part in batch.column(0).to_pylist():
                yield from _reported(relation.part_rows(part, names))

    return session.range(0, number, 1, number).mapInArrow(rows, shape).toDF(*names)


class ReaderFault(Exception):
    """What a reader of ours says in a worker, in letters that survive the way back."""


def _reported(batches: Iterator[Any]) -> Iterator[Any]:
    try:
        yield from batches
    except InputError as error:
        said = [[str(problem.place), problem.wrong, problem.remedy] for problem in error.problems]
        raise ReaderFault(f"paretonym-fault:{json.dumps(said).encode().hex()};") from None


def _fault_in(text: str) -> Exception | None:
    """What a reader of ours has found wrong, if the text of an error of Spark says so."""
    found = FAULT.search(text)
    if found is None:
        return None
    return InputError([Problem(*said) for said in json.loads(bytes.fromhex(found[1]))])
