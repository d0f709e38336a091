"""Rows as declared analyses read them, in the original and in a release alike: every row is spread evenly
over the values that it shows. Values are taken as the schema codes them (`90+` is 90); rows without a value
in a column of the analysis are left out."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.base.errors import Field, InputError
from paretonym.base.factorize import summed_rows
from paretonym.engine.counts import AnalysedColumn, AnalysedRows
from paretonym.engine.measures.estimates.released_regions import Seen
from paretonym.engine.recoding import ShownSets

# Combinations that are counted in one table, besides those that there are rows.
_MOST_CELLS = 1 << 16


class ReadRows(NamedTuple):
    """`weights[i]` rows have the value `codes[c][i]` in column c, of which there are `sizes[c]`; `numbers[c]`
    are these values as numbers, if they are. The columns `hidden` are not shown at all."""

    codes: tuple[Integers, ...]
    weights: Floats
    sizes: tuple[int, ...]
    numbers: tuple[Floats | None, ...]
    hidden: frozenset[str] = frozenset()

    @property
    def digest(self) -> bytes:
        """A digest that rows with the same content in the same order share, and no others."""
        result = hashlib.blake2b(repr(sorted(self.hidden)).encode(), digest_size=16)
        for array in (*self.codes, self.weights, *(n for n in self.numbers if n is not None)):
            result.update(f"{array.shape};".encode())
            result.update(np.ascontiguousarray(array).tobytes())
        return result.digest()


def original_rows(rows: AnalysedRows) -> ReadRows:
    """The rows of the table."""
    valued = rows.valued
    codes = [codes[valued] for codes in rows.codes]
    sizes = tuple(len(column.labels) for column in rows.columns)
    combined, weights = _summed(codes, sizes, rows.counts[valued].astype(np.float64))
    return ReadRows(combined, weights, sizes, tuple(column.numbers for column in rows.columns))


class SetsShown(NamedTuple):
    """Sets of one column: set s holds the values from `first[s]` up to but excluding `after[s]`, places in
    `values` if these are not in order. `of_entry` is the set of each entry, unless classes say it. `numbers`
    are those of the values and of what is shown in their place."""

    first: Integers
    after: Integers
    numbers: Floats | None
    size: int
    values: Integers | None = None
    of_entry: Integers | None = None


class PurposeReader:
    """Reader of what the releases of a table show of the rows of one analysis."""

    def __init__(self, rows: AnalysedRows) -> None:
        self.rows = rows
        self.axes = [column.axis for column in rows.columns]
        self._of_level: dict[tuple[int, int], SetsShown] = {}
        self._further = [
            None if column.axis is not None else _published(column, codes, sets)
            for column, codes, sets in zip(rows.columns, rows.codes, rows.sets, strict=True)
        ]

    def released(self, seen: Seen) -> ReadRows:
        """The rows of the classes that stay."""
        if seen.classes.buckets is not None and any(
            m.name in self.rows.analysis.used for m in seen.cube.sensitive
        ):
            raise InputError.of(
                Field("space"), "buckets mix sensitive values, so no declared analysis can use them",
                "use another space, or analyses without sensitive columns",
            )  # fmt: skip
        columns = [self._sets(seen, c) for c in range(len(self.axes))]
        sizes = [len(sets.first) for sets in columns]
        analysis = self.rows.analysis
        class_of, keys, counts = seen.classes.once(
            f"{analysis.purpose}: {analysis}", lambda: self._by_class(seen, columns)
        )
        combined, weights = _summed(keys, sizes, np.where(seen.stays[class_of], counts, 0))
        return spread_rows(self.rows.columns, columns, combined, weights)

    def _by_class(self, seen: Seen, columns: Sequence[SetsShown]) -> tuple[Integers, list[Integers], Floats]:
        """The combinations of sets in each class, whether or not it stays: their classes, the set of each
        column, and how many rows they are. What is shown of a quasi-identifier follows from the class."""
        codes, sizes = [seen.classes.of_tuple[self.rows.tuples]], [len(seen.classes)]
        for sets in columns:
            if sets.of_entry is not None:
                codes.append(sets.of_entry)
                sizes.append(len(sets.first))
        (classes, *shown), counts = _summed(codes, sizes, self.rows.counts)
        of_others = iter(shown)
        keys = [
            next(of_others) if axis is None else seen.classes.shown[:, axis][classes] for axis in self.axes
        ]
        return classes, keys, counts

    def _sets(self, seen: Seen, column: int) -> SetsShown:
        axis, described = self.axes[column], self.rows.columns[column]
        if axis is None:
            further = self._further[column]
            return further if further is not None else _published(described, self.rows.codes[column], None)
        sets = seen.classes.sets[axis]
        key = (column, -1 if sets.level is None else sets.level)
        if sets.level is None:
            return _of_sets(described, sets, seen.cube.axes[axis].hierarchy.domain)
        if key not in self._of_level:
            self._of_level[key] = _of_sets(described, sets, seen.cube.axes[axis].hierarchy.domain)
        return self._of_level[key]


def _of_sets(column: AnalysedColumn, sets: ShownSets, domain: int) -> SetsShown:
    """The values of a quasi-identifier that each set shows. A set as large as the domain is the whole domain,
    even if it replaces a value outside the hierarchy."""
    values = len(column.labels)
    whole = sets.sizes >= (domain if sets.domain is None else sets.domain)
    first = np.where(whole, 0, sets.first)
    after = np.minimum(np.where(whole, values, sets.after), values)
    if sets.numbers is None or column.numbers is None:
        return SetsShown(first, after, column.numbers, values)
    # A number in place of a set: a value if it is one, or else one of its own.
    order = np.argsort(column.numbers, kind="stable")
    place = order[np.minimum(np.searchsorted(column.numbers[order], sets.numbers), values - 1)]
    first = np.where(column.numbers[place] == sets.numbers, place, values + np.arange(len(sets.numbers)))
    numbers = np.concatenate([column.numbers, sets.numbers])
    return SetsShown(first, first + 1, numbers, len(numbers))


def _published(column: AnalysedColumn, codes: Integers, sets: Integers | None) -> SetsShown:
    """The values of any other column that each of its sets shows: itself alone, unless it is published
    coarser."""
    values = len(column.labels)
    if column.members is None or sets is None:
        every = np.arange(values)
        return SetsShown(every, every + 1, column.numbers, values, of_entry=codes)
    ends = np.cumsum([0, *map(len, column.members)])
    return SetsShown(ends[:-1], ends[1:], column.numbers, values, np.concatenate(column.members), sets)


def spread_rows(
    columns: Sequence[AnalysedColumn],
    shown: Sequence[SetsShown],
    sets: Sequence[Integers],
    weights: Floats,
) -> ReadRows:
    """Each combination of sets as rows of their values, equally many of each."""
    first = [s.first[chosen] for s, chosen in zip(shown, sets, strict=True)]
    widths = [s.after[chosen] - low for s, chosen, low in zip(shown, sets, first, strict=True)]
    volume = np.prod(np.stack(widths), axis=0)
    some = volume > 0
    first, widths, volume = [low[some] for low in first], [width[some] for width in widths], volume[some]
    sizes = tuple(s.size for s in shown)
    hidden = frozenset(
        column.name
        for column, width in zip(columns, widths, strict=True)
        if len(column.labels) > 1 and len(width) and width.min() == len(column.labels)
    )
    starts = np.cumsum(volume) - volume
    rest = np.arange(int(volume.sum())) - np.repeat(starts, volume)
    codes: list[Integers] = []
    for s, low, width in zip(shown[::-1], first[::-1], widths[::-1], strict=True):
        repeated = np.repeat(width, volume)
        place = np.repeat(low, volume) + rest % repeated
        codes.insert(0, place if s.values is None else s.values[place])
        rest //= repeated
    combined, total = _summed(codes, sizes, np.repeat(weights[some] / volume, volume))
    return ReadRows(combined, total, sizes, tuple(s.numbers for s in shown), hidden)


def _summed(
    codes: Sequence[Integers], sizes: Sequence[int], weights: Floats | Integers
) -> tuple[tuple[Integers, ...], Floats]:
    """The distinct combinations of codes that have a weight, in their order, with the sums of weights."""
    cells = 1
    for size in sizes:
        cells *= size
    if cells <= _MOST_CELLS + 4 * len(weights):
        totals = np.bincount(np.ravel_multi_index(tuple(codes), tuple(sizes)), weights, cells)
        places = np.flatnonzero(totals)
        return tuple(np.unravel_index(places, tuple(sizes))), np.asarray(totals[places], dtype=np.float64)
    first, sums = summed_rows(codes, sizes, np.asarray(weights))
    some = np.flatnonzero(sums)
    return tuple(column[first[some]] for column in codes), np.asarray(sums[some], dtype=np.float64)
