"""The levels at which a label can be shown, proven by a value that is shown by it.

Nothing but the schema is needed. A label that shows no value of any table is none of the hierarchy's, however
it looks: `41` where ages are shown by decades, `[41, 42)`, or `4200` where numbers from 4000 on are coded.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

import numpy as np

from paretonym.tables.schema.hierarchies.date_line import read_days
from paretonym.tables.schema.hierarchies.hierarchy_builder import TOP_LABEL, level_table
from paretonym.tables.schema.hierarchies.hierarchy_kind import HierarchyColumn, HierarchyKind
from paretonym.tables.schema.hierarchies.intervals import Intervals
from paretonym.tables.schema.hierarchies.level_table import LevelTable, Values, means_missing
from paretonym.tables.schema.hierarchies.number_line import parse_number
from paretonym.tables.source import ColumnType

# A set whose label a lower level uses for another set is named with its level.
LEVELLED = re.compile(r"(.+) \(level ([0-9]{1,3})(?:, [0-9]+)?\)", re.DOTALL)
# The most labels that are tried one by one: other values change how a value is spelled in few cases only.
MOST_ALONE = 1000

# How each level below the top shows a value.
ByLevel: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class LabelLevels:
    """The labels of a column, judged by its entry in the schema. With `unknown_to_top` a value outside the
    hierarchy is shown by the top label at every level; texts in `null` are no values."""

    column: HierarchyColumn
    unknown_to_top: bool = False
    null: tuple[str, ...] = ()

    def of(self, labels: Iterable[str]) -> dict[str, frozenset[int]]:
        """The levels at which each label can be shown; none if it shows no value.

        >>> from paretonym.tables.schema import schema_from
        >>> entry = {"role": "quasi", "hierarchy": {"intervals": [10, 20]}, "top": 90}
        >>> levels = LabelLevels(schema_from({"columns": {"age": entry}}).column("age"))
        >>> {text: sorted(numbers) for text, numbers in levels.of(["41", "[40, 50)", "95", "90+"]).items()}
        {'41': [0], '[40, 50)': [1], '95': [], '90+': [0, 1, 2]}
        """
        distinct = list(dict.fromkeys(labels))
        levelled = {label: match for label in distinct if (match := LEVELLED.fullmatch(label))}
        levels = self._proven([*distinct, *(match[1] for match in levelled.values())])
        for label, match in levelled.items():
            if int(match[2]) in levels[match[1]]:
                strays = self.unknown_to_top and int(match[2]) == self.top
                levels[label].update(range(self.top + 1) if strays else [int(match[2])])
        return {label: frozenset(levels[label]) for label in distinct}

    @property
    def top(self) -> int:
        """The number of the level at which everything is one set."""
        return _top(self._table(()))[0]

    @property
    def listed(self) -> bool:
        """True if the schema lists all values."""
        return self._table(()).listed

    def is_point(self, text: str) -> bool:
        """True if a text is a number or date, of a column whose values may lie on a line; no number that is
        coded there, but the ends of what is coded."""
        if self.column.order is not None or self.column.kind.reads == "texts":
            return False
        number, bottom, top = parse_number(text), self.column.bottom, self.column.top
        if bottom is not None or top is not None:
            return (
                number is not None and (bottom is None or bottom <= number) and (top is None or number <= top)
            )
        return number is not None or self._day(text) >= 0

    def separates(self, end: str, level: int, granularity: Decimal | None = None) -> bool:
        """True if a set of a level begins at a number or date; with a `granularity`, a granule or a set of
        any level above 0."""
        sides = self._sides(end) if self.is_point(end) else ()
        if not sides or granularity is None:
            return bool(sides) and self._differ(sides, level)
        granules = Intervals((granularity,), self.column.kind.origin)
        return self._differ(sides, 1) or self._differ(sides, 1, granules)

    def _differ(self, sides: Sequence[str], level: int, kind: HierarchyKind | None = None) -> bool:
        below, above = self._readings(sides, kind)
        return any(
            level < len(one) and one[level] != other[level] for one, other in zip(below, above, strict=False)
        )

    def _sides(self, end: str) -> tuple[str, ...]:
        """A value just below an end, and the end itself; nothing if it is neither number nor date."""
        if self._dated:
            day = self._day(end)
            ordinals = (day - 1, day) if day > 1 else ()
            return tuple(datetime.date.fromordinal(ordinal).isoformat() for ordinal in ordinals)
        number = parse_number(end)
        if number is None:
            return ()
        exponent = number.as_tuple().exponent
        least = Decimal(1).scaleb(min(exponent if isinstance(exponent, int) else 0, 0) - 1)
        return format(number - least, "f"), format(number, "f")

    def _day(self, text: str) -> int:
        """The day in a text, in ISO form or in the column's layout; -1 if it is none."""
        return max(int(read_days((text,), layout)[0]) for layout in {None, self.column.format})

    def _proven(self, labels: Sequence[str]) -> dict[str, set[int]]:
        """The levels of each label; those that all values together do not prove are tried one by one."""
        texts = {label: self._texts(label) for label in labels}
        together = list(dict.fromkeys(text for members in texts.values() for text in members))
        readings = dict(zip(together, self._readings(together), strict=True))
        levels_of = {
            label: _levels(label, [readings[text] for text in members]) for label, members in texts.items()
        }
        for label in [label for label, levels in levels_of.items() if not levels][:MOST_ALONE]:
            for text in texts[label]:
                levels_of[label] |= _levels(label, self._readings([text]))
        empty = self._table(())
        for number, level in enumerate(empty.levels):
            # Of a hierarchy that lists its values: all labels.
            for label in levels_of.keys() & level.labels:
                levels_of[label].add(number)
        top, of_top = _top(empty)
        if of_top in levels_of:
            levels_of[of_top].update(range(top + 1) if self.unknown_to_top else [top])
        return levels_of

    def _texts(self, label: str) -> list[str]:
        tried = self.column.kind.possible_members(label)
        return [text for text in dict.fromkeys(tried) if not means_missing(text, self.null)]

    @property
    def _dated(self) -> bool:
        return self.column.kind.reads == "dates" or self.column.type == "date"

    def _readings(self, texts: Sequence[str], kind: HierarchyKind | None = None) -> list[list[ByLevel]]:
        """Labels of each text, in every way in which it can be read; no way if it is no value."""
        readings: list[list[ByLevel]] = [[] for _ in texts]
        # A table may hold dates as dates, whatever layout the schema gives for texts.
        types: tuple[ColumnType, ...] = ("text", "date") if self._dated else ("text",)
        for table in (self._table(texts, type_, kind) for type_ in types):
            placed = table.codes >= 0 if self.unknown_to_top else table.placed()
            for place in np.flatnonzero(placed).tolist():
                leaf = int(table.codes[place])
                readings[place].append(tuple(level.labels[int(level.groups[leaf])] for level in table.levels))
        return readings

    def _table(
        self, texts: Sequence[str], type_: ColumnType = "text", kind: HierarchyKind | None = None
    ) -> LevelTable:
        values = Values(self.column.name, tuple(texts), type_, secret=True, null=self.null)
        return level_table(self.column, values, kind)


def _levels(label: str, readings: Iterable[list[ByLevel]]) -> set[int]:
    """The levels at which one of these values is shown by the label."""
    ways = (by_level for reading in readings for by_level in reading)
    return {level for by_level in ways for level, text in enumerate(by_level) if text == label}


def _top(table: LevelTable) -> tuple[int, str]:
    """The number of the top level and its label: of a listed hierarchy the last level may be one set."""
    last = table.levels[-1].labels
    single = table.listed and not table.always_top and len(table.levels) > 1 and len(last) == 1
    return (len(table.levels) - 1, last[0]) if single else (len(table.levels), TOP_LABEL)
