"""Counting households: which rows belong together, and how many households show the same members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from paretonym.arrays import Integers, Mask
from paretonym.counts.further_counts import count_further
from paretonym.errors import Bug
from paretonym.factorize import distinct_rows, run_starts, summed
from paretonym.schema import BoundSchema, HouseholdFacts, households_of
from paretonym.source import DataSource


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
        here = stay[self.ids]
        return replace(self, tuples=place[self.tuples[here]], ids=self.ids[here], members=self.members[here])

    def alike(self, of_tuple: Integers, stays: Mask) -> Integers:
        """For each household with members in classes that stay, how many households show the same members:
        as many in each of these classes, in any order. `of_tuple` is the class of every tuple.

        Households are compared by the sorted list of their classes, each with its number of members; lists of
        one length are compared at once.
        """
        classes = of_tuple[self.tuples]
        here = stays[classes]
        keys, members = summed(self.ids[here] * len(stays) + classes[here], self.members[here])
        most = int(members.max(initial=0)) + 1
        _, cells = np.unique(keys % len(stays) * most + members, return_inverse=True)
        first = run_starts([keys // len(stays)])
        lengths = np.diff(first, append=len(keys))
        found = np.empty(len(first), dtype=np.int64)
        for length in np.unique(lengths).tolist():
            own = np.flatnonzero(lengths == length)
            lists = [cells[first[own] + place] for place in range(length)]
            _, kind, counts = distinct_rows(lists, [int(cells.max(initial=0)) + 1] * length)
            found[own] = counts[kind]
        return found


def count_households(
    source: DataSource, bound: BoundSchema, levels: Sequence[int], tuples: int
) -> Households:
    """Which households have rows with each of the tuples at these levels, as many as `tuples`.

    Cost: one query for the distinct tuples with their households, and one for each quasi-identifier.
    """
    household = bound.household
    if household is None:
        raise Bug("no column says which rows belong to one household")
    found = count_further(source, bound, levels, {household.name: household.lookup}, tuples)
    (ids,) = found.values
    facts = households_of(source.omitting(bound.omitted), bound)
    return Households(household.number, found.tuples, ids.astype(np.int64), found.counts, facts)
