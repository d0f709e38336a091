"""The cube: distinct quasi-identifier tuples with their counts. Nothing that uses it needs rows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats, Mask
from paretonym.base.errors import Bug
from paretonym.base.factorize import distinct_rows, group_sums
from paretonym.engine.counts.person_counts import Households, Persons
from paretonym.engine.counts.purpose_rows import AnalysedRows
from paretonym.engine.counts.sampling_weights import Weights
from paretonym.engine.counts.suppression_units import SuppressionUnits
from paretonym.tables.schema import Analysis
from paretonym.tables.schema.hierarchies import Cutting, Hierarchy

Counts: TypeAlias = npt.NDArray[np.int64]
Made = TypeVar("Made")

# Counts of values in classes that are held in one table.
_MOST_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class Axis:
    """One quasi-identifier as a search sees it. Tuples hold its groups at level `lowest`.

    `leaf_rows` counts the rows of each leaf of the hierarchy, `leaf_persons` the different persons who have
    it in some row, if a column says whose a row is.
    """

    name: str
    hierarchy: Hierarchy
    lowest: int
    highest: int
    importance: Fraction
    leaf_rows: Counts
    cutting: Cutting = field(default_factory=Cutting)
    leaf_persons: Counts | None = None

    @property
    def leaf_sizes(self) -> Counts:
        """Number of persons with each leaf, if they are counted, otherwise of rows."""
        return self.leaf_rows if self.leaf_persons is None else self.leaf_persons

    @property
    def steps(self) -> int:
        return self.highest - self.lowest

    def groups(self, level: int) -> int:
        return self.hierarchy.group_counts[level]

    def mapping(self, start: int, end: int) -> npt.NDArray[np.int32]:
        """The group at level `end` of each group at level `start`."""
        mapping = np.arange(self.groups(start), dtype=np.int32)
        for level in range(start, end):
            mapping = self.hierarchy.step(level)[mapping]
        return mapping

    @property
    def unit_ends(self) -> Counts:
        """The first leaf of each group at the lowest level, and the number of leaves at the end."""
        return self.hierarchy.levels[self.lowest].edges

    def rows(self, level: int) -> Counts:
        """Number of rows in each group at `level`."""
        return group_sums(self.hierarchy.levels[level].groups, self.leaf_rows, self.groups(level))


@dataclass(frozen=True, eq=False)
class Margin:
    """Counts of the values of a further column with each tuple, stored sparsely.

    `tuples[i]`, `values[i]`, `counts[i]`: tuple `tuples[i]` holds value `values[i]` that many times. Sorted
    by tuple, then value. `ordered` and `tree` are what the distances of distributions need to know. With
    `holders`, what the privacy of a class depends on is how many persons have a value, not how many rows.
    `of_input` are the totals of the input, if rows of it are left out here.
    """

    name: str
    labels: tuple[str, ...]
    tuples: npt.NDArray[np.int64]
    values: npt.NDArray[np.int32]
    counts: Counts
    ordered: bool = False
    tree: Hierarchy | None = None
    holders: Persons | None = None
    of_input: Counts | None = None

    @property
    def by_rows(self) -> Margin:
        """This column with its values counted in rows."""
        return self if self.holders is None else replace(self, holders=None)

    @cached_property
    def totals(self) -> Counts:
        """Number of rows, or persons, of the input with each value."""
        if self.of_input is not None:
            return self.of_input
        if self.holders is not None:
            everything = np.zeros(int(self.tuples.max(initial=0)) + 1, dtype=np.int64)
            return self.holders.in_classes(everything, 1).ravel()
        return group_sums(self.values, self.counts, len(self.labels))

    @property
    def shares(self) -> Floats:
        """The input's distribution of the values."""
        return np.asarray(self.totals / max(self.totals.sum(), 1))

    def cells(self, class_of_tuple: Counts, classes: int) -> Counts:
        """Counts of each value in each class, given the class of every tuple; or the number of persons with
        it there."""
        if self.holders is not None:
            return self.holders.in_classes(class_of_tuple, classes)
        cells = np.zeros((classes, len(self.labels)), dtype=np.int64)
        np.add.at(cells, (class_of_tuple[self.tuples], self.values), self.counts)
        return cells

    def cells_in_parts(self, class_of_tuple: Counts, classes: int) -> Iterator[Counts]:
        """Counts of each value in each class, some classes after the other if there are too many
        values for all at once."""
        length = max(1, _MOST_CELLS // max(len(self.labels), 1))
        if classes <= length:
            yield self.cells(class_of_tuple, classes)
            return
        owner = class_of_tuple[self.tuples]
        order = np.argsort(owner, kind="stable")
        ends = np.searchsorted(owner[order], np.arange(0, classes + length, length))
        for part, (first, after) in enumerate(pairwise(ends.tolist())):
            entries = order[first:after]
            cells = np.zeros((min(length, classes - part * length), len(self.labels)), dtype=np.int64)
            np.add.at(cells, (owner[entries] - part * length, self.values[entries]), self.counts[entries])
            yield cells


@dataclass(frozen=True, eq=False)
class Population:
    """The people that the rows of a cube were drawn from: distinct tuples with counts, at the lowest levels.
    `axes` are the cube's over the values of the population; `of_sample[t]` is the tuple here that tuple t of
    the cube is."""

    axes: tuple[Axis, ...]
    groups: npt.NDArray[np.int32]
    counts: Counts
    of_sample: Counts

    def classes(self, levels: Sequence[int]) -> tuple[Counts, Counts]:
        """The class of every tuple at these levels, and the number of people in each class."""
        places, _, people = classes_at(self, levels)
        return places, people


def classes_at(table: Cube | Population, levels: Sequence[int]) -> tuple[Counts, Counts, Counts]:
    """The classes at these levels: that of every tuple, the group of every axis (one row for a class), and
    the number of rows in each class."""
    groups = [
        axis.mapping(axis.lowest, level)[table.groups[:, j]]
        for j, (axis, level) in enumerate(zip(table.axes, levels, strict=True))
    ]
    sizes = [axis.groups(level) for axis, level in zip(table.axes, levels, strict=True)]
    first, places, _ = distinct_rows(groups, sizes)
    of_class = np.stack([column[first] for column in groups], axis=1).astype(np.int64)
    return places, of_class, group_sums(places, table.counts, len(first))


@dataclass(frozen=True, slots=True)
class Sample:
    """Sampling of the rows from a population: what counts its people, if there is a table of them; what
    counts the sampling weights, if a column holds them; the share of the population that the rows are, if
    that is known."""

    population: Callable[[Cube], Population] | None = None
    weights: Callable[[Cube], Weights] | None = None
    fraction: Fraction | None = None


@dataclass(frozen=True, eq=False)
class Purpose:
    """A purpose that a schema declares, and what counts the rows of its analyses by the tuples of a cube."""

    name: str
    analyses: tuple[Analysis, ...]
    count: Callable[[Cube], tuple[AnalysedRows, ...]]


NOT_DRAWN = Sample()
Role: TypeAlias = Literal["sensitive", "class", "person", "household", "unit", "required-k", "purposes"]
AnyMargin: TypeAlias = Margin | Persons | Households | SuppressionUnits | Purpose


@dataclass(frozen=True, eq=False)
class Cube:
    """`groups[t, j]`: the group of axis j in tuple t; `counts[t]`: its rows. Tuples are distinct and sorted.

    `read` rows were read, `rows` of them are left, the others had a missing value. `margins` say by role how
    often each tuple meets each value of a further column: its sensitive values, its classes, its persons (who
    then make the size of a class), its households, the sizes of class that its people require, the units that
    a suppressed row takes with it, and what the purposes of the schema analyse.
    `sample` says how the rows were drawn. `finer` holds the cube of the unchanged values if the tuples hold
    coarser groups.
    """

    axes: tuple[Axis, ...]
    groups: npt.NDArray[np.int32]
    counts: Counts
    margins: Mapping[Role, tuple[AnyMargin, ...]]
    rows: int
    read: int
    sample: Sample = NOT_DRAWN
    finer: tuple[Cube, ...] = ()
    _made: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def once(self, name: Hashable, make: Callable[[], Made]) -> Made:
        """A result that depends on the cube alone, computed for the first question and kept for the
        others."""
        if name not in self._made:
            self._made[name] = make()
        made: Made = self._made[name]
        return made

    def _with_role(self, role: Role, kind: type[Made]) -> tuple[Made, ...]:
        return tuple(margin for margin in self.margins.get(role, ()) if isinstance(margin, kind))

    @property
    def sensitive(self) -> tuple[Margin, ...]:
        return self._with_role("sensitive", Margin)

    @property
    def classes(self) -> tuple[Margin, ...]:
        return self._with_role("class", Margin)

    @property
    def required(self) -> Margin | None:
        """The sizes of class that people require; None if nothing says so."""
        return next(iter(self._with_role("required-k", Margin)), None)

    @property
    def persons(self) -> Persons | None:
        """Who has the rows; None if every row counts for itself."""
        return next(iter(self._with_role("person", Persons)), None)

    @property
    def households(self) -> Households | None:
        """Which rows belong together; None if nothing says so."""
        return next(iter(self._with_role("household", Households)), None)

    @property
    def units(self) -> SuppressionUnits | None:
        """The units that are suppressed as a whole; None if every row is suppressed for itself."""
        return next(iter(self._with_role("unit", SuppressionUnits)), None)

    @property
    def purposes(self) -> tuple[Purpose, ...]:
        """The declared purposes."""
        return self._with_role("purposes", Purpose)

    def without(self, *roles: Role) -> Cube:
        """This cube without the margins of these roles."""
        return replace(self, margins={role: m for role, m in self.margins.items() if role not in roles})

    @property
    def finest(self) -> Cube | None:
        """The cube of the unchanged values, if the tuples hold coarser groups."""
        return next(iter(self.finer), None)

    @property
    def population(self) -> Population:
        """The population that the rows were drawn from, counted when it is first needed."""
        count = self.sample.population
        if count is None:
            raise Bug("the population of a table is not known")
        return self.once("population", lambda: count(self))

    @property
    def weights(self) -> Weights:
        """The sampling weights, counted when they are first needed."""
        count = self.sample.weights
        if count is None:
            raise Bug("the rows of a table have no weights")
        return self.once("weights", lambda: count(self))

    @property
    def people(self) -> int:
        """The number of people in the table: its persons, or its rows."""
        everybody = np.zeros(self.tuples, dtype=np.int64)
        return int(self.class_sizes(everybody, np.array([self.rows]))[0])

    @property
    def digest(self) -> str:
        """The SHA-256 of what was counted, with the names of values: the same wherever the same rows were
        counted with the same schema. For the publisher alone: who guesses the rows can confirm the guess."""
        cube, sha256 = self.finest or self, hashlib.sha256(b"paretonym.cube/1")
        margins = (*cube.sensitive, *cube.classes, *cube._with_role("required-k", Margin))
        texts = [[axis.name, *axis.hierarchy.leaves] for axis in cube.axes]
        texts += [[margin.name, *margin.labels] for margin in margins]
        sha256.update(json.dumps([cube.read, cube.rows, texts]).encode())
        arrays = [cube.groups, cube.counts]
        arrays += [array for margin in margins for array in (margin.tuples, margin.values, margin.counts)]
        if cube.persons is not None:
            # Numbers of persons alone: no digest says who they are.
            every_tuple = np.arange(cube.tuples)
            arrays += [cube.persons.in_classes(every_tuple, cube.tuples)]
            arrays += [margin.cells(every_tuple, cube.tuples) for margin in cube.sensitive]
        if self.households is not None:
            # How many households are alike, not which.
            every = np.ones(self.tuples, dtype=np.bool_)
            arrays += [np.sort(self.households.alike(np.arange(self.tuples), every))]
        for array in arrays:
            sha256.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
        return sha256.hexdigest()

    @property
    def of_values(self) -> Cube:
        """The cube of the values as they are."""
        return self.finest or self

    @property
    def first_leaves(self) -> Counts:
        """The first leaf of each tuple in every axis, one row each: sets hold all of a group or none."""
        columns = [axis.unit_ends[:-1][self.groups[:, j]] for j, axis in enumerate(self.axes)]
        return np.stack(columns, axis=1).astype(np.int64)

    def class_sizes(self, of_tuple: Counts, rows: Counts) -> Counts:
        """The sizes of classes with these rows, given the class of every tuple: their persons, if a column
        says whose a row is, or else their rows."""
        return rows if self.persons is None else self.persons.in_classes(of_tuple, len(rows))

    def sizes_among(self, tuples: Counts, group: Counts) -> Counts:
        """The sizes of groups of some tuples, given the group of each: their persons, or else their rows."""
        groups = int(group.max(initial=-1)) + 1
        if self.persons is None:
            return group_sums(group, self.counts[tuples], groups)
        of_tuple = np.full(self.tuples, groups, dtype=np.int64)
        of_tuple[tuples] = group
        return self.persons.in_classes(of_tuple, groups + 1)[:groups]

    @property
    def adds_up(self) -> bool:
        """True if sizes and counts of values add up when classes are merged: those of rows do, unless a
        suppressed row takes others with it."""
        if self.units is not None:
            return False
        return self.persons is None or self.persons.one_tuple_each

    def only(self, stay: Mask) -> Cube:
        """The tuples of the units that stay, and their rows. N, and the distributions that classes are
        compared with, are still those of the input."""
        units, homes = self.units, self.households
        if units is None:
            raise Bug("no rows of this cube are suppressed together")
        counts = units.rows_of_tuples(stay, self.tuples)
        occurring = counts > 0
        place = np.cumsum(occurring) - 1

        def left(margin: Margin) -> Margin:
            cells, rows = units.cells_of(margin.name, width := len(margin.labels), stay)
            return replace(
                margin,
                tuples=place[cells // width],
                values=(cells % width).astype(np.int32),
                counts=rows,
                holders=None if margin.holders is None else margin.holders.only(stay, place),
                of_input=margin.totals,
            )

        return replace(
            self,
            groups=self.groups[occurring],
            counts=counts[occurring],
            margins={
                "sensitive": tuple(map(left, self.sensitive)),
                "class": tuple(map(left, self.classes)),
                "required-k": tuple(map(left, self._with_role("required-k", Margin))),
                "person": () if self.persons is None else (self.persons.only(stay, place),),
                "household": () if homes is None else (homes.only(stay, place),),
            },
            # Weights were counted for all units.
            sample=replace(self.sample, weights=None),
        )

    @property
    def dropped(self) -> int:
        return self.read - self.rows

    @property
    def tuples(self) -> int:
        return len(self.counts)

    def margins_of(self, columns: Iterable[str]) -> tuple[Margin, ...]:
        """The margins of some sensitive and class columns, in the order of the schema."""
        wanted = set(columns)
        return tuple(margin for margin in (*self.sensitive, *self.classes) if margin.name in wanted)

    def margin(self, column: str) -> Margin:
        return self.margins_of([column])[0]

    @property
    def walking_order(self) -> tuple[int, ...]:
        """Axes in the order for visiting all nodes: the one with the most levels is last and changes fastest,
        so that most roll-ups are of classes that are already coarse; ties broken by number of groups, then by
        schema order."""
        keys = [(axis.steps, axis.groups(axis.lowest), j) for j, axis in enumerate(self.axes)]
        return tuple(j for *_, j in sorted(keys))

    @property
    def jumping_order(self) -> tuple[int, ...]:
        """Axes in the order for visiting few nodes far apart: the one with the most groups first, so that
        what comes after it is rolled up from few classes already."""
        keys = [(-axis.groups(axis.lowest), j) for j, axis in enumerate(self.axes)]
        return tuple(j for _, j in sorted(keys))
