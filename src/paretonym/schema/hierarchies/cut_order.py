"""How the ordered values of a column may be cut into groups by a search that may cut anywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from paretonym.schema.hierarchies.hierarchy import Level
from paretonym.schema.hierarchies.hierarchy_builder import Built, build
from paretonym.schema.hierarchies.hierarchy_draft import Values
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn, Order
from paretonym.schema.hierarchies.intervals import Intervals
from paretonym.schema.hierarchies.value_line import Line


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
