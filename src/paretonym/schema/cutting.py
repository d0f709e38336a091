"""How the ordered values of a column may be cut into groups, where a search may cut anywhere."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, TypeAlias

from paretonym.schema.builders import Built, Values, build, is_numeric
from paretonym.schema.checking import strays
from paretonym.schema.hierarchy import Level
from paretonym.schema.kinds import Dates, HierarchyFile, Intervals, Keep, Mask, Tree
from paretonym.schema.model import ColumnSpec

Order: TypeAlias = Literal["tree", "numbers", "dates", "order", "values"]


@dataclass(frozen=True, eq=False)
class Cutting:
    """`order` says what the leaves are: those of a tree, where every group is what lies below one node;
    numbers, dates, ordered values, or values in whatever order, where any neighbours may be a group.

    The last `alone` leaves (missing, values without a place) stay alone until all is one set. `granules` are
    what the column is cut into at most, where the schema gives a granularity.
    """

    order: Order = "values"
    alone: int = 0
    granules: Level | None = None

    @property
    def on_line(self) -> bool:
        """Whether the order of the leaves means something, and there is no tree."""
        return self.order in ("numbers", "dates", "order")


def cutting_of(column: ColumnSpec, values: Values, built: Built) -> Cutting:
    """How a bound column may be cut."""
    alone = int(built.missing >= 0) + strays(built.hierarchy)
    granules = None
    if column.granularity is not None:
        granules = _granules(column, column.granularity, values, missing=built.missing >= 0)
    return Cutting(_order(column, values), alone, granules)


def _order(column: ColumnSpec, values: Values) -> Order:
    if isinstance(column.hierarchy, Tree | HierarchyFile | Mask | Keep):
        return "tree"
    if is_numeric(column, values):
        return "numbers"
    if column.order is not None:
        return "order"
    dated = isinstance(column.hierarchy, Dates) or (column.type or values.type) == "date"
    return "dates" if dated else "values"


def _granules(column: ColumnSpec, width: Decimal, values: Values, missing: bool) -> Level:
    """The same values in intervals of one width: the builder of intervals knows how to label them."""
    origin = column.hierarchy.origin if isinstance(column.hierarchy, Intervals) else Decimal(0)
    even = replace(column, hierarchy=Intervals((width,), origin))
    return build(even, values, missing).hierarchy.levels[1]
