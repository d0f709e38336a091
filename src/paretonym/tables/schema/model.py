"""A schema: what a person decided about each column of a table."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, TypeAlias

from paretonym.base.errors import ColumnPlace, UnknownName, did_you_mean
from paretonym.base.language import _
from paretonym.tables.schema.hierarchies.flat import Flat
from paretonym.tables.schema.hierarchies.hierarchy_kind import AttachedFile, HierarchyKind
from paretonym.tables.schema.purposes import Analysis
from paretonym.tables.schema.roles import ROLE_RULES, Role, RoleRules
from paretonym.tables.schema.row_unit import PEOPLE, PERSONS, ROWS, Unit
from paretonym.tables.schema.schema_keys import (
    COLUMN_KEYS,
    SCHEMA_KEYS,
    DecimalMark,
    Key,
    Missing,
    SuppressUnit,
)
from paretonym.tables.source import ColumnType, TableForm


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """One column's entry. None means that the schema says nothing.

    `null` are further texts that mean missing, `order` lists all leaves, `domain` is the lowest and the
    highest of all integers that can occur. `bottom` and `top` code numbers at every level. `levels` bounds
    the search, `level` is where a sensitive column is measured, `release_level` where it is published.
    `release` says that a weight is published, `round` to multiples of what it is rounded then.
    """

    name: str
    role: Role
    type: ColumnType | None = None
    hierarchy: HierarchyKind | None = None
    order: tuple[str, ...] | None = None
    bottom: Decimal | None = None
    top: Decimal | None = None
    levels: tuple[int, int] | None = None
    importance: Fraction = Fraction(1)
    granularity: Decimal | None = None
    domain: tuple[int, int] | None = None
    format: str | None = None
    missing: Missing | None = None
    unknown_to_top: bool = False
    level: int | None = None
    kept: bool = False
    release_level: int | None = None
    release: bool = False
    round: Decimal | None = None
    default: int | None = None
    decimal: DecimalMark | None = None
    null: tuple[str, ...] = ()

    @property
    def rules(self) -> RoleRules:
        """The rules of its role."""
        return ROLE_RULES[self.role]

    @property
    def numeric(self) -> bool:
        """True if the schema says that the values are numbers."""
        settings = (self.bottom, self.top, self.granularity, self.domain)
        typed = self.type in ("integer", "decimal") or self.rules.numbers
        return typed or self.kind.reads == "numbers" or any(setting is not None for setting in settings)

    @property
    def released(self) -> bool:
        """True if a release shows the column, recoded or unchanged."""
        return self.rules.released or (self.role == "weight" and self.release)

    @property
    def kind(self) -> HierarchyKind:
        """The kind of its hierarchy; without one it is shown as is or not at all."""
        return self.hierarchy or Flat()

    @property
    def measured_level(self) -> int:
        """The level at which a sensitive column is measured: that of publication, unless the schema gives
        another."""
        return self.level if self.level is not None else self.release_level or 0

    @property
    def published_level(self) -> int | None:
        """The level at which a column is published that is no quasi-identifier, None if it is unchanged. Top
        and bottom coding hold at every level, so level 0 is not unchanged with them."""
        coded = self.bottom is not None or self.top is not None
        return self.release_level or (0 if coded else None)

    @property
    def measured_coarser(self) -> bool:
        """True if a file shows finer values than those that are measured."""
        return self.measured_level > (self.release_level or 0)

    @property
    def secret(self) -> bool:
        """True if messages must not show values; they may show only those of a quasi-identifier."""
        return not self.rules.open_values


@dataclass(frozen=True)
class Schema:
    """Everything a schema file says. `name` is for messages, `text` the file as it was written and `sources`
    the files that were read; two schemas are equal if they mean the same, however they are written."""

    columns: tuple[ColumnSpec, ...]
    null: tuple[str, ...] = ()
    missing: Missing | None = None
    rows: Literal["people", "events"] = "people"
    suppress_unit: SuppressUnit = "row"
    decimal: DecimalMark = "."
    # How the file holds the table, where that cannot be detected.
    encoding: str | None = None
    separator: str | None = None
    sheet: str | None = None
    header_row: int | None = None
    footer_rows: int | None = None
    # What releases are for.
    purposes: tuple[Analysis, ...] = ()
    name: str = field(default="the schema", compare=False)
    text: str | None = field(default=None, compare=False, repr=False)
    sources: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @cached_property
    def by_name(self) -> dict[str, ColumnSpec]:
        return {column.name: column for column in self.columns}

    @property
    def attached(self) -> tuple[AttachedFile, ...]:
        """The hierarchy files that the schema names, in the order of the columns."""
        return tuple(file for column in self.columns if (file := column.kind.attached) is not None)

    @property
    def form(self) -> TableForm:
        """The form in which the file holds the table."""
        return TableForm(self.encoding, self.separator, self.sheet, self.header_row, self.footer_rows)

    @property
    def unit(self) -> Unit:
        """Unit that is counted, in words: persons if a column says whose a row is, otherwise rows, which are
        people or events."""
        if self.person is not None:
            return PERSONS
        return PEOPLE if self.rows == "people" else ROWS

    @property
    def person(self) -> ColumnSpec | None:
        """The column that says whose a row is, if there is one."""
        return next(iter(self.with_role("person")), None)

    @property
    def household(self) -> ColumnSpec | None:
        """The column that says which rows belong to one household, if there is one."""
        return next(iter(self.with_role("household")), None)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on what recipients of a release lack and may look for, a sentence or two each."""
        return tuple(
            _(
                "Column '{column}', the sampling weight, is not published: totals of the population cannot "
                "be estimated from the release. The schema can let it be published rounded.",
                column=column.name,
            )
            for column in self.with_role("weight")
            if not column.release
        )

    @property
    def one_row_each(self) -> bool:
        """True if everybody has one row, so that no identifier may repeat."""
        return self.rows == "people" and self.person is None

    @property
    def commas(self) -> frozenset[str]:
        """The columns whose numbers have a decimal comma: those that say so, and all columns of numbers if
        the schema says so for all."""
        marks = {
            column.name: column.decimal or (self.decimal if column.numeric else ".")
            for column in self.columns
        }
        return frozenset(name for name, mark in marks.items() if mark == ",")

    def null_of(self, name: str) -> tuple[str, ...]:
        """The texts that mean missing in a column: everywhere, and those of the column alone."""
        column = self.by_name.get(name)
        return self.null if column is None else (*self.null, *column.null)

    def column(self, name: str) -> ColumnSpec:
        """The entry of a column."""
        if name not in self.by_name:
            raise UnknownName.of(self.name, f"there is no column '{name}'", did_you_mean(name, self.names))
        return self.by_name[name]

    def with_role(self, *roles: Role) -> tuple[ColumnSpec, ...]:
        """The columns of these roles, in the schema's order."""
        return tuple(column for column in self.columns if column.role in roles)

    @property
    def by_role(self) -> tuple[tuple[str, tuple[ColumnSpec, ...]], ...]:
        """The columns of every role, with words for what they are; those that a release shows first."""
        roles = sorted(ROLE_RULES.items(), key=lambda role: not role[1].released)
        return tuple((rules.words, self.with_role(role)) for role, rules in roles)

    def place(self, column: str) -> ColumnPlace:
        """Where a problem with a column lies, for messages."""
        return ColumnPlace(self.name, column)

    def digest(self) -> str:
        """The sha256 of what the schema says, hierarchy files included; layout and comments do not count."""
        mapping = as_mapping(self, lambda file: file.content)
        # The order of the columns counts: searches break ties by it.
        ordered = {**mapping, "columns": list(mapping["columns"].items())}
        text = json.dumps(ordered, sort_keys=True, default=str, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


NameFile: TypeAlias = Callable[[AttachedFile], str]


def as_mapping(schema: Schema, name_file: NameFile) -> dict[str, Any]:
    """The schema as a mapping; `name_file` gives the entry for a hierarchy file."""
    settings = _given(schema, SCHEMA_KEYS)
    if schema.suppress_unit != "row":
        settings["suppress"] = {"unit": schema.suppress_unit}
    if schema.purposes:
        settings["purpose"] = [analysis.as_mapping() for analysis in schema.purposes]
    return {**settings, "columns": {column.name: _entry(column, name_file) for column in schema.columns}}


def _entry(column: ColumnSpec, name_file: NameFile) -> dict[str, Any]:
    kind, entry = column.hierarchy, {"role": column.role, **_given(column, COLUMN_KEYS)}
    if kind is None:
        return entry
    if kind.ready:
        return {**entry, "hierarchy": {"ready": kind.ready}}
    file = kind.attached
    return {**entry, "hierarchy": kind.to_mapping() if file is None else {kind.key: name_file(file)}}


def _given(entry: Schema | ColumnSpec, keys: Mapping[str, Key]) -> dict[str, Any]:
    """The keys whose values are not the usual ones, as they are written."""
    usual = {field.name: field.default for field in fields(entry)}
    values = {key: getattr(entry, rule.attribute) for key, rule in keys.items()}
    return {
        key: keys[key].write(value) for key, value in values.items() if value != usual[keys[key].attribute]
    }
