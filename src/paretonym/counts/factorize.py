"""Numbers of rows replaced by their ranks and counted, block by block: memory stays near that of the rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Ids: TypeAlias = npt.NDArray[np.int64]

# Rows that are sorted together; sorting all at once would need several times their memory.
BLOCK = 1 << 19


class Ranked(NamedTuple):
    """The distinct numbers in rising order, where each stands first, and how often it occurs."""

    distinct: Ids
    first: Ids
    counts: Ids


def rank(numbers: Ids) -> Ranked:
    """Replace every number, in place, by its rank among the distinct ones.

    >>> numbers = np.array([30, 10, 30])
    >>> rank(numbers)
    Ranked(distinct=array([10, 30]), first=array([1, 0]), counts=array([1, 2]))
    >>> numbers
    array([1, 0, 1])
    """
    starts = range(0, max(len(numbers), 1), BLOCK)
    blocks = [_ranked_block(numbers[start : start + BLOCK]) for start in starts]
    distinct = np.unique(np.concatenate([block.distinct for block in blocks]))
    first, counts = np.empty(len(distinct), dtype=np.int64), np.zeros(len(distinct), dtype=np.int64)
    # From the last block to the first, so that the earliest place stays.
    for start, block in zip(reversed(starts), reversed(blocks), strict=True):
        places = np.searchsorted(distinct, block.distinct)
        numbers[start : start + BLOCK] = places[numbers[start : start + BLOCK]]
        first[places] = block.first + start
        counts[places] += block.counts
    return Ranked(distinct, first, counts)


def counted(blocks: Iterable[Ids]) -> tuple[Ids, Ids]:
    """The distinct numbers of all blocks in rising order, and how often each occurs.

    >>> counted([np.array([3, 1]), np.array([3])])
    (array([1, 3]), array([1, 2]))
    """
    pairs = [np.unique(block, return_counts=True) for block in blocks]
    distinct, places = np.unique(np.concatenate([found for found, _ in pairs]), return_inverse=True)
    counts = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(counts, places, np.concatenate([count for _, count in pairs]))
    return distinct, counts


def _ranked_block(numbers: Ids) -> Ranked:
    distinct, first, ranks, counts = np.unique(
        numbers, return_index=True, return_inverse=True, return_counts=True
    )
    numbers[:] = ranks
    return Ranked(distinct, first, counts)
