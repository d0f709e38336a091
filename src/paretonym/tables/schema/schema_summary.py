"""A summary of what a schema does to a table: the numbers that a person needs to judge it. Nothing is
printed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from paretonym.base.arrays import Codes, Integers
from paretonym.base.errors import Bug
from paretonym.base.factorize import group_sums
from paretonym.base.language import _, format_number, ngettext
from paretonym.tables.schema.bound_schema import BoundSchema, QuasiColumn, SensitiveColumn, unit_texts
from paretonym.tables.schema.exposures import exposures
from paretonym.tables.schema.hierarchies.hierarchy import Level
from paretonym.tables.schema.missing_values import missing_rows, missing_texts
from paretonym.tables.schema.model import ColumnSpec, Schema
from paretonym.tables.schema.roles import ROLE_RULES, Role
from paretonym.tables.schema.row_unit import SPANNING_SHARE, HouseholdFacts, PersonFacts
from paretonym.tables.source import Column, ColumnType, Counts, source_warnings

MOST_EXAMPLES = 3
# Roles whose values are shown or compared.
SHOWN = tuple(role for role, rules in ROLE_RULES.items() if rules.released)


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


def summarize(schema: Schema, source: Counts, bound: BoundSchema) -> SchemaSummary:
    """The facts about a schema that was bound to these data."""
    remaining = source.omitting(bound.omitted)
    columns = tuple(_column(schema, column, source, remaining, bound) for column in schema.columns)
    warnings = (
        *schema.unit.warnings,
        *(persons_of(remaining, bound).cautions if bound.person is not None else ()),
        *(households_of(remaining, bound).cautions if bound.household is not None else ()),
        *source_warnings(source),
        *_doubtful_texts(columns, source),
        *(exposure.notice for exposure in exposures(schema, source, bound)),
        *schema.notes,
    )
    return SchemaSummary(source.rows, source.rows - remaining.rows, remaining.rows, columns, warnings)


def _doubtful_texts(columns: tuple[ColumnSummary, ...], source: Counts) -> Iterator[str]:
    """The warnings about texts that differ by blanks, for columns whose values are shown or compared, and
    about numbers that are compared as texts."""
    for column in columns:
        if column.role in SHOWN and column.type == "text" and column.name in source.counted:
            cells = source.column(column.name)
            if warning := blanks_warning(column.name, cells.texts, cells.counts):
                yield f"{warning}."
            if column.role == "sensitive" and (warning := digits_warning(column.name, cells.texts)):
                yield f"{warning}."


def blanks_warning(name: str, texts: Sequence[str], counts: Integers) -> str | None:
    """A warning if values of a column differ only by blanks at their ends: they look the same, but count as
    different, and people with the rarer spelling stand out.

    >>> print(blanks_warning("sex", ["f", "m", "m "], np.array([5, 4, 1])))
    1 row has a value of 'sex' that differs from another one only by blanks at its ends: it counts as a \
different value, so people seem rarer than they are; remove such blanks from the data
    """
    padded = [number for number, text in enumerate(texts) if text != text.strip()]
    if not padded:
        return None
    spellings = Counter(map(str.strip, texts))
    twins = [number for number in padded if spellings[texts[number].strip()] > 1]
    if not twins:
        return None
    return ngettext(
        "{number} row has a value of '{column}' that differs from another one only by blanks at its ends: it "
        "counts as a different value, so people seem rarer than they are; remove such blanks from the data",
        "{number} rows have a value of '{column}' that differs from another one only by blanks at its ends: "
        "it counts as a different value, so people seem rarer than they are; remove such blanks from the "
        "data",
        int(counts[twins].sum()),
        column=name,
    )


def digits_warning(name: str, texts: Sequence[str]) -> str | None:
    """A warning if values of a sensitive column are texts, but one number: diversity counts each of them.

    >>> print(digits_warning("dose", ["1.5", "1.50", "2"]))
    2 values of 'dose' differ only by zeros at the end of a number: as texts they count as different values, \
so l looks better than it is; set type = "decimal" if they are numbers
    >>> digits_warning("code", ["10", "100", "E1.0", "E1.00"])
    """
    numbers = [text for text in texts if re.fullmatch(r"[+-]?\d+(\.\d*)?", text)]
    alike = sum(often for often in Counter(unit_texts("decimal", numbers)).values() if often > 1)
    if not alike:
        return None
    return _(
        "{number} values of '{column}' differ only by zeros at the end of a number: as texts they count as "
        'different values, so l looks better than it is; set type = "decimal" if they are numbers',
        number=format_number(f"{alike:,}"),
        column=name,
    )


def persons_of(remaining: Counts, bound: BoundSchema) -> PersonFacts:
    """Number of persons of the rows that are left, and of those whose quasi-identifiers differ."""
    if bound.person is None:
        raise Bug("no column says whose a row is")
    coding = {column.name: column.groups(column.lowest) for column in bound.quasi}
    ids = remaining.tuples({**coding, bound.person.name: bound.person.lookup}).codes[-1]
    tuples = np.bincount(ids, minlength=bound.person.number)
    return PersonFacts(bound.person.number, int((tuples > 1).sum()))


def households_of(remaining: Counts, bound: BoundSchema) -> HouseholdFacts:
    """Number of households of the rows that are left, and the quasi-identifiers for which few of them have
    members with different values."""
    household = bound.household
    if household is None:
        raise Bug("no column says which rows belong to one household")

    def differing(name: str, codes: Codes) -> int:
        households = remaining.tuples({name: codes, household.name: household.lookup}).codes[-1]
        return int((np.bincount(households, minlength=household.number) > 1).sum())

    members = remaining.column(household.name).counts
    several = int((members > 1).sum())
    values = {column.name: differing(column.name, column.groups(column.lowest)) for column in bound.quasi}
    few = {name: number for name, number in values.items() if 0 < number <= SPANNING_SHARE * several}
    moved = 0
    if bound.person is not None:
        pairs = remaining.tuples({household.name: household.lookup, bound.person.name: bound.person.lookup})
        moved = int((np.bincount(pairs.codes[-1], minlength=bound.person.number) > 1).sum())
    return HouseholdFacts(household.number, several, int(members.max(initial=0)), few, moved)


def _column(
    schema: Schema, column: ColumnSpec, source: Counts, remaining: Counts, bound: BoundSchema
) -> ColumnSummary:
    if column.name not in source.counted:
        return ColumnSummary(column.name, column.role, column.type, None, None)
    cells, counted = source.column(column.name), remaining.column(column.name)
    absent = missing_texts(cells, schema.null_of(column.name))
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
            return _sensitive(plain, sensitive, counted, column.measured_level)
    return plain


def _quasi(plain: ColumnSummary, quasi: QuasiColumn, counted: Column) -> ColumnSummary:
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


def _sensitive(
    plain: ColumnSummary, sensitive: SensitiveColumn, counted: Column, measured: int
) -> ColumnSummary:
    """From the level at which the column is measured; no label of it is shown."""
    rows = sensitive.rows_of_codes(counted, len(sensitive.values))
    single = np.arange(len(sensitive.values), dtype=np.int32)
    alone = Level(single, sensitive.values, np.ones(len(single), dtype=np.int64))
    levels = sensitive.tree.levels if sensitive.tree else (alone,)
    return replace(
        plain,
        domain=len(sensitive.values),
        origin="the values at the level at which it is measured",
        levels=tuple(_level(number, level, rows, False) for number, level in enumerate(levels, measured)),
    )


def _level(number: int, level: Level, leaf_rows: Integers, examples: bool) -> LevelSummary:
    rows = group_sums(level.groups, leaf_rows, len(level.labels))
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
