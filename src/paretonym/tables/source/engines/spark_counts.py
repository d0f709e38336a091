"""Parquet files counted in Spark, which reads them itself: a session is opened for them, and nothing more."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from paretonym.base.budget import usable_cores
from paretonym.base.errors import Field, InputError
from paretonym.base.extras import require
from paretonym.tables.source.data_source import TableForm, Wanted
from paretonym.tables.source.engines.duckdb_session import parse_memory
from paretonym.tables.source.engines.lazy_frame import LazyRelation, errors_without_values
from paretonym.tables.source.engines.relation import count_relation
from paretonym.tables.source.file_set import FileSet
from paretonym.tables.source.parquet_files import ParquetShape
from paretonym.tables.source.table_counts import Counts

REMOTE = "SPARK_REMOTE"
CALM = {
    # A bar on the terminal would spoil our own.
    "spark.ui.showConsoleProgress": "false",
    "spark.ui.enabled": "false",
    "spark.log.level": "OFF",
}


def open_session(memory: int | None) -> Any:
    """A session of Spark. One that is started here gets `memory` bytes, and ends with the process."""
    require("spark", str(Field("engine", "spark")))
    with warnings.catch_warnings():
        # Those of Spark are about versions of pandas, which is not used.
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        if (active := SparkSession.getActiveSession()) is not None:
            return active
        builder = SparkSession.builder.appName("paretonym")
        if REMOTE not in os.environ:
            builder = builder.config(map=_settings(memory))
        try:
            with _silent():
                return builder.getOrCreate()
        except Exception as error:
            raise _refusal(error) from None


def _settings(memory: int | None) -> dict[str, str]:
    """Those of a session that is started here; two hundred partitions, as for a cluster, would take longer to
    start than to count."""
    settings = {**CALM, "spark.sql.shuffle.partitions": str(2 * usable_cores())}
    if memory is not None:
        settings["spark.driver.memory"] = f"{memory >> 20}m"
    return settings


def _refusal(error: Exception) -> InputError:
    """Error of Spark at its start. Its words may hold addresses with passwords: only its kind gets out."""
    condition = getattr(error, "getCondition", lambda: None)() or type(error).__name__
    return InputError.of(
        Field("engine", "spark"),
        f"Spark could not be started ({condition})",
        f"it needs Java 17 or later, or {REMOTE} names a server; pyspark and spark-shell say more",
    )


@contextmanager
def _silent() -> Iterator[None]:
    """Java writes its log where our stderr goes, and the log of a failed task quotes rows."""
    sys.stderr.flush()
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        try:
            stderr = os.dup(2)
        except OSError:
            yield
            return
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)


def count_in_spark(files: FileSet, wanted: Wanted, memory: str | None, form: TableForm) -> Counts:
    """The distinct rows of Parquet files, with their counts."""
    if files.kind != "Parquet":
        wrong = f"Spark is given Parquet files, and these are {files.kind}"
        raise InputError.of(Field("engine", "spark"), wrong, "leave the engine out: DuckDB reads such files")
    limit, before = parse_memory(memory), files.state()
    types = ParquetShape.of(files).types
    with errors_without_values("spark", files.path):
        frame = _parquet_frame(open_session(limit if memory else None), files)
    counts = count_relation(
        LazyRelation(frame, tuple(types), files.path, types),
        wanted,
        limit,
        Path(files.path).name,
        engine="spark",
        path=files.path,
        files=tuple(str(part.path) for part in files.parts),
        memory=memory,
        form=form,
    )
    files.check_unchanged(before)
    return counts


def _parquet_frame(session: Any, files: FileSet) -> Any:
    """Folders that name columns hold text, as in every other engine: Spark guesses no type of a column that
    it is given one for."""
    reader, paths = _reader(session, files)
    if not files.partitions:
        return reader.parquet(*paths)
    shape = session.read.parquet(paths[0]).schema
    for name in files.partitions:
        shape = shape.add(name, "string")
    return reader.schema(shape).parquet(*paths)


def _reader(session: Any, files: FileSet) -> tuple[Any, list[str]]:
    """Reader of files, and their addresses."""
    paths = [_address(part.path) for part in files.parts]
    return session.read.option("basePath", _address(files.base)) if files.partitions else session.read, paths


def _address(path: Path) -> str:
    """A cluster may look for paths elsewhere unless it is said that they are files."""
    return f"file://{path.absolute()}"
