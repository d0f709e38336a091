"""Local recoding the plain way: rows moved one by one along a chain of nodes; every chain of a lattice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from tests.naive.levels import Shown
from tests.naive.twin import VALUES, Release, Row, Table, Vector, comparable, non_dominated

Levels = tuple[int, ...]
Chain = tuple[Levels, ...]


def look(table: Table, row: Row, levels: Levels) -> tuple[Shown, ...]:
    """The sets that a row shows at a node."""
    return tuple(q.levels[level][row[q.name]] for q, level in zip(table.quasis, levels, strict=True))


def shown_at(table: Table, chain: Chain, k: int) -> list[int | None]:
    """The place of the node at which each row is shown, None where it reaches k nowhere."""
    found: list[int | None] = [None] * len(table.rows)
    for place, levels in enumerate(chain):
        left = [i for i, node in enumerate(found) if node is None]
        looks = {i: look(table, table.rows[i], levels) for i in left}
        for i in left:
            if sum(looks[other] == looks[i] for other in left) >= k:
                found[i] = place
    return found


def local_release(table: Table, chain: Chain, k: int) -> Release:
    """The classes of a chain. No two nodes show equal sets for different rows."""
    classes: dict[tuple[Shown, ...], list[Row]] = {}
    node_of: dict[tuple[Shown, ...], set[int | None]] = {}
    for row, place in zip(table.rows, shown_at(table, chain, k), strict=True):
        shown = look(table, row, chain[-1 if place is None else place])
        classes.setdefault(shown, []).append(row)
        node_of.setdefault(shown, set()).add(place)
    assert all(len(places) == 1 for places in node_of.values())
    kept = frozenset(shown for shown, places in node_of.items() if places != {None})
    assert all(len(classes[shown]) >= k for shown in kept)
    return Release(table, chain[-1], classes, kept)


def every_chain(nodes: Sequence[Levels], begin: Chain = ()) -> Iterator[Chain]:
    for levels in nodes:
        low = begin[-1] if begin else None
        if low is None or (low != levels and all(a <= b for a, b in zip(low, levels, strict=True))):
            yield (*begin, levels)
            yield from every_chain(nodes, (*begin, levels))


def local_frontier(table: Table, objectives: Sequence[str], fraction: Fraction) -> set[Vector]:
    """The vectors that no other chain with any class size beats."""
    found = set()
    for chain in every_chain(list(table.nodes)):
        for k in range(1, len(table.rows) + 1):
            release = local_release(table, chain, k)
            if release.kept and release.gone <= fraction * len(table.rows):
                found.add(tuple(comparable(VALUES[name][1](release)) for name in objectives))
    return non_dominated(found, [VALUES[name][0] for name in objectives])
