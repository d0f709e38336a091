"""Regions of a release that a reader sees: the leaves that each class shows, and the counts of each value."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats, Integers
from paretonym.engine.counts import Cube, Margin
from paretonym.engine.recoding import Classes


@dataclass(frozen=True, eq=False)
class Seen:
    """The classes of a release and which of them stay."""

    cube: Cube
    classes: Classes
    stays: npt.NDArray[np.bool_]


class Regions(NamedTuple):
    """Region c shows on axis j the domain values from `low[j, c]` up to but excluding `high[j, c]`, each
    equally likely; `cells[c]` says how many of its rows a reader takes to have each value, all columns side
    by side."""

    low: Integers
    high: Integers
    cells: Floats

    @property
    def digest(self) -> bytes:
        """A digest that regions with the same content in the same order share, and no others."""
        found = hashlib.blake2b(digest_size=16)
        for each in self:
            found.update(f"{each.dtype} {each.shape};".encode())
            found.update(each.tobytes())
        return found.digest()


def regions(seen: Seen, columns: Sequence[str]) -> Regions:
    """Regions that a reader estimates from. In buckets every tuple is shown unchanged, with the values of its
    bucket."""
    margins = chosen(seen.cube, columns)
    classes = seen.classes
    if classes.buckets is not None:
        places = [i for i, margin in enumerate(seen.cube.sensitive) if margin.name in columns]
        return true_regions(seen.cube, [classes.buckets.guesses[place] for place in places])
    low, high = shown_leaves(seen)
    cells = [margin.cells(classes.of_tuple, len(classes))[seen.stays] for margin in margins]
    return Regions(low, high, _side_by_side(cells))


def true_regions(cube: Cube, cells: Sequence[npt.NDArray[np.generic]]) -> Regions:
    """Every tuple unchanged, with these counts of values."""
    low, high = [], []
    for j, axis in enumerate(cube.axes):
        ends, domain = axis.unit_ends, axis.hierarchy.domain
        first, after = ends[:-1][cube.groups[:, j]], ends[1:][cube.groups[:, j]]
        stray = first >= domain
        low.append(np.where(stray, 0, first))
        high.append(np.where(stray, domain, after))
    return Regions(np.stack(low), np.stack(high), _side_by_side(cells))


def tuple_cells(cube: Cube, columns: Sequence[str]) -> list[Integers]:
    """Counts of each value of each column in each tuple."""
    own = np.arange(cube.tuples)
    return [margin.cells(own, cube.tuples) for margin in chosen(cube, columns)]


def chosen(cube: Cube, columns: Sequence[str]) -> list[Margin]:
    """Sensitive columns by rows: a reader estimates rows, whoever they belong to."""
    return [margin.by_rows for margin in cube.sensitive if margin.name in columns]


def shown_leaves(seen: Seen) -> tuple[Integers, Integers]:
    """Where the shown sets of the classes that stay begin and end. A set as large as the domain is the whole
    domain, even if it replaces a value outside the hierarchy."""
    low, high = [], []
    for j, (axis, sets) in enumerate(zip(seen.cube.axes, seen.classes.sets, strict=True)):
        # Sizes are counted in granules if the space has them; leaves never are.
        whole = sets.sizes >= (axis.hierarchy.domain if sets.domain is None else sets.domain)
        shown = seen.classes.shown[seen.stays, j]
        low.append(np.where(whole, 0, sets.first)[shown])
        high.append(np.where(whole, axis.hierarchy.domain, sets.after)[shown])
    return np.stack(low), np.stack(high)


def _side_by_side(cells: Sequence[npt.NDArray[np.generic]]) -> Floats:
    return np.ascontiguousarray(np.concatenate(cells, axis=1), dtype=np.float64)
