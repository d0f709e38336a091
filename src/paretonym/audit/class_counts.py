"""Equivalence classes of a table, counted by SQL: the size of each class, the values of sensitive columns in
it, and the numbers of a class that the formulas of `sql_formulas.py` need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from paretonym.audit.audit_database import Database, listed
from paretonym.audit.sql_formulas import OF_CLASS, alias


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """Classes as tables of a database: `name` has one row for each class (`class`, `size`, the keys), and
    `{name}_{column}` for each watched column the values `v` of each class and how often each occurs, `n`.
    Shares of values are of the number `whole` of a class: where persons are counted, one may have several."""

    database: Database
    name: str
    keys: tuple[str, ...]
    watched: tuple[str, ...] = ()
    whole: str = "size"
    _made: set[str] = field(default_factory=set)

    def cells(self, column: str) -> str:
        return f"{self.name}_{column}"

    def extreme(self, expression: str, source: str = "") -> float:
        """An aggregate over all classes, or over a table or query with one row for each."""
        table = f"({source})" if source.startswith("select") else source or self.name
        return self.database.number(f"select {expression} from {table}")

    def own_distribution(self, column: str) -> str:
        """A table of how the values of a column are distributed in all classes together: v and q."""
        cells = self.cells(column)
        return self._once(
            f"{cells}_own", f"select v, sum(n) / sum(sum(n)) over () as q from {cells} group by v"
        )

    def numbers(self, column: str, reference: str) -> str:
        """A table with what each class has of every measure of `OF_CLASS`, compared with a reference (v and
        q)."""
        joined = (
            f"select class, size, n, n / {self.whole} as p, coalesce(q, 0) as q "
            f"from {self.cells(column)} left join {reference} using (v)"
        )
        numbers = listed([f"{formula} as {alias(name)}" for name, formula in OF_CLASS.items()])
        query = f"select class, {numbers} from ({joined}) group by class"
        return self._once(f"{self.cells(column)}_by_{reference}", query)

    def _once(self, table: str, query: str) -> str:
        """A table of what a query selects, made when it is first needed."""
        if table not in self._made:
            self.database.make(table, query)
            self._made.add(table)
        return table

    def recursive(self, column: str, constant: float) -> str:
        """A query for the largest ℓ of every class with r_1 < c·(r_ℓ + … + r_m)."""
        ranked = (
            "select class, row_number() over falling as l, max(n) over (partition by class) as first, "
            "sum(n) over (falling rows between current row and unbounded following) as rest "
            f"from {self.cells(column)} window falling as (partition by class order by n desc)"
        )
        reached = f"coalesce(max(l) filter (first < {constant!r} * rest), 0)"
        return f"select class, {reached} as value from ({ranked}) group by class"

    def ordered_distance(self, column: str, reference: str, order: str) -> str:
        """A query for Σ |cumulative p − q| / (m − 1) of every class; `order` is a table of all values (v) and
        their places (code)."""
        every = (
            "select pairs.class, code, coalesce(p, 0) - coalesce(q, 0) as gap "
            f"from (select class, code, v from {self.name} cross join {order}) as pairs "
            f"left join (select class, v, n / {self.whole} as p from {self.cells(column)}) as cells "
            f"on pairs.class = cells.class and pairs.v = cells.v "
            f"left join {reference} as reference on pairs.v = reference.v"
        )
        moved = f"select class, abs(sum(gap) over (partition by class order by code)) as moved from ({every})"
        steps = f"greatest((select count(*) from {order}) - 1, 1)"
        return f"select class, sum(moved) / {steps} as value from ({moved}) group by class"

    def tree_distance(self, column: str, reference: str, levels: Sequence[str]) -> str:
        """A query for the earth mover's distance over a tree: the mean over its levels of how much must leave
        the sets of that level. `levels` are tables that give the set `code` of every value `v`."""
        parts = []
        for level in levels:
            inside = (
                f"select class, code, sum(n / {self.whole}) as p from {self.cells(column)} "
                f"join {level} using (v) group by class, code"
            )
            whole = f"select code, sum(q) as q from {reference} join {level} using (v) group by code"
            moved = "(1 + sum(abs(p - coalesce(q, 0)) - coalesce(q, 0))) / 2"
            parts.append(
                f"select class, {moved} as value from ({inside}) left join ({whole}) using (code) "
                "group by class"
            )
        together = " union all ".join(parts)
        return f"select class, sum(value) / {len(levels)} as value from ({together}) group by class"


def count_classes(
    database: Database, source: str, keys: Sequence[str], watched: Sequence[str], name: str, weight: str = "n"
) -> ClassCounts:
    """Group a table by the key columns, and count the values of the watched columns in each class. A row
    counts as often as the expression `weight` says."""
    columns = listed(list(dict.fromkeys([*keys, *watched])))
    rows = "count(*)" if weight == "1" else f"sum({weight})::bigint"
    grouped = database.make(
        f"{name}_grouped",
        f"select {columns + ', ' if columns else ''}{rows} as n from {source} "
        f"{'group by all' if columns else ''} having count(*) > 0",
    )
    by, same = (
        (f"group by {listed(keys)}", f"using ({listed(keys)})") if keys else ("having count(*) > 0", "")
    )
    database.make(
        name,
        "select row_number() over () as class, * from "
        f"(select {listed(['sum(n)::bigint as size', *keys])} from {grouped} {by})",
    )
    counted = ClassCounts(database, name, tuple(keys), tuple(watched))
    for column in watched:
        database.make(
            counted.cells(column),
            f"select class, size, {column} as v, sum({grouped}.n)::bigint as n "
            f"from {grouped} {'join' if keys else 'cross join'} {name} {same} group by class, size, {column}",
        )
    database.run(f"drop table {grouped}")
    return counted


def count_persons(
    database: Database, source: str, keys: Sequence[str], watched: Sequence[str], name: str
) -> ClassCounts:
    """The classes of rows that say whose they are (`person`), each with its number of different persons; of
    each sensitive value how many persons of a class have it in some row."""
    database.make(
        name,
        "select row_number() over () as class, * from (select count(distinct person)::bigint as size, "
        f"{listed(keys)} from {source} group by {listed(keys)})",
    )
    counted = ClassCounts(database, name, tuple(keys), tuple(watched), whole="mass")
    for column in watched:
        cells = (
            f"select class, size, {column} as v, count(distinct person)::bigint as n "
            f"from {source} join {name} using ({listed(keys)}) group by class, size, {column}"
        )
        database.make(
            counted.cells(column),
            f"select *, sum(n) over (partition by class)::bigint as mass from ({cells})",
        )
    return counted
