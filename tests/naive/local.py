"""Local recoding the plain way: rows moved one by one along a sequence of nodes, every partition of the
distinct rows, and classes that are divided anew as the compiled code does it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from paretonym.engine.spaces.local.local_table import LocalTable
from tests.naive.floors import row_cost, smallest_sets
from tests.naive.levels import Shown
from tests.naive.twin import VALUES, Release, Row, Table, Vector, comparable, non_dominated

Levels = tuple[int, ...]
Nodes = tuple[Levels, ...]


def look(table: Table, row: Row, levels: Levels) -> tuple[Shown, ...]:
    """The sets that a row shows at a node."""
    return tuple(q.levels[level][row[q.name]] for q, level in zip(table.quasis, levels, strict=True))


def shown_at(table: Table, nodes: Nodes, k: int) -> list[int | None]:
    """The place of the node at which each row is shown, None where it reaches k nowhere."""
    found: list[int | None] = [None] * len(table.rows)
    for place, levels in enumerate(nodes):
        left = [i for i, node in enumerate(found) if node is None]
        looks = {i: look(table, table.rows[i], levels) for i in left}
        for i in left:
            if sum(looks[other] == looks[i] for other in left) >= k:
                found[i] = place
    return found


def local_release(table: Table, nodes: Nodes, k: int) -> Release | None:
    """The closed classes of a sequence, in smallest sets; those that show equal sets are one. None where two
    classes that hold a row cost the same."""
    groups: dict[object, list[Row]] = {}
    lowest = tuple(quasi.lowest for quasi in table.quasis)
    for row, place in zip(table.rows, shown_at(table, nodes, k), strict=True):
        levels = lowest if place is None else nodes[place]
        groups.setdefault((place, look(table, row, levels)), []).append(row)
    classes: dict[tuple[Shown, ...], list[Row]] = {}
    for rows in groups.values():
        classes.setdefault(smallest_sets(table, rows), []).extend(rows)
    kept = kept_of(classes, k)
    for shown in set(classes) - kept:
        holders = [other for other in kept if inside(shown, other)]
        costs = sorted((row_cost(table, other), place) for place, other in enumerate(holders))
        if len(costs) > 1 and costs[0][0] == costs[1][0]:
            return None
        if costs:
            classes[holders[costs[0][1]]] += classes.pop(shown)
    return Release(table, nodes[-1], classes, kept)


def inside(shown: tuple[Shown, ...], other: tuple[Shown, ...]) -> bool:
    """True if every set is part of the other one's."""
    return all(one <= whole for one, whole in zip(shown, other, strict=True))


def kept_of(classes: dict[tuple[Shown, ...], list[Row]], k: int) -> frozenset[tuple[Shown, ...]]:
    return frozenset(shown for shown, rows in classes.items() if len(rows) >= k)


def rows_left_out(
    classes: dict[tuple[Shown, ...], list[Row]], kept: frozenset[tuple[Shown, ...]]
) -> list[Row]:
    return [row for shown, rows in classes.items() if shown not in kept for row in rows]


def every_partition(members: Sequence[list[Row]]) -> Iterator[list[list[Row]]]:
    """All partitions of some lists, those in one class joined."""
    if not members:
        yield []
        return
    first, *others = members
    for partition in every_partition(others):
        yield [first, *partition]
        for place, own in enumerate(partition):
            yield [*partition[:place], [*first, *own], *partition[place + 1 :]]


def local_frontier(table: Table, objectives: Sequence[str], fraction: Fraction) -> set[Vector]:
    """The vectors that no other closed partition with any class size beats: one in which no row that is left
    out lies inside a class that stays."""
    distinct: dict[tuple[Shown, ...], list[Row]] = {}
    lowest = tuple(quasi.lowest for quasi in table.quasis)
    for row in table.rows:
        distinct.setdefault(look(table, row, lowest), []).append(row)
    found = set()
    for partition in every_partition(list(distinct.values())):
        classes: dict[tuple[Shown, ...], list[Row]] = {}
        for rows in partition:
            classes.setdefault(smallest_sets(table, rows), []).extend(rows)
        for k in {len(rows) for rows in classes.values()}:
            kept = kept_of(classes, k)
            release = Release(table, lowest, classes, kept)
            if any(
                inside(smallest_sets(table, [row]), shown)
                for row in rows_left_out(classes, kept)
                for shown in kept
            ):
                continue
            if release.kept and release.gone <= fraction * len(table.rows):
                found.add(tuple(comparable(VALUES[name][1](release)) for name in objectives))
    return non_dominated(found, [VALUES[name][0] for name in objectives])


# --- local.c -----------------------------------------------------------------------------------------------


class Twin:
    """Classes as lists of tuples; what they show is computed from all members whenever it is needed."""

    def __init__(self, local: LocalTable) -> None:
        self.table, self.groups = local.table, local.groups

    def row_cost(self, members: Sequence[int]) -> int:
        """What a row loses in the smallest sets that contain some tuples."""
        table, cost = self.table, 0
        for place in table.first.tolist():
            while len(set(self.groups[members, place].tolist())) > 1:
                place += 1
            cost += int(table.costs[table.prices[members[0], place]])
        return cost

    def cost(self, members: Sequence[int]) -> int:
        return self.row_cost(members) * int(self.table.rows[members].sum())

    def divided(self, members: list[int], k: int, allowed: int) -> tuple[list[tuple[int, int]], int, int]:
        """Tuples with their classes in the order of the compiled code, the cost, and how many rows more may
        be suppressed."""
        table, classes, placed = self.table, list[list[int]](), list[tuple[int, int]]()
        drawn, left = members[0], list(members)
        while left and table.sizes[left].sum() >= k:
            own, begin = list[int](), 0
            while left and (not own or table.sizes[own].sum() < k):
                drawn = (drawn * 6364136223846793005 + 1442695040888963407) % (1 << 64)
                if own:
                    # Of equal ones the first, counted from the last that cost nothing more.
                    costs = [self.row_cost([*own, tuple_]) for tuple_ in left[begin:] + left[:begin]]
                    place = (begin + costs.index(min(costs))) % len(left)
                    begin = place if min(costs) == self.row_cost(own) else 0
                else:
                    place = (drawn >> 33) % len(left)
                own.append(left[place])
                placed.append((left[place], len(classes)))
                left[place] = left[-1]
                left.pop()
            classes.append(own)
        placed.reverse()
        cost = sum(map(self.cost, classes))
        for tuple_ in reversed(left):
            rows = int(table.rows[tuple_])
            options = [(rows * table.most, -1)] if rows <= allowed or not classes else []
            options += [
                (self.cost([*own, tuple_]) - self.cost(own), number) for number, own in enumerate(classes)
            ]
            more, chosen = min(options, key=lambda option: option[0])
            if chosen < 0:
                allowed -= rows
            else:
                classes[chosen].append(tuple_)
            cost += more
            placed.insert(0, (tuple_, chosen))
        return placed, cost, allowed

    def divide(
        self,
        ends: Sequence[int],
        slack: Sequence[int],
        k: int,
        allowed: int,
        members: list[int],
        classes: list[int],
    ) -> tuple[list[int], list[int]]:
        """Members and classes after every block was divided that then costs no more than its slack allows."""
        table, begin = self.table, 0
        for end, more_cost in zip(ends, slack, strict=True):
            own, of = members[begin:end], classes[begin:end]
            gone = [tuple_ for tuple_, number in zip(own, of, strict=True) if number < 0]
            old = more_cost + int(table.rows[gone].sum()) * table.most
            for number in sorted({number for number in of if number >= 0}):
                old += self.cost([tuple_ for tuple_, other in zip(own, of, strict=True) if other == number])
            if own:
                placed, cost, more = self.divided(own, k, allowed + int(table.rows[gone].sum()))
                if cost <= old and more >= 0:
                    members[begin:end] = [tuple_ for tuple_, _ in placed]
                    classes[begin:end] = [begin + number if number >= 0 else -1 for _, number in placed]
                    allowed = more
            begin = end
        return members, classes
