"""Epsilon dominance: a frontier thinned out evenly. The space of values is cut into boxes, and one solution
stays in each.

Box dominance and the archive of Dewri et al., "On the identification of property based generalizations in
microdata anonymization" (2010), Section 5 and Algorithm 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from paretonym.arrays import Floats, Integers, Mask
from paretonym.errors import Field, InputError, did_you_mean
from paretonym.frontier.dominance import as_costs, frontier_places
from paretonym.rounding import rounded

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
        kept = frontier_places(boxes, costs, np.arange(len(boxes), dtype=np.int64))
        return {tuple(box) for box in boxes[kept].tolist()}

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
