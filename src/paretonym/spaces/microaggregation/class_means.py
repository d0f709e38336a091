"""What the classes of a partition show: the mean of each number, and the smallest set of each category."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paretonym.arrays import Floats, Integers
from paretonym.counts import Axis, Cube
from paretonym.factorize import distinct_rows
from paretonym.recoding import Classes, ShownSets


def with_means(cube: Cube, part_of_tuple: Integers) -> Classes:
    """The classes of a partition. Parts that look the same are one class: so their labels are made again
    until none look the same."""
    of_tuple = part_of_tuple
    while True:
        parts = int(of_tuple.max()) + 1
        columns = [ShownColumn.of(cube, j, of_tuple, parts) for j in range(len(cube.axes))]
        numbers = [np.unique(column.labels, return_inverse=True)[1].reshape(-1) for column in columns]
        first, merged, _ = distinct_rows(numbers, [parts] * len(numbers))
        if len(first) == parts:
            break
        of_tuple = merged[of_tuple]
    sets, of_class = zip(*(column.sets() for column in columns), strict=True)
    return Classes.of(cube, of_tuple, np.stack(of_class, axis=1), tuple(sets))


@dataclass(frozen=True, eq=False)
class ShownColumn:
    """What each class shows of one quasi-identifier: its label, the smallest set of the hierarchy that
    contains it, and the number that stands for it (NaN: there are no numbers)."""

    axis: Axis
    labels: Integers
    first: Integers
    after: Integers
    numbers: Floats

    @classmethod
    def of(cls, cube: Cube, j: int, of_tuple: Integers, parts: int) -> ShownColumn:
        axis = cube.axes[j]
        lowest, highest = np.full(parts, len(axis.hierarchy.leaves)), np.full(parts, -1)
        leaves = axis.unit_ends[cube.groups[:, j]]
        np.minimum.at(lowest, of_tuple, leaves)
        np.maximum.at(highest, of_tuple, leaves)
        labels, first, after = _smallest_sets(axis, lowest, highest)
        line = axis.cutting.line
        numbers = np.full(parts, np.nan)
        if line is None or axis.cutting.order != "numbers":
            return cls(axis, labels, first, after, numbers)
        points = np.array(line.points, dtype=np.int64)
        numbers[:] = (points[0] + points[-1]) / 2 / line.step
        # A set with other values than numbers has no mean, nor have values that the schema joins.
        means = (highest < len(points)) & (axis.lowest == 0)
        sums, rows = np.zeros(parts, dtype=object), np.zeros(parts, dtype=np.int64)
        of_tuples = means[of_tuple]
        np.add.at(
            sums, of_tuple[of_tuples], (points[leaves[of_tuples]] * cube.counts[of_tuples]).astype(object)
        )
        np.add.at(rows, of_tuple[of_tuples], cube.counts[of_tuples])
        for part in np.flatnonzero(means).tolist():
            mean = rounded_mean(axis, int(sums[part]), int(rows[part]))
            numbers[part] = mean / line.step
            if lowest[part] < highest[part] or line.granules is not None:
                labels[part] = line.scale.text(mean)
        return cls(axis, labels, first, after, numbers)

    def sets(self) -> tuple[ShownSets, Integers]:
        """The distinct sets with their labels, and which of them each class shows."""
        texts, of_text = np.unique(self.labels, return_inverse=True)
        keys = np.stack([of_text.reshape(-1), self.first, self.after])
        (text, first, after), of_class = np.unique(keys, axis=1, return_inverse=True)
        of_class = of_class.reshape(-1)
        domain = self.axis.hierarchy.domain
        sizes = np.minimum(after, domain) - np.minimum(first, domain)
        numbers = np.empty(len(first))
        numbers[of_class] = self.numbers
        return ShownSets(
            tuple(str(texts[place]) for place in text.tolist()),
            np.where(sizes == 0, domain, sizes),
            first,
            after,
            numbers=None if np.isnan(numbers).any() else numbers,
        ), of_class.astype(np.int64)


def rounded_mean(axis: Axis, total: int, rows: int) -> int:
    """The mean as a point of the line: a multiple of the schema's granularity, or as precise as the values;
    the higher one of two that are equally near."""
    line = axis.cutting.line
    if line is None or line.granules is None:
        return (2 * total + rows) // (2 * rows)
    granule = int(line.granules.numbers(np.array([total // rows]))[0])
    low, high = (int(edge or 0) for edge in line.granules.edges(granule))
    return low if 2 * total < (low + high) * rows else high


def _smallest_sets(axis: Axis, lowest: Integers, highest: Integers) -> tuple[Integers, Integers, Integers]:
    """The label of the smallest set of the hierarchy that holds these leaves, and its own leaves."""
    labels = np.empty(len(lowest), dtype=object)
    first, after = np.empty_like(lowest), np.empty_like(lowest)
    for level in reversed(axis.hierarchy.levels[axis.lowest :]):
        groups = level.groups[lowest]
        together = groups == level.groups[highest]
        labels[together] = np.array(level.labels, dtype=object)[groups[together]]
        first[together], after[together] = level.edges[groups[together]], level.edges[groups[together] + 1]
    return labels, first, after
