"""What a reader of a release would estimate: compiled, and in numpy where nothing is compiled.

A population is a list of predicates, one for each of some axes in ascending order. All populations are in one
list, in the order of a depth-first walk through the tree of their prefixes: entry i adds predicate
`chosen[i]` to the first `depths[i] - 1` predicates of the entry before. Predicate p selects what lies from
`first[p]` up to but excluding `after[p]` on axis `axis[p]`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats, Integers, Mask
from paretonym.counts import Cube
from paretonym.counts import kernel_interface as interface
from paretonym.counts import kernel_library as library
from paretonym.measures.estimates.released_regions import Regions

_LN2 = 0.6931471805599453


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
    if library.available():
        found = library.call("find_populations", _search(cube, asked), least, room, depths, chosen)
    else:
        found = _find(cube, asked, least, depths, chosen)
    return None if found < 0 else (depths[:found].copy(), chosen[:found].copy())


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


def _find(cube: Cube, asked: Intervals, least: int, depths: Integers, chosen: Integers) -> int:
    """Search depth first: the tuples that remain after each predicate, and the rows of every further one."""
    total, found = len(asked.axis), 0
    waiting = [(1, p, np.arange(cube.tuples)) for p in reversed(range(total))]
    while waiting:
        depth, p, active = waiting.pop()
        groups = cube.groups[active, asked.axis[p]]
        active = active[(asked.first[p] <= groups) & (groups < asked.after[p])]
        if cube.counts[active].sum() < least:
            continue
        if found == len(depths):
            return -1
        depths[found], chosen[found] = depth, p
        found += 1
        following = int(asked.starts[asked.axis[p] + 1])
        waiting.extend((depth + 1, q, active) for q in reversed(range(following, total)))
    return found


def estimates(asked: Intervals, depths: Integers, chosen: Integers, shown: Regions) -> Floats:
    """How often each value is expected in each population: inside a region every shown leaf is equally
    likely, whatever the value."""
    (axes, classes), values = shown.low.shape, shown.cells.shape[1]
    result, levels = np.zeros((len(depths), values)), axes + 1
    if library.available():
        library.call(
            "estimate", len(depths), axes, classes, len(asked.axis), values, depths, chosen, *asked[:3],
            *_contiguous(shown), levels, np.empty((levels, classes), dtype=np.int32),
            np.empty((levels, classes)), np.zeros(levels, dtype=np.int64), result,
        )  # fmt: skip
        return result
    active, weights = [np.arange(classes)] * levels, [np.ones(classes)] * levels
    for i, (depth, p) in enumerate(zip(depths.tolist(), chosen.tolist(), strict=True)):
        which = active[depth - 1]
        low, high = shown.low[asked.axis[p], which], shown.high[asked.axis[p], which]
        overlap = np.minimum(high, asked.after[p]) - np.maximum(low, asked.first[p])
        inside = overlap > 0
        weight = (weights[depth - 1] * overlap / np.maximum(high - low, 1))[inside]
        active[depth], weights[depth] = which[inside], weight
        result[i] = weight @ shown.cells[which[inside]]
    return result


def mean_divergence(truth: Floats, guess: Floats, start: int, stop: int) -> float:
    """The mean over populations of the Jensen–Shannon divergence of the true and the estimated shares of the
    values from `start` up to but excluding `stop`; ln 2 where nothing is estimated."""
    result = np.zeros(1)
    if library.available():
        library.call("mean_divergence", *truth.shape, start, stop, truth, guess, result)
        return float(result[0])
    own, other = truth[:, start:stop], guess[:, start:stop]
    guessed = other.sum(axis=1)
    some = guessed > 0
    p, q = own[some] / own[some].sum(axis=1, keepdims=True), other[some] / guessed[some, None]
    half = (p + q) / 2
    divergence = np.full(len(own), _LN2)
    divergence[some] = np.maximum((_x_log(p, half) + _x_log(q, half)).sum(axis=1) / 2, 0.0)
    return float(divergence.mean()) if len(divergence) else 0.0


def _x_log(p: Floats, half: Floats) -> Floats:
    """p · ln(p / half), 0 where p is 0."""
    some = p > 0
    result: Floats = p * np.log(np.where(some, p, 1.0) / np.where(some, half, 1.0))
    return result


def answers(
    involved: Mask, running: npt.NDArray[np.int32], starts: Integers, marks: Mask, shown: Regions
) -> Floats:
    """What a release answers to each counting query. Query i is about the axes with `involved[i, j]` and
    selects the leaves whose running count rises in `running[i, starts[j] :]`, and the values marked."""
    (axes, classes), values = shown.low.shape, shown.cells.shape[1]
    result = np.zeros(len(involved))
    if library.available():
        library.call(
            "answer", len(involved), axes, classes, running.shape[1], values, involved, running,
            np.ascontiguousarray(starts[:axes]), marks, *_contiguous(shown), result,
        )  # fmt: skip
        return result
    for i in range(len(involved)):
        weight = np.ones(classes)
        for j in np.flatnonzero(involved[i]).tolist():
            own = running[i, starts[j] :]
            weight *= (own[shown.high[j]] - own[shown.low[j]]) / np.maximum(shown.high[j] - shown.low[j], 1)
        result[i] = weight @ (shown.cells @ marks[i])
    return result


def _contiguous(shown: Regions) -> tuple[Integers, Integers, Floats]:
    low, high = (np.ascontiguousarray(each, dtype=np.int64) for each in (shown.low, shown.high))
    return low, high, np.ascontiguousarray(shown.cells, dtype=np.float64)
