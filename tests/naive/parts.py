"""Mondrian row by row: sets, lists and fractions, as the definitions say it. For values as they are. Rows
that say whose they are (`who`) are counted in different persons, wherever privacy is measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

from tests.naive.levels import Quasi, Shown, Value
from tests.naive.twin import Row, Table
from tests.naive.values import DISTANCES, Number, entropy_number, shares

Region: TypeAlias = tuple[Shown, ...]
Piece: TypeAlias = tuple[list[Row], Shown]

LINES = ("intervals", "breaks")


@dataclass(frozen=True)
class Ordered:
    """A quasi-identifier with its leaves in order; on a `line` they may be cut in front of some of them: at
    the places of `weights`, if k is no larger than that."""

    quasi: Quasi
    leaves: list[Value]
    line: bool
    weights: Mapping[int, float]

    @classmethod
    def of(cls, quasi: Quasi, entry: Mapping[str, Any], rows: Sequence[Row]) -> Ordered:
        values: list[Any] = [value for value in quasi.levels[0] if value is not None]
        numeric = any(kind in entry.get("hierarchy", {}) for kind in LINES)
        leaves = sorted(values, key=Decimal) if numeric else values
        weights = {}
        for place in range(1, len(leaves)):
            before, after = leaves[place - 1], leaves[place]
            given = any(level[before] != level[after] for level in quasi.levels[1:-1])
            width = entry.get("granularity")
            given |= width is not None and Decimal(before) // width != Decimal(after) // width
            counts = [size([row for row in rows if row[quasi.name] == value]) for value in (before, after)]
            weights[place] = max(counts) if numeric and not given else float("inf")
        return cls(
            quasi,
            [*leaves, *([None] if None in quasi.levels[0] else [])],
            numeric or "order" in entry,
            weights,
        )

    def shown(self, place: int, k: float) -> bool:
        """Whether the boundary in front of a leaf may be shown."""
        return self.weights.get(place, float("inf")) >= k


def parts(
    table: Table, schema: Mapping[str, Any], requirement: Mapping[str, float]
) -> dict[Region, list[Row]]:
    """The rows of each class by the sets that it shows. Cuts are made for one k after the other, until the
    classes have no more rows than the values that are shown allow."""
    columns = [Ordered.of(quasi, schema["columns"][quasi.name], table.rows) for quasi in table.quasis]
    rows = sorted(table.rows, key=lambda row: [c.leaves.index(row[c.quasi.name]) for c in columns])
    k = max(1, requirement.get("k", 1))
    while True:
        found: dict[Region, list[Row]] = {}
        for start, inside in beginnings(table, schema, rows).items():
            for region, members in _split(table, columns, requirement, inside, start, k):
                found.setdefault(region, []).extend(members)
        smallest = min(map(size, found.values()))
        shown = (_least_weight(c, region[j]) for region in found for j, c in enumerate(columns) if c.line)
        if smallest <= k or min(shown, default=smallest) >= smallest:
            return found
        k = smallest


def _least_weight(column: Ordered, shown: Shown) -> float:
    """The largest k with which the ends of a set may be shown."""
    places = [column.leaves.index(value) for value in shown]
    weights = (column.weights.get(end, float("inf")) for end in (min(places), max(places) + 1))
    return min(weights)


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
    k: float,
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


def _pieces(column: Ordered, rows: list[Row], k: float) -> list[Piece]:
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


def _halves(column: Ordered, rows: list[Row], k: float) -> list[Piece]:
    name, leaves = column.quasi.name, column.leaves
    ordered = sorted(rows, key=lambda row: leaves.index(row[name]))
    places = [leaves.index(row[name]) for row in ordered]
    cuts = []
    for cut in range(1, len(ordered)):
        last, first = places[cut - 1], places[cut]
        if last == first:
            continue
        fitting = [place for place in range(last + 1, first + 1) if column.shown(place, k)]
        cuts += [(abs(2 * cut - len(ordered)), cut, place) for place in fitting[:1]]
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
