"""Numbers in intervals of nested widths, or in bands between nested breaks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, pairwise
from typing import Any

from paretonym.base.language import N_
from paretonym.tables.schema.hierarchies.hierarchy_kind import HierarchyKind, LoadFile
from paretonym.tables.schema.hierarchies.number_line import numbers_in, plain_number
from paretonym.tables.schema.hierarchies.value_line import Bands, Scale
from paretonym.tables.schema.toml_section import Section, number


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
            if coarser <= finer or not _is_multiple(coarser, finer):
                wrong = f"the width {coarser} is not a multiple of {finer} before it, so the levels would "
                remedy = "give increasing widths, each a multiple of the one before"
                raise self.refusal(f"{wrong}not nest", remedy)

    @classmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> Intervals | None:
        widths, origin = table.numbers("intervals"), table.number("origin")
        return None if widths is None else cls(widths, origin or Decimal(0))

    def to_mapping(self) -> dict[str, Any]:
        widths = [plain_number(width) for width in self.widths]
        return {"intervals": widths, "origin": plain_number(self.origin)}

    @property
    def height(self) -> int:
        return len(self.widths)

    @property
    def settings(self) -> Sequence[Decimal]:
        return self.widths

    def bands(self, scale: Scale) -> Sequence[Bands]:
        return [Bands.of_width(scale.point(width), scale.point(self.origin)) for width in self.widths]

    def words(self, level: int) -> str:
        width = self.widths[level - 1]
        if width == 1:
            return N_("in whole numbers")
        return N_("in steps of {number}").format(number=f"{width.normalize():,f}")

    def possible_members(self, label: str) -> Iterable[str]:
        return (label, *numbers_in(label))


def _is_multiple(coarser: Decimal, finer: Decimal) -> bool:
    (above, below), (factor, divisor) = coarser.as_integer_ratio(), finer.as_integer_ratio()
    return above * divisor % (below * factor) == 0


@dataclass(frozen=True, slots=True)
class Breaks(HierarchyKind):
    """Custom bands: `cuts[i]` are the numbers at which level i + 1 is cut."""

    key = "breaks"
    reads = "numbers"
    set_noun = "band"

    cuts: tuple[tuple[Decimal, ...], ...]

    def __post_init__(self) -> None:
        if not self.cuts or not all(self.cuts):
            remedy = "give at least one number per level; the top is added automatically"
            raise self.refusal("a level has no breaks", remedy)
        for level in self.cuts:
            for before, after in pairwise(level):
                if after <= before:
                    remedy = "give the breaks of a level in ascending order"
                    raise self.refusal(f"{after} comes after {before}", remedy)
        for finer, coarser in pairwise(self.cuts):
            self._check_step(finer, coarser)

    def _check_step(self, finer: tuple[Decimal, ...], coarser: tuple[Decimal, ...]) -> None:
        for cut in coarser:
            if cut not in finer:
                wrong = f"the break {cut} is not among those of the level before it, so the levels would not "
                remedy = "let each level drop breaks of the one before and add none"
                raise self.refusal(f"{wrong}nest", remedy)
        if len(coarser) == len(finer):
            raise self.refusal("two levels have the same breaks", "remove one of them")

    @classmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> Breaks | None:
        expected = "a list of numbers for each level, such as [[10, 20], [20]]"
        cuts = table.read("breaks", _lists_of_numbers, expected)
        return None if cuts is None else cls(cuts)

    def to_mapping(self) -> dict[str, Any]:
        return {"breaks": [[plain_number(cut) for cut in level] for level in self.cuts]}

    @property
    def height(self) -> int:
        return len(self.cuts)

    @property
    def settings(self) -> Sequence[Decimal]:
        return list(chain(*self.cuts))

    def bands(self, scale: Scale) -> Sequence[Bands]:
        return [Bands.between([scale.point(cut) for cut in level]) for level in self.cuts]

    def words(self, level: int) -> str:
        return N_("in {number} bands").format(number=len(self.cuts[level - 1]) + 1)

    def possible_members(self, label: str) -> Iterable[str]:
        return (label, *numbers_in(label))


def _lists_of_numbers(value: Any) -> Any:
    """Lists of numbers; one plain list of numbers is one level."""
    if not isinstance(value, list | tuple):
        return None
    rows = value if all(isinstance(row, list | tuple) for row in value) else [value]
    cuts = tuple(tuple(number(entry) for entry in row) for row in rows)
    return None if any(entry is None for row in cuts for entry in row) else cuts
