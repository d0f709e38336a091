"""Tiny tables, and schemas bound to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from paretonym.tables.schema.bound_schema import BoundSchema, QuasiColumn
from paretonym.tables.schema.schema_binding import bind
from paretonym.tables.schema.schema_file import schema_from
from paretonym.tables.source.data_source import ColumnType
from paretonym.tables.source.table_counts import Column, Counts

Cells = Sequence[str | None]


def make_table(types: Mapping[str, ColumnType] | None = None, **columns: Cells) -> Counts:
    """A table from the texts of each column; None is a null."""
    built = []
    for name, cells in columns.items():
        distinct: dict[str, int] = {}
        codes = [-1 if cell is None else distinct.setdefault(cell, len(distinct)) for cell in cells]
        texts = tuple(distinct)
        kind = (types or {}).get(name, "text")
        built.append(Column(name, kind, pa.array(texts), texts, np.array(codes, dtype=np.int32)))
    return Counts.of_rows("people.csv", built)


@pytest.fixture
def table() -> Callable[..., Counts]:
    return make_table


@pytest.fixture
def bound() -> Callable[..., BoundSchema]:
    """Binds column entries (a mapping by name) to a table; further settings of the schema by keyword."""

    def bind_to(table: Counts, columns: Mapping[str, Any], **settings: Any) -> BoundSchema:
        return bind(schema_from({"columns": columns, **settings}), table)

    return bind_to


@pytest.fixture
def quasi() -> Callable[..., QuasiColumn]:
    """Binds one quasi-identifier `x` with these cells."""

    def bind_one(cells: Cells, kind: ColumnType = "text", settings: Any = None, **entry: Any) -> QuasiColumn:
        schema = schema_from({"columns": {"x": {"role": "quasi", **entry}}, **(settings or {})})
        return bind(schema, make_table({"x": kind}, x=cells)).quasi[0]

    return bind_one
