"""Sets of one table's values carried over to a table with more of them: what the same label holds there.

A label says which values a set holds, those too that did not occur: `[20, 30)` holds 27 whether or not
anybody was 27. So a set of the old table becomes the run of values of the new one that its label describes,
by its boundaries if it lies on a line of single values. A new value that lies in no such run is outside the
recoding.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from paretonym.arrays import Integers
from paretonym.counts import Axis
from paretonym.errors import Bug
from paretonym.recoding.atoms import Atoms
from paretonym.recoding.set_labels import Boundaries, Run, run_labels, set_labels


@dataclass(frozen=True, eq=False)
class Units:
    """What the sets of a column are made of, in order: `edges[i]` is the first leaf of unit i, the last entry
    the number of leaves. `named` runs of units have a name of their own. In the old table the smallest class
    has `k` rows: it determines the labels of what is between units. `granular` units are steps of the
    schema's `granularity`, which cuts keep to and partitions do not."""

    axis: Axis
    edges: Integers
    labels: tuple[str, ...]
    named: Mapping[Run, str] = field(default_factory=dict)
    k: int = 1
    granular: bool = False

    @classmethod
    def of_cuts(cls, axis: Axis, k: int = 1) -> Units:
        cut = Atoms.of(axis)
        named = set_labels(axis) if cut.constrained else {}
        return cls(axis, cut.edges, cut.labels, named, k, axis.cutting.granules is not None)

    @classmethod
    def of_parts(cls, axis: Axis, k: int = 1) -> Units:
        """On a line a run at an end is open, whether or not a set of the schema ends there: beyond its
        boundary there is no row, and one person there would change the label."""
        lowest = axis.hierarchy.levels[axis.lowest]
        units = cls(axis, axis.unit_ends, lowest.labels, set_labels(axis), k)
        if axis.cutting.line is None:
            return units
        inner = {run: label for run, label in units.named.items() if run[0] > 0 and run[1] < units.line}
        return replace(units, named=inner)

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def line(self) -> int:
        """The number of units before those that are always groups of their own: missing values and values
        outside the hierarchy."""
        leaves = len(self.axis.hierarchy.leaves) - self.axis.cutting.alone
        return int(np.searchsorted(self.edges, leaves))

    @cached_property
    def by_name(self) -> dict[str, Run]:
        return {label: run for run, label in self.named.items()}

    def called(self, runs: list[Run]) -> tuple[str, ...]:
        """The label of each run."""
        ends = np.array(runs, dtype=np.int64).reshape(-1, 2)
        return self.called_between(ends[:, 0], ends[:, 1])

    def called_between(self, firsts: Integers, afters: Integers) -> tuple[str, ...]:
        """The label of each run, given its first unit and the one after its last."""
        return run_labels(
            self.axis, self.labels, firsts, afters, self.named,
            lambda unit: self.boundaries.text(unit, self.k),
        )  # fmt: skip

    @cached_property
    def boundaries(self) -> Boundaries:
        return Boundaries.of(self.axis, self.edges)

    @property
    def single(self) -> bool:
        """Whether the units are single numbers or dates, so that sets end at boundaries between them."""
        return self.axis.cutting.line is not None and not self.granular and self.axis.lowest == 0

    def carried(self, new: Units, leaves: Integers, runs: list[Run]) -> Carried:
        """Runs of these units as runs of new ones. `leaves[i]` is the place of old leaf i among the new ones;
        a run may not split what is never distinguished, so nothing is carried where units have merged."""
        places = _places(self, new, leaves)
        if places is None:
            return Carried((None,) * len(runs))
        by = _by_boundaries if self.single else _by_labels
        found = by(self, new, places, runs)
        return Carried(found, _outside(new, places, found))

    def values(self, units: list[int]) -> list[str]:
        """The values that lie in some units."""
        leaves = self.axis.hierarchy.leaves
        return [value for unit in units for value in leaves[self.edges[unit] : self.edges[unit + 1]]]


@dataclass(frozen=True, slots=True)
class Carried:
    """`runs[i]` is where set i lies in the new units, None where no run there has its label. `outside` are
    new units that lie in none of the sets."""

    runs: tuple[Run | None, ...]
    outside: tuple[int, ...] = ()


def _by_labels(old: Units, new: Units, places: Integers, runs: list[Run]) -> tuple[Run | None, ...]:
    """The runs that have the same labels."""
    tried = [list(dict.fromkeys(_candidates(old, new, places, run))) for run in runs]
    asked = list(dict.fromkeys(run for each in tried for run in each))
    label_of = dict(zip(asked, new.called(asked), strict=True))
    return tuple(
        next((run for run in each if label_of[run] == label), None)
        for each, label in zip(tried, old.called(runs), strict=True)
    )


def _by_boundaries(old: Units, new: Units, places: Integers, runs: list[Run]) -> tuple[Run | None, ...]:
    """The runs between the same boundaries. A single value holds itself, a named set what its name says."""

    def carried(run: Run) -> Run | None:
        first, after = run
        if after - first == 1:
            return int(places[first]), int(places[first]) + 1
        if run == (0, len(old)):
            return 0, len(new)
        if run in old.named:
            return new.by_name.get(old.named[run])
        return (
            0 if first == 0 else _unit_from(old, new, first),
            new.line if after == old.line else _unit_from(old, new, after),
        )

    return tuple(carried(run) for run in runs)


def _unit_from(old: Units, new: Units, unit: int) -> int:
    """The first of the new units behind the boundary in front of an old one."""
    before, now = old.axis.cutting.line, new.axis.cutting.line
    if before is None or now is None:
        raise Bug("a column lies on a line in one table alone")
    place = bisect_left(now.points, before.rescaled(old.boundaries.point(unit, old.k), now))
    return int(np.searchsorted(new.edges, place))


def _outside(new: Units, places: Integers, found: tuple[Run | None, ...]) -> tuple[int, ...]:
    """The new units that no set holds."""
    inside = np.zeros(len(new), dtype=np.bool_)
    inside[places] = True
    for first, after in (run for run in found if run is not None):
        inside[first:after] = True
    return tuple(np.flatnonzero(~inside).tolist())


def _places(old: Units, new: Units, leaves: Integers) -> Integers | None:
    """The new unit of each old one; None if two have merged or one was split."""
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
