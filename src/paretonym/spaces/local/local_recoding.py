"""A recoding of the space local: a chain of lattice nodes, each at least as general as the one before.

Rows whose class at the first node has at least k rows are shown there. The remaining rows alone are grouped
at the next node, and so on; what reaches k at no node is suppressed. Rows move on by class size alone:
a class that was known to have moved on because of its sensitive values would disclose something about them.

No two nodes show equal sets for different rows. Levels are nested: a row that shows, at a later node, the
sets of a class of an earlier one would have been in that class. Values outside a hierarchy are the exception:
they are shown as the top set at every level, and join the class that shows it.
"""

from __future__ import annotations

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
Chain: TypeAlias = tuple[Levels, ...]


@dataclass(frozen=True, slots=True)
class LocalRecoding:
    """One level for each quasi-identifier at each node of a chain, and what a class must have to stay. The
    condition on k also decides which rows move on to the next node."""

    chain: tuple[tuple[tuple[str, int], ...], ...]
    keep: Keep

    def __post_init__(self) -> None:
        rising = all(
            dict(after)[name] >= level
            for before, after in zip(self.chain, self.chain[1:], strict=False)
            for name, level in before
        )
        if not (self.chain and rising and self._sizes):
            raise Bug("a chain of nodes that rise, and a class size, are needed")

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> LocalRecoding:
        return cls(tuple(tuple(node.items()) for node in entry["chain"]), parse_keep(entry["keep"]))

    @property
    def known_levels(self) -> Mapping[str, tuple[int, ...]]:
        names = (name for name, _ in self.chain[0])
        return {name: tuple(sorted({dict(node)[name] for node in self.chain})) for name in names}

    @property
    def _sizes(self) -> list[int]:
        return [int(each.bounds[0]) for each in self.keep if each.measures == (CLASS_SIZE,)]

    @property
    def smallest(self) -> int:
        """The smallest number of rows in a class that is shown."""
        return self._sizes[0]

    def as_json(self) -> dict[str, Any]:
        return {"chain": [dict(node) for node in self.chain], "keep": keep_as_json(self.keep)}

    def flat(self) -> dict[str, Any]:
        """The lowest and the highest level of each quasi-identifier."""
        first, last = dict(self.chain[0]), dict(self.chain[-1])
        return {
            f"levels of {name}": str(low) if low == last[name] else f"{low}-{last[name]}"
            for name, low in first.items()
        }

    def nodes(self, axes: Sequence[Axis]) -> Chain:
        """The levels of each node, in the order of the axes."""
        named = [dict(node) for node in self.chain]
        return tuple(tuple(node[axis.name] for axis in axes) for node in named)

    def manifest(self, shown: ShownRelease) -> dict[str, Any]:
        return {"space": "local", "labels": shown.labels(), **shown.keep}

    def classes(self, cube: Cube) -> Classes:
        return chain_classes(cube, self.nodes(cube.axes), self.smallest)


def chain_classes(cube: Cube, chain: Chain, k: int) -> Classes:
    """The class of every tuple. Rows that reach k at no node are grouped at the last one, in classes that
    are too small to stay."""
    return classes_at_nodes(cube, chain, nodes_of_tuples(cube, chain, k))


def nodes_of_tuples(cube: Cube, chain: Chain, k: int) -> Integers:
    """The place in the chain of the node that shows each tuple; the number of nodes where none does."""
    found = np.full(cube.tuples, len(chain), dtype=np.int64)
    rest = np.arange(cube.tuples)
    for place, levels in enumerate(chain):
        shown = rest[_sizes_alike(cube, levels, rest) >= k]
        found[shown] = place
        rest = rest[found[rest] == len(chain)]
    return found


def _sizes_alike(cube: Cube, levels: Levels, tuples: Integers) -> Integers:
    """For each of some tuples, how many rows of them, or persons, look the same at a node."""
    columns = [
        axis.mapping(axis.lowest, level)[cube.groups[tuples, j]]
        for j, (axis, level) in enumerate(zip(cube.axes, levels, strict=True))
    ]
    sizes = [axis.groups(level) for axis, level in zip(cube.axes, levels, strict=True)]
    _, group, _ = distinct_rows(columns, sizes)
    result: Integers = cube.sizes_among(tuples, group)[group]
    return result


def classes_at_nodes(cube: Cube, chain: Chain, node_of_tuple: Integers) -> Classes:
    """The classes of tuples that are shown at these nodes of a chain; beyond the last one, at the last."""
    place = np.minimum(node_of_tuple, len(chain) - 1)
    shown, sets = [], []
    for j, axis in enumerate(cube.axes):
        levels = np.array([levels[j] for levels in chain], dtype=np.int64)
        mixed, places = mixed_sets(axis, sorted(set(levels.tolist())))
        column = np.empty(cube.tuples, dtype=np.int32)
        for level, of_group in places.items():
            here = levels[place] == level
            column[here] = of_group[axis.mapping(axis.lowest, level)[cube.groups[here, j]]]
        shown.append(column)
        sets.append(mixed)
    return Classes.by_column(cube, list(shown), tuple(sets))


def mixed_sets(axis: Axis, levels: Sequence[int]) -> tuple[ShownSets, dict[int, Codes]]:
    """The sets of several levels of one hierarchy, and the place among them of each set of each level.

    A label means one set in all levels, so a set of several levels with one label occurs once. A value
    outside the hierarchy has the label of the top set; where both occur, it is that set.
    """
    each = {level: ShownSets.of_level(axis, level) for level in levels}
    if len(each) == 1:
        (only,) = each.items()
        return only[1], {only[0]: np.arange(len(only[1].labels), dtype=np.int32)}
    found: dict[str, tuple[int, int, int]] = {}
    for sets in each.values():
        ends = zip(sets.sizes.tolist(), sets.first.tolist(), sets.after.tolist(), strict=True)
        # Of a label that occurs again, the set of the highest level counts.
        found.update(zip(sets.labels, ends, strict=True))
    number = {label: place for place, label in enumerate(found)}
    sizes, first, after = np.array(list(found.values()), dtype=np.int64).T
    mixed = ShownSets(tuple(found), sizes.copy(), first.copy(), after.copy(), mixed=tuple(levels))
    places = {
        level: np.array([number[label] for label in sets.labels], dtype=np.int32)
        for level, sets in each.items()
    }
    return mixed, places
