"""Strict partitions transferred to new rows: each row is assigned to the region that contains it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers
from paretonym.counts import Axis, Cube
from paretonym.errors import Bug, InputError, Problem
from paretonym.recoding import Classes, Run, Units
from paretonym.schema import BoundSchema, QuasiColumn
from paretonym.source import CountedTable, Table
from paretonym.spaces.carried_over import (
    Before,
    CarriedOver,
    bound_column,
    leaf_places,
    other_sets,
    outside_problem,
    uncounted_axis,
)
from paretonym.spaces.mondrian.mondrian_recoding import PartsRecoding
from paretonym.spaces.mondrian.partition import Labelled, Parts, shown_by
from paretonym.spaces.mondrian.partition_requirement import as_conditions


@dataclass(frozen=True, eq=False)
class Regions:
    """Region i holds on axis j the units from `low[i, j]` up to but excluding `high[i, j]`. No two overlap,
    and any set of several can be divided by a cut through none of them, because that is how they were
    made."""

    low: Integers
    high: Integers

    def find(self, points: npt.NDArray[np.integer]) -> Integers:
        """The region of each point, -1 if it lies in none. Time: about depth × (points + regions).

        >>> regions = Regions(np.array([[0, 0], [2, 0], [2, 4]]), np.array([[2, 9], [5, 3], [5, 9]]))
        >>> regions.find(np.array([[1, 7], [3, 2], [4, 3], [4, 4]])).tolist()
        [0, 1, -1, 2]
        """
        found = np.full(len(points), -1, dtype=np.int64)
        todo = [(np.arange(len(points)), np.arange(len(self.low)))]
        while todo:
            here, regions = todo.pop()
            if len(regions) > 1:
                todo += self._divided(points, here, regions) if len(here) else []
                continue
            inside = (points[here] >= self.low[regions[0]]) & (points[here] < self.high[regions[0]])
            found[here[inside.all(axis=1)]] = regions[0]
        return found

    def _divided(
        self, points: npt.NDArray[np.integer], here: Integers, regions: Integers
    ) -> list[tuple[Integers, Integers]]:
        """Points and regions on both sides of the cut that comes nearest to halving the regions."""
        nearest, axis, cut = min(self._cut(j, regions) for j in range(self.low.shape[1]))
        if nearest > len(regions):
            raise Bug("regions overlap that were to lie apart")
        below, left = points[here, axis] < cut, self.low[regions, axis] < cut
        return [(here[below], regions[left]), (here[~below], regions[~left])]

    def _cut(self, axis: int, regions: Integers) -> tuple[int, int, int]:
        """The best cut on one axis: how far it is from halving the regions, the axis, and where it is."""
        order = np.argsort(self.low[regions, axis], kind="stable")
        low, high = self.low[regions[order], axis], self.high[regions[order], axis]
        places = np.flatnonzero(np.maximum.accumulate(high)[:-1] <= low[1:]) + 1
        if not len(places):
            return len(regions) + 1, axis, 0
        place = int(places[np.argmin(np.abs(2 * places - len(regions)))])
        return abs(2 * place - len(regions)), axis, int(low[place])

    def classes(self, cube: Cube, labelled: Labelled) -> Classes:
        """Every tuple in the class of its region, with the labels of the old release."""
        found = self.find(cube.groups)
        if (found < 0).any():
            raise Bug("a row lies in no region")
        return shown_by(cube, Parts(found, self.low, self.high), labelled)


def transfer(
    recoding: PartsRecoding, old: Before, both: Table | CountedTable, bound: BoundSchema
) -> CarriedOver:
    """The regions that the old parts show. They cover every row, unless a node of a tree was split into
    children and one of these had no old row: new rows there are too few."""
    parts, k = recoding.parts(old.cube)
    low, high = np.empty_like(parts.low), np.empty_like(parts.high)
    problems, labelled = [], []
    for j, axis in enumerate(old.cube.axes):
        ends, which = np.unique(
            np.stack([parts.low[:, j], parts.high[:, j]], axis=1), axis=0, return_inverse=True
        )
        found = _regions(axis, old, bound, [(first, after) for first, after in ends.tolist()], k)
        if isinstance(found, Problem):
            problems.append(found)
            continue
        runs = [run for run, _ in found]
        low[:, j], high[:, j] = np.array(runs, dtype=np.int64)[which.reshape(-1)].T
        labelled.append(partial(_called, dict(found), axis.hierarchy.levels[-1].labels[0]))
    if problems:
        raise InputError(problems)
    regions = Regions(low, high)
    nowhere = _rows_nowhere(regions, both, bound, old.rows)
    keep = as_conditions(recoding.requirement)
    return CarriedOver(partial(regions.classes, labelled=labelled), keep, nowhere=nowhere)


def _called(names: Mapping[Run, str], whole: str, first: Integers, after: Integers) -> tuple[str, ...]:
    """The labels of runs of units in the old release; a run that is shown as everything has that label."""
    return tuple(names.get(run, whole) for run in zip(first.tolist(), after.tolist(), strict=True))


def _regions(
    axis: Axis, old: Before, bound: BoundSchema, runs: list[Run], k: int
) -> list[tuple[Run, str]] | Problem:
    """What parts show of one column, in the units of both tables, and how the old release calls it."""
    now = bound_column(bound, axis.name)
    units, later = Units.of_parts(axis, k), Units.of_parts(uncounted_axis(now))
    carried = units.carried(later, leaf_places(bound_column(old.bound, axis.name), now), runs)
    if carried.outside:
        values = later.values(list(carried.outside))
        return outside_problem(axis.name, values, "that are in no region of the release")
    named = zip(carried.runs, units.called(runs), strict=True)
    over = [(run, label) for run, label in named if run is not None]
    return over if len(over) == len(runs) else other_sets(axis.name, "")


def _rows_nowhere(regions: Regions, both: Table | CountedTable, bound: BoundSchema, before: int) -> Integers:
    """The new rows whose values lie together in no region."""
    rows = before + np.flatnonzero(~both.dropped(bound.omitted)[before:])
    points = np.stack([_units_of_rows(column, both, rows) for column in bound.quasi], axis=1)
    return rows[regions.find(points) < 0]


def _units_of_rows(column: QuasiColumn, table: Table | CountedTable, rows: Integers) -> Integers:
    leaves = column.lookup[table.column(column.name).codes[rows]]
    return column.hierarchy.levels[column.lowest].groups[leaves].astype(np.int64)
