"""Unchanged, or one set: values in the order that the schema lists, or in that of their numbers, dates or
texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from paretonym.schema.hierarchies.date_line import date_table
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn, HierarchyKind, LoadFile
from paretonym.schema.hierarchies.level_table import (
    NOT_LISTED,
    LevelTable,
    Values,
    labelled,
    places,
    unchanged,
)
from paretonym.schema.hierarchies.number_line import number_table, numbers_in
from paretonym.schema.hierarchies.text_matrix import text_order
from paretonym.schema.toml_section import Section

BRACES = re.compile(r"\{(.+)\}")


@dataclass(frozen=True, slots=True)
class Flat(HierarchyKind):
    """Unchanged, or one set."""

    key = "flat"
    reads = None
    takes_order = True

    @classmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> Self | None:
        flat = table.read("flat", lambda value: value if value is True else None, "true, or omit it")
        return None if flat is None else cls()

    def to_mapping(self) -> dict[str, Any]:
        return {"flat": True}

    def levels(self, column: HierarchyColumn, values: Values) -> LevelTable:
        if column.order is not None:
            codes, level = places(values.texts, column.order), unchanged(column.order)
            values.require(codes >= 0, "not in order", NOT_LISTED, "order")
            return LevelTable(
                column.order, (level,), codes, "the values listed in order", "order", listed=True
            )
        coded = column.bottom is not None or column.top is not None or column.domain is not None
        kind = column.type or ("integer" if coded else values.type)
        if kind in ("integer", "decimal"):
            return number_table(column, values)
        if kind == "date":
            return date_table(column, values)
        return labelled(values.texts, text_order(values.texts), ())

    def words(self, level: int) -> str | None:
        return None

    def possible_members(self, label: str) -> Iterable[str]:
        """The values that a label lists in braces; numbers too, for they may be coded at the ends."""
        several = BRACES.fullmatch(label)
        return (label, *(several[1].split(", ") if several else ()), *numbers_in(label))
