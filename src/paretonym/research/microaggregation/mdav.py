"""MDAV, maximum distance to average vector: clusters of at least k rows around the farthest points.

The point farthest from the mean of all is put together with its nearest ones until they have k rows, and so
is the point farthest from that one; then the same with the others, until fewer than 3k rows are left. Points
are distinct tuples with counts, which stay together: where each has one row, this is the published algorithm.

Reference: Domingo-Ferrer & Torra 2005 (generic MDAV).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats, Integers
from paretonym.engine.counts import Axis, Cube


def mdav(points: Floats, counts: Integers, k: int) -> Integers:
    """The cluster of each point; together the points have at least k rows.

    Time: points² / k × columns.

    >>> points = np.array([[1.0], [2.0], [3.0], [10.0], [11.0], [13.0]])
    >>> mdav(points, np.ones(6, dtype=int), 3).tolist()
    [1, 1, 1, 0, 0, 0]
    """
    of_point = np.full(len(points), -1, dtype=np.int64)
    remaining, clusters = np.arange(len(points)), 0

    def cluster_around(center: int) -> None:
        nonlocal remaining, clusters
        members = _nearest(points, counts, remaining, center, k)
        of_point[members] = clusters
        remaining, clusters = remaining[of_point[remaining] < 0], clusters + 1

    while counts[remaining].sum() >= 3 * k:
        first = _farthest(points, remaining, _mean(points, counts, remaining))
        cluster_around(first)
        if counts[remaining].sum() >= k:
            cluster_around(_farthest(points, remaining, points[first]))
    if counts[remaining].sum() >= 2 * k:
        cluster_around(_farthest(points, remaining, _mean(points, counts, remaining)))
    if counts[remaining].sum() >= k:
        of_point[remaining] = clusters
    elif len(remaining):
        members = (np.flatnonzero(of_point == number) for number in range(clusters))
        means = np.stack([_mean(points, counts, places) for places in members])
        of_point[remaining] = [int(np.argmin(_distances(means, points[place]))) for place in remaining]
    return of_point


def _distances(points: Floats, center: Floats) -> Floats:
    distances: Floats = ((points - center) ** 2).sum(axis=1)
    return distances


def _mean(points: Floats, counts: Integers, places: Integers) -> Floats:
    mean: Floats = (points[places] * counts[places, None]).sum(axis=0) / counts[places].sum()
    return mean


def _farthest(points: Floats, places: Integers, center: Floats) -> int:
    return int(places[np.argmax(_distances(points[places], center))])


def _nearest(points: Floats, counts: Integers, places: Integers, center: int, k: int) -> Integers:
    """The points nearest to one, itself included, until they have k rows."""
    distances = _distances(points[places], points[center])
    few = np.arange(len(places))
    if len(places) > k:
        # All that are as near as the k-th nearest: every point has a row.
        few = np.flatnonzero(distances <= np.partition(distances, k - 1)[k - 1])
    order = few[np.argsort(distances[few], kind="stable")]
    enough = int(np.searchsorted(np.cumsum(counts[places[order]]), k)) + 1
    nearest: Integers = places[order[:enough]]
    return nearest


def tuple_points(cube: Cube) -> Floats:
    """The tuples of a cube as points: numbers as they are, other values by their place in the order of the
    leaves, every column with mean 0 and variance 1."""
    columns = [_coordinates(axis)[cube.groups[:, j]] for j, axis in enumerate(cube.axes)]
    points = np.stack(columns, axis=1).astype(np.float64)
    points -= (points * cube.counts[:, None]).sum(axis=0) / cube.counts.sum()
    spread = np.sqrt((points**2 * cube.counts[:, None]).sum(axis=0) / cube.counts.sum())
    scaled: Floats = points / np.where(spread > 0, spread, 1.0)
    return scaled


def _coordinates(axis: Axis) -> npt.NDArray[np.number]:
    """The place of each group at the lowest level; values that are no numbers lie behind all numbers."""
    first, line = axis.unit_ends[:-1], axis.cutting.line
    if line is None:
        return first
    points = np.array(line.points, dtype=np.float64)
    behind = points[-1] + np.arange(1, len(axis.hierarchy.leaves) - len(points) + 1) * line.step
    numbers: Floats = np.concatenate([points, behind])[first]
    return numbers
