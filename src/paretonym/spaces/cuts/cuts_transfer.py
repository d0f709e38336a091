"""A recoding of cuts carried over to new rows: every group becomes the values that its label stands for."""

from __future__ import annotations

from itertools import pairwise

from paretonym.counts import Axis
from paretonym.errors import InputError, Problem
from paretonym.recoding import Units, carry
from paretonym.schema import BoundSchema
from paretonym.source import Table
from paretonym.spaces.carried_over import (
    Before,
    CarriedOver,
    bound_column,
    leaf_places,
    other_sets,
    outside_problem,
    uncounted_axis,
)
from paretonym.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.spaces.cuts.genome_space import CutAxis


def transfer(recoding: CutsRecoding, old: Before, both: Table, bound: BoundSchema) -> CarriedOver:
    """Every group as the values of both tables that its label stands for."""
    carried = {axis.name: _groups(axis, old, bound, recoding) for axis in old.cube.axes}
    problems = [found for found in carried.values() if isinstance(found, Problem)]
    if problems:
        raise InputError(problems)
    known = {name: found for name, found in carried.items() if not isinstance(found, Problem)}
    groups = tuple((name, tuple(group for group, _ in found)) for name, found in known.items())
    over = CutsRecoding(groups, recoding.keep, recoding.k)
    labels = [tuple(label for _, label in found) for found in known.values()]
    return CarriedOver(over.unlabelled, over.keep, labels)


def _groups(
    axis: Axis, old: Before, bound: BoundSchema, recoding: CutsRecoding
) -> list[tuple[tuple[str, ...], str]] | Problem:
    """The groups of one column in the values of both tables, each with the label of the old release."""
    now = bound_column(bound, axis.name)
    units = Units.of_cuts(axis, recoding.smallest), Units.of_cuts(uncounted_axis(now))
    runs = list(pairwise(recoding.edges(CutAxis.of(axis)).tolist()))
    carried = carry(*units, leaf_places(bound_column(old.bound, axis.name), now), runs)
    # What is missing or has no place stands alone in any cut, unless all is one set.
    alone = [(unit, unit + 1) for unit in carried.outside if unit >= units[1].line]
    inside = [unit for unit in carried.outside if unit < units[1].line]
    if inside:
        return outside_problem(axis.name, units[1].values(inside), "that are in no group of the release")
    labels = dict(zip(carried.runs, units[0].called(runs), strict=True))
    labels.update(zip(alone, units[1].called(alone), strict=True))
    over = sorted(run for run in labels if run is not None)
    tiled = [end for _, end in over[:-1]] == [start for start, _ in over[1:]]
    if None in carried.runs or not tiled or len(set(labels.values())) < len(labels):
        return other_sets(axis.name, "")
    leaves, ends = units[1].axis.hierarchy.leaves, units[1].edges
    return [(leaves[ends[first] : ends[after]], labels[first, after]) for first, after in over]
