"""Rows of Spark at coarser levels: every cell is a hash of its value there, so that rows are joined with
small tables of hashes, and what comes to this machine are distinct values and counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import narwhals as nw

from paretonym.arrays import Codes
from paretonym.arrow import pa, pc
from paretonym.errors import InputError
from paretonym.source.dictionary_encoding import ArrowCounts, check_room, in_type

# Spark's bound on the relative error of an approximate count: a fifth of what is allowed for.
DEVIATION = 0.02
Context: TypeAlias = AbstractContextManager[Any]


@dataclass(frozen=True)
class HashedRows:
    """A frame of Spark with the columns c0, c1, … by these names, which have these types in Arrow. `asking`
    surrounds whatever Spark computes; `held` keeps a frame that is computed once and asked twice."""

    frame: Any
    names: tuple[str, ...]
    types: tuple[Any, ...]
    place: str
    limit: int
    asking: Callable[[], Context]
    held: Callable[[Any], Context]
    known: dict[str, tuple[Any, Any]] = field(default_factory=dict)

    def read(self, name: str, cells: Any) -> Any:
        hashes, values = self.known[name]
        return values.take(pc.index_in(cells, value_set=hashes))

    def values(self, name: str) -> ArrowCounts:
        place, cell, value = f"{self.place}, column '{name}'", self._cell(name), nw.col("v")
        with self.asking():
            pairs = nw.from_native(self.frame.selectExpr(f"xxhash64({cell}) as h", f"{cell} as v"))
            grouped = pairs.group_by("h").agg(
                value.min(), value.max().alias("last"), value.count().alias("filled"), nw.len().alias("n")
            )
            with self.held(grouped.to_native()) as kept:
                check_room(place, kept.count(), 1, self.limit)
                found = kept.toArrow()
        _check_hashes(place, found)
        values = in_type(found.column("v").combine_chunks(), self.types[self.names.index(name)], place)
        self.known[name] = (found.column("h").combine_chunks(), values)
        return self._counts([pa.int64()], found.select(["h", "n"]))

    def rows(self, gone: Mapping[str, Any]) -> int:
        with self.asking():
            return int(self._left(gone).to_native().count())

    def rows_by_code(self, name: str, raw: Any, codes: Codes, gone: Mapping[str, Any]) -> ArrowCounts:
        with self.asking():
            known = self._given({self._cell(name): raw, "code": codes})
            joined = self._left(gone).join(known, on=self._cell(name), how="inner")
            found = joined.group_by("code").agg(nw.len().alias("n")).to_native().toArrow()
        return self._counts([pa.int32()], found.select(["code", "n"]))

    def estimate(self, maps: Mapping[str, Any]) -> int:
        with self.asking():
            counted = f"approx_count_distinct(xxhash64({self._cells}), {DEVIATION}) as n"
            found = self._recoded(maps, self._hashed).to_native().selectExpr(counted).toArrow()
        return int(found.column("n")[0].as_py())

    def count(self, maps: Mapping[str, Any], most: int) -> ArrowCounts | int:
        cells = [self._cell(name) for name in self.names]
        with self.asking():
            grouped = self._recoded(maps, self._hashed).group_by(*cells).agg(nw.len().alias("n"))
            with self.held(grouped.to_native()) as kept:
                if (number := int(kept.count())) > most:
                    return number
                found = kept.toArrow()
        types = [pa.int32() if name in maps else pa.int64() for name in self.names]
        return self._counts(types, found.select([*cells, "n"]))

    def values_among(
        self, maps: Mapping[str, Any], gone: Mapping[str, Any], shown: Mapping[str, Codes]
    ) -> dict[str, Any]:
        found = {}
        with self.asking():
            stay = self._given({self._cell(name): codes for name, codes in shown.items()}).unique()
            among = self._recoded(maps, self._left(gone)).join(stay, on=stay.columns, how="semi")
            for name in shown:
                code = f"v{self.names.index(name)}"
                found[name] = among.select(code).unique().to_native().toArrow().column(0)
        return found

    def mark(self) -> tuple[int, int]:
        with self.asking():
            summed = f"sum(cast(xxhash64({self._cells}) as decimal(38, 0))) as s"
            found = self._hashed.to_native().selectExpr("count(1) as n", summed).toArrow()
        return int(found.column("n")[0].as_py()), int(found.column("s")[0].as_py() or 0)

    def _cell(self, name: str) -> str:
        return f"c{self.names.index(name)}"

    @property
    def _cells(self) -> str:
        return ", ".join(map(self._cell, self.names))

    @cached_property
    def _hashed(self) -> Any:
        cells = (f"xxhash64({self._cell(name)}) as {self._cell(name)}" for name in self.names)
        return nw.from_native(self.frame.selectExpr(*cells))

    def _left(self, gone: Mapping[str, Any]) -> Any:
        """The rows that are not left out."""
        left = self._hashed
        for name, raw in gone.items():
            left = left.join(self._given({self._cell(name): raw}), on=self._cell(name), how="anti")
        return left

    def _recoded(self, maps: Mapping[str, Any], rows: Any) -> Any:
        """Rows with one value in place of each set; the codes of the values are called v0, …"""
        for name, table in maps.items():
            place, cell = self.names.index(name), self._cell(name)
            sets = {cell: table.column("raw"), f"v{place}": table.column("code"), "s": table.column("stands")}
            joined = rows.join(self._given(sets), on=cell, how="inner").drop(cell)
            rows = joined.rename({"s": cell})
        return rows

    def _given(self, columns: Mapping[str, Any]) -> Any:
        return nw.from_native(self.frame.sparkSession.createDataFrame(pa.table(dict(columns))))

    def _counts(self, types: list[Any], found: Any) -> ArrowCounts:
        return ArrowCounts.of(types, found.to_batches(), self.place)


def _check_hashes(place: str, found: Any) -> None:
    """Refuse two values with one hash: the smallest and the largest of a hash are one value, and either all
    or none of its rows have it."""
    first, last, filled = (found.column(name) for name in ("v", "last", "filled"))
    same = pc.or_kleene(pc.equal(first, last), pc.equal(filled, 0))
    if pa.types.is_floating(first.type):
        same = pc.or_kleene(same, pc.is_nan(first))
    full = pc.or_(pc.equal(filled, 0), pc.equal(filled, found.column("n")))
    if not pc.all(pc.and_(pc.fill_null(same, False), full), min_count=0).as_py():
        raise InputError.of(
            place, "two of its values have the same hash in Spark", "count fewer rows, or give more memory"
        )
