"""Unchanged, or one set: values in the order that the schema lists, or in that of their numbers, dates or
texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from paretonym.tables.schema.hierarchies.hierarchy_kind import HierarchyKind, LoadFile
from paretonym.tables.schema.hierarchies.number_line import numbers_in
from paretonym.tables.schema.toml_section import Section

BRACES = re.compile(r"\{(.+)\}")


@dataclass(frozen=True, slots=True)
class Flat(HierarchyKind):
    """Unchanged, or one set."""

    key = "flat"
    reads = None
    takes_order = True
    height = 0

    @classmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> Flat | None:
        flat = table.read("flat", lambda value: value if value is True else None, "true, or omit it")
        return None if flat is None else cls()

    def to_mapping(self) -> dict[str, Any]:
        return {"flat": True}

    def possible_members(self, label: str) -> Iterable[str]:
        """The values that a label lists in braces; numbers too, for they may be coded at the ends."""
        several = BRACES.fullmatch(label)
        return (label, *(several[1].split(", ") if several else ()), *numbers_in(label))
