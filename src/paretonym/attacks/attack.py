"""The attack on one release or on several of one table, with the original or without."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeAlias, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers
from paretonym.attacks.background_knowledge import Kinds, fits, kinds, measured, strangers, true_cells
from paretonym.attacks.composition import attack_rows
from paretonym.attacks.definetti import learned_guesses
from paretonym.attacks.disclosure import (
    Decision,
    best_guess,
    decide,
    known_in_a_file,
    share_in_a_file,
    values_of,
)
from paretonym.attacks.findings import Attack, Disclosure, Estimate, Matching, Rules
from paretonym.attacks.linked_rows import linked_rows
from paretonym.attacks.minimality import inferred_from_the_choice
from paretonym.attacks.partial_knowledge import with_other_knowledge
from paretonym.attacks.person_linkage import attack_persons
from paretonym.attacks.possible_worlds import Case, worlds
from paretonym.attacks.published_file import Codebook, Published, open_published, same_rows
from paretonym.attacks.second_worlds import Alternatives
from paretonym.audits import (
    DataForm,
    Engine,
    NamedRelease,
    Original,
    OriginalData,
    SchemaLike,
    finished_file,
    schema_of,
)
from paretonym.data_address import DataAddress
from paretonym.data_kinds import Data
from paretonym.errors import Field, InputError

Unit: TypeAlias = Literal["people", "rows"]
# How what is no file is called.
FRAME = "the dataframe"


def attack(
    *files: Data,
    original: Data | None = None,
    schema: SchemaLike | None = None,
    rules: Rules | Mapping[str, float | str] | None = None,
    estimates: bool = True,
    encoding: str | None = None,
    separator: str | None = None,
    engine: str | None = None,
    memory: str | None = None,
    original_table: str | None = None,
    original_query: str | None = None,
    table: str | Sequence[str] = (),
    manifest: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
) -> Attack:
    """Try to break a release, or several of one table together.

    A release is a file, a folder of parts, or the address of a database ("duckdb:///public.duckdb") with a
    `table`; of several such, `table` names one for each, in their order. `manifest` says where manifests are
    that are not beside their releases, one for each release.

    With the original everybody in it is searched for: the attacker knows the quasi-identifiers of all.
    Releases are files, folders or dataframes; a dataframe needs the schema, since it has no manifest.
    Without the original, each is judged by itself, and the rows of two files are matched. The original may be
    whatever a `Study` takes, with its `encoding`, `separator`, `engine` and `memory`, and `original_table` or
    `original_query` of a database. `rules` say when an attack counts as a success:
    {"rows": 3, "certain": "80%"} if somebody has fewer than three candidate rows, or more than 80 % of them
    show the same sensitive value.
    """
    with ExitStack() as opened:
        paths = [opened.enter_context(finished_file(file)) for file in files]
        releases, rules = _named(paths, table, manifest), Rules.of(rules)
        if not releases:
            raise InputError.of(Field("files"), "no release is given", "give one or more")
        if original is not None and schema is None:
            raise InputError.of(
                Field("schema"),
                "the schema says how somebody of the original looks in a release",
                f"give both: {Field('original', 'DATA')} {Field('schema', 'SCHEMA')}",
            )
        form = DataForm("original", encoding, separator, engine, memory, original_table, original_query)
        given, known = OriginalData(original, form), None
        given.check()
        # Read once: everything is judged by the same schema.
        schema = None if schema is None else schema_of(schema)
        if original is not None and schema is not None:
            known = given.read(schema)
        with Engine.opened(memory) as database:
            found = _attack(database, releases, known, schema, rules, estimates)
    places = zip(found.files, files, strict=True)
    frames = {place for place, file in places if not isinstance(file, str | os.PathLike)}
    return _renamed(found, dict.fromkeys(frames, FRAME))


def _renamed(found: Attack, names: Mapping[str, str]) -> Attack:
    """The findings with other names for the files: a dataframe was one only meanwhile."""

    def named(file: str) -> str:
        return names.get(file, file)

    def said(estimate: Estimate) -> Estimate:
        if estimate.file is None or estimate.file not in names:
            return estimate
        what = estimate.what.replace(Path(estimate.file).name, named(estimate.file))
        return replace(estimate, file=named(estimate.file), what=what)

    return replace(
        found,
        files=tuple(map(named, found.files)),
        matchings=tuple(
            replace(each, files=(named(each.files[0]), named(each.files[1]))) for each in found.matchings
        ),
        estimates=tuple(map(said, found.estimates)),
    )


def _attack(
    database: Engine,
    named: Sequence[NamedRelease],
    known: Original | None,
    schema: SchemaLike | None,
    rules: Rules,
    estimates: bool,
) -> Attack:
    book = Codebook()
    releases = [
        open_published(database, one, f"release_{place}", schema, book) for place, one in enumerate(named)
    ]
    unit: Unit = "rows" if any(release.description.events for release in releases) else "people"
    different = _different(releases)
    files = tuple(one.place for one in named)
    with database.reading(", ".join(files)):
        if known is not None:
            found = (
                _attack_people(different, known, book, rules, unit, estimates)
                if known.persons is None
                else attack_persons(different, known, book, rules, estimates)
            )
            unclear = any(_unclear_top(release, known) for release in different)
            return replace(_left_open(found) if unclear else found, files=files)
        if len(releases) == 1 or all(release.description.bucket is not None for release in releases):
            return replace(_attack_files(different, book, rules, unit), files=files)
        alone = [_attack_files([release], book, rules, unit) for release in releases]
        return attack_rows(releases, alone, schema, rules)


def _unclear_top(release: Published, known: Original) -> bool:
    """Whether a top label may mean everything, or only values outside the hierarchy, so that it is not known
    who may be in the class. Levels and groups say which; parts suppress nobody, so that numbers decide, but
    not of rows that were added."""
    read, said = release.description.recoding_for_rows, release.description.recoding
    if not read.in_regions or read.chain or (said.in_regions and not release.description.added):
        return False
    outside = [column for column in known.quasi if len(column.row.leaves) > column.domain]
    tops = {column.name: column.levels[-1].labels[0] for column in outside}
    return any(
        tops.get(name) == label
        for labels in release.classes
        for name, label in zip(release.quasi, labels, strict=True)
    )


def _left_open(found: Attack) -> Attack:
    """The findings, without the conclusion that there is nothing else to be found."""
    there = found.people - found.absent
    return replace(
        found,
        undecided=max(found.undecided, there),
        disclosures=tuple(replace(each, undecided=max(each.undecided, there)) for each in found.disclosures),
    )


def _named(
    files: Sequence[str | os.PathLike[str]],
    table: str | Sequence[str],
    manifest: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
) -> list[NamedRelease]:
    """The releases that are attacked; each address has its table, in their order."""
    tables = [table] if isinstance(table, str) else list(table)
    manifests = [manifest] if isinstance(manifest, str | os.PathLike) else list(manifest)
    addresses = [DataAddress.of(file) is not None for file in files]
    if len(tables) > sum(addresses):
        wrong = f"{len(tables)} tables are named, and {sum(addresses)} of the releases are databases"
        raise InputError.of(Field("table"), wrong, "name one table for each database, in their order")
    if manifests and len(manifests) != len(files):
        wrong = f"{len(manifests)} manifests are named for {len(files)} releases"
        raise InputError.of(Field("manifest"), wrong, "name one for each release, in their order, or none")
    named = iter(tables)
    of_file = [next(named, None) if is_address else None for is_address in addresses]
    given = iter(manifests)
    return [NamedRelease.of(file, own, next(given, None)) for file, own in zip(files, of_file, strict=True)]


def _different(releases: Sequence[Published]) -> list[Published]:
    """Releases without those that contain the same rows as an earlier one, which show nothing new."""
    found: list[Published] = []
    for release in releases:
        if not any(same_rows(release, other) for other in found):
            found.append(release)
    return found


def _attack_people(
    releases: Sequence[Published],
    known: Original,
    book: Codebook,
    rules: Rules,
    unit: Unit,
    estimates: bool,
) -> Attack:
    found = [fits(release, known) for release in releases]
    of_people = kinds(releases, found)
    odd = sum(strangers(release, one) for release, one in zip(releases, found, strict=True))
    truth = true_cells(releases, known, book)
    case = Case(releases, book, known, of_people, worlds(releases, of_people, book.columns), truth, rules)
    judged, possible = _judged(case, unit, odd)
    knows = tuple(column.name for column in known.quasi)
    if not estimates or not judged.matches:
        return replace(judged, knows=knows)
    case = replace(case, possible=possible)
    # Each is reported beside its baseline; none of them decides a verdict.
    guesses = (
        *with_other_knowledge(case),
        *learned_guesses(case),
        *inferred_from_the_choice(case),
        *linked_rows(releases, found, known, rules.rows),
    )
    if unit == "rows":
        guesses = tuple(replace(each, what=each.what.replace("people", "rows")) for each in guesses)
    return replace(judged, knows=knows, estimates=guesses)


def _attack_files(releases: Sequence[Published], book: Codebook, rules: Rules, unit: Unit) -> Attack:
    """Files by themselves: everybody in them is known by the quasi-identifiers that their own row shows. Only
    releases in buckets show them unchanged, so that the same people can be searched for in several."""
    labels = dict.fromkeys(one for release in releases for one in release.places)
    fitting = tuple(tuple(release.places.get(one, ()) for release in releases) for one in labels)
    sizes = [[int(r.sizes[list(own)].sum()) for r, own in zip(releases, one, strict=True)] for one in fitting]
    people = np.array(sizes, dtype=np.int64).max(axis=1)
    of_rows = Kinds(
        np.repeat(np.arange(len(fitting)), people),
        people,
        fitting,
        (np.array(sizes) > 0) & (np.array(sizes) < people[:, None]),
    )
    case = Case(releases, book, None, of_rows, worlds(releases, of_rows, book.columns), None, rules)
    return replace(_judged(case, unit, 0)[0], knows=tuple(releases[0].quasi))


def _judged(case: Case, unit: Unit, odd: int) -> tuple[Attack, npt.NDArray[np.bool_]]:
    """The findings, and which numbers of the worlds are not excluded."""
    found, people = case.worlds, case.kinds.people
    present = case.kinds.present
    there = present.any(axis=1)
    alternatives = Alternatives.of(found, case.truth)
    decision = decide(
        case.releases,
        alternatives,
        {name: values_of(found, name, measured(case.original, case.book, name)) for name in case.sensitive},
        _true_values(case),
        case.rules.rows,
    )
    judged = Attack(
        files=tuple(release.place for release in case.releases),
        original=case.original is not None,
        unit=unit,
        rules=case.rules,
        people=int(people.sum()),
        everywhere=int(people[present.all(axis=1)].sum()),
        partly=int(people[there & ~present.all(axis=1)].sum()),
        absent=int(people[~there].sum()),
        reidentified=int(people[decision.reidentified].sum()),
        undecided=int(people[decision.undecided_rows].sum()),
        smallest=_fewest(decision.rows[there], people),
        at_least=_fewest(np.minimum(decision.least, decision.rows)[there], people),
        shared=int(people[present.all(axis=1)].min()) if present.all(axis=1).any() else 0,
        strangers=odd,
        alone=_alone(case),
        disclosures=tuple(
            _disclosure(case, decision, alternatives.possible, name) for name in case.sensitive
        ),
        consistent=found.consistent,
    )
    return judged, alternatives.possible


def _fewest(rows: Integers, people: Integers) -> int:
    """The smallest of some numbers of rows; a person who may have any row has as many as there are people."""
    return int(min(rows.min(), people.sum())) if len(rows) else 0


def _true_values(case: Case) -> dict[str, Integers] | None:
    """Everybody's values of the sensitive columns, at the measured level."""
    if case.truth is None:
        return None
    found = {}
    for name in case.sensitive:
        codes = case.truth[:, case.book.columns.index(name)]
        values = np.append(measured(case.original, case.book, name), -1)
        found[name] = values[codes]
    return found


def _alone(case: Case) -> int:
    """People who are unique by quasi-identifiers that a release in buckets shows unchanged."""
    found = np.zeros(len(case.kinds), dtype=np.bool_)
    for place, release in enumerate(case.releases):
        if release.description.bucket is not None:
            sizes = [int(release.sizes[list(one[place])].sum()) for one in case.kinds.fitting]
            found |= np.array(sizes, dtype=np.int64) == 1
    return int(case.kinds.people[found].sum())


def _disclosure(case: Case, decision: Decision, possible: npt.NDArray[np.bool_], name: str) -> Disclosure:
    found, people = case.worlds, case.kinds.people
    value_of_text = measured(case.original, case.book, name)
    values = values_of(found, name, value_of_text)
    guesses, shares = best_guess(found, possible, name, values)
    shares = np.maximum(shares, share_in_a_file(found, name, value_of_text))
    known = decision.known[name]
    shares[known] = 1.0
    by_file = np.zeros(len(people), dtype=np.bool_)
    for place in range(len(case.releases)):
        by_file |= known_in_a_file(found, place, name, value_of_text)
    there: npt.NDArray[np.bool_] = np.logical_or.reduce(case.kinds.present, axis=1)
    likely = ~known & there & (shares > case.rules.certain)
    blind = informed = None
    if case.truth is not None:
        truth = value_of_text[case.truth[:, case.book.columns.index(name)]]
        here = there[case.kinds.of_person]
        number = case.kinds.number(here) or 1
        often = None if case.kinds.weights is None else case.kinds.weights[here]
        blind = float(np.bincount(truth[here], often).max(initial=0)) / number
        right: npt.NDArray[np.bool_] = np.equal(guesses[case.kinds.of_person], truth)
        informed = float(case.kinds.number(right & here)) / number
    return Disclosure(
        name,
        int(people[known].sum()),
        int(people[likely].sum()),
        int(people[known & ~by_file].sum()) if len(case.releases) > 1 else 0,
        int(people[decision.undecided[name] & ~likely].sum()),
        blind,
        informed,
        _gain(case, name, value_of_text),
        float(shares[there].max(initial=0.0)),
    )


def _gain(case: Case, name: str, value_of_text: Integers) -> float:
    """The largest rise of a value's share from a whole file to one of its classes."""
    largest = 0.0
    for tally in case.worlds.tallies:
        if name in tally.columns:
            value = value_of_text[tally.cells[:, tally.columns.index(name)]]
            width = int(value.max()) + 1
            cells = np.zeros((int(tally.group.max()) + 1, width))
            np.add.at(cells, (tally.group, value), tally.n)
            sizes = cells.sum(axis=1, keepdims=True)
            share = cells / np.maximum(sizes, 1)
            largest = max(largest, float((share - cells.sum(axis=0) / cells.sum())[sizes[:, 0] > 0].max()))
    return largest


class AttackOptions(TypedDict, total=False):
    """The options of `attack`."""

    original: Data | None
    schema: SchemaLike | None
    rules: Rules | Mapping[str, float | str] | None
    estimates: bool
    encoding: str | None
    separator: str | None
    engine: str | None
    memory: str | None
    original_table: str | None
    original_query: str | None
    table: str | Sequence[str]
    manifest: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def attack_pair(
    first: str | os.PathLike[str], second: str | os.PathLike[str], **options: Unpack[AttackOptions]
) -> Attack:
    """Attack two releases of one table together."""
    return attack(first, second, **options)


def match_rows(
    first: str | os.PathLike[str], second: str | os.PathLike[str], *, schema: SchemaLike
) -> Matching:
    """Match the rows of two releases, as an attacker without the original would."""
    return attack(first, second, schema=schema).matchings[0]
