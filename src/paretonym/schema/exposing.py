"""Sensitive columns that may point to people by themselves: released exactly, and nearly all different."""

from __future__ import annotations

from paretonym.schema.bound import BoundSchema
from paretonym.schema.missing import missing_texts, occurring
from paretonym.schema.model import ColumnSpec, Schema
from paretonym.source.column_names import header_warning
from paretonym.source.table import Table


def nearly_unique(distinct: int, rows: int) -> bool:
    """Whether so many different values in so many rows could point to people."""
    return 2 * distinct > rows


def warnings(schema: Schema, table: Table, bound: BoundSchema) -> tuple[str, ...]:
    """One sentence if the header looks like a row, and one for each sensitive column whose exact values find
    rows; no value is shown."""
    header = header_warning(table)
    return (() if header is None else (f"{header[0].upper()}{header[1:]}.",)) + tuple(
        f"Column '{column.name}' is sensitive and released exactly, and nearly all of its values are "
        "different: whoever knows the exact value finds the row; coarsen it in the data, or drop it."
        for column in schema.with_role("sensitive")
        if not column.kept and _exposed(schema, table, bound, column)
    )


def _exposed(schema: Schema, table: Table, bound: BoundSchema, column: ColumnSpec) -> bool:
    cells = table.column(column.name)
    present = occurring(cells, ~bound.dropped) & ~missing_texts(cells, schema.null)
    return nearly_unique(int(present.sum()), bound.rows)
