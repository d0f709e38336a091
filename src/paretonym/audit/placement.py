"""The place of every row of an original among the classes that a release shows, from the sets of its labels
alone, whatever the recoding was: a row lies in one class, in none, or, where classes overlap, in several.
Then a flow says how many rows can be matched."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paretonym.audit.label_sets import LabelSets
from paretonym.base.arrays import Integers, Mask

NONE, SEVERAL = -1, -2
# The most pairs of a distinct look and a class that are examined; above that nothing is decided.
MOST_PAIRS = 1 << 34
AT_ONCE = 1 << 24


class NotDecided(Exception):
    """A comparison that is too large, and how large it is."""


@dataclass(frozen=True, eq=False)
class ShownColumn:
    """The labels of one quasi-identifier in a release, the run of leaves of each, and the label of each
    class. An empty run is that of a label that the stated level does not have."""

    sets: LabelSets
    labels: tuple[str, ...]
    runs: Integers
    of_class: Integers

    @cached_property
    def disjoint(self) -> bool:
        """True if no two labels share a value."""
        runs = self.runs[self.runs[:, 0] < self.runs[:, 1]]
        runs = runs[np.argsort(runs[:, 0], kind="stable")]
        return bool((runs[:-1, 1] <= runs[1:, 0]).all())

    @cached_property
    def label_of_leaf(self) -> Integers:
        """The label of each leaf, by its number, where labels are disjoint; -1 where none has it."""
        places = np.full(len(self.sets.leaves), NONE, dtype=np.int64)
        for number, (first, after) in enumerate(self.runs.tolist()):
            places[first:after] = number
        return places


@dataclass(frozen=True, eq=False)
class Placement:
    """The class of each row: its number, `NONE` or `SEVERAL`; and for rows with several, the pairs of a row
    and a class that holds it."""

    of_row: Integers
    several_rows: Integers
    several_classes: Integers

    @property
    def settled(self) -> bool:
        """True if no row lies in several classes."""
        return len(self.several_rows) == 0

    @property
    def stays(self) -> Mask:
        """The rows that the release shows, as far as labels tell."""
        stays: Mask = self.of_row != NONE
        return stays


def place_rows(columns: Sequence[ShownColumn], leaves: Sequence[Integers]) -> Placement:
    """Place every row, given by its leaf in each column; raises `NotDecided`."""
    if all(column.disjoint for column in columns):
        nothing = np.empty(0, dtype=np.int64)
        return Placement(_by_label(columns, leaves), nothing, nothing)
    return _by_sets(columns, leaves)


def combined(columns: Sequence[Integers]) -> Integers:
    """A number for each row of several columns of codes, the same for equal rows and for no others.

    >>> combined([np.array([5, 5, -1]), np.array([2, 3, 2])]).tolist()
    [1, 2, 0]
    """
    numbers = np.zeros(len(columns[0]) if columns else 0, dtype=np.int64)
    for codes in columns:
        _, codes = np.unique(codes, return_inverse=True)
        width = int(codes.max(initial=0)) + 1
        _, numbers = np.unique(numbers * width + codes.reshape(-1), return_inverse=True)
        numbers = numbers.reshape(-1)
    return numbers


def _by_label(columns: Sequence[ShownColumn], leaves: Sequence[Integers]) -> Integers:
    """Each column alone: a value has one label or none."""
    of_leaves = [column.label_of_leaf[leaf] for column, leaf in zip(columns, leaves, strict=True)]
    pairs = zip(columns, of_leaves, strict=True)
    numbers = combined([np.concatenate([column.of_class, labels]) for column, labels in pairs])
    classes = len(columns[0].of_class)
    places = np.full(int(numbers.max(initial=0)) + 1, NONE, dtype=np.int64)
    # A label without values holds nobody.
    filled = np.logical_and.reduce(
        [(column.runs[:, 0] < column.runs[:, 1])[column.of_class] for column in columns]
    )
    places[numbers[:classes][filled]] = np.flatnonzero(filled)
    outside = np.logical_or.reduce([labels < 0 for labels in of_leaves])
    return np.where(outside, NONE, places[numbers[classes:]])


def _by_sets(columns: Sequence[ShownColumn], leaves: Sequence[Integers]) -> Placement:
    """All columns together: bits say which classes hold a value, column by column."""
    classes = len(columns[0].of_class)
    masks, stretches = [], []
    for column, leaf in zip(columns, leaves, strict=True):
        runs = column.runs[column.of_class]
        ends = np.unique(runs)
        # Leaves between two neighbouring ends lie in the same sets.
        firsts = np.concatenate([[-1], ends])
        inside = (runs[:, 0] <= firsts[:, None]) & (firsts[:, None] < runs[:, 1])
        masks.append(np.packbits(inside, axis=1))
        stretches.append(np.searchsorted(ends, leaf, side="right"))
    look_of_row = combined(stretches)
    _, first = np.unique(look_of_row, return_index=True)
    if len(first) * classes > MOST_PAIRS:
        raise NotDecided(
            f"{len(first):,} different rows beside {classes:,} classes that overlap are too many"
        )
    looks, holders = [], []
    step = max(AT_ONCE // classes, 1)
    for begin in range(0, len(first), step):
        rows = first[begin : begin + step]
        bits = np.bitwise_and.reduce(
            [mask[stretch[rows]] for mask, stretch in zip(masks, stretches, strict=True)]
        )
        look, holder = np.nonzero(np.unpackbits(bits, axis=1, count=classes))
        looks.append(look + begin)
        holders.append(holder)
    look, holder = np.concatenate(looks), np.concatenate(holders)
    number = np.bincount(look, minlength=len(first))
    of_look = np.full(len(first), NONE, dtype=np.int64)
    of_look[look] = holder
    of_look[number > 1] = SEVERAL
    of_row = of_look[look_of_row]
    several = np.flatnonzero(of_row == SEVERAL)
    often = number[look_of_row[several]]
    if int(often.sum()) > AT_ONCE:
        raise NotDecided(f"{len(several):,} different rows that fit several classes are too many")
    starts = np.cumsum(number) - number
    offsets = np.arange(int(often.sum())) - np.repeat(np.cumsum(often) - often, often)
    pairs = np.repeat(starts[look_of_row[several]], often) + offsets
    return Placement(of_row, np.repeat(several, often), holder[pairs])


def largest_flow(
    supplies: Mapping[int, int], demands: Mapping[int, int], fits: Mapping[int, Sequence[int]]
) -> int:
    """Number of units of the supplies that can go to demands that they fit: augmenting paths after a greedy
    start, each of them O(edges).

    >>> largest_flow({0: 1, 1: 1}, {7: 1, 8: 1}, {0: [7, 8], 1: [7]})
    2
    """
    rest, room = dict(supplies), dict(demands)
    choices = {supply: [demand for demand in fits[supply] if demand in demands] for supply in supplies}
    # For each demand, how much of it each supply serves.
    sent: dict[int, dict[int, int]] = {demand: {} for demand in demands}
    for supply in sorted(rest, key=lambda one: len(choices[one])):
        for demand in choices[supply]:
            if number := min(rest[supply], room[demand]):
                rest[supply] -= number
                room[demand] -= number
                sent[demand][supply] = number
    for supply in supplies:
        while rest[supply] and (path := _open_path(supply, choices, room, sent)):
            rest[supply] -= 1
            room[path[-1][1]] -= 1
            for place, (sender, demand) in enumerate(path):
                sent[demand][sender] = sent[demand].get(sender, 0) + 1
                if place:
                    sent[path[place - 1][1]][sender] -= 1
    return sum(supplies.values()) - sum(rest.values())


def _open_path(
    start: int,
    choices: Mapping[int, Sequence[int]],
    room: Mapping[int, int],
    sent: Mapping[int, Mapping[int, int]],
) -> list[tuple[int, int]]:
    """Pairs of a supply and a demand along which one more unit can be sent, each next supply making way for
    the one before; empty if there is none."""
    sender_of: dict[int, int] = {}
    demand_before: dict[int, int] = {}
    queue = deque([start])
    while queue:
        supply = queue.popleft()
        for demand in choices[supply]:
            if demand in sender_of:
                continue
            sender_of[demand] = supply
            if room[demand]:
                path = [(supply, demand)]
                while path[0][0] != start:
                    demand = demand_before[path[0][0]]
                    path.insert(0, (sender_of[demand], demand))
                return path
            for other, number in sent[demand].items():
                if number and other != start and other not in demand_before:
                    demand_before[other] = demand
                    queue.append(other)
    return []
