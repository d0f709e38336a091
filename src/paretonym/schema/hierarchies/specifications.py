"""The kinds of hierarchy that a schema can ask for: one small frozen value each, checked when made.

A value that breaks its own rule raises an `InputError` whose problems have the setting as their place; the
reader of the schema file puts the file and the column in front.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Protocol, TypeAlias

from paretonym.errors import InputError, did_you_mean
from paretonym.source import ColumnType

DATE_UNITS = ("month", "quarter", "year", "decade")
DEEPEST_TREE = 100
LONGEST_MASK = 100


@dataclass(frozen=True, slots=True)
class Intervals:
    """Numbers in intervals of nested widths, `widths[i]` at level i + 1, counted from `origin`."""

    widths: tuple[Decimal, ...]
    origin: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        if not self.widths:
            raise _broken("intervals", "no width is given", "give nested widths such as [5, 10, 20]")
        for width in self.widths:
            if width <= 0:
                raise _broken("intervals", f"the width {width} is not positive", "give widths above 0")
        for finer, coarser in pairwise(self.widths):
            self._check_step(finer, coarser)

    @staticmethod
    def _check_step(finer: Decimal, coarser: Decimal) -> None:
        wrong = f"the width {coarser} is not a multiple of {finer} before it, so the levels would not nest"
        if coarser <= finer or (Fraction(coarser) / Fraction(finer)).denominator != 1:
            raise _broken("intervals", wrong, "give rising widths, each a multiple of the one before")


@dataclass(frozen=True, slots=True)
class Breaks:
    """Own bands: `bands[i]` are the numbers at which level i + 1 is cut."""

    bands: tuple[tuple[Decimal, ...], ...]

    def __post_init__(self) -> None:
        if not self.bands or not all(self.bands):
            raise _broken(
                "breaks",
                "a level has no breaks",
                "give at least one number a level; the top is added for you",
            )
        for cuts in self.bands:
            for one, following in pairwise(cuts):
                if following <= one:
                    raise _broken(
                        "breaks", f"{following} stands after {one}", "give the breaks of a level rising"
                    )
        for finer, coarser in pairwise(self.bands):
            self._check_step(finer, coarser)

    @staticmethod
    def _check_step(finer: tuple[Decimal, ...], coarser: tuple[Decimal, ...]) -> None:
        for cut in coarser:
            if cut not in finer:
                wrong = (
                    f"the break {cut} is not among those of the level before it, so the levels would not nest"
                )
                raise _broken(
                    "breaks", wrong, "let each level leave out breaks of the one before and add none"
                )
        if len(coarser) == len(finer):
            raise _broken("breaks", "two levels have the same breaks", "leave one of them out")


@dataclass(frozen=True, slots=True)
class Mask:
    """Characters masked from the right, one more at each level, up to `characters`."""

    characters: int

    def __post_init__(self) -> None:
        if not 1 <= self.characters <= LONGEST_MASK:
            wrong = f"{self.characters} characters cannot be masked"
            raise _broken("mask", wrong, f"give a whole number from 1 to {LONGEST_MASK}")


@dataclass(frozen=True, slots=True)
class Keep:
    """Characters kept from the left: `characters[i]` at level i + 1."""

    characters: tuple[int, ...]

    def __post_init__(self) -> None:
        falling = all(after < before for before, after in pairwise(self.characters))
        if not self.characters or not falling or self.characters[-1] < 1:
            wrong = f"{list(self.characters)} is not a falling list of whole numbers above 0"
            raise _broken("keep", wrong, "give the characters kept at level 1, 2, …, such as [3, 1]")


@dataclass(frozen=True, slots=True)
class Dates:
    """Dates shown by month, quarter, year, decade: `units[i]` at level i + 1."""

    units: tuple[str, ...]

    def __post_init__(self) -> None:
        for unit in self.units:
            self._check_unit(unit)
        ranks = [DATE_UNITS.index(unit) for unit in self.units]
        if not ranks or any(after <= before for before, after in pairwise(ranks)):
            wrong = f"{list(self.units)} does not go from finer to coarser units"
            raise _broken("date", wrong, f"give some of {', '.join(DATE_UNITS)}, in this order")

    @staticmethod
    def _check_unit(unit: str) -> None:
        if unit == "week":
            wrong = "weeks are not nested in months or years"
            raise _broken("date", wrong, f"use some of {', '.join(DATE_UNITS)}")
        if unit == "day":
            raise _broken("date", "level 0 already shows the day", f"use some of {', '.join(DATE_UNITS)}")
        if unit not in DATE_UNITS:
            raise _broken("date", f"the unit '{unit}' is unknown", did_you_mean(unit, DATE_UNITS))


@dataclass(frozen=True, slots=True)
class HierarchyFile:
    """A file with one line per value. Two are equal if their content is, wherever they lie."""

    name: str = field(compare=False)
    content: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Flat:
    """As is, or one set."""


@dataclass(frozen=True, slots=True)
class Node:
    """An inner node of a tree: a set with a label, over leaves (texts) and further nodes."""

    label: str
    children: tuple[Node | str, ...]


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree of any depth, also ragged; its root is not written down and shown as `*`."""

    children: tuple[Node | str, ...]


Kind: TypeAlias = Intervals | Breaks | Mask | Keep | Dates | HierarchyFile | Flat | Tree
NUMBER_KINDS = (Intervals, Breaks)


class HierarchyColumn(Protocol):
    """What building a hierarchy asks of a column's entry in the schema."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> ColumnType | None: ...
    @property
    def hierarchy(self) -> Kind | None: ...
    @property
    def order(self) -> tuple[str, ...] | None: ...
    @property
    def bottom(self) -> Decimal | None: ...
    @property
    def top(self) -> Decimal | None: ...
    @property
    def format(self) -> str | None: ...


def _broken(setting: str, wrong: str, remedy: str) -> InputError:
    return InputError.of(f"hierarchy.{setting}", wrong, remedy)
