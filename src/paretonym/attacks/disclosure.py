"""Disclosure: who is re-identified, and whose value is known in every world that the releases leave
possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers, Mask
from paretonym.attacks.background_knowledge import Kinds
from paretonym.attacks.possible_worlds import Worlds
from paretonym.attacks.published_file import Published
from paretonym.attacks.second_worlds import Alternatives

PLENTY = np.iinfo(np.int64).max


def rows_left(found: Worlds, possible: Mask, most: Integers) -> Integers:
    """For each kind, the number of candidate rows in the table that leaves the fewest; unbounded if no table
    has them.

    For people whom some files contain and others lack, only rows count that people of the others cannot have:
    what is left when files are subtracted. `most` bounds how many of a kind have what a number describes.
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
        # A person who may be missing from a table may have another row than those.
        missing = np.bincount(found.kind[possible & (rows < 0)], minlength=len(found.kinds)) > 0
        left[missing | (left == 0)] = PLENTY
        fewest = np.minimum(fewest, left)
    return fewest


def values_of(found: Worlds, column: str, measured: Integers) -> Integers:
    """The measured value of a column that each number of a world describes; -1 if unknown."""
    codes = found.values[:, found.columns.index(column)]
    return np.where(codes < 0, -1, np.append(measured, -1)[codes])


def known(found: Worlds, possible: Mask, values: Integers) -> Mask:
    """Kinds that can have only one value."""
    least = np.full(len(found.kinds), PLENTY, dtype=np.int64)
    most = np.full(len(found.kinds), -1, dtype=np.int64)
    np.minimum.at(least, found.kind[possible], values[possible])
    np.maximum.at(most, found.kind[possible], values[possible])
    single: Mask = (least == most) & (least >= 0)
    return single


def best_guess(
    found: Worlds, possible: Mask, column: str, values: Integers
) -> tuple[Integers, npt.NDArray[np.float64]]:
    """For each kind, the most frequent value among its candidate rows, and its share of them; also if that
    many people of the kind have it in every world. -1 if nothing is left."""
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
    # A person whom no table contains may have anything, represented by one row.
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
    """For each kind, the largest share of a value in its class of any file: an attacker with several files
    may use one alone."""
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


@dataclass(frozen=True, eq=False)
class Decision:
    """By kind: the most and the fewest candidate rows; whether these are fewer than the rules require;
    whether that could not be decided; and for each sensitive column whether the value is known, or whether
    that is undecided."""

    rows: Integers
    least: Integers
    reidentified: Mask
    undecided_rows: Mask
    known: Mapping[str, Mask]
    undecided: Mapping[str, Mask]


def decide(
    releases: Sequence[Published],
    alternatives: Alternatives,
    values: Mapping[str, Integers],
    truth: Mapping[str, Integers] | None,
    fewest: int,
) -> Decision:
    """Decide for each kind whether it is disclosed. `values` are those of each number of the worlds, `truth`
    those of each person, by sensitive column."""
    found = alternatives.worlds
    kinds = found.kinds
    there = kinds.present.any(axis=1)
    surely = _surely_left(releases, kinds)
    open_values = {
        name: there
        & ~_differ(kinds, truth, name)
        & ~_mixed(releases, kinds, name, values[name], alternatives)
        for name in values
    }
    if (there & (rows_left(found, found.possible, found.high) < fewest)).any():
        # The release is already broken: how many more are undecided matters less.
        alternatives.steps //= 5
    order = np.flatnonzero(there & _doubtful(alternatives, values, open_values, surely, fewest))
    for kind in order.tolist():
        _settle(alternatives, kind, values, open_values, int(surely[kind]), fewest)
    possible, proven = alternatives.possible, alternatives.proven
    rows = rows_left(found, possible, found.high)
    least = np.maximum(surely, _proven_rows(alternatives))
    certain = {name: there & known(found, possible, values[name]) for name in values}
    undecided = {}
    for name in values:
        several = _several(alternatives, values[name], proven)
        undecided[name] = open_values[name] & ~certain[name] & ~several
    reidentified = there & (rows < fewest)
    return Decision(rows, least, reidentified, there & ~reidentified & (least < fewest), certain, undecided)


def _surely_left(releases: Sequence[Published], kinds: Kinds) -> Integers:
    """Candidate rows that remain in any case: people of one kind may have each other's rows, and in a single
    file everybody may have any row of their class. A person who may be missing may have any row."""
    least = np.where(kinds.may_lack.any(axis=1), 0, kinds.people).astype(np.int64)
    if len(releases) > 1:
        return least
    own = _fewest_in_classes(releases[0], kinds)
    least = np.maximum(least, np.where(kinds.may_lack[:, 0], 0, own))
    least[_surely_lacking(kinds)] = PLENTY
    return least


def _fewest_in_classes(release: Published, kinds: Kinds) -> Integers:
    """The rows of the smallest class that a kind fits, in the table with the fewest that hides something."""
    least = np.full(len(kinds), PLENTY, dtype=np.int64)
    for tally in release.tallies:
        if tally.hides:
            size = np.bincount(tally.group, tally.n).astype(np.int64)
            own = [int(size[tally.group_of[list(f)]].min()) if f else 0 for (f,) in kinds.fitting]
            least = np.minimum(least, own)
    return least


def _surely_lacking(kinds: Kinds) -> Mask:
    """Kinds of a single file that alone fit a class with fewer rows than people: any of them may be the one
    that is left out."""
    owners: dict[int, int] = {}
    for (fitting,) in kinds.fitting:
        for place in fitting:
            owners[place] = owners.get(place, 0) + 1
    alone = [len(f) == 1 and owners[f[0]] == 1 for (f,) in kinds.fitting]
    return np.array(alone, dtype=np.bool_) & kinds.may_lack[:, 0]


def _differ(kinds: Kinds, truth: Mapping[str, Integers] | None, name: str) -> Mask:
    """Kinds whose people have different values in truth: each may have the other's."""
    if truth is None:
        return np.zeros(len(kinds), dtype=np.bool_)
    pairs = np.unique(np.column_stack([kinds.of_person, truth[name]]), axis=0)
    return np.bincount(pairs[:, 0], minlength=len(kinds)) > 1


def _mixed(
    releases: Sequence[Published], kinds: Kinds, name: str, values: Integers, alternatives: Alternatives
) -> Mask:
    """Kinds of a single file that fit no class with one value alone: in a class all may have each other's."""
    if len(releases) > 1:
        return np.zeros(len(kinds), dtype=np.bool_)
    found = alternatives.worlds
    place = next((p for p, tally in enumerate(found.tallies) if name in tally.columns), None)
    if place is None:
        return np.ones(len(kinds), dtype=np.bool_)
    tally = found.tallies[place]
    here = found.rows[:, place] >= 0
    pairs = np.unique(np.column_stack([tally.group[found.rows[here, place]], values[here]]), axis=0)
    several = np.bincount(pairs[:, 0], minlength=int(tally.group.max()) + 1) > 1
    mixed = [bool(several[tally.group_of[list(fitting)]].all()) for (fitting,) in kinds.fitting]
    return (np.array(mixed, dtype=np.bool_) & ~kinds.may_lack[:, 0]) | _surely_lacking(kinds)


def _several(alternatives: Alternatives, values: Integers, which: Mask) -> Mask:
    """Kinds for which the given numbers describe more than one value."""
    found = alternatives.worlds
    pairs = np.unique(np.column_stack([found.kind[which], values[which]]), axis=0)
    return np.bincount(pairs[:, 0], minlength=len(found.kinds)) > 1


def _proven_rows(alternatives: Alternatives) -> Integers:
    """Rows that are surely possible; of people whom a file lacks, one for each proven combination."""
    found, proven = alternatives.worlds, alternatives.proven
    left = rows_left(found, proven, found.high)
    pairs = np.unique(np.column_stack([found.kind[proven], found.values[proven]]), axis=0)
    combinations = np.bincount(pairs[:, 0], minlength=len(found.kinds))
    left = np.where(found.kinds.present.all(axis=1), left, combinations)
    return np.where(left == PLENTY, 0, left).astype(np.int64)


def _doubtful(
    alternatives: Alternatives,
    values: Mapping[str, Integers],
    open_values: Mapping[str, Mask],
    surely: Integers,
    fewest: int,
) -> Mask:
    """Kinds of which something is open that bounds do not exclude."""
    found = alternatives.worlds
    doubt = (rows_left(found, alternatives.possible, found.high) >= fewest) & (surely < fewest)
    for name in values:
        doubt |= open_values[name] & ~known(found, alternatives.possible, values[name])
    return doubt


def _settle(
    alternatives: Alternatives,
    kind: int,
    values: Mapping[str, Integers],
    open_values: Mapping[str, Mask],
    surely: int,
    fewest: int,
) -> None:
    """Search for other worlds until nothing about a kind is open, or nothing is left to try."""
    found = alternatives.worlds
    mine = alternatives.of_kind(kind)
    for name in [name for name in values if open_values[name][kind]]:
        proven = {int(v) for v in values[name][mine[alternatives.proven[mine]]]}
        if len(proven) > 1:
            continue
        here = mine[alternatives.possible[mine]]
        if not proven:
            alternatives.look_for(kind, here.tolist())
            proven = {int(v) for v in values[name][mine[alternatives.proven[mine]]]}
        other = [number for number in here.tolist() if int(values[name][number]) not in proven]
        if proven and other:
            alternatives.look_for(kind, sorted(other, key=lambda number: -int(found.high[number])))
    if surely < fewest:
        for number in mine[alternatives.possible[mine] & ~alternatives.proven[mine]].tolist():
            if alternatives.rows_of(kind) >= fewest:
                break
            alternatives.look_for(kind, [number])
