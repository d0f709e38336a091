"""Microaggregation as a space: classes of at least k rows, with the mean of every number. A recoding is a
requirement, and the partition that meets it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.base.budget import Limits
from paretonym.base.errors import Field, InputError, NoSolution
from paretonym.base.factorize import distinct_rows
from paretonym.base.language import N_
from paretonym.engine.counts import Axis, Cube
from paretonym.engine.measures import CLASS_SIZE, SQUARED_ERROR
from paretonym.engine.recoding import Classes, Feature, ShownRelease, ShownSets
from paretonym.engine.search import STANDARD, Tuning
from paretonym.engine.spaces.mondrian import (
    Required,
    RequirementRecoding,
    coarsest,
    partition,
    required_of_parts,
)
from paretonym.engine.spaces.parameter_sweep import NOT_SUPPRESSED, SIZES, Sweep, sweep
from paretonym.engine.spaces.space import ProblemMaker, Question, SearchMethod, SearchResult, Space, Wording
from paretonym.research.microaggregation.mdav import mdav, tuple_points


def with_means(cube: Cube, part_of_tuple: Integers) -> Classes:
    """The classes of a partition. Parts that look the same are one class: so their labels are made again
    until none look the same."""
    of_tuple = part_of_tuple
    while True:
        parts = int(of_tuple.max()) + 1
        columns = [ShownColumn.of(cube, j, of_tuple, parts) for j in range(len(cube.axes))]
        numbers = [np.unique(column.labels, return_inverse=True)[1].reshape(-1) for column in columns]
        first, merged, _ = distinct_rows(numbers, [parts] * len(numbers))
        if len(first) == parts:
            break
        of_tuple = merged[of_tuple]
    sets, of_class = zip(*(column.sets() for column in columns), strict=True)
    return Classes.of(cube, of_tuple, np.stack(of_class, axis=1), tuple(sets))


@dataclass(frozen=True, eq=False)
class ShownColumn:
    """One quasi-identifier as each class shows it: its label, the smallest set of the hierarchy that
    contains it, and the number that stands for it (NaN: there are no numbers)."""

    axis: Axis
    labels: Integers
    first: Integers
    after: Integers
    numbers: Floats

    @classmethod
    def of(cls, cube: Cube, j: int, of_tuple: Integers, parts: int) -> ShownColumn:
        axis = cube.axes[j]
        lowest, highest = np.full(parts, len(axis.hierarchy.leaves)), np.full(parts, -1)
        leaves = axis.unit_ends[cube.groups[:, j]]
        np.minimum.at(lowest, of_tuple, leaves)
        np.maximum.at(highest, of_tuple, leaves)
        labels, first, after = _smallest_sets(axis, lowest, highest)
        line = axis.cutting.line
        numbers = np.full(parts, np.nan)
        if line is None or axis.cutting.order != "numbers":
            return cls(axis, labels, first, after, numbers)
        points = np.array(line.points, dtype=np.int64)
        numbers[:] = (points[0] + points[-1]) / 2 / line.step
        # A set with other values than numbers has no mean, nor have values that the schema joins.
        means = (highest < len(points)) & (axis.lowest == 0)
        sums, rows = np.zeros(parts, dtype=object), np.zeros(parts, dtype=np.int64)
        of_tuples = means[of_tuple]
        np.add.at(
            sums, of_tuple[of_tuples], (points[leaves[of_tuples]] * cube.counts[of_tuples]).astype(object)
        )
        np.add.at(rows, of_tuple[of_tuples], cube.counts[of_tuples])
        exact = line.coded if line.granules is not None else np.ones(len(points), dtype=np.bool_)
        for part in np.flatnonzero(means).tolist():
            mean = rounded_mean(axis, int(sums[part]), int(rows[part]))
            numbers[part] = mean / line.step
            # A single value is shown as it is, one of granules only if it is coded at an end.
            if lowest[part] < highest[part] or not exact[lowest[part]]:
                labels[part] = line.scale.text(mean)
        return cls(axis, labels, first, after, numbers)

    def sets(self) -> tuple[ShownSets, Integers]:
        """The distinct sets with their labels, and which of them each class shows."""
        texts, of_text = np.unique(self.labels, return_inverse=True)
        keys = np.stack([of_text.reshape(-1), self.first, self.after])
        (text, first, after), of_class = np.unique(keys, axis=1, return_inverse=True)
        of_class = of_class.reshape(-1)
        domain = self.axis.hierarchy.domain
        sizes = np.minimum(after, domain) - np.minimum(first, domain)
        numbers = np.empty(len(first))
        numbers[of_class] = self.numbers
        return ShownSets(
            tuple(str(texts[place]) for place in text.tolist()),
            np.where(sizes == 0, domain, sizes),
            first,
            after,
            numbers=None if np.isnan(numbers).any() else numbers,
        ), of_class.astype(np.int64)


def rounded_mean(axis: Axis, total: int, rows: int) -> int:
    """The mean as a point of the line: a multiple of the schema's granularity, or as precise as the values;
    the higher one of two that are equally near."""
    line = axis.cutting.line
    if line is None or line.granules is None:
        return (2 * total + rows) // (2 * rows)
    granule = int(line.granules.numbers(np.array([total // rows]))[0])
    low, high = (int(edge or 0) for edge in line.granules.edges(granule))
    return low if 2 * total < (low + high) * rows else high


def _smallest_sets(axis: Axis, lowest: Integers, highest: Integers) -> tuple[Integers, Integers, Integers]:
    """The label of the smallest set of the hierarchy that holds these leaves, and its own leaves."""
    labels = np.empty(len(lowest), dtype=object)
    first, after = np.empty_like(lowest), np.empty_like(lowest)
    for level in reversed(axis.hierarchy.levels[axis.lowest :]):
        groups = level.groups[lowest]
        together = groups == level.groups[highest]
        labels[together] = np.array(level.labels, dtype=object)[groups[together]]
        first[together], after[together] = level.edges[groups[together]], level.edges[groups[together] + 1]
    return labels, first, after


Partition: TypeAlias = Literal["mdav", "mondrian"]


@dataclass(frozen=True, slots=True)
class MeansRecoding(RequirementRecoding):
    """Classes that meet a requirement, those of MDAV or of Mondrian, shown by their means."""

    partition: Partition = "mdav"

    @classmethod
    def of(cls, requirement: Mapping[str, float], partition: Partition = "mdav") -> MeansRecoding:
        return cls(required_of_parts(requirement), partition)

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> MeansRecoding:
        return cls.of(entry["requirement"], entry["partition"])

    @property
    def way(self) -> dict[str, Any]:
        return {"partition": self.partition}

    def manifest(self, shown: ShownRelease) -> dict[str, Any]:
        return {"space": "microaggregation", "labels": shown.labels(), **shown.keep}

    def classes(self, cube: Cube) -> Classes:
        if self.partition == "mondrian":
            return with_means(cube, partition(cube, self.requirement).of_tuple)
        return with_means(cube, self._clusters(cube))

    def _clusters(self, cube: Cube) -> Integers:
        """The cluster of each tuple, none across the sets of the highest levels that the schema allows."""
        if not only_size(self.requirement):
            raise NoSolution("MDAV makes classes for k alone. Require k, or use the parts of Mondrian.")
        k = int(np.ceil(self.requirement[0].bound))
        of_tuple, clusters = np.empty(cube.tuples, dtype=np.int64), 0
        points, first = tuple_points(cube), coarsest(cube)
        for part in range(len(first)):
            members = np.flatnonzero(first.of_tuple == part)
            if cube.counts[members].sum() < k:
                raise NoSolution(f"A set of the highest levels has fewer than {k:,} rows. Require less.")
            of_tuple[members] = clusters + mdav(points[members], cube.counts[members], k)
            clusters = int(of_tuple[members].max()) + 1
        return of_tuple


def only_size(required: Required) -> bool:
    """True if nothing but k is required."""
    return [limit.name for limit in required] == [CLASS_SIZE]


def problem(question: Question, cube: Cube) -> Sweep:
    """A sweep over the requirements on every class. Sets of values lose no less detail than means, but are no
    nearer to the values."""
    names = question.objectives or (CLASS_SIZE, SQUARED_ERROR)
    if SQUARED_ERROR not in names:
        raise InputError.of(
            Field("objectives"),
            "microaggregation shows means, which are compared by their squared error",
            f"add {SQUARED_ERROR}, or use another space",
        )
    return Sweep.of(replace(question, objectives=names), cube, (SIZES,), MeansRecoding)


def search_partitions(asked: Sweep, limits: Limits, tuning: Tuning = STANDARD) -> SearchResult:
    """For every setting the parts of Mondrian and, where only k is required, the clusters of MDAV."""

    def variants(required: Required) -> Iterator[MeansRecoding]:
        if only_size(required):
            yield MeansRecoding(required)
        yield MeansRecoding(required, "mondrian")

    return sweep(asked, variants, limits)


MICROAGGREGATION = Space(
    name="microaggregation",
    joins_for=(SQUARED_ERROR,),
    recoding=MeansRecoding,
    problem=ProblemMaker(problem, {"sweep": "require this of every class"}),
    searches={"sweep": SearchMethod(search_partitions, everywhere=True)},
    wording=Wording(
        N_("settings"),
        N_(
            "Microaggregation: similar rows are put into classes that meet the requirement. Every number is "
            "replaced by the mean of its class, every category by the smallest set of its hierarchy that "
            "contains the class; no row is suppressed."
        ),
        "requirement",
        "The requirement on every class.",
        "Every class meets {requirement}",
        N_("means of similar rows"),
    ),
    supports={
        Feature.PERSONS: "a class is made of rows, whoever they belong to",
        Feature.UNITS: NOT_SUPPRESSED,
        Feature.SUPPRESSION: NOT_SUPPRESSED,
        Feature.POPULATION: "a class is not what its sets contain",
        Feature.LEVELS: "means are those of values",
        Feature.TRANSFER: "this solution shows means of its own rows, and new rows would change them",
    },
)
