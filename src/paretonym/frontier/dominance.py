"""Pareto dominance: which vectors no other vector dominates, and how candidates of a population are ordered:
by rank, then by crowding distance. moocore compares; which vectors are equal and which of them is kept is
decided here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paretonym.arrays import Floats, Integers


def as_costs(values: Floats, directions: Sequence[str]) -> Floats:
    """All objectives as "less is better". Only this function changes the sign."""
    signs = np.array([-1.0 if direction == "max" else 1.0 for direction in directions])
    return np.ascontiguousarray(values * signs)


def finite(costs: Floats) -> Floats:
    """Infinite entries replaced by numbers beyond every finite one of their column, which preserves the
    order."""
    if np.isfinite(costs).all():
        return costs
    inside = np.where(np.isfinite(costs), np.abs(costs), 0.0).max(axis=0, initial=0.0)
    edge = 2.0 * inside + 1.0
    return np.clip(costs, -edge, edge)


def frontier_places(values: Floats, directions: Sequence[str], ranks: Integers) -> Integers:
    """Indices of the non-dominated rows of `values`, one for each distinct vector: the one of lowest rank.

    The result does not depend on the order of the rows. It comes ordered by the first objective, best first,
    then by the others.

    >>> values = np.array([[5, 0.3], [5, 0.2], [2, 0.1], [2, 0.1], [1, 0.4]])
    >>> frontier_places(values, ["max", "min"], np.array([0, 1, 9, 3, 4])).tolist()
    [1, 3]
    """
    from moocore import is_nondominated

    if len(values) == 0:
        return np.empty(0, dtype=np.int64)
    costs = finite(as_costs(values, directions))
    order = np.lexsort((ranks, *reversed(costs.T)))
    ordered = costs[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    distinct = order[first]
    if costs.shape[1] == 1:
        return distinct[:1]
    best: Integers = distinct[is_nondominated(costs[distinct])]
    return best


def dominates(left: Sequence[float], right: Sequence[float], directions: Sequence[str]) -> bool:
    """Whether `left` is nowhere worse than `right` and somewhere better.

    >>> dominates([5, 0.2], [5, 0.3], ["max", "min"]), dominates([5, 0.2], [5, 0.2], ["max", "min"])
    (True, False)
    """
    a, b = as_costs(np.array([left, right], dtype=np.float64), directions)
    return bool((a <= b).all() and (a < b).any())


def ranks(values: Floats, directions: Sequence[str]) -> Integers:
    """Non-dominated sorting: 0 for vectors that no other dominates, 1 for those that only these dominate, and
    so on.

    >>> ranks(np.array([[5, 0.3], [5, 0.2], [2, 0.1]]), ["max", "min"]).tolist()
    [1, 0, 0]
    """
    from moocore import pareto_rank

    costs = finite(as_costs(values, directions))
    result: Integers = np.asarray(pareto_rank(costs), dtype=np.int64)
    return result


def crowding(values: Floats) -> Floats:
    """The crowding distance: how far apart the neighbours of each vector are, summed over the objectives,
    each divided by its range; infinite at the ends. Reference: Deb et al. 2002 (NSGA-II).

    >>> crowding(np.array([[0.0, 4.0], [1.0, 2.0], [4.0, 0.0]])).tolist()
    [inf, 2.0, inf]
    """
    distance = np.zeros(len(values))
    for column in finite(values).T:
        order = np.argsort(column, kind="stable")
        ordered = column[order]
        span = ordered[-1] - ordered[0]
        gaps = np.full(len(values), np.inf)
        gaps[1:-1] = (ordered[2:] - ordered[:-2]) / span if span > 0 else 0.0
        distance[order] += gaps
    return distance


def preferred(values: Floats, directions: Sequence[str], number: int) -> tuple[Integers, Integers, Floats]:
    """The best `number` vectors, with their ranks and crowding distances: lower ranks first, and the less
    crowded ones of the last rank that still fits."""
    rank = ranks(values, directions)
    lonely = np.zeros(len(values))
    kept: list[Integers] = []
    left = number
    for level in range(int(rank.max()) + 1):
        members = np.flatnonzero(rank == level)
        lonely[members] = crowding(values[members])
        if len(members) > left:
            members = members[np.argsort(-lonely[members], kind="stable")[:left]]
        kept.append(members)
        left -= len(members)
        if left == 0:
            break
    places = np.concatenate(kept)
    return places, rank[places], lonely[places]
