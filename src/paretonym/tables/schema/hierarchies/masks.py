"""Characters masked from the right, or kept from the left. Values stay text, so leading zeros stay too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from paretonym.base.language import N_
from paretonym.tables.schema.hierarchies.hierarchy_kind import HierarchyKind, LoadFile
from paretonym.tables.schema.toml_section import Section

LONGEST_MASK = 100


@dataclass(frozen=True, slots=True)
class Mask(HierarchyKind):
    """Characters masked from the right, one more at each level, up to `characters`.

    A label shows the length of its values, so 12* and 12** are different sets and no two sets share a label;
    only values without any character left are one set at their level, whatever their length, and its label
    does not show how long the longest is.
    """

    key = "mask"
    shorter_first = True

    characters: int

    def __post_init__(self) -> None:
        if not 1 <= self.characters <= LONGEST_MASK:
            wrong = f"{self.characters} characters cannot be masked"
            raise self.refusal(wrong, f"give a whole number from 1 to {LONGEST_MASK}")

    @classmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> Mask | None:
        characters = table.whole("mask")
        return None if characters is None else cls(characters)

    def to_mapping(self) -> dict[str, Any]:
        return {"mask": self.characters}

    @property
    def height(self) -> int:
        return self.characters

    def labels(self, texts: Sequence[str], level: int) -> list[str]:
        """1234, 123*, 12**, …"""
        stars = "*" * level
        return [text[:-level] + stars for text in texts]

    def words(self, level: int) -> str:
        if level == 1:
            return N_("last character masked")
        return N_("last {number} characters masked").format(number=level)

    def possible_members(self, label: str) -> Iterable[str]:
        """A value may have stars of its own, in front of those that mask it."""
        masked = min(len(label) - len(label.rstrip("*")), self.characters)
        return tuple(label[: len(label) - stars] + "0" * stars for stars in range(masked + 1))


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
    def read(cls, table: Section, load: LoadFile, secret: bool) -> Keep | None:
        characters = table.wholes("keep")
        return None if characters is None else cls(characters)

    def to_mapping(self) -> dict[str, Any]:
        return {"keep": list(self.characters)}

    @property
    def height(self) -> int:
        return len(self.characters)

    def labels(self, texts: Sequence[str], level: int) -> list[str]:
        """12345, 123*, 1*. A value that is shorter is shown unchanged; 123 itself belongs to 123*."""
        return beginnings(texts, self.characters[level - 1])

    def words(self, level: int) -> str:
        number = self.characters[level - 1]
        return N_("first character") if number == 1 else N_("first {number} characters").format(number=number)

    def possible_members(self, label: str) -> Iterable[str]:
        return label, label.removesuffix("*")


def beginnings(texts: Sequence[str], number: int) -> list[str]:
    """The first characters of texts with a star behind them; one that is shorter stands for itself.

    >>> beginnings(["12345", "123", "12"], 3)
    ['123*', '123*', '12']
    """
    return [f"{text[:number]}*" if len(text) >= number else text for text in texts]
