"""Pareto dominance: which vectors no other vector dominates, and the hypervolume that they cover. moocore
compares; which vectors are equal and which of them is kept is decided here.

Epsilon dominance thins a frontier out evenly: the space of values is cut into boxes, and one solution stays
in each. Box dominance and the archive of Dewri et al., "On the identification of property based
generalizations in microdata anonymization" (2010), Section 5 and Algorithm 1. `Scale` says how far apart two
values are for people, and in figures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.base.errors import Field, InputError, did_you_mean
from paretonym.base.rounding import rounded


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


Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Grid:
    """The sides of a box, one for each objective in its own unit; 0 leaves an objective uncut."""

    directions: tuple[str, ...]
    sides: tuple[float, ...]

    @classmethod
    def of(cls, names: Sequence[str], directions: Sequence[str], sides: Mapping[str, float]) -> Grid:
        """Boxes with the given sides; an objective without one is not cut."""
        for name, side in sides.items():
            if name not in names:
                raise InputError.of(
                    Field("box"), f"'{name}' is not an objective of this run", did_you_mean(name, names)
                )
            if not 0 < side < math.inf:
                raise InputError.of(
                    Field("box"), f"the side of '{name}' is not above 0", "use, for example, k=5"
                )
        return cls(tuple(directions), tuple(float(sides.get(name, 0.0)) for name in names))

    def boxes(self, values: Floats) -> Floats:
        """The box of every vector, as costs: less is better. A value v lies in box floor(v / side).

        >>> Grid(("max", "min"), (5.0, 0.1)).boxes(np.array([[12.0, 0.3], [4.0, 0.05]])).tolist()
        [[-2.0, 3.0], [0.0, 0.0]]
        """
        cut = np.array([side > 0 for side in self.sides])
        sides = np.where(cut, self.sides, 1.0)
        # 0.3 / 0.1 must lie in box 3.
        boxes = np.where(cut, np.floor(rounded(values / sides)), values)
        return as_costs(boxes, self.directions) + 0.0  # no minus zero

    def best_boxes(self, values: Floats) -> set[tuple[float, ...]]:
        """The boxes that no other box dominates."""
        boxes = self.boxes(values)
        costs = ("min",) * len(self.sides)
        places = frontier_places(boxes, costs, np.arange(len(boxes), dtype=np.int64))
        return {tuple(box) for box in boxes[places].tolist()}

    def thinned(self, values: Floats) -> Integers:
        """Places of the vectors that an archive keeps when they are offered in this order.

        >>> grid = Grid(("max", "min"), (5.0, 0.1))
        >>> grid.thinned(np.array([[12.0, 0.35], [11.0, 0.31], [10.0, 0.25], [4.0, 0.05]])).tolist()
        [2, 3]
        """
        archive: Archive[int] = Archive(self)
        for place, vector in enumerate(values):
            archive.offer(vector, place)
        return np.array(sorted(archive.items), dtype=np.int64)


class Archive(Generic[Item]):
    """Solutions of which none box-dominates another, at most one in each box; they are offered one at a time.

    Algorithm 1. Of two solutions in one box, the dominating one stays; if neither dominates, the first. No
    solution in it is dominated by anything that was ever offered (Theorem 1), and their number is bounded
    (Theorem 2, corrected).
    """

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._costs: Floats = np.empty((0, len(grid.sides)))
        self._boxes: Floats = np.empty((0, len(grid.sides)))
        self.items: list[Item] = []

    def __len__(self) -> int:
        return len(self.items)

    @property
    def values(self) -> Floats:
        """The vectors that are kept, in the order of `items`."""
        return as_costs(self._costs, self._grid.directions)

    def offer(self, vector: Sequence[float] | Floats, item: Item) -> bool:
        """Keep a solution unless one that is kept excludes it; return whether it was kept."""
        values = np.asarray(vector, dtype=np.float64)[None, :]
        cost, box = as_costs(values, self._grid.directions)[0], self._grid.boxes(values)[0]
        # What dominates it, or is in its box and not dominated by it, excludes it; then it dominates nothing.
        near = (self._boxes <= box).all(axis=1)
        same = near & (self._boxes == box).all(axis=1)
        if (near & ~same).any() or (same & ~_beats(cost, self._costs)).any():
            return False
        self._forget(same | _beats(box, self._boxes))
        self._costs = np.vstack([self._costs, cost])
        self._boxes = np.vstack([self._boxes, box])
        self.items.append(item)
        return True

    def _forget(self, beaten: Mask) -> None:
        if beaten.any():
            self._costs, self._boxes = self._costs[~beaten], self._boxes[~beaten]
            self.items = [item for item, gone in zip(self.items, beaten, strict=True) if not gone]


def _beats(left: Floats, right: Floats) -> Mask:
    """Where costs on the left dominate those on the right: nowhere worse, and somewhere better."""
    return np.asarray((left <= right).all(axis=-1) & (left < right).any(axis=-1))


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values to positions from 0 to 1, linearly or by their logarithm.

    >>> Scale.of([1, 100]).place(10), Scale.of([0, 100]).place(10)
    (0.5, 0.1)
    """

    low: float
    high: float
    logarithmic: bool

    @classmethod
    def of(cls, values: Sequence[float], straight: bool = False) -> Scale:
        """A logarithmic scale if positive values span a factor of at least a hundred, unless `straight`."""
        finite = [value for value in values if math.isfinite(value)] or [0.0]
        low, high = min(finite), max(finite)
        return cls(low, high, logarithmic=not straight and low > 0 and high / low >= 100)

    def place(self, value: float) -> float:
        """0 for the lowest and 1 for the highest value; infinite values lie at the ends."""
        if math.isinf(value):
            return 1.0 if value > 0 else 0.0
        if self.high == self.low:
            return 0.5
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)
