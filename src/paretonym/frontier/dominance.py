"""Pareto dominance: which vectors no other vector dominates, and the hypervolume that they cover. moocore
compares; which vectors are equal and which of them is kept is decided here."""

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


def hypervolume(values: Floats, directions: Sequence[str], reference: Sequence[float]) -> float:
    """The volume between the vectors and a reference point that is worse than all of them; more is better.

    Vectors with an infinite entry are left out. Reference: Zitzler & Thiele 1998.

    >>> hypervolume(np.array([[2.0, 0.5], [1.0, 0.25]]), ["max", "min"], [0.0, 1.0])
    1.25
    """
    import moocore

    costs = as_costs(np.asarray(values, dtype=np.float64), directions)
    corner = as_costs(np.array([reference], dtype=np.float64), directions)[0]
    return float(moocore.hypervolume(costs[np.isfinite(costs).all(axis=1)], ref=corner))
