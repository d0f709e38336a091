"""The people of the original, known by their quasi-identifiers, and the classes of releases that they fit.

An attacker who knows everybody's quasi-identifiers knows which classes everybody fits. People who fit the
same classes of every release are of one *kind*: nothing published tells them apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from paretonym.arrays import Integers, Mask
from paretonym.attacks.label_sets import LabelSets
from paretonym.attacks.published_file import Published
from paretonym.errors import InputError
from paretonym.measures import CLASS_SIZE
from paretonym.schema import BoundColumn, BoundSchema, QuasiColumn, SensitiveColumn
from paretonym.source import Counts

Fitting: TypeAlias = tuple[int, ...]
# Pairs of a tuple and a class that are compared at once, and at most.
AT_ONCE, MOST_PAIRS = 1 << 24, 5 * 10**9
# The space whose labels are means of numbers.
MEANS = "microaggregation"


@dataclass(frozen=True, eq=False)
class People:
    """The distinct tuples of leaves of the original, and how many rows have each. Where a column says whose a
    row is, `holdings` lists (tuple, person, rows): how many rows of a tuple each person has. `measured` gives
    the value as which each text of a sensitive column is measured. Where a suppressed row takes the
    others of its person or household with it, tuples of different `units` are listed apart."""

    columns: tuple[QuasiColumn, ...]
    measured: Mapping[str, Mapping[str, str]]
    tuples: Integers
    rows: Integers
    holdings: Integers | None = None
    units: Integers | None = None

    @classmethod
    def of(cls, table: Counts, bound: BoundSchema, suppress_unit: str = "row") -> People:
        """Everybody whose row could be released."""
        stays = ~table.dropped(bound.omitted)
        weights = None if table.weights is None else table.weights[stays]

        def codes(column: BoundColumn) -> Integers:
            return column.lookup[table.column(column.name).codes[stays]].astype(np.int64)

        unit = {"person": bound.person, "household": bound.household}.get(suppress_unit)
        keys = np.stack([codes(column) for column in (*bound.quasi, *([unit] if unit else []))], axis=1)
        tuples, place, rows = _distinct(keys, weights)
        holdings = units = None
        if unit is not None:
            tuples, units = tuples[:, :-1], tuples[:, -1]
        if bound.person is not None:
            pairs, _, number = _distinct(np.stack([place, codes(bound.person)], axis=1), weights)
            holdings = np.column_stack([pairs, number])
        measured = {
            column.name: _measured(column, table.column(column.name).texts) for column in bound.sensitive
        }
        return cls(bound.quasi, measured, tuples, rows, holdings, units)

    @property
    def number(self) -> int:
        """How many people there are; rows, if nothing says whose a row is."""
        return int(self.rows.sum()) if self.holdings is None else len(np.unique(self.holdings[:, 1]))

    def sizes(self, place: Integers, marked: Mask) -> Integers:
        """How many people have rows in each place, among the marked tuples; rows, if nothing says whose a row
        is."""
        length = int(place.max(initial=-1)) + 1
        if self.holdings is None:
            return np.bincount(place[marked], self.rows[marked], length).astype(np.int64)
        held = self.holdings[marked[self.holdings[:, 0]]]
        pairs = np.unique(np.column_stack([place[held[:, 0]], held[:, 1]]), axis=0)
        return np.bincount(pairs[:, 0], minlength=length)


def _distinct(keys: Integers, weights: Integers | None) -> tuple[Integers, Integers, Integers]:
    """The distinct keys, the place of each key among them, and how many rows have each."""
    distinct, place = np.unique(keys, axis=0, return_inverse=True)
    rows = np.bincount(place.reshape(-1), weights, len(distinct)).astype(np.int64)
    return distinct, place.reshape(-1), rows


@dataclass(frozen=True, eq=False)
class Fits:
    """For each tuple, the classes of one release that it fits, by the number of a set of classes; and where
    its levels say how a tuple would be shown, the number of the class that is absent, -1 elsewhere."""

    of_tuple: Integers
    sets: tuple[Fitting, ...]
    absent: Integers

    @property
    def there(self) -> Mask:
        """Which tuples fit a class."""
        filled = np.array([bool(classes) for classes in self.sets], dtype=np.bool_)
        return filled[self.of_tuple]


def fits(release: Published, people: People) -> Fits:
    """Which classes of a release everybody fits."""
    order = {name: place for place, name in enumerate(release.quasi)}
    places = [order[column.name] for column in people.columns]
    levels, chain = release.recoding.get("levels"), release.recoding.get("chain")
    if release.in_buckets:
        levels = {column.name: column.lowest for column in people.columns}
    if isinstance(levels, Mapping):
        return _by_levels(release, people, places, levels)
    if isinstance(chain, list) and not (release.added or release.in_units):
        return _by_chain(release, people, places, chain)
    return _by_labels(release, people, places)


def _shown_at(people: People, levels: Mapping[str, Any], place: str) -> Integers:
    """The set of every tuple in each column, at these levels."""
    shown = []
    for column, leaf in zip(people.columns, people.tuples.T, strict=True):
        level = levels.get(column.name)
        if not isinstance(level, int) or not 0 <= level < len(column.hierarchy.levels):
            wrong = f"the manifest names no level of '{column.name}' that the schema has"
            raise InputError.of(place, wrong, "give the schema it was made with")
        shown.append(column.hierarchy.levels[level].groups[leaf])
    return np.stack(shown, axis=1).astype(np.int64)


def _classes_by_label(release: Published, places: Sequence[int]) -> dict[tuple[str, ...], list[int]]:
    """The classes that show each combination of labels, in the order of the original's columns."""
    by_label: dict[tuple[str, ...], list[int]] = {}
    for number, labels in enumerate(release.classes):
        by_label.setdefault(tuple(labels[place] for place in places), []).append(number)
    return by_label


def _by_levels(release: Published, people: People, places: Sequence[int], levels: Mapping[str, Any]) -> Fits:
    """Tuples at one level per column: each fits one class, or its class is absent."""
    sets, of_tuple = np.unique(_shown_at(people, levels, release.place), axis=0, return_inverse=True)
    labels = [column.hierarchy.levels[levels[column.name]].labels for column in people.columns]
    by_label = _classes_by_label(release, places)
    fitting = [
        tuple(by_label.get(tuple(own[code] for own, code in zip(labels, row, strict=True)), ()))
        for row in sets.tolist()
    ]
    of_tuple = of_tuple.reshape(-1)
    there = np.array([bool(classes) for classes in fitting], dtype=np.bool_)[of_tuple]
    absent = np.where(there, -1, of_tuple)
    if release.in_units and people.units is not None:
        # Somebody who knows everybody's rows knows whose were suppressed with others.
        of_tuple = np.where(_whole_units(release, people, of_tuple, there), of_tuple, len(fitting))
    return Fits(of_tuple, (*fitting, ()), absent)


def _least_class(release: Published) -> int | None:
    """The k that a class had to have to stay, if the manifest says so."""
    text = str(dict(release.recoding.get("keep", {})).get(CLASS_SIZE, "")).removeprefix(">=")
    return int(text) if text.isdigit() else None


def _whole_units(release: Published, people: People, place: Integers, there: Mask) -> Mask:
    """Which tuples stay where a suppressed row takes the others of its person or household with it, until no
    class is too small. Of rows that were added to others, k is not known."""
    units, least = people.units, _least_class(release)
    if units is None:
        return there
    stay: Mask = ~np.isin(units, units[~there])
    while not release.added and least is not None and stay.any():
        small = stay & (people.sizes(place, stay)[place] < least)
        if not small.any():
            break
        stay &= ~np.isin(units, units[small])
    return stay


def _by_chain(
    release: Published, people: People, places: Sequence[int], chain: Sequence[Mapping[str, Any]]
) -> Fits:
    """Tuples at the first node where, among those that are left, their class is large enough."""
    by_label = _classes_by_label(release, places)
    least = _least_class(release)
    if least is None:
        return _by_labels(release, people, places)
    of_tuple = np.zeros(len(people.tuples), dtype=np.int64)
    fitting: dict[Fitting, int] = {(): 0}
    left = np.ones(len(people.tuples), dtype=np.bool_)
    for levels in chain:
        groups = _shown_at(people, levels, release.place)
        sets, place = np.unique(groups, axis=0, return_inverse=True)
        place = place.reshape(-1)
        large = people.sizes(place, left) >= least
        labels = [column.hierarchy.levels[levels[column.name]].labels for column in people.columns]
        of_set = np.zeros(len(sets), dtype=np.int64)
        for number in np.flatnonzero(large).tolist():
            key = tuple(own[code] for own, code in zip(labels, sets[number].tolist(), strict=True))
            of_set[number] = fitting.setdefault(tuple(by_label.get(key, ())), len(fitting))
        here = left & large[place]
        of_tuple[here] = of_set[place[here]]
        left &= ~here
    return Fits(of_tuple, tuple(fitting), np.full(len(of_tuple), -1))


def _by_labels(release: Published, people: People, places: Sequence[int]) -> Fits:
    """Tuples that lie in all sets of a class fit it; sets are read from labels and may overlap."""
    pairs = len(people.tuples) * len(release.classes)
    if pairs > MOST_PAIRS:
        wrong = f"{len(people.tuples):,} kinds of people and {len(release.classes):,} classes are too many"
        raise InputError.of(release.place, wrong, "attack a release with one level for each column")
    members, labels_of = [], []
    for column, place in zip(people.columns, places, strict=True):
        labels = sorted({shown[place] for shown in release.classes})
        number = {label: code for code, label in enumerate(labels)}
        reader = LabelSets(column)
        holds = np.stack([reader.leaves(label) for label in labels])
        # Whose numbers a mean is of, it does not say.
        averaged = release.recoding.get("space") == MEANS and column.cutting.order == "numbers"
        members.append(np.ones_like(holds) if averaged else holds)
        labels_of.append(np.array([number[shown[place]] for shown in release.classes]))
    fitting: dict[Fitting, int] = {}
    of_tuple = np.empty(len(people.tuples), dtype=np.int64)
    step = max(1, AT_ONCE // len(release.classes))
    for start in range(0, len(people.tuples), step):
        block = people.tuples[start : start + step]
        inside = np.ones((len(block), len(release.classes)), dtype=np.bool_)
        for mask, label, leaf in zip(members, labels_of, block.T, strict=True):
            inside &= mask[:, leaf].T[:, label]
        for place, row in enumerate(inside):
            classes = tuple(np.flatnonzero(row).tolist())
            of_tuple[start + place] = fitting.setdefault(classes, len(fitting))
    return Fits(of_tuple, tuple(fitting), np.full(len(of_tuple), -1))


@dataclass(frozen=True, eq=False)
class Kinds:
    """Rows of the original by the classes they fit: the kind of each tuple, the rows of each kind, and for
    each kind and release the classes that fit and the absent class, if its levels say which. `may_lack`:
    whether the release may lack rows of this kind although they fit a class, since it has fewer rows than
    fit."""

    of_tuple: Integers
    rows: Integers
    fitting: tuple[tuple[Fitting, ...], ...]
    absent: Integers
    may_lack: Mask

    @classmethod
    def of(cls, releases: Sequence[Published], people: People, found_fits: Sequence[Fits]) -> Kinds:
        """Everybody by the classes that fit, in all releases at once."""
        width = len(releases)
        stacked = np.stack([fit.of_tuple for fit in found_fits] + [fit.absent for fit in found_fits], axis=1)
        keys, of_tuple = np.unique(stacked, axis=0, return_inverse=True)
        of_tuple = of_tuple.reshape(-1)
        rows = np.bincount(of_tuple, people.rows, len(keys)).astype(np.int64)
        fitting = tuple(
            tuple(fit.sets[place] for fit, place in zip(found_fits, key, strict=False))
            for key in keys[:, :width].tolist()
        )
        lacking = [
            _lacking(release, people, fit)[keys[:, place]]
            for place, (release, fit) in enumerate(zip(releases, found_fits, strict=True))
        ]
        return cls(of_tuple, rows, fitting, keys[:, width:], np.stack(lacking, axis=1))

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def present(self) -> Mask:
        """Which kinds fit a class of which release."""
        return np.array([[bool(classes) for classes in kind] for kind in self.fitting], dtype=np.bool_)


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


def _measured(column: SensitiveColumn, texts: Sequence[str]) -> dict[str, str]:
    """The value as which each published text of a sensitive column is measured."""
    if column.published is not None:
        pairs = zip(column.published.labels, column.published.measured.tolist(), strict=True)
    else:
        pairs = zip(texts, column.codes.tolist(), strict=True)
    return {text: column.values[code] for text, code in pairs if code >= 0}
