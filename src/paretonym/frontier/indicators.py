"""How good a set of vectors is, in one number: hypervolume and additive ε, both by moocore."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.frontier.dominance import as_costs

Floats: TypeAlias = npt.NDArray[np.float64]


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
