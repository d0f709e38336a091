"""The members of classes that show means, searched for by their sums, and guessed by the nearest means.

A class of s rows that shows the mean m has the sum s·m, within the rounding. Of the people who fit its other
sets, those are possible members who are in some s rows with this sum, in every column of numbers at once. All
such rows are listed where that does not take too many; a class with one list is known, and its rows are in no
other class. That holds for any classes. Most classes are made of near rows: so the nearest mean is a guess,
which may be wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from paretonym.audit import LabelSets, shows_means
from paretonym.base.arrays import Floats, Integers
from paretonym.evidence.attacks.people import MEANS, Fits, Fitting, People
from paretonym.evidence.attacks.published_file import Published

# Sums of rows of one class, and of all classes of a file, that are formed at most.
MOST_SUMS, MOST_IN_ALL = 500_000, 20_000_000
# Sums of numbers are as exact as this share of them.
PRECISION = 1e-9
AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class Means:
    """The numbers of every tuple of people in the columns that show means, as points, and the mean that each
    class shows there (NaN: no number). `width` is what each column is rounded to."""

    values: Floats
    means: Floats
    width: Floats

    @classmethod
    def of(cls, release: Published, people: People) -> Means:
        """None of the columns if the release shows no means."""
        order = {name: place for place, name in enumerate(release.quasi)}
        values, targets, width = [], [], []
        for place, column in enumerate(people.columns):
            sets = LabelSets(column)
            if release.recoding.space != MEANS or not shows_means(sets):
                continue
            points = np.append(np.array(sets.points, dtype=np.float64), np.nan)
            values.append(points[np.minimum(people.tuples[:, place], len(sets.points))])
            labels = [labels[order[column.name]] for labels in release.classes]
            targets.append([np.nan if (p := sets.point(label)) is None else float(p) for label in labels])
            line = column.cutting.line
            low, high = (0, 1) if line is None or line.granules is None else line.granules.edges(0)
            width.append(float((high or 0) - (low or 0)))
        tall, wide = (len(people.tuples), 0), (len(release.classes), 0)
        return cls(
            np.array(values).T.reshape(len(people.tuples), -1) if values else np.empty(tall),
            np.array(targets).T.reshape(len(release.classes), -1) if targets else np.empty(wide),
            np.array(width),
        )

    @property
    def classes(self) -> Integers:
        """The classes that show a mean."""
        return np.flatnonzero((~np.isnan(self.means)).any(axis=1))

    def members(self, number: int, rows: int, tuples: Integers, counts: Integers) -> Integers | None:
        """All ways to choose the rows of a class among tuples of so many rows each, one in each line; None if
        there are too many sums."""
        columns = ~np.isnan(self.means[number])
        sums, width = self.means[number, columns] * rows, self.width[columns]
        slack = rows * width / 2 + PRECISION * np.abs(sums)
        return subsets(self.values[tuples][:, columns], counts, rows, sums - slack, sums + slack)


def subsets(values: Floats, counts: Integers, rows: int, low: Floats, high: Floats) -> Integers | None:
    """All choices of so many rows whose sums lie between two bounds, in every column; row i occurs
    `counts[i]` times. None if more than `MOST_SUMS` sums have to be formed.

    >>> ages = np.array([[20.0], [21.0], [40.0], [41.0]])
    >>> subsets(ages, np.ones(4, dtype=int), 2, np.array([60.0]), np.array([61.0])).tolist()
    [[0, 2], [0, 3], [1, 2]]
    """
    number = len(values)
    if not number:
        return np.empty((0, rows), dtype=np.int64)
    order = np.argsort(values[:, 0], kind="stable")
    values, counts = values[order], counts[order]
    # The least and the most that a row from a place on adds.
    least = np.minimum.accumulate(values[::-1])[::-1]
    most = np.maximum.accumulate(values[::-1])[::-1]
    chosen, sums = np.empty((1, 0), dtype=np.int64), np.zeros((1, values.shape[1]))
    last, used = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for still in range(rows - 1, -1, -1):
        first = last + (used >= counts[last])
        fan = number - first
        if fan.sum() > MOST_SUMS:
            return None
        parent = np.repeat(np.arange(len(last)), fan)
        place = np.arange(len(parent)) - np.repeat(np.cumsum(fan) - fan, fan) + first[parent]
        total = sums[parent] + values[place]
        possible = ((total + still * least[place] <= high) & (total + still * most[place] >= low)).all(axis=1)
        parent, place, sums = parent[possible], place[possible], total[possible]
        used = np.where(last[parent] == place, used[parent], 0) + 1
        chosen, last = np.column_stack([chosen[parent], place]), place
    return order[chosen]


def searched(release: Published, people: People, fit: Fits) -> Fits:
    """The classes that people can be in by the sums of all means; how many classes could be searched."""
    means = Means.of(release, people)
    if not len(means.classes):
        return fit
    search = _Search(means, release.sizes, fit, people.rows.copy())
    search.run()
    distinct: dict[Fitting, int] = {}
    of_tuple = np.array(
        [distinct.setdefault(search.fitting(place), len(distinct)) for place in range(len(people.rows))],
        dtype=np.int64,
    )
    return replace(
        fit, of_tuple=of_tuple, sets=tuple(distinct), searched=(len(search.members), len(means.classes))
    )


@dataclass(eq=False)
class _Search:
    """A search class by class, from the smallest. `members` are the tuples that each searched class may have;
    those of `settled` classes are certain, and `rows` of each tuple are in none of these."""

    means: Means
    sizes: Integers
    fit: Fits
    rows: Integers
    members: dict[int, frozenset[int]] = field(default_factory=dict)
    settled: set[int] = field(default_factory=set)

    def run(self) -> None:
        """Search all classes, again and again, until no more becomes certain."""
        order = sorted(self.means.classes.tolist(), key=lambda number: int(self.sizes[number]))
        sets_of, formed, before = _sets_of(self.fit, len(self.sizes)), 0, -1
        while before < len(self.settled):
            before = len(self.settled)
            for number in (number for number in order if number not in self.settled):
                tuples = np.flatnonzero(np.isin(self.fit.of_tuple, sets_of[number]) & (self.rows > 0))
                if len(tuples) ** 2 > 4 * MOST_SUMS:
                    continue
                formed += len(tuples) ** 2
                if formed > MOST_IN_ALL:
                    return
                self._search(number, tuples)

    def _search(self, number: int, tuples: Integers) -> None:
        ways = self.means.members(number, int(self.sizes[number]), tuples, self.rows[tuples])
        if ways is None:
            return
        self.members[number] = frozenset(tuples[np.unique(ways)].tolist())
        if len(ways) == 1:
            self.settled.add(number)
            np.subtract.at(self.rows, tuples[ways[0]], 1)

    def fitting(self, place: int) -> Fitting:
        """The classes that a tuple may be in."""
        classes = self.fit.sets[int(self.fit.of_tuple[place])]
        if not self.members:
            return classes
        some_left = bool(self.rows[place])
        return tuple(
            number
            for number in classes
            if place in self.members.get(number, (place,)) and (some_left or number in self.settled)
        )


def _sets_of(fit: Fits, classes: int) -> list[list[int]]:
    """For each class the sets of classes that contain it."""
    sets: list[list[int]] = [[] for _ in range(classes)]
    for number, fitting in enumerate(fit.sets):
        for one in fitting:
            sets[one].append(number)
    return sets


def nearest(release: Published, people: People, fit: Fits) -> Integers:
    """The class whose means are nearest to those of each tuple, among those that it fits; -1 if none. Columns
    count by their spread."""
    means = Means.of(release, people)
    spread = np.nan_to_num(np.nanstd(means.values, axis=0))
    spread = np.where(spread > 0, spread, 1.0)
    values, centers = np.nan_to_num(means.values / spread), means.means / spread
    of_tuple = np.full(len(people.rows), -1, dtype=np.int64)
    for number, classes in enumerate(fit.sets):
        places = np.flatnonzero(fit.of_tuple == number)
        if not classes:
            continue
        targets = centers[list(classes)]
        step = max(AT_ONCE // max(targets.size, 1), 1)
        for begin in range(0, len(places), step):
            some = places[begin : begin + step]
            apart = np.nan_to_num((values[some][:, None] - targets) ** 2).sum(axis=2)
            of_tuple[some] = np.array(classes)[apart.argmin(axis=1)]
    return of_tuple
