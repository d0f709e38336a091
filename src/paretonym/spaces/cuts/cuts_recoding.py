"""A recoding of the space of cuts: for each quasi-identifier the groups of values that are shown as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.counts import Axis, Cube
from paretonym.errors import InputError
from paretonym.measures import CLASS_SIZE
from paretonym.recoding import Classes, Keep, keep_as_json, parse_keep
from paretonym.spaces.cuts.branches import valid
from paretonym.spaces.cuts.genome_space import CutAxis, GenomeSpace, cut_axes

Groups: TypeAlias = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class CutsRecoding:
    """`groups` holds for each quasi-identifier its values group by group, in the order of its hierarchy;
    `keep` is what a class must have to stay. `k` is the size of the smallest class that stays, which
    determines what a label may show; None if `keep` contains it."""

    groups: tuple[tuple[str, Groups], ...]
    keep: Keep
    k: int | None = None

    @classmethod
    def of(
        cls, space: GenomeSpace, genome: npt.NDArray[np.bool_], keep: Keep, k: int | None = None
    ) -> CutsRecoding:
        groups = tuple(
            (axis.name, _leaves(axis, firsts.tolist(), afters.tolist()))
            for axis, (firsts, afters) in zip(space.axes, space.groups(genome), strict=True)
        )
        sized = any(condition.measures == (CLASS_SIZE,) for condition in keep)
        return cls(groups, keep, None if sized else k)

    @property
    def known_levels(self) -> Mapping[str, tuple[int, ...]]:
        return {}

    def as_json(self) -> dict[str, Any]:
        groups = {name: [list(group) for group in each] for name, each in self.groups}
        own = {} if self.k is None else {CLASS_SIZE: self.k}
        return {"groups": groups, **own, "keep": keep_as_json(self.keep)}

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> CutsRecoding:
        groups = tuple(
            (name, tuple(tuple(group) for group in each)) for name, each in entry["groups"].items()
        )
        return cls(groups, parse_keep(entry["keep"]), entry.get(CLASS_SIZE))

    def flat(self) -> dict[str, Any]:
        """The number of groups of each quasi-identifier."""
        return {f"groups of {name}": len(each) for name, each in self.groups}

    @property
    def smallest(self) -> int:
        """The smallest number of rows in a class that stays."""
        required = [each.bounds[0] for each in self.keep if each.measures == (CLASS_SIZE,)]
        found = self.k if self.k is not None else next(iter(required), None)
        if found is None:
            raise InputError.of(
                "the run",
                "it does not record the size of the smallest class of this solution",
                "explore again: an earlier version wrote it",
            )
        return int(found)

    def classes(self, cube: Cube) -> Classes:
        """Every tuple of the cube in its class."""
        return self._classes(cube, self.smallest)

    def unlabelled(self, cube: Cube) -> Classes:
        """The classes without labels, for callers that have their own."""
        return self._classes(cube, None)

    def _classes(self, cube: Cube, k: int | None) -> Classes:
        shown: list[npt.NDArray[np.integer]] = []
        sets = []
        for j, cut in enumerate(cut_axes(cube)):
            edges = self.edges(cut)
            of_atom = np.searchsorted(edges, np.arange(len(cut)), side="right") - 1
            shown.append(of_atom[cut.atom_of_group][cube.groups[:, j]])
            sets.append(cut.shown(edges[:-1], edges[1:], k))
        return Classes.by_column(cube, shown, tuple(sets))

    def edges(self, cut: CutAxis) -> npt.NDArray[np.int64]:
        """The atoms at which the groups of a column begin, from the values that they hold."""
        groups = dict(self.groups)[cut.name]
        if sum(groups, ()) != cut.axis.hierarchy.leaves:
            raise _other_values(cut.axis)
        leaves = np.concatenate([[0], np.cumsum([len(group) for group in groups])])
        edges = np.searchsorted(cut.edges, leaves).astype(np.int64)
        if not np.array_equal(cut.edges[edges], leaves):
            raise _other_values(cut.axis)
        bits = np.zeros(len(cut) - 1, dtype=np.bool_)
        bits[edges[1:-1] - 1] = True
        if not valid(cut.root, bits):
            raise InputError.of(
                f"column '{cut.name}'",
                "a group of the run is not allowed by this schema",
                "explore again: earlier versions also joined values that have no order",
            )
        return edges


def _leaves(cut: CutAxis, firsts: list[int], afters: list[int]) -> Groups:
    leaves, edges = cut.axis.hierarchy.leaves, cut.edges.tolist()
    return tuple(leaves[edges[first] : edges[after]] for first, after in zip(firsts, afters, strict=True))


def _other_values(axis: Axis) -> InputError:
    return InputError.of(
        f"column '{axis.name}'",
        "the groups of the run do not consist of the values of this table and schema",
        "use the data and schema of the run, or explore again",
    )
