"""Characters masked from the right, or kept from the left. Values stay text, so leading zeros stay too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn, HierarchyKind, LoadFile
from paretonym.schema.hierarchies.level_table import Labelling, LevelTable, Values, labelled
from paretonym.schema.hierarchies.text_matrix import text_order
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

    def levels(self, column: HierarchyColumn, values: Values) -> LevelTable:
        """Level i masks the last i characters: 1234, 123*, 12**, …

        A label shows the length of its values, so 12* and 12** are different sets and no two sets share a
        label; only values without any character left are one set at their level, whatever their length, and
        its label does not show how long the longest is.
        """
        lengths, order = np.array(list(map(len, values.texts)), dtype=np.int64), text_order(values.texts)
        order = order[np.argsort(lengths[order], kind="stable")]
        return labelled(values.texts, order, list(map(_masked, range(1, self.characters + 1))))

    def words(self, level: int) -> str | None:
        if level > self.characters:
            return None
        return "last character masked" if level == 1 else f"last {level} characters masked"

    def possible_members(self, label: str) -> Iterable[str]:
        """A value may have stars of its own, in front of those that mask it."""
        masked = min(len(label) - len(label.rstrip("*")), self.characters)
        return tuple(label[: len(label) - stars] + "0" * stars for stars in range(masked + 1))


def _masked(stars: int) -> Labelling:
    return Labelling(
        lambda texts: [text[:-stars] + "*" * stars for text in texts],
        lambda lengths: np.maximum(lengths - stars, 0),
    )


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

    def levels(self, column: HierarchyColumn, values: Values) -> LevelTable:
        """Level i shows the first n characters: 12345, 123*, 1*. A value that is no longer is shown
        unchanged; 123 itself belongs to 123*."""
        return labelled(values.texts, text_order(values.texts), list(map(_kept, self.characters)))

    def words(self, level: int) -> str | None:
        if level > len(self.characters):
            return None
        number = self.characters[level - 1]
        return "first character" if number == 1 else f"first {number} characters"

    def possible_members(self, label: str) -> Iterable[str]:
        return label, label.removesuffix("*")


def _kept(count: int) -> Labelling:
    return Labelling(
        lambda texts: [f"{text[:count]}*" if len(text) >= count else text for text in texts],
        lambda lengths: np.minimum(lengths, count),
    )
