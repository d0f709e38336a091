"""Files counted in DuckDB: one pass for the distinct rows of all columns that are needed, and one for each
column that must not repeat. Columns that are dropped are never read."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from paretonym.base.sql_literals import sql_text
from paretonym.tables.arrow import pa
from paretonym.tables.source.csv_layout import CsvRows
from paretonym.tables.source.data_source import TableForm, Wanted
from paretonym.tables.source.engines.duckdb_session import (
    DuckdbRelation,
    Session,
    StreamRelation,
    parse_memory,
    session,
)
from paretonym.tables.source.engines.json_lines import JsonRelation
from paretonym.tables.source.engines.relation import count_relation
from paretonym.tables.source.file_set import FileSet
from paretonym.tables.source.parquet_files import ParquetShape
from paretonym.tables.source.table_counts import Counts

# Otherwise threads decide which rows come first.
IN_ORDER = "set preserve_insertion_order = true"


def count_files(files: FileSet, wanted: Wanted, memory: str | None, form: TableForm) -> Counts:
    """The distinct rows of files, with their counts."""
    limit, before = parse_memory(memory), files.state()
    with session(files.path, limit) as engine:
        if wanted.first is not None:
            engine.run(IN_ORDER)
        relation = _relation(engine, files, form, wanted)
        counts = count_relation(
            relation,
            wanted,
            limit,
            Path(files.path).name,
            path=files.path,
            files=tuple(str(part.path) for part in files.parts),
            memory=memory,
            form=form,
        )
    files.check_unchanged(before)
    return counts


def first_rows_of(files: FileSet, form: TableForm, most: int) -> Any:
    """The first rows of files as they lie in them, as a table of Arrow."""
    with session(files.path, parse_memory(None)) as engine:
        engine.run(IN_ORDER)
        relation = _relation(engine, files, form, Wanted())
        with relation.reading(relation.names):
            rows = engine.batches(f"{relation.rows_query(relation.names)} limit {most}").read_all()
        return rows.rename_columns(list(relation.names))


def _relation(engine: Session, files: FileSet, form: TableForm, wanted: Wanted) -> DuckdbRelation:
    if files.kind == "JSON lines":
        return JsonRelation(engine, files, form, wanted.order)
    if files.kind == "CSV":
        rows = CsvRows(files, form)
        return StreamRelation(engine, files.path, dict.fromkeys(rows.names, pa.string()), rows.batches)
    shape = ParquetShape.of(files)
    if shape.streamed:
        return StreamRelation(engine, files.path, shape.types, partial(shape.rows, files))
    listed = ", ".join(sql_text(str(part.path)) for part in files.parts)
    hive = str(bool(files.partitions)).lower()
    source = f"read_parquet([{listed}], hive_partitioning = {hive}, hive_types_autocast = false)"
    # Columns by position: DuckDB's names ignore case. Behind those of the files are those of the folders, in
    # an order of DuckDB's own.
    names = list(shape.types)[: len(shape.types) - len(files.partitions)]
    names += [row[0] for row in engine.rows(f"describe from {source}")][len(names) :]
    columns = ", ".join(f"f{place}" for place in range(len(names)))
    cells = {name: f"f{place}" for place, name in enumerate(names)}
    return DuckdbRelation(engine, files.path, f"{source} as file({columns})", shape.types, cells)
