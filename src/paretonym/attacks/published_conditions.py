"""One deduction from the conditions that a manifest publishes: a class that is absent from a file fails one
of them.

Somebody who knows everybody's quasi-identifiers knows how many people an absent class has. If these are
enough for k, its sensitive values fail a condition: at most ℓ − 1 values occur, or one is too frequent. With
a second file that contains the same people, that may leave a single value (a minimality attack; Wong and
others 2007).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from paretonym.arrays import Integers, Mask
from paretonym.attacks.composition import Numbers
from paretonym.attacks.published_file import Published

# Rounds in which what is learnt about one class may narrow another.
ROUNDS = 20


@dataclass(frozen=True)
class Condition:
    """What a class must have to stay: a measure, perhaps of one column alone, and its limit."""

    measure: str
    column: str | None
    limit: Fraction

    @classmethod
    def of(cls, name: str, text: str) -> Condition | None:
        """A condition of a manifest; None if it is written in another way."""
        measure, _, column = name.partition("@")
        try:
            return cls(measure, column or None, Fraction(text.lstrip("<>=")))
        except (ValueError, ZeroDivisionError):
            return None


def published_conditions(release: Published) -> list[Condition] | None:
    """The conditions on the classes of a release; None if its absent classes are not known, or if they may be
    absent for another reason."""
    recoding = release.recoding
    keep = recoding.get("keep")
    known_reason = isinstance(keep, Mapping) and not (release.added or release.in_units)
    if "levels" not in recoding or "further" in recoding or not known_reason:
        return None
    conditions = [Condition.of(str(name), str(text)) for name, text in dict(keep or {}).items()]
    return None if None in conditions else [each for each in conditions if each is not None]


@dataclass(frozen=True, eq=False)
class AbsentClass:
    """The values that people of an absent class can have in one column: of each value at least `low` and at
    most `high` of its `people`. If it is `open`, no file shows the values of some: they may be any."""

    people: int
    low: Integers
    high: Integers
    open: bool

    def caps(self, condition: Condition) -> Integers | None:
        """How many people at most have each value, if the class fails this condition by this column. None if
        it cannot fail it; the upper bounds themselves if nothing follows."""
        if condition.measure == "k":
            return self.high if self.people < condition.limit else None
        if self.open:
            return self.high
        if condition.measure == "l-distinct":
            return self._few_values(math.ceil(condition.limit) - 1)
        if condition.measure in ("l", "l-entropy"):
            # A class of low entropy has a frequent value, too: exp(entropy) ≥ 1 / its share.
            return self._frequent_value(math.floor(self.people / condition.limit) + 1)
        if condition.measure == "alpha":
            return self._frequent_value(math.floor(self.people * condition.limit) + 1)
        return self.high

    def _few_values(self, most: int) -> Integers | None:
        """The upper bounds if at most so many different values occur."""
        sure = self.low > 0
        if sure.sum() > most:
            return None
        others = np.sort(self.high[~sure])[::-1]
        free = most - int(sure.sum())
        if self.high[sure].sum() + others[:free].sum() < self.people:
            return None
        caps = self.high.copy()
        rest = int(self.high[sure].sum() + others[: max(free - 1, 0)].sum())
        for value in np.flatnonzero(~sure).tolist():
            # The best company of a value: those that surely occur, and the most frequent others.
            beside = rest
            if free > 0 and self.high[value] > (others[free - 1] if free <= len(others) else 0):
                beside = int(self.high[sure].sum() + others[:free].sum() - self.high[value])
            if free == 0 or beside + self.high[value] < self.people:
                caps[value] = 0
        return caps

    def _frequent_value(self, least: int) -> Integers | None:
        """The upper bounds if one value occurs so often."""
        frequent = np.flatnonzero((self.high >= least) & (self.low.sum() - self.low + least <= self.people))
        if not len(frequent):
            return None
        caps = np.minimum(self.high, self.people - least)
        caps[frequent] = self.high[frequent]
        return caps


def deduce(
    numbers: Numbers, releases: Sequence[Published], values: Mapping[str, Integers], sensitive: Sequence[str]
) -> Numbers:
    """Bound the numbers further: every absent class fails a condition. `values` gives the measured value of
    each number in each sensitive column, -1 if no file shows it."""
    for _ in range(ROUNDS):
        before = int(numbers.high.sum())
        for place, release in enumerate(releases):
            conditions = published_conditions(release)
            if conditions is not None:
                numbers = _deduce(numbers, place, conditions, values, sensitive)
        if int(numbers.high.sum()) == before:
            break
    return numbers


def _deduce(
    numbers: Numbers,
    place: int,
    conditions: Sequence[Condition],
    values: Mapping[str, Integers],
    sensitive: Sequence[str],
) -> Numbers:
    """What the absent classes of one release say."""
    absent = numbers.kinds.absent[:, place]
    for group in np.unique(absent[absent >= 0]).tolist():
        members = absent == group
        here = members[numbers.kind]
        classes = {name: _absent_class(numbers, members, here, values[name]) for name in sensitive}
        reasons = list(_reasons(conditions, classes))
        # It fails some condition: what is known follows from each of those that it may fail.
        if len({column for column, _ in reasons}) != 1 or reasons[0][0] is None:
            continue
        column = reasons[0][0]
        caps = np.max([caps for _, caps in reasons], axis=0)
        shown = here & (values[column] >= 0)
        high = numbers.high.copy()
        high[shown] = np.minimum(high[shown], caps[values[column][shown]])
        if (high < numbers.high).any():
            numbers = numbers.within(high)
    return numbers


def _reasons(
    conditions: Sequence[Condition], classes: Mapping[str, AbsentClass]
) -> Iterator[tuple[str | None, Integers]]:
    """The conditions that an absent class may fail, each by a column, with the bounds that follow; the column
    is None if values have nothing to do with it."""
    for condition in conditions:
        for name, absent in classes.items():
            if condition.column in (None, name) and (caps := absent.caps(condition)) is not None:
                yield (None if condition.measure == "k" else name), caps


def _absent_class(numbers: Numbers, members: Mask, here: Mask, values: Integers) -> AbsentClass:
    """The bounds of each value in an absent class."""
    length = int(values.max(initial=0)) + 1
    shown = here & (values >= 0)
    low = np.bincount(values[shown], numbers.low[shown], length).astype(np.int64)
    high = np.bincount(values[shown], numbers.high[shown], length).astype(np.int64)
    people = int(numbers.kinds.rows[members].sum())
    hidden = bool((numbers.high[here & (values < 0)] > 0).any())
    return AbsentClass(people, low, np.minimum(high, people), hidden)
