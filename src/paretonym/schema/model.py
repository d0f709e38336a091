"""A schema: what a person decided about each column of a table."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

from paretonym.errors import ColumnPlace
from paretonym.language import _
from paretonym.schema.hierarchies.exact_numbers import plain_number
from paretonym.schema.hierarchies.flat import Flat
from paretonym.schema.hierarchies.hierarchy_kind import AttachedFile, HierarchyKind
from paretonym.schema.roles import ROLE_RULES, Role, RoleRules
from paretonym.schema.row_unit import PEOPLE, PERSONS, ROWS, Unit
from paretonym.source import ColumnType

TYPES: tuple[ColumnType, ...] = get_args(ColumnType)

Missing: TypeAlias = Literal["drop", "value"]
MISSING: tuple[Missing, ...] = get_args(Missing)

# What is suppressed with a row: itself alone, all rows of its person, or all rows of its household.
SuppressUnit: TypeAlias = Literal["row", "person", "household"]
SUPPRESS_UNITS: tuple[SuppressUnit, ...] = get_args(SuppressUnit)


DecimalMark: TypeAlias = Literal[".", ","]
DECIMAL_MARKS: tuple[DecimalMark, ...] = get_args(DecimalMark)


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """One column's entry. None means that the schema says nothing.

    `order` lists all leaves, `domain` the lowest and the highest of all integers that can occur. `bottom` and
    `top` code numbers at every level. `levels` bounds the search, `level` is where a sensitive column is
    measured, `release_level` where it is published. `release` says that a weight is published, `round` to
    multiples of what it is rounded then.
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
    decimal: DecimalMark | None = None

    @property
    def rules(self) -> RoleRules:
        """What its role means."""
        return ROLE_RULES[self.role]

    @property
    def numeric(self) -> bool:
        """Whether the schema says that the values are numbers."""
        settings = (self.bottom, self.top, self.granularity, self.domain)
        typed = self.type in ("integer", "decimal") or self.role == "weight"
        return typed or self.kind.reads == "numbers" or any(setting is not None for setting in settings)

    @property
    def released(self) -> bool:
        """Whether a release shows the column, recoded or unchanged."""
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
        """Whether a file shows finer values than those that are measured."""
        return self.measured_level > (self.release_level or 0)

    @property
    def secret(self) -> bool:
        """Whether messages must not show values; they may show only those of a quasi-identifier."""
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
    # How the CSV file is written, where that cannot be detected.
    encoding: str | None = None
    separator: str | None = None
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
    def unit(self) -> Unit:
        """What is counted, in words: persons if a column says whose a row is, otherwise rows, which are
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
        """What recipients of a release lack and may look for, a sentence or two each."""
        return tuple(
            _(
                "Column '{column}', the sampling weight, is not published: totals of the population cannot "
                "be estimated from the release. Set release = true and round = 10 to publish it rounded.",
                column=column.name,
            )
            for column in self.with_role("weight")
            if not column.release
        )

    @property
    def one_row_each(self) -> bool:
        """Whether everybody has one row, so that no identifier may repeat."""
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

    def column(self, name: str) -> ColumnSpec:
        return self.by_name[name]

    def with_role(self, *roles: Role) -> tuple[ColumnSpec, ...]:
        """The columns of these roles, in the schema's order."""
        return tuple(column for column in self.columns if column.role in roles)

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
    settings: dict[str, Any] = {
        "null": list(schema.null) or None,
        "missing": schema.missing,
        "rows": schema.rows,
        "decimal": None if schema.decimal == "." else schema.decimal,
        "encoding": schema.encoding,
        "separator": schema.separator,
    }
    if schema.suppress_unit != "row":
        settings["suppress"] = {"unit": schema.suppress_unit}
    columns = {column.name: _given(entry_of(column, name_file)) for column in schema.columns}
    return {**_given(settings), "columns": columns}


def entry_of(column: ColumnSpec, name_file: NameFile) -> dict[str, Any]:
    """Every key that a column's entry may have; None where the schema says nothing."""
    return {
        "role": column.role,
        "type": column.type,
        "bottom": plain_number(column.bottom),
        "top": plain_number(column.top),
        "levels": list(column.levels) if column.levels else None,
        "importance": None if column.importance == 1 else plain_number(column.importance),
        "granularity": plain_number(column.granularity),
        "domain": list(column.domain) if column.domain else None,
        "format": column.format,
        "decimal": column.decimal,
        "missing": column.missing,
        "unknown": "top" if column.unknown_to_top else None,
        "level": column.level,
        "release_level": column.release_level,
        "release": column.release or None,
        "round": plain_number(column.round),
        "kept": "yes" if column.kept else None,
        "order": list(column.order) if column.order else None,
        "hierarchy": None if column.hierarchy is None else _hierarchy(column.hierarchy, name_file),
    }


def _given(mapping: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if value is not None}


def _hierarchy(kind: HierarchyKind, name_file: NameFile) -> dict[str, Any]:
    if kind.ready:
        return {"ready": kind.ready}
    file = kind.attached
    return kind.to_mapping() if file is None else {kind.key: name_file(file)}
