"""A level of a hierarchy in words: "in steps of 10", "first 3 characters", "by month", "not shown"."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from paretonym.errors import InputError, printable
from paretonym.schema.hierarchies.hierarchy import Hierarchy
from paretonym.schema.hierarchies.hierarchy_builder import build
from paretonym.schema.hierarchies.hierarchy_draft import Values
from paretonym.schema.hierarchies.specifications import (
    Breaks,
    Dates,
    Flat,
    HierarchyColumn,
    HierarchyFile,
    Intervals,
    Keep,
    Mask,
    Tree,
)

AS_IT_IS = "unchanged"
NOT_SHOWN = "not shown"
FEW_LABELS = 5
LONGEST_LABEL = 40


@dataclass(frozen=True, slots=True)
class LevelWords:
    """`words` says how a column is shown; `labels` are the sets by name, where they have names of their own
    and are few."""

    words: str
    labels: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.words} ({', '.join(self.labels)})" if self.labels else self.words


def level_words(column: HierarchyColumn, level: int, hierarchy: Hierarchy | None = None) -> LevelWords:
    """How a column is shown at a level. The hierarchy is built from the schema alone where that lists all
    leaves and no other is given.

    >>> from decimal import Decimal
    >>> from paretonym.schema import ColumnSpec
    >>> age = ColumnSpec("age", "quasi", hierarchy=Intervals((Decimal(10), Decimal(40))))
    >>> [str(level_words(age, level)) for level in range(4)]
    ['unchanged', 'in steps of 10', 'in steps of 40', 'not shown']
    """
    hierarchy = hierarchy or _listed(column)
    if level == 0:
        return LevelWords(AS_IT_IS + _coding(column))
    if hierarchy is not None and level >= hierarchy.height:
        return LevelWords(NOT_SHOWN)
    match column.hierarchy:
        case Intervals(widths) if level <= len(widths):
            return LevelWords(_steps(widths[level - 1]) + _coding(column))
        case Breaks(bands) if level <= len(bands):
            return _named(hierarchy, level, "band") or LevelWords(f"in {len(bands[level - 1]) + 1} bands")
        case Mask(characters) if level <= characters:
            return LevelWords("last character masked" if level == 1 else f"last {level} characters masked")
        case Keep(kept) if level <= len(kept):
            number = kept[level - 1]
            return LevelWords("first character" if number == 1 else f"first {number} characters")
        case Dates(units) if level <= len(units):
            return LevelWords(f"by {units[level - 1]}")
        case Tree() | HierarchyFile():
            return _named(hierarchy, level, "group") or LevelWords(f"at level {level} of its hierarchy")
    return LevelWords(NOT_SHOWN)


def _named(hierarchy: Hierarchy | None, level: int, what: str) -> LevelWords | None:
    if hierarchy is None:
        return None
    labels = tuple(map(short_label, hierarchy.levels[level].labels))
    words = f"in {len(labels):,} {what}s" if len(labels) > 1 else f"in one {what}"
    return LevelWords(words, labels if len(labels) <= FEW_LABELS else ())


def short_label(label: str) -> str:
    """A label that fits into a sentence."""
    text = printable(label)
    return text if len(text) <= LONGEST_LABEL else f"{text[: LONGEST_LABEL - 1]}…"


def _steps(width: Decimal) -> str:
    return "in whole numbers" if width == 1 else f"in steps of {width.normalize():,f}"


def _coding(column: HierarchyColumn) -> str:
    ends = [f"all below {column.bottom:,f} together"] if column.bottom is not None else []
    ends += [f"all from {column.top:,f} on together"] if column.top is not None else []
    return "".join(f", {end}" for end in ends)


def _listed(column: HierarchyColumn) -> Hierarchy | None:
    """The hierarchy of a column whose schema lists all leaves; None where it hangs on the data."""
    if not isinstance(column.hierarchy, Tree | HierarchyFile | Flat | None):
        return None
    if isinstance(column.hierarchy, Flat | None) and column.order is None:
        return None
    try:
        return build(column, Values(column.name, ())).hierarchy
    except InputError:
        return None
