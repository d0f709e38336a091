"""Numbers in custom bands: the breaks are given, level by level."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, pairwise
from typing import Any, Self

from paretonym.schema.hierarchies.exact_numbers import plain_number
from paretonym.schema.hierarchies.hierarchy_draft import Draft, Values
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn, HierarchyKind, LoadFile
from paretonym.schema.hierarchies.number_line import number_line, numbers_in
from paretonym.schema.hierarchies.value_line import Line
from paretonym.schema.toml_section import Section, number


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

    def draft(self, column: HierarchyColumn, values: Values) -> Draft:
        line = number_line(column, values, chain(*self.bands))
        return line.draft(line.of_breaks(self.bands))

    def words(self, level: int) -> str | None:
        return f"in {len(self.bands[level - 1]) + 1} bands" if level <= len(self.bands) else None

    def line(self, column: HierarchyColumn, values: Values) -> Line:
        line = number_line(column, values, chain(*self.bands))
        return line.line(line.of_breaks(self.bands))

    def possible_members(self, label: str) -> Iterable[str]:
        return (label, *numbers_in(label))


def _lists_of_numbers(value: Any) -> Any:
    """Lists of numbers; one plain list of numbers is one level."""
    if not isinstance(value, list | tuple):
        return None
    rows = value if all(isinstance(row, list | tuple) for row in value) else [value]
    bands = tuple(tuple(number(entry) for entry in row) for row in rows)
    return None if any(entry is None for row in bands for entry in row) else bands
