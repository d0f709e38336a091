"""The schema of an upload while a person edits it: read from the page, reviewed level by level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from paretonym.errors import InputError
from paretonym.schema.binding import bind
from paretonym.schema.model import Schema
from paretonym.schema.reading import schema_from
from paretonym.schema.summary import ColumnSummary, SchemaSummary, summarize
from paretonym.source.opening import open_table
from paretonym.source.table import Table
from paretonym.web.points import problems_json


def schema_of(mapping: Mapping[str, Any]) -> Schema:
    """The schema that the page sends. It may name no file: the page must not read what lies on this disk."""
    columns = mapping.get("columns")
    for name, column in columns.items() if isinstance(columns, Mapping) else ():
        hierarchy = column.get("hierarchy") if isinstance(column, Mapping) else None
        if isinstance(hierarchy, Mapping) and "file" in hierarchy:
            raise InputError.of(
                f"column '{name}'", "a hierarchy file cannot be used here", "write the hierarchy as a tree"
            )
    return schema_from(mapping)


@dataclass(frozen=True, eq=False)
class Upload:
    """A file that came in, and its table, read when first needed."""

    path: Path
    name: str

    @cached_property
    def table(self) -> Table:
        return open_table(self.path)


def review(upload: Upload, mapping: Mapping[str, Any]) -> dict[str, Any]:
    """What the schema makes of the table: every level of every column, and all that is wrong."""
    schema = schema_of(mapping)
    try:
        summary = summarize(schema, upload.table, bind(schema, upload.table))
        return {"problems": [], "lattice": _ways(summary.columns), **_document(summary)}
    except InputError as error:
        columns = tuple(c for name in schema.names for c in _alone(schema, name, upload.table))
        found = SchemaSummary(upload.table.rows, 0, upload.table.rows, columns)
        return {"problems": problems_json(error.problems), "lattice": None, **_document(found)}


def _document(summary: SchemaSummary) -> dict[str, Any]:
    return asdict(summary)


def _alone(schema: Schema, name: str, table: Table) -> tuple[ColumnSummary, ...]:
    """One quasi-identifier as if there were no other column: its levels can be seen before all is right."""
    if schema.column(name).role != "quasi" or name not in table.names:
        return ()
    columns = tuple(c if c.name == name else replace(c, role="drop") for c in schema.columns)
    own = replace(schema, columns=columns, missing=schema.missing or "value", text=None)
    try:
        summary = summarize(own, table, bind(own, table))
    except InputError:
        return ()
    return tuple(column for column in summary.columns if column.name == name)


def _ways(columns: tuple[ColumnSummary, ...]) -> int:
    ways = 1
    for column in columns:
        if column.lowest is not None and column.highest is not None:
            ways *= column.highest - column.lowest + 1
    return ways
