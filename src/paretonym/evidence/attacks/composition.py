"""Composition: how many rows of each kind can have which values, if every file shows what it shows.

Every row of a release belongs to somebody: the number of people of a class who have v equals the number of
its rows that show v. Such sums leave each number between two bounds, and bounds tighten one another until
nothing changes (the shuttle algorithm; Dobra and Fienberg 2000, "Bounds for cell entries in contingency
tables given marginal totals"). This covers the intersection of files, their difference and absence (Ganta,
Kasiviswanathan and Smith 2008). What the bounds exclude is impossible; what they leave need not be possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from paretonym.base.arrays import Integers, Mask
from paretonym.base.errors import InputError
from paretonym.evidence.attacks.people import Kinds
from paretonym.evidence.attacks.published_file import Published, Tally

NONE = -1
# For a person who fits more combinations of classes than this, the releases with the most are not used.
COMBINATIONS = 200
# More numbers than this are not examined together.
MOST_NUMBERS = 12_000_000
ROUNDS = 60


@dataclass(frozen=True, eq=False)
class Numbers:
    """Unknown numbers of rows, each with bounds: how many of the kind `kind` have `values` (a code for every
    column, -1 if no file shows it) and are in the rows `rows` of the tallies (-1: in none). Each number
    belongs to a sum of every family (`of`, `sums`): a row of each tally and all rows of its kind; where
    `loose`, rows that are not counted here may belong to it too. `consistent`: whether anything is left; if
    not, these releases do not come from the original."""

    kinds: Kinds
    columns: tuple[str, ...]
    tallies: tuple[Tally, ...]
    kind: Integers
    values: Integers
    rows: Integers
    of: tuple[Integers, ...]
    sums: tuple[Integers, ...]
    loose: tuple[Mask, ...]
    low: Integers
    high: Integers
    consistent: bool

    @property
    def possible(self) -> Mask:
        """The numbers that the bounds do not exclude."""
        return self.high > 0


def compose(releases: Sequence[Published], kinds: Kinds, columns: Sequence[str]) -> Numbers:
    """Bound every number, from all releases together."""
    tallies = tuple(tally for release in releases for tally in release.tallies)
    release_of = tuple(place for place, release in enumerate(releases) for _ in release.tallies)
    kind, classes, unused = _combinations(kinds)
    parts = []
    for pattern in np.unique(classes >= 0, axis=0):
        places = np.flatnonzero(((classes >= 0) == pattern).all(axis=1))
        used = [place for place, release in enumerate(release_of) if pattern[release]]
        parts.append(_joined(places, classes, tallies, release_of, used, columns))
    cell, values, rows = (np.concatenate(part) for part in zip(*parts, strict=True))
    open_rows = tuple(
        _rows_of(tally, unused[release]) for tally, release in zip(tallies, release_of, strict=True)
    )
    of = (*(rows[:, place] for place in range(len(tallies))), kind[cell])
    sums = (*(tally.n for tally in tallies), kinds.rows)
    loose = (*open_rows, np.zeros(len(kinds), dtype=np.bool_))
    low, high, consistent = bounds(of, sums, loose)
    if not consistent:
        # Nothing can be concluded from sums that contradict each other.
        low, high, _ = bounds(of, sums, loose, rounds=0)
    return Numbers(
        kinds, tuple(columns), tallies, kind[cell], values, rows, of, sums, loose, low, high, consistent
    )


def _combinations(kinds: Kinds) -> tuple[Integers, Integers, list[set[int]]]:
    """For each kind, every combination of classes, -1 if a release does not contain the row; and, by release,
    classes that are in no combination of rows that fit them."""
    owners: list[int] = []
    combinations: list[tuple[int, ...]] = []
    unused: list[set[int]] = [set() for _ in kinds.fitting[0]]
    for kind, fitting in enumerate(kinds.fitting):
        choices = [
            [*classes, NONE] if not classes or kinds.may_lack[kind, place] else list(classes)
            for place, classes in enumerate(fitting)
        ]
        number = 1
        for place in sorted(range(len(choices)), key=lambda place: len(choices[place])):
            number *= len(choices[place])
            if number > COMBINATIONS:
                number //= len(choices[place])
                unused[place].update(fitting[place])
                choices[place] = [NONE]
        combined = list(product(*choices))
        owners += [kind] * len(combined)
        combinations += combined
    return np.array(owners, dtype=np.int64), np.array(combinations, dtype=np.int64), unused


def _rows_of(tally: Tally, classes: set[int]) -> Mask:
    """The rows of a tally that belong to some classes."""
    groups = tally.group_of[sorted(classes)] if classes else np.empty(0, dtype=np.int64)
    return np.isin(tally.group, groups)


def _joined(
    here: Integers,
    classes: Integers,
    tallies: Sequence[Tally],
    release_of: Sequence[int],
    used: Sequence[int],
    columns: Sequence[str],
) -> tuple[Integers, Integers, Integers]:
    """Every combination of classes with the values that all used tallies have there: the natural join."""
    cell = here
    values = np.full((len(cell), len(columns)), NONE, dtype=np.int64)
    rows = np.full((len(cell), len(tallies)), NONE, dtype=np.int64)
    joined: set[str] = set()
    for place in used:
        tally = tallies[place]
        shared = [name for name in tally.columns if name in joined]
        of_first = [tally.columns.index(name) for name in shared]
        their = [columns.index(name) for name in shared]
        group = tally.group_of[classes[cell, release_of[place]]]
        left, right = numbered(
            np.column_stack([group, values[:, their]]),
            np.column_stack([tally.group, tally.cells[:, of_first]]),
        )
        which, row = paired(left, right)
        cell, values, rows = cell[which], values[which], rows[which]
        values[:, [columns.index(name) for name in tally.columns]] = tally.cells[row]
        rows[:, place] = row
        joined |= set(tally.columns)
    return cell, values, rows


def numbered(first: Integers, second: Integers) -> tuple[Integers, Integers]:
    """Number the rows of two arrays, equal ones alike."""
    both = np.concatenate([first, second])
    number = np.zeros(len(both), dtype=np.int64)
    for column in both.T:
        _, code = np.unique(column, return_inverse=True)
        _, number = np.unique(number * (int(code.max(initial=0)) + 1) + code, return_inverse=True)
    return number[: len(first)], number[len(first) :]


def paired(left: Integers, right: Integers) -> tuple[Integers, Integers]:
    """Every pair of places with equal numbers."""
    order = np.argsort(right, kind="stable")
    sorted_right = right[order]
    first = np.searchsorted(sorted_right, left)
    counts = np.searchsorted(sorted_right, left, side="right") - first
    total = int(counts.sum())
    if total > MOST_NUMBERS:
        raise InputError.of(
            "attack",
            f"these releases leave more than {MOST_NUMBERS:,} combinations to examine",
            "attack fewer of them at a time",
        )
    inner = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(np.arange(len(left)), counts), order[np.repeat(first, counts) + inner]


def bounds(
    of: Sequence[Integers],
    sums: Sequence[Integers],
    loose: Sequence[Mask],
    rounds: int = ROUNDS,
) -> tuple[Integers, Integers, bool]:
    """Bounds of whole numbers from their sums: number i belongs to sum `of[s][i]`, of every family s (-1: to
    none). Where `loose`, a sum is only an upper bound. The last value says whether any solution may be left.

    Two families of sums, rows and columns of a table; 1 and 1 stand in the first row, 2 and 0 below:

    >>> rows, columns = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> none = np.zeros(2, dtype=bool)
    >>> low, high, _ = bounds([rows, columns], [np.array([2, 2]), np.array([3, 1])], [none, none])
    >>> low.tolist(), high.tolist()
    ([1, 0, 1, 0], [2, 1, 2, 1])
    """
    number = len(of[0])
    low = np.zeros(number, dtype=np.int64)
    high = np.full(number, np.iinfo(np.int32).max, dtype=np.int64)
    families = [
        (of_cell, np.flatnonzero(of_cell >= 0), total, free)
        for of_cell, total, free in zip(of, sums, loose, strict=True)
    ]
    for of_cell, cells, total, _ in families:
        high[cells] = np.minimum(high[cells], total[of_cell[cells]])
    for _ in range(rounds):
        before = int(high.sum()) - int(low.sum())
        for of_cell, cells, total, free in families:
            place = of_cell[cells]
            least = np.bincount(place, low[cells], len(total)).astype(np.int64)
            most = np.bincount(place, high[cells], len(total)).astype(np.int64)
            if (least > total).any() or ((most < total) & ~free).any():
                return low, high, False
            fall, rise = (total - least)[place] + low[cells], (total - most)[place] + high[cells]
            high[cells] = np.minimum(high[cells], fall)
            low[cells] = np.maximum(low[cells], np.where(free[place], 0, rise))
        if (low > high).any():
            return low, high, False
        if int(high.sum()) - int(low.sum()) == before:
            break
    return low, high, True
