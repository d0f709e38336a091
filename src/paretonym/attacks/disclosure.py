"""Who is re-identified and whose value is known in every world that the releases leave possible."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers, Mask
from paretonym.attacks.possible_worlds import Worlds

PLENTY = np.iinfo(np.int64).max


def rows_left(found: Worlds, possible: Mask, most: Integers) -> Integers:
    """For each kind the number of rows that may be theirs, in the table that leaves the fewest; as many as
    can be where no table has them.

    Of people whom some files have and others lack, only rows count that people of the others cannot have:
    what is left when files are subtracted. At `most` that many of a kind have what a number stands for.
    """
    fewest = np.full(len(found.kinds), PLENTY, dtype=np.int64)
    present = found.kinds.present
    _, pattern = np.unique(present, axis=0, return_inverse=True)
    pattern = np.where(present.all(axis=1), -1, pattern.reshape(-1))
    for place, tally in enumerate(found.tallies):
        if not tally.hides:
            continue
        rows = found.rows[:, place]
        here = np.flatnonzero(possible & (rows >= 0))
        among = pattern[found.kind[here]]
        row_key, row = np.unique(rows[here] * (among.max(initial=0) + 2) + among + 1, return_inverse=True)
        width = int(among.max(initial=0)) + 2
        count = tally.n[row_key // width]
        lacking = row_key % width > 0
        held = np.bincount(row, most[here], len(row_key))
        count = np.where(lacking, np.minimum(count, held), count)
        pairs = np.unique(found.kind[here] * (len(row_key) + 1) + row)
        kind, row = pairs // (len(row_key) + 1), pairs % (len(row_key) + 1)
        left = np.bincount(kind, count[row], len(found.kinds)).astype(np.int64)
        # Whoever may be missing from a table may have another row than those.
        missing = np.bincount(found.kind[possible & (rows < 0)], minlength=len(found.kinds)) > 0
        left[missing | (left == 0)] = PLENTY
        fewest = np.minimum(fewest, left)
    return fewest


def values_of(found: Worlds, column: str, measured: Integers) -> Integers:
    """The value of a column that each number of a world stands for, as it is measured; -1 if unknown."""
    codes = found.values[:, found.columns.index(column)]
    return np.where(codes < 0, -1, np.append(measured, -1)[codes])


def known(found: Worlds, possible: Mask, values: Integers) -> Mask:
    """Kinds that can have one value only."""
    least = np.full(len(found.kinds), PLENTY, dtype=np.int64)
    most = np.full(len(found.kinds), -1, dtype=np.int64)
    np.minimum.at(least, found.kind[possible], values[possible])
    np.maximum.at(most, found.kind[possible], values[possible])
    single: Mask = (least == most) & (least >= 0)
    return single


def best_guess(
    found: Worlds, possible: Mask, column: str, values: Integers
) -> tuple[Integers, npt.NDArray[np.float64]]:
    """For each kind the most frequent value among the rows left for it, and its share of them; also where
    that many people of the kind have it in every world. -1 where nothing is left."""
    shares = np.zeros(len(found.kinds))
    guesses = np.full(len(found.kinds), -1, dtype=np.int64)
    span = int(values.max(initial=0)) + 2
    for weight, whole in (
        (_weights(found, possible, column), None),
        (found.low.astype(np.float64), found.kinds.people),
    ):
        key, inverse = np.unique(found.kind * span + values + 1, return_inverse=True)
        total = np.bincount(inverse, weight, len(key))
        kind, value = key // span, key % span - 1
        sums = np.bincount(found.kind, weight, len(found.kinds)) if whole is None else whole
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(sums[kind] > 0, total / sums[kind], 0.0)
        share[value < 0] = 0
        order = np.lexsort((-value, share))
        better = share[order] > shares[kind[order]]
        shares[kind[order][better]] = share[order][better]
        guesses[kind[order][better]] = value[order][better]
    return guesses, shares


def _weights(found: Worlds, possible: Mask, column: str) -> npt.NDArray[np.float64]:
    """How many rows are left of each number of a world: no more than any table has that shows the column."""
    weight = np.full(len(found.kind), np.inf)
    for place, tally in enumerate(found.tallies):
        rows = found.rows[:, place]
        if column in tally.columns:
            weight = np.where(rows >= 0, np.minimum(weight, tally.n[rows]), weight)
    # Somebody whom no table has may have anything: one row stands for that.
    weight[np.isinf(weight)] = 1
    return np.where(possible, weight, 0.0)


def known_in_a_file(found: Worlds, release: int, column: str, measured: Integers) -> Mask:
    """Kinds whose value one file shows by itself."""
    place = next(
        (
            p
            for p, tally in enumerate(found.tallies)
            if found.release_of[p] == release and column in tally.columns
        ),
        None,
    )
    if place is None:
        return np.zeros(len(found.kinds), dtype=np.bool_)
    tally = found.tallies[place]
    value = measured[tally.cells[:, tally.columns.index(column)]]
    least = np.full(int(tally.group.max()) + 1, PLENTY, dtype=np.int64)
    most = np.full(len(least), -1, dtype=np.int64)
    np.minimum.at(least, tally.group, value)
    np.maximum.at(most, tally.group, value)
    single = np.zeros(len(found.kinds), dtype=np.bool_)
    for kind, fitting in enumerate(found.kinds.fitting):
        groups = tally.group_of[list(fitting[release])]
        if len(groups) and not found.kinds.may_lack[kind, release]:
            single[kind] = least[groups].min() == most[groups].max()
    return single


def share_in_a_file(found: Worlds, column: str, measured: Integers) -> npt.NDArray[np.float64]:
    """For each kind the largest share that a value has in its class of any file: whoever has more files may
    also use one alone."""
    largest = np.zeros(len(found.kinds))
    for place, tally in enumerate(found.tallies):
        if column not in tally.columns:
            continue
        value = measured[tally.cells[:, tally.columns.index(column)]]
        width = int(value.max()) + 1
        key, which = np.unique(tally.group * width + value, return_inverse=True)
        cells = np.bincount(which.reshape(-1), tally.n, len(key))
        share = np.zeros(int(tally.group.max()) + 1)
        np.maximum.at(share, key // width, cells / np.bincount(tally.group, tally.n)[key // width])
        release = found.release_of[place]
        for kind, fitting in enumerate(found.kinds.fitting):
            if len(fitting[release]) == 1 and not found.kinds.may_lack[kind, release]:
                own = share[tally.group_of[fitting[release][0]]]
                largest[kind] = max(largest[kind], own)
    return largest
