"""The same facts as the compiled walk, in plain numpy: slower, for any number of bits, without a compiler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.counting import distinct_rows
from paretonym.cube.cube import Cube

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]


def classes_at(cube: Cube, levels: Sequence[int]) -> tuple[Integers, Integers]:
    """The classes of a node: the group of every axis (one row for a class), and the number of rows in it."""
    columns = [
        axis.mapping(axis.lowest, level)[cube.groups[:, j]]
        for j, (axis, level) in enumerate(zip(cube.axes, levels, strict=True))
    ]
    sizes = [axis.groups(level) for axis, level in zip(cube.axes, levels, strict=True)]
    first, ids, _ = distinct_rows(columns, sizes)
    counts = np.zeros(len(first), dtype=np.int64)
    np.add.at(counts, ids, cube.counts)
    return np.stack([column[first] for column in columns], axis=1).astype(np.int64), counts


def node_facts(
    cube: Cube,
    levels: Sequence[int],
    costs: Sequence[Sequence[Sequence[Floats]]],
    suppressible: int,
    every_threshold: bool,
) -> tuple[Integers, Floats]:
    """Facts of one node as a visit gives them. `costs[c][j][l]`: unit costs of axis j's l-th level."""
    groups, counts = classes_at(cube, levels)
    unit = np.zeros((len(counts), len(costs)))
    for c, cost in enumerate(costs):
        for j, axis in enumerate(cube.axes):
            unit[:, c] += cost[j][levels[j] - axis.lowest][groups[:, j]]
    sizes = np.unique(counts)
    gone = np.array([counts[counts < size].sum() for size in sizes], dtype=np.int64)
    sizes = sizes[gone <= suppressible]
    if not every_threshold:
        sizes = sizes[-1:]
    facts = [_facts(counts, size) for size in sizes]
    spent = [(unit * counts[:, None])[counts < size].sum(axis=0) for size in sizes]
    return np.array(facts, dtype=np.int64), np.array(spent, dtype=np.float64).reshape(len(sizes), len(costs))


def _facts(counts: Integers, size: np.int64) -> list[int]:
    stays = counts[counts >= size]
    return [
        int(size),
        int(counts.sum() - stays.sum()),
        len(stays),
        int((stays * stays).sum()),
        int((counts * counts).sum()),
    ]
