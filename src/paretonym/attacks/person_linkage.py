"""Persons with several rows, searched for in releases that do not say whose a row is.

Somebody who knows the quasi-identifiers of everybody's rows knows who has rows in each equivalence class. Who
is alone there is re-identified, however many rows that makes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paretonym.arrays import Floats, Integers, Mask
from paretonym.attacks.background_knowledge import (
    Fits,
    classes_together,
    fits,
    measured,
    strangers,
    true_cells,
)
from paretonym.attacks.findings import Attack, Disclosure, Estimate, Rules
from paretonym.attacks.linked_rows import linked_rows
from paretonym.attacks.published_file import Codebook, Published
from paretonym.audits import Original

# More persons than there are.
NOBODY = np.iinfo(np.int64).max
INTERSECTION = "Ganta, Kasiviswanathan & Smith 2008, composition attacks (intersection)"


@dataclass(frozen=True, eq=False)
class Linked:
    """One release, beside the entries of the original: the place of each entry's class, -1 if it matches
    none, whose it is, and how many rows it stands for (None: one each). Of classes that overlap it is not
    known in which an entry is: `together[c]` is the first of those that belong together with class c, and
    they are searched as one."""

    release: Published
    found: Fits
    together: Integers
    of_row: Integers
    person: Integers
    number: int
    weights: Integers | None

    @classmethod
    def of(cls, release: Published, original: Original) -> Linked:
        found = fits(release, original)
        together, _, _ = classes_together(release, found)
        place = np.array([together[one[0]] if one else -1 for one in found.sets], dtype=np.int64)
        person = np.asarray(original.persons, dtype=np.int64)
        number = int(person.max(initial=-1)) + 1
        return cls(release, found, together, place[found.of_person], person, number, original.weights)

    @cached_property
    def sizes(self) -> Integers:
        """How many released rows each class has, with those that belong together."""
        length = len(self.release.classes)
        return np.bincount(self.together, self.release.sizes, length).astype(np.int64)

    @cached_property
    def pairs(self) -> Integers:
        """Classes with the persons who have rows there, each pair once: class · number + person."""
        here = self.of_row >= 0
        return np.unique(self.of_row[here] * self.number + self.person[here])

    @cached_property
    def persons(self) -> Integers:
        """How many persons have rows in each class."""
        return np.bincount(self.pairs // self.number, minlength=len(self.release.classes))

    @cached_property
    def rows(self) -> Integers:
        """How many rows of the original match each class."""
        return self.counted(self.of_row, len(self.release.classes))

    def counted(self, places: Integers, length: int) -> Integers:
        """How many rows of the original are in each place, of those that match a class."""
        here = self.of_row >= 0
        weights = None if self.weights is None else self.weights[here]
        return np.bincount(places[here], weights, length).astype(np.int64)

    @cached_property
    def present(self) -> Mask:
        """Which persons have a row that matches a class."""
        found = np.zeros(self.number, dtype=np.bool_)
        found[self.pairs % self.number] = True
        return found

    @cached_property
    def fewest(self) -> Integers:
        """For each person, the most persons that can be in the smallest of their classes; nobody's number
        without one."""
        fewest = np.full(self.number, NOBODY)
        np.minimum.at(fewest, self.pairs % self.number, self.persons[self.pairs // self.number])
        return fewest

    @cached_property
    def known(self) -> Integers:
        """For each person, how many are known to be in each of their classes, at least; nobody's number
        without one. In a class are those with a row that fits no other one: where none overlap, all. Of a
        class that has fewer rows than fit it, some were suppressed, and it is not known whose."""
        single = np.array([one[0] if len(one) == 1 else -1 for one in self.found.sets], dtype=np.int64)
        only = single[self.found.of_person]
        pairs = np.unique(only[only >= 0] * self.number + self.person[only >= 0])
        there = np.bincount(pairs // self.number, minlength=len(self.release.classes))
        for lacking in np.flatnonzero(self.rows > self.sizes).tolist():
            there[lacking] = min(there[lacking], self._fewest_owners(lacking))
        # A class that is shown has somebody's row.
        of_set = [max(there[list(one)].min(), 1) if one else NOBODY for one in self.found.sets]
        known = np.full(self.number, NOBODY)
        np.minimum.at(known, self.person, np.array(of_set, dtype=np.int64)[self.found.of_person])
        return known

    def _fewest_owners(self, place: int) -> int:
        """The fewest persons to whom all rows of a class can belong: those who have the most rows there."""
        here = self.of_row == place
        weights = None if self.weights is None else self.weights[here]
        rows = np.sort(np.bincount(self.person[here], weights, self.number))[::-1]
        return int(np.searchsorted(np.cumsum(rows), self.sizes[place])) + 1

    @cached_property
    def between(self) -> Mask:
        """Which persons have a row that matches one of several classes that belong together, or a class that
        lacks rows."""
        shared = np.bincount(self.together, minlength=len(self.release.classes)) > 1
        shared |= self.rows > self.sizes
        found = np.zeros(self.number, dtype=np.bool_)
        found[self.person[(self.of_row >= 0) & shared[self.of_row]]] = True
        return found

    def values(self, name: str, value_of_text: Integers) -> Integers:
        """How many released rows of each class show each value of a column."""
        tally = next(each for each in self.release.tallies if name in each.columns)
        value = value_of_text[tally.cells[:, tally.columns.index(name)]]
        cells = np.zeros((len(self.release.classes), int(value_of_text.max(initial=0)) + 1), dtype=np.int64)
        np.add.at(cells, (self.together[tally.group], value), tally.n)
        return cells


def attack_persons(
    releases: Sequence[Published], known: Original, book: Codebook, rules: Rules, estimates: bool
) -> Attack:
    """Search for every person of an original that says whose a row is."""
    linked = [Linked.of(release, known) for release in releases]
    truth = true_cells(releases, known, book)
    everybody = linked[0].number
    present = np.stack([one.present for one in linked], axis=1)
    fewest = np.min([one.fewest for one in linked], axis=0)
    alike = _alike(linked)
    proven = np.minimum(alike, np.min([one.known for one in linked], axis=0))
    alone = (fewest < rules.rows) & present.any(axis=1)
    there = present.any(axis=1)
    columns = [name for name in book.columns if _watched(releases, name)]
    return Attack(
        files=tuple(release.place for release in releases),
        original=True,
        unit="persons",
        rules=rules,
        people=everybody,
        everywhere=int(present.all(axis=1).sum()),
        partly=int((there & ~present.all(axis=1)).sum()),
        absent=int((~there).sum()),
        reidentified=int(alone.sum()),
        undecided=int((~alone & there & (proven < rules.rows)).sum()),
        smallest=int(fewest[there].min(initial=everybody)),
        at_least=int(proven[there].min(initial=everybody)),
        shared=int(alike[there].min(initial=everybody)),
        strangers=sum(strangers(one.release, one.found) for one in linked),
        alone=0,
        disclosures=tuple(
            _disclosure(linked, name, measured(known, book, name), truth, book, rules) for name in columns
        ),
        estimates=_estimates(linked, columns, known, book, rules) if estimates else (),
        knows=tuple(column.name for column in known.quasi),
    )


def _estimates(
    linked: Sequence[Linked], columns: Sequence[str], known: Original, book: Codebook, rules: Rules
) -> tuple[Estimate, ...]:
    """What somebody learns who intersects classes, or who knows which rows belong together."""
    crossed = [
        each
        for name in columns
        for one in linked
        for each in _intersected(one, name, measured(known, book, name), rules)
    ]
    releases, found = [one.release for one in linked], [one.found for one in linked]
    return (*crossed, *linked_rows(releases, found, known, rules.rows))


def _watched(releases: Sequence[Published], name: str) -> bool:
    return any(name in release.description.named("sensitive") for release in releases)


def _alike(linked: Sequence[Linked]) -> Integers:
    """For each person, the fewest persons who have a row that matches the same classes of all files."""
    stacked = np.stack([one.of_row for one in linked], axis=1)
    _, kind = np.unique(stacked, axis=0, return_inverse=True)
    kind, first = kind.reshape(-1), linked[0]
    there = (stacked >= 0).any(axis=1)
    pairs = np.unique(kind[there] * first.number + first.person[there])
    persons = np.bincount(pairs // first.number, minlength=int(kind.max(initial=0)) + 1)
    found = np.full(first.number, NOBODY)
    np.minimum.at(found, pairs % first.number, persons[pairs // first.number])
    return found


def _disclosure(
    linked: Sequence[Linked],
    name: str,
    value_of_text: Integers,
    truth: Integers,
    book: Codebook,
    rules: Rules,
) -> Disclosure:
    """What is learned about a column. Known: a class shows more rows with a value than others can have there,
    so the person has it. Likely: more than the given share of the persons of a class have it in some row."""
    values = value_of_text[truth[:, book.columns.index(name)]]
    certain = np.zeros(linked[0].number, dtype=np.bool_)
    likely, surest = certain.copy(), 0.0
    for one in linked:
        if not any(name in tally.columns for tally in one.release.tallies):
            continue
        own, share = _shares(one, values)
        surest = max(surest, float(share.max(initial=0.0)))
        classes, people = one.pairs // one.number, one.pairs % one.number
        likely[people[share[classes] > rules.certain]] = True
        shown = one.values(name, value_of_text).max(axis=1, initial=0)
        complete = one.rows == one.sizes
        sure = complete[classes] & (shown[classes] > one.sizes[classes] - own)
        certain[people[sure]] = True
    known = int(certain.sum())
    more = int((likely & ~certain).sum())
    # What several files, or classes that overlap, show together is not tried: no success does not mean that
    # there is none.
    untried = [one.between if len(linked) == 1 else one.present for one in linked]
    undecided = 0 if known or more else int(np.logical_or.reduce(untried).sum())
    return Disclosure(name, known, more, 0, undecided, None, None, None, 1.0 if known else surest)


def _shares(one: Linked, values: Integers) -> tuple[Integers, Floats]:
    """The rows of each pair of class and person; and for each class the largest share of its persons who have
    one value in some row."""
    here = one.of_row >= 0
    own = one.counted(np.searchsorted(one.pairs, one.of_row * one.number + one.person), len(one.pairs))
    width = int(values.max(initial=0)) + 1
    cell = one.of_row[here] * width + values[here]
    holders = np.unique(cell * one.number + one.person[here]) // one.number
    counts = np.bincount(holders, minlength=len(one.release.classes) * width).reshape(-1, width)
    return own, counts.max(axis=1) / np.maximum(one.persons, 1)


def _intersected(one: Linked, name: str, value_of_text: Integers, rules: Rules) -> list[Estimate]:
    """People whose classes have one value in common, if they have rows in several."""
    if not any(name in tally.columns for tally in one.release.tallies):
        return []
    classes, people = one.pairs // one.number, one.pairs % one.number
    if not (np.bincount(people, minlength=one.number) > 1).any():
        return []
    there = one.values(name, value_of_text) > 0
    common = np.ones((one.number, there.shape[1]), dtype=np.bool_)
    np.logical_and.at(common, people, there[classes])
    single = np.ones(one.number, dtype=np.bool_)
    np.logical_and.at(single, people, there[classes].sum(axis=1) > 1)
    left = (common.sum(axis=1) == 1) & one.present
    return [
        Estimate(
            "intersection of classes",
            one.release.place,
            name,
            f"everybody has one value of {name} in all rows",
            f"people have rows in equivalence classes that have one value of {name} in common "
            f"({one.release.name})",
            float(left.sum()),
            float((left & ~single).sum()),
            False,
            INTERSECTION,
        )
    ]
