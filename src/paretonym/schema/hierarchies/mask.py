"""Characters masked from the right. Values stay text, so leading zeros stay too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from paretonym.schema.hierarchies.hierarchy_draft import Draft, Labelling, Values, labelled_draft
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn, HierarchyKind, LoadFile
from paretonym.schema.hierarchies.text_matrix import lengths_of, text_order
from paretonym.schema.toml_section import Section

LONGEST_MASK = 100


@dataclass(frozen=True, slots=True)
class Mask(HierarchyKind):
    """Characters masked from the right, one more at each level, up to `characters`."""

    key = "mask"

    characters: int

    def __post_init__(self) -> None:
        if not 1 <= self.characters <= LONGEST_MASK:
            wrong = f"{self.characters} characters cannot be masked"
            raise self.refusal(wrong, f"give a whole number from 1 to {LONGEST_MASK}")

    @classmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> Self | None:
        characters = table.whole("mask")
        return None if characters is None else cls(characters)

    def to_mapping(self) -> dict[str, Any]:
        return {"mask": self.characters}

    def draft(self, column: HierarchyColumn, values: Values) -> Draft:
        """Level i masks the last i characters: 1234, 123*, 12**, …

        A label shows the length of its values, so 12* and 12** are different sets and no two sets share a
        label; only values without any character left are one set at their level, whatever their length, and
        its label does not show how long the longest is.
        """
        texts = values.texts
        lengths, order = lengths_of(texts), text_order(texts)
        labellings = [_masked(stars) for stars in range(1, self.characters + 1)]
        return labelled_draft(texts, order[np.argsort(lengths[order], kind="stable")], labellings)

    def words(self, level: int) -> str | None:
        if level > self.characters:
            return None
        return "last character masked" if level == 1 else f"last {level} characters masked"

    def members(self, label: str) -> Iterable[str]:
        return (label.replace("*", "0"),)

    def possible_members(self, label: str) -> Iterable[str]:
        """A value may have stars of its own, in front of those that mask it."""
        masked = min(len(label) - len(label.rstrip("*")), self.characters)
        return tuple(label[: len(label) - stars] + "0" * stars for stars in range(masked + 1))


def _masked(stars: int) -> Labelling:
    return Labelling(
        lambda texts: [text[:-stars] + "*" * stars for text in texts],
        lambda lengths: np.maximum(lengths - stars, 0),
    )
