"""A recoding of the space of cuts: for each quasi-identifier the groups of values that are shown as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.errors import Bug, InputError
from paretonym.base.factorize import starts_of
from paretonym.engine.counts import Axis, Cube
from paretonym.engine.measures import meeting
from paretonym.engine.recoding import Classes, Keep, ShownRelease, keep_as_json, parse_keep
from paretonym.engine.spaces.cuts.genome_classes import as_shown, made_classes
from paretonym.engine.spaces.cuts.genome_space import Bits, CutAxis, GenomeSpace, cut_axes, valid

Groups: TypeAlias = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class CutsRecoding:
    """`groups` holds for each quasi-identifier its values group by group, in the order of its hierarchy;
    `keep` is what a class must have to stay. What stays decides the labels."""

    groups: tuple[tuple[str, Groups], ...]
    keep: Keep

    @classmethod
    def of(cls, space: GenomeSpace, genome: npt.NDArray[np.bool_], keep: Keep) -> CutsRecoding:
        groups = tuple(
            (axis.name, _leaves(axis, firsts.tolist(), afters.tolist()))
            for axis, (firsts, afters) in zip(space.axes, space.groups(genome), strict=True)
        )
        return cls(groups, keep)

    @property
    def known_levels(self) -> Mapping[str, int]:
        return {}

    def as_json(self) -> dict[str, Any]:
        groups = {name: [list(group) for group in groups_of_column] for name, groups_of_column in self.groups}
        return {"groups": groups, "keep": keep_as_json(self.keep)}

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> CutsRecoding:
        groups = tuple(
            (name, tuple(tuple(group) for group in groups_of_column))
            for name, groups_of_column in entry["groups"].items()
        )
        return cls(groups, parse_keep(entry["keep"]))

    def flat(self) -> dict[str, Any]:
        """The number of groups of each quasi-identifier."""
        return {f"groups of {name}": len(groups_of_column) for name, groups_of_column in self.groups}

    def manifest(self, shown: ShownRelease) -> dict[str, Any]:
        return {"space": "cuts", "labels": shown.labels(), **shown.keep}

    def classes(self, cube: Cube) -> Classes:
        """Every tuple of the cube in its class, with the sets that are shown."""
        classes, hidden = self._shown(cube)
        if hidden.any():
            raise InputError.of(
                "the recoding",
                "a cut would show a value of fewer people than a class must have",
                "make the recoding without this cut",
            )
        return classes

    def hidden(self, cube: Cube) -> Bits:
        """The gaps, as in a genome, that have cuts which cannot be shown."""
        return self._shown(cube)[1]

    def _shown(self, cube: Cube) -> tuple[Classes, Bits]:
        made = self.made(cube)
        stays = meeting(cube, made, self.keep)
        if not stays.any():
            raise Bug("a recoding leaves no class")
        return as_shown(cube, cut_axes(cube), self._starts(cube), made, stays)

    def made(self, cube: Cube) -> Classes:
        """The classes before anything is suppressed, without labels."""
        return made_classes(cube, cut_axes(cube), self._starts(cube))

    def _starts(self, cube: Cube) -> list[npt.NDArray[np.int64]]:
        return [self.edges(column)[:-1] for column in cut_axes(cube)]

    def edges(self, cut: CutAxis) -> npt.NDArray[np.int64]:
        """The atoms at which the groups of a column begin, from the values that they hold."""
        groups = dict(self.groups)[cut.name]
        if sum(groups, ()) != cut.axis.hierarchy.leaves:
            raise _other_values(cut.axis)
        leaves = starts_of([len(group) for group in groups])
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
