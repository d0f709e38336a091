"""Sets of one table's values carried over to a table with more of them: those that have the same label there.

A label says which values a set holds, those too that did not occur: `[20, 30)` holds 27 whether or not
anybody was 27. So a set of the old table becomes the run of values of the new one that has its label; a new
value that lies in no such run is outside of the recoding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.cube import Axis
from paretonym.recoding.cuts.space import CutAxis
from paretonym.recoding.labelling import Run, run_labels, set_labels
from paretonym.recoding.mondrian.splits import unit_ends

Integers: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Units:
    """What the sets of a column are made of, in order: `edges[i]` is the first leaf of unit i, the last entry
    the number of leaves. `named` runs of units have a name of their own."""

    axis: Axis
    edges: Integers
    labels: tuple[str, ...]
    named: Mapping[Run, str] = field(default_factory=dict)

    @classmethod
    def of_cuts(cls, axis: Axis) -> Units:
        cut = CutAxis.of(axis)
        return cls(axis, cut.edges, cut.labels, set_labels(axis) if cut.constrained else {})

    @classmethod
    def of_parts(cls, axis: Axis) -> Units:
        lowest = axis.hierarchy.levels[axis.lowest]
        return cls(axis, unit_ends(axis), lowest.labels, set_labels(axis))

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def line(self) -> int:
        """How many units there are before those that stand alone: what is missing or has no place."""
        leaves = len(self.axis.hierarchy.leaves) - self.axis.cutting.alone
        return int(np.searchsorted(self.edges, leaves))

    @cached_property
    def by_name(self) -> dict[str, Run]:
        return {label: run for run, label in self.named.items()}

    def called(self, runs: list[Run]) -> tuple[str, ...]:
        """The label of each run."""
        ends = np.array(runs, dtype=np.int64).reshape(-1, 2)
        return run_labels(self.axis, self.labels, ends[:, 0], ends[:, 1], self.named)

    def values(self, units: list[int]) -> list[str]:
        """The values that lie in some units."""
        leaves = self.axis.hierarchy.leaves
        return [value for unit in units for value in leaves[self.edges[unit] : self.edges[unit + 1]]]


@dataclass(frozen=True, slots=True)
class Carried:
    """`runs[i]` is where set i lies in the new units, None where no run there has its label. `outside` are
    new units that lie in none of the sets, `between` those that two sets hold by their labels though no old
    unit lies in both: beside `<21`, the set of 21 and 25 may be called `[20, 30)` as long as nobody is 20."""

    runs: tuple[Run | None, ...]
    outside: tuple[int, ...] = ()
    between: tuple[int, ...] = ()


def carry(old: Units, new: Units, leaves: Integers, runs: list[Run]) -> Carried:
    """Runs of old units as runs of the new ones. `leaves[i]` is the place of old leaf i among the new ones;
    a run may not cut through what is never told apart, so nothing is carried where units have merged."""
    places = _places(old, new, leaves)
    if places is None:
        return Carried((None,) * len(runs))
    tried = [list(dict.fromkeys(_candidates(old, new, places, run))) for run in runs]
    asked = list(dict.fromkeys(run for each in tried for run in each))
    label_of = dict(zip(asked, new.called(asked), strict=True))
    found = tuple(
        next((run for run in each if label_of[run] == label), None)
        for each, label in zip(tried, old.called(runs), strict=True)
    )
    return Carried(found, *_gaps(new, places, runs, found))


def _gaps(
    new: Units, places: Integers, runs: list[Run], found: tuple[Run | None, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The new units that no set holds, and those that one set holds after its last old unit and another one
    before its first."""
    inside, before, behind = (np.zeros(len(new), dtype=np.bool_) for _ in range(3))
    inside[places] = True
    for (first, after), run in zip(runs, found, strict=True):
        if run is not None:
            inside[run[0] : run[1]] = True
            before[run[0] : places[first]] = True
            behind[places[after - 1] + 1 : run[1]] = True
    return tuple(np.flatnonzero(~inside).tolist()), tuple(np.flatnonzero(before & behind).tolist())


def _places(old: Units, new: Units, leaves: Integers) -> Integers | None:
    """The new unit of each old one; None if two have become one, or one has fallen apart."""
    of_leaf = np.searchsorted(new.edges, leaves, side="right") - 1
    places: Integers = of_leaf[old.edges[:-1]].astype(np.int64)
    whole = np.array_equal(places, of_leaf[old.edges[1:] - 1])
    return places if whole and bool((np.diff(places) > 0).all()) else None


def _candidates(old: Units, new: Units, places: Integers, run: Run) -> Iterator[Run]:
    """Which runs may have the label of an old one: they hold the same old units. Names say where a set ends;
    otherwise it ends with its own units, or before the next one's, or with the line."""
    first, after = run
    least = int(places[first - 1]) + 1 if first else 0
    most = int(places[after]) if after < len(old) else len(new)
    begin, end = int(places[first]), int(places[after - 1]) + 1
    named = new.by_name.get(old.named.get(run, ""), (-1, -1))
    if least <= named[0] <= begin and end <= named[1] <= most:
        yield named
    for start in (begin, least):
        for stop in (most, end, new.line):
            if end <= stop <= most:
                yield start, stop
