"""A recoding of the space local: which class each tuple is in, or a sequence of lattice nodes.

A *partition* says for each tuple, in the canonical order of the table, which class it is in; every class
shows the smallest sets of the hierarchies that contain it. In a *sequence* of nodes, rows whose class at the
first node has at least k rows are shown there; the remaining rows alone are grouped at the next node, and so
on. What no node shows is grouped at the last one, in classes that are too small to stay.

Classes that show equal sets are one class. Classes are made by their size alone: a class that was known to be
made because of its sensitive values would disclose something about them.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from paretonym.arrays import Codes, Integers
from paretonym.counts import Axis, Cube
from paretonym.errors import Bug
from paretonym.factorize import distinct_rows
from paretonym.measures import CLASS_SIZE
from paretonym.recoding import Classes, Keep, ShownRelease, ShownSets, keep_as_json, parse_keep

# The levels of the quasi-identifiers at each node, in the order of the cube's axes.
Levels: TypeAlias = tuple[int, ...]
Nodes: TypeAlias = tuple[Levels, ...]


@dataclass(frozen=True, slots=True)
class LocalRecoding:
    """A partition of the tuples (the class of each, as base64 of four bytes, least significant first), or a
    sequence of nodes; and what a class must have to stay. The condition on k also decides which rows a node
    shows."""

    sequence: tuple[tuple[tuple[str, int], ...], ...]
    keep: Keep
    partition: str = ""

    def __post_init__(self) -> None:
        if bool(self.partition) == bool(self.sequence) or not self._sizes:
            raise Bug("a partition or a sequence of nodes, and a class size, are needed")

    @classmethod
    def of_classes(cls, of_tuple: Integers, keep: Keep) -> LocalRecoding:
        """The partition in which tuples with the same number are in one class."""
        _, first, place = np.unique(of_tuple, return_index=True, return_inverse=True)
        numbers = np.argsort(np.argsort(first))[place.reshape(-1)].astype("<u4")
        return cls((), keep, base64.b64encode(numbers.tobytes()).decode())

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> LocalRecoding:
        sequence = tuple(tuple(node.items()) for node in entry.get("sequence", ()))
        return cls(sequence, parse_keep(entry["keep"]), entry.get("partition", ""))

    @property
    def known_levels(self) -> Mapping[str, int]:
        """None: which levels of a sequence are shown depends on the table."""
        return {}

    @property
    def _sizes(self) -> list[int]:
        return [int(condition.bounds[0]) for condition in self.keep if condition.measures == (CLASS_SIZE,)]

    @property
    def smallest(self) -> int:
        """The smallest number of rows in a class that is shown."""
        return self._sizes[0]

    def as_json(self) -> dict[str, Any]:
        how = {"sequence": [dict(node) for node in self.sequence]} if self.sequence else {}
        return {**how, **({} if how else {"partition": self.partition}), "keep": keep_as_json(self.keep)}

    def flat(self) -> dict[str, Any]:
        return {"classes of at least": self.smallest}

    def manifest(self, shown: ShownRelease) -> dict[str, Any]:
        return {"space": "local", "labels": shown.labels(), **shown.keep}

    def classes(self, cube: Cube) -> Classes:
        if not self.sequence:
            of_tuple = np.frombuffer(base64.b64decode(self.partition), dtype="<u4").astype(np.int64)
            if len(of_tuple) != cube.tuples:
                raise Bug("a partition belongs to a table with another number of tuples")
            return smallest_sets(cube, of_tuple)
        named = [dict(node) for node in self.sequence]
        nodes = tuple(tuple(node[axis.name] for axis in cube.axes) for node in named)
        return sequence_classes(cube, nodes, nodes_of_tuples(cube, nodes, self.smallest))


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


def sequence_classes(cube: Cube, nodes: Nodes, node_of_tuple: Integers) -> Classes:
    """The classes of tuples that are shown at these nodes of a sequence; beyond the last one, at the last."""
    place = np.minimum(node_of_tuple, len(nodes) - 1)
    return _at_levels(cube, [np.array(own, dtype=np.int64)[place] for own in zip(*nodes, strict=True)])


def nodes_of_tuples(cube: Cube, nodes: Nodes, k: int) -> Integers:
    """The place in a sequence of the node that shows each tuple; the number of nodes where none does."""
    node_of_tuple = np.full(cube.tuples, len(nodes), dtype=np.int64)
    rest = np.arange(cube.tuples)
    for place, levels in enumerate(nodes):
        columns = [
            axis.mapping(axis.lowest, level)[cube.groups[rest, j]]
            for j, (axis, level) in enumerate(zip(cube.axes, levels, strict=True))
        ]
        sizes = [axis.groups(level) for axis, level in zip(cube.axes, levels, strict=True)]
        _, group, _ = distinct_rows(columns, sizes)
        node_of_tuple[rest[cube.sizes_among(rest, group)[group] >= k]] = place
        rest = rest[node_of_tuple[rest] == len(nodes)]
    return node_of_tuple


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
