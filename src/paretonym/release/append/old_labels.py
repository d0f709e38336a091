"""Old labels for new rows: a set that the old release shows keeps its label there."""

from __future__ import annotations

import numpy as np

from paretonym.errors import InputError, Problem
from paretonym.schema.bound_schema import BoundSchema, QuasiColumn
from paretonym.schema.hierarchies.hierarchy_invariants import strays


def old_labels(old: BoundSchema, both: BoundSchema, name: str, level: int) -> tuple[str, ...]:
    """The labels of a column's sets at a level of the joined data: that of the old release wherever a set
    holds a value of the old data.

    Refused if new values would change which old values are shown alike, or if a set of new values alone would
    get a label that the old release uses for another.
    """
    before, after = bound_column(old, name), bound_column(both, name)
    labels = list(after.hierarchy.levels[level].labels)
    if strays(after.hierarchy) and level < after.hierarchy.height:
        # What has no place is shown as the top, as in the old release.
        labels[-1] = before.hierarchy.levels[-1].labels[0]
    pairs = _pairs(before, after, level)
    shown = dict(pairs)
    torn = len(shown) < len(pairs) or len({past for _, past in pairs}) < len(pairs)
    for place, past in shown.items():
        labels[place] = before.hierarchy.levels[level].labels[past]
    if torn or len(set(labels)) < len(labels):
        raise InputError([other_sets(name, f" of level {level}")])
    return tuple(labels)


def other_sets(name: str, which: str) -> Problem:
    """The mistake of new values that give old labels another meaning."""
    return Problem(
        f"the new data, column '{name}'",
        f"with the new values, labels{which} would mean other sets than in the old release",
        "leave those rows out, or explore old and new rows together",
    )


def bound_column(bound: BoundSchema, name: str) -> QuasiColumn:
    return next(column for column in bound.quasi if column.name == name)


def _pairs(before: QuasiColumn, after: QuasiColumn, level: int) -> list[tuple[int, int]]:
    """Which set of the joined data and which set of the old data show a value of the old data, each pair
    once. The old values come first among all, so that their codes stand in the same places."""
    past = before.lookup
    now = np.append(after.codes[: len(before.codes)], np.int32(after.null_code))
    both = (past >= 0) & (now >= 0)
    sets = after.hierarchy.levels[level].groups[now[both]], before.hierarchy.levels[level].groups[past[both]]
    return sorted(set(zip(sets[0].tolist(), sets[1].tolist(), strict=True)))
