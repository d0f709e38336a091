"""A chain transferred to new rows: a new row joins the class of the old release that shows its values, at
the first node that has one. New rows that find none are grouped among themselves at the last node; whether
they stay depends on how many they are. Classes that the old release suppressed do not count: a new row at
their node would say that there were enough rows, and that these lacked diversity."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from paretonym.arrays import Integers
from paretonym.counts import Axis, Cube
from paretonym.errors import InputError
from paretonym.measures import Realized
from paretonym.recoding import Classes
from paretonym.schema import BoundSchema
from paretonym.source import Counts
from paretonym.spaces.carried_over import Before, CarriedOver, bound_column, old_labels, uncounted_axis
from paretonym.spaces.local.local_recoding import (
    Chain,
    Levels,
    LocalRecoding,
    classes_at_nodes,
    mixed_sets,
    nodes_of_tuples,
)

# The labels of the sets of each level of a column.
Labels: TypeAlias = dict[int, tuple[str, ...]]
# What each class of one node shows.
Shown: TypeAlias = set[tuple[str, ...]]


def transfer(recoding: LocalRecoding, old: Before, both: Counts, bound: BoundSchema) -> CarriedOver:
    """The classes of the old release, node by node; every set that holds an old value keeps its label."""
    if old.cube.persons is not None:
        raise InputError.of(
            "the schema",
            "new rows cannot be added to a local recoding of persons: whoever has old and new rows would be "
            "counted in both",
            "explore the old and the new rows together",
        )
    axes = old.cube.axes
    chain = recoding.nodes(axes)
    before = [_labels(axis, chain, j) for j, axis in enumerate(axes)]
    now = [
        {level: old_labels(old.bound, bound, axis.name, level) for level in own}
        for axis, own in zip(axes, before, strict=True)
    ]
    released = _formed(old.cube, chain, _nodes_that_show(recoding, old.cube), before)
    labels = [
        _mixed(uncounted_axis(bound_column(bound, axis.name)), own)
        for axis, own in zip(axes, now, strict=True)
    ]
    return CarriedOver(partial(_classes, chain=chain, formed=released, labels=now), recoding.keep, labels)


def _nodes_that_show(recoding: LocalRecoding, cube: Cube) -> Integers:
    """The place in the chain of the node at which the release shows each tuple; -1 where it does not."""
    made = Realized.of(recoding, cube)
    nodes = nodes_of_tuples(cube, recoding.nodes(cube.axes), recoding.smallest)
    return np.where(made.stays[made.classes.of_tuple], nodes, -1)


def _labels(axis: Axis, chain: Chain, column: int) -> Labels:
    levels = sorted({levels[column] for levels in chain})
    return {level: axis.hierarchy.levels[level].labels for level in levels}


def _mixed(axis: Axis, labels: Labels) -> tuple[str, ...]:
    """The labels of the old release for the sets of several levels, in the order that classes have them."""
    sets, places = mixed_sets(axis, list(labels))
    found = list(sets.labels)
    for level, own in places.items():
        for place, label in zip(own.tolist(), labels[level], strict=True):
            found[place] = label
    return tuple(found)


def _formed(cube: Cube, chain: Chain, node: Integers, labels: Sequence[Labels]) -> list[Shown]:
    """What the classes of each node show in the old release."""
    return [
        set(_texts(cube, levels, np.flatnonzero(node == place), labels)) for place, levels in enumerate(chain)
    ]


def _texts(cube: Cube, levels: Levels, tuples: Integers, labels: Sequence[Labels]) -> list[tuple[str, ...]]:
    """What tuples show at a node."""
    columns = []
    for j, (axis, level) in enumerate(zip(cube.axes, levels, strict=True)):
        places = axis.mapping(axis.lowest, level)[cube.groups[tuples, j]]
        columns.append([labels[j][level][place] for place in places.tolist()])
    return list(zip(*columns, strict=True))


def _classes(cube: Cube, chain: Chain, formed: Sequence[Shown], labels: Sequence[Labels]) -> Classes:
    """The classes of old and new rows: at the first node with an old class for them, else at the last."""
    found = np.full(cube.tuples, len(chain), dtype=np.int64)
    for place, levels in enumerate(chain):
        rest = np.flatnonzero(found == len(chain))
        texts = _texts(cube, levels, rest, labels)
        known = np.array([text in formed[place] for text in texts], dtype=np.bool_)
        found[rest[known]] = place
    return classes_at_nodes(cube, chain, found)
