"""Second worlds: proof that somebody could have another row or value than the true one.

Bounds exclude what is impossible, and leave more open than is possible. A world in which somebody has another
value proves that the value is *not* known. Such worlds are found by exchanging people of one kind, or people
who share a class; by a chain of changes that preserves every sum; or, if few numbers are undecided, by a
search through all worlds. What none of these settles is reported as undecided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from paretonym.arrays import Integers, Mask
from paretonym.attacks.possible_worlds import Worlds, bounds

# The steps of all searches together, and of one of them.
STEPS, CHAIN, SEARCH = 100_000, 400, 300
DEPTH, TRIED, WIDTH = 5, 12, 24
SMALL = 2_000


@dataclass(eq=False)
class Index:
    """For every sum of a family, the numbers that belong to it."""

    order: Integers
    starts: Integers

    @classmethod
    def of(cls, own: Integers, sums: int) -> Index:
        order = np.argsort(own, kind="stable")
        return cls(order, np.searchsorted(own[order], np.arange(sums + 1)))

    def __getitem__(self, place: int) -> list[int]:
        found: list[int] = self.order[self.starts[place] : self.starts[place + 1]].tolist()
        return found


@dataclass(eq=False)
class Alternatives:
    """Numbers of the worlds that are above 0 in some world (`proven`), and that are not in any (`excluded`).
    `now` is the true world, where it is known: -1 for kinds whose class cannot be determined."""

    worlds: Worlds
    now: Integers
    proven: Mask
    excluded: Mask
    steps: int = STEPS
    _families: list[Index] = field(default_factory=list)
    _decided: list[Integers] = field(default_factory=list)
    _small: Integers | None = None

    @classmethod
    def of(cls, found: Worlds, truth: Integers | None) -> Alternatives:
        now = np.full(len(found.kind), -1, dtype=np.int64) if truth is None else true_numbers(found, truth)
        return cls(found, now, now > 0, np.zeros(len(now), dtype=np.bool_))

    @property
    def possible(self) -> Mask:
        return self.worlds.possible & ~self.excluded

    def of_kind(self, kind: int) -> Integers:
        """The numbers of a kind."""
        if not self._families:
            self._families = [
                Index.of(own, len(total)) for own, total in zip(self.worlds.of, self.worlds.sums, strict=True)
            ]
        return np.array(self._families[-1][kind], dtype=np.int64)

    def rows_of(self, kind: int) -> int:
        """How many rows are proven to be possible for a kind, in the table with the fewest; of people whom a
        file lacks, one for each combination of values."""
        mine = self.of_kind(kind)
        mine = mine[self.proven[mine]]
        if not all(self.worlds.kinds.fitting[kind]):
            return len(np.unique(self.worlds.values[mine], axis=0))
        fewest = []
        for place, tally in enumerate(self.worlds.tallies):
            rows = self.worlds.rows[mine, place]
            if tally.hides and len(rows) and (rows >= 0).all():
                fewest.append(int(tally.n[np.unique(rows)].sum()))
        return min(fewest, default=0)

    def look_for(self, kind: int, wanted: Sequence[int]) -> None:
        """Try to show for each of some numbers of a kind whether it can be above 0; stop at the first that
        can."""
        for number in wanted[:TRIED]:
            if self.proven[number] or self._chained(kind, number):
                return
        for number in wanted:
            if not self.excluded[number] and self._searched(number):
                return

    # A chain of changes.

    def _chained(self, kind: int, number: int) -> bool:
        """Whether a person of the kind can have what `number` describes, by some changes in the true world
        that preserve all sums."""
        budget = [min(CHAIN, self.steps)]
        before = budget[0]
        for source in self._families[-1][kind]:
            if self.now[source] > 0 and source != number and budget[0] > 0:
                changed: dict[int, int] = {}
                odd: dict[tuple[int, int], int] = {}
                self._move(source, number, changed, odd)
                if self._repair(changed, odd, DEPTH, budget):
                    self.proven[[place for place in changed if self.now[place] + changed[place] > 0]] = True
                    self.steps -= before - budget[0]
                    return True
        self.steps -= before - budget[0]
        return False

    def _move(
        self, source: int, target: int, changed: dict[int, int], odd: dict[tuple[int, int], int]
    ) -> None:
        """One person changes from one number of a kind to another."""
        for place, step in ((source, -1), (target, 1)):
            changed[place] = changed.get(place, 0) + step
            for family, own in enumerate(self.worlds.of[:-1]):
                if (row := int(own[place])) >= 0:
                    odd[family, row] = odd.get((family, row), 0) + step
                    if odd[family, row] == 0:
                        del odd[family, row]

    def _repair(
        self, changed: dict[int, int], odd: dict[tuple[int, int], int], depth: int, budget: list[int]
    ) -> bool:
        """Further changes until every sum is as it was."""
        if not odd:
            return True
        if depth == 0 or len(odd) > 2 * depth * len(self.worlds.of) or budget[0] <= 0:
            return False
        family, row = min(key for key, step in odd.items() if step > 0)
        lacking = {key for key, step in odd.items() if step < 0}
        for source, target in self._changes(family, row, changed, lacking):
            budget[0] -= 1
            self._move(source, target, changed, odd)
            if self._repair(changed, odd, depth - 1, budget):
                return True
            self._move(target, source, changed, odd)
            if budget[0] <= 0:
                return False
        return False

    def _changes(
        self, family: int, row: int, changed: dict[int, int], lacking: set[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        """Changes that remove a person from a row that has too many, those first that leave the fewest sums
        changed."""
        own = self.worlds.of
        ranked = []
        for source in self._families[family][row][: WIDTH * 8]:
            if self.now[source] + changed.get(source, 0) <= 0 or changed.get(source, 0) > 0:
                continue
            for target in self._families[-1][int(own[-1][source])]:
                if (family, int(own[family][target])) in lacking and self.worlds.high[target] > 0:
                    score = sum((f, int(own[f][target])) not in lacking for f in range(len(own) - 1))
                    ranked.append((score, source, target))
        ranked.sort()
        return [(source, target) for _, source, target in ranked[:WIDTH]]

    # A search through all worlds, where few numbers are undecided.

    def _searched(self, number: int) -> bool:
        """Whether some world has the number above 0; if none has, it is excluded."""
        component = self._component(number)
        if component is None or self.steps <= 0:
            return False
        of, left, loose = self._part(component)
        low, high = self.worlds.low[component].copy(), self.worlds.high[component].copy()
        low[component == number] = np.maximum(low[component == number], 1)
        price = 8 + len(component) // 20
        budget = [1 + min(SEARCH, self.steps // price)]
        before = budget[0]
        world = _world(of, left, loose, low, high, budget)
        self.steps -= (before - budget[0]) * price
        if world is not None:
            self.proven[component[world > 0]] = True
            return True
        if budget[0] > 0:
            self.excluded[number] = True
        return False

    def _component(self, number: int) -> Integers | None:
        """The undecided numbers that depend on one another and on this one; None if they are too many."""
        if self._small is None:
            self._small = _components(self.worlds)
        label = self._small[number]
        if label < 0:
            return None
        found = np.flatnonzero(self._small == label)
        return found if len(found) <= SMALL else None

    def _part(self, component: Integers) -> tuple[list[Integers], list[Integers], list[Mask]]:
        """The sums of a component alone, less what decided numbers take of them."""
        if not self._decided:
            done = self.worlds.low == self.worlds.high
            for own, total in zip(self.worlds.of, self.worlds.sums, strict=True):
                here = done & (own >= 0)
                used = np.bincount(own[here], self.worlds.low[here], len(total)).astype(np.int64)
                self._decided.append(total - used)
        of, sums, loose = [], [], []
        for own, left, free in zip(self.worlds.of, self._decided, self.worlds.loose, strict=True):
            touched, place = np.unique(own[component], return_inverse=True)
            if touched[0] < 0:
                touched, place = touched[1:], place - 1
            of.append(place.reshape(-1).astype(np.int64))
            sums.append(left[touched])
            loose.append(free[touched])
        return of, sums, loose


def true_numbers(found: Worlds, truth: Integers) -> Integers:
    """How many people truly have what each number describes; -1 for kinds that fit several combinations of
    classes."""
    single = np.zeros(len(found.kinds), dtype=np.bool_)
    for kind, fitting in enumerate(found.kinds.fitting):
        single[kind] = all(len(one) <= 1 for one in fitting) and not found.kinds.may_lack[kind].any()
    now = np.where(single[found.kind], 0, -1)
    people = np.flatnonzero(single[found.kinds.of_person])
    if not len(people):
        return now.astype(np.int64)
    # Columns that no release shows of a kind do not count for it.
    unseen = np.zeros((len(found.kinds), len(found.columns)), dtype=np.bool_)
    unseen[found.kind] |= found.values < 0
    own = found.kinds.of_person[people]
    cells = np.where(unseen[own], -1, truth[people])
    keys, number = np.unique(
        np.concatenate([np.column_stack([found.kind, found.values]), np.column_stack([own, cells])]),
        axis=0,
        return_inverse=True,
    )
    number = number.reshape(-1)
    often = None if found.kinds.weights is None else found.kinds.weights[people]
    counts = np.bincount(number[len(found.kind) :], often, len(keys))
    return np.where(now < 0, now, counts[number[: len(found.kind)]]).astype(np.int64)


def _components(found: Worlds) -> Integers:
    """Numbers that are not decided, by the sums that tie them together; -1 for those that are."""
    undecided = found.low < found.high
    label = np.where(undecided, np.arange(len(found.low)), -1)
    while True:
        before = label.copy()
        for own, total in zip(found.of, found.sums, strict=True):
            here = np.flatnonzero(undecided & (own >= 0))
            least = np.full(len(total), len(label), dtype=np.int64)
            np.minimum.at(least, own[here], label[here])
            label[here] = least[own[here]]
        if (label == before).all():
            return label


def _world(
    of: Sequence[Integers],
    sums: Sequence[Integers],
    loose: Sequence[Mask],
    low: Integers,
    high: Integers,
    budget: list[int],
) -> Integers | None:
    """A solution within bounds, if there is one; if the budget is used up, that is not known."""
    stack = [(low, high)]
    while stack and budget[0] > 0:
        budget[0] -= 1
        low, high, left = bounds(of, sums, loose, *stack.pop())
        if not left:
            continue
        wide = int(np.argmax(high - low))
        if low[wide] == high[wide]:
            return low
        for first, last in _halves(int(low[wide]), int(high[wide])):
            lower, upper = low.copy(), high.copy()
            lower[wide], upper[wide] = first, last
            stack.append((lower, upper))
    return None


def _halves(low: int, high: int) -> Iterator[tuple[int, int]]:
    middle = (low + high) // 2
    yield low, middle
    yield middle + 1, high
