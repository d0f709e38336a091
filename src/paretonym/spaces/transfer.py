"""A recoding of old rows, transferred to old and new rows together, or refused: no label may change its
meaning, and no new row may be without one.

A recoding by levels shows new values at the same levels. Any other is transferred by what its classes show: a
new row joins the cheapest class of the old release whose sets contain its values, the first of several;
without such a class it is suppressed. A label says which values a set holds, those too that did not occur:
`[20, 30)` holds 27 whether or not anybody was 27. Classes that the old release suppressed do not count: a new
row there would say that somebody had such values.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats, Integers
from paretonym.counts import Axis, Cube
from paretonym.errors import Bug, Field, InputError, Problem
from paretonym.measures import Realized
from paretonym.number_text import number_to_json
from paretonym.recoding import ClassCondition, Classes, Feature, Keep, Recoding, ShownSets
from paretonym.schema import BoundSchema, QuasiColumn
from paretonym.source import Counts
from paretonym.spaces.space import part_limits
from paretonym.spaces.space_registry import space_of

Run: TypeAlias = tuple[int, int]
# Tuples that are looked up together.
_CHUNK = 4096


class Before(NamedTuple):
    """The old table: its cube, its binding, and how many entries (rows, or distinct rows) it has."""

    cube: Cube
    bound: BoundSchema
    rows: int


@dataclass(frozen=True, eq=False)
class CarriedOver:
    """What makes classes of old and new rows, what a class must have to stay, and the labels of the sets that
    each quasi-identifier shows, None if they are those of the classes. `nowhere` are the new entries without
    a class that the old release shows, although each of their values has a label."""

    classes: Callable[[Cube], Classes]
    keep: Keep
    labels: Sequence[Sequence[str]] | None = None
    nowhere: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))


def transferred(recoding: Recoding, old: Before, both: Counts, bound: BoundSchema) -> CarriedOver:
    """The recoding for both tables; `both` has the old entries first, and `bound` is its binding."""
    space = space_of(recoding)
    if space.lacks(Feature.TRANSFER):
        raise InputError.of(
            Field("pick"),
            space.supports[Feature.TRANSFER],
            "explore old and new rows together and release both again, or choose a release from "
            "another space",
        )
    levels = recoding.known_levels
    if all(len(levels.get(column.name, ())) == 1 for column in bound.quasi):
        labels = [old_labels(old.bound, bound, column.name, levels[column.name][0]) for column in bound.quasi]
        return CarriedOver(recoding.classes, recoding.keep, labels)
    return _by_sets(recoding, old, both, bound)


def _by_sets(recoding: Recoding, old: Before, both: Counts, bound: BoundSchema) -> CarriedOver:
    """The classes of the old release in the values of both tables."""
    made = Realized.of(recoding, old.cube)
    sets, units, problems = [], [], []
    for axis, past in zip(old.cube.axes, made.classes.sets, strict=True):
        now = bound_column(bound, axis.name)
        places = leaf_places(bound_column(old.bound, axis.name), now)
        units.append(_first_leaves(now)[places[axis.unit_ends[:-1]]])
        runs = _runs(axis, past, uncounted_axis(now), places)
        if runs is None:
            problems.append(other_sets(axis.name, ""))
        else:
            sets.append(_sets(past, runs, now))
    if problems:
        raise InputError(problems)
    stay = made.stays[made.classes.of_tuple]
    known = np.stack([own[made.cube.groups[stay, j]] for j, own in enumerate(units)], axis=1)
    boxes = Boxes.of(made, tuple(sets), known)
    new = old.rows + np.flatnonzero(~both.dropped(bound.omitted)[old.rows :])
    leaves = [
        _first_leaves(column)[column.lookup[both.column(column.name).codes[new]]] for column in bound.quasi
    ]
    limits = part_limits(recoding)
    keep = recoding.keep or tuple(
        ClassCondition((limit.name,), limit.sense, (str(number_to_json(limit.bound)),)) for limit in limits
    )
    return CarriedOver(boxes.classes, keep, nowhere=new[boxes.find(np.stack(leaves, axis=1)) < 0])


def _first_leaves(column: QuasiColumn) -> Integers:
    """Of each leaf the first one that is never told apart from it."""
    groups = column.hierarchy.levels[column.lowest].groups
    return np.searchsorted(groups, groups).astype(np.int64)


def _sets(past: ShownSets, runs: list[Run], now: QuasiColumn) -> ShownSets:
    first, after = np.array(runs, dtype=np.int64).reshape(-1, 2).T
    domain = now.hierarchy.domain
    sizes = np.minimum(after, domain) - np.minimum(first, domain)
    return ShownSets(past.labels, np.where(sizes == 0, domain, sizes), first, after)


def _runs(axis: Axis, past: ShownSets, now: Axis, places: Integers) -> list[Run] | None:
    """The leaves of both tables that each set of the old one holds; `places` says where the old leaves
    are. None if a label would mean another set."""
    by_label = _labelled(now)
    runs: list[Run] = []
    for number, (first, after) in enumerate(zip(past.first.tolist(), past.after.tolist(), strict=True)):
        ends = past.ends[number] if past.ends else None
        labelled = by_label.get(past.labels[number], [])
        if axis.hierarchy.leaves == (past.labels[number],):
            # The only value of a column is its whole domain, but its label means that value alone.
            run = int(places[0]), int(places[0]) + 1
        else:
            run = _run(axis, now, (first, after), ends, places, labelled)
        inside = np.zeros(len(places), dtype=np.bool_)
        inside[first:after] = True
        if not np.array_equal((places >= run[0]) & (places < run[1]), inside):
            return None
        runs.append(run)
    return runs


def _run(
    axis: Axis,
    now: Axis,
    old: Run,
    ends: tuple[int | None, int | None] | None,
    places: Integers,
    labelled: list[Run],
) -> Run:
    """The new leaves of one set, given its old ones, its ends on a line, and what its label means."""
    before, line = axis.cutting.line, now.cutting.line
    leaves, alone = len(now.hierarchy.leaves), now.cutting.alone
    if old == (0, len(axis.hierarchy.leaves)):
        return 0, leaves
    begin, end = int(places[old[0]]), int(places[old[1] - 1]) + 1
    if ends is not None and before is not None and line is not None and begin < leaves - alone:
        low, high = (None if each is None else before.rescaled(each, line) for each in ends)
        return (
            0 if low is None else bisect_left(line.points, low),
            leaves - alone if high is None else bisect_left(line.points, high),
        )
    return next((run for run in labelled if run[0] <= begin and end <= run[1]), (begin, end))


def _labelled(axis: Axis) -> dict[str, list[Run]]:
    """The leaves of all sets of a hierarchy by their labels, finer sets first."""
    found: dict[str, list[Run]] = {}
    for level in axis.hierarchy.levels[axis.lowest :]:
        numbers = np.arange(len(level.labels))
        first = np.searchsorted(level.groups, numbers).tolist()
        after = np.searchsorted(level.groups, numbers, side="right").tolist()
        for label, begin, end in zip(level.labels, first, after, strict=True):
            found.setdefault(label, []).append((begin, end))
    return found


@dataclass(frozen=True, eq=False)
class Boxes:
    """The sets that the classes of a release show: class c shows `sets[j]` entry `shown[c, j]`, the cheaper
    classes first. `members[j]` has a row of bits for every stretch of leaves of axis j between two ends of
    sets, `stretches[j]`: which classes hold it. `known` is the class of values that rows of the release have:
    others like them join it."""

    sets: tuple[ShownSets, ...]
    shown: Integers
    stretches: tuple[Integers, ...]
    members: tuple[npt.NDArray[np.uint8], ...]
    known: Mapping[bytes, int]

    @classmethod
    def of(cls, made: Realized, sets: tuple[ShownSets, ...], known: Integers) -> Boxes:
        """`known` has the leaves of each tuple that stays."""
        shown = made.classes.shown[made.stays]
        cost: Floats = sum(
            (float(axis.importance) * (each.sizes / max(axis.hierarchy.domain, 1))[shown[:, j]]
             for j, (axis, each) in enumerate(zip(made.cube.axes, sets, strict=True))),
            start=np.zeros(len(shown)),
        )  # fmt: skip
        order = np.argsort(cost, kind="stable")
        place = np.empty(len(made.classes), dtype=np.int64)
        place[np.flatnonzero(made.stays)[order]] = np.arange(len(order))
        of_tuple = made.classes.of_tuple[made.stays[made.classes.of_tuple]]
        classes = {row.tobytes(): own for row, own in zip(known, place[of_tuple].tolist(), strict=True)}
        shown = shown[order]
        stretches = tuple(np.unique(np.concatenate([each.first, each.after])) for each in sets)
        members = tuple(
            _members(each, ends, shown[:, j])
            for j, (each, ends) in enumerate(zip(sets, stretches, strict=True))
        )
        return cls(sets, shown, stretches, members, classes)

    def find(self, leaves: Integers) -> Integers:
        """The class of each row of leaves, -1 if none holds it."""
        own = np.array([self.known.get(row.tobytes(), -1) for row in leaves], dtype=np.int64)
        parts = [self._find(leaves[start : start + _CHUNK]) for start in range(0, len(leaves), _CHUNK)]
        return np.where(own >= 0, own, np.concatenate([np.empty(0, dtype=np.int64), *parts]))

    def _find(self, leaves: npt.NDArray[np.integer]) -> Integers:
        bits = np.full((len(leaves), -(-len(self.shown) // 8)), 255, dtype=np.uint8)
        for j, (ends, members) in enumerate(zip(self.stretches, self.members, strict=True)):
            bits &= members[np.searchsorted(ends, leaves[:, j], side="right")]
        byte = np.argmax(bits != 0, axis=1)
        first = bits[np.arange(len(bits)), byte]
        bit = np.argmax(np.unpackbits(first[:, None], axis=1), axis=1)
        return np.where(first == 0, -1, 8 * byte + bit).astype(np.int64)

    def classes(self, cube: Cube) -> Classes:
        """Every tuple of a cube in its class."""
        leaves = [axis.unit_ends[:-1][cube.groups[:, j]] for j, axis in enumerate(cube.axes)]
        found = self.find(np.stack(leaves, axis=1).astype(np.int64))
        if (found < 0).any():
            raise Bug("a row lies in no class")
        there, of_tuple = np.unique(found, return_inverse=True)
        of_tuple = of_tuple.reshape(-1)
        rows = np.rint(np.bincount(of_tuple, weights=cube.counts, minlength=len(there))).astype(np.int64)
        persons = None if cube.persons is None else cube.persons.in_classes(of_tuple, len(there))
        return Classes(of_tuple, self.shown[there], self.sets, rows, persons=persons)


def _members(sets: ShownSets, ends: Integers, shown: Integers) -> npt.NDArray[np.uint8]:
    """For what lies before the first end, between two ends, and behind the last: a bit for each class that
    holds it."""
    begins = np.concatenate([[-1], ends])
    holds = (sets.first <= begins[:, None]) & (begins[:, None] < sets.after)
    return np.packbits(holds[:, shown], axis=1)


def old_labels(old: BoundSchema, both: BoundSchema, name: str, level: int) -> tuple[str, ...]:
    """The labels of a column's sets at a level of the joined data: that of the old release wherever a set
    holds a value of the old data.

    Refused if new values would change which old values are shown alike, or if a set of new values alone would
    get a label that the old release uses for another.
    """
    before, after = bound_column(old, name), bound_column(both, name)
    labels = list(after.hierarchy.levels[level].labels)
    if after.hierarchy.strays and level < after.hierarchy.height:
        # Values outside the hierarchy are shown as the top set, as in the old release.
        labels[-1] = before.hierarchy.levels[-1].labels[0]
    pairs = _pairs(before, after, level)
    shown = dict(pairs)
    torn = len(shown) < len(pairs) or len({past for _, past in pairs}) < len(pairs)
    for place, past in shown.items():
        labels[place] = before.hierarchy.levels[level].labels[past]
    if torn or len(set(labels)) < len(labels):
        raise InputError([other_sets(name, f" of level {level}")])
    return tuple(labels)


def _pairs(before: QuasiColumn, after: QuasiColumn, level: int) -> list[tuple[int, int]]:
    """Which set of the joined data and which set of the old data show a value of the old data, each pair
    once. The old values come first, so that their codes are unchanged."""
    past = before.lookup
    now = np.append(after.codes[: len(before.codes)], np.int32(after.null_code))
    both = (past >= 0) & (now >= 0)
    sets = after.hierarchy.levels[level].groups[now[both]], before.hierarchy.levels[level].groups[past[both]]
    return sorted(set(zip(sets[0].tolist(), sets[1].tolist(), strict=True)))


def other_sets(name: str, which: str) -> Problem:
    """The error for new values that give old labels another meaning."""
    return Problem(
        f"the new data, column '{name}'",
        f"with the new values, labels{which} would mean different sets than in the old release",
        "remove those rows, or explore old and new rows together",
    )


def bound_column(bound: BoundSchema, name: str) -> QuasiColumn:
    return next(column for column in bound.quasi if column.name == name)


def uncounted_axis(column: QuasiColumn) -> Axis:
    """A column as a recoding sees it; its rows are not counted yet."""
    rows = np.zeros(len(column.hierarchy.leaves), dtype=np.int64)
    return Axis(
        column.name, column.hierarchy, column.lowest, column.highest, column.importance, rows, column.cutting
    )


def leaf_places(before: QuasiColumn, after: QuasiColumn) -> Integers:
    """The place of each old leaf among those of both tables. The old values come first, so that their codes
    are unchanged; leaves that do not occur are identified by their text in the schema."""
    place = {text: leaf for leaf, text in enumerate(after.hierarchy.leaves)}
    found = np.array([place.get(text, 0) for text in before.hierarchy.leaves], dtype=np.int64)
    past = before.lookup
    now = np.append(after.codes[: len(before.codes)], np.int32(after.null_code))
    both = (past >= 0) & (now >= 0)
    found[past[both]] = now[both]
    return found
