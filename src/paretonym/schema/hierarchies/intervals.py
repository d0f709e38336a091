"""Numbers in intervals of nested widths, or in bands between nested breaks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import chain, pairwise
from typing import Any, Self

from paretonym.schema.hierarchies.exact_numbers import plain_number
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn, HierarchyKind, LoadFile
from paretonym.schema.hierarchies.level_table import LevelTable, Values
from paretonym.schema.hierarchies.number_line import number_table, numbers_in
from paretonym.schema.hierarchies.value_line import Bands
from paretonym.schema.toml_section import Section, number


@dataclass(frozen=True, slots=True)
class Intervals(HierarchyKind):
    """Numbers in intervals of nested widths, `widths[i]` at level i + 1, counted from `origin`."""

    key = "intervals"
    further_keys = ("origin",)
    reads = "numbers"

    widths: tuple[Decimal, ...]
    origin: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        if not self.widths:
            raise self.refusal("no width is given", "give nested widths such as [5, 10, 20]")
        for width in self.widths:
            if width <= 0:
                raise self.refusal(f"the width {width} is not positive", "give widths above 0")
        for finer, coarser in pairwise(self.widths):
            self._check_step(finer, coarser)

    def _check_step(self, finer: Decimal, coarser: Decimal) -> None:
        wrong = f"the width {coarser} is not a multiple of {finer} before it, so the levels would not nest"
        if coarser <= finer or (Fraction(coarser) / Fraction(finer)).denominator != 1:
            raise self.refusal(wrong, "give increasing widths, each a multiple of the one before")

    @classmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> Self | None:
        widths, origin = table.numbers("intervals"), table.number("origin")
        if widths is None:
            return None
        return cls(widths) if origin is None else cls(widths, origin)

    def to_mapping(self) -> dict[str, Any]:
        return {
            "intervals": [plain_number(width) for width in self.widths],
            "origin": plain_number(self.origin),
        }

    def levels(self, column: HierarchyColumn, values: Values) -> LevelTable:
        return number_table(
            column,
            values,
            self.widths,
            lambda scale: [Bands.of_width(scale.point(w), scale.point(self.origin)) for w in self.widths],
        )

    def words(self, level: int) -> str | None:
        if level > len(self.widths):
            return None
        width = self.widths[level - 1]
        return "in whole numbers" if width == 1 else f"in steps of {width.normalize():,f}"

    def possible_members(self, label: str) -> Iterable[str]:
        return (label, *numbers_in(label))


@dataclass(frozen=True, slots=True)
class Breaks(HierarchyKind):
    """Custom bands: `bands[i]` are the numbers at which level i + 1 is cut. `ready` is the name of the ready
    hierarchy that they are, if the schema gives that instead."""

    key = "breaks"
    reads = "numbers"
    set_noun = "band"

    bands: tuple[tuple[Decimal, ...], ...]
    ready: str = ""

    def __post_init__(self) -> None:
        if not self.bands or not all(self.bands):
            raise self.refusal(
                "a level has no breaks",
                "give at least one number per level; the top is added automatically",
            )
        for cuts in self.bands:
            for one, following in pairwise(cuts):
                if following <= one:
                    raise self.refusal(
                        f"{following} comes after {one}",
                        "give the breaks of a level in ascending order",
                    )
        for finer, coarser in pairwise(self.bands):
            self._check_step(finer, coarser)

    def _check_step(self, finer: tuple[Decimal, ...], coarser: tuple[Decimal, ...]) -> None:
        for cut in coarser:
            if cut not in finer:
                wrong = (
                    f"the break {cut} is not among those of the level before it, so the levels would not nest"
                )
                raise self.refusal(wrong, "let each level drop breaks of the one before and add none")
        if len(coarser) == len(finer):
            raise self.refusal("two levels have the same breaks", "remove one of them")

    @classmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> Self | None:
        expected = "a list of numbers for each level, such as [[10, 20], [20]]"
        bands = table.read("breaks", _lists_of_numbers, expected)
        return None if bands is None else cls(bands)

    def to_mapping(self) -> dict[str, Any]:
        if self.ready:
            return {"ready": self.ready}
        return {"breaks": [[plain_number(cut) for cut in cuts] for cuts in self.bands]}

    def levels(self, column: HierarchyColumn, values: Values) -> LevelTable:
        return number_table(
            column,
            values,
            chain(*self.bands),
            lambda scale: [Bands.between([scale.point(cut) for cut in cuts]) for cuts in self.bands],
        )

    def words(self, level: int) -> str | None:
        return f"in {len(self.bands[level - 1]) + 1} bands" if level <= len(self.bands) else None

    def possible_members(self, label: str) -> Iterable[str]:
        return (label, *numbers_in(label))


def _lists_of_numbers(value: Any) -> Any:
    """Lists of numbers; one plain list of numbers is one level."""
    if not isinstance(value, list | tuple):
        return None
    rows = value if all(isinstance(row, list | tuple) for row in value) else [value]
    bands = tuple(tuple(number(entry) for entry in row) for row in rows)
    return None if any(entry is None for row in bands for entry in row) else bands
