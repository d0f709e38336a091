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
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from paretonym.base.arrays import Codes, Floats, Integers, Mask
from paretonym.base.errors import Bug, Field, InputError, Problem
from paretonym.base.number_text import number_to_json
from paretonym.engine.counts import Axis, Cube
from paretonym.engine.measures import Realized
from paretonym.engine.recoding import (
    Boxes,
    ClassCondition,
    Classes,
    Feature,
    Keep,
    Recoding,
    ShownSets,
    sizes_among,
)
from paretonym.engine.spaces.space import part_limits
from paretonym.engine.spaces.space_registry import space_of
from paretonym.tables.schema import BoundSchema, QuasiColumn
from paretonym.tables.schema.hierarchies import TOP_LABEL
from paretonym.tables.source import Counts

Run: TypeAlias = tuple[int, int]


class Before(NamedTuple):
    """The old table: its cube, its binding, and how many entries (rows, or distinct rows) it has."""

    cube: Cube
    bound: BoundSchema
    rows: int


@dataclass(frozen=True, eq=False)
class CarriedOver:
    """Maker of classes of old and new rows, what a class must have to stay, and the labels of the sets that
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
    if all(column.name in levels for column in bound.quasi):
        labels = [old_labels(old.bound, bound, column.name, levels[column.name]) for column in bound.quasi]
        return CarriedOver(recoding.classes, recoding.keep, labels)
    return _by_sets(recoding, old, both, bound)


def _by_sets(recoding: Recoding, old: Before, both: Counts, bound: BoundSchema) -> CarriedOver:
    """The classes of the old release in the values of both tables, by what its staying rows say alone."""
    made = Realized.of(recoding, old.cube)
    entries = ~both.dropped(bound.omitted)
    old_entries, new = np.flatnonzero(entries[: old.rows]), old.rows + np.flatnonzero(entries[old.rows :])
    sets, costs, units, leaves, problems = [], [], [], [], []
    for j, (axis, past) in enumerate(zip(old.cube.axes, made.classes.sets, strict=True)):
        now = bound_column(bound, axis.name)
        codes = both.column(axis.name).codes
        leaf_codes, places = (
            now.lookup[codes[old_entries]],
            leaf_places(bound_column(old.bound, axis.name), now),
        )
        first = _first_leaves(now)
        leaves.append(first[now.lookup[codes[new]]])
        units.append(first[places[axis.unit_ends[:-1]]])
        sets_shown = np.unique(made.classes.shown[made.stays, j])
        runs = _runs(axis, past, uncounted_axis(now), places, np.isin(places, leaf_codes), sets_shown)
        if runs is None:
            problems.append(other_sets(axis.name, ""))
        else:
            of_leaf, cost = _sets(past, runs, uncounted_axis(now), leaf_codes)
            sets.append(of_leaf)
            costs.append(cost)
    if problems:
        raise InputError(problems)
    stay = made.stays[made.classes.of_tuple]
    placed = np.stack(
        [units_of_axis[made.cube.groups[stay, j]] for j, units_of_axis in enumerate(units)], axis=1
    )
    staying = StayingClasses.of(made, tuple(sets), costs, placed)
    limits = part_limits(recoding)
    keep = recoding.keep or tuple(
        ClassCondition((limit.name,), limit.sense, (str(number_to_json(limit.bound)),)) for limit in limits
    )
    return CarriedOver(staying.classes, keep, nowhere=new[staying.find(np.stack(leaves, axis=1)) < 0])


def _first_leaves(column: QuasiColumn) -> Integers:
    """Of each leaf the first one that is never told apart from it."""
    level = column.hierarchy.levels[column.lowest]
    return level.edges[level.groups]


def _sets(past: ShownSets, runs: Integers, now: Axis, there: Codes) -> tuple[ShownSets, Floats]:
    """The sets in the leaves of both tables, and what showing each costs. Values that only rows have which
    the old release suppressed, or new ones, cost nothing: which class is the cheapest must not tell of them.
    """
    unsized = np.zeros(len(runs), dtype=np.int64)
    sets = ShownSets(past.labels, unsized, runs[:, 0], runs[:, 1], domain=past.domain)
    sizes, domain = sizes_among(now, sets, there)
    return replace(sets, sizes=sizes), float(now.importance) * (sizes - 1) / max(domain - 1, 1)


def _runs(
    axis: Axis, past: ShownSets, now: Axis, places: Integers, there: Mask, shown: Integers
) -> Integers | None:
    """The leaves of both tables that each set of the old one holds which classes show, from the first up to
    but excluding the last; none for other sets. `places` says where the old leaves are, `there` which of them
    rows have that stay. None if a label would mean another set."""
    by_label = _labelled(now)
    runs = np.zeros((len(past.labels), 2), dtype=np.int64)
    for number in shown.tolist():
        first, after, label = int(past.first[number]), int(past.after[number]), past.labels[number]
        ends = past.ends[number] if past.ends else None
        if axis.hierarchy.leaves == (label,):
            # The only value of a column is its whole domain, but its label means that value alone.
            run = int(places[0]), int(places[0]) + 1
        else:
            everything = axis.hierarchy.levels[-1].labels[0], TOP_LABEL
            whole = (first, after) == (0, len(axis.hierarchy.leaves)) and label in everything
            labelled = by_label.get(label, [])
            every = (0, len(now.hierarchy.leaves))
            run = every if whole else _run(axis, now, (first, after), ends, places, labelled)
        inside = np.zeros(len(places), dtype=np.bool_)
        inside[first:after] = True
        if (((places >= run[0]) & (places < run[1])) != inside)[there].any():
            return None
        runs[number] = run
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
    begin, end = int(places[old[0]]), int(places[old[1] - 1]) + 1
    if ends is not None and before is not None and line is not None and begin < leaves - alone:
        low, high = (None if end is None else before.rescaled(end, line) for end in ends)
        return (
            0 if low is None else bisect_left(line.points, low),
            leaves - alone if high is None else bisect_left(line.points, high),
        )
    return next((run for run in labelled if run[0] <= begin and end <= run[1]), (begin, end))


def _labelled(axis: Axis) -> dict[str, list[Run]]:
    """The leaves of all sets of a hierarchy by their labels, finer sets first."""
    runs: dict[str, list[Run]] = {}
    for level in axis.hierarchy.levels[axis.lowest :]:
        for label, run in zip(level.labels, pairwise(level.edges.tolist()), strict=True):
            runs.setdefault(label, []).append(run)
    return runs


@dataclass(frozen=True, eq=False)
class StayingClasses:
    """The classes that a release shows: class c shows `sets[j]` entry `shown[c, j]`, the cheaper classes
    first. `known` is the class of values that rows of the release have: others like them join it."""

    sets: tuple[ShownSets, ...]
    shown: Integers
    boxes: Boxes
    known: Mapping[bytes, int]

    @classmethod
    def of(
        cls, made: Realized, sets: tuple[ShownSets, ...], costs: Sequence[Floats], known: Integers
    ) -> StayingClasses:
        """`costs` are those of the sets; `known` has the leaves of each tuple that stays. Classes of one cost
        stand in the order of their labels, since the places of leaves depend on all rows."""
        groups = made.classes.shown[made.stays]
        pairs = [(column_sets, groups[:, j]) for j, column_sets in enumerate(sets)]
        cost = np.sum(
            [cost_of_set[column] for cost_of_set, (_, column) in zip(costs, pairs, strict=True)], axis=0
        )
        labels = [
            np.unique(column_sets.labels, return_inverse=True)[1][column] for column_sets, column in pairs
        ]
        order = np.lexsort((*reversed(labels), cost))
        place = np.empty(len(made.classes), dtype=np.int64)
        place[np.flatnonzero(made.stays)[order]] = np.arange(len(order))
        of_tuple = made.classes.of_tuple[made.stays[made.classes.of_tuple]]
        classes = {row.tobytes(): number for row, number in zip(known, place[of_tuple].tolist(), strict=True)}
        groups = groups[order]
        return cls(sets, groups, Boxes.of(sets, groups), classes)

    def find(self, leaves: Integers) -> Integers:
        """The class of each row of leaves, -1 if none holds it."""
        same = np.array([self.known.get(row.tobytes(), -1) for row in leaves], dtype=np.int64)
        return np.where(same >= 0, same, self.boxes.find(leaves))

    def classes(self, cube: Cube) -> Classes:
        """Every tuple of a cube in its class."""
        places = self.find(cube.first_leaves)
        if (places < 0).any():
            raise Bug("a row lies in no class")
        numbers, of_tuple = np.unique(places, return_inverse=True)
        of_tuple = of_tuple.reshape(-1)
        return Classes.of(cube, of_tuple, self.shown[numbers], self.sets)


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
    sets = dict(pairs)
    torn = len(sets) < len(pairs) or len({past for _, past in pairs}) < len(pairs)
    for place, past in sets.items():
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
    places = np.array([place.get(text, 0) for text in before.hierarchy.leaves], dtype=np.int64)
    past = before.lookup
    now = np.append(after.codes[: len(before.codes)], np.int32(after.null_code))
    both = (past >= 0) & (now >= 0)
    places[past[both]] = now[both]
    return places
