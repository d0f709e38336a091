"""Rows of two releases whose labels overlap, where these are no levels of one hierarchy: sets that need not
lie in one another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from paretonym.release.attack.spans import Span, spans
from paretonym.release.audit.engine import Engine
from paretonym.release.audit.meaning import SchemaLike, schema_of
from paretonym.release.audit.tablefile import TableFile, listed


@dataclass(frozen=True)
class Compared:
    """The columns that must agree, and those whose labels must overlap."""

    equal: tuple[str, ...]
    overlapping: tuple[str, ...]


def overlap(files: Mapping[str, TableFile], names: Sequence[str], schema: SchemaLike) -> Compared:
    """Make the tables `matched_a` and `matched_b`: for the different rows of either file how often each
    occurs (`own`) and how many rows of the other it fits (`other`). `files` are marked a and b."""
    described = schema_of(schema)
    equal = tuple(name for name in names if described.column(name).role != "quasi")
    read = tuple(
        name
        for name in names
        if name not in equal
        and _keep_spans(files, name, spans(described.column(name), _cells(files.values(), name)))
    )
    for mark, file in files.items():
        _group(file, mark, equal, read)
    for own, other in (("a", "b"), ("b", "a")):
        _match(files[own].engine, own, other, len(equal), len(read))
    return Compared(equal, read)


def _cells(files: Iterable[TableFile], name: str) -> list[str]:
    queries = ((file.engine, f"select distinct {file.column(name)} from {file.view}") for file in files)
    return [text for engine, query in queries for (text,) in engine.rows(query)]


def _keep_spans(files: Mapping[str, TableFile], name: str, found: Mapping[str, Span] | None) -> bool:
    """Make look-ups from cells to their spans; False if there are none."""
    if found is None:
        return False
    for mark, file in files.items():
        file.engine.run(
            f"create or replace temp table {mark}_{file.column(name)} as "
            "select unnest(?::varchar[]) as cell, unnest(?::bigint[]) as low, unnest(?::bigint[]) as high",
            [list(found), [low for low, _ in found.values()], [high for _, high in found.values()]],
        )
    return True


def _group(file: TableFile, mark: str, equal: Sequence[str], read: Sequence[str]) -> None:
    """Make the table `rows_a` of the different rows as they are compared."""
    shown = [f"{file.column(name)} as e{number}" for number, name in enumerate(equal)]
    joins = []
    for number, place in enumerate(map(file.column, read)):
        shown += [f"of_{place}.low as low{number}", f"of_{place}.high as high{number}"]
        joins.append(f"join {mark}_{place} as of_{place} on of_{place}.cell = {place}")
    grouped = f"select {listed([*shown, 'count(*) as n'])} from {file.view} {' '.join(joins)} group by all"
    file.engine.run(
        f"create or replace temp table rows_{mark} as select row_number() over () as id, * from ({grouped})"
    )


def _match(engine: Engine, own: str, other: str, equal: int, read: int) -> None:
    conditions = [f"own.e{number} = other.e{number}" for number in range(equal)]
    for number in range(read):
        conditions += [
            f"own.low{number} < other.high{number}",
            f"other.low{number} < own.high{number}",
        ]
    engine.run(
        f"create or replace temp table matched_{own} as "
        "select any_value(own.n) as own, coalesce(sum(other.n), 0)::bigint as other "
        f"from rows_{own} as own left join rows_{other} as other on {' and '.join(conditions) or 'true'} "
        "group by own.id"
    )
