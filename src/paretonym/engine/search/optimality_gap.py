"""The optimality gap of a stopped search: for each k, the least cost that what is open could still have.

A release with at least this k is in question only if it lies at an open node: any other is dominated or
equalled by one that was found. An open node may have that k if its bound allows it, and then costs at least
its floor plus what the rows cost that must be suppressed for it.
"""

from __future__ import annotations

import numpy as np

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.base.rounding import rounded
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.frontier import as_costs
from paretonym.engine.search.archive import Best, Found, LeastCosts, Unresolved
from paretonym.engine.search.bounds import batch_bounds, floors, has_floor
from paretonym.engine.search.problem import Problem

# Sums of floating-point numbers may be too large by less than this share.
_LOOSER = 2e-12
_CHUNK = 4096
# Nodes whose floors are computed at once.
_AT_ONCE = 200_000


class OptimalityGap:
    """The least costs of open nodes or boxes, collected while these are gone through; nothing is collected
    for a problem without k, or without a cost that has a floor."""

    def __init__(self, problem: Problem, values: Floats) -> None:
        places = enumerate(problem.objectives)
        self._cost = next((place for place, o in places if has_floor(o)), -1)
        self._costs = as_costs(values, problem.directions)
        nothing = batch_bounds(problem, (), 0)
        self._size = nothing.size_place if self._cost >= 0 else -1
        reached = -self._costs[:, self._size] if self._size >= 0 else np.empty(0)
        sizes = np.concatenate([nothing.sizes, reached, reached + 1]).astype(np.int64)
        self._sizes = np.unique(sizes[(sizes >= 1) & (sizes <= problem.cube.rows)])
        self._least = np.full(len(self._sizes), np.inf)

    def add(self, bounds: interface.Bounds, nodes: Integers, least: Floats, per_row: Floats) -> None:
        """Count open nodes in, with their bounds and floors."""
        for start in range(0, len(nodes) if self._size >= 0 else 0, _CHUNK):
            part = slice(start, start + _CHUNK)
            self._add_some(bounds, nodes[part], least[part, self._cost], per_row[part, self._cost])

    def add_floors(self, least: Floats) -> None:
        """Count open nodes in of which only floors are known."""
        if self._size >= 0 and len(least):
            self._least = np.minimum(self._least, least[:, self._cost].min())

    def _add_some(self, bounds: interface.Bounds, nodes: Integers, least: Floats, per_row: Floats) -> None:
        stair = np.searchsorted(bounds.sizes, self._sizes, side="right") - 1
        gone = bounds.staircase[nodes][:, stair]
        largest = -bounds.known[nodes][:, bounds.place == self._size].max(axis=1, initial=-np.inf)
        possible = (self._sizes <= largest[:, None]) & (gone <= bounds.suppressible)
        costs = np.where(possible, least[:, None] + per_row[:, None] * gone, np.inf)
        self._least = np.minimum(self._least, costs.min(axis=0, initial=np.inf))

    def closed(self) -> LeastCosts | None:
        """Proven costs: the less of what open nodes could cost and what was found."""
        if self._size < 0:
            return None
        least = rounded(self._least * (1 - _LOOSER))
        reached, costs = -self._costs[:, self._size], self._costs[:, self._cost]
        cheapest = np.array([costs[reached >= size].min(initial=np.inf) for size in self._sizes])
        steps: list[tuple[int, float]] = []
        for size, cost in zip(self._sizes.tolist(), np.minimum(least, cheapest).tolist(), strict=True):
            # Where no release has this k, what holds below it still does.
            if np.isfinite(cost) and (not steps or cost > steps[-1][1]):
                steps.append((size, cost))
        return LeastCosts(self._cost, tuple(steps))


def rivals(
    ideal: Floats, values: Floats, directions: tuple[str, ...], nodes: Integers | None = None
) -> tuple[Unresolved, ...]:
    """For each solution, the open nodes that could be nowhere worse, and the best value of each objective
    there.

    `ideal` holds the best values that each open node could have, as costs; or those of so many `nodes` each.
    """
    results, places = [], np.ones(len(ideal), dtype=np.int64) if nodes is None else nodes
    for row in as_costs(values, directions):
        better = (ideal <= row).all(axis=1) & (ideal < row).any(axis=1)
        best = ideal[better].min(axis=0) if better.any() else row
        reached = tuple(as_costs(best[None, :], directions)[0].tolist())
        results.append(Unresolved(int(places[better].sum()), reached))
    return tuple(results)


def stopped(problem: Problem, best: Best, evaluated: int, seen: Mask | None) -> Found:
    """The result of a search without bounds when its time is over: a node that was not evaluated may have any
    values that its floors allow. Without `seen` (the lattice is too large), the floors of the bottom node are
    used for all."""
    total = problem.lattice.size
    if evaluated == total:
        return Found(best, evaluated, complete=True)
    gap = OptimalityGap(problem, best.values)
    if seen is None:
        ideal = np.minimum(floors(problem, np.zeros(1, dtype=np.int64)).least, 0.0)  # no loss is below 0
        reach = tuple(as_costs(ideal, problem.directions)[0].tolist())
        every = tuple(Unresolved(total - evaluated, reach) for _ in best.values)
        gap.add_floors(ideal)
        return Found(best, evaluated, False, total - evaluated, every, least_costs=gap.closed())
    unseen = np.flatnonzero(~seen)
    parts = []
    for start in range(0, len(unseen), _AT_ONCE):
        least = floors(problem, unseen[start : start + _AT_ONCE]).least
        gap.add_floors(least)
        parts.append(rivals(rounded(least), best.values, problem.directions))
    together = tuple(_together(chunk, problem.directions) for chunk in zip(*parts, strict=True))
    return Found(best, evaluated, False, len(unseen), together, least_costs=gap.closed())


def _together(parts: tuple[Unresolved, ...], directions: tuple[str, ...]) -> Unresolved:
    costs = as_costs(np.array([part.values for part in parts]), directions).min(axis=0)
    best = as_costs(costs[None, :], directions)[0]
    return Unresolved(sum(part.nodes for part in parts), tuple(best.tolist()))
