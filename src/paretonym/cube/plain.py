"""The same facts as the compiled walk, in plain numpy: slower, for any number of bits, without a compiler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.counting import distinct_rows
from paretonym.cube.cube import Cube, Margin
from paretonym.cube.plain_statistics import over_staying
from paretonym.cube.requests import Statistic, margins_for

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]


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
) -> tuple[Integers, Floats, Floats]:
    """Counts, costs and statistics of one node as a visit gives them. `costs[c][j][l]`: unit costs of axis
    j's l-th level."""
    ids, groups, counts = classes_at(cube, levels)
    unit = np.zeros((len(counts), len(costs)))
    for c, cost in enumerate(costs):
        for j, axis in enumerate(cube.axes):
            unit[:, c] += cost[j][levels[j] - axis.lowest][groups[:, j]]
    sizes = np.unique(counts)
    gone = np.array([counts[counts < size].sum() for size in sizes], dtype=np.int64)
    sizes = sizes[gone <= suppressible]
    if not every_threshold:
        sizes = sizes[-1:]
    cells = {m.name: cells_at(m, ids, len(counts)) for m in margins_for(cube, statistics)}
    return (
        np.array([_facts(counts, size) for size in sizes], dtype=np.int64),
        np.array([(unit * counts[:, None])[counts < size].sum(axis=0) for size in sizes]),
        np.array(
            [[_statistic(cube, s, cells[s.column][counts >= size]) for s in statistics] for size in sizes]
        ).reshape(len(sizes), len(statistics)),
    )


def cells_at(margin: Margin, ids: Integers, classes: int) -> Integers:
    """How often each value occurs in each class, given the class of every tuple."""
    cells = np.zeros((classes, len(margin.labels)), dtype=np.int64)
    np.add.at(cells, (ids[margin.tuples], margin.values), margin.counts)
    return cells


def _statistic(cube: Cube, statistic: Statistic, cells: Integers) -> float:
    return over_staying(statistic, margins_for(cube, [statistic])[0], cells)


def _facts(counts: Integers, size: np.int64) -> list[int]:
    stays = counts[counts >= size]
    return [
        int(size),
        int(counts.sum() - stays.sum()),
        len(stays),
        int((stays * stays).sum()),
        int((counts * counts).sum()),
        int((stays == 1).sum()),
    ]
