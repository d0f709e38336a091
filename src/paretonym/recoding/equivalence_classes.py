"""The equivalence classes that a recoding forms, and the sets that they show. For any space."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats, Integers
from paretonym.counts import Axis, Cube
from paretonym.factorize import distinct_rows, group_sums

Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class ShownSets:
    """The sets that one quasi-identifier shows: each holds the leaves from `first` up to but excluding
    `after`.

    `sizes` counts domain values. `level` is the level of the hierarchy that they form, or None; `mixed` are
    the levels if different rows are shown at different ones. `domain` is D if the space counts it in units
    other than values. `ends` are the points of a line of numbers or dates from which and up to which each set
    goes, None where it is open. `numbers` are those that stand in place of the sets, as means of classes do.
    """

    labels: tuple[str, ...]
    sizes: Integers
    first: Integers
    after: Integers
    level: int | None = None
    domain: int | None = None
    mixed: tuple[int, ...] = ()
    ends: tuple[tuple[int | None, int | None], ...] = ()
    numbers: Floats | None = None

    @classmethod
    def of_level(cls, axis: Axis, level: int) -> ShownSets:
        """The sets of one level of a hierarchy."""
        chosen = axis.hierarchy.levels[level]
        return cls(chosen.labels, chosen.sizes.astype(np.int64), chosen.edges[:-1], chosen.edges[1:], level)

    def rows(self, axis: Axis) -> Integers:
        """How many rows of the input lie in each set."""
        before = np.concatenate([[0], np.cumsum(axis.leaf_rows)])
        result: Integers = before[self.after] - before[self.first]
        return result


@dataclass(frozen=True, eq=False)
class Buckets:
    """Groups of rows among which the sensitive values are mixed up. For each sensitive column: `cells[i]`
    counts its values, one row for a bucket; `guesses[i]` holds for each tuple, one row each, how many of its
    rows a reader expects to have each value, assuming that every value of a bucket is equally likely for each
    of its rows. `expected` gives the same for other counts of values in the tuples, such as those of a sample
    of the rows."""

    cells: tuple[Integers, ...]
    guesses: tuple[npt.NDArray[np.float64], ...]
    expected: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]

    def __len__(self) -> int:
        return len(self.cells[0])


@dataclass(frozen=True, eq=False)
class Classes:
    """The class of every tuple of the cube, before any suppression.

    `of_tuple[t]` is the class of tuple t; `shown[c, j]` the set that class c shows for axis j, an entry of
    `sets[j]`; `rows[c]` how many rows it has. Classes differ in what they show. With `buckets` the sensitive
    values are those of a row's bucket, not of its class. `persons[c]` is how many persons it has, if a column
    says whose a row is.
    """

    of_tuple: Integers
    shown: Integers
    sets: tuple[ShownSets, ...]
    rows: Integers
    buckets: Buckets | None = None
    persons: Integers | None = None
    _made: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """A result that depends on these classes and their table alone, kept for further questions: the
        thresholds of one node ask about the same classes."""
        if name not in self._made:
            self._made[name] = make()
        made: Made = self._made[name]
        return made

    @property
    def sizes(self) -> Integers:
        """What k is the least of: persons, if they are counted, otherwise rows."""
        return self.rows if self.persons is None else self.persons

    @classmethod
    def at_levels(cls, cube: Cube, levels: Mapping[str, int]) -> Classes:
        """The classes of full-domain generalization: every quasi-identifier at one level of its hierarchy."""
        sets = tuple(ShownSets.of_level(axis, levels[axis.name]) for axis in cube.axes)
        groups = [
            axis.mapping(axis.lowest, levels[axis.name])[cube.groups[:, j]]
            for j, axis in enumerate(cube.axes)
        ]
        return cls.by_column(cube, list(groups), sets)

    @classmethod
    def by_column(
        cls, cube: Cube, shown: list[npt.NDArray[np.integer]], sets: tuple[ShownSets, ...]
    ) -> Classes:
        """The classes of a recoding that looks at each column alone; tuple t shows `shown[j][t]`."""
        first, of_tuple, _ = distinct_rows(shown, [len(column_sets.labels) for column_sets in sets])
        return cls(
            of_tuple,
            np.stack([column[first] for column in shown], axis=1).astype(np.int64),
            sets,
            group_sums(of_tuple, cube.counts, len(first)),
            persons=None if cube.persons is None else cube.persons.in_classes(of_tuple, len(first)),
        )

    def __len__(self) -> int:
        return len(self.rows)

    def levels(self, axes: Sequence[Axis]) -> Integers:
        """The lowest level of each axis that has the set which a class shows; -1 where none has."""
        columns = []
        for j, (axis, sets) in enumerate(zip(axes, self.sets, strict=True)):
            level_of = np.full(len(sets.first), -1, dtype=np.int64)
            for number in range(axis.hierarchy.height, axis.lowest - 1, -1):
                level = axis.hierarchy.levels[number]
                group = level.groups[sets.first]
                same = (level.edges[group] == sets.first) & (level.edges[group + 1] == sets.after)
                level_of[same] = number
            columns.append(level_of[self.shown[:, j]])
        return np.stack(columns, axis=1)

    def labels(self, place: int) -> tuple[str, ...]:
        """What one class shows, a label for each quasi-identifier."""
        return tuple(sets.labels[i] for sets, i in zip(self.sets, self.shown[place].tolist(), strict=True))
