"""A schema as plain tables, lists, texts and numbers: what a TOML file would hold, in one canonical form."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

from paretonym.schema.kinds import (
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
from paretonym.schema.model import ColumnSpec, Schema

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
