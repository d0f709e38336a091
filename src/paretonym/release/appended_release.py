"""New rows recoded like an existing release, and measured together with it.

Old and new rows are bound together, so that every new value gets the place that the schema's rules give it.
Then every set that holds a value of the old data is shown by the label that it has in the old release: equal
labels mean equal sets in both files, or nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from paretonym.arrays import Codes, Integers, Mask
from paretonym.counts import Cube, count_tuples
from paretonym.errors import InputError, NoSolution, Problem
from paretonym.measures import CLASS_SIZE, Realized, meeting
from paretonym.recoding import Classes, Keep, Recoding
from paretonym.release.released_rows import Released, release_rows, row_tuples, without_units
from paretonym.release.small_counts import Cost, most_rows
from paretonym.schema import BoundColumn, BoundSchema, Schema, bind, role_problems
from paretonym.schema.hierarchies import means_missing
from paretonym.source import Counts, Omission
from paretonym.source.engines import joined, shared_values
from paretonym.spaces import Before, CarriedOver, other_sets, transferred

AnyColumn = TypeVar("AnyColumn", bound=BoundColumn)


@dataclass(frozen=True, eq=False)
class Old:
    """What was released before: the data, bound to their schema, and what the recoding made of them."""

    table: Counts
    schema: Schema
    bound: BoundSchema
    realized: Realized

    def suppressed(self) -> Mask:
        """Which entries the old release suppressed (those dropped for a missing value not included)."""
        bound = without_units(self.bound, self.realized)
        tuples = row_tuples(self.table, bound, self.realized.cube)
        left_out = ~self.realized.stays[self.realized.classes.of_tuple]
        # The entry for -1: dropped, or suppressed as a whole person or household.
        found: Mask = np.append(left_out, True)[tuples] & ~self.table.dropped(self.bound.omitted)
        return found


AGAIN = (
    "fix the new rows, or explore old and new rows together with a schema that covers them; the schema "
    "of a release must not change"
)
TOGETHER = (
    "remove these rows from the new ones; if the data of a person have changed, explore old and new "
    "rows together, one row per person"
)


def for_new_rows(problem: Problem) -> Problem:
    """The problem without the advice to edit the schema, which the old release was made with."""
    return problem if problem.in_data else replace(problem, remedy=AGAIN)


def known_before(old: Old, new: Counts, shared: Mapping[str, tuple[str, ...]]) -> list[Problem]:
    """Refuse new rows whose identifiers are already in the old data: if a row is a person, the person is
    already there. No value is shown."""
    counted = {name: _people_in(old.schema.null_of(name), values) for name, values in shared.items()}
    return [
        Problem(
            f"{new.name}, column '{name}'",
            f"identifiers of new rows also occur in the old data: {count:,}",
            TOGETHER,
        )
        for name, count in counted.items()
        if count
    ]


def _people_in(null: tuple[str, ...], shared: tuple[str, ...]) -> int:
    """How many values identify somebody; of very many, those that mean missing are not told apart."""
    missing = sum(means_missing(text, null) for text in shared)
    return len(shared) - missing


@dataclass(frozen=True, slots=True)
class Union:
    """The union of the old release and the new rows, in numbers. Counts are rows, except `classes_left_out`.

    `k_of_all` is the size of the smallest class if no new row were suppressed, `k` its actual size;
    `k_of_new` is that of the smallest class within the new file, for attackers who know that a person is in
    it. `holds` says whether every class of the union meets the recoding's conditions. `nowhere` of the
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
        """What the manifest says about the release that these rows belong to: its rows, and k of both
        together. `holds` may depend on the input, so it is not included."""
        return {"beside": self.old, CLASS_SIZE: self.k}


@dataclass(frozen=True, eq=False)
class _Joined:
    """The entries of both files, without those that are dropped, in the classes of the recoding. An entry is
    a row, or stands for as many rows as its weight says."""

    cube: Cube
    classes: Classes
    of_row: Integers
    weights: Integers

    @classmethod
    def of(cls, table: Counts, bound: BoundSchema, carried: CarriedOver) -> _Joined:
        cube = count_tuples(table, bound)
        classes = carried.classes(cube)
        tuples = row_tuples(table, bound, cube)
        return cls(cube, classes, np.append(classes.of_tuple, -1)[tuples], table.weights)

    def new(self, before: int) -> Integers:
        """How many new rows each class has; `before` entries are old."""
        rows = self.of_row[before:]
        there = rows >= 0
        return np.bincount(rows[there], self.weights[before:][there], len(self.classes)).astype(np.int64)

    def persons_of(self, shown: Mask, whose: Codes) -> Integers:
        """How many persons each class has among the entries that are shown, given whose each is."""
        pairs = np.unique(np.stack([self.of_row[shown], whose[shown]], axis=1), axis=0)
        return np.bincount(pairs[:, 0], minlength=len(self.classes))


@dataclass(frozen=True, eq=False)
class _Units:
    """Which person or household each entry of both files belongs to, if these are suppressed as a whole;
    `before` entries are old."""

    ids: Integers | None
    before: int

    @classmethod
    def of(cls, table: Counts, bound: BoundSchema, unit: str, before: int) -> _Units:
        column = {"person": bound.person, "household": bound.household}.get(unit)
        if column is None:
            return cls(None, before)
        return cls(column.lookup[table.column(column.name).codes].astype(np.int64), before)

    def new_rows_with(self, marked: Mask) -> Mask:
        """The marked new entries; and, of units, all new entries of those that have a marked one, old or
        new."""
        found = marked.copy() if self.ids is None else np.isin(self.ids, self.ids[marked])
        found[: self.before] = False
        return found


def apply_recoding(old: Old, new: Counts, recoding: Recoding) -> tuple[Released, Union]:
    """The new rows that stay, recoded, and their union with the old release. Where old or new rows were
    counted, distinct rows are recoded, each as often as it occurs.

    Where whole persons or households are suppressed, the new rows of one stay or go together, and go if the
    old release suppressed it. Old rows are published already and stay.
    """
    if problems := [for_new_rows(each) for each in role_problems(old.schema, new)]:
        raise InputError(problems)
    identifiers = old.schema.with_role("identifier") if old.schema.one_row_each else ()
    shared = {column.name: shared_values(old.table, new, column.name) for column in identifiers}
    if problems := known_before(old, new, shared):
        raise InputError(problems)
    table, before = joined(old.table, new, shared), old.table.entries
    bound = _bound(old, table)
    dropped = _rows_in(new, table.dropped(bound.omitted)[before:])
    units = _Units.of(table, bound, old.schema.suppress_unit, before)
    suppressed = np.append(old.suppressed(), np.zeros(new.entries, np.bool_))
    table = table.without(suppressed)
    _require_rows(table, bound, before, "each of them lacks a required value")
    returning = units.new_rows_with(suppressed) & ~table.dropped(bound.omitted)
    table = table.without(returning)
    _require_rows(table, bound, before, f"the old release suppressed the {old.schema.suppress_unit} of each")
    prior = Before(old.realized.cube, old.bound, before)
    carried = transferred(recoding, prior, table, bound)
    nowhere = units.new_rows_with(np.isin(np.arange(table.entries), carried.nowhere))
    nowhere &= ~table.dropped(bound.omitted)
    table = table.without(nowhere)
    _require_rows(table, bound, before, "none of them lies in a region that the old release shows")
    every = _Joined.of(table, bound, carried)
    if carried.labels is None:
        _check_labels(old, every)
    table, left, steps = _leaving_out(table, bound, carried, every, units)
    outside, again = (_rows_in(new, marked[before:]) for marked in (nowhere, returning))
    union = _union(old, new, table, bound, dropped, every, left, steps, carried, outside, again)
    # Of the new file: its own values, the places that they have among all.
    of_new = _of_second(bound, table, new)
    stays = new.without(table.dropped(bound.omitted)[before:])
    return release_rows(stays, old.schema, of_new, _all_stay(left), carried.labels), union


def _rows_in(source: Counts, marked: Mask) -> int:
    """How many rows the marked entries stand for."""
    return int(source.weights[marked].sum())


def _bound(old: Old, table: Counts) -> BoundSchema:
    """The schema of the release, bound to both tables."""
    try:
        return bind(old.schema, table)
    except InputError as error:
        raise InputError(map(for_new_rows, error.problems)) from None


def _leaving_out(
    table: Counts, bound: BoundSchema, carried: CarriedOver, every: _Joined, units: _Units
) -> tuple[Counts, _Joined, int]:
    """Suppress the new rows of classes that do not meet the conditions, until every class with new rows does.

    Once is enough for measures of a class alone (k, l), unless whole units go. A distance from the
    distribution of all rows changes with each row that is suppressed.
    """
    left, classes, before = every, 0, units.before
    while True:
        short = ~meeting(left.cube, left.classes, carried.keep) & (left.new(before) > 0)
        if not short.any():
            return table, left, classes
        classes += int(short.sum())
        gone = np.append(short, False)[left.of_row]
        gone[:before] = False
        table = table.without(units.new_rows_with(gone))
        why = f"no class of them meets the requirements of the release ({_words(carried.keep)})"
        _require_rows(table, bound, before, f"together with the old release {why}")
        left = _Joined.of(table, bound, carried)


def _check_labels(old: Old, every: _Joined) -> None:
    """Refuse unless the sets of the old release have the same labels, in order, among those of all rows."""
    for axis, past, now in zip(every.cube.axes, old.realized.classes.sets, every.classes.sets, strict=True):
        known = set(past.labels)
        if tuple(label for label in now.labels if label in known) != past.labels:
            raise InputError([other_sets(axis.name, "")])


def _require_rows(table: Counts, bound: BoundSchema, before: int, why: str) -> None:
    """Raise if no new row is left."""
    if table.dropped(bound.omitted)[before:].all():
        raise NoSolution(
            f"Every new row would have to be suppressed: {why}. Wait for more new rows, or choose a "
            "more general solution for a release of all rows. Nothing was written."
        )


def _words(keep: Keep) -> str:
    return ", ".join(f"{condition.name} {condition.text}" for condition in keep)


def _union(
    old: Old,
    new: Counts,
    table: Counts,
    bound: BoundSchema,
    dropped: int,
    every: _Joined,
    left: _Joined,
    classes: int,
    carried: CarriedOver,
    outside: int,
    again: int,
) -> Union:
    before = old.table.entries
    stay, shown = left.new(before), left.of_row >= 0
    shown[:before] = False
    person = bound.person
    whose = None if person is None else person.lookup[table.column(person.name).codes]
    new_sizes = stay if whose is None else left.persons_of(shown, whose)
    return Union(
        old=int(old.realized.rows.sum()),
        read=new.rows,
        dropped=dropped,
        left_out=int(every.new(before).sum() - stay.sum()) + outside + again,
        classes_left_out=classes,
        stay=int(stay.sum()),
        k_of_all=int(every.classes.sizes.min()),
        k=int(left.classes.sizes.min()),
        k_of_new=int(new_sizes[new_sizes > 0].min()),
        holds=bool(meeting(left.cube, left.classes, carried.keep).all()),
        nowhere=outside,
        persons=left.cube.persons is not None,
        most_rows=most_rows(table, bound, shown),
        unit=old.schema.suppress_unit,
        returning=again,
    )


def _all_stay(joined_rows: _Joined) -> Realized:
    classes = joined_rows.classes
    return Realized(joined_rows.cube, classes, np.ones(len(classes), dtype=np.bool_))


def _of_second(bound: BoundSchema, both: Counts, second: Counts) -> BoundSchema:
    """The binding of both tables, for the rows of the second that stay."""

    def of_second(column: AnyColumn) -> AnyColumn:
        own = second.column(column.name)
        places = np.zeros(len(own.texts) + 1, dtype=np.int32)
        # What the rows have among the values of both; the last entry is that of nulls.
        places[own.codes] = both.column(column.name).codes[both.entries - second.entries :]
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
