"""Crowding distance, and the budget that searches of cuts share: that of the trade-offs paper."""

from __future__ import annotations

import numpy as np

from paretonym.base.arrays import Floats
from paretonym.engine.frontier import finite
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem

GENERATIONS = 250


def usual_population(problem: CutsProblem) -> int:
    """The default population of the paper: 200, or 500 with three objectives."""
    return 200 if len(problem.objectives) < 3 else 500


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
