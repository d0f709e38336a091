"""Files counted in DuckDB: one pass for the distinct rows of all columns that are needed, and one for each
column that must not repeat. Columns that are dropped are never read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from paretonym.errors import InputError
from paretonym.source.data_source import Wanted
from paretonym.source.dictionary_encoding import (
    ArrowCounts,
    check_most,
    check_room,
    counted_columns,
    in_type,
    repeated_values,
    room_for,
    table_of,
    type_problems,
)
from paretonym.source.engines.coarse_counts import ERROR, coarse_table, columns_of
from paretonym.source.engines.duckdb_rows import DuckdbRows
from paretonym.source.engines.duckdb_session import Session, every_nth, parse_memory, session
from paretonym.source.engines.parquet_relation import ParquetRelation
from paretonym.source.engines.text_codes import TextCodes
from paretonym.source.file_relation import (
    CsvRelation,
    FileSet,
    JsonRelation,
    LongRecord,
    State,
    TextRelation,
    changed,
)
from paretonym.source.table_counts import Counts, RepeatedValues
from paretonym.source.value_types import categories_in

Relation: TypeAlias = ParquetRelation | TextRelation

# An identifier with more repeated values is refused before they are looked at one by one.
MOST_REPEATED = 1_000_000


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


def count_files(
    files: FileSet, wanted: Wanted, memory: str | None, encoding: str | None, separator: str | None
) -> Counts:
    """The distinct rows of files, with their counts."""
    limit = parse_memory(memory)
    before = files.state()
    relation = relation_of(files, encoding, separator, wanted)
    table = _counted_in_blocks(relation, files, wanted, limit)
    files.check_unchanged(before)
    blocks = partial(_blocks, relation, before, limit)
    return replace(
        table,
        memory=memory,
        encoding=encoding,
        separator=separator,
        blocks=blocks,
        categories=categories_of(relation),
        unordered=files.kind == "json",
        stripped=isinstance(relation, CsvRelation) and relation.stripped,
    )


def sample_files(
    given: str,
    names: Sequence[str],
    step: int,
    memory: str | None,
    encoding: str | None,
    separator: str | None,
) -> Counts:
    """Some columns of every n-th row of files."""
    files = FileSet.at(given)
    relation = relation_of(files, encoding, separator)
    types = [relation.types[name] for name in names]
    with (
        session(given, parse_memory(memory), lambda: relation.fault) as engine,
        relation.selected(engine, names) as query,
    ):
        found = ArrowCounts.of(types, engine.batches(every_nth(query, len(names), step)), given)
        return table_of(Path(given).name, given, names, found)


def _blocks(relation: Relation, before: State, limit: int, name: str) -> Iterator[Any]:
    """All cells of a column, block by block."""
    files, kind = relation.files, relation.types[name]
    if isinstance(relation, TextRelation):
        # What was handed over cannot be taken back.
        relation.enlarge()
    with (
        session(files.given, limit, lambda: relation.fault) as engine,
        relation.selected(engine, [name]) as query,
    ):
        for batch in engine.batches(query):
            yield in_type(batch.column(0), kind, files.given)
    files.check_unchanged(before)


def _counted_in_blocks(relation: Relation, files: FileSet, wanted: Wanted, limit: int) -> Counts:
    if isinstance(relation, ParquetRelation):
        return _counted(relation, files, wanted, limit)
    try:
        return _counted(relation, files, wanted, limit)
    except LongRecord:
        relation.enlarge()
        return _counted(relation, files, wanted, limit)


def _counted(relation: Relation, files: FileSet, wanted: Wanted, limit: int) -> Counts:
    names, unique = wanted.of(relation.names), wanted.unique_of(relation.names)
    types = {name: relation.types[name] for name in (*names, *unique)}
    if problems := type_problems(files.given, types):
        raise InputError(problems)
    with session(files.given, limit, lambda: relation.fault) as engine:
        found = None if wanted.at else _distinct_rows(engine, relation, names, files.given, wanted.most)
        if found is None and wanted.levels is None:
            check_room(files.given, room_for(len(names), limit) + 1, len(names), limit, least=True)
        if found is None:
            return _coarse(engine, relation, files, wanted)
        columns = counted_columns(files.given, names, found)
        rows = int(found.weights.sum())
        repeats = {name: _repeated(engine, relation, name, files.given, rows) for name in unique}
    return Counts(
        name=Path(files.given).name,
        names=relation.names,
        columns=columns,
        weights=found.weights,
        repeats=repeats,
        path=files.given,
        files=tuple(str(part.path) for part in files.parts),
    )


def _coarse(engine: Session, relation: Relation, files: FileSet, wanted: Wanted) -> Counts:
    """The distinct rows at coarser levels."""
    names, unique = wanted.of(relation.names), wanted.unique_of(relation.names)
    data = _rows(engine, relation, names)
    rows = data.rows({})
    repeats = {name: _repeated(engine, relation, name, files.given, rows) for name in unique}
    source = columns_of(data, relation.names, repeats)
    before = files.state()

    @contextmanager
    def again() -> Iterator[DuckdbRows]:
        files.check_unchanged(before)
        with session(files.given, engine.limit, lambda: relation.fault) as other:
            yield _rows(other, relation, names)

    table = coarse_table(data, wanted, source, again)
    parts = tuple(str(part.path) for part in files.parts)
    return replace(table, name=Path(files.given).name, path=files.given, files=parts)


def _rows(engine: Session, relation: Relation, names: Sequence[str]) -> DuckdbRows:
    """Rows that can be read several times; those of text files are put down first, in DuckDB."""
    with relation.selected(engine, names) as query:
        if isinstance(relation, TextRelation):
            engine.run(f"create temp table rows as {query}")
            query = "from rows"
    types = tuple(relation.types[name] for name in names)
    return DuckdbRows(engine, query, tuple(names), types, relation.files.given)


def _distinct_rows(
    engine: Session, relation: Relation, names: Sequence[str], place: str, most: int | None
) -> ArrowCounts | None:
    """The distinct rows in a table of DuckDB first: it may spill, and how many there are is known before
    they are brought here. None where they are too many."""
    room = room_for(len(names), engine.limit)
    with relation.selected(engine, names) as query:
        if isinstance(relation, ParquetRelation) and relation.rows > room:
            listed = ", ".join(f"c{number}" for number in range(len(names)))
            (guess,) = engine.row(f"select approx_count_distinct(hash({listed})) from ({query})")
            check_most(place, int(guess / ERROR), most)
            if guess > room * ERROR:
                return None
        codes = None
        if isinstance(relation, ParquetRelation):
            codes = TextCodes.of(engine, len(names), relation.texts(names)).count(engine, query, "counted")
        else:
            engine.run(f"create temp table counted as select *, count(*) as n from ({query}) group by all")
    distinct, rows = engine.row("select count(*), coalesce(sum(n), 0)::bigint from counted")
    if not rows:
        raise relation.no_row()
    check_most(place, distinct, most)
    if distinct > room:
        engine.run("drop table counted")
        return None
    batches = engine.batches("from counted")
    batches = batches if codes is None else codes.read(batches)
    found = ArrowCounts.of([relation.types[name] for name in names], batches, place)
    engine.run("drop table counted")
    return found


def _repeated(engine: Session, relation: Relation, name: str, place: str, counted: int) -> RepeatedValues:
    """The values of a column that more than one row has, if they are not far too many."""
    with relation.selected(engine, [name]) as query:
        engine.run(f"create temp table repeated as select c0, count(*) as n from ({query}) group by all")
    rows, repeated = engine.row("select sum(n)::bigint, count(*) filter (n > 1) from repeated")
    if rows != counted:
        raise changed(place)
    if repeated > MOST_REPEATED:
        wrong = f"more than {MOST_REPEATED:,} values of this identifier occur in more than one row"
        remedy = 'give one row per person, or say rows = "events" if rows are not people'
        raise InputError.of(f"{place}, column '{name}'", wrong, remedy)
    kinds = [relation.types[name]]
    found = ArrowCounts.of(kinds, engine.batches("from repeated where n > 1"), place)
    engine.run("drop table repeated")
    return repeated_values(place, name, found)
