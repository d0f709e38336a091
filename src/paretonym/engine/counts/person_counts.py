"""Counting people: who has rows with each tuple, how many different persons that makes in each class, and
which rows belong to one household.

If a person's rows all have one tuple, each person is in one class at every recoding, and persons add up as
rows do. Otherwise the same person may be in several tuples of a class, and different persons are counted anew
for each recoding. Households are compared by the classes of their members.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Codes, Integers, Mask
from paretonym.base.errors import Bug
from paretonym.base.factorize import distinct_rows, run_starts, summed
from paretonym.tables.schema import BoundSchema, HouseholdFacts, PersonFacts, households_of
from paretonym.tables.source import Counts

# Entries of one person that are compared with each other; where somebody has more, all are sorted.
MOST_COMPARED = 12


@dataclass(frozen=True, eq=False)
class Persons:
    """Person `ids[i]`, one of `number`, has rows with tuple `tuples[i]`; no pair occurs twice. With `values`,
    the person has value `values[i]` in such a row, and no triple occurs twice. Numbers stand for persons: no
    pseudonym is kept."""

    number: int
    tuples: Integers
    ids: Integers
    values: Integers | None = None
    width: int = 1

    @classmethod
    def of(
        cls,
        number: int,
        tuples: Integers,
        ids: Codes | Integers,
        values: Codes | Integers | None = None,
        width: int = 1,
    ) -> Persons:
        """From rows, or counted rows, in any order."""
        columns: list[npt.NDArray[np.integer]] = [tuples, ids]
        if values is not None:
            columns.append(values)
        first, _, _ = distinct_rows(columns, [int(column.max(initial=0)) + 1 for column in columns])
        values_of_each = None if values is None else values[first].astype(np.int64)
        return cls(number, tuples[first].astype(np.int64), ids[first].astype(np.int64), values_of_each, width)

    @cached_property
    def tuples_of_each(self) -> Integers:
        """Number of tuples of each person."""
        first, _, _ = distinct_rows(
            [self.tuples, self.ids], [int(self.tuples.max(initial=0)) + 1, self.number]
        )
        return np.bincount(self.ids[first], minlength=self.number)

    @cached_property
    def one_tuple_each(self) -> bool:
        """True if all rows of every person have one tuple: then persons add up when classes are merged."""
        return bool((self.tuples_of_each <= 1).all())

    @property
    def facts(self) -> PersonFacts:
        """The number of persons, and of those with several tuples."""
        return PersonFacts(self.number, int((self.tuples_of_each > 1).sum()))

    def only(self, stay: Mask, place: Integers) -> Persons:
        """The persons that stay, at the new places of tuples."""
        entries = stay[self.ids]
        values = None if self.values is None else self.values[entries]
        return Persons(self.number, place[self.tuples[entries]], self.ids[entries], values, self.width)

    def merged(self, place: Integers) -> Persons:
        """The persons of coarser tuples, given the place of each tuple among them."""
        return Persons.of(self.number, place[self.tuples], self.ids, self.values, self.width)

    def among(self, tuples: Mask) -> int:
        """Number of different persons with rows of the marked tuples."""
        return len(np.unique(self.ids[tuples[self.tuples]]))

    def least(self, numbers: Integers) -> Integers:
        """For each person with rows, the least of the numbers of their tuples."""
        order = np.argsort(self.ids, kind="stable")
        first = run_starts([self.ids[order]])
        of_each = numbers[self.tuples[order]]
        return np.asarray(np.minimum.reduceat(of_each, first)) if len(first) else of_each

    def in_classes(self, of_tuple: Integers, classes: int) -> Integers:
        """Number of persons in each class, given the class of every tuple; or, with values, of those with
        each value in some row of each class."""
        places = of_tuple[self.tuples]
        if self.values is not None:
            places = places * self.width + self.values
        if not self.one_tuple_each:
            places = self._once(places)
        numbers = np.bincount(places, minlength=classes * self.width).astype(np.int64)
        return numbers if self.values is None else numbers.reshape(classes, self.width)

    def _once(self, places: Integers) -> Integers:
        """The places of entries, each person's once: those that an earlier entry of the person has are left
        out. Where everybody has few entries, each is compared with the few before it."""
        if self._alongside is None:
            return np.unique(places.astype(np.int64) * self.number + self.ids) // self.number
        ordered = places[self._by_person]
        again = np.zeros(len(ordered), dtype=np.bool_)
        for back, same in enumerate(self._alongside, 1):
            again[back:] |= same & (ordered[back:] == ordered[:-back])
        return ordered[~again]

    @cached_property
    def _by_person(self) -> Integers:
        """The entries, those of each person together."""
        return np.argsort(self.ids, kind="stable")

    @cached_property
    def _alongside(self) -> tuple[Mask, ...] | None:
        """For each distance, which entries are of the same person as the one that many places before, in the
        order of persons; None if somebody has many entries."""
        most = int(np.bincount(self.ids).max(initial=0))
        ids = self.ids[self._by_person]
        return tuple(ids[back:] == ids[:-back] for back in range(1, most)) if most <= MOST_COMPARED else None


class FurtherCounts(NamedTuple):
    """`counts[i]` rows with tuple `tuples[i]` have the values `values[c][i]` of further columns c; sorted by
    tuple, each of which begins at an entry of `first`."""

    tuples: Integers
    values: tuple[Codes, ...]
    counts: Integers
    first: Integers


def count_further(
    source: Counts,
    bound: BoundSchema,
    levels: Sequence[int],
    further: Mapping[str, Codes],
    tuples: int,
) -> FurtherCounts:
    """The tuples at these levels, `tuples` in number, with the codes of further columns.

    Cost: one query for the distinct tuples with these values.
    """
    coding = {column.name: column.groups(level) for column, level in zip(bound.quasi, levels, strict=True)}
    distinct = source.omitting(bound.omitted).tuples({**coding, **further})
    first = run_starts(distinct.codes[: len(coding)])
    if len(first) != tuples:
        raise Bug("further columns were counted by other tuples than rows")
    places = np.repeat(np.arange(len(first)), np.diff(first, append=len(distinct.counts)))
    return FurtherCounts(places, tuple(distinct.codes[len(coding) :]), distinct.counts, first)


@dataclass(frozen=True, eq=False)
class Households:
    """Household `ids[i]`, one of `number`, has `members[i]` rows with tuple `tuples[i]`; no pair occurs
    twice. Numbers stand for households: what the table calls them is not kept."""

    number: int
    tuples: Integers
    ids: Integers
    members: Integers
    facts: HouseholdFacts

    def only(self, stay: Mask, place: Integers) -> Households:
        """The households that stay, at the new places of tuples."""
        entries = stay[self.ids]
        return replace(
            self, tuples=place[self.tuples[entries]], ids=self.ids[entries], members=self.members[entries]
        )

    def alike(self, of_tuple: Integers, stays: Mask) -> Integers:
        """For each household with members in classes that stay, how many households show the same members:
        as many in each of these classes, in any order. `of_tuple` is the class of every tuple.

        Households are compared by the sorted list of their classes, each with its number of members; lists of
        one length are compared at once.
        """
        classes = of_tuple[self.tuples]
        entries = stays[classes]
        keys, members = summed(self.ids[entries] * len(stays) + classes[entries], self.members[entries])
        most = int(members.max(initial=0)) + 1
        _, cells = np.unique(keys % len(stays) * most + members, return_inverse=True)
        first = run_starts([keys // len(stays)])
        lengths = np.diff(first, append=len(keys))
        number_alike = np.empty(len(first), dtype=np.int64)
        for length in np.unique(lengths).tolist():
            households = np.flatnonzero(lengths == length)
            lists = [cells[first[households] + place] for place in range(length)]
            _, kind, counts = distinct_rows(lists, [int(cells.max(initial=0)) + 1] * length)
            number_alike[households] = counts[kind]
        return number_alike


def count_households(source: Counts, bound: BoundSchema, levels: Sequence[int], tuples: int) -> Households:
    """Which households have rows with each of the tuples at these levels, as many as `tuples`.

    Cost: one query for the distinct tuples with their households, and one for each quasi-identifier.
    """
    household = bound.household
    if household is None:
        raise Bug("no column says which rows belong to one household")
    counted = count_further(source, bound, levels, {household.name: household.lookup}, tuples)
    (ids,) = counted.values
    facts = households_of(source.omitting(bound.omitted), bound)
    return Households(household.number, counted.tuples, ids.astype(np.int64), counted.counts, facts)
