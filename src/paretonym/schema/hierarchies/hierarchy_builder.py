"""From a column's settings and its distinct values to a checked hierarchy, and how its ordered values may be
cut into groups by a search that may cut anywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

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
from paretonym.schema.hierarchies.hierarchy_draft import NO_PLACE, Draft, Shown, Values, means_missing
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn, HierarchyKind, Order
from paretonym.schema.hierarchies.hierarchy_registry import HIERARCHY_KINDS
from paretonym.schema.hierarchies.intervals import Intervals
from paretonym.schema.hierarchies.value_line import Line

TOP_LABEL = "*"
MISSING_LABEL = "(missing)"


@dataclass(frozen=True, eq=False)
class Built:
    """A hierarchy, the leaf of each text that it was built over, and the leaf of what is missing (or -1)."""

    hierarchy: Hierarchy
    codes: Codes
    missing: int


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
    if chosen.order_of(column, values) != "numbers":
        _refuse_coding(column, values)
    if column.order is not None and not chosen.takes_order:
        *others, last = (key for key, kind_of_key in HIERARCHY_KINDS.items() if kind_of_key.takes_order)
        raise InputError.of(
            values.place,
            "order is given, but this kind of hierarchy has its own order",
            f"omit order, or use it alone or with hierarchy.{', '.join(others)} or {last}",
            "order",
        )
    return _finished(chosen.draft(column, values), values, missing)


def _refuse_coding(column: HierarchyColumn, values: Values) -> None:
    """Refuse bottom and top without numbers."""
    if column.bottom is not None or column.top is not None:
        kinds = [f"hierarchy.{key}" for key, kind in HIERARCHY_KINDS.items() if kind.reads == "numbers"]
        raise InputError.of(
            values.place,
            "bottom and top are given, but the values are not numbers",
            f'omit them, or use {", ".join(kinds)} or type = "integer"',
            "bottom",
        )


def _finished(draft: Draft, values: Values, missing: bool) -> Built:
    """The hierarchy that a draft makes.

    Missing is a leaf of its own, last in order and alone until the top. A value outside the hierarchy is
    shown as the top set at every level; such values are one leaf, but not a domain value.
    """
    if draft.listed:
        _refuse_listed_missing(draft, values)
    unplaced = draft.codes == NO_PLACE
    extra, stray = int(missing), int(unplaced.any())
    domain = len(draft.leaves) + extra
    if domain == 0:
        raise InputError.of(
            values.place, "no value is in the hierarchy", "check hierarchy and type", "hierarchy"
        )
    drawn = _with_top(draft, extra, stray)
    labels = [level.labels for level in drawn]
    # Values that occur are distinct, and only level 0 shows them as they are.
    occurring = draft.leaves if not draft.listed and draft.levels[0].labels is draft.leaves else ()
    differ = all_differ([labels[0][len(occurring) :], *labels[1:]], occurring)
    if not differ:
        labels = distinct_labels([level.groups for level in drawn], labels)
    levels = tuple(
        _level(level, texts, labels[-1][0], stray and index < len(drawn) - 1, domain)
        for index, (level, texts) in enumerate(zip(drawn, labels, strict=True))
    )
    if stray:
        levels = (*levels[:-1], _joined(levels[-1]))
    leaves = draft.leaves + levels[0].labels[len(levels[0].labels) - extra - stray :]
    origin = draft.origin + (" and missing" if missing else "")
    listed = len(draft.leaves) if draft.listed else 0
    hierarchy = Hierarchy(leaves, levels, domain, origin, listed)
    check_hierarchy(hierarchy, differ and not stray)
    codes = np.where(unplaced, domain, draft.codes).astype(np.int32)
    return Built(hierarchy, codes, len(draft.leaves) if missing else -1)


def _refuse_listed_missing(draft: Draft, values: Values) -> None:
    """Refuse a listed leaf that also means missing, because it would be in two places."""
    listed = [leaf for leaf in draft.leaves if means_missing(leaf, values.null)]
    if listed:
        wrong = f"listed in the hierarchy or in order, but it means missing: {values.counted(listed)}"
        raise InputError.of(values.place, wrong, "remove it from the hierarchy, or from null", "hierarchy")


def _with_top(draft: Draft, extra: int, stray: int) -> list[Shown]:
    """The draft's levels with missing as a last leaf, up to a single set."""
    last = draft.levels[-1]
    single = len(last.labels) == 1 and not draft.always_top
    domain = len(draft.leaves) + extra
    if single and len(draft.levels) > 1:
        below, top_label = draft.levels[:-1], last.labels[0]
    elif domain == 1 and not stray and not draft.always_top:
        below, top_label = (), (last.labels or (MISSING_LABEL,))[0]
    else:
        below, top_label = draft.levels, TOP_LABEL
    drawn = [_with_missing(level) if extra else level for level in below]
    return [*drawn, Shown(np.zeros(domain, dtype=np.int32), (top_label,))]


def _with_missing(level: Shown) -> Shown:
    groups = np.append(level.groups, np.int32(len(level.labels))).astype(np.int32)
    return Shown(groups, (*level.labels, MISSING_LABEL))


def _level(shown: Shown, labels: tuple[str, ...], top_label: str, stray: int | bool, domain: int) -> Level:
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
    `granules` are the finest groups, if the schema gives a granularity. `lay` makes the line of numbers and
    dates.
    """

    order: Order = "tree"
    alone: int = 0
    granules: Level | None = None
    lay: Callable[[], Line | None] | None = None

    @property
    def on_line(self) -> bool:
        """Whether the order of the leaves is meaningful and there is no tree."""
        return self.order != "tree"

    @cached_property
    def line(self) -> Line | None:
        """Where numbers or dates lie, and the boundaries between them that the schema gives."""
        return None if self.lay is None else self.lay()


def cutting_of(column: HierarchyColumn, values: Values, built: Built) -> Cutting:
    """How a bound column may be cut."""
    kind, granules, missing = column.kind, None, built.missing >= 0
    if column.granularity is not None:
        even = Intervals((column.granularity,), kind.origin)
        granules = build(column, values, missing, even).hierarchy.levels[1]
    return Cutting(
        kind.order_of(column, values),
        int(missing) + built.hierarchy.strays,
        granules,
        lambda: kind.line(column, values),
    )
