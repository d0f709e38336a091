"""Columns that point to people by themselves: published exactly, with values that only one row has."""

from __future__ import annotations

from dataclasses import dataclass

from paretonym.schema.bound_schema import BoundSchema
from paretonym.schema.missing_values import missing_texts
from paretonym.schema.model import ColumnSpec, Role, Schema
from paretonym.source import DataSource, ValueCounts

# A value that fewer rows have than this is rare.
FEW = 5
PUBLISHED: tuple[Role, ...] = ("sensitive", "class", "other")


@dataclass(frozen=True, slots=True)
class Exposure:
    """A column that is published as it is: of `rows` rows, `unique` have a value that no other row has, and
    `rare` ones (those included) a value that fewer than five have. No value is named."""

    column: str
    role: Role
    rows: int
    unique: int
    rare: int

    def __str__(self) -> str:
        also = (
            f", and {self.rare:,} a value that fewer than {FEW} rows have" if self.rare > self.unique else ""
        )
        remedy = (
            "publish a coarser level of its hierarchy (release_level = 1)"
            if self.role == "sensitive"
            else "generalize it in the data"
        )
        have = "has" if self.unique == 1 else "have"
        return (
            f"Column '{self.column}' is published exactly. {self.unique:,} of {self.rows:,} rows "
            f"({_share(self.unique, self.rows)}) {have} a value that no other row has{also}: somebody "
            f'who knows the exact value finds the row. Drop it, {remedy}, or set kept = "yes" if it '
            "is harmless."
        )


def _share(part: int, whole: int) -> str:
    share = f"{100 * part / whole:.1f} %"
    return "less than 0.1 %" if share == "0.0 %" else share


def nearly_unique(distinct: int, rows: int) -> bool:
    """Whether so many different values in so many rows could point to people."""
    return 2 * distinct > rows


def exposures(schema: Schema, source: DataSource, bound: BoundSchema) -> tuple[Exposure, ...]:
    """The columns that are published exactly and have values that find a row, unless the schema says that
    they are harmless."""
    left = source.omitting(bound.omitted)
    found = (
        _exposure(schema, column, left.column(column.name), bound.rows)
        for column in schema.with_role(*PUBLISHED)
        if not (column.kept or column.release_level)
    )
    return tuple(each for each in found if each.unique)


def _exposure(schema: Schema, column: ColumnSpec, counted: ValueCounts, rows: int) -> Exposure:
    counts = counted.counts[~missing_texts(counted, schema.null)]
    rare = int(counts[counts < FEW].sum())
    return Exposure(column.name, column.role, rows, int((counts == 1).sum()), rare)
