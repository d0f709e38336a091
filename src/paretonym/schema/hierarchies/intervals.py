"""Numbers in intervals of nested widths."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, Self

from paretonym.schema.hierarchies.exact_numbers import plain_number
from paretonym.schema.hierarchies.hierarchy_draft import Draft, Values
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn, HierarchyKind, LoadFile
from paretonym.schema.hierarchies.number_line import number_line, numbers_in
from paretonym.schema.hierarchies.value_line import Line
from paretonym.schema.toml_section import Section


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

    def draft(self, column: HierarchyColumn, values: Values) -> Draft:
        line = number_line(column, values, self.widths)
        return line.draft(line.of_widths(self.widths, self.origin))

    def words(self, level: int) -> str | None:
        if level > len(self.widths):
            return None
        width = self.widths[level - 1]
        return "in whole numbers" if width == 1 else f"in steps of {width.normalize():,f}"

    def line(self, column: HierarchyColumn, values: Values) -> Line:
        line = number_line(column, values, self.widths)
        return line.line(line.of_widths(self.widths, self.origin))

    def possible_members(self, label: str) -> Iterable[str]:
        return (label, *numbers_in(label))
