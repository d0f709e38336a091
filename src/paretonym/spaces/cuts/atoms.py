"""The cube whose values are atoms: the lattice over it has the same domains and orders as the cuts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from paretonym.counts.cube import Axis, Cube, Margin
from paretonym.factorize import distinct_rows
from paretonym.schema.hierarchies.hierarchy import Hierarchy, Level
from paretonym.spaces.cuts.cuts_space import CutAxis, CutsSpace


def atoms_cube(cube: Cube, space: CutsSpace) -> Cube:
    """The same rows, with atoms for leaves. Levels finer than the atoms are gone."""
    columns = [axis.atom_of_group[cube.groups[:, j]] for j, axis in enumerate(space.axes)]
    first, merged, _ = distinct_rows(list(columns), [len(axis) for axis in space.axes])
    counts = np.zeros(len(first), dtype=np.int64)
    np.add.at(counts, merged, cube.counts)
    return replace(
        cube,
        axes=tuple(_axis(axis) for axis in space.axes),
        groups=np.stack([column[first] for column in columns], axis=1).astype(np.int32),
        counts=counts,
        sensitive=tuple(_margin(margin, merged) for margin in cube.sensitive),
        classes=tuple(_margin(margin, merged) for margin in cube.classes),
    )


def _axis(cut: CutAxis) -> Axis:
    numbers = np.arange(len(cut), dtype=np.int32)
    levels, highest = [Level(numbers, cut.labels, _sizes(cut, numbers))], 0
    for place in range(cut.axis.lowest, cut.axis.hierarchy.height + 1):
        level = cut.axis.hierarchy.levels[place]
        groups = level.groups[cut.edges[:-1]]
        coarse = np.array_equal(groups, level.groups[cut.edges[1:] - 1])
        if coarse and len(level.labels) < len(levels[-1].labels):
            levels.append(Level(groups, level.labels, _sizes(cut, groups)))
        if place <= cut.axis.highest:
            highest = len(levels) - 1
    hierarchy = Hierarchy(cut.labels, tuple(levels), cut.domain, cut.axis.hierarchy.origin)
    # Granules are leaves now: none are left to be cut into.
    cutting = replace(cut.axis.cutting, granules=None)
    return Axis(cut.name, hierarchy, 0, highest, cut.axis.importance, cut.rows, cutting)


def _sizes(cut: CutAxis, groups: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    sizes = np.rint(np.bincount(groups, weights=cut.sizes)).astype(np.int64)
    return np.where(sizes == 0, cut.domain, sizes)


def _margin(margin: Margin, merged: npt.NDArray[np.int64]) -> Margin:
    width = len(margin.labels)
    codes = merged[margin.tuples] * width + margin.values
    cells, which = np.unique(codes.astype(np.int64), return_inverse=True)
    counts = np.zeros(len(cells), dtype=np.int64)
    np.add.at(counts, which, margin.counts)
    return replace(margin, tuples=cells // width, values=(cells % width).astype(np.int32), counts=counts)
