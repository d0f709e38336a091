"""Who is suppressed: the share of the rows of each value that a release leaves out. For publishers alone."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from paretonym.base.factorize import group_sums
from paretonym.engine.counts import Axis
from paretonym.engine.measures import Realized

# A column with more values is looked at by the groups of a level that has no more.
MOST_VALUES = 20
# The groups that are named: those that lose the largest share.
MOST_GROUPS = 10


class SuppressedGroup(NamedTuple):
    """The rows with one value of a quasi-identifier, and how many of them a release suppresses."""

    column: str
    value: str
    rows: int
    gone: int

    @property
    def shown(self) -> str:
        """The value, in quotes if blanks at its ends would not be seen.

        >>> SuppressedGroup("sex", "m ", 75, 75).shown
        "'m '"
        """
        return self.value if self.value == self.value.strip() else f"'{self.value}'"

    @property
    def share(self) -> float:
        return self.gone / self.rows

    @property
    def vanishes(self) -> bool:
        """True if nobody of the group is left."""
        return self.gone == self.rows


def suppressed_groups(realized: Realized) -> tuple[SuppressedGroup, ...]:
    """The groups that lose most, the largest share first, then the most rows; none if no row is suppressed.

    A group is a value of a quasi-identifier, or a set of the lowest level that has at most 20. What the
    release shows of the column does not matter: a group that is not shown can be suppressed too.

    Cost: one pass over the tuples for each column.
    """
    cube, gone = realized.gone
    if not gone.any():
        return ()
    suppressed: list[SuppressedGroup] = []
    for j, axis in enumerate(cube.axes):
        level = _level(axis)
        if level is None:
            continue
        groups = axis.mapping(axis.lowest, level)[cube.groups[:, j]]
        labels = axis.hierarchy.levels[level].labels
        rows, lost = (group_sums(groups, counts, len(labels)) for counts in (cube.counts, gone))
        suppressed += [
            SuppressedGroup(axis.name, labels[i], int(rows[i]), int(lost[i]))
            for i in np.flatnonzero(lost).tolist()
        ]
    return tuple(sorted(suppressed, key=lambda each: (-each.share, -each.gone))[:MOST_GROUPS])


def _level(axis: Axis) -> int | None:
    """The lowest level with few groups, but more than one; None if there is none."""
    levels = range(axis.lowest, axis.hierarchy.height + 1)
    return next((level for level in levels if 1 < axis.groups(level) <= MOST_VALUES), None)


def suppressed_by_values(realized: Realized) -> int:
    """Number of people, or rows, in suppressed classes as large as one that stays: their sensitive values
    were the reason. Whoever knows that somebody of such a class is in the table knows that their values fail
    the conditions of the release; that with ℓ = 2, for example, all of them have the same."""
    if realized.unit_column is not None:
        return 0
    classes = realized.classes
    large = ~realized.stays & (classes.sizes >= realized.sizes.min())
    every = np.ones(len(classes), dtype=np.bool_)
    return replace(realized, stays=every).people_in(large) if large.any() else 0
