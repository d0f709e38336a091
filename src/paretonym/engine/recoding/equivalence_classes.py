"""A recoding: what turns a table into equivalence classes, what these show, and its id, which is the same in
every run; and what may be asked of a way to recode that not every one can answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats, Integers
from paretonym.base.factorize import distinct_rows, group_sums, starts_of
from paretonym.engine.counts import Axis, Cube
from paretonym.engine.recoding.suppression import Keep

Made = TypeVar("Made")
# Rows that are looked up together.
_CHUNK = 4096


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
        """Number of rows of the input in each set."""
        before = starts_of(axis.leaf_rows)
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
        """The sizes that k is the least of: persons, if they are counted, otherwise rows."""
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
        return cls.of(cube, of_tuple, np.stack([column[first] for column in shown], axis=1), sets)

    @classmethod
    def of(
        cls, cube: Cube, of_tuple: Integers, shown: npt.NDArray[np.integer], sets: tuple[ShownSets, ...]
    ) -> Classes:
        """The classes of a partition; `shown` has a row for each."""
        rows = group_sums(of_tuple, cube.counts, len(shown))
        persons = None if cube.persons is None else cube.class_sizes(of_tuple, rows)
        return cls(of_tuple, shown.astype(np.int64), sets, rows, persons=persons)

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
        """The labels that one class shows, one for each quasi-identifier."""
        return tuple(sets.labels[i] for sets, i in zip(self.sets, self.shown[place].tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class Boxes:
    """Some classes in an order, with the values that each holds by its sets; these may overlap. `members[j]`
    has a row of bits for every stretch of leaves of axis j between two ends of sets, `stretches[j]`: which of
    the classes hold it."""

    stretches: tuple[Integers, ...]
    members: tuple[npt.NDArray[np.uint8], ...]
    number: int

    @classmethod
    def of(cls, sets: Sequence[ShownSets], shown: Integers) -> Boxes:
        """The boxes of classes; `shown` has a row for each, with the set that it shows for every axis."""
        stretches = tuple(np.unique(np.concatenate([column.first, column.after])) for column in sets)
        members = tuple(
            _members(column, ends, shown[:, j])
            for j, (column, ends) in enumerate(zip(sets, stretches, strict=True))
        )
        return cls(stretches, members, len(shown))

    def find(self, leaves: Integers) -> Integers:
        """The first class that holds each row of leaves, -1 if none does."""
        parts = [self._find(leaves[start : start + _CHUNK]) for start in range(0, len(leaves), _CHUNK)]
        return np.concatenate([np.empty(0, dtype=np.int64), *parts])

    def _find(self, leaves: npt.NDArray[np.integer]) -> Integers:
        bits = np.full((len(leaves), -(-self.number // 8)), 255, dtype=np.uint8)
        for j, (ends, members) in enumerate(zip(self.stretches, self.members, strict=True)):
            bits &= members[np.searchsorted(ends, leaves[:, j], side="right")]
        byte = np.argmax(bits != 0, axis=1)
        first = bits[np.arange(len(bits)), byte]
        bit = np.argmax(np.unpackbits(first[:, None], axis=1), axis=1)
        return np.where(first == 0, -1, 8 * byte + bit).astype(np.int64)


def _members(sets: ShownSets, ends: Integers, shown: Integers) -> npt.NDArray[np.uint8]:
    """For what lies before the first end, between two ends, and behind the last: a bit for each class that
    holds it."""
    begins = np.concatenate([[-1], ends])
    holds = (sets.first <= begins[:, None]) & (begins[:, None] < sets.after)
    return np.packbits(holds[:, shown], axis=1)


class Feature(StrEnum):
    """A thing that some spaces support. A space says of each other one why not: `supports[feature]` is the
    reason, and a feature without a reason is supported."""

    PERSONS = "persons"  # classes are counted in persons, who may have several rows
    UNITS = "units"  # a suppressed row takes the others of its person or household with it
    POPULATION = "population"  # the classes of the people that the rows were drawn from are known
    SUPPRESSION = "suppression"  # rows can be suppressed
    TRANSFER = "transfer"  # new rows can be shown as the old ones are
    LEVELS = "levels"  # the sets of the hierarchies' levels suffice: values need not be counted as they are


SHORTEST_ID = 6


class ShownRelease(NamedTuple):
    """Facts for a manifest about a recoding: the names of the columns in the file, the labels that each
    shows, the conditions on a class, and the column with the number of the bucket."""

    names: Mapping[str, str]
    labels: Callable[[], Mapping[str, list[str]]]
    keep: Mapping[str, Any]
    bucket: str = ""


class Recoding(Protocol):
    """Interface of the recodings of every space: the classes that they form, and how they are stored."""

    @property
    def keep(self) -> Keep:
        """The conditions that a class must meet to stay."""
        ...

    @property
    def known_levels(self) -> Mapping[str, int]:
        """The level of each quasi-identifier, if the recoding alone determines it for all rows."""
        ...

    def as_json(self) -> dict[str, Any]:
        """The form stored in files; `from_json` of the same type reads it back."""
        ...

    def flat(self) -> dict[str, Any]:
        """A few named cells, for a table with one row per solution."""
        ...

    def manifest(self, shown: ShownRelease) -> dict[str, Any]:
        """The entry of a manifest: levels, which disclose nothing about the input, or the labels that
        occur in the release, since groups and parts contain values."""
        ...

    def classes(self, cube: Cube) -> Classes:
        """The class of every tuple, before any suppression."""
        ...


def digest(recoding: Recoding) -> str:
    """A hash of what the recoding does and nothing else: the same in every run that finds it."""
    text = json.dumps(recoding.as_json(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def short_ids(recodings: Sequence[Recoding]) -> list[str]:
    """The first six characters of each digest, or more if two would be equal."""
    return shortened([digest(recoding) for recoding in recodings])


def shortened(digests: Sequence[str]) -> list[str]:
    """The shortest beginnings of digests that differ, of six characters or more."""
    lengths = dict.fromkeys(digests, SHORTEST_ID)
    while True:
        seen: dict[str, list[str]] = {}
        for name in lengths:
            seen.setdefault(name[: lengths[name]], []).append(name)
        clashes = [name for group in seen.values() if len(group) > 1 for name in group]
        if not clashes:
            return [name[: lengths[name]] for name in digests]
        for name in clashes:
            lengths[name] += 2
