"""A recoding of the space local: which class each tuple is in, or a sequence of lattice nodes.

A *partition* says for each tuple, in the canonical order of the table, which class it is in. In a *sequence*
of nodes, rows whose class at the first node has at least k rows stay together; the remaining rows alone are
grouped at the next node, and so on. What reaches k at no node is in no class.

Every class shows the smallest sets of the hierarchies that contain it, and what lies inside a class that
stays joins it (`closure`). Classes that show equal sets are one class. Classes are made by their size alone:
a class that was known to be made because of its sensitive values would disclose something about them.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from paretonym.base.arrays import Integers
from paretonym.base.errors import Bug
from paretonym.base.factorize import distinct_rows
from paretonym.engine.counts import Cube
from paretonym.engine.measures import CLASS_SIZE
from paretonym.engine.recoding import Classes, Keep, ShownRelease, keep_as_json, parse_keep
from paretonym.engine.spaces.local.closure import closed

# The levels of the quasi-identifiers at each node, in the order of the cube's axes.
Levels: TypeAlias = tuple[int, ...]
Nodes: TypeAlias = tuple[Levels, ...]


@dataclass(frozen=True, slots=True)
class LocalRecoding:
    """A partition of the tuples (the class of each, as base64 of four bytes, least significant first), or a
    sequence of nodes; and what a class must have to stay. The condition on k also decides which rows a node
    groups."""

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
        """None: which sets are the smallest depends on the table."""
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
        """The classes in closed form."""
        return closed(cube, self._of_tuple(cube), self.keep)

    def _of_tuple(self, cube: Cube) -> Integers:
        if self.sequence:
            named = [dict(node) for node in self.sequence]
            nodes = tuple(tuple(node[axis.name] for axis in cube.axes) for node in named)
            return sequence_groups(cube, nodes, self.smallest)
        of_tuple = np.frombuffer(base64.b64decode(self.partition), dtype="<u4").astype(np.int64)
        if len(of_tuple) != cube.tuples:
            raise Bug("a partition belongs to a table with another number of tuples")
        return of_tuple


def sequence_groups(cube: Cube, nodes: Nodes, k: int) -> Integers:
    """The group in which each tuple reaches k at a node of a sequence, -1 where it reaches k at none."""
    of_tuple, groups = np.full(cube.tuples, -1, dtype=np.int64), 0
    rest = np.arange(cube.tuples)
    for levels in nodes:
        columns = [
            axis.mapping(axis.lowest, level)[cube.groups[rest, j]]
            for j, (axis, level) in enumerate(zip(cube.axes, levels, strict=True))
        ]
        sizes = [axis.groups(level) for axis, level in zip(cube.axes, levels, strict=True)]
        first, group, _ = distinct_rows(columns, sizes)
        large = cube.sizes_among(rest, group)[group] >= k
        of_tuple[rest[large]] = groups + group[large]
        rest, groups = rest[~large], groups + len(first)
    return of_tuple
