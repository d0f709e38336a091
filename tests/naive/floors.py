"""The least loss of a tiny table over all partitions of its rows, and the floor below it, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from paretonym.engine.counts import kernel_interface as interface
from paretonym.research.exams.random_tables import PERSON
from tests.naive.levels import Shown
from tests.naive.twin import Row, Table, cell_costs


def size_of(rows: Sequence[Row]) -> int:
    """The rows of a class, or its persons."""
    return len({row[PERSON] for row in rows}) if rows and PERSON in rows[0] else len(rows)


def smallest_sets(table: Table, rows: Sequence[Row]) -> tuple[Shown, ...]:
    """For every quasi-identifier, the smallest set of its hierarchy that contains the values of all rows."""
    shown = []
    for quasi in table.quasis:
        sets = ({level[row[quasi.name]] for row in rows} for level in quasi.levels)
        shown.append(next(iter(next(each for each in sets if len(each) == 1))))
    return tuple(shown)


def row_cost(table: Table, shown: Sequence[Shown]) -> Fraction:
    """What a row loses that shows these sets."""
    weight = sum((quasi.importance for quasi in table.quasis), Fraction(0))
    return cell_costs(table.quasis, shown) / weight


def least_loss(table: Table, k: int) -> Fraction:
    """The least loss of any partition of the rows into classes of at least k, and suppressed rows."""
    rows, best = table.rows, {0: Fraction(0)}
    classes = {
        mask: row_cost(table, smallest_sets(table, members)) * len(members)
        for mask in range(1, 1 << len(rows))
        if size_of(members := [row for i, row in enumerate(rows) if mask >> i & 1]) >= k
    }
    for mask in range(1, 1 << len(rows)):
        first = mask & -mask
        best[mask] = best[mask ^ first] + 1
        part = mask
        while part:
            if part & first and part in classes:
                best[mask] = min(best[mask], best[mask ^ part] + classes[part])
            part = (part - 1) & mask
    return best[len(best) - 1] / len(rows)


def floor(table: Table, k: int) -> Fraction:
    """The mean of what each row costs at least at a node at which its class reaches k."""
    nodes = list(product(*(range(len(quasi.levels)) for quasi in table.quasis)))
    return sum((least_cost(table, row, k, nodes) for row in table.rows), Fraction(0)) / len(table.rows)


def least_cost(table: Table, row: Row, k: int, nodes: Sequence[tuple[int, ...]]) -> Fraction:
    costs = [Fraction(1)]
    for node in nodes:
        shown = look(table, row, node)
        if size_of([other for other in table.rows if look(table, other, node) == shown]) >= k:
            costs.append(row_cost(table, shown))
    return min(costs)


def look(table: Table, row: Row, node: Sequence[int]) -> tuple[Shown, ...]:
    return tuple(
        quasi.levels[level][row[quasi.name]] for quasi, level in zip(table.quasis, node, strict=True)
    )


def least_union(table: interface.Neighbours, row: int, size: int) -> int:
    """The least cost of places at which a tuple and others of so many rows differ, over all unions of places
    that some others have."""
    differ = [
        frozenset((table.groups[:, other] != table.groups[:, row]).nonzero()[0].tolist())
        for other in range(table.tuples)
    ]
    unions = {frozenset[int]()}
    for places in differ:
        unions |= {union | places for union in unions}
    steps = table.steps[:, row]
    return min(
        int(steps[sorted(union)].sum())
        for union in unions
        if sum(int(table.sizes[i]) for i, places in enumerate(differ) if places <= union) >= size
    )
