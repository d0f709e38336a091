"""Every kind of hierarchy in one table, and how the one in a schema is read; from a column's settings and
its distinct values to a checked hierarchy, and how its ordered values may be cut into groups by a search
that may cut anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from paretonym.base.arrays import Codes
from paretonym.base.errors import ColumnPlace, InputError, Place, Problem, inside
from paretonym.tables.schema.hierarchies.date_line import date_table
from paretonym.tables.schema.hierarchies.dates import Dates
from paretonym.tables.schema.hierarchies.flat import Flat
from paretonym.tables.schema.hierarchies.hierarchy import (
    Hierarchy,
    Level,
    all_differ,
    check_hierarchy,
    distinct_labels,
)
from paretonym.tables.schema.hierarchies.hierarchy_file import HierarchyFile
from paretonym.tables.schema.hierarchies.hierarchy_kind import HierarchyColumn, HierarchyKind, LoadFile, Reads
from paretonym.tables.schema.hierarchies.intervals import Breaks, Intervals
from paretonym.tables.schema.hierarchies.level_table import (
    NO_PLACE,
    Labels,
    LevelTable,
    Order,
    Values,
    listed_table,
    means_missing,
    text_table,
)
from paretonym.tables.schema.hierarchies.masks import Keep, Mask
from paretonym.tables.schema.hierarchies.number_line import number_table
from paretonym.tables.schema.hierarchies.ready import Ready
from paretonym.tables.schema.hierarchies.tree import Tree
from paretonym.tables.schema.hierarchies.value_line import Line
from paretonym.tables.schema.toml_section import Section

HIERARCHY_KINDS: Mapping[str, type[HierarchyKind]] = {
    "intervals": Intervals,
    "breaks": Breaks,
    "mask": Mask,
    "keep": Keep,
    "date": Dates,
    "file": HierarchyFile,
    "flat": Flat,
    "tree": Tree,
    "ready": Ready,
}


def read_hierarchy(section: Section, load: LoadFile, secret: bool) -> HierarchyKind | None:
    """The hierarchy of a column, or None where it has none (or a wrong one: see the section's problems)."""
    table = section.inner("hierarchy", inside(section.place, "hierarchy"))
    if table is None:
        return None
    further = {key: kind for kind in HIERARCHY_KINDS.values() for key in kind.further_keys}
    table.refuse_unknown((*HIERARCHY_KINDS, *further))
    keys = [key for key in HIERARCHY_KINDS if key in table.mapping]
    if len(keys) != 1:
        wrong = f"{' and '.join(keys)} are given together" if keys else "it names no kind"
        table.complain(wrong, f"give one of {', '.join(HIERARCHY_KINDS)}")
        return None
    for key, kind in further.items():
        if key in table.mapping and keys != [kind.key]:
            table.complain(f"{key} has no meaning here", f"use it with {kind.key}, or omit it")
    try:
        return HIERARCHY_KINDS[keys[0]].read(table, load, secret)
    except InputError as error:
        # A value that is invalid: its problems become those of this column.
        table.problems.extend(Problem(_place(table, p), p.wrong, p.remedy) for p in error.problems)
        return None


def _place(table: Section, problem: Problem) -> Place:
    """The place of a problem of a hierarchy; an invalid value has named its kind."""
    place = table.place
    return replace(place, within=str(problem.place)) if isinstance(place, ColumnPlace) else problem.place


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


def level_table(column: HierarchyColumn, values: Values, kind: HierarchyKind | None = None) -> LevelTable:
    """The labels of these values at each level of the column's hierarchy, or of one of another kind."""
    kind = kind or column.kind
    if (kind.takes_order and column.order is not None) or kind.leaves is not None:
        return listed_table(kind, column.order if kind.takes_order else None, values)
    reads = _reads(column, kind, values)
    if reads == "numbers":
        return number_table(column, kind, values)
    return date_table(column, kind, values) if reads == "dates" else text_table(kind, values)


def _reads(column: HierarchyColumn, kind: HierarchyKind, values: Values) -> Reads:
    """The reading of values; where the kind does not say so, by the type, or what only numbers have."""
    if kind.reads is not None:
        return kind.reads
    of_numbers = column.bottom is not None or column.top is not None or column.domain is not None
    type_ = column.type or ("integer" if of_numbers else values.type)
    return "numbers" if type_ in ("integer", "decimal") else "dates" if type_ == "date" else "texts"


def build(
    column: HierarchyColumn, values: Values, missing: bool = False, kind: HierarchyKind | None = None
) -> Built:
    """The column's hierarchy over these values, or one of another kind; with `missing`, missing is a leaf of
    its own.

    >>> from paretonym.tables.schema import schema_from
    >>> entry = {"role": "quasi", "hierarchy": {"intervals": [10]}}
    >>> column = schema_from({"columns": {"age": entry}}).column("age")
    >>> [level.labels for level in build(column, Values("age", ("7", "23"))).hierarchy.levels]
    [('7', '23'), ('[0, 10)', '[20, 30)'), ('*',)]
    """
    chosen = kind or column.kind
    if column.order is not None and not chosen.takes_order:
        wrong = "order is given, but this kind of hierarchy has its own order"
        remedy = "omit order, or use it alone or with hierarchy.file, flat or tree"
        raise InputError.of(values.place, wrong, remedy, "order")
    if chosen.reads in ("dates", "texts") or column.order is not None:
        _refuse_number_settings(column, values)
    table = level_table(column, values, chosen)
    problems = [
        Problem(
            values.place,
            f"{fault.wrong}: {values.counted(values.where(fault.values))}",
            fault.remedy,
            fault.key,
        )
        for fault in table.faults
        if fault.values.any() and not values.unknown_to_top
    ]
    if problems:
        raise InputError(problems)
    if table.order != "numbers":
        _refuse_number_settings(column, values)
    return _finished(table, values, missing)


def _refuse_number_settings(column: HierarchyColumn, values: Values) -> None:
    """Refuse what only numbers can have."""
    use = 'use hierarchy.intervals, hierarchy.breaks or type = "integer"'
    if column.bottom is not None or column.top is not None:
        wrong = "bottom and top are given, but the values are not numbers"
        raise InputError.of(values.place, wrong, f"omit them, or {use}", "bottom")
    if column.domain is not None:
        wrong = "domain is given, but the values are not numbers"
        raise InputError.of(values.place, wrong, f"omit it, or {use}", "domain")


def _finished(table: LevelTable, values: Values, missing: bool) -> Built:
    """The hierarchy that a table of labels makes.

    Missing is a leaf of its own, last in order and alone until the top. A value outside the hierarchy is
    shown as the top set at every level; such values are one leaf, but not a domain value.
    """
    if table.listed:
        _refuse_listed_missing(table, values)
    unplaced = table.codes == NO_PLACE
    stray, domain = bool(unplaced.any()), len(table.leaves) + missing
    if domain == 0:
        wrong = "no value is in the hierarchy"
        raise InputError.of(values.place, wrong, "check hierarchy and type", "hierarchy")
    drawn = _with_top(table, missing, stray)
    # Values that occur are distinct; what the schema lists, or adds to them, need not be.
    differ = not (table.listed or missing) and all_differ([level.labels for level in drawn])
    levels = [Level.of(*level) for level in (drawn if differ else distinct_labels(drawn))]
    if stray:
        top = levels[-1]
        levels = [_with_stray(level, top.labels[0], domain) for level in levels[:-1]]
        levels.append(replace(top, groups=np.append(top.groups, np.int32(0))))
    leaves = table.leaves + levels[0].labels[len(levels[0].labels) - missing - stray :]
    origin = table.origin + (" and missing" if missing else "")
    listed = len(table.leaves) if table.listed else 0
    hierarchy = Hierarchy(leaves, tuple(levels), domain, origin, listed)
    check_hierarchy(hierarchy, differ and not stray)
    codes = np.where(unplaced, domain, table.codes).astype(np.int32)
    return Built(hierarchy, codes, len(table.leaves) if missing else -1, table.order, table.line)


def _refuse_listed_missing(table: LevelTable, values: Values) -> None:
    """Refuse a listed leaf that also means missing, because it would be in two places."""
    listed = [leaf for leaf in table.leaves if means_missing(leaf, values.null)]
    if listed:
        wrong = f"listed in the hierarchy or in order, but it means missing: {values.counted(listed)}"
        raise InputError.of(values.place, wrong, "remove it from the hierarchy, or from null", "hierarchy")


def _with_top(table: LevelTable, missing: bool, stray: bool) -> list[Labels]:
    """The levels of a table with missing as a last leaf, up to a single set."""
    last, domain = table.levels[-1], len(table.leaves) + missing
    below, top_label = table.levels, TOP_LABEL
    if len(last.labels) == 1 and not table.always_top and len(table.levels) > 1:
        below, top_label = table.levels[:-1], last.labels[0]
    elif domain == 1 and not stray and not table.always_top:
        below, top_label = (), (last.labels or (MISSING_LABEL,))[0]
    if missing:
        below = tuple(
            Labels(np.append(level.groups, np.int32(len(level.labels))), (*level.labels, MISSING_LABEL))
            for level in below
        )
    return [*below, Labels(np.zeros(domain, dtype=np.int32), (top_label,))]


def _with_stray(level: Level, top_label: str, domain: int) -> Level:
    """A level with a stray leaf in a set of its own, which is shown as the whole domain."""
    groups = np.append(level.groups, np.int32(len(level.labels))).astype(np.int32)
    return Level(groups, (*level.labels, top_label), np.append(level.sizes, domain))


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
        """True if the order of the leaves is meaningful and there is no tree."""
        return self.order != "tree"


def cutting_of(column: HierarchyColumn, values: Values, built: Built) -> Cutting:
    """Cutting that a bound column allows."""
    granules, missing = None, built.missing >= 0
    if column.granularity is not None and built.order == "numbers":
        even = Intervals((column.granularity,), column.kind.origin)
        granules = build(column, values, missing, even).hierarchy.levels[1]
    return Cutting(built.order, int(missing) + built.hierarchy.strays, granules, built.line)
