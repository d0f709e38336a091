"""The table that a reader of a release reconstructs, beside the original: shares of single columns, tables of
two columns, and how far apart they are.

Every row of a region is spread evenly over the values that it shows. Columns with more than `MOST_GROUPS`
values are taken at the finest level with no more groups; a sensitive column with more values keeps its most
frequent ones, and the rest is one group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from threading import Lock
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.engine.counts import Axis, Cube, Margin
from paretonym.engine.measures.estimates.released_regions import Seen, shown_leaves, true_regions

MOST_GROUPS = 50
_BLOCK = 1 << 15


class AnalystColumn(NamedTuple):
    """A column as an analyst tabulates it. `place` is where its groups begin among those of all columns;
    `sensitive` columns are never tabulated with one another: a release is counted for each of them alone."""

    name: str
    labels: tuple[str, ...]
    place: int
    sensitive: bool
    level: int = 0

    @property
    def groups(self) -> slice:
        return slice(self.place, self.place + len(self.labels))


@dataclass(frozen=True, eq=False)
class Spread:
    """Regions with their rows. Axis j of region r shows the leaves from `low[j, r]` up to but excluding
    `high[j, r]`; `cells` counts the values of each sensitive column, then of each class column."""

    low: Integers
    high: Integers
    rows: Floats
    cells: tuple[Floats, ...]


@dataclass(frozen=True, eq=False)
class ReaderTable:
    """Rows by group, for every pair of columns: `joint[a, b]` rows are in group a of one column and in group
    b of another; `joint[a, a]` rows in group a at all."""

    columns: tuple[AnalystColumn, ...]
    joint: Floats

    @classmethod
    def of(cls, seen: Seen) -> ReaderTable:
        """The table that a reader of a release reconstructs."""
        return cls._counted(seen.cube.of_values, released_spread(seen))

    @classmethod
    def original(cls, cube: Cube) -> ReaderTable:
        """The table itself, counted once."""
        cube = cube.of_values
        with _lock:
            if cube not in _known:
                _known[cube] = cls._counted(cube, unchanged_spread(cube))
            return _known[cube]

    @classmethod
    def _counted(cls, cube: Cube, spread: Spread) -> ReaderTable:
        columns = analyst_columns(cube)
        width = columns[-1].groups.stop if columns else 0
        joint, single = np.zeros((width, width)), np.zeros(width)
        for shares, rows in shares_of(cube, spread):
            weighted = shares * rows[:, None]
            joint += weighted.T @ shares
            single += weighted.sum(axis=0)
        np.fill_diagonal(joint, single)
        return cls(columns, joint)

    @property
    def pairs(self) -> Iterator[tuple[AnalystColumn, AnalystColumn]]:
        """The columns that can be tabulated with one another."""
        return ((a, b) for a, b in combinations(self.columns, 2) if not (a.sensitive and b.sensitive))

    def shares(self, column: AnalystColumn) -> Floats:
        """The share of each group among the rows; nothing if there are no rows."""
        counts = np.diagonal(self.joint)[column.groups]
        return np.asarray(counts / max(counts.sum(), 1e-300))

    def table(self, first: AnalystColumn, second: AnalystColumn) -> Floats:
        """The shares of all combinations of the groups of two columns."""
        counts = self.joint[first.groups, second.groups]
        return np.asarray(counts / max(counts.sum(), 1e-300))

    def association(self, first: AnalystColumn, second: AnalystColumn) -> float:
        """Cramér's V: 0 if the columns are independent, 1 if one determines the other."""
        shares = self.table(first, second)
        own, other = shares.sum(axis=1), shares.sum(axis=0)
        shares = shares[own > 0][:, other > 0]
        least = min(shares.shape, default=0) - 1
        if least < 1:
            return 0.0
        expected = np.outer(own[own > 0], other[other > 0])
        return float(np.sqrt(min(1.0, max(0.0, float(((shares - expected) ** 2 / expected).sum() / least)))))

    @cached_property
    def associations(self) -> Floats:
        """The association of each pair."""
        return np.array([self.association(a, b) for a, b in self.pairs])

    def marginal_error(self, other: ReaderTable) -> float:
        """Error of the shares of another table, on average over the columns."""
        errors = [np.abs(self.shares(column) - other.shares(column)).sum() / 2 for column in self.columns]
        return float(np.mean(errors)) if errors else 0.0

    def association_error(self, other: ReaderTable) -> float:
        """Error of the associations of another table, on average over the pairs."""
        errors = np.abs(self.associations - other.associations)
        return float(errors.mean()) if len(errors) else 0.0

    def propensity_error(self, other: ReaderTable) -> float:
        """The propensity mean squared error of this table and another one, on average over the pairs."""
        errors = [_distinguished(self.table(a, b), other.table(a, b)) for a, b in self.pairs]
        return float(np.mean(errors)) if errors else 0.0


_known: WeakKeyDictionary[Cube, ReaderTable] = WeakKeyDictionary()
_lock = Lock()


# --- columns -----------------------------------------------------------------------------------------------


def analyst_columns(cube: Cube) -> tuple[AnalystColumn, ...]:
    """The quasi-identifiers, then the sensitive columns."""
    found: list[AnalystColumn] = []
    place = 0
    for axis in cube.of_values.axes:
        level = analyst_level(axis)
        labels = axis.hierarchy.levels[level].labels
        found.append(AnalystColumn(axis.name, labels, place, False, level))
        place += len(found[-1].labels)
    for margin in cube.sensitive:
        found.append(AnalystColumn(margin.name, _labels(margin), place, True))
        place += len(found[-1].labels)
    return tuple(found)


def analyst_level(axis: Axis) -> int:
    """The finest level that was counted and has few enough groups."""
    levels = range(axis.lowest, axis.hierarchy.height + 1)
    return next(level for level in levels if axis.groups(level) <= MOST_GROUPS)


def _frequent(margin: Margin) -> Integers:
    """The values that have a group of their own, in the order of the column."""
    if len(margin.labels) <= MOST_GROUPS:
        return np.arange(len(margin.labels))
    totals = margin.by_rows.totals
    return np.sort(np.argsort(-totals, kind="stable")[: MOST_GROUPS - 1])


def _labels(margin: Margin) -> tuple[str, ...]:
    some = _frequent(margin).tolist()
    rest = () if len(some) == len(margin.labels) else ("all others",)
    return (*(margin.labels[place] for place in some), *rest)


# --- regions -----------------------------------------------------------------------------------------------


def _margins(cube: Cube) -> list[Margin]:
    return [margin.by_rows for margin in (*cube.sensitive, *cube.classes)]


def unchanged_spread(cube: Cube) -> Spread:
    """The original: every tuple as it is."""
    return _tuples(cube.of_values)


def _tuples(cube: Cube) -> Spread:
    own = np.arange(cube.tuples)
    cells = (margin.cells(own, cube.tuples).astype(np.float64) for margin in _margins(cube))
    found = true_regions(cube, [np.zeros((cube.tuples, 0))])
    return Spread(found.low, found.high, cube.counts.astype(np.float64), tuple(cells))


def released_spread(seen: Seen) -> Spread:
    """The classes that stay. In buckets every tuple is shown unchanged, with the values of its bucket."""
    classes, cube = seen.classes, seen.cube
    if classes.buckets is not None:
        same = _tuples(cube)
        guesses = tuple(classes.buckets.guesses)
        return Spread(same.low, same.high, same.rows, (*guesses, *same.cells[len(guesses) :]))
    low, high = shown_leaves(seen)
    every = (margin.cells(classes.of_tuple, len(classes)) for margin in _margins(cube))
    cells = tuple(each[seen.stays].astype(np.float64) for each in every)
    return Spread(low, high, classes.rows[seen.stays].astype(np.float64), cells)


def shares_of(cube: Cube, spread: Spread) -> Iterator[tuple[Floats, Floats]]:
    """Block by block: the share of each region in each group of each column, and the rows of the regions."""
    for start in range(0, len(spread.rows), _BLOCK):
        part = slice(start, start + _BLOCK)
        pairs = zip(cube.sensitive, spread.cells, strict=False)
        values = [_value_shares(margin, cells[part]) for margin, cells in pairs]
        yield np.concatenate([*_overlaps(cube, spread, part), *values], axis=1), spread.rows[part]


def quasi_shares(cube: Cube, spread: Spread) -> Floats:
    """The share of each region in each group of each quasi-identifier."""
    return np.concatenate(_overlaps(cube, spread, slice(None)), axis=1)


def _overlaps(cube: Cube, spread: Spread, part: slice) -> list[Floats]:
    axes = enumerate(cube.of_values.axes)
    return [_overlap(axis, spread.low[j, part], spread.high[j, part]) for j, axis in axes]


def _overlap(axis: Axis, low: Integers, high: Integers) -> Floats:
    """Which share of the leaves of each region lies in each group of the analyst's level."""
    level, domain = axis.hierarchy.levels[analyst_level(axis)], axis.hierarchy.domain
    numbers = np.arange(len(level.labels))
    first = np.searchsorted(level.groups[:domain], numbers)
    after = np.searchsorted(level.groups[:domain], numbers, side="right")
    common = np.minimum(high[:, None], after[None]) - np.maximum(low[:, None], first[None])
    return np.asarray(np.maximum(common, 0) / np.maximum(high - low, 1)[:, None])


def _value_shares(margin: Margin, cells: Floats) -> Floats:
    some = _frequent(margin)
    chosen = cells[:, some]
    if len(some) < len(margin.labels):
        chosen = np.concatenate([chosen, (cells.sum(axis=1) - chosen.sum(axis=1))[:, None]], axis=1)
    return np.asarray(chosen / np.maximum(cells.sum(axis=1), 1e-300)[:, None])


# --- measures ----------------------------------------------------------------------------------------------


def marginal_error(seen: Seen, _columns: Sequence[str], _parameters: Mapping[str, Any]) -> float:
    """Error of the shares of single values, on average over the columns.

    Formula: the mean over quasi-identifiers and sensitive columns of ½ Σ |true share − estimated share|, over
    values, or over groups at the finest level with at most 50.

    Cost: classes × groups of all columns.

    Misleads about relations: every column may be right where no combination is.

    Reference: total variation distance of the one-way tables; Raab, Nowok & Dibben 2021.

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> table = pa.table({"age": ["20", "20", "20", "21"]})
    >>> study = Study(table, schema={"columns": {"age": {"role": "quasi", "hierarchy": {"flat": True}}}})
    >>> [solution.values["marginal-error"] for solution in study.explore("k", "marginal-error", suppress=0)]
    [0.25, 0.0]
    """
    return ReaderTable.original(seen.cube).marginal_error(ReaderTable.of(seen))


def association_error(seen: Seen, _columns: Sequence[str], _parameters: Mapping[str, Any]) -> float:
    """Error of the associations of pairs of columns, on average over the pairs.

    Formula: the mean over pairs of |V(original) − V(estimated)|, V Cramér's coefficient of the two-way table.
    Two sensitive columns are no pair: a release is counted for each of them alone.

    Cost: classes × groups².

    Misleads about direction: V does not say which values go together.

    Reference: Cramér 1946; Raab, Nowok & Dibben 2021 on two-way tables.

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> table = pa.table({"age": ["20", "20", "21", "21"], "job": ["a", "a", "b", "b"]})
    >>> flat = {"role": "quasi", "hierarchy": {"flat": True}}
    >>> study = Study(table, schema={"columns": {"age": flat, "job": flat}})
    >>> front = study.explore("k", "association-error", suppress=0)
    >>> [solution.values["association-error"] for solution in front]
    [1.0, 0.0]
    """
    return ReaderTable.original(seen.cube).association_error(ReaderTable.of(seen))


def propensity_error(seen: Seen, _columns: Sequence[str], _parameters: Mapping[str, Any]) -> float:
    """Distinguishability of original rows and reconstructed rows by two columns: the propensity mean
    squared error (pMSE), on average over the pairs.

    Formula: the mean over pairs of Σ over cells of (p + q)/2 · (p/(p + q) − ½)², p and q the shares of the
    cell in the original and in what a reader reconstructs: 0 if they cannot be distinguished, ¼ at most.

    Cost: classes × groups².

    Misleads about more than two columns at a time, which it does not see.

    Reference: Woo, Reiter, Oganian & Karr 2009; Raab, Nowok & Dibben 2021 (from two-way tables).

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> table = pa.table({"age": ["20", "20", "21", "21"], "job": ["a", "a", "b", "b"]})
    >>> flat = {"role": "quasi", "hierarchy": {"flat": True}}
    >>> study = Study(table, schema={"columns": {"age": flat, "job": flat}})
    >>> front = study.explore("k", "pmse", suppress=0)
    >>> [solution.values["pmse"] for solution in front]
    [0.08333333333, 0.0]
    """
    return ReaderTable.original(seen.cube).propensity_error(ReaderTable.of(seen))


def _distinguished(p: Floats, q: Floats) -> float:
    both = p + q
    some = both > 0
    return float((both[some] / 2 * (p[some] / both[some] - 0.5) ** 2).sum())
