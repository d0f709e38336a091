"""Counting: the rows of a table grouped once; everything that is measured comes from these groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from paretonym.audits.sql_engine import Engine
from paretonym.audits.table_file import listed


@dataclass(frozen=True, eq=False)
class Counted:
    """Classes of rows that agree in the key columns, as tables in an engine.

    `name` tells the tables of several counts apart: `{name}` has one row for each class (`class`, `size`, the
    keys and the classes' content), `{name}_0` the cells of the first watched column: `class`, `size`, the
    value `v` and how often it occurs, `n`. For a release in buckets the keys are the bucket's name.
    """

    engine: Engine
    name: str
    keys: tuple[str, ...]
    watched: tuple[str, ...]

    def cells(self, column: str) -> str:
        return f"{self.name}_{self.watched.index(column)}"


def count(
    engine: Engine, source: str, keys: Sequence[str], watched: Sequence[str] = (), name: str = "classes"
) -> Counted:
    """Group a table or view by the key columns, and count the values of the watched columns in each class.

    One pass over the rows; the classes are made from the groups that it gives.
    """
    columns = [*keys, *(column for column in watched if column not in keys)]
    grouped = f"{name}_grouped"
    by = f"group by {listed(columns)}" if columns else ""
    engine.run(
        f"create or replace temp table {grouped} as "
        f"select {listed([*columns, 'count(*) as n'])} from {source} {by} having count(*) > 0"
    )
    packed = listed([f"{column} := {column}" for column in (*watched, "n")])
    shown = listed(["sum(n)::bigint as size", f"list(struct_pack({packed})) as content", *keys])
    by = f"group by {listed(keys)}" if keys else "having count(*) > 0"
    engine.run(
        f"create or replace temp table {name} as select row_number() over () as class, * "
        f"from (select {shown} from {grouped} {by})"
    )
    engine.run(f"drop table {grouped}")
    counted = Counted(engine, name, tuple(keys), tuple(watched))
    for column in watched:
        _count_cells(counted, column)
    return counted


def _count_cells(counted: Counted, column: str) -> None:
    spread = f"select class, size, unnest(content) as one from {counted.name}"
    cells = f"select class, size, one.{column} as v, one.n as n from ({spread})"
    if len(counted.watched) > 1 or column in counted.keys:
        cells = f"select class, size, v, sum(n)::bigint as n from ({cells}) group by class, size, v"
    counted.engine.run(f"create or replace temp table {counted.cells(column)} as {cells}")
