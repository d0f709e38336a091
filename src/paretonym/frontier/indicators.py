"""Quality indicators: how good a set of vectors is, in one number. Hypervolume and additive ε are moocore's;
convergence error and representation ratio compare a set with a known frontier."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paretonym.arrays import Floats
from paretonym.frontier.dominance import as_costs
from paretonym.frontier.epsilon_dominance import Grid, best_boxes


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


def additive_epsilon(values: Floats, truth: Floats, directions: Sequence[str]) -> float:
    """The least amount by which `values` must be improved to be nowhere worse than `truth`; less is better.

    It is in the objectives' own units: scale them first if these differ. Reference: Zitzler et al. 2003.

    >>> additive_epsilon(np.array([[4.0, 0.5]]), np.array([[5.0, 0.4]]), ["max", "min"])
    1.0
    """
    import moocore

    costs = as_costs(np.asarray(values, dtype=np.float64), directions)
    wanted = as_costs(np.asarray(truth, dtype=np.float64), directions)
    return float(moocore.epsilon_additive(costs, ref=wanted))


def convergence_error(values: Floats, truth: Floats) -> float:
    """How far vectors lie from a known frontier: the sum of their distances to the nearest vector on it, each
    objective divided by its largest value there; 0 if all are on the frontier.

    It grows with the number of vectors; divide by it to compare sets of different sizes. The formula of
    Dewri et al., property-based, Section 7, is this sum; most numbers in its tables have another size.

    >>> truth = np.array([[4.0, 0.5], [2.0, 0.25]])
    >>> convergence_error(truth, truth), convergence_error(np.array([[3.0, 0.5]]), truth)
    (0.0, 0.25)
    """
    largest = np.abs(np.asarray(truth, dtype=np.float64)).max(axis=0)
    scale = np.where(largest > 0, largest, 1.0)
    found, wanted = np.asarray(values, dtype=np.float64) / scale, np.asarray(truth, dtype=np.float64) / scale
    return float(sum(np.sqrt(((wanted - vector) ** 2).sum(axis=1)).min() for vector in found))


def representation_ratio(values: Floats, truth: Floats, grid: Grid) -> float:
    """The share of a known frontier's non-dominated boxes that hold at least one of the vectors.

    1 if every part of the frontier is represented. Reference: Dewri et al., property-based, Section 7.

    >>> grid = Grid(("max", "min"), (1.0, 0.1))
    >>> representation_ratio(np.array([[4.0, 0.55]]), np.array([[4.0, 0.5], [2.0, 0.25]]), grid)
    0.5
    """
    wanted = best_boxes(np.asarray(truth, dtype=np.float64), grid)
    held = {tuple(box) for box in grid.boxes(np.asarray(values, dtype=np.float64)).tolist()}
    return len(wanted & held) / len(wanted)
