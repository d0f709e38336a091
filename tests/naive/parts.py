"""Mondrian row by row: sets, lists and fractions, as the definitions say it. For values as they are."""

from __future__ import annotations

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
    """A quasi-identifier with its leaves in order; on a `line` they may be cut anywhere."""

    quasi: Quasi
    leaves: list[Value]
    line: bool

    @classmethod
    def of(cls, quasi: Quasi, entry: Mapping[str, Any]) -> Ordered:
        values: list[Any] = [value for value in quasi.levels[0] if value is not None]
        numeric = any(kind in entry.get("hierarchy", {}) for kind in LINES)
        leaves = sorted(values, key=Decimal) if numeric else values
        return cls(
            quasi, [*leaves, *([None] if None in quasi.levels[0] else [])], numeric or "order" in entry
        )


def parts(
    table: Table, schema: Mapping[str, Any], requirement: Mapping[str, float], relaxed: bool = False
) -> dict[Region, list[Row]]:
    """The rows of each class by the sets that it shows."""
    columns = [Ordered.of(quasi, schema["columns"][quasi.name]) for quasi in table.quasis]
    rows = sorted(table.rows, key=lambda row: [c.leaves.index(row[c.quasi.name]) for c in columns])
    found: dict[Region, list[Row]] = {}
    for start, inside in beginnings(table, schema, rows).items():
        for region, members in _split(table, columns, requirement, relaxed, inside, start):
            found.setdefault(region, []).extend(members)
    return found


def beginnings(
    table: Table, schema: Mapping[str, Any], rows: Sequence[Row] | None = None
) -> dict[Region, list[Row]]:
    """The rows by the sets of the highest levels that the schema allows: often all are one."""
    columns = [Ordered.of(quasi, schema["columns"][quasi.name]) for quasi in table.quasis]
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
    relaxed: bool,
    rows: list[Row],
    region: Region,
) -> list[tuple[Region, list[Row]]]:
    spans = [(-_span(column, rows), place) for place, column in enumerate(columns)]
    for span, place in sorted(spans):
        if span > 0:
            continue
        pieces = _pieces(columns[place], rows, relaxed)
        if len(pieces) > 1 and all(keeps(table, members, requirement) for members, _ in pieces):
            found = []
            for members, shown in pieces:
                inner = (*region[:place], region[place] & shown, *region[place + 1 :])
                found += _split(table, columns, requirement, relaxed, members, inner)
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


def _pieces(column: Ordered, rows: list[Row], relaxed: bool) -> list[Piece]:
    name = column.quasi.name
    cells = {row[name] for row in rows}
    if column.line and None not in cells:
        return _halves(column, rows, relaxed)
    if column.line:
        sets = [frozenset(leaf for leaf in column.leaves if leaf is not None), frozenset([None])]
    else:
        falling = reversed(column.quasi.levels)
        level = next(level for level in falling if len({level[cell] for cell in cells}) > 1)
        sets = list(dict.fromkeys(level[leaf] for leaf in column.leaves))
    pieces = [([row for row in rows if row[name] in shown], shown) for shown in sets]
    return [(members, shown) for members, shown in pieces if members]


def _halves(column: Ordered, rows: list[Row], relaxed: bool) -> list[Piece]:
    name, leaves = column.quasi.name, column.leaves
    ordered = sorted(rows, key=lambda row: leaves.index(row[name]))
    cuts = []
    for cut in range(1, len(ordered)):
        before, after = ordered[cut - 1], ordered[cut]
        together = before[name] == after[name] if not relaxed else _same(before, after)
        if not together:
            cuts.append((abs(2 * cut - len(ordered)), cut))
    if not cuts:
        return []
    cut = min(cuts)[1]
    last, first = leaves.index(ordered[cut - 1][name]), leaves.index(ordered[cut][name])
    ends = [leaf for leaf in leaves if leaf is not None]
    start = last if first == last else last + 1
    below = {id(row) for row in ordered[:cut]}
    left, right = ([row for row in rows if (id(row) in below) == side] for side in (True, False))
    return [(left, frozenset(ends[: last + 1])), (right, frozenset(ends[start:]))]


def _same(one: Row, other: Row) -> bool:
    return all(one[name] == other[name] for name in one if name.startswith("q"))


def keeps(table: Table, rows: list[Row], requirement: Mapping[str, float]) -> bool:
    """Whether these rows keep everything that is required."""
    return all(_keeps(table, rows, name, bound) for name, bound in requirement.items())


def _keeps(table: Table, rows: list[Row], name: str, bound: float) -> bool:
    if name == "k":
        return len(rows) >= bound
    for column in table.sensitive:
        cells = [row[column.name] for row in rows]
        if name.startswith("l"):
            varieties: Mapping[str, Number] = {
                "l": 1 / max(shares(cells).values()),
                "l-distinct": len(set(cells)),
                "l-entropy": entropy_number(cells),
            }
            if float(varieties[name]) < bound - 1e-9:
                return False
        else:
            whole = shares([row[column.name] for row in table.rows])
            if float(DISTANCES[name](column, shares(cells), whole)) > bound + 1e-11:
                return False
    return True
