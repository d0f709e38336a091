"""From a column's settings and its distinct values to a checked hierarchy, and how its ordered values may be
cut into groups by a search that may cut anywhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paretonym.arrays import Codes
from paretonym.errors import InputError
from paretonym.schema.hierarchies.hierarchy import (
    Hierarchy,
    Level,
    all_differ,
    check_hierarchy,
    distinct_labels,
)
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn, HierarchyKind
from paretonym.schema.hierarchies.hierarchy_registry import HIERARCHY_KINDS
from paretonym.schema.hierarchies.intervals import Intervals
from paretonym.schema.hierarchies.level_table import (
    NO_PLACE,
    Labels,
    LevelTable,
    Order,
    Values,
    means_missing,
)
from paretonym.schema.hierarchies.value_line import Line

TOP_LABEL = "*"
MISSING_LABEL = "(missing)"


@dataclass(frozen=True, eq=False)
class Built:
    """A hierarchy, the leaf of each text that it was built over, and the leaf of what is missing (or -1);
    what the order of its leaves means, and where numbers or dates lie."""

    hierarchy: Hierarchy
    codes: Codes
    missing: int
    order: Order
    line: Line | None


def build(
    column: HierarchyColumn, values: Values, missing: bool = False, kind: HierarchyKind | None = None
) -> Built:
    """The column's hierarchy over these values, or one of another kind; with `missing`, missing is a leaf of
    its own.

    >>> from paretonym.schema import schema_from
    >>> entry = {"role": "quasi", "hierarchy": {"intervals": [10]}}
    >>> column = schema_from({"columns": {"age": entry}}).column("age")
    >>> [level.labels for level in build(column, Values("age", ("7", "23"))).hierarchy.levels]
    [('7', '23'), ('[0, 10)', '[20, 30)'), ('*',)]
    """
    chosen = kind or column.kind
    if column.order is not None and not chosen.takes_order:
        *others, last = (key for key, kind_of_key in HIERARCHY_KINDS.items() if kind_of_key.takes_order)
        raise InputError.of(
            values.place,
            "order is given, but this kind of hierarchy has its own order",
            f"omit order, or use it alone or with hierarchy.{', '.join(others)} or {last}",
            "order",
        )
    if chosen.reads in ("dates", "texts"):
        _refuse_number_settings(column, values)
    table = chosen.levels(column, values)
    if table.order != "numbers":
        _refuse_number_settings(column, values)
    return _finished(table, values, missing)


def _refuse_number_settings(column: HierarchyColumn, values: Values) -> None:
    """Refuse what only numbers can have."""
    coded = column.bottom is not None or column.top is not None
    if coded or column.domain is not None:
        kinds = [f"hierarchy.{key}" for key, kind in HIERARCHY_KINDS.items() if kind.reads == "numbers"]
        raise InputError.of(
            values.place,
            f"{'bottom and top are' if coded else 'domain is'} given, but the values are not numbers",
            f'omit {"them" if coded else "it"}, or use {", ".join(kinds)} or type = "integer"',
            "bottom" if coded else "domain",
        )


def _finished(table: LevelTable, values: Values, missing: bool) -> Built:
    """The hierarchy that a table of labels makes.

    Missing is a leaf of its own, last in order and alone until the top. A value outside the hierarchy is
    shown as the top set at every level; such values are one leaf, but not a domain value.
    """
    if table.listed:
        _refuse_listed_missing(table, values)
    unplaced = table.codes == NO_PLACE
    extra, stray = int(missing), int(unplaced.any())
    domain = len(table.leaves) + extra
    if domain == 0:
        raise InputError.of(
            values.place, "no value is in the hierarchy", "check hierarchy and type", "hierarchy"
        )
    drawn = _with_top(table, extra, stray)
    labels = [level.labels for level in drawn]
    # Values that occur are distinct, and only level 0 shows them as they are.
    occurring = table.leaves if not table.listed and table.levels[0].labels is table.leaves else ()
    differ = all_differ([labels[0][len(occurring) :], *labels[1:]], occurring)
    if not differ:
        labels = distinct_labels([level.groups for level in drawn], labels)
    levels = tuple(
        _level(level, texts, labels[-1][0], stray and index < len(drawn) - 1, domain)
        for index, (level, texts) in enumerate(zip(drawn, labels, strict=True))
    )
    if stray:
        levels = (*levels[:-1], _joined(levels[-1]))
    leaves = table.leaves + levels[0].labels[len(levels[0].labels) - extra - stray :]
    origin = table.origin + (" and missing" if missing else "")
    listed = len(table.leaves) if table.listed else 0
    hierarchy = Hierarchy(leaves, levels, domain, origin, listed)
    check_hierarchy(hierarchy, differ and not stray)
    codes = np.where(unplaced, domain, table.codes).astype(np.int32)
    return Built(hierarchy, codes, len(table.leaves) if missing else -1, table.order, table.line)


def _refuse_listed_missing(table: LevelTable, values: Values) -> None:
    """Refuse a listed leaf that also means missing, because it would be in two places."""
    listed = [leaf for leaf in table.leaves if means_missing(leaf, values.null)]
    if listed:
        wrong = f"listed in the hierarchy or in order, but it means missing: {values.counted(listed)}"
        raise InputError.of(values.place, wrong, "remove it from the hierarchy, or from null", "hierarchy")


def _with_top(table: LevelTable, extra: int, stray: int) -> list[Labels]:
    """The levels of a table with missing as a last leaf, up to a single set."""
    last = table.levels[-1]
    single = len(last.labels) == 1 and not table.always_top
    domain = len(table.leaves) + extra
    if single and len(table.levels) > 1:
        below, top_label = table.levels[:-1], last.labels[0]
    elif domain == 1 and not stray and not table.always_top:
        below, top_label = (), (last.labels or (MISSING_LABEL,))[0]
    else:
        below, top_label = table.levels, TOP_LABEL
    drawn = [_with_missing(level) if extra else level for level in below]
    return [*drawn, Labels(np.zeros(domain, dtype=np.int32), (top_label,))]


def _with_missing(level: Labels) -> Labels:
    groups = np.append(level.groups, np.int32(len(level.labels))).astype(np.int32)
    return Labels(groups, (*level.labels, MISSING_LABEL))


def _level(shown: Labels, labels: tuple[str, ...], top_label: str, stray: int | bool, domain: int) -> Level:
    """A level with its sizes; a stray leaf gets a set of its own that is shown as the whole domain."""
    sizes = np.bincount(shown.groups, minlength=len(labels)).astype(np.int64)
    if not stray:
        return Level(shown.groups, labels, sizes)
    groups = np.append(shown.groups, np.int32(len(labels))).astype(np.int32)
    return Level(groups, (*labels, top_label), np.append(sizes, domain))


def _joined(top: Level) -> Level:
    """The top level with a stray leaf in its one set, whose size does not change."""
    return Level(np.append(top.groups, np.int32(0)).astype(np.int32), top.labels, top.sizes)


@dataclass(frozen=True, eq=False)
class Cutting:
    """`order` says what the leaves are: those of a tree, where every group is what lies below one node;
    numbers, dates or ordered values, where neighbours may be a group. Values without a meaningful order are a
    tree of one level, in every space: each alone, or all together.

    The last `alone` leaves (missing, values outside the hierarchy) stay alone until all is one set.
    `granules` are the finest groups, if the schema gives a granularity. `line` is where numbers or dates lie,
    with the boundaries between them that the schema gives.
    """

    order: Order = "tree"
    alone: int = 0
    granules: Level | None = None
    line: Line | None = None

    @property
    def on_line(self) -> bool:
        """Whether the order of the leaves is meaningful and there is no tree."""
        return self.order != "tree"


def cutting_of(column: HierarchyColumn, values: Values, built: Built) -> Cutting:
    """How a bound column may be cut."""
    granules, missing = None, built.missing >= 0
    if column.granularity is not None and built.order == "numbers":
        even = Intervals((column.granularity,), column.kind.origin)
        granules = build(column, values, missing, even).hierarchy.levels[1]
    return Cutting(built.order, int(missing) + built.hierarchy.strays, granules, built.line)
