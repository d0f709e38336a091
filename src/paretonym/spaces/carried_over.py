"""A recoding of old rows, transferred to old and new rows together, or refused: no label may change its
meaning, and no new row may be without one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from paretonym.arrays import Integers
from paretonym.counts import Axis, Cube
from paretonym.errors import InputError, Problem
from paretonym.recoding import Classes, Keep
from paretonym.schema import BoundSchema, QuasiColumn


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
