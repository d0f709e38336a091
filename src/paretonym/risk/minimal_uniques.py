"""Minimal sample uniques and SUDA2 scores: which columns, alone or a few together, make rows unique."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Codes, Integers
from paretonym.counts import Persons, kernel_interface, kernel_library
from paretonym.errors import Field, InputError
from paretonym.factorize import distinct_rows, group_sums
from paretonym.thread_pool import in_parallel, workers

Members: TypeAlias = tuple[int, ...]
Bits: TypeAlias = npt.NDArray[np.uint8]

# The size up to which minimal sample uniques are searched, unless another is asked for.
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
    counts: Mapping[Members, int]
    per_tuple: tuple[Integers, ...]

    def weight(self, members: int) -> int:
        """What an MSU of that many columns adds to the SUDA2 score of its row: Π (s − i) for i from its size
        to the largest size; the fewer columns, the more.

        >>> [MinimalUniques(4, 3, {}, ()).weight(m) for m in (1, 2, 3)]
        [6, 2, 1]
        """
        return prod(self.columns - i for i in range(members, self.size + 1))

    @property
    def scores(self) -> Integers:
        """The SUDA2 score of each tuple; 0 if it has no MSU."""
        sums = np.zeros(len(self.per_tuple[0]) if self.per_tuple else 0, dtype=np.int64)
        for members, counts in enumerate(self.per_tuple, 1):
            sums += self.weight(members) * counts
        return sums

    @property
    def total(self) -> int:
        """The sum of all scores."""
        return sum(self.weight(len(members)) * count for members, count in self.counts.items())

    def of_column(self, column: int) -> int:
        """The part of all scores that comes from MSUs with a column. An MSU counts for each of its columns,
        so these parts add up to more than the total."""
        return sum(
            self.weight(len(members)) * count for members, count in self.counts.items() if column in members
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
    """The largest size of MSUs: as asked for, or the usual one, but fewer than there are columns."""
    largest = columns - 1
    if size is None:
        return min(USUAL_SIZE, largest)
    if not isinstance(size, int):
        raise InputError.of(
            Field("size"),
            f"'{size}' is not a whole number",
            "give a number of columns, such as 3",
        )
    if not 1 <= size <= largest:
        wrong = (
            "there is one quasi-identifier, and a combination has fewer"
            if columns == 1
            else f"there are {columns:,} quasi-identifiers, and a combination has fewer"
        )
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
    unique_before = np.zeros((0, (tuples + 7) // 8), dtype=np.uint8)
    places: dict[Members, int] = {(): 0}
    counted: dict[Members, int] = {}
    per_tuple = []
    with workers(threads) as pool:
        for members in range(1, size + 1):
            subsets = list(combinations(range(columns), members))
            level = _Level.of(codes, counts, subsets, places, unique_before, persons)
            numbers, by_tuple = (
                np.zeros(len(level.subsets), dtype=np.int64),
                np.zeros(tuples, dtype=np.int64),
            )
            unique = np.zeros(
                (len(level.subsets) if members < size else 0, unique_before.shape[1]), dtype=np.uint8
            )
            for batch, (bits, uniques, rows) in in_parallel(level.count, level.batches(), pool, threads):
                numbers[batch] = uniques
                by_tuple += rows
                if members < size:
                    unique[batch] = bits
            counted |= {s: int(n) for s, n in zip(level.subsets, numbers, strict=True) if n}
            per_tuple.append(by_tuple)
            unique_before, places = unique, {subset: i for i, subset in enumerate(level.subsets)}
    return MinimalUniques(columns, size, counted, tuple(per_tuple))


def _check_cost(columns: int, tuples: int, size: int) -> None:
    subsets = sum(comb(columns, members) for members in range(1, size + 1))
    bytes_needed = max((comb(columns, members) for members in range(1, size)), default=0) * (tuples // 8 + 1)
    if subsets > MOST_SUBSETS or bytes_needed > MOST_MEMORY:
        raise InputError.of(
            Field("size", size),
            f"{columns} quasi-identifiers have {subsets:,} combinations of at most {size}, too many to count",
            f"give {Field('size', size - 1)} or less",
        )


@dataclass(frozen=True, eq=False)
class _Level:
    """Subsets of one size: their columns, and the places of their subsets among the smaller ones, whose
    unique tuples are `known`."""

    codes: Codes
    counts: Integers
    subsets: Sequence[Members]
    parents: Integers
    known: Bits
    persons: Persons | None = None

    @classmethod
    def of(
        cls,
        codes: Codes,
        counts: Integers,
        subsets: Sequence[Members],
        places: Mapping[Members, int],
        known: Bits,
        persons: Persons | None,
    ) -> _Level:
        smaller = [[places[s[:i] + s[i + 1 :]] for i in range(len(s))] for s in subsets]
        return cls(codes, counts, subsets, np.array(smaller, dtype=np.int64), known, persons)

    def batches(self) -> Iterator[slice]:
        return (slice(i, min(i + BATCH, len(self.subsets))) for i in range(0, len(self.subsets), BATCH))

    def count(self, batch: slice) -> tuple[Bits, Integers, Integers]:
        """For some subsets: the unique tuples as bits, the number of minimal ones, and how often each tuple
        is one of these."""
        members, parents = np.array(self.subsets[batch], dtype=np.int64), self.parents[batch]
        if self.persons is not None:
            return _count_plainly(self, members, parents)
        unique = np.zeros((len(members), self.known.shape[1]), dtype=np.uint8)
        numbers, rows = np.zeros(len(members), dtype=np.int64), np.zeros(len(self.counts), dtype=np.int64)
        columns, tuples = self.codes.shape
        table = kernel_interface.Table.for_classes(tuples)
        kernel_library.call(
            "minimal_uniques", tuples, columns, self.codes, self.counts, members.shape[1], len(members),
            members, parents, self.known.shape[1], len(self.known), self.known, table,
            np.zeros(tuples, dtype=np.uint8), unique, numbers, rows,
        )  # fmt: skip
        return unique, numbers, rows


def _count_plainly(level: _Level, members: Integers, parents: Integers) -> tuple[Bits, Integers, Integers]:
    """The twin of the kernel, and what counts persons: every subset by itself, no tuple left out."""
    unique_before, tuples = level.known, level.codes.shape[1]
    unique, numbers, rows = [], [], np.zeros(tuples, dtype=np.int64)
    for subset, smaller in zip(members, parents, strict=True):
        alone = class_sizes(level.codes[subset], level.counts, level.persons) == 1
        before = (
            np.bitwise_or.reduce(unique_before[smaller], axis=0)
            if len(unique_before)
            else unique_before.sum(axis=0)
        )
        is_known = np.unpackbits(before.astype(np.uint8), count=tuples, bitorder="little").astype(np.bool_)
        numbers.append(int((alone & ~is_known).sum()))
        rows += alone & ~is_known
        unique.append(np.packbits(alone, bitorder="little"))
    return np.array(unique), np.array(numbers, dtype=np.int64), rows


def class_sizes(codes: Codes, counts: Integers, persons: Persons | None = None) -> Integers:
    """For every tuple, the number of rows that have the same values in these columns, which may be none; or
    of different persons, if a person may have several tuples."""
    if not len(codes):
        return np.full(len(counts), counts.sum() if persons is None else persons.number)
    _, places, _ = distinct_rows(list(codes), [int(column.max()) + 1 for column in codes])
    if persons is not None:
        return persons.in_classes(places, int(places.max()) + 1)[places]
    return group_sums(places, counts)[places]
