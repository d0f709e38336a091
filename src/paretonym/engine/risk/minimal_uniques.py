"""Minimal sample uniques and SUDA2 scores: which columns, alone or a few together, make rows unique."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Codes, Integers
from paretonym.base.errors import Field, InputError
from paretonym.base.factorize import distinct_rows, group_sums
from paretonym.base.thread_pool import in_parallel, workers
from paretonym.engine.counts import Persons, kernel_interface, kernel_library

Subset: TypeAlias = tuple[int, ...]
Bits: TypeAlias = npt.NDArray[np.uint8]

# The largest size of minimal sample uniques, unless another is given.
USUAL_SIZE = 3
# Subsets that one call of the kernel counts.
BATCH = 16
MOST_SUBSETS = 1_000_000
# Bytes for remembering which tuples are unique on which subset.
MOST_MEMORY = 1 << 30


@dataclass(frozen=True, eq=False)
class MinimalUniques:
    """The minimal sample uniques (MSUs) of a table up to a size: subsets of columns on which a row is unique,
    and on no proper subset of which it is.

    `counts` says for how many rows a subset is one; subsets without any are left out. `per_tuple[m - 1]`
    holds for each distinct tuple the number of its MSUs of m columns.
    """

    columns: int
    size: int
    counts: Mapping[Subset, int]
    per_tuple: tuple[Integers, ...]

    def weight(self, width: int) -> int:
        """The part of a row's SUDA2 score that comes from an MSU of so many columns: Π (s − i) for i from
        this number to the largest size; the fewer columns, the more.

        >>> [MinimalUniques(4, 3, {}, ()).weight(m) for m in (1, 2, 3)]
        [6, 2, 1]
        """
        return prod(self.columns - i for i in range(width, self.size + 1))

    @property
    def scores(self) -> Integers:
        """The SUDA2 score of each tuple; 0 if it has no MSU."""
        sums = np.zeros(len(self.per_tuple[0]) if self.per_tuple else 0, dtype=np.int64)
        for width, counts in enumerate(self.per_tuple, 1):
            sums += self.weight(width) * counts
        return sums

    @property
    def total(self) -> int:
        """The sum of all scores."""
        return sum(self.weight(len(subset)) * count for subset, count in self.counts.items())

    def of_column(self, column: int) -> int:
        """The part of all scores that comes from MSUs with a column. An MSU counts for each of its columns,
        so these parts add up to more than the total."""
        return sum(
            self.weight(len(subset)) * count for subset, count in self.counts.items() if column in subset
        )

    def rows_by_smallest(self) -> tuple[int, ...]:
        """For each size, the number of rows whose smallest MSU has that many columns."""
        numbers, seen = [], np.zeros(len(self.per_tuple[0]) if self.per_tuple else 0, dtype=np.bool_)
        for counts in self.per_tuple:
            new = (counts > 0) & ~seen
            numbers.append(int(new.sum()))
            seen |= new
        return tuple(numbers)


def checked_size(size: int | None, columns: int) -> int:
    """The largest size of MSUs to count, by default the usual one: always less than the number of columns."""
    largest = columns - 1
    if size is None:
        return min(USUAL_SIZE, largest)
    if not isinstance(size, int):
        raise InputError.of(
            Field("size"), f"'{size}' is not a whole number", "give a number of columns, such as 3"
        )
    if not 1 <= size <= largest:
        number = "is one quasi-identifier" if columns == 1 else f"are {columns:,} quasi-identifiers"
        wrong = f"there {number}, and a combination has fewer"
        remedy = f"give a number from 1 to {largest}" if largest > 0 else "omit it"
        raise InputError.of(Field("size", size), wrong, remedy)
    return size


def minimal_uniques(
    codes: Codes, counts: Integers, size: int, threads: int = 1, persons: Persons | None = None
) -> MinimalUniques:
    """All minimal sample uniques of at most `size` columns. `codes` holds a row for each column, with the
    value of every distinct tuple; `counts` how many rows have the tuple. If rows of one person have different
    tuples, `persons` says whose they are: a tuple is unique on a subset if nobody else has the same values
    there, however many tuples of the same person do.

    A tuple that is unique on a subset is equal to no other one on any larger subset, so it is left out
    there: nothing is missed, and the larger subsets compare fewer tuples.

    Cost: one pass over the tuples for each subset of at most `size` columns.

    Reference: Manning, Haglin and Keane 2008, A recursive search algorithm for statistical disclosure
    assessment (SUDA2); Elliot, Manning and Ford 2002 (scores).
    """
    columns, tuples = codes.shape
    _check_cost(columns, tuples, size)
    # On the empty subset, from which all others grow, no tuple counts as unique.
    unique = np.zeros((1, (tuples + 7) // 8), dtype=np.uint8)
    places: dict[Subset, int] = {(): 0}
    minimal: dict[Subset, int] = {}
    per_tuple = []
    with workers(threads) as pool:
        for width in range(1, size + 1):
            subsets = list(combinations(range(columns), width))
            parents = [[places[s[:i] + s[i + 1 :]] for i in range(width)] for s in subsets]
            level = _Level(codes, counts, subsets, np.array(parents, dtype=np.int64), unique, persons)
            numbers, of_tuples = np.zeros(len(subsets), dtype=np.int64), np.zeros(tuples, dtype=np.int64)
            # No larger subsets ask on which of the largest a tuple is unique.
            unique = np.zeros((len(subsets) if width < size else 0, unique.shape[1]), dtype=np.uint8)
            for batch, (bits, uniques, rows) in in_parallel(level.count, level.batches(), pool, threads):
                numbers[batch] = uniques
                of_tuples += rows
                if width < size:
                    unique[batch] = bits
            minimal |= {s: int(n) for s, n in zip(subsets, numbers, strict=True) if n}
            per_tuple.append(of_tuples)
            places = {subset: place for place, subset in enumerate(subsets)}
    return MinimalUniques(columns, size, minimal, tuple(per_tuple))


def _check_cost(columns: int, tuples: int, size: int) -> None:
    numbers = [comb(columns, width) for width in range(1, size + 1)]
    subsets, bytes_needed = sum(numbers), max(numbers[:-1], default=0) * (tuples // 8 + 1)
    if subsets > MOST_SUBSETS or bytes_needed > MOST_MEMORY:
        raise InputError.of(
            Field("size", size),
            f"{columns} quasi-identifiers have {subsets:,} combinations of at most {size}, too many to count",
            f"give {Field('size', size - 1)} or less",
        )


@dataclass(frozen=True, eq=False)
class _Level:
    """The subsets of one size. Each row of `parents` holds the places of the subsets that have one column
    less, and `unique_before`, for all of these, the tuples that are unique on them, as bits."""

    codes: Codes
    counts: Integers
    subsets: Sequence[Subset]
    parents: Integers
    unique_before: Bits
    persons: Persons | None = None

    def batches(self) -> Iterator[slice]:
        return (slice(i, min(i + BATCH, len(self.subsets))) for i in range(0, len(self.subsets), BATCH))

    def count(self, batch: slice) -> tuple[Bits, Integers, Integers]:
        """For some subsets: the unique tuples as bits, and the number of those that are minimal; and for each
        tuple, on how many of the subsets it is one of these."""
        if self.persons is not None:
            return _count_plainly(self, batch)
        subsets, bytes_each = np.array(self.subsets[batch], dtype=np.int64), self.unique_before.shape[1]
        unique = np.zeros((len(subsets), bytes_each), dtype=np.uint8)
        numbers, rows = np.zeros(len(subsets), dtype=np.int64), np.zeros(len(self.counts), dtype=np.int64)
        columns, tuples = self.codes.shape
        table = kernel_interface.Table.for_classes(tuples)
        kernel_library.call(
            "minimal_uniques", tuples, columns, self.codes, self.counts, subsets.shape[1], len(subsets),
            subsets, self.parents[batch], bytes_each, len(self.unique_before), self.unique_before, table,
            np.zeros(tuples, dtype=np.uint8), unique, numbers, rows,
        )  # fmt: skip
        return unique, numbers, rows


def _count_plainly(level: _Level, batch: slice) -> tuple[Bits, Integers, Integers]:
    """Count as the kernel does, and persons too: every subset by itself, no tuple left out."""
    tuples = level.codes.shape[1]
    unique, numbers, rows = [], [], np.zeros(tuples, dtype=np.int64)
    for subset, parents in zip(level.subsets[batch], level.parents[batch], strict=True):
        alone = class_sizes(level.codes[list(subset)], level.counts, level.persons) == 1
        before = np.bitwise_or.reduce(level.unique_before[parents], axis=0)
        minimal = alone & ~np.unpackbits(before, count=tuples, bitorder="little").astype(np.bool_)
        numbers.append(int(minimal.sum()))
        rows += minimal
        unique.append(np.packbits(alone, bitorder="little"))
    return np.array(unique), np.array(numbers, dtype=np.int64), rows


def class_sizes(codes: Codes, counts: Integers, persons: Persons | None = None) -> Integers:
    """For every tuple, the number of rows with the same values in these columns, all rows if there are no
    columns; or the number of different persons, if a person may have several tuples."""
    if not len(codes):
        return np.full(len(counts), counts.sum() if persons is None else persons.number)
    _, places, _ = distinct_rows(list(codes), [int(column.max()) + 1 for column in codes])
    if persons is not None:
        return persons.in_classes(places, int(places.max()) + 1)[places]
    return group_sums(places, counts)[places]
