"""Distinct rows of integer columns: rows as numbers, numbers ranked and counted, block by block, so that
memory stays near that of the rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Integers

Ids: TypeAlias = Integers
Columns: TypeAlias = Sequence[npt.NDArray[np.integer]]

# Rows that are sorted together; sorting all at once would need several times their memory.
BLOCK = 1 << 19
# Columns are combined into one number as long as it stays below this.
WORD = 1 << 62
# More rows than any table has.
ROWS = 1 << 40


class Ranked(NamedTuple):
    """The distinct numbers in ascending order, where each occurs first, and how often."""

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
    distinct = _sorted_distinct(np.concatenate([block.distinct for block in blocks]))
    first, counts = np.empty(len(distinct), dtype=np.int64), np.zeros(len(distinct), dtype=np.int64)
    # From the last block to the first, so that the earliest place stays.
    for start, block in zip(reversed(starts), reversed(blocks), strict=True):
        places = np.searchsorted(distinct, block.distinct)
        numbers[start : start + BLOCK] = places[numbers[start : start + BLOCK]]
        first[places] = block.first + start
        counts[places] += block.counts
    return Ranked(distinct, first, counts)


def counted(blocks: Iterable[Ids]) -> tuple[Ids, Ids]:
    """The distinct numbers of all blocks in ascending order, and how often each occurs.

    >>> counted([np.array([3, 1]), np.array([3])])
    (array([1, 3]), array([1, 2]))
    """
    pairs = [np.unique(block, return_counts=True) for block in blocks]
    distinct, places = np.unique(np.concatenate([numbers for numbers, _ in pairs]), return_inverse=True)
    return distinct, group_sums(places, np.concatenate([count for _, count in pairs]), len(distinct))


def _sorted_distinct(numbers: Ids) -> Ids:
    """The distinct numbers in rising order, sorted in place: numpy's own way hashes first, which takes
    several times as long."""
    numbers.sort()
    return numbers[run_starts([numbers])]


def _ranked_block(numbers: Ids) -> Ranked:
    distinct, first, ranks, counts = np.unique(
        numbers, return_index=True, return_inverse=True, return_counts=True
    )
    numbers[:] = ranks
    return Ranked(distinct, first, counts)


def distinct_rows(columns: Columns, sizes: Sequence[int]) -> tuple[Ids, Ids, Integers]:
    """The distinct rows of several columns, sorted: a row that has each, each row's place, and the counts.

    Column j holds numbers below `sizes[j]`.
    """
    ids = _row_numbers(columns, sizes)
    ranked = rank(ids)
    return ranked.first, ids, ranked.counts


def summed_rows(columns: Columns, sizes: Sequence[int], weights: Integers) -> tuple[Ids, Integers]:
    """The distinct rows of several columns, sorted: a row that has each, and the sum of its weights. For rows
    of which few are equal, half the time of `distinct_rows`.

    >>> summed_rows([np.array([1, 0, 1])], [2], np.array([5, 1, 2]))
    (array([1, 0]), array([1, 7]))
    """
    ids = _row_numbers(columns, sizes)
    order = np.argsort(ids, kind="stable")
    first = run_starts([ids[order]])
    return order[first], np.add.reduceat(weights[order], first) if len(first) else weights


def _row_numbers(columns: Columns, sizes: Sequence[int]) -> Ids:
    """A number for each row, in the order of rows. Where the next column would no longer fit into a machine
    word, the numbers so far are replaced by their ranks and the next columns go on from there."""
    ids, space = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column, size in zip(columns, sizes, strict=True):
        if space * size >= WORD:
            space = len(rank(ids).distinct)
        ids *= size
        ids += column
        space *= size
    return ids


def summed(numbers: Ids, weights: Integers) -> tuple[Ids, Integers]:
    """The distinct numbers in ascending order, and the sum of the weights of each.

    >>> summed(np.array([3, 1, 3]), np.array([5, 1, 2]))
    (array([1, 3]), array([1, 7]))
    """
    if (numbers[1:] < numbers[:-1]).any():
        order = np.argsort(numbers, kind="stable")
        numbers, weights = numbers[order], weights[order]
    first = run_starts([numbers])
    return numbers[first], np.add.reduceat(weights, first) if len(first) else weights


def group_sums(groups: npt.NDArray[np.integer], numbers: npt.ArrayLike, length: int = 0) -> Integers:
    """The sum of the numbers of each group; exact, as long as sums are below 2**53.

    >>> group_sums(np.array([2, 0, 2]), np.array([5, 1, 2]), 4)
    array([1, 0, 7, 0])
    """
    return np.rint(np.bincount(groups, numbers, length)).astype(np.int64)


def starts_of(lengths: npt.ArrayLike) -> Integers:
    """Where stretches of these lengths begin, one behind the other, and last where they end.

    >>> starts_of([2, 0, 3])
    array([0, 2, 2, 5])
    """
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def run_starts(columns: Columns) -> Ids:
    """Where rows begin that differ from the row before them.

    >>> run_starts([np.array([1, 1, 2]), np.array([0, 1, 1])])
    array([0, 1, 2])
    """
    differs = np.zeros(len(columns[0]), dtype=np.bool_)
    differs[:1] = True
    for column in columns:
        differs[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(differs)
