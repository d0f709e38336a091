"""How the ordered values of a column may be cut into groups, where a search may cut anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Literal, TypeAlias

from paretonym.schema.hierarchies.dates import date_line
from paretonym.schema.hierarchies.hierarchy import Level
from paretonym.schema.hierarchies.hierarchy_builder import build, is_numeric
from paretonym.schema.hierarchies.hierarchy_draft import Built, Values
from paretonym.schema.hierarchies.hierarchy_invariants import strays
from paretonym.schema.hierarchies.intervals import NumberLine, number_line
from paretonym.schema.hierarchies.specifications import Breaks, Dates, Flat, Intervals
from paretonym.schema.hierarchies.value_line import (
    Calendar,
    Line,
    NumberScale,
    edges_of_widths,
    starts_of_units,
)
from paretonym.schema.model import ColumnSpec

Order: TypeAlias = Literal["tree", "numbers", "dates", "order"]


@dataclass(frozen=True, eq=False)
class Cutting:
    """`order` says what the leaves are: those of a tree, where every group is what lies below one node;
    numbers, dates or ordered values, where neighbours may be a group. Values in no order that means anything
    are a tree of one level, in every space: each alone, or all of them.

    The last `alone` leaves (missing, values without a place) stay alone until all is one set. `granules` are
    what the column is cut into at most, where the schema gives a granularity. `lay` makes the line of numbers
    and dates.
    """

    order: Order = "tree"
    alone: int = 0
    granules: Level | None = None
    lay: Callable[[], Line] | None = None

    @property
    def on_line(self) -> bool:
        """Whether the order of the leaves means something, and there is no tree."""
        return self.order != "tree"

    @cached_property
    def line(self) -> Line | None:
        """Where numbers or dates lie, and the boundaries between them that the schema gives."""
        return None if self.lay is None else self.lay()


def cutting_of(column: ColumnSpec, values: Values, built: Built) -> Cutting:
    """How a bound column may be cut."""
    alone = int(built.missing >= 0) + strays(built.hierarchy)
    granules, order = None, _order(column, values)
    if column.granularity is not None:
        granules = _granules(column, column.granularity, values, missing=built.missing >= 0)
    lay = LINES.get(order)
    return Cutting(order, alone, granules, None if lay is None else lambda: lay(column, values))


def _order(column: ColumnSpec, values: Values) -> Order:
    if is_numeric(column, values):
        return "numbers"
    if isinstance(column.hierarchy, Dates):
        return "dates"
    if not isinstance(column.hierarchy, Flat | None):
        return "tree"
    if column.order is not None:
        return "order"
    return "dates" if (column.type or values.type) == "date" else "tree"


def _granules(column: ColumnSpec, width: Decimal, values: Values, missing: bool) -> Level:
    """The same values in intervals of one width: the builder of intervals knows how to label them."""
    even = replace(column, hierarchy=Intervals((width,), _origin(column)))
    return build(even, values, missing).hierarchy.levels[1]


def _origin(column: ColumnSpec) -> Decimal:
    return column.hierarchy.origin if isinstance(column.hierarchy, Intervals) else Decimal(0)


def _line_of_numbers(column: ColumnSpec, values: Values) -> Line:
    made = number_line(column, values, _settings(column))
    points = tuple(int(point) for point in made.points.tolist())
    given = _given(points, _number_edges(column, made, points))
    whole = NumberScale(made.numbers.decimals)
    return Line(points, given, whole, stepped=made.numbers.decimals == 0)


def _settings(column: ColumnSpec) -> list[Decimal]:
    """The numbers of the schema that the scale must hold."""
    kind, settings = column.hierarchy, [_origin(column)]
    if isinstance(kind, Intervals):
        settings += kind.widths
    if isinstance(kind, Breaks):
        settings += [cut for cuts in kind.bands for cut in cuts]
    return settings if column.granularity is None else [*settings, column.granularity]


def _number_edges(column: ColumnSpec, made: NumberLine, points: tuple[int, ...]) -> Iterator[Iterator[int]]:
    """Where the set of each point begins: by what is coded, by levels from the coarsest on, by granules."""
    scale, kind = made.numbers.scale, column.hierarchy
    lowest = points[0] if points else 0
    coded = [end for end in (made.bottom, made.top) if end is not None]
    yield _begins(points, coded, lowest)
    if isinstance(kind, Breaks):
        for cuts in reversed(kind.bands):
            yield _begins(points, [scale(cut) for cut in cuts], lowest)
    widths = [*reversed(kind.widths)] if isinstance(kind, Intervals) else []
    for width in [*widths, *([] if column.granularity is None else [column.granularity])]:
        yield edges_of_widths(points, scale(width), scale(_origin(column)))


def _begins(points: tuple[int, ...], cuts: list[int], lowest: int) -> Iterator[int]:
    """The last cut up to each point; the least point where there is none."""
    return (max((cut for cut in cuts if cut <= point), default=lowest) for point in points)


def _line_of_dates(column: ColumnSpec, values: Values) -> Line:
    points = tuple(date.toordinal() for date in date_line(column, values).dates)
    units = reversed(column.hierarchy.units) if isinstance(column.hierarchy, Dates) else ()
    calendar = Calendar(None if values.type == "date" else column.format)
    starts = (starts_of_units(points, unit) for unit in units)
    given = _given(points, starts)
    return Line(points, tuple(_written(calendar, each) for each in given), calendar, stepped=True)


def _written(calendar: Calendar, point: int | None) -> int | None:
    return point if point is None or calendar.writes(point) else None


def _given(points: tuple[int, ...], levels: Iterable[Iterator[int]]) -> tuple[int | None, ...]:
    """In front of each point where its set begins, at the first of the levels that begins it behind the
    point before."""
    given: list[int | None] = [None] * len(points)
    for level in levels:
        for place, begin in enumerate(level):
            if place and given[place] is None and begin > points[place - 1]:
                given[place] = begin
    return tuple(given)


LINES: dict[Order, Callable[[ColumnSpec, Values], Line]] = {
    "numbers": _line_of_numbers,
    "dates": _line_of_dates,
}
