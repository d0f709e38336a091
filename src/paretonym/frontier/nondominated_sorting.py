"""How candidates of a population are preferred: by rank, then by how lonely they are. Ranks are moocore's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats
from paretonym.frontier.dominance import as_costs, finite

Places: TypeAlias = npt.NDArray[np.int64]


def ranks(values: Floats, directions: Sequence[str]) -> Places:
    """0 for what nothing beats, 1 for what only those beat, and so on (non-dominated sorting).

    >>> ranks(np.array([[5, 0.3], [5, 0.2], [2, 0.1]]), ["max", "min"]).tolist()
    [1, 0, 0]
    """
    from moocore import pareto_rank

    costs = finite(as_costs(values, directions))
    result: Places = np.asarray(pareto_rank(costs), dtype=np.int64)
    return result


def crowding(values: Floats) -> Floats:
    """How far apart the neighbours of each vector are, summed over the objectives, each over its range;
    infinite at the ends. Reference: Deb et al. 2002 (NSGA-II).

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


def preferred(values: Floats, directions: Sequence[str], number: int) -> tuple[Places, Places, Floats]:
    """The best so many, with their ranks and crowding distances: lower ranks first, the lonelier of the last
    rank that still fits."""
    rank = ranks(values, directions)
    lonely = np.zeros(len(values))
    kept: list[Places] = []
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
