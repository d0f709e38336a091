"""The people of the original, known by their quasi-identifiers, and the classes of releases that they fit.

An attacker who knows everybody's quasi-identifiers knows which classes everybody fits. People who fit the
same classes of every release are of one *kind*: nothing published tells them apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from paretonym.audit import LabelSets, NotDecided, Original, ShownColumn, place_rows, shows_means
from paretonym.base.arrays import Integers, Mask
from paretonym.base.errors import InputError
from paretonym.evidence.attacks.published_file import Published
from paretonym.evidence.criteria import EVERY, without_affixes
from paretonym.tables.schema import QuasiColumn
from paretonym.tables.schema.hierarchies import MISSING_LABEL

Fitting: TypeAlias = tuple[int, ...]
# The space whose labels are means of numbers.
MEANS = "microaggregation"


@dataclass(frozen=True, eq=False)
class People:
    """The distinct tuples of leaves of the original, and how many rows have each. Where a column says whose a
    row is, `holdings` lists (tuple, person, rows): how many rows of a tuple each person has. `measured` gives
    the value as which each text of a sensitive column is measured. `owners` says whose each row of the
    `original` is: the place of a tuple, or a person."""

    columns: tuple[QuasiColumn, ...]
    measured: Mapping[str, Mapping[str, str]]
    tuples: Integers
    rows: Integers
    original: Original
    owners: Integers
    holdings: Integers | None = None

    @classmethod
    def of(cls, original: Original) -> People:
        """Everybody whose row could be released."""
        leaves = np.stack(original.leaves, axis=1)
        tuples, place, rows = _distinct(leaves, original.counts)
        holdings, owners = None, place
        if original.persons is not None:
            owners = original.persons.astype(np.int64)
            owned = np.stack([place, owners], axis=1)
            pairs, _, number = _distinct(owned, original.counts)
            holdings = np.column_stack([pairs, number])
        measured = {
            column.name: dict(zip(column.texts, column.measured, strict=True))
            for column in original.sensitive
        }
        columns = tuple(sets.column for sets in original.sets)
        return cls(columns, measured, tuples, rows, original, owners, holdings)

    @property
    def number(self) -> int:
        """Number of people; rows, if nothing says whose a row is."""
        return int(self.rows.sum()) if self.holdings is None else len(np.unique(self.holdings[:, 1]))


def _distinct(keys: Integers, weights: Integers) -> tuple[Integers, Integers, Integers]:
    """The distinct keys, the place of each key among them, and how many rows have each."""
    distinct, place = np.unique(keys, axis=0, return_inverse=True)
    rows = np.bincount(place.reshape(-1), weights, len(distinct)).astype(np.int64)
    return distinct, place.reshape(-1), rows


@dataclass(frozen=True, eq=False)
class Fits:
    """For each tuple, the classes of one release that it fits, by the number of a set of classes. `unread` is
    the number of labels, by column, that mean no set: their rows may be anybody's. `searched` says in how
    many classes with means members were searched for by sums, and of how many."""

    of_tuple: Integers
    sets: tuple[Fitting, ...]
    unread: Mapping[str, int]
    searched: tuple[int, int] = (0, 0)

    @property
    def there(self) -> Mask:
        """Which tuples fit a class."""
        filled = np.array([bool(classes) for classes in self.sets], dtype=np.bool_)
        return filled[self.of_tuple]


def fits(release: Published, people: People) -> Fits:
    """Which classes of a release everybody fits: those whose sets hold all values."""
    order = {name: place for place, name in enumerate(release.quasi)}
    columns, codes, unread = [], [], dict[str, int]()
    for column in people.columns:
        cells = [labels[order[column.name]] for labels in release.classes]
        labels, of_class = np.unique(np.array(cells, dtype=object), return_inverse=True)
        forms, strange = _readable(release, LabelSets(column), labels.tolist())
        meant = np.array(_runs(release, LabelSets(column), forms), dtype=np.int64)
        # Labels that hold the same values are one: all means are.
        runs, first, of_label = np.unique(meant, axis=0, return_index=True, return_inverse=True)
        of_class = of_label.reshape(-1)[of_class.reshape(-1)]
        if strange:
            unread[column.name] = strange
        columns.append(ShownColumn(LabelSets(column), tuple(labels[first].tolist()), runs, of_class))
        codes.append(of_class)
    # Classes of different buckets, or with different means, may show the same sets.
    distinct_rows, of_class = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)
    classes_of = _places_of(of_class.reshape(-1), len(distinct_rows))
    distinct = [
        replace(column, of_class=numbers) for column, numbers in zip(columns, distinct_rows.T, strict=True)
    ]
    try:
        placement = place_rows(distinct, [*people.tuples.T])
    except NotDecided as reason:
        wrong = f"whom it can contain cannot be told: {reason}"
        raise InputError.of(release.place, wrong, "attack a release with one level for each column") from None
    fitting: dict[Fitting, int] = {}
    holders = _places_of(placement.several_rows, len(people.tuples))
    of_tuple = np.empty(len(people.tuples), dtype=np.int64)
    for number, place in enumerate(placement.of_row.tolist()):
        places = placement.several_classes[holders[number]].tolist() if place < -1 else [place]
        classes = tuple(
            sorted(numbers for place in places if place >= 0 for numbers in classes_of[place].tolist())
        )
        of_tuple[number] = fitting.setdefault(classes, len(fitting))
    return Fits(of_tuple, tuple(fitting), unread)


def _readable(release: Published, sets: LabelSets, labels: Sequence[str]) -> tuple[list[str], int]:
    """The labels, without the unit or prefix that all have if only so they mean sets, and how many mean none.
    Those of stated levels, and means, are not read by their form."""
    if release.recoding.levels is not None or release.recoding.space == MEANS:
        return list(labels), 0
    bare = without_affixes(labels)
    forms = [label if sets.meanings(label) else bare[label] for label in labels]
    return forms, sum(not sets.meanings(form) for form in forms if form not in (*EVERY, MISSING_LABEL))


def _runs(release: Published, sets: LabelSets, labels: Sequence[str]) -> list[tuple[int, int]]:
    """The set of each label: of the stated level, or every set that it may mean."""
    levels = release.recoding.levels
    if release.in_buckets:
        levels = {sets.name: sets.column.lowest}
    if release.recoding.space == MEANS and shows_means(sets):
        # Whose numbers a mean is of, it does not say.
        return [sets.hull(label) if sets.point(label) is None else (0, len(sets.points)) for label in labels]
    if levels is None:
        return [sets.hull(label) for label in labels]
    if not 0 <= levels.get(sets.name, -1) <= sets.height:
        wrong = f"the manifest names no level of '{sets.name}' that the schema has"
        raise InputError.of(release.place, wrong, "give the schema it was made with")
    of_level = sets.level(levels[sets.name])
    return [of_level.get(label, (0, 0)) for label in labels]


def _places_of(codes: Integers, length: int) -> list[Integers]:
    """For each code the places where it stands."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.searchsorted(codes[order], np.arange(1, length)))


@dataclass(frozen=True, eq=False)
class Kinds:
    """Rows of the original by the classes they fit: the kind of each tuple, the rows of each kind, and for
    each kind and release the classes that fit. `may_lack`:
    whether the release may lack rows of this kind although they fit a class, since it has fewer rows than
    fit."""

    of_tuple: Integers
    rows: Integers
    fitting: tuple[tuple[Fitting, ...], ...]
    may_lack: Mask

    @classmethod
    def of(cls, releases: Sequence[Published], people: People, found_fits: Sequence[Fits]) -> Kinds:
        """Everybody by the classes that fit, in all releases at once."""
        stacked = np.stack([fit.of_tuple for fit in found_fits], axis=1)
        keys, of_tuple = np.unique(stacked, axis=0, return_inverse=True)
        of_tuple = of_tuple.reshape(-1)
        rows = np.bincount(of_tuple, people.rows, len(keys)).astype(np.int64)
        fitting = tuple(
            tuple(fit.sets[place] for fit, place in zip(found_fits, key, strict=True))
            for key in keys.tolist()
        )
        lacking = [
            _lacking(release, people, fit)[keys[:, place]]
            for place, (release, fit) in enumerate(zip(releases, found_fits, strict=True))
        ]
        return cls(of_tuple, rows, fitting, np.stack(lacking, axis=1))

    def __len__(self) -> int:
        return len(self.rows)


def _lacking(release: Published, people: People, fit: Fits) -> Mask:
    """For each set of classes, whether rows that fit it may be suppressed: the classes that share people have
    fewer rows than people, taken together."""
    first, rows, fitting = classes_together(release, people, fit)
    short = rows < fitting
    return np.array([bool(classes) and bool(short[first[classes[0]]]) for classes in fit.sets])


def strangers(release: Published, people: People, fit: Fits) -> int:
    """Rows of a release that cannot belong to anybody: more than there are people who fit their classes."""
    _, rows, fitting = classes_together(release, people, fit)
    return int(np.maximum(rows - fitting, 0).sum())


def classes_together(release: Published, people: People, fit: Fits) -> tuple[Integers, Integers, Integers]:
    """Classes that share people: the first of those that belong together with each, and by that one how many
    rows they have and how many rows of the original fit them."""
    parent = list(range(len(release.classes)))

    def top(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    for classes in fit.sets:
        for other in classes[1:]:
            parent[top(other)] = top(classes[0])
    first = np.array([top(place) for place in range(len(parent))], dtype=np.int64)
    rows = np.bincount(first, release.sizes, len(parent)).astype(np.int64)
    fitting = np.zeros(len(parent), dtype=np.int64)
    of_set = np.bincount(fit.of_tuple, people.rows, len(fit.sets)).astype(np.int64)
    for classes, number in zip(fit.sets, of_set.tolist(), strict=True):
        if classes:
            fitting[first[classes[0]]] += number
    return first, rows, fitting
