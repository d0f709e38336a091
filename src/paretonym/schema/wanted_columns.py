"""The columns that a schema needs of data that are counted in an engine."""

from __future__ import annotations

from paretonym.schema.model import Role, Schema
from paretonym.source.engines import Wanted

# Columns that a release shows, recoded or unchanged.
RELEASED: tuple[Role, ...] = ("quasi", "sensitive", "class", "other")


def wanted_of(schema: Schema) -> Wanted:
    """The columns that are counted together: all that a release shows, so that it can be made from counts.
    Identifiers must not repeat where rows are people; nothing else is read."""
    unique = schema.with_role("identifier") if schema.rows == "people" else ()
    return Wanted(
        frozenset(column.name for column in schema.with_role(*RELEASED)),
        frozenset(column.name for column in unique),
    )
