"""Unchanged, or one set: values in the order that the schema lists, or in that of their numbers, dates or
texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from paretonym.schema.hierarchies.date_line import date_line
from paretonym.schema.hierarchies.hierarchy_draft import (
    NOT_LISTED,
    Draft,
    Values,
    as_is,
    labelled_draft,
    places,
)
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn, HierarchyKind, LoadFile, Order
from paretonym.schema.hierarchies.number_line import number_line, numbers_in
from paretonym.schema.hierarchies.text_matrix import text_order
from paretonym.schema.hierarchies.value_line import Line
from paretonym.schema.toml_section import Section

BRACES = re.compile(r"\{(.+)\}")


@dataclass(frozen=True, slots=True)
class Flat(HierarchyKind):
    """Unchanged, or one set."""

    key = "flat"
    reads = None
    takes_order = True
    grouped = False

    @classmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> Self | None:
        flat = table.read("flat", lambda value: value if value is True else None, "true, or omit it")
        return None if flat is None else cls()

    def to_mapping(self) -> dict[str, Any]:
        return {"flat": True}

    def order_of(self, column: HierarchyColumn, values: Values) -> Order:
        if column.order is not None:
            return "order"
        coded = column.type is None and (column.bottom is not None or column.top is not None)
        kind = column.type or values.type
        if coded or kind in ("integer", "decimal"):
            return "numbers"
        return "dates" if kind == "date" else "tree"

    def draft(self, column: HierarchyColumn, values: Values) -> Draft:
        if column.order is not None:
            codes = places(values.texts, column.order)
            values.require(codes >= 0, "not in order", NOT_LISTED, "order")
            return Draft(
                column.order, (as_is(column.order),), codes, "the values listed in order", listed=True
            )
        order = self.order_of(column, values)
        if order == "numbers":
            return number_line(column, values).draft()
        if order == "dates":
            return date_line(column, values).draft()
        return labelled_draft(values.texts, text_order(values.texts), ())

    def words(self, level: int) -> str | None:
        return None

    def line(self, column: HierarchyColumn, values: Values) -> Line | None:
        order = self.order_of(column, values)
        if order == "numbers":
            return number_line(column, values).line()
        return date_line(column, values).line() if order == "dates" else None

    def members(self, label: str) -> Iterable[str]:
        """The values of a set whose label lists them in braces."""
        several = BRACES.fullmatch(label)
        return several[1].split(", ") if several else (label,)

    def possible_members(self, label: str) -> Iterable[str]:
        """Numbers too: they may be coded at the ends."""
        return (label, *self.members(label), *numbers_in(label))
