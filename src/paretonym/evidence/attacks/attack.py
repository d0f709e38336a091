"""The attack on one release, or on several of one table together: linkage, certain values and
composition.

Everything that is called certain holds in every world that the files leave possible; what is not found may
still be there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from paretonym.audit import Original
from paretonym.base.arrays import Integers, Mask
from paretonym.base.errors import Field, InputError
from paretonym.base.number_text import parse_fraction
from paretonym.base.sentence_parts import several as counted
from paretonym.evidence.attacks.composition import Numbers, compose
from paretonym.evidence.attacks.findings import USUAL, Attack, CertainValue, Finding, Name
from paretonym.evidence.attacks.held_values import HeldValues
from paretonym.evidence.attacks.mean_members import nearest, searched
from paretonym.evidence.attacks.people import MEANS, Fits, Kinds, People, fits, strangers
from paretonym.evidence.attacks.published_file import Codebook, Published, open_published
from paretonym.evidence.criteria import (
    LEVEL,
    MeasuredCriteria,
    Referee,
    SchemaLike,
    measure_criteria,
    read_described,
)
from paretonym.tables.data_kinds import Data
from paretonym.tables.schema import Schema, bind, exposures, wanted_of
from paretonym.tables.source import Counts, TableForm
from paretonym.tables.source.engines import open_source

PLENTY = np.iinfo(np.int64).max


def attack(
    *files: Data,
    original: Data,
    schema: SchemaLike,
    table: str | None = None,
    query: str | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    memory: str | None = None,
    manifest: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    control: Data | None = None,
    level: str | float = LEVEL,
) -> Attack:
    """Try to break a release, or several of one table together, or any other table about the same people.

    Everybody of the original is searched for: the attacker knows the quasi-identifiers of all. Releases and
    original are whatever a `Study` takes; `encoding`, `separator`, `memory`, `table` and
    `query` say how the original is read. `manifest` says where manifests are that are not beside
    their releases, one for each release. With `control`, people of the same population that the files were
    not made from, singling out, linkability and inference are measured too. The answer is false if an attack
    succeeded, or if the whole interval of a measured risk lies above `level`.
    """
    if not files:
        raise InputError.of(Field("files"), "no release is given", "give one or more")
    manifests = [manifest] if isinstance(manifest, str | os.PathLike) else list(manifest)
    if manifests and len(manifests) != len(files):
        wrong = f"{len(manifests)} manifests are named for {len(files)} releases"
        raise InputError.of(Field("manifest"), wrong, "name one for each release, in their order, or none")
    least = float(parse_fraction(str(level), Field("level", str(level))))
    described = read_described(schema)
    book = Codebook()
    form = TableForm(encoding, separator)
    rows = _original(original, described, form, {"memory": memory, "table": table, "query": query})
    criteria: tuple[MeasuredCriteria, ...] = ()
    if control is not None:
        referee = Referee.of(rows, control, described, memory)
        criteria = tuple(measure_criteria(referee.read(file)) for file in files)
    paths = [Path(path) for path in manifests] if manifests else [None] * len(files)
    places = tuple(one.place for one in criteria)
    try:
        releases = [
            open_published(file, path, described, book, memory)
            for file, path in zip(files, paths, strict=True)
        ]
    except InputError as error:
        if not criteria:
            raise
        return Attack.of_criteria(places, criteria, least, str(error))
    bound = bind(described, rows)
    whole = Original.of(rows, bound, described)
    people = People.of(whole.only(~rows.dropped(bound.omitted)))
    case = Case.of(releases, people, book, described)
    exposed = tuple(
        str(exposure) for exposure in exposures(described, rows, bound) if exposure.role != "sensitive"
    )
    answer = case.answer(tuple(release.place for release in releases))
    return replace(answer, exposed=exposed, criteria=criteria, level=least)


def _original(data: Data, schema: Schema, form: TableForm, options: Mapping[str, Any]) -> Counts:
    """The rows of the original, counted where they are."""
    if isinstance(data, Counts):
        return data
    return open_source(data, wanted_of(schema), form=form, **options)


@dataclass(frozen=True, eq=False)
class Case:
    """The files, whom they can contain, and everything that is learnt from them, step by step."""

    releases: Sequence[Published]
    fits: Sequence[Fits]
    people: People
    book: Codebook
    schema: Schema

    @classmethod
    def of(cls, releases: Sequence[Published], people: People, book: Codebook, schema: Schema) -> Case:
        """The case of some releases; a copy of one shows nothing new."""
        different: list[Published] = []
        for release in releases:
            if not any(release.same_rows(other) for other in different):
                different.append(release)
        found_fits = (searched(release, people, fits(release, people)) for release in different)
        return cls(different, list(found_fits), people, book, schema)

    def answer(self, files: tuple[str, ...]) -> Attack:
        """All findings, in numbers of people."""
        people, present = self.people, np.stack([fit.there for fit in self.fits], axis=1)
        somewhere = self.number(np.logical_or.reduce(present, axis=1))
        everywhere = self.number(np.logical_and.reduce(present, axis=1))
        pairs = zip(self.releases, self.fits, strict=True)
        return Attack(
            files=files,
            unit="rows" if self.schema.rows == "events" and people.holdings is None else "people",
            knows=tuple(column.name for column in people.columns),
            people=people.number,
            everywhere=everywhere,
            partly=somewhere - everywhere,
            absent=people.number - somewhere,
            alone=self.alone,
            strangers=sum(strangers(release, people, fit) for release, fit in pairs),
            consistent=all(numbers.consistent for numbers in (*self.by_file, self.together)),
            findings=tuple(self.findings()),
            unread=tuple(
                f"{counted(number, 'label', 'labels')} of '{name}' in {release.place}"
                for release, fit in zip(self.releases, self.fits, strict=True)
                for name, number in fit.unread.items()
            ),
            searched=self.searched,
            rules=tuple(dict.fromkeys(rule for release in self.releases for rule in release.rules)),
        )

    @cached_property
    def watched(self) -> list[str]:
        """The sensitive columns that a file shows; without any, all unchanged columns."""
        sensitive = [name for name in self.book.columns if self.schema.column(name).role == "sensitive"]
        return sensitive or self.book.columns

    @cached_property
    def measured(self) -> dict[str, tuple[Integers, list[str]]]:
        """For each watched column, the measured value of every text by its code, and the values' names."""
        published = {}
        for name in self.watched:
            of_text, values = self.people.measured.get(name, {}), dict[str, int]()
            texts = self.book.texts[name]
            codes = [values.setdefault(of_text.get(text, text), len(values)) for text in texts]
            published[name] = np.array([*codes, -1], dtype=np.int64), list(values)
        return published

    def values(self, numbers: Numbers) -> dict[str, Integers]:
        """The measured value of each number in every watched column, -1 if no file shows it."""
        place = {name: numbers.columns.index(name) for name in self.watched}
        return {name: self.measured[name][0][numbers.values[:, place[name]]] for name in self.watched}

    def _composed(self, places: Sequence[int]) -> Numbers:
        releases, found_fits = [self.releases[p] for p in places], [self.fits[p] for p in places]
        return compose(releases, Kinds.of(releases, self.people, found_fits), self.book.columns)

    @cached_property
    def by_file(self) -> list[Numbers]:
        return [self._composed([place]) for place in range(len(self.releases))]

    @cached_property
    def together(self) -> Numbers:
        several = len(self.releases) > 1
        return self._composed(range(len(self.releases))) if several else self.by_file[0]

    @property
    def searched(self) -> tuple[int, int]:
        """In how many classes with means members were searched for by sums, and of how many."""
        done, classes = zip(*(fit.searched for fit in self.fits), strict=True)
        return sum(done), sum(classes)

    def _guessed(self, place: int, name: str) -> Integers:
        """Pairs of a tuple and the only value in the class with the nearest means."""
        release, pairs = self.releases[place], np.empty((0, 2), dtype=np.int64)
        tally = next((tally for tally in release.tallies if name in tally.columns), None)
        if tally is None or release.recoding.space != MEANS or self.people.holdings is not None:
            return pairs
        value = self.measured[name][0][tally.cells[:, tally.columns.index(name)]]
        lowest = np.full(len(release.classes), np.iinfo(np.int64).max)
        highest = np.full(len(release.classes), -1, dtype=np.int64)
        np.minimum.at(lowest, tally.group, value)
        np.maximum.at(highest, tally.group, value)
        of_tuple = nearest(release, self.people, self.fits[place])
        only = np.where(lowest == highest, highest, -1)[tally.group_of[of_tuple]]
        tuples = np.flatnonzero((of_tuple >= 0) & (only >= 0))
        return np.column_stack([tuples, only[tuples]])

    @cached_property
    def alone(self) -> int:
        """People who are unique by quasi-identifiers that a release in buckets shows unchanged."""
        if not any(release.in_buckets for release in self.releases) or self.people.holdings is not None:
            return 0
        return self.number(self.people.rows == 1)

    def number(self, marked: Mask) -> int:
        """Number of people with a row among the marked tuples."""
        if self.people.holdings is None:
            return int(self.people.rows[marked].sum())
        holdings = self.people.holdings
        return len(np.unique(holdings[marked[holdings[:, 0]], 1]))

    def findings(self) -> list[Finding]:
        """The finding of each attack."""
        findings = [self._linkage()]
        everything = [*self.by_file, self.together]
        for name in self.watched:
            steps: list[tuple[Name, Sequence[Numbers]]] = [("certain values", self.by_file)]
            if len(self.releases) > 1:
                steps.append(("composition", everything))
            before = np.empty((0, 2), dtype=np.int64)
            for step, numbers in steps:
                pairs = np.unique(
                    np.concatenate([self._certain(each_tally, name) for each_tally in numbers]), axis=0
                )
                findings.append(self._finding(step, name, pairs, before, numbers))
                before = pairs
            if any(release.recoding.space == MEANS for release in self.releases):
                guesses = [self._guessed(place, name) for place in range(len(self.releases))]
                pairs = np.unique(np.concatenate([before, *guesses]), axis=0)
                guess = self._finding("nearest means", name, pairs, before, everything)
                right = guess.certain > guess.wrong
                findings.append(replace(guess, narrowed=0, surprising=guess.surprising if right else 0))
        return findings

    def _finding(
        self, step: Name, name: str, pairs: Integers, before: Integers, numbers: Sequence[Numbers]
    ) -> Finding:
        """The people of whom a value is certain now and was not before, if they have it."""
        rows, new = self._rows_with(name, pairs), ~_among(pairs, before)
        shares, values = self._shares(name), self.measured[name][1]
        unusual = np.array([shares.get(value, 0.0) < USUAL for value in pairs[:, 1].tolist()], dtype=np.bool_)

        def people(marked: Mask) -> int:
            return self._having(pairs[marked], rows[marked])

        certain = [
            CertainValue(values[value], people(new & (pairs[:, 1] == value)), shares.get(value, 0.0))
            for value in np.unique(pairs[new & (rows > 0), 1]).tolist()
        ]
        certain.sort(key=lambda each: (each.share, each.value))
        candidates = self._candidates(numbers, name)
        several = (candidates > 1) & (candidates < len(values))
        return Finding(
            step,
            name,
            people(new),
            people(unusual) - people(unusual & ~new),
            self.number(several),
            int(candidates[several].min()) if several.any() else None,
            tuple(certain),
            people(new | ~new) - people(~new),
            self._lacking(pairs, rows) - self._lacking(pairs[~new], rows[~new]),
        )

    def _rows_with(self, name: str, pairs: Integers) -> Integers:
        """Number of rows of each owner that really have the value beside it."""
        codes = self.measured[name][0][:-1]
        return self._held(name).rows_with(pairs, list(self.book.texts[name]), codes)

    def _held(self, name: str) -> HeldValues:
        """The values that everybody really has in a column that files show unchanged."""
        column = next(column for column in self.people.original.kept if column.name == name)
        return HeldValues.of(column, self.people.owners, self.people.original.counts)

    def _having(self, pairs: Integers, rows: Integers) -> int:
        """Number of different people who have a value that stands beside them."""
        return int(rows.sum()) if self.people.holdings is None else len(np.unique(pairs[rows > 0, 0]))

    def _lacking(self, pairs: Integers, rows: Integers) -> int:
        """Number of different people who lack a value that stands beside them."""
        if self.people.holdings is not None:
            return len(np.unique(pairs[rows == 0, 0]))
        owners, first, number = np.unique(pairs[:, 0], return_index=True, return_counts=True)
        # Of two values that all rows of an owner should have, every row lacks one.
        return int((self.people.rows[owners] - np.where(number == 1, rows[first], 0)).sum())

    def _owners(self, owners: Integers) -> int:
        """Number of different owners: tuples, or persons if a column says whose a row is."""
        different = np.unique(owners)
        return len(different) if self.people.holdings is not None else int(self.people.rows[different].sum())

    def _shares(self, name: str) -> dict[int, float]:
        """The share of each measured value in the largest file that shows the column."""
        tallies = [tally for release in self.releases for tally in release.tallies if name in tally.columns]
        tally = max(tallies, key=lambda tally: int(tally.n.sum()))
        value = self.measured[name][0][tally.cells[:, tally.columns.index(name)]]
        rows = np.bincount(value, tally.n)
        return dict(enumerate((rows / rows.sum()).tolist()))

    def _certain(self, numbers: Numbers, name: str) -> Integers:
        """Pairs of an owner (a tuple, or a person) and a value that is certain: so many rows of a kind have
        the value that others cannot have all of them."""
        value, kinds = self.values(numbers)[name], numbers.kinds
        visible = value >= 0
        width = int(value.max(initial=0)) + 1
        keys, place = np.unique(numbers.kind[visible] * width + value[visible], return_inverse=True)
        least = np.bincount(place, numbers.low[visible], len(keys)).astype(np.int64)
        kind, of_kind = keys // width, keys % width
        if self.people.holdings is None:
            sure = least == kinds.rows[kind]
            certain = np.full(len(kinds), -1, dtype=np.int64)
            certain[kind[sure]] = of_kind[sure]
            owners = np.flatnonzero(certain[kinds.of_tuple] >= 0)
            return np.column_stack([owners, certain[kinds.of_tuple[owners]]])
        held = _by_kind(self.people.holdings, kinds.of_tuple)
        start = np.searchsorted(held[:, 0], np.arange(len(kinds) + 1))
        pairs = [np.empty((0, 2), dtype=np.int64)]
        for place in np.flatnonzero(least).tolist():
            mine = held[start[kind[place]] : start[kind[place] + 1]]
            owners = mine[kinds.rows[kind[place]] - mine[:, 2] < least[place], 1]
            pairs.append(np.column_stack([owners, np.full(len(owners), of_kind[place])]))
        return np.unique(np.concatenate(pairs), axis=0)

    def _candidates(self, numbers: Sequence[Numbers], name: str) -> Integers:
        """For each tuple the number of values that its rows can have; many if a file may lack them."""
        fewest = np.full(len(self.people.tuples), PLENTY)
        for each in numbers:
            value, possible = self.values(each)[name], each.possible
            pairs = np.unique(np.column_stack([each.kind[possible], value[possible]]), axis=0)
            number = np.bincount(pairs[:, 0], minlength=len(each.kinds))
            number[pairs[pairs[:, 1] < 0, 0]] = PLENTY
            number[number == 0] = PLENTY
            fewest = np.minimum(fewest, number[each.kinds.of_tuple])
        return fewest

    def _linkage(self) -> Finding:
        """Whose row is found: one candidate row is left or, where persons have several rows, a class has rows
        of nobody else."""
        rows = self._candidate_rows() if self.people.holdings is None else self._candidate_persons()
        certain = self._owners(np.flatnonzero(rows == 1))
        several = (rows > 1) & (rows < PLENTY)
        fewest = int(rows[several].min()) if several.any() else None
        narrowed = self._owners(np.flatnonzero(several))
        return Finding("linkage", None, certain, certain, narrowed, fewest, added=certain)

    def _candidate_rows(self) -> Integers:
        """For each tuple, the released rows that can be one of its people's, in the table with the fewest."""
        fewest = np.full(len(self.people.tuples), PLENTY)
        for numbers in (*self.by_file, self.together):
            for place, tally in enumerate(numbers.tallies):
                if tally.hides:
                    row = numbers.rows[:, place]
                    possible = numbers.possible & (row >= 0)
                    pairs = np.unique(np.column_stack([numbers.kind[possible], row[possible]]), axis=0)
                    room = np.bincount(pairs[:, 0], tally.n[pairs[:, 1]], len(numbers.kinds)).astype(np.int64)
                    room[numbers.kind[numbers.possible & (row < 0)]] = PLENTY
                    room[room == 0] = PLENTY
                    fewest = np.minimum(fewest, room[numbers.kinds.of_tuple])
        return fewest

    def _candidate_persons(self) -> Integers:
        """For each person, how many have rows that fit the same class, in the class with the fewest."""
        holdings = self.people.holdings
        fewest = np.full(0 if holdings is None else int(holdings[:, 1].max()) + 1, PLENTY)
        for fit in self.fits:
            pairs = {
                (place, person)
                for holding, person in (holdings[:, :2].tolist() if holdings is not None else ())
                for place in fit.sets[int(fit.of_tuple[holding])]
            }
            both = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
            persons = np.bincount(both[:, 0])
            np.minimum.at(fewest, both[:, 1], persons[both[:, 0]])
        return fewest


def _by_kind(holdings: Integers, kind_of_tuple: Integers) -> Integers:
    """Number of rows of each kind that each person has: (kind, person, rows)."""
    keys = np.column_stack([kind_of_tuple[holdings[:, 0]], holdings[:, 1]])
    pairs, place = np.unique(keys, axis=0, return_inverse=True)
    rows = np.bincount(place.reshape(-1), holdings[:, 2], len(pairs)).astype(np.int64)
    return np.column_stack([pairs, rows])


def _among(pairs: Integers, others: Integers) -> Mask:
    """Which pairs are among others."""
    known_pairs = set(map(tuple, others.tolist()))
    return np.array([tuple(pair) in known_pairs for pair in pairs.tolist()], dtype=np.bool_)
