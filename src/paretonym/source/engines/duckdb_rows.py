"""Rows that DuckDB can read several times: what coarser counting asks of them, in SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from paretonym.arrays import Codes
from paretonym.arrow import pa
from paretonym.source.dictionary_encoding import ArrowCounts, check_room
from paretonym.source.engines.duckdb_session import Session

# The values of a column as it is read, given what a query has in their places.
Reading: TypeAlias = Callable[[str, Any], Any]


@dataclass(frozen=True, slots=True)
class DuckdbRows:
    """A query for the columns c0, c1, … by these names, which have these types in Arrow. `weight` is how
    many rows a group of its lines stands for; `reading` makes values of its cells where they are something
    else."""

    session: Session
    query: str
    names: tuple[str, ...]
    types: tuple[Any, ...]
    place: str
    weight: str = "count(*)"
    reading: Reading = lambda _, cells: cells

    @property
    def limit(self) -> int:
        return self.session.limit

    def read(self, name: str, cells: Any) -> Any:
        return self.reading(name, cells)

    def values(self, name: str) -> ArrowCounts:
        cell = self._cell(name)
        self._keep_counts("of_column", f"select {cell} as raw, {self.weight} as n from ({self.query})", cell)
        (distinct,) = self.session.row("select count(*) from of_column")
        check_room(f"{self.place}, column '{name}'", distinct, 1, self.limit)
        return self._counts([self.types[self.names.index(name)]], "from of_column")

    def rows(self, gone: Mapping[str, Any]) -> int:
        (found,) = self.session.row(f"select {self.weight} from {self._left(gone)}")
        return int(found or 0)

    def rows_by_code(self, name: str, raw: Any, codes: Codes, gone: Mapping[str, Any]) -> ArrowCounts:
        self.session.keep("known", pa.table({"raw": raw, "code": codes}))
        same = f"q.{self._cell(name)} is not distinct from known.raw"
        query = f"from {self._left(gone)} as q join known on {same}"
        return self._counts([pa.int32()], f"select code, {self.weight} as n {query} group by code")

    def estimate(self, maps: Mapping[str, Any]) -> int:
        self._keep_maps(maps)
        query = f"select approx_count_distinct(hash({self._cells})) from {self._recoded(maps)}"
        (found,) = self.session.row(query)
        return int(found)

    def count(self, maps: Mapping[str, Any], most: int) -> ArrowCounts | int:
        self._keep_maps(maps)
        query = f"select {self._cells}, {self.weight} as n from {self._recoded(maps)}"
        self._keep_counts("counted", query, self._cells)
        (found,) = self.session.row("select count(*) from counted")
        if found > most:
            return int(found)
        named = zip(self.names, self.types, strict=True)
        return self._counts([pa.int32() if name in maps else kind for name, kind in named], "from counted")

    def values_among(
        self, maps: Mapping[str, Any], gone: Mapping[str, Any], shown: Mapping[str, Codes]
    ) -> dict[str, Any]:
        self._keep_maps(maps)
        tuples = {self._cell(name): codes for name, codes in shown.items()}
        self.session.keep("stay", pa.table(tuples))
        same = " and ".join(f"r.{cell} = stay.{cell}" for cell in tuples)
        query = f"from {self._recoded(maps, self._left(gone))} as r semi join stay on {same}"
        return {
            name: pa.Table.from_batches(
                self.session.batches(f"select distinct r.v{self.names.index(name)} as code {query}"),
                pa.schema([("code", pa.int32())]),
            ).column(0)
            for name in shown
        }

    def mark(self) -> tuple[Any, ...]:
        return self.session.row(f"select count(*), sum(hash({self._cells})::hugeint) from ({self.query})")

    def _cell(self, name: str) -> str:
        return f"c{self.names.index(name)}"

    @property
    def _cells(self) -> str:
        return ", ".join(map(self._cell, self.names))

    def _keep_counts(self, table: str, query: str, by: str) -> None:
        """In a table first: DuckDB may spill, and how many there are is known before they are read."""
        self.session.run(f"create or replace temp table {table} as {query} group by {by}")

    def _counts(self, types: list[Any], query: str) -> ArrowCounts:
        return ArrowCounts.of(types, self.session.batches(query), self.place)

    def _keep_maps(self, maps: Mapping[str, Any]) -> None:
        for name, table in maps.items():
            self.session.keep(f"m{self.names.index(name)}", table)

    def _left(self, gone: Mapping[str, Any]) -> str:
        """A query for the rows that are not left out."""
        joins = []
        for number, (name, raw) in enumerate(gone.items()):
            self.session.keep(f"gone{number}", pa.table({"raw": raw}))
            same = f"q.{self._cell(name)} is not distinct from gone{number}.raw"
            joins.append(f" anti join gone{number} on {same}")
        return f"(select q.* from ({self.query}) as q{''.join(joins)})"

    def _recoded(self, maps: Mapping[str, Any], source: str = "") -> str:
        """A query for the rows with one value in place of each set; the codes of the values are called v0,
        …"""
        joins, cells = [], ["q.*"]
        for name in maps:
            place = self.names.index(name)
            joins.append(f" join m{place} on q.c{place} is not distinct from m{place}.raw")
            cells += [f"m{place}.stands as s{place}", f"m{place}.code as v{place}"]
        replaced = ", ".join(f"s{self.names.index(name)} as {self._cell(name)}" for name in maps)
        query = f"select {', '.join(cells)} from {source or f'({self.query})'} as q{''.join(joins)}"
        return f"(select * replace ({replaced}) from ({query}))" if maps else f"({query})"
