"""The closed form of a local recoding: every class shows the smallest sets that contain it, and no row that
is left out lies inside a class that stays.

Whatever search made the classes, this is what is measured, compared, stored and released; an audit beside the
original assumes it, and new rows are added in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paretonym.base.arrays import Codes, Integers, Mask
from paretonym.base.errors import NoSolution
from paretonym.engine.counts import Axis, Cube
from paretonym.engine.measures import CostRule, meeting
from paretonym.engine.recoding import Boxes, Classes, Keep, ShownSets


def closed(cube: Cube, of_tuple: Integers, keep: Keep) -> Classes:
    """The classes in closed form, given the class of every tuple, negative where it is in none.

    A tuple that is in no class that stays, but inside one, joins the cheapest of these. The sets are the same
    then and the sizes no smaller; but a class whose members together miss another condition, such as one on
    sensitive values, does not stay. Tuples that are inside no class that stays are classes of their own.

    Time: for each round tuples outside × classes × columns. There are two rounds, and two more for each time
    that a class misses a condition.
    """
    tuples, home = np.arange(cube.tuples), of_tuple
    for _ in range(2 * len(np.unique(of_tuple)) + 3):
        classes = smallest_sets(cube, np.where(home < 0, cube.tuples + tuples, home))
        home = classes.of_tuple
        stays = meeting(cube, classes, keep)
        outside = ~stays[home]
        if not outside.any() or not stays.any():
            return classes
        if (np.bincount(home)[home[outside]] > 1).any():
            home = np.where(outside, -1, home)
            continue
        joined = _holding(cube, classes, stays, outside)
        if (joined < 0).all():
            return classes
        home = home.copy()
        home[outside] = joined
    raise NoSolution("No classes were found that hold everybody who lies inside them. Require less.")


def _holding(cube: Cube, classes: Classes, stays: Mask, outside: Mask) -> Integers:
    """The cheapest class that stays and holds each tuple outside, -1 where there is none; of equal ones the
    first in the order of the leaves."""
    places = np.flatnonzero(stays)
    entries = classes.shown[places]
    ends = [(sets.first[entries[:, j]], sets.after[entries[:, j]]) for j, sets in enumerate(classes.sets)]
    costs = CostRule.named("generalization", cube).of_classes(cube, classes)[places].sum(axis=1)
    order = np.lexsort((*(end for pair in reversed(ends) for end in reversed(pair)), costs))
    first = Boxes.of(classes.sets, entries[order]).find(cube.first_leaves[outside])
    return np.where(first < 0, -1, places[order[first]])


def smallest_sets(cube: Cube, of_tuple: Integers) -> Classes:
    """Classes of tuples, each of which shows the smallest sets that contain it."""
    order = np.argsort(of_tuple, kind="stable")
    starts = np.flatnonzero(np.diff(of_tuple[order], prepend=-1))
    place = np.cumsum(np.diff(of_tuple[order], prepend=-1) != 0) - 1
    of_class = np.empty(cube.tuples, dtype=np.int64)
    of_class[order] = place
    levels = []
    for j, axis in enumerate(cube.axes):
        groups = cube.groups[order, j]
        low, high = np.minimum.reduceat(groups, starts), np.maximum.reduceat(groups, starts)
        level = np.full(len(starts), axis.lowest, dtype=np.int64)
        for higher in range(axis.lowest, axis.hierarchy.height):
            mapping = axis.mapping(axis.lowest, higher)
            level[mapping[low] != mapping[high]] = higher + 1
        levels.append(level[of_class])
    return _at_levels(cube, levels)


def _at_levels(cube: Cube, levels: Sequence[Integers]) -> Classes:
    """The classes of tuples that show a level each, given for every axis; those that show equal sets are
    one."""
    shown, sets = [], []
    for j, (axis, of_tuple) in enumerate(zip(cube.axes, levels, strict=True)):
        mixed, places = mixed_sets(axis, np.unique(of_tuple).tolist())
        column = np.empty(cube.tuples, dtype=np.int32)
        for level, of_group in places.items():
            at_level = of_tuple == level
            column[at_level] = of_group[axis.mapping(axis.lowest, level)[cube.groups[at_level, j]]]
        shown.append(column)
        sets.append(mixed)
    return Classes.by_column(cube, list(shown), tuple(sets))


def mixed_sets(axis: Axis, levels: Sequence[int]) -> tuple[ShownSets, dict[int, Codes]]:
    """The sets of several levels of one hierarchy, and the place among them of each set of each level.

    A label means one set in all levels, so a set of several levels with one label occurs once. A value
    outside the hierarchy has the label of the top set; where both occur, it is that set.
    """
    of_level = {level: ShownSets.of_level(axis, level) for level in levels}
    if len(of_level) == 1:
        (only,) = of_level.items()
        return only[1], {only[0]: np.arange(len(only[1].labels), dtype=np.int32)}
    by_label: dict[str, tuple[int, int, int]] = {}
    for sets in of_level.values():
        ends = zip(sets.sizes.tolist(), sets.first.tolist(), sets.after.tolist(), strict=True)
        # Of a label that occurs again, the set of the highest level counts.
        by_label.update(zip(sets.labels, ends, strict=True))
    number = {label: place for place, label in enumerate(by_label)}
    sizes, first, after = np.array(list(by_label.values()), dtype=np.int64).T
    mixed = ShownSets(tuple(by_label), sizes.copy(), first.copy(), after.copy(), mixed=tuple(levels))
    places = {
        level: np.array([number[label] for label in sets.labels], dtype=np.int32)
        for level, sets in of_level.items()
    }
    return mixed, places
