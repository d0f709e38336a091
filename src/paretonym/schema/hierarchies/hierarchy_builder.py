"""From a column's settings and its distinct values to a checked hierarchy: one file per family of kinds."""

from __future__ import annotations

from paretonym.errors import InputError
from paretonym.schema.hierarchies.dates import build_dates, build_flat_dates
from paretonym.schema.hierarchies.hierarchy_draft import Built, Draft, Values, finish
from paretonym.schema.hierarchies.hierarchy_file import build_file
from paretonym.schema.hierarchies.intervals import (
    build_breaks,
    build_flat_numbers,
    build_intervals,
    refuse_coding,
)
from paretonym.schema.hierarchies.masks import build_keep, build_mask
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
from paretonym.schema.hierarchies.trees import build_flat, build_order, build_tree


def build(column: HierarchyColumn, values: Values, missing: bool = False) -> Built:
    """The column's hierarchy over these values; with `missing`, missing is a leaf of its own.

    A column without a hierarchy is flat over its `order`, or over the values that occur.

    >>> from decimal import Decimal
    >>> from paretonym.schema import ColumnSpec
    >>> column = ColumnSpec("age", "quasi", hierarchy=Intervals((Decimal(10),)))
    >>> [level.labels for level in build(column, Values("age", ("7", "23"))).hierarchy.levels]
    [('7', '23'), ('[0, 10)', '[20, 30)'), ('*',)]
    """
    if not is_numeric(column, values):
        refuse_coding(column, values)
    if column.order is not None and not isinstance(column.hierarchy, Flat | Tree | HierarchyFile | None):
        raise InputError.of(
            values.place,
            "order is given, but this kind of hierarchy has its own order",
            "leave order out, or use it alone or with hierarchy.flat, tree or file",
            "order",
        )
    return finish(_draft(column, values), values, missing)


def is_numeric(column: HierarchyColumn, values: Values) -> bool:
    """Whether the values are taken as numbers: by their kind, by their type, or because they are coded."""
    if isinstance(column.hierarchy, Intervals | Breaks):
        return True
    if column.order is not None or not isinstance(column.hierarchy, Flat | None):
        return False
    coded = column.type is None and (column.bottom is not None or column.top is not None)
    return coded or (column.type or values.type) in ("integer", "decimal")


def _draft(column: HierarchyColumn, values: Values) -> Draft:
    match column.hierarchy:
        case Intervals():
            return build_intervals(column, column.hierarchy, values)
        case Breaks():
            return build_breaks(column, column.hierarchy, values)
        case Mask():
            return build_mask(column.hierarchy, values)
        case Keep():
            return build_keep(column.hierarchy, values)
        case Dates():
            return build_dates(column, column.hierarchy, values)
        case HierarchyFile():
            return build_file(column.hierarchy, column.order, values)
        case Tree():
            return build_tree(column.hierarchy, column.order, values)
        case _:
            return _flat_draft(column, values)


def _flat_draft(column: HierarchyColumn, values: Values) -> Draft:
    if column.order is not None:
        return build_order(column.order, values)
    if is_numeric(column, values):
        return build_flat_numbers(column, values)
    dated = (column.type or values.type) == "date"
    return build_flat_dates(column, values) if dated else build_flat(values)
