"""Files counted in DuckDB: one pass for the distinct rows of all columns that are needed, and one for each
column that must not repeat. Columns that are dropped are never read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from paretonym.errors import InputError
from paretonym.source.data_source import Wanted
from paretonym.source.dictionary_encoding import (
    ArrowCounts,
    check_most,
    check_repeats,
    check_room,
    counted_columns,
    repeated_values,
    room_for,
    table_of,
    type_problems,
)
from paretonym.source.engines.duckdb_session import Session, every_nth, parse_memory, session
from paretonym.source.engines.parquet_relation import ParquetRelation
from paretonym.source.engines.text_codes import TextCodes
from paretonym.source.file_relation import (
    CsvRelation,
    FileSet,
    JsonRelation,
    LongRecord,
    TextRelation,
    changed,
)
from paretonym.source.table_counts import Counts, RepeatedValues
from paretonym.source.value_types import categories_in

Relation: TypeAlias = ParquetRelation | TextRelation

# An approximate count may be this much too low.
ERROR = 1.1


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
    return replace(
        table,
        memory=memory,
        encoding=encoding,
        separator=separator,
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
        found = _distinct_rows(engine, relation, names, files.given, wanted.most)
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


def _distinct_rows(
    engine: Session, relation: Relation, names: Sequence[str], place: str, most: int | None
) -> ArrowCounts:
    """The distinct rows in a table of DuckDB first: it may spill, and how many there are is known before
    they are brought here."""
    room = room_for(len(names), engine.limit)
    with relation.selected(engine, names) as query:
        if isinstance(relation, ParquetRelation) and relation.rows > room:
            listed = ", ".join(f"c{number}" for number in range(len(names)))
            (guess,) = engine.row(f"select approx_count_distinct(hash({listed})) from ({query})")
            check_most(place, int(guess / ERROR), most)
            if guess > room * ERROR:
                check_room(place, int(guess / ERROR), names, engine.limit, least=True)
        codes = None
        if isinstance(relation, ParquetRelation):
            codes = TextCodes.of(engine, len(names), relation.texts(names)).count(engine, query, "counted")
        else:
            engine.run(f"create temp table counted as select *, count(*) as n from ({query}) group by all")
    distinct, rows = engine.row("select count(*), coalesce(sum(n), 0)::bigint from counted")
    if not rows:
        raise relation.no_row()
    check_most(place, distinct, most)
    check_room(place, distinct, names, engine.limit)
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
    check_repeats(f"{place}, column '{name}'", repeated)
    kinds = [relation.types[name]]
    found = ArrowCounts.of(kinds, engine.batches("from repeated where n > 1"), place)
    engine.run("drop table repeated")
    return repeated_values(place, name, found)
