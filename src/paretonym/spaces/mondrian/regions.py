"""The regions of strict parts, for rows that the parts were not made from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers
from paretonym.counts.cube import Cube
from paretonym.errors import Bug
from paretonym.recoding.equivalence_classes import Classes
from paretonym.spaces.mondrian.partition import Labelled, Parts, shown_by


@dataclass(frozen=True, eq=False)
class Regions:
    """Region i holds on axis j the units from `low[i, j]` up to before `high[i, j]`. No two overlap, and any
    several of them can be told apart by a cut that goes through none: that is how they were made."""

    low: Integers
    high: Integers

    def find(self, points: npt.NDArray[np.integer]) -> Integers:
        """The region of each point, -1 where it lies in none. Time: about depth × (points + regions).

        >>> regions = Regions(np.array([[0, 0], [2, 0], [2, 4]]), np.array([[2, 9], [5, 3], [5, 9]]))
        >>> regions.find(np.array([[1, 7], [3, 2], [4, 3], [4, 4]])).tolist()
        [0, 1, -1, 2]
        """
        found = np.full(len(points), -1, dtype=np.int64)
        todo = [(np.arange(len(points)), np.arange(len(self.low)))]
        while todo:
            here, regions = todo.pop()
            if len(regions) > 1:
                todo += self._divided(points, here, regions) if len(here) else []
                continue
            inside = (points[here] >= self.low[regions[0]]) & (points[here] < self.high[regions[0]])
            found[here[inside.all(axis=1)]] = regions[0]
        return found

    def _divided(
        self, points: npt.NDArray[np.integer], here: Integers, regions: Integers
    ) -> list[tuple[Integers, Integers]]:
        """Points and regions on both sides of the cut that comes nearest to halving the regions."""
        nearest, axis, cut = min(self._cut(j, regions) for j in range(self.low.shape[1]))
        if nearest > len(regions):
            raise Bug("regions overlap that were to lie apart")
        below, left = points[here, axis] < cut, self.low[regions, axis] < cut
        return [(here[below], regions[left]), (here[~below], regions[~left])]

    def _cut(self, axis: int, regions: Integers) -> tuple[int, int, int]:
        """The best cut on one axis: how far it is from halving the regions, the axis, and where it is."""
        order = np.argsort(self.low[regions, axis], kind="stable")
        low, high = self.low[regions[order], axis], self.high[regions[order], axis]
        places = np.flatnonzero(np.maximum.accumulate(high)[:-1] <= low[1:]) + 1
        if not len(places):
            return len(regions) + 1, axis, 0
        place = int(places[np.argmin(np.abs(2 * places - len(regions)))])
        return abs(2 * place - len(regions)), axis, int(low[place])

    def classes(self, cube: Cube, labelled: Labelled) -> Classes:
        """Every tuple in the class of its region, with labels that regions were given before."""
        found = self.find(cube.groups)
        if (found < 0).any():
            raise Bug("a row lies in no region")
        return shown_by(cube, Parts(found, self.low, self.high), labelled)
