"""New rows recoded like an existing release, and measured together with it.

Old and new rows are bound together, so that every new value gets the place that the schema's rules give it.
Then every set that holds a value of the old data is shown by the label that it has in the old release: equal
labels mean equal sets in both files, or nothing is written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from paretonym.base.arrays import Codes, Integers, Mask
from paretonym.base.errors import InputError, NoSolution, Problem
from paretonym.base.factorize import group_sums
from paretonym.engine.counts import Cube, count_tuples
from paretonym.engine.measures import CLASS_SIZE, Realized, meeting
from paretonym.engine.recoding import Classes, Recoding
from paretonym.engine.spaces import Before, CarriedOver, other_sets, transferred
from paretonym.release.released_rows import Released, release_rows, row_tuples, without_units
from paretonym.release.small_counts import Cost, most_rows
from paretonym.tables.schema import BoundColumn, BoundSchema, Schema, bind, role_problems
from paretonym.tables.schema.hierarchies import means_missing
from paretonym.tables.source import Counts, Omission
from paretonym.tables.source.engines import joined, shared_values

AnyColumn = TypeVar("AnyColumn", bound=BoundColumn)

AGAIN = (
    "fix the new rows, or explore old and new rows together with a schema that covers them; the schema "
    "of a release must not change"
)
TOGETHER = (
    "remove these rows from the new ones; if the data of a person have changed, explore old and new "
    "rows together, one row per person"
)


@dataclass(frozen=True, eq=False)
class PriorRelease:
    """A release made before: the data, bound to their schema, and what the recoding made of them."""

    table: Counts
    schema: Schema
    bound: BoundSchema
    realized: Realized

    def suppressed(self) -> Mask:
        """Which entries the release suppressed (those dropped for a missing value not included)."""
        bound = without_units(self.bound, self.realized)
        tuples = row_tuples(self.table, bound, self.realized.cube)
        suppressed = ~self.realized.stays[self.realized.classes.of_tuple]
        # The entry for -1: dropped, or suppressed as a whole person or household.
        gone: Mask = np.append(suppressed, True)[tuples] & ~self.table.dropped(self.bound.omitted)
        return gone

    def known_people(self, new: Counts) -> dict[str, tuple[str, ...]]:
        """The identifiers that both tables have, by column. Refuse new rows of people who are already in the
        old data or its control group, if a row is a person. No value is shown."""
        identifiers = self.schema.with_role("identifier") if self.schema.one_row_each else ()
        shared = {column.name: shared_values(self.table, new, column.name) for column in identifiers}
        problems = []
        control = self.table.control
        held_out = {name: shared_values(control, new, name) for name in shared} if control else {}
        for where, values_of in (("old data", shared), ("control group", held_out)):
            for name, values in values_of.items():
                number = len(values) - sum(means_missing(text, self.schema.null_of(name)) for text in values)
                if number:
                    wrong = f"identifiers of new rows also occur in the {where}: {number:,}"
                    problems.append(Problem(f"{new.name}, column '{name}'", wrong, TOGETHER))
        if problems:
            raise InputError(problems)
        return shared


@dataclass(frozen=True, slots=True)
class CombinedRelease:
    """The old release and the new rows together, in numbers. Counts are rows, except `classes_left_out`.

    `k_of_all` is the size of the smallest class if no new row were suppressed, `k` its actual size;
    `k_of_new` is that of the smallest class within the new file, for attackers who know that a person is in
    it. `holds` says whether every class of both meets the recoding's conditions. `nowhere` of the
    suppressed rows lie in no region of the old release. `unit` is what is suppressed: rows, or all new rows
    of a person or household; then `returning` of them belong to those that the old release suppressed.
    `persons`: all three k count persons, and of one at most `most_rows` new rows stay.
    """

    old: int
    read: int
    dropped: int
    left_out: int
    classes_left_out: int
    stay: int
    k_of_all: int
    k: int
    k_of_new: int
    holds: bool
    nowhere: int = 0
    persons: bool = False
    most_rows: int = 1
    unit: str = "row"
    returning: int = 0

    @property
    def cost(self) -> Cost:
        """The new rows that are suppressed; what the others lose is not measured."""
        return Cost(self.left_out, None, self.k if self.persons else None, self.most_rows)

    @property
    def entry(self) -> dict[str, int]:
        """Entry of the manifest about the release that these rows belong to: its rows, and k of both
        together. `holds` may depend on the input, so it is not included."""
        return {"beside": self.old, CLASS_SIZE: self.k}


@dataclass(frozen=True, eq=False)
class _Rows:
    """The entries of both tables, the first `before` of which are old; those that are suppressed count as
    none. `units` is the person or household of each, if these are suppressed as a whole."""

    table: Counts
    bound: BoundSchema
    before: int
    units: Integers | None

    @classmethod
    def of(cls, prior: PriorRelease, new: Counts) -> _Rows:
        """Both tables, bound to the schema of the release."""
        if problems := [_for_new_rows(problem) for problem in role_problems(prior.schema, new)]:
            raise InputError(problems)
        table = joined(prior.table, new, prior.known_people(new))
        try:
            bound = bind(prior.schema, table)
        except InputError as error:
            raise InputError(map(_for_new_rows, error.problems)) from None
        column = {"person": bound.person, "household": bound.household}.get(prior.schema.suppress_unit)
        units = None if column is None else column.lookup[table.column(column.name).codes].astype(np.int64)
        return cls(table, bound, prior.table.entries, units)

    @property
    def dropped(self) -> Mask:
        return self.table.dropped(self.bound.omitted)

    def new_rows_with(self, marked: Mask) -> Mask:
        """The marked new entries; and, of units, all new entries of those that have a marked one, old or
        new."""
        gone = marked.copy() if self.units is None else np.isin(self.units, self.units[marked])
        gone[: self.before] = False
        return gone & ~self.dropped

    def without(self, gone: Mask, why: str) -> _Rows:
        """The rows without some; raises `NoSolution` if no new row is left."""
        rest = replace(self, table=self.table.without(gone))
        if rest.dropped[self.before :].all():
            raise NoSolution(
                f"Every new row would have to be suppressed: {why}. Wait for more new rows, or choose a "
                "more general solution for a release of all rows. Nothing was written."
            )
        return rest


@dataclass(frozen=True, eq=False)
class _Recoded:
    """The rows of both tables in the classes of the recoding."""

    rows: _Rows
    cube: Cube
    classes: Classes
    of_row: Integers

    @classmethod
    def of(cls, rows: _Rows, carried: CarriedOver) -> _Recoded:
        cube = count_tuples(rows.table, rows.bound)
        classes = carried.classes(cube)
        tuples = row_tuples(rows.table, rows.bound, cube)
        return cls(rows, cube, classes, np.append(classes.of_tuple, -1)[tuples])

    @property
    def shown(self) -> Mask:
        """The new entries that are in a class."""
        placed = self.of_row >= 0
        placed[: self.rows.before] = False
        return placed

    @cached_property
    def new(self) -> Integers:
        """Number of new rows in each class."""
        placed = self.shown
        weights = self.rows.table.weights[placed]
        return group_sums(self.of_row[placed], weights, len(self.classes))

    @property
    def sizes_of_new(self) -> Integers:
        """Number of new rows in each class or, if a column says whose a row is, of persons."""
        person = self.rows.bound.person
        if person is None:
            return self.new
        whose: Codes = person.lookup[self.rows.table.column(person.name).codes]
        pairs = np.unique(np.stack([self.of_row[self.shown], whose[self.shown]], axis=1), axis=0)
        return np.bincount(pairs[:, 0], minlength=len(self.classes))


def apply_recoding(prior: PriorRelease, new: Counts, recoding: Recoding) -> tuple[Released, CombinedRelease]:
    """The new rows that stay, recoded, and the old release together with them. Where old or new rows were
    counted, distinct rows are recoded, each as often as it occurs.

    Where whole persons or households are suppressed, the new rows of one stay or go together, and go if the
    old release suppressed it. Old rows are published already and stay.
    """
    rows, unit = _Rows.of(prior, new), prior.schema.suppress_unit
    dropped = rows.dropped[rows.before :]
    suppressed = np.append(prior.suppressed(), np.zeros(new.entries, np.bool_))
    returning = rows.new_rows_with(suppressed)
    rows = rows.without(suppressed, "each of them lacks a required value")
    rows = rows.without(returning, f"the old release suppressed the {unit} of each")
    before = Before(prior.realized.cube, prior.bound, rows.before)
    carried = transferred(recoding, before, rows.table, rows.bound)
    nowhere = rows.new_rows_with(np.isin(np.arange(rows.table.entries), carried.nowhere))
    rows = rows.without(nowhere, "none of them lies in a region that the old release shows")
    every = _Recoded.of(rows, carried)
    if carried.labels is None:
        _check_labels(prior, every)
    staying, classes_left_out = _leaving_out(every, carried)

    def number(marked: Mask) -> int:
        return int(new.weights[marked].sum())

    outside, again = number(nowhere[rows.before :]), number(returning[rows.before :])
    sizes = staying.sizes_of_new
    combined = CombinedRelease(
        old=int(prior.realized.rows.sum()),
        read=new.rows,
        dropped=number(dropped),
        left_out=int(every.new.sum() - staying.new.sum()) + outside + again,
        classes_left_out=classes_left_out,
        stay=int(staying.new.sum()),
        k_of_all=int(every.classes.sizes.min()),
        k=int(staying.classes.sizes.min()),
        k_of_new=int(sizes[sizes > 0].min()),
        holds=bool(meeting(staying.cube, staying.classes, carried.keep).all()),
        nowhere=outside,
        persons=staying.cube.persons is not None,
        most_rows=most_rows(staying.rows.table, rows.bound, staying.shown),
        unit=unit,
        returning=again,
    )
    return _released(prior, new, staying, carried), combined


def _for_new_rows(problem: Problem) -> Problem:
    """The problem without the advice to edit the schema, which the old release was made with."""
    return problem if problem.in_data else replace(problem, remedy=AGAIN)


def _check_labels(prior: PriorRelease, every: _Recoded) -> None:
    """Refuse unless the sets of the old release have the same labels, in order, among those of all rows."""
    for axis, past, now in zip(every.cube.axes, prior.realized.classes.sets, every.classes.sets, strict=True):
        labels = set(past.labels)
        if tuple(label for label in now.labels if label in labels) != past.labels:
            raise InputError([other_sets(axis.name, "")])


def _leaving_out(every: _Recoded, carried: CarriedOver) -> tuple[_Recoded, int]:
    """Suppress the new rows of classes that do not meet the conditions, until every class with new rows does;
    and count these classes.

    Once is enough for measures of a class alone (k, l), unless whole units go. A distance from the
    distribution of all rows changes with each row that is suppressed.
    """
    staying, classes = every, 0
    words = ", ".join(f"{condition.name} {condition.text}" for condition in carried.keep)
    reason = f"together with the old release no class of them meets the requirements of the release ({words})"
    while True:
        short = ~meeting(staying.cube, staying.classes, carried.keep) & (staying.new > 0)
        if not short.any():
            return staying, classes
        classes += int(short.sum())
        gone = np.append(short, False)[staying.of_row] & staying.shown
        rows = staying.rows.without(staying.rows.new_rows_with(gone), reason)
        staying = _Recoded.of(rows, carried)


def _released(prior: PriorRelease, new: Counts, staying: _Recoded, carried: CarriedOver) -> Released:
    """The new rows that stay: their own values, in the places that they have among all."""
    bound, classes = _of_second(staying.rows.bound, staying.rows.table, new), staying.classes
    realized = Realized(staying.cube, classes, np.ones(len(classes), dtype=np.bool_))
    stays = new.without(staying.rows.dropped[staying.rows.before :])
    return release_rows(stays, prior.schema, bound, realized, carried.labels)


def _of_second(bound: BoundSchema, both: Counts, second: Counts) -> BoundSchema:
    """The binding of both tables, for the rows of the second that stay."""

    def of_second(column: AnyColumn) -> AnyColumn:
        column_of_new = second.column(column.name)
        places = np.zeros(len(column_of_new.texts) + 1, dtype=np.int32)
        # What the rows have among the values of both; the last entry is that of nulls.
        places[column_of_new.codes] = both.column(column.name).codes[both.entries - second.entries :]
        return column.over(places[:-1])

    return BoundSchema(
        tuple(map(of_second, bound.quasi)),
        tuple(map(of_second, bound.sensitive)),
        tuple(map(of_second, bound.classes)),
        Omission(),
        second.rows,
        weight=None if bound.weight is None else of_second(bound.weight),
        kept=tuple(map(of_second, bound.kept)),
    )
