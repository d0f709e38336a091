"""Ready hierarchies of common codes, by name: countries, states, diagnoses, regions, occupations …"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from paretonym.errors import did_you_mean
from paretonym.schema.hierarchies.hierarchy_draft import Draft, Values, labelled_draft
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn, HierarchyKind, LoadFile
from paretonym.schema.hierarchies.ready_codes import is_code, range_of, ready_codes
from paretonym.schema.hierarchies.tree import Tree
from paretonym.schema.toml_section import Section

OUTSIDE = "other codes"


def _beginning(kept: int, text: str) -> str:
    """The first characters of a code; one that is shorter stands for itself."""
    return f"{text[:kept]}*" if len(text) >= kept else text


def _range(kept: int, ranges: Sequence[str], text: str) -> str:
    return range_of(text[:kept], ranges) or OUTSIDE


@dataclass(frozen=True, slots=True)
class Ready(HierarchyKind):
    """A hierarchy that is shipped: a tree of listed codes, or the first characters of a code and, for some,
    the range that these lie in."""

    key = "ready"
    set_noun = "group"

    name: str

    def __post_init__(self) -> None:
        if self.name not in ready_codes():
            raise self.refusal(f"there is no '{self.name}'", did_you_mean(self.name, ready_codes()))

    @classmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> Self | None:
        name = table.text("ready")
        return None if name is None else cls(name)

    @property
    def _tree(self) -> Tree | None:
        tree = ready_codes()[self.name].get("tree")
        return None if tree is None else Tree.of(tree)

    def to_mapping(self) -> dict[str, Any]:
        return {"ready": self.name}

    def draft(self, column: HierarchyColumn, values: Values) -> Draft:
        tree = self._tree
        if tree is not None:
            return tree.draft(column, values)
        entry = ready_codes()[self.name]
        inside = [is_code(self.name, text) for text in values.texts]
        values.require(np.array(inside, dtype=np.bool_), f"no code of {self.name}", "correct it", "hierarchy")
        order = sorted(range(len(values.texts)), key=values.texts.__getitem__)
        levels = [partial(_beginning, kept) for kept in entry["keep"]]
        if "ranges" in entry:
            levels.append(partial(_range, entry["keep"][-1], tuple(entry["ranges"])))
        return labelled_draft(values.texts, order, levels)

    def words(self, level: int) -> str | None:
        words: Sequence[str] = ready_codes()[self.name]["words"]
        return words[level - 1] if level <= len(words) else None

    def listed(self, values: Values) -> frozenset[str] | None:
        tree = self._tree
        return None if tree is None else tree.listed(values)

    def extended(self, leaves: Sequence[str], values: Values) -> HierarchyKind:
        tree = self._tree
        return self if tree is None else tree.extended(leaves, values)

    def members(self, label: str) -> Iterable[str]:
        """Of ranges: the code that a label begins with, or the ends of a range."""
        return () if self._tree is not None else (label.rstrip("*").split("-")[0],)

    def possible_members(self, label: str) -> Iterable[str]:
        """Codes outside all ranges have a label that names none of them."""
        return (label, *self.members(label), *(("~",) if label == OUTSIDE else ()))
