"""A recoding of old rows carried over to old and new rows together, or refused: no label may change its
meaning, and no new row may be without one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

import numpy as np

from paretonym.arrays import Integers
from paretonym.counts.cube import Axis, Cube
from paretonym.errors import Field, InputError, Problem, shown
from paretonym.measures.registry import MEASURES
from paretonym.recoding.equivalence_classes import Classes
from paretonym.recoding.recoding_contract import Keep, LatticeRecoding, Recoding
from paretonym.recoding.set_labels import Run
from paretonym.recoding.transfer import Units, carry
from paretonym.release.append.old_labels import bound_column, old_labels, other_sets
from paretonym.release.append.old_release import Old
from paretonym.release.released_rows import Labels
from paretonym.schema.bound_schema import BoundSchema, QuasiColumn
from paretonym.source.table import Table
from paretonym.spaces.buckets.buckets_recoding import BucketsRecoding
from paretonym.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.spaces.cuts.cuts_space import CutAxis
from paretonym.spaces.mondrian.mondrian_recoding import PartsRecoding, as_numbers
from paretonym.spaces.mondrian.partition import shown_partition
from paretonym.spaces.mondrian.regions import Regions


@dataclass(frozen=True, eq=False)
class CarriedOver:
    """What makes classes of old and new rows, what a class must have to stay, and the labels of the sets that
    each quasi-identifier shows, None where they are the classes' own. `nowhere` are the new rows that have no
    class, though each of their values has a label."""

    classes: Callable[[Cube], Classes]
    keep: Keep
    labels: Labels | None = None
    nowhere: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))


def carried_over(old: Old, both: Table, bound: BoundSchema, recoding: Recoding) -> CarriedOver:
    """A recoding of the old table for both; `both` has the old rows first, and `bound` is its binding."""
    if isinstance(recoding, BucketsRecoding):
        raise InputError.of(
            Field("pick"),
            "this solution mixes sensitive values up in buckets, and new rows would need buckets and a "
            "permutation of their own",
            "explore old and new rows together and release both anew, or pick from another space",
        )
    if isinstance(recoding, CutsRecoding):
        return _cuts(old, bound, recoding)
    if isinstance(recoding, PartsRecoding):
        return _parts(old, both, bound, recoding)
    if isinstance(recoding, LatticeRecoding):
        levels = dict(recoding.levels)
        labels = [old_labels(old.bound, bound, column.name, levels[column.name]) for column in bound.quasi]
        return CarriedOver(recoding.classes, recoding.keep, labels)
    raise InputError.of(Field("pick"), "this kind of solution cannot be applied to new rows", "pick another")


def _cuts(old: Old, bound: BoundSchema, recoding: CutsRecoding) -> CarriedOver:
    """Every group as the values of both tables that its label stands for."""
    carried = {axis.name: _groups(axis, old, bound, recoding) for axis in old.realized.cube.axes}
    problems = [found for found in carried.values() if isinstance(found, Problem)]
    if problems:
        raise InputError(problems)
    known = {name: found for name, found in carried.items() if not isinstance(found, Problem)}
    groups = tuple((name, tuple(group for group, _ in found)) for name, found in known.items())
    over = CutsRecoding(groups, recoding.keep, recoding.k)
    labels = [tuple(label for _, label in found) for found in known.values()]
    return CarriedOver(over.unlabelled, over.keep, labels)


def _groups(
    axis: Axis, old: Old, bound: BoundSchema, recoding: CutsRecoding
) -> list[tuple[tuple[str, ...], str]] | Problem:
    """The groups of one column in the values of both tables, each with the label of the old release."""
    now = bound_column(bound, axis.name)
    units = Units.of_cuts(axis, recoding.smallest), Units.of_cuts(_axis(now))
    runs = list(pairwise(recoding.edges(CutAxis.of(axis)).tolist()))
    carried = carry(*units, _leaves(bound_column(old.bound, axis.name), now), runs)
    # What is missing or has no place stands alone in any cut, unless all is one set.
    alone = [(unit, unit + 1) for unit in carried.outside if unit >= units[1].line]
    inside = [unit for unit in carried.outside if unit < units[1].line]
    if inside:
        return _outside(axis.name, units[1].values(inside), "that no group of the release holds")
    labels = dict(zip(carried.runs, units[0].called(runs), strict=True))
    labels.update(zip(alone, units[1].called(alone), strict=True))
    over = sorted(run for run in labels if run is not None)
    tiled = [end for _, end in over[:-1]] == [start for start, _ in over[1:]]
    if None in carried.runs or not tiled or len(set(labels.values())) < len(labels):
        return other_sets(axis.name, "")
    leaves, ends = units[1].axis.hierarchy.leaves, units[1].edges
    return [(leaves[ends[first] : ends[after]], labels[first, after]) for first, after in over]


def _parts(old: Old, both: Table, bound: BoundSchema, recoding: PartsRecoding) -> CarriedOver:
    """The regions that the old parts show. They cover every row, save where a node of a tree has fallen into
    children and one of these had no row: nobody of the old rows was there, so that new ones are too few."""
    if recoding.relaxed:
        raise InputError.of(
            Field("pick"),
            f"parts of {Field('relaxed', True)} overlap: a new row may fit several of them, and which one it "
            "should be in is nowhere said",
            "pick a solution of strict parts, or explore old and new rows together",
        )
    parts, k = shown_partition(old.realized.cube, recoding.requirement)
    low, high = np.empty_like(parts.low), np.empty_like(parts.high)
    problems, labelled = [], []
    for j, axis in enumerate(old.realized.cube.axes):
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
    nowhere = _rows_nowhere(regions, both, bound, old.table.rows)
    return CarriedOver(partial(regions.classes, labelled=labelled), _as_keep(recoding), nowhere=nowhere)


def _called(names: Mapping[Run, str], whole: str, first: Integers, after: Integers) -> tuple[str, ...]:
    """What runs of units were called in the old release; whatever is shown as everything has its label."""
    return tuple(names.get(run, whole) for run in zip(first.tolist(), after.tolist(), strict=True))


def _regions(
    axis: Axis, old: Old, bound: BoundSchema, runs: list[Run], k: int
) -> list[tuple[Run, str]] | Problem:
    """What parts show of one column, in the units of both tables, and how the old release calls it."""
    now = bound_column(bound, axis.name)
    units = Units.of_parts(axis, k), Units.of_parts(_axis(now))
    carried = carry(*units, _leaves(bound_column(old.bound, axis.name), now), runs)
    if carried.outside:
        values = units[1].values(list(carried.outside))
        return _outside(axis.name, values, "that no region of the release holds")
    named = zip(carried.runs, units[0].called(runs), strict=True)
    over = [(run, label) for run, label in named if run is not None]
    return over if len(over) == len(runs) else other_sets(axis.name, "")


def _rows_nowhere(regions: Regions, both: Table, bound: BoundSchema, before: int) -> Integers:
    """The new rows whose values lie together in no region."""
    rows = before + np.flatnonzero(~bound.dropped[before:])
    points = np.stack([_units_of_rows(column, both, rows) for column in bound.quasi], axis=1)
    return rows[regions.find(points) < 0]


def _units_of_rows(column: QuasiColumn, table: Table, rows: Integers) -> Integers:
    leaves = np.append(column.codes, np.int32(column.null_code))[table.column(column.name).codes[rows]]
    return column.hierarchy.levels[column.lowest].groups[leaves].astype(np.int64)


def _as_keep(recoding: PartsRecoding) -> Keep:
    """What was required of every part, as what a class must have.

    >>> _as_keep(PartsRecoding.of({"k": 10, "t-js": 0.15}))
    (('k', '>=10'), ('t-js', '<=0.15'))
    """
    signs: Mapping[str, str] = {"max": ">=", "min": "<="}
    return tuple(
        (name, f"{signs[MEASURES[name.partition('@')[0]].direction]}{bound!r}")
        for name, bound in as_numbers(recoding.requirement).items()
    )


def _axis(column: QuasiColumn) -> Axis:
    """A column as a recoding sees it; its rows are not counted yet."""
    rows = np.zeros(len(column.hierarchy.leaves), dtype=np.int64)
    return Axis(
        column.name, column.hierarchy, column.lowest, column.highest, column.importance, rows, column.cutting
    )


def _leaves(before: QuasiColumn, after: QuasiColumn) -> Integers:
    """The place of each old leaf among those of both tables. The old values come first among all, so that
    their codes stand in the same places; leaves that do not occur are listed by the schema, by their text."""
    place = {text: leaf for leaf, text in enumerate(after.hierarchy.leaves)}
    found = np.array([place.get(text, 0) for text in before.hierarchy.leaves], dtype=np.int64)
    past = np.append(before.codes, np.int32(before.null_code))
    now = np.append(after.codes[: len(before.codes)], np.int32(after.null_code))
    both = (past >= 0) & (now >= 0)
    found[past[both]] = now[both]
    return found


def _outside(name: str, values: list[str], wrong: str) -> Problem:
    return Problem(
        f"the new data, column '{name}'",
        f"values {wrong}: {shown(values)}",
        "leave those rows out, or explore old and new rows together",
    )
