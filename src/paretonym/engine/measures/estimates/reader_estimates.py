"""Estimates by a reader of a release.

A population is a list of predicates, one for each of some axes in ascending order. All populations are in one
list, in the order of a depth-first walk through the tree of their prefixes: entry i adds predicate
`chosen[i]` to the first `depths[i] - 1` predicates of the entry before. Predicate p selects what lies from
`first[p]` up to but excluding `after[p]` on axis `axis[p]`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.engine.counts import Cube
from paretonym.engine.counts import kernel_interface as interface
from paretonym.engine.counts import kernel_library as library
from paretonym.engine.measures.estimates.released_regions import Regions


class Intervals(NamedTuple):
    """Predicates by axis: those of axis j are the ones from `starts[j]` on."""

    axis: Integers
    first: Integers
    after: Integers
    starts: Integers


def find_populations(cube: Cube, asked: Intervals, least: int, room: int) -> tuple[Integers, Integers] | None:
    """All populations with at least `least` rows: their depths and predicates; None if there are more than
    there is room for."""
    depths, chosen = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    number = library.call("find_populations", _search(cube, asked), least, room, depths, chosen)
    return None if number < 0 else (depths[:number].copy(), chosen[:number].copy())


def _search(cube: Cube, asked: Intervals) -> interface.PopulationSearch:
    units = int(max(cube.groups.max(initial=0) + 1, asked.after.max(initial=0))) + 1
    return interface.PopulationSearch.made(
        units=units,
        groups=np.ascontiguousarray(cube.groups, dtype=np.int32),
        counts=cube.counts,
        axis=asked.axis,
        first=asked.first,
        after=asked.after,
        starts=asked.starts,
    )


def estimates(asked: Intervals, depths: Integers, chosen: Integers, shown: Regions) -> Floats:
    """Expected frequency of each value in each population: inside a region every shown leaf is equally
    likely, whatever the value."""
    (axes, classes), values = shown.low.shape, shown.cells.shape[1]
    result, levels = np.zeros((len(depths), values)), axes + 1
    library.call(
        "estimate", len(depths), axes, classes, len(asked.axis), values, depths, chosen, *asked[:3],
        *_contiguous(shown), levels, np.empty((levels, classes), dtype=np.int32),
        np.empty((levels, classes)), np.zeros(levels, dtype=np.int64), result,
    )  # fmt: skip
    return result


def mean_divergence(truth: Floats, guess: Floats, start: int, stop: int) -> float:
    """The mean over populations of the Jensen–Shannon divergence of the true and the estimated shares of the
    values from `start` up to but excluding `stop`; ln 2 where nothing is estimated."""
    result = np.zeros(1)
    library.call("mean_divergence", *truth.shape, start, stop, truth, guess, result)
    return float(result[0])


def answers(
    involved: Mask, running: npt.NDArray[np.int32], starts: Integers, marks: Mask, shown: Regions
) -> Floats:
    """Answers of a release to each counting query. Query i is about the axes with `involved[i, j]` and
    selects the leaves whose running count rises in `running[i, starts[j] :]`, and the values marked."""
    (axes, classes), values = shown.low.shape, shown.cells.shape[1]
    result = np.zeros(len(involved))
    library.call(
        "answer", len(involved), axes, classes, running.shape[1], values, involved, running,
        np.ascontiguousarray(starts[:axes]), marks, *_contiguous(shown), result,
    )  # fmt: skip
    return result


def _contiguous(shown: Regions) -> tuple[Integers, Integers, Floats]:
    low, high = (np.ascontiguousarray(each, dtype=np.int64) for each in (shown.low, shown.high))
    return low, high, np.ascontiguousarray(shown.cells, dtype=np.float64)
