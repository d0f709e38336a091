"""The roll-up in plain numpy, with the same results as the compiled code: slower, for keys of any width,
without a compiler."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from paretonym.arrays import Floats, Integers, Mask
from paretonym.counts.class_statistics import COMBINED, Combine, Statistic
from paretonym.counts.cube import Cube
from paretonym.factorize import distinct_rows


def classes_at(cube: Cube, levels: Sequence[int]) -> tuple[Integers, Integers, Integers]:
    """The classes of a node: the class of every tuple, the group of every axis (one row for a class), and
    the number of rows in each class."""
    columns = [
        axis.mapping(axis.lowest, level)[cube.groups[:, j]]
        for j, (axis, level) in enumerate(zip(cube.axes, levels, strict=True))
    ]
    sizes = [axis.groups(level) for axis, level in zip(cube.axes, levels, strict=True)]
    first, ids, _ = distinct_rows(columns, sizes)
    counts = np.zeros(len(first), dtype=np.int64)
    np.add.at(counts, ids, cube.counts)
    return ids, np.stack([column[first] for column in columns], axis=1).astype(np.int64), counts


def node_facts(
    cube: Cube,
    levels: Sequence[int],
    costs: Sequence[Sequence[Sequence[Floats]]],
    statistics: Sequence[Statistic],
    suppressible: int,
    every_threshold: bool,
    thresholds: Sequence[Sequence[Statistic]] = ((),),
) -> tuple[Integers, Floats, Floats]:
    """Counts, costs and statistics of one node as a visit gives them. `costs[c][j][l]`: unit costs of axis
    j's l-th level; `thresholds`: what each threshold is about, nothing for the size of a class."""
    ids, groups, counts = classes_at(cube, levels)
    spent = np.zeros((len(counts), len(costs)))
    for c, cost in enumerate(costs):
        for j, axis in enumerate(cube.axes):
            spent[:, c] += counts * cost[j][levels[j] - axis.lowest][groups[:, j]]
    stays = _staying(counts, [_goodness(cube, key, counts, ids) for key in thresholds], suppressible)
    if not every_threshold:
        stays = stays[-1:]
    return (
        np.array([_facts(counts, mask) for mask in stays], dtype=np.int64),
        np.array([spent[~mask].sum(axis=0) for mask in stays]),
        np.array(
            [[_statistic(cube, s, ids, counts, mask, suppressible) for s in statistics] for mask in stays]
        ).reshape(len(stays), len(statistics)),
    )


def _staying(counts: Integers, goodness: list[Floats], suppressible: int) -> list[Mask]:
    """Which classes stay at each tuple of thresholds that leaves any and suppresses few enough rows; every
    set of classes occurs once. Thresholds ascend, the last key fastest."""
    found: dict[bytes, Mask] = {}
    for limits in itertools.product(*(np.unique(values) for values in goodness)):
        mask = np.ones(len(counts), dtype=np.bool_)
        for values, limit in zip(goodness, limits, strict=True):
            mask &= values >= limit
        if mask.any() and counts[~mask].sum() <= suppressible:
            found.setdefault(mask.tobytes(), mask)
    return list(found.values())


def _goodness(cube: Cube, key: Sequence[Statistic], counts: Integers, ids: Integers) -> Floats:
    """The quantity that a threshold is about (more is better): the worst of its columns, or the size of the
    class."""
    if not key:
        return counts.astype(np.float64)
    columns = []
    for statistic in key:
        margin = cube.margin(statistic.column)
        values = statistic.of_every_class(margin, ids, len(counts), margin.shares)
        columns.append(-values if COMBINED[statistic.kind] is Combine.MOST else values)
    worst: Floats = np.min(columns, axis=0)
    return worst


def _statistic(
    cube: Cube, statistic: Statistic, ids: Integers, counts: Integers, stays: Mask, suppressible: int
) -> float:
    margin = cube.margin(statistic.column)
    if statistic.reach:
        values = statistic.of_every_class(margin, ids, len(counts), margin.shares)
        return statistic.reached(margin, values, counts, suppressible)
    return statistic.over_staying_classes(margin, ids, stays)


def _facts(counts: Integers, mask: Mask) -> list[int]:
    stays = counts[mask]
    return [
        int(stays.min()),
        int(counts.sum() - stays.sum()),
        len(stays),
        int((stays * stays).sum()),
        int((counts * counts).sum()),
        int((stays == 1).sum()),
    ]
