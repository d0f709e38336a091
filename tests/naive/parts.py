"""Mondrian row by row: sets, lists and fractions, as the definitions say it. For values as they are. Rows
that say whose they are (`who`) are counted in different persons, wherever privacy is measured."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

from tests.naive.boundaries import Column
from tests.naive.levels import Quasi, Shown, Value
from tests.naive.twin import Row, Table
from tests.naive.values import DISTANCES, Number, entropy_number, shares

Region: TypeAlias = tuple[Shown, ...]
Piece: TypeAlias = tuple[list[Row], Shown]

# Cuts are made that can be shown with the first k, and placed as if the second were the smallest class.
Sizes: TypeAlias = tuple[int, int]

LINES = ("intervals", "breaks")


@dataclass(frozen=True)
class Ordered:
    """A quasi-identifier with its leaves in order; on a `line` neighbours may be parted. Numbers are points
    of a `column` that knows the boundary rule, `sizes` says how many rows (persons) have each."""

    quasi: Quasi
    leaves: list[Value]
    line: bool
    column: Column | None
    sizes: Counter[int]
    scale: int
    binary: bool = False

    @classmethod
    def of(cls, quasi: Quasi, entry: Mapping[str, Any], rows: Sequence[Row], binary: bool = False) -> Ordered:
        values: list[Any] = [value for value in quasi.levels[0] if value is not None]
        numeric = any(kind in entry.get("hierarchy", {}) for kind in LINES)
        leaves = sorted(values, key=Decimal) if numeric else values
        missing: list[Value] = [None] if None in quasi.levels[0] else []
        if not numeric:
            return cls(quasi, [*leaves, *missing], binary or "order" in entry, None, Counter(), 1, binary)
        settings = _settings(entry)
        places = [-int(each.as_tuple().exponent) for each in (*settings, *map(Decimal, values))]
        scale = 10 ** max(0, *places)
        sizes = Counter(
            {int(Decimal(v) * scale): size([row for row in rows if row[quasi.name] == v]) for v in values}
        )
        column = Column(str, _edges(entry, scale), scale)
        return cls(quasi, [*leaves, *missing], True, column, sizes, scale, binary)

    def point(self, value: Any) -> int:
        return int(Decimal(value) * self.scale)

    def place(self, last: int, first: int, k: Sizes) -> int | None:
        """In front of which leaf the cut between two leaves is shown."""
        if self.column is None:
            return last + 1
        u, v = (self.point(self.leaves[place]) for place in (last, first))
        occurring = [point for point, number in self.sizes.items() if number]
        if self.column.boundary(u, v, occurring, self.sizes, k[0]) is None:
            return None
        point = self.column.boundary(u, v, occurring, self.sizes, k[1])
        return (
            None
            if point is None
            else sum(self.point(leaf) < point for leaf in self.leaves if leaf is not None)
        )


def _settings(entry: Mapping[str, Any]) -> list[Decimal]:
    hierarchy = entry["hierarchy"]
    numbers = [*hierarchy.get("intervals", ()), hierarchy.get("origin", 0), entry.get("granularity", 0)]
    numbers += [cut for cuts in hierarchy.get("breaks", ()) for cut in cuts]
    return [Decimal(str(number)) for number in numbers]


def _edges(entry: Mapping[str, Any], scale: int) -> Callable[[int], bool]:
    """Where the schema has an edge, at any level."""
    hierarchy = entry["hierarchy"]
    origin = Decimal(str(hierarchy.get("origin", 0))) * scale
    widths = [Decimal(str(width)) * scale for width in hierarchy.get("intervals", ())]
    if "granularity" in entry:
        widths.append(Decimal(str(entry["granularity"])) * scale)
    breaks = {Decimal(str(cut)) * scale for cuts in hierarchy.get("breaks", ()) for cut in cuts}
    return lambda point: point in breaks or any((point - origin) % width == 0 for width in widths)


def parts(
    table: Table, schema: Mapping[str, Any], requirement: Mapping[str, float], binary: bool = False
) -> dict[Region, list[Row]]:
    """The rows of each class by the sets that it shows. Cuts are made for one k after the other, until the
    classes have that k."""
    columns = [Ordered.of(quasi, schema["columns"][quasi.name], table.rows, binary) for quasi in table.quasis]
    rows = sorted(table.rows, key=lambda row: [c.leaves.index(row[c.quasi.name]) for c in columns])
    least = max(1, math.ceil(requirement.get("k", 1)))
    k = least, least
    while True:
        found: dict[Region, list[Row]] = {}
        for start, inside in beginnings(table, schema, rows).items():
            for region, members in _split(table, columns, requirement, inside, start, k):
                found.setdefault(region, []).extend(members)
        smallest = min(map(size, found.values()))
        if smallest == k[1]:
            return found
        k = max(k[0], smallest), smallest


def beginnings(
    table: Table, schema: Mapping[str, Any], rows: Sequence[Row] | None = None
) -> dict[Region, list[Row]]:
    """The rows by the sets of the highest levels that the schema allows: often all are one."""
    columns = [Ordered.of(quasi, schema["columns"][quasi.name], table.rows) for quasi in table.quasis]
    found: dict[Region, list[Row]] = {}
    for row in table.rows if rows is None else rows:
        region = tuple(
            column.quasi.levels[column.quasi.highest][row[column.quasi.name]]
            if column.quasi.highest < len(column.quasi.levels) - 1
            else frozenset(column.leaves)
            for column in columns
        )
        found.setdefault(region, []).append(row)
    return found


def _split(
    table: Table,
    columns: Sequence[Ordered],
    requirement: Mapping[str, float],
    rows: list[Row],
    region: Region,
    k: Sizes,
) -> list[tuple[Region, list[Row]]]:
    spans = [(-_span(column, rows), place) for place, column in enumerate(columns)]
    for span, place in sorted(spans):
        if span > 0:
            continue
        pieces = _pieces(columns[place], rows, k)
        if len(pieces) > 1 and all(keeps(table, members, requirement) for members, _ in pieces):
            found = []
            for members, shown in pieces:
                inner = (*region[:place], region[place] & shown, *region[place + 1 :])
                found += _split(table, columns, requirement, members, inner, k)
            return found
    return [(region, rows)]


def _holding(column: Ordered, rows: list[Row]) -> Shown:
    """The smallest set of the tree that holds all rows; on a line all that lies between them."""
    cells = {row[column.quasi.name] for row in rows}
    if column.line and (None not in cells or len(cells) == 1):
        places = [column.leaves.index(cell) for cell in cells]
        return frozenset(column.leaves[min(places) : max(places) + 1])
    levels = column.quasi.levels if not column.line else (column.quasi.levels[0], column.quasi.levels[-1])
    return next(level[min(cells, key=str)] for level in levels if len({level[cell] for cell in cells}) == 1)


def _span(column: Ordered, rows: list[Row]) -> Fraction:
    if len({column.quasi.levels[0][row[column.quasi.name]] for row in rows}) == 1:
        return Fraction(-1)
    return Fraction(len(_holding(column, rows)) - 1, max(column.quasi.domain - 1, 1))


def _pieces(column: Ordered, rows: list[Row], k: Sizes) -> list[Piece]:
    name = column.quasi.name
    cells = {row[name] for row in rows}
    if column.line and None not in cells:
        return _halves(column, rows, k)
    if column.line:
        sets = [frozenset(leaf for leaf in column.leaves if leaf is not None), frozenset([None])]
    else:
        falling = reversed(column.quasi.levels)
        level = next(level for level in falling if len({level[cell] for cell in cells}) > 1)
        sets = list(dict.fromkeys(level[leaf] for leaf in column.leaves))
    pieces = [([row for row in rows if row[name] in shown], shown) for shown in sets]
    return [(members, shown) for members, shown in pieces if members]


def _halves(column: Ordered, rows: list[Row], k: Sizes) -> list[Piece]:
    name, leaves = column.quasi.name, column.leaves
    ordered = sorted(rows, key=lambda row: leaves.index(row[name]))
    places = [leaves.index(row[name]) for row in ordered]
    cuts = []
    for cut in range(1, len(ordered)):
        last, first = places[cut - 1], places[cut]
        if last == first:
            continue
        place = column.place(last, first, k)
        off = abs(2 * cut - len(ordered))
        if column.binary:
            # Never in front of the median row.
            place, off = (place, cut) if 2 * cut >= len(ordered) else (None, cut)
        cuts += [] if place is None else [(off, cut, place)]
    if not cuts:
        return []
    _, cut, start = min(cuts)
    ends = [leaf for leaf in leaves if leaf is not None]
    below = {id(row) for row in ordered[:cut]}
    left, right = ([row for row in rows if (id(row) in below) == side] for side in (True, False))
    return [(left, frozenset(ends[:start])), (right, frozenset(ends[start:]))]


def size(rows: Sequence[Row]) -> int:
    """How many rows, or different persons."""
    return len({row["who"] for row in rows}) if rows and "who" in rows[0] else len(rows)


def held(rows: Sequence[Row], name: str) -> list[Value]:
    """The values of a column: those of the rows, or each person's different ones."""
    if rows and "who" in rows[0]:
        return [value for _, value in {(row["who"], row[name]) for row in rows}]
    return [row[name] for row in rows]


def keeps(table: Table, rows: list[Row], requirement: Mapping[str, float]) -> bool:
    """Whether these rows keep everything that is required."""
    return all(_keeps(table, rows, name, bound) for name, bound in requirement.items())


def _keeps(table: Table, rows: list[Row], name: str, bound: float) -> bool:
    if name == "k":
        return size(rows) >= bound
    for column in table.sensitive:
        cells = held(rows, column.name)
        if name.startswith("l"):
            varieties: Mapping[str, Number] = {
                "l": Fraction(size(rows), max(Counter(cells).values())),
                "l-distinct": len(set(cells)),
                "l-entropy": entropy_number(cells),
            }
            if float(varieties[name]) < bound - 1e-9:
                return False
        else:
            whole = shares(held(table.rows, column.name))
            if float(DISTANCES[name](column, shares(cells), whole)) > bound + 1e-11:
                return False
    return True
