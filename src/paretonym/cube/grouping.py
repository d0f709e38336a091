"""Classes from finer classes in numpy: the readable twin of `kernels/grouping.c`."""

from __future__ import annotations

import numpy as np

from paretonym.arrays import Integers
from paretonym.cube.structures import Layout, Words


def recoded(layout: Layout, keys: Words, low: Integers, high: Integers) -> Words:
    """Keys at levels `high` of keys at levels `low`."""
    result = keys.copy()
    for p in range(layout.positions):
        if low[p] == high[p]:
            continue
        word, shift = result[:, layout.word[p]], np.uint64(layout.shift[p])
        mask = np.uint64((1 << int(layout.bits[p])) - 1)
        groups = ((word >> shift) & mask).astype(np.int64)
        place = layout.starts[p, low[p], high[p]]
        result[:, layout.word[p]] = (word & ~(mask << shift)) | layout.mappings[place + groups]
    return result


def numbered(keys: Words) -> tuple[Integers, int]:
    """The class of each key, numbered in the order in which they come, and how many classes there are.

    >>> numbered(np.array([[7], [3], [7]], dtype=np.uint64))
    (array([0, 1, 0]), 2)
    """
    ids = np.zeros(len(keys), dtype=np.int64)
    for column in keys.T:
        digits = np.unique(column, return_inverse=True)[1]
        ids = np.unique(ids * (int(digits.max(initial=0)) + 1) + digits, return_inverse=True)[1]
    _, first, which = np.unique(ids, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[which], len(first)


def sizes_of(target: Integers, classes: int, rows: Integers) -> Integers:
    """The rows of each class."""
    sizes = np.zeros(classes, dtype=np.int64)
    np.add.at(sizes, target, rows)
    return sizes
