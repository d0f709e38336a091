"""Files counted in DuckDB: one pass for the distinct rows of all columns that are needed, and one for each
column that must not repeat. Columns that are dropped are never read."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from paretonym.arrow import pa
from paretonym.source.data_source import TableForm, Wanted
from paretonym.source.engines.duckdb_session import (
    DuckdbRelation,
    Session,
    StreamRelation,
    parse_memory,
    session,
)
from paretonym.source.engines.relation import count_relation
from paretonym.source.file_relation import (
    CsvRelation,
    FileSet,
    JsonRelation,
    TextRelation,
)
from paretonym.source.table_counts import Counts
from paretonym.source.value_types import categories_in
from paretonym.sql_literals import sql_text


def count_files(files: FileSet, wanted: Wanted, memory: str | None, form: TableForm) -> Counts:
    """The distinct rows of files, with their counts."""
    limit, before = parse_memory(memory), files.state()
    text = text_relation(files, form, wanted)
    with session(files.given, limit) as engine:
        if wanted.first is not None:
            # Otherwise threads would decide which rows come first.
            engine.run("set preserve_insertion_order = true")
        relation = _relation(engine, files, text)
        counts = count_relation(
            relation,
            wanted,
            limit,
            Path(files.given).name,
            path=files.given,
            files=tuple(str(part.path) for part in files.parts),
            memory=memory,
            form=form,
            categories=categories_in(relation.types),
        )
    files.check_unchanged(before)
    return counts


def text_relation(files: FileSet, form: TableForm, wanted: Wanted) -> TextRelation | None:
    """What reads text files, as they are `wanted`; None for Parquet."""
    if files.kind == "JSON lines":
        return JsonRelation(files, form, wanted.order)
    return CsvRelation(files, form) if files.kind == "CSV" else None


def _relation(engine: Session, files: FileSet, text: TextRelation | None) -> DuckdbRelation:
    if text is not None:
        return StreamRelation(engine, files.given, dict.fromkeys(text.names, pa.string()), text.rows)
    from paretonym.source.parquet_files import ParquetShape

    shape = ParquetShape.of(files)
    if shape.streamed:
        return StreamRelation(engine, files.given, shape.types, partial(shape.rows, files))
    listed = ", ".join(sql_text(str(part.path)) for part in files.parts)
    hive = str(bool(files.partitions)).lower()
    source = f"read_parquet([{listed}], hive_partitioning = {hive}, hive_types_autocast = false)"
    # Columns by position: DuckDB's names ignore case. Behind those of the files are those of the folders, in
    # an order of DuckDB's own.
    names = list(shape.types)[: len(shape.types) - len(files.partitions)]
    names += [row[0] for row in engine.rows(f"describe from {source}")][len(names) :]
    columns = ", ".join(f"f{place}" for place in range(len(names)))
    cells = {name: f"f{place}" for place, name in enumerate(names)}
    return DuckdbRelation(engine, files.given, f"{source} as file({columns})", shape.types, cells)
