"""The columns that a schema needs of data that are counted in an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from paretonym.schema.model import ColumnSpec, Schema
from paretonym.schema.schema_binding import bind
from paretonym.source import DataSource, QuasiLevels
from paretonym.source.engines import Wanted

# Columns that are counted although no release shows them, or only if the schema says so.
_GROUPING = ("person", "weight", "household")


def wanted_of(schema: Schema, at: Mapping[str, int] | None = None) -> Wanted:
    """The columns that are counted together: all that a release shows, so that it can be made from counts,
    those that say whose a row is and which household's, and weights. Identifiers must not repeat where rows
    are people; nothing else is read. `at` are the levels at which quasi-identifiers were counted before, if
    not as they are."""
    unique = schema.with_role("identifier") if schema.one_row_each else ()
    return Wanted(
        frozenset(each.name for each in schema.columns if each.released or each.role in _GROUPING),
        frozenset(column.name for column in unique),
        partial(_levels, schema),
        at,
        commas=schema.commas,
        order=schema.names,
    )


def of_population(schema: Schema, names: Sequence[str] = ()) -> Schema:
    """The schema for a table of the population: its quasi-identifiers alone; other columns are not read."""
    quasi = schema.with_role("quasi")
    known = {column.name for column in quasi}
    further = tuple(ColumnSpec(name, "drop") for name in names if name not in known)
    name = f"{schema.name}, read for the population"
    return replace(schema, columns=(*quasi, *further), rows="people", name=name)


def _levels(schema: Schema, source: DataSource) -> QuasiLevels:
    bound = bind(schema, source)
    maps = {
        column.name: {level: column.groups(level) for level in range(column.lowest, column.highest + 1)}
        for column in bound.quasi
    }
    return QuasiLevels(maps, bound.omitted)
