"""Equivalence classes of a finished table, counted once, and the statistics of each for a sensitive column,
as SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paretonym.audits.sql_engine import Engine, listed
from paretonym.audits.sql_formulas import DISTANCES, alias


@dataclass(frozen=True, eq=False)
class Counted:
    """Classes of rows that agree in the key columns, as tables in an engine.

    `name` tells the tables of several counts apart: `{name}` has one row for each class (`class`, `size`, the
    keys and the classes' content), `{name}_0` the cells of the first watched column: `class`, `size`, the
    value `v` and how often it occurs, `n`. For a release in buckets the keys are the bucket's name. Shares of
    values are of the number `whole` of each class: where persons are counted, one may have several values.
    """

    engine: Engine
    name: str
    keys: tuple[str, ...]
    watched: tuple[str, ...]
    whole: str = "size"

    def cells(self, column: str) -> str:
        return f"{self.name}_{self.watched.index(column)}"


def count(
    engine: Engine,
    source: str,
    keys: Sequence[str],
    watched: Sequence[str] = (),
    name: str = "classes",
    weight: str = "1",
) -> Counted:
    """Group a table or view by the key columns, and count the values of the watched columns in each class. A
    row counts as often as the expression `weight` says.

    One pass over the rows; the classes are made from the groups that it gives.
    """
    columns = [*keys, *(column for column in watched if column not in keys)]
    grouped = f"{name}_grouped"
    by = f"group by {listed(columns)}" if columns else ""
    rows = "count(*)" if weight == "1" else f"sum({weight})::bigint"
    engine.run(
        f"create or replace temp table {grouped} as "
        f"select {listed([*columns, f'{rows} as n'])} from {source} {by} having count(*) > 0"
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


# By name of the number; the reference is joined as q, its values are counted in m.
FORMULAS: Mapping[str, str] = {
    "share": "max(n) / any_value(size)",
    "distinct_values": "count(*)",
    "effective": "exp(-sum(p * ln(p)))",
    "pairs": "sum(n * n)",
    **{alias(name): formula for name, formula in DISTANCES.items()},
}


@dataclass(frozen=True, eq=False)
class Reference:
    """A table of the engine with the columns v and q: how values are distributed that a class is compared
    with."""

    table: str


def release_reference(counted: Counted, column: str) -> Reference:
    """The release's own distribution of a column."""
    table = f"{counted.cells(column)}_own"
    counted.engine.run(
        f"create or replace temp table {table} as select v, sum(n) / sum(sum(n)) over () as q "
        f"from {counted.cells(column)} group by v"
    )
    return Reference(table)


def class_values(counted: Counted, column: str, reference: Reference) -> str:
    """Make a table with one row for each class and every number of `FORMULAS`; its name."""
    table = f"{reference.table}_{counted.cells(column)}"
    numbers = listed([f"{formula} as {name}" for name, formula in FORMULAS.items()])
    joined = (
        f"select class, size, n, n / {counted.whole} as p, coalesce(q, 0) as q, "
        f"(select count(*) from {reference.table} where q > 0) as m "
        f"from {counted.cells(column)} as cells left join {reference.table} as reference using (v)"
    )
    counted.engine.run(
        f"create or replace temp table {table} as "
        f"select class, any_value(size) as size, {numbers} from ({joined}) group by class"
    )
    return table


def recursive_diversity(counted: Counted, column: str, constant: float) -> str:
    """A query for the largest ℓ of every class with r_1 < c·(r_ℓ + … + r_m)."""
    ranked = (
        "select class, row_number() over falling as l, max(n) over (partition by class) as first, "
        "sum(n) over (falling rows between current row and unbounded following) as rest "
        f"from {counted.cells(column)} window falling as (partition by class order by n desc)"
    )
    return (
        f"select class, coalesce(max(l) filter (first < {constant!r} * rest), 0) as value "
        f"from ({ranked}) group by class"
    )


def ordered_distance(counted: Counted, column: str, reference: Reference, order: str) -> str:
    """A query for Σ |cumulative p − q| / (m − 1) of every class; `order` is a table of all values with their
    places."""
    every = (
        "select pairs.class, code, coalesce(p, 0) - coalesce(q, 0) as gap "
        f"from (select class, code, text from {counted.name} cross join {order}) as pairs "
        f"left join (select class, v, n / {counted.whole} as p from {counted.cells(column)}) as cells "
        "on pairs.class = cells.class and pairs.text = cells.v "
        f"left join {reference.table} as reference on pairs.text = reference.v"
    )
    moved = f"select class, abs(sum(gap) over (partition by class order by code)) as moved from ({every})"
    return (
        f"select class, sum(moved) / greatest((select count(*) from {order}) - 1, 1) as value "
        f"from ({moved}) group by class"
    )


def tree_distance(counted: Counted, column: str, reference: Reference, levels: Sequence[str]) -> str:
    """A query for the earth mover's distance over a tree: the mean over its levels of how much must leave the
    sets of that level. `levels` are tables that give the set `code` of every value `text`."""
    parts = " union all ".join(_set_distance(counted, column, reference, level) for level in levels)
    return f"select class, sum(value) / {len(levels)} as value from ({parts}) group by class"


def _set_distance(counted: Counted, column: str, reference: Reference, level: str) -> str:
    inside = (
        f"select class, code, sum(n / {counted.whole}) as p from {counted.cells(column)} join {level} on v = "
        "text "
        "group by class, code"
    )
    whole = f"select code, sum(q) as q from {reference.table} join {level} on v = text group by code"
    return (
        f"select class, (1 + sum(abs(p - coalesce(q, 0)) - coalesce(q, 0))) / 2 as value "
        f"from ({inside}) left join ({whole}) using (code) group by class"
    )
