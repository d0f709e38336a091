"""Rows of a source that cannot be joined where they are, on their way through: each cell becomes the code of
its value, and only codes are put down, in a private table of DuckDB that may spill. Values stay in memory,
each once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from paretonym.arrays import Codes
from paretonym.arrow import pa, pc
from paretonym.errors import InputError
from paretonym.source.dictionary_encoding import check_room, in_type
from paretonym.source.engines.duckdb_rows import DuckdbRows
from paretonym.source.engines.duckdb_session import Session, session


class Cells(Protocol):
    """The values of a column as they come. Codes are given in the order of first appearance, -1 to nulls."""

    def add(self, cells: Any) -> Codes:
        """The codes of some cells."""
        ...

    def __len__(self) -> int:
        """How many values there are so far."""
        ...


@dataclass(frozen=True, slots=True)
class Lines:
    """Some columns of a source. Each block has some cells of each column; `values` gives, after the last
    block, the distinct values of each column in Arrow, in the order of their codes. Where a source is read
    again, `cells` know the values of the first time, so that codes stay the same."""

    cells: Sequence[Cells]
    blocks: Iterable[Sequence[Any]]
    values: Callable[[], Sequence[Any]]


class ArrowCells:
    """Cells that come in Arrow: all in one type, or put into the one that is given."""

    def __init__(self, place: str, kind: Any = None) -> None:
        self._place = place
        self._kind = kind
        self._first: Any = None
        self.values = pa.array([], pa.null() if kind is None else kind)

    def __len__(self) -> int:
        return len(self.values)

    def add(self, cells: Any) -> Codes:
        if pa.types.is_null(cells.type):
            return np.full(len(cells), -1, dtype=np.int32)
        if self._kind is None:
            self._kind = self._first = cells.type
        elif self._first is not None and cells.type != self._first:
            raise InputError.of(
                self._place,
                f"a part of it has values of another type ({cells.type}) than the first ({self._first})",
                "give all parts of a column one type",
            )
        found = in_type(cells, self._kind, self._place)
        found = found if pa.types.is_dictionary(found.type) else found.dictionary_encode()
        codes = np.append(self._codes(found.dictionary), np.int32(-1))
        return np.asarray(codes[found.indices.cast(pa.int32()).fill_null(-1).to_numpy()])

    def _codes(self, values: Any) -> Codes:
        if len(self.values) == 0:
            self.values = values.slice(0, 0)
        places = pc.index_in(values, value_set=self.values)
        if places.null_count:
            self.values = pa.concat_arrays([self.values, values.filter(places.is_null())])
            places = pc.index_in(values, value_set=self.values)
        return np.asarray(places.to_numpy(zero_copy_only=False), dtype=np.int32)


@contextmanager
def spooled(place: str, limit: int, names: Sequence[str], lines: Lines) -> Iterator[DuckdbRows]:
    """The rows of a source as codes in DuckDB."""
    with session(place, limit) as engine:
        yield _put_down(engine, place, names, lines)


def _put_down(engine: Session, place: str, names: Sequence[str], lines: Lines) -> DuckdbRows:
    columns = [f"c{number}" for number in range(len(names))]
    engine.run(f"create temp table spooled ({', '.join(f'{column} integer' for column in columns)})")
    for block in lines.blocks:
        codes = []
        for name, cells, given in zip(names, lines.cells, block, strict=True):
            codes.append(cells.add(given))
            check_room(f"{place}, column '{name}'", len(cells), 1, engine.limit)
        with engine.registered("block", pa.table(dict(zip(columns, codes, strict=True)))):
            engine.run("insert into spooled from block")
    values = dict(zip(names, lines.values(), strict=True))
    types = (pa.int32(),) * len(names)
    return DuckdbRows(engine, "from spooled", tuple(names), types, place, reading=_reader(values))


def _reader(values: Mapping[str, Any]) -> Callable[[str, Any], Any]:
    def read(name: str, codes: Any) -> Any:
        # The code of a null, -1, finds nothing.
        return values[name].take(pc.if_else(pc.less(codes, 0), pa.scalar(None, pa.int32()), codes))

    return read
