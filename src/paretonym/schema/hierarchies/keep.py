"""Characters kept from the left. Values stay text, so leading zeros stay too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from paretonym.schema.hierarchies.hierarchy_draft import Draft, Labelling, Values, labelled_draft
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn, HierarchyKind, LoadFile
from paretonym.schema.hierarchies.text_matrix import text_order
from paretonym.schema.toml_section import Section


@dataclass(frozen=True, slots=True)
class Keep(HierarchyKind):
    """Characters kept from the left: `characters[i]` at level i + 1."""

    key = "keep"

    characters: tuple[int, ...]

    def __post_init__(self) -> None:
        falling = all(after < before for before, after in pairwise(self.characters))
        if not self.characters or not falling or self.characters[-1] < 1:
            wrong = f"{list(self.characters)} is not a decreasing list of whole numbers above 0"
            raise self.refusal(wrong, "give the characters kept at level 1, 2, …, such as [3, 1]")

    @classmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> Self | None:
        characters = table.wholes("keep")
        return None if characters is None else cls(characters)

    def to_mapping(self) -> dict[str, Any]:
        return {"keep": list(self.characters)}

    def draft(self, column: HierarchyColumn, values: Values) -> Draft:
        """Level i shows the first n characters: 12345, 123*, 1*. A value that is no longer is shown
        unchanged; 123 itself belongs to 123*."""
        labellings = [_kept(count) for count in self.characters]
        return labelled_draft(values.texts, text_order(values.texts), labellings)

    def words(self, level: int) -> str | None:
        if level > len(self.characters):
            return None
        number = self.characters[level - 1]
        return "first character" if number == 1 else f"first {number} characters"

    def members(self, label: str) -> Iterable[str]:
        return (label.replace("*", "0"),)

    def possible_members(self, label: str) -> Iterable[str]:
        return label, label.removesuffix("*")


def _kept(count: int) -> Labelling:
    return Labelling(
        lambda texts: [f"{text[:count]}*" if len(text) >= count else text for text in texts],
        lambda lengths: np.minimum(lengths, count),
    )
