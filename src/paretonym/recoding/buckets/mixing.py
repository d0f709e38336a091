"""What buckets say: how often each sensitive value occurs in each, and what a reader takes a row to have."""

from __future__ import annotations

import numpy as np

from paretonym.arrays import Floats
from paretonym.cube.cube import Cube, Margin
from paretonym.cube.plain import cells_at
from paretonym.recoding.buckets.anatomy import anatomy
from paretonym.recoding.classes import Buckets, Classes, columnwise_classes, level_sets
from paretonym.recoding.mondrian.parts import Parts


def as_they_are(cube: Cube, buckets: Buckets) -> Classes:
    """Every tuple as it is, a class of its own, with the buckets that its rows are in."""
    sets = tuple(level_sets(axis, axis.lowest) for axis in cube.axes)
    shown = [cube.groups[:, j] for j in range(len(cube.axes))]
    plain = columnwise_classes(cube, list(shown), sets)
    return Classes(plain.of_tuple, plain.shown, plain.sets, plain.rows, buckets)


def mixed_in_parts(cube: Cube, parts: Parts) -> Buckets:
    """Every part is a bucket: a row may have any of its values, as often as they occur there."""
    cells = tuple(cells_at(margin, parts.of_tuple, len(parts)) for margin in cube.sensitive)
    guesses = tuple(
        (each / each.sum(axis=1, keepdims=True))[parts.of_tuple] * cube.counts[:, None] for each in cells
    )
    return Buckets(cells, guesses)


def anatomized(cube: Cube, variety: int) -> Buckets:
    """Anatomy's buckets of at least so many different values. Which values share a bucket follows from their
    counts alone; which rows of a value go to which of its buckets is drawn when a release is written. What a
    reader takes a row to have is therefore the mean over all such draws."""
    (margin,) = cube.sensitive
    cells = anatomy(margin.totals, variety)
    shares = cells / cells.sum(axis=1, keepdims=True)
    # partners[v, w]: how much of value w a row of value v is taken to have.
    partners: Floats = (cells.T @ shares) / np.maximum(margin.totals, 1)[:, None]
    return Buckets((cells,), (_own(margin, cube.tuples) @ partners,))


def _own(margin: Margin, tuples: int) -> Floats:
    return cells_at(margin, np.arange(tuples), tuples).astype(np.float64)
