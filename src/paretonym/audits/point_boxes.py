"""Which boxes hold which points: a box is from the first up to before the last value of every column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from paretonym.arrays import Integers

Pairs: TypeAlias = tuple[Integers, Integers]

# So many points times boxes are looked at in one go.
AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class Boxes:
    """Box i holds the points p with `low[i] <= p < high[i]` in every column."""

    low: Integers
    high: Integers

    def holding(self, points: Integers) -> Pairs:
        """Every pair of a point and a box that holds it.

        >>> boxes = Boxes(np.array([[0], [2]]), np.array([[2], [5]]))
        >>> [places.tolist() for places in boxes.holding(np.array([[1], [4], [9]]))]
        [[0, 1], [0, 1]]
        """
        todo = [(np.arange(len(points)), np.arange(len(self.low)))]
        found = [(np.empty(0, dtype=np.int64),) * 2]
        while todo:
            here, boxes = todo.pop()
            if len(here) * len(boxes) > AT_ONCE:
                todo += self._divided(points, here, boxes)
            elif len(here):
                found.append(self._tried(points, here, boxes))
        return np.concatenate([pair[0] for pair in found]), np.concatenate([pair[1] for pair in found])

    def _tried(self, points: Integers, here: Integers, boxes: Integers) -> Pairs:
        """Every point with every box."""
        inside = np.ones((len(here), len(boxes)), dtype=np.bool_)
        for j in range(points.shape[1]):
            column = points[here, j][:, None]
            inside &= (self.low[boxes, j] <= column) & (column < self.high[boxes, j])
        which, box = np.nonzero(inside)
        return here[which], boxes[box]

    def _divided(self, points: Integers, here: Integers, boxes: Integers) -> list[Pairs]:
        """Points and boxes on both sides of the cut that the fewest boxes lie across; the points in two
        halves where no cut parts the boxes."""
        sides = []
        for j in range(points.shape[1]):
            cut = np.median(self.low[boxes, j]) + 0.5
            left, right = self.low[boxes, j] < cut, self.high[boxes, j] - 1 >= cut
            if not left.all() and not right.all():
                sides.append((int(left.sum() + right.sum()), j, float(cut)))
        if not sides:
            half = len(here) // 2
            parts = (here[:half], here[half:]) if half else ()
            return [(part, boxes) for part in parts] or self._halves(here, boxes)
        _, j, cut = min(sides)
        left, right = self.low[boxes, j] < cut, self.high[boxes, j] - 1 >= cut
        below = points[here, j] < cut
        return [(here[below], boxes[left]), (here[~below], boxes[right])]

    def _halves(self, here: Integers, boxes: Integers) -> list[Pairs]:
        half = len(boxes) // 2
        return [(here, boxes[:half]), (here, boxes[half:])]
