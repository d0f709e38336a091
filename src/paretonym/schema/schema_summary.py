"""A summary of what a schema does to a table: the numbers that a person needs to judge it, and the columns
that identify people by themselves. Nothing is printed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from paretonym.arrays import Codes, Integers
from paretonym.errors import Bug
from paretonym.schema.bound_schema import BoundSchema, QuasiColumn, SensitiveColumn
from paretonym.schema.hierarchies.hierarchy import Level
from paretonym.schema.missing_values import missing_rows, missing_texts
from paretonym.schema.model import ColumnSpec, Role, Schema
from paretonym.schema.row_unit import SPANNING_SHARE, HouseholdFacts, PersonFacts
from paretonym.sentence_parts import several
from paretonym.source import ColumnType, DataSource, ValueCounts, header_warning

MOST_EXAMPLES = 3
# A value in fewer rows than this is rare.
FEW = 5


@dataclass(frozen=True, slots=True)
class LevelSummary:
    """One level: its sets, how many domain values and how many rows the smallest and the largest hold.

    Rows are counted over the sets that occur; `empty` is how many do not. `examples` are a few labels.
    """

    level: int
    groups: int
    smallest_size: int
    largest_size: int
    smallest_rows: int
    largest_rows: int
    empty: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """One column. `distinct` counts the values in the rows that are left, `missing` the rows read that have
    none; of a column that an engine need not count, since it is not released, they are None, and so may its
    type be. `domain` is D and `origin` where it comes from, None for a column without a hierarchy; `lowest`
    and `highest` are the levels that a search may use. A sensitive column's levels begin where it is
    measured.
    """

    name: str
    role: Role
    type: ColumnType | None
    distinct: int | None
    missing: int | None
    domain: int | None = None
    origin: str | None = None
    lowest: int | None = None
    highest: int | None = None
    levels: tuple[LevelSummary, ...] = ()


@dataclass(frozen=True, slots=True)
class SchemaSummary:
    """The whole table: rows read, dropped and left, every column in the schema's order, and what a person
    should know about them before anything is released."""

    read: int
    dropped: int
    rows: int
    columns: tuple[ColumnSummary, ...]
    warnings: tuple[str, ...] = ()


def summarize(schema: Schema, source: DataSource, bound: BoundSchema) -> SchemaSummary:
    """The facts about a schema that was bound to these data."""
    left = source.omitting(bound.omitted)
    columns = tuple(_column(schema, column, source, left, bound) for column in schema.columns)
    header = header_warning(source)
    warnings = (
        *schema.unit.warnings,
        *(persons_of(left, bound).cautions if bound.person is not None else ()),
        *(households_of(left, bound).cautions if bound.household is not None else ()),
        *([f"{header}."] if header else ()),
        *map(str, exposures(schema, source, bound)),
    )
    return SchemaSummary(source.rows, source.rows - left.rows, left.rows, columns, warnings)


def persons_of(left: DataSource, bound: BoundSchema) -> PersonFacts:
    """How many persons have the rows that are left, and for how many the quasi-identifiers differ."""
    if bound.person is None:
        raise Bug("no column says whose a row is")
    coding = {column.name: column.groups(column.lowest) for column in bound.quasi}
    ids = left.tuples({**coding, bound.person.name: bound.person.lookup}).codes[-1]
    tuples = np.bincount(ids, minlength=bound.person.number)
    return PersonFacts(bound.person.number, int((tuples > 1).sum()))


def households_of(left: DataSource, bound: BoundSchema) -> HouseholdFacts:
    """How many households have the rows that are left, and for which quasi-identifiers few of them have
    members with different values."""
    household = bound.household
    if household is None:
        raise Bug("no column says which rows belong to one household")

    def differing(name: str, codes: Codes) -> int:
        own = left.tuples({name: codes, household.name: household.lookup}).codes[-1]
        return int((np.bincount(own, minlength=household.number) > 1).sum())

    members = left.column(household.name).counts
    several = int((members > 1).sum())
    values = {column.name: differing(column.name, column.groups(column.lowest)) for column in bound.quasi}
    few = {name: number for name, number in values.items() if 0 < number <= SPANNING_SHARE * several}
    moved = 0
    if bound.person is not None:
        pairs = left.tuples({household.name: household.lookup, bound.person.name: bound.person.lookup})
        moved = int((np.bincount(pairs.codes[-1], minlength=bound.person.number) > 1).sum())
    return HouseholdFacts(household.number, several, int(members.max(initial=0)), few, moved)


def _column(
    schema: Schema, column: ColumnSpec, source: DataSource, left: DataSource, bound: BoundSchema
) -> ColumnSummary:
    if column.name not in source.counted:
        return ColumnSummary(column.name, column.role, column.type, None, None)
    cells, counted = source.column(column.name), left.column(column.name)
    absent = missing_texts(cells, schema.null)
    plain = ColumnSummary(
        name=column.name,
        role=column.role,
        type=column.type or cells.type,
        distinct=int(((counted.counts > 0) & ~absent).sum()),
        missing=missing_rows(cells, absent),
    )
    for quasi in bound.quasi:
        if quasi.name == column.name:
            return _quasi(plain, quasi, counted)
    for sensitive in bound.sensitive:
        if sensitive.name == column.name:
            return _sensitive(plain, sensitive, counted)
    return plain


def _quasi(plain: ColumnSummary, quasi: QuasiColumn, counted: ValueCounts) -> ColumnSummary:
    rows = quasi.rows_of_codes(counted, len(quasi.hierarchy.leaves))
    return replace(
        plain,
        domain=quasi.hierarchy.domain,
        origin=quasi.hierarchy.origin,
        lowest=quasi.lowest,
        highest=quasi.highest,
        levels=tuple(
            _level(number, level, rows, True) for number, level in enumerate(quasi.hierarchy.levels)
        ),
    )


def _sensitive(plain: ColumnSummary, sensitive: SensitiveColumn, counted: ValueCounts) -> ColumnSummary:
    """From the level at which the column is measured; no label of it is shown."""
    rows = sensitive.rows_of_codes(counted, len(sensitive.values))
    single = np.arange(len(sensitive.values), dtype=np.int32)
    alone = Level(single, sensitive.values, np.ones(len(single), dtype=np.int64))
    levels = sensitive.tree.levels if sensitive.tree else (alone,)
    return replace(
        plain,
        domain=len(sensitive.values),
        origin="the values at the level at which it is measured",
        levels=tuple(_level(number, level, rows, False) for number, level in enumerate(levels)),
    )


def _level(number: int, level: Level, leaf_rows: Integers, examples: bool) -> LevelSummary:
    rows = np.zeros(len(level.labels), dtype=np.int64)
    np.add.at(rows, level.groups, leaf_rows)
    present = rows[rows > 0]
    return LevelSummary(
        level=number,
        groups=len(level.labels),
        smallest_size=int(level.sizes.min()),
        largest_size=int(level.sizes.max()),
        smallest_rows=int(present.min(initial=leaf_rows.sum())),
        largest_rows=int(present.max(initial=0)),
        empty=int((rows == 0).sum()),
        examples=level.labels[:MOST_EXAMPLES] if examples else (),
    )


@dataclass(frozen=True, slots=True)
class Exposure:
    """A column that is published unchanged: of `rows` rows, `unique` have a value that no other row has, and
    `rare` ones (those included) a value that fewer than five have. Where a person may have several rows,
    `unit` says that people are counted: a person may then have several rare values. No value is named."""

    column: str
    role: Role
    rows: int
    unique: int
    rare: int
    unit: str = "rows"
    coarser: bool = False
    rounded: str = ""

    def as_json(self) -> dict[str, Any]:
        usual = {"unit": "rows", "coarser": False, "rounded": ""}
        return {name: value for name, value in asdict(self).items() if usual.get(name) != value}

    def __str__(self) -> str:
        if self.role == "weight":
            return self._of_weights()
        if self.coarser:
            return self._of_labels()
        also = (
            f", and {self.rare:,} a value that fewer than {FEW} {self.unit} have"
            if self.rare > self.unique
            else ""
        )
        remedy = (
            "publish a coarser level of its hierarchy (release_level = 1)"
            if self.role == "sensitive"
            else "generalize it in the data"
        )
        have = "has" if self.unique == 1 else "have"
        if self.unit != "rows":
            values = (
                "value is that of one person" if self.unique == 1 else "values are those of one person each"
            )
            return (
                f"Column '{self.column}' is published exactly. {self.unique:,} of its {values}: somebody who "
                f"knows the exact value finds the rows of that person. Drop it, {remedy}, or set kept = "
                '"yes" if '
                "it is harmless."
            )
        return (
            f"Column '{self.column}' is published exactly. {self.unique:,} of {self.rows:,} rows "
            f"({_share(self.unique, self.rows)}) {have} a value that no other row has{also}: somebody "
            f'who knows the exact value finds the row. Drop it, {remedy}, or set kept = "yes" if it '
            "is harmless."
        )

    def _of_labels(self) -> str:
        have = "has" if self.unique == 1 else "have"
        return (
            f"Column '{self.column}' is published at a level at which {self.unique:,} of {self.rows:,} "
            f"{self.unit} {have} a label that nobody else has: somebody who knows the value finds the row. "
            'Publish a coarser level, use top and bottom, or set kept = "yes" if it is harmless.'
        )

    def _of_weights(self) -> str:
        holder = "row" if self.unit == "rows" else "person"
        single = several(self.unique, "weight is", "weights are") if self.unique else "no weight is"
        how = f"rounded to multiples of {self.rounded}" if self.rounded else "exactly"
        remedy = "round more" if self.rounded else "round them (round = 10)"
        return (
            f"Column '{self.column}', the sampling weight, is published {how}, and no measure counts that: "
            f"{single} held by one {holder} alone. Weights show from which group somebody was drawn, so "
            f"somebody who knows the design of the survey can undo generalization. Omit release = true, "
            f'{remedy}, or set kept = "yes" if they are harmless.'
        )


def _share(part: int, whole: int) -> str:
    share = f"{100 * part / whole:.1f} %"
    return "less than 0.1 %" if share == "0.0 %" else share


def exposures(schema: Schema, source: DataSource, bound: BoundSchema) -> tuple[Exposure, ...]:
    """The columns that are no quasi-identifiers and are published with values that identify a row, unless the
    schema declares them harmless."""
    left = source.omitting(bound.omitted)
    found = (
        _exposure(schema, column, left, bound)
        for column in schema.columns
        if column.released and column.role != "quasi" and not column.kept
    )
    return tuple(each for each in found if each.unique or each.role == "weight")


def _exposure(schema: Schema, column: ColumnSpec, left: DataSource, bound: BoundSchema) -> Exposure:
    counted, person = left.column(column.name), bound.person
    level, values = bound.published_levels.get(column.name), len(counted.counts)
    # What each value is published as; the last one is no value.
    coding, number = np.arange(values + 1, dtype=np.int32), values
    coding[:values][missing_texts(counted, schema.null)] = number
    step = ""
    if column.role == "weight" and bound.weight is not None and bound.weight.labels is not None:
        number, step = len(bound.weight.labels), str(column.round)
        coding = bound.weight.lookup.astype(np.int32)
        coding[coding < 0] = number
    if level is not None:
        number = len(level.labels)
        shown = level.codes[:values]
        coding = np.append(np.where(shown < 0, number, shown), number).astype(np.int32)
    counts, rows = np.bincount(coding[:values], weights=counted.counts, minlength=number + 1), bound.rows
    if person is not None:
        # A value in all rows of one person, and in no others, identifies the person however many these are.
        pairs = left.tuples({column.name: coding, person.name: person.lookup})
        counts, rows = np.bincount(pairs.codes[0], minlength=number + 1), person.number
    counts = np.rint(counts[:number]).astype(np.int64)
    rare = int(counts[counts < FEW].sum())
    unit = "people" if person is not None else "rows"
    unique = int((counts == 1).sum())
    return Exposure(column.name, column.role, rows, unique, rare, unit, level is not None, step)
