"""A schema: what a person decided about each column of a table."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, TypeAlias

from paretonym.errors import ColumnPlace
from paretonym.schema.hierarchies.specifications import (
    Breaks,
    Dates,
    Flat,
    HierarchyFile,
    Intervals,
    Keep,
    Kind,
    Mask,
    Node,
    Tree,
)
from paretonym.schema.row_unit import PEOPLE, ROWS, Unit
from paretonym.source import ColumnType

Role: TypeAlias = Literal["identifier", "quasi", "sensitive", "class", "other", "drop", "undecided"]
ROLES: tuple[Role, ...] = ("identifier", "quasi", "sensitive", "class", "other", "drop", "undecided")
RESERVED_ROLES = ("weight", "household")
TYPES: tuple[ColumnType, ...] = ("text", "integer", "decimal", "date", "boolean")

Missing: TypeAlias = Literal["drop", "value"]


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """One column's entry. None means that the schema says nothing.

    `order` lists all leaves. `bottom` and `top` code numbers at every level. `levels` bounds the search,
    `level` is where a sensitive column is measured, `release_level` where it is published.
    """

    name: str
    role: Role
    type: ColumnType | None = None
    hierarchy: Kind | None = None
    order: tuple[str, ...] | None = None
    bottom: Decimal | None = None
    top: Decimal | None = None
    levels: tuple[int, int] | None = None
    importance: Fraction = Fraction(1)
    granularity: Decimal | None = None
    format: str | None = None
    missing: Missing | None = None
    unknown_to_top: bool = False
    level: int | None = None
    kept: bool = False
    release_level: int | None = None

    @property
    def measured_level(self) -> int:
        """The level at which a sensitive column is measured: as it is published, unless the schema says."""
        return self.level if self.level is not None else self.release_level or 0

    @property
    def measured_coarser(self) -> bool:
        """Whether a file shows finer values than those that are measured."""
        return self.measured_level > (self.release_level or 0)

    @property
    def secret(self) -> bool:
        """Whether messages must not show values: they may show those of a quasi-identifier alone."""
        return self.role != "quasi"


@dataclass(frozen=True)
class Schema:
    """Everything a schema file says. `name` is for messages, `text` the file as it was written and `sources`
    the files that were read; two schemas are equal if they say the same, however it is written."""

    columns: tuple[ColumnSpec, ...]
    null: tuple[str, ...] = ()
    missing: Missing | None = None
    rows: Literal["people", "events"] = "people"
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
    def unit(self) -> Unit:
        """What a row is, in words."""
        return PEOPLE if self.rows == "people" else ROWS

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
        # Imported here: writing a schema down needs this module first.

        mapping = as_mapping(self, lambda file: file.content)
        # The order of the columns counts: searches break ties by it.
        ordered = {**mapping, "columns": list(mapping["columns"].items())}
        text = json.dumps(ordered, sort_keys=True, default=str, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


NameFile: TypeAlias = Callable[[HierarchyFile], str]


def as_mapping(schema: Schema, name_file: NameFile) -> dict[str, Any]:
    """The schema as a mapping; `name_file` says what stands for a hierarchy file."""
    settings = {"null": list(schema.null) or None, "missing": schema.missing, "rows": schema.rows}
    columns = {column.name: _column(column, name_file) for column in schema.columns}
    return {**_given(settings), "columns": columns}


def _column(column: ColumnSpec, name_file: NameFile) -> dict[str, Any]:
    return _given(
        {
            "role": column.role,
            "type": column.type,
            "bottom": _number(column.bottom),
            "top": _number(column.top),
            "levels": list(column.levels) if column.levels else None,
            "importance": None if column.importance == 1 else _number(column.importance),
            "granularity": _number(column.granularity),
            "format": column.format,
            "missing": column.missing,
            "unknown": "top" if column.unknown_to_top else None,
            "level": column.level,
            "release_level": column.release_level,
            "kept": "yes" if column.kept else None,
            "order": list(column.order) if column.order else None,
            "hierarchy": None if column.hierarchy is None else _kind(column.hierarchy, name_file),
        }
    )


def _given(mapping: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if value is not None}


def _kind(kind: Kind, name_file: NameFile) -> dict[str, Any]:
    match kind:
        case Intervals(widths, origin):
            return {"intervals": [_number(width) for width in widths], "origin": _number(origin)}
        case Breaks(bands):
            return {"breaks": [[_number(cut) for cut in cuts] for cuts in bands]}
        case Mask(characters):
            return {"mask": characters}
        case Keep(kept):
            return {"keep": list(kept)}
        case Dates(units):
            return {"date": list(units)}
        case HierarchyFile():
            return {"file": name_file(kind)}
        case Flat():
            return {"flat": True}
        case Tree(children):
            return {"tree": _children(children)}


def _children(children: tuple[Node | str, ...]) -> list[Any]:
    """Lists of leaves and one-key tables: the one form that keeps any order of leaves and subtrees."""
    return [
        {child.label: _children(child.children)} if isinstance(child, Node) else child for child in children
    ]


def _number(value: Decimal | Fraction | None) -> int | Decimal | None:
    """A number as TOML writes it best: whole numbers without a point."""
    if value is None:
        return None
    if isinstance(value, Fraction):
        # An importance is read from a decimal text, so its denominator has no primes but 2 and 5.
        shift = value.denominator.bit_length()
        value = Decimal(f"{value.numerator * (10**shift // value.denominator)}E-{shift}")
    whole = value == value.to_integral_value()
    return int(value) if whole else Decimal(format(value, "f").rstrip("0"))
