"""The large populations of a table, found once and kept as long as the table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, pairwise
from threading import Lock
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.base.errors import Field, InputError
from paretonym.engine.counts import Axis, Cube
from paretonym.engine.measures.estimates.known_margins import leaf_ends, stretched
from paretonym.engine.measures.estimates.reader_estimates import (
    Intervals,
    estimates,
    find_populations,
    mean_divergence,
)
from paretonym.engine.measures.estimates.released_regions import (
    Regions,
    Seen,
    chosen,
    regions,
    true_regions,
    tuple_cells,
)

MOST_POPULATIONS = 2_000_000
MOST_LOSSES = 10_000


class Predicates(NamedTuple):
    """Sets of consecutive leaves: the axis of each, its units, its leaves. By axis, then smaller level first.

    `starts[j]` is the first predicate of axis j, the last entry their number.
    """

    axis: Integers
    first_unit: Integers
    after_unit: Integers
    first_leaf: Integers
    after_leaf: Integers
    starts: Integers

    @property
    def units(self) -> Intervals:
        return Intervals(self.axis, self.first_unit, self.after_unit, self.starts)

    @property
    def leaves(self) -> Intervals:
        return Intervals(self.axis, self.first_leaf, self.after_leaf, self.starts)


@dataclass(frozen=True, eq=False)
class Populations:
    """Conjunctions of at most one predicate for each axis, as a walk through the tree of their beginnings
    (see estimates.py), and how often each sensitive value truly occurs in each, columns side by side."""

    predicates: Predicates
    depths: Integers
    chosen: Integers
    columns: tuple[str, ...]
    truth: Floats
    # The digest of what the table itself shows, which is what the truth was counted from.
    original: bytes
    # Of releases measured before, by the digest of what they show: runs have releases that show the same.
    losses: dict[bytes, float] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.depths)

    def estimates(self, regions: Regions, ends: Sequence[Integers] = ()) -> Floats:
        """Expected frequency of each sensitive value in each population; `ends` are the scales on which a
        reader takes leaves for equally likely, if they are not so as they are."""
        asked = self.predicates.leaves
        if ends:
            regions = stretched(regions, ends)
            sides = (
                np.array([ends[j][leaf] for j, leaf in zip(asked.axis.tolist(), side.tolist(), strict=True)])
                for side in (asked.first, asked.after)
            )
            first, after = (side.astype(np.int64) for side in sides)
            asked = asked._replace(first=first, after=after)
        return estimates(asked, self.depths, self.chosen, regions)

    def loss(self, shown: Regions, widths: Sequence[int], ends: Sequence[Integers] = ()) -> float:
        """The mean divergence of what a reader expects from the truth, averaged over columns with so many
        values each; computed once for releases that show the same."""
        key = shown.digest + b"".join(each.tobytes() for each in ends)
        found = self.losses.get(key)
        if found is None:
            guess = self.truth if shown.digest == self.original else self.estimates(shown, ends)
            total = 0.0
            # Added one by one: the function sum rounds differently from Python 3.12 on.
            for start, stop in pairwise([0, *accumulate(widths)]):
                total += mean_divergence(self.truth, guess, start, stop)
            found = total / len(widths)
            if len(self.losses) < MOST_LOSSES:
                self.losses[key] = found
        return found


_known: WeakKeyDictionary[Cube, dict[tuple[float, tuple[str, ...]], Populations]] = WeakKeyDictionary()
_lock = Lock()


def populations(cube: Cube, share: float, columns: Sequence[str]) -> Populations:
    """All populations with at least this share of the rows, found once for each table."""
    cube = cube.of_values
    with _lock:
        kept = _known.setdefault(cube, {})
        key = (share, tuple(columns))
        if key not in kept:
            kept[key] = _find(cube, share, tuple(columns))
        return kept[key]


def predicates(axes: Sequence[Axis]) -> Predicates:
    """The distinct leaf sets of all levels, the whole domain left out."""
    rows: list[tuple[int, int, int, int, int]] = []
    starts = []
    for j, axis in enumerate(axes):
        starts.append(len(rows))
        rows.extend((j, *ends) for ends in _leaf_sets(axis))
    table = np.array(rows, dtype=np.int64).reshape(len(rows), 5)
    ends = np.array([*starts, len(rows)], dtype=np.int64)
    axis, unit, after_unit, leaf, after_leaf = np.ascontiguousarray(table.T)
    return Predicates(axis, unit, after_unit, leaf, after_leaf, ends)


def _leaf_sets(axis: Axis) -> list[tuple[int, int, int, int]]:
    """Of every set: its units and its leaves, from and up to."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for level in range(axis.lowest, axis.hierarchy.height + 1):
        shown = axis.hierarchy.levels[level]
        of_unit = axis.mapping(axis.lowest, level)
        for group in range(len(shown.labels)):
            leaves = np.flatnonzero(shown.groups == group)
            units = np.flatnonzero(of_unit == group)
            if shown.sizes[group] < axis.hierarchy.domain:
                run = int(units[0]), int(units[-1]) + 1
                found.setdefault(run, (int(leaves[0]), int(leaves[-1]) + 1))
    return [(*units, *leaves) for units, leaves in found.items()]


def _find(cube: Cube, share: float, columns: tuple[str, ...]) -> Populations:
    asked = predicates(cube.axes)
    least = max(1, math.ceil(Fraction(repr(share)) * cube.rows))
    room = 1 << 14
    while (found := find_populations(cube, asked.units, least, room)) is None:
        room *= 4
        if room > 4 * MOST_POPULATIONS:
            raise InputError.of(
                "utility-loss",
                f"more than {MOST_POPULATIONS:,} populations have {share:g} of the rows",
                f"raise the share, such as {Field('settings', 'utility-loss.minsup=0.2')}, or use fewer "
                "quasi-identifiers",
            )
    regions = true_regions(cube, tuple_cells(cube, columns))
    return Populations(asked, *found, columns, estimates(asked.leaves, *found, regions), regions.digest)


def utility_loss(seen: Seen, columns: Sequence[str], parameters: Mapping[str, Any]) -> float:
    """The average distance between the sensitive values of large populations and what a reader would
    estimate.

    Formula: the mean over all populations with at least `minsup` of the rows of JS(true, estimated); several
    columns: their mean. A population without any estimated row costs ln 2. Inside a class every shown value
    is equally likely; with `reader = "margins"` the reader also knows how often each value of each
    quasi-identifier occurs among the rows that stay, and fits to that (iterative proportional fitting).

    A population is a conjunction of at most one predicate for each quasi-identifier; predicates are the sets
    of all levels of its hierarchy, without the whole domain.

    Cost: populations × classes, shared along common predicates.

    Misleads if the hierarchies form populations that nobody asks about: all have the same weight.

    Reference: Li & Li 2009, Section 4.2 (U_loss).

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> table = pa.table({"age": ["20", "20", "21", "21"], "job": ["a", "b", "a", "a"]})
    >>> age = {"role": "quasi", "hierarchy": {"flat": True}}
    >>> study = Study(table, schema={"columns": {"age": age, "job": {"role": "sensitive"}}})
    >>> [solution.values["utility-loss"] for solution in study.explore("k", "utility-loss", suppress=0)]
    [0.06471233226, 0.0]
    """
    known = populations(seen.cube, parameters["minsup"], columns)
    fits = parameters["reader"] == "margins" and seen.classes.buckets is None
    widths = [len(margin.labels) for margin in chosen(seen.cube, columns)]
    return known.loss(regions(seen, columns), widths, leaf_ends(seen) if fits else ())
