"""What could still beat each solution when a search was stopped."""

from __future__ import annotations

import numpy as np

from paretonym.arrays import Floats, Mask
from paretonym.frontier import as_costs
from paretonym.rounding import rounded
from paretonym.search.archive import Best
from paretonym.search.bounds import floors
from paretonym.search.problem import Problem
from paretonym.search.result import Found, Unresolved

# Nodes are looked at one by one up to so many.
MOST_NODES = 20_000_000
_CHUNK = 200_000


def rivals(ideal: Floats, values: Floats, directions: tuple[str, ...]) -> tuple[Unresolved, ...]:
    """For each solution the open nodes that could be nowhere worse, and the best of each objective there.

    `ideal` holds the best that each open node could be, as costs.
    """
    results = []
    for row in as_costs(values, directions):
        could = ideal[(ideal <= row).all(axis=1) & (ideal < row).any(axis=1)]
        best = could.min(axis=0) if len(could) else row
        results.append(Unresolved(len(could), tuple(as_costs(best[None, :], directions)[0].tolist())))
    return tuple(results)


def stopped(problem: Problem, best: Best, evaluated: int, seen: Mask | None) -> Found:
    """What a search without bounds has when its time is over: all that is not seen may still be anything
    that its floors allow. Without `seen` (the lattice is too large) those of the bottom stand for all."""
    total = problem.lattice.size
    if evaluated == total:
        return Found(best, evaluated, complete=True)
    if seen is None:
        ideal = np.minimum(floors(problem, np.zeros(1, dtype=np.int64)).least, 0.0)  # no loss is below 0
        reach = tuple(as_costs(ideal, problem.directions)[0].tolist())
        every = tuple(Unresolved(total - evaluated, reach) for _ in best.values)
        return Found(best, evaluated, complete=False, open=total - evaluated, unresolved=every)
    left = np.flatnonzero(~seen)
    parts = [
        rivals(rounded(floors(problem, left[start : start + _CHUNK]).least), best.values, problem.directions)
        for start in range(0, len(left), _CHUNK)
    ]
    together = tuple(_together(chunk, problem.directions) for chunk in zip(*parts, strict=True))
    return Found(best, evaluated, complete=False, open=len(left), unresolved=together)


def _together(parts: tuple[Unresolved, ...], directions: tuple[str, ...]) -> Unresolved:
    costs = as_costs(np.array([part.values for part in parts]), directions).min(axis=0)
    best = as_costs(costs[None, :], directions)[0]
    return Unresolved(sum(part.nodes for part in parts), tuple(best.tolist()))
