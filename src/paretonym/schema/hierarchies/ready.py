"""Ready hierarchies, by name: of common codes (countries, states, diagnoses, regions, occupations …), and of
ages and dates, which are bands of numbers and spans of time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any, Self

import numpy as np

from paretonym.errors import did_you_mean
from paretonym.schema.hierarchies.dates import Dates
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn, HierarchyKind, LoadFile
from paretonym.schema.hierarchies.intervals import Breaks
from paretonym.schema.hierarchies.level_table import Labelling, LevelTable, Values, labelled
from paretonym.schema.hierarchies.ready_codes import is_code, range_of, ready_codes
from paretonym.schema.hierarchies.text_matrix import text_order
from paretonym.schema.hierarchies.tree import Tree
from paretonym.schema.toml_section import Section

OUTSIDE = "other codes"


def _beginnings(kept: int, texts: Sequence[str]) -> list[str]:
    """The first characters of codes; one that is shorter stands for itself."""
    return [f"{text[:kept]}*" if len(text) >= kept else text for text in texts]


def _ranges(kept: int, ranges: Sequence[str], texts: Sequence[str]) -> list[str]:
    return [range_of(text[:kept], ranges) or OUTSIDE for text in texts]


def ready_line(name: object) -> Breaks | Dates | None:
    """The ready hierarchy of numbers or dates with this name, None if it is one of codes, or none.

    >>> ready_line("dates").to_mapping(), ready_line("countries")
    ({'ready': 'dates'}, None)
    """
    shape = ready_codes().get(str(name), {}).get("hierarchy")
    if shape is None:
        return None
    if "date" in shape:
        return Dates(tuple(shape["date"]), str(name))
    return Breaks(tuple(tuple(map(Decimal, cuts)) for cuts in shape["breaks"]), str(name))


@dataclass(frozen=True, slots=True)
class Ready(HierarchyKind):
    """A hierarchy that is shipped: a tree of listed codes, or the first characters of a code and, for some,
    the range that these lie in."""

    key = "ready"
    set_noun = "group"

    name: str

    def __post_init__(self) -> None:
        if "hierarchy" in ready_codes().get(self.name, {"hierarchy": None}):
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

    def levels(self, column: HierarchyColumn, values: Values) -> LevelTable:
        tree = self._tree
        if tree is not None:
            return tree.levels(column, values)
        entry = ready_codes()[self.name]
        inside = np.array([is_code(self.name, text) for text in values.texts], dtype=np.bool_)
        values.require(inside, f"no code of {self.name}", "correct it", "hierarchy")
        labellings = [Labelling(partial(_beginnings, number)) for number in entry["keep"]]
        if "ranges" in entry:
            ranges = partial(_ranges, entry["keep"][-1], tuple(entry["ranges"]))
            labellings.append(Labelling(ranges))
        return labelled(values.texts, text_order(values.texts), labellings)

    def words(self, level: int) -> str | None:
        words: Sequence[str] = ready_codes()[self.name]["words"]
        return words[level - 1] if level <= len(words) else None

    def possible_members(self, label: str) -> Iterable[str]:
        """The code that a label or a range begins with; codes outside all ranges have a label that names none
        of them."""
        return (label, label.rstrip("*").split("-")[0], *(("~",) if label == OUTSIDE else ()))
