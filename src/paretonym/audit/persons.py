"""Persons, households, populations and older releases: statements that the file alone cannot show, measured
beside the original or a table of the population. A statement that nothing shows is not decided, or fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from paretonym.audit.checks import WHOLE, Check, Requirement, same, same_rounded
from paretonym.audit.label_sets import UnreadableLabel
from paretonym.audit.manifest import HOUSEHOLDS_STATED, PERSONS_STATED, POPULATION_STATED, Manifest
from paretonym.audit.measurer import Measurer
from paretonym.audit.original import Original
from paretonym.audit.original_comparison import OriginalComparison, shown_columns
from paretonym.audit.placement import NotDecided, place_rows
from paretonym.audit.released_table import ReleasedTable
from paretonym.audit.sql_formulas import line_of
from paretonym.base.arrays import Integers
from paretonym.base.errors import Field

_GIVE = f"give {Field('original')} and {Field('schema')}"
UNSHOWN_PERSONS = (
    f"the file does not say which person a row belongs to, so persons cannot be counted in it: {_GIVE}"
)
OVERLAPPING_HOUSEHOLDS = (
    "cannot be decided: classes overlap, so that it is not known which households are in which class"
)
UNSHOWN_HOUSEHOLDS = f"cannot be verified: the file does not say which rows belong to one household: {_GIVE}"
OVERLAPPING = "classes overlap, so that it is not known which persons are in which class"
# Measures that count rows, or that a file shows even less of.
OF_ROWS = ("input", "households", "population")
PART = "rows are part of the population"


@dataclass(frozen=True)
class PersonRange:
    """The fewest and the most persons that the smallest class can have: where classes overlap, those whose
    rows fit no other class are in it, and of the others all may be."""

    fewest: float
    most: float

    @classmethod
    def of(cls, comparison: OriginalComparison) -> PersonRange | None:
        """None if the original does not say whose a row is."""
        original, placement = comparison.original, comparison.placement
        if original.persons is None:
            return None
        persons, sure = original.persons.astype(np.int64), placement.of_row >= 0
        certain = np.stack([placement.of_row[sure], persons[sure]])
        possible = np.stack([placement.several_classes, persons[placement.several_rows]])
        fewest, most = (
            np.bincount(np.unique(pairs, axis=1)[0], minlength=len(comparison.sizes))
            for pairs in (certain, np.concatenate([certain, possible], axis=1))
        )
        return cls(float(np.maximum(fewest, 1).min()), float(np.minimum(most, comparison.sizes).min()))


def _statement(name: str, stated: float | None, value: float | None, holds: bool | None, why: str) -> Check:
    return Check("statement", name, stated, value, holds, "" if holds else why)


def check_persons(manifest: Manifest, rows: float, persons: PersonRange | None) -> Iterator[Check]:
    """The smallest number of persons: measured with the original; a file alone can only refute it, since a
    class has no more persons than `rows`."""
    if not manifest.persons:
        return
    name, stated = PERSONS_STATED, manifest.statements.get(PERSONS_STATED)
    if stated is None:
        yield _statement(name, None, None, False, "a release must state it")
    elif not (1 <= stated < WHOLE and stated == int(stated)):
        yield _statement(name, stated, None, False, "it is not a number of people")
    elif manifest.applied is not None and stated == manifest.applied.k:
        reason = "cannot be decided: it counts the persons of the older release too, and was not verified"
        yield _statement(name, stated, None, None, reason)
    elif manifest.applied is not None:
        reason = "where rows are added, it is k of both releases"
        yield _statement(name, stated, manifest.applied.k, False, reason)
    elif stated > rows:
        reason = f"the smallest class has {rows:,.0f} rows, so it has no more people"
        yield _statement(name, stated, rows, False, reason)
    elif persons is None:
        yield _statement(name, stated, None, None, f"cannot be verified: {UNSHOWN_PERSONS}")
    elif persons.fewest < persons.most and persons.fewest <= stated <= persons.most:
        yield _statement(name, stated, None, None, f"cannot be decided: {OVERLAPPING}")
    else:
        value = persons.fewest if stated < persons.fewest else persons.most
        yield _statement(name, stated, value, same(stated, value), "")


def check_required_persons(
    requirement: Requirement, rows: Measurer, persons: PersonRange | None
) -> Check | None:
    """A requirement on persons that cannot be measured: it fails, though what it requires may hold. None if
    it can be measured, or is not about persons. A class has no more persons than rows."""
    name, line = str(requirement), line_of(requirement.measure)
    if line is None or line.source in OF_ROWS or requirement.measure == "average-class":
        return None
    if persons is not None and persons.fewest == persons.most:
        return None
    known = persons or PersonRange(0, rows.value("k"))
    if requirement.measure == "k" and requirement.comparison in (">=", ">"):
        if requirement.holds(known.fewest):
            return Check("requirement", name, None, known.fewest, True)
        if not requirement.holds(known.most):
            reason = "a class has no more persons than rows"
            return Check("requirement", name, None, known.most, False, reason)
    reason = UNSHOWN_PERSONS if persons is None else OVERLAPPING
    return Check("requirement", name, None, None, False, f"cannot be verified: {reason}")


def smallest_household(comparison: OriginalComparison) -> Mapping[str, float]:
    """The smallest number of households that show the same members, by its name; nothing if the original does
    not say which rows belong together, or which class a row is in."""
    if comparison.original.households is None or not comparison.placement.settled:
        return {}
    members = (
        f"select home, class, sum(n) as n from {comparison.entries} where class >= 0 group by home, class"
    )
    homes = (
        f"select list({{'class': class, 'n': n}} order by class) as members from ({members}) group by home"
    )
    fewest = comparison.table.database.number(
        f"select min(homes) from (select count(*) as homes from ({homes}) group by members)"
    )
    return {HOUSEHOLDS_STATED: fewest}


def check_households(
    manifest: Manifest, rows: int, measured: float | None, expected: bool | None, compared: bool
) -> Iterator[Check]:
    """The stated number of households beside the original's; a file alone can only refute a number above
    that of its rows, and even where it was `compared`, classes may overlap. It must be stated where it is
    `expected`, and only there; None if that is unknown."""
    name, stated = HOUSEHOLDS_STATED, manifest.statements.get(HOUSEHOLDS_STATED)
    if stated is None:
        if expected and manifest.applied is None:
            yield _statement(name, None, None, False, "a release must state it")
    elif manifest.applied is not None:
        reason = "cannot be decided: it counts the households of the older release too"
        yield _statement(name, stated, None, None, reason)
    elif expected is False:
        yield _statement(name, stated, None, False, "the schema has no households")
    elif not (1 <= stated <= rows and stated == int(stated)):
        reason = f"the file has {rows:,} rows, so it has no more households"
        yield _statement(name, stated, rows, False, reason)
    elif measured is None:
        reason = OVERLAPPING_HOUSEHOLDS if compared else UNSHOWN_HOUSEHOLDS
        yield _statement(name, stated, None, None, reason)
    else:
        reason = "it matters only where members of a household stay linkable in the release"
        yield Check("statement", name, stated, measured, same(stated, measured), reason)


def compare_population(
    table: ReleasedTable, population: Original, manifest: Manifest
) -> tuple[dict[str, float], list[Check]]:
    """k-map and presence of the release, counted in a table of the population, and whether its rows can be
    part of it: no class may have more rows than people."""
    unknown = "the classes of a population are known only where every column is shown at one level"
    try:
        if manifest.recoding.levels is None:
            raise UnreadableLabel(unknown)
        people = _class_sizes(table, population, manifest)
    except (NotDecided, UnreadableLabel) as reason:
        return {}, [Check("original", PART, reason=f"cannot be decided: {reason}")]
    sizes = _released_sizes(table)
    inside = people[:-1]
    short = int(np.maximum(sizes - inside, 0).sum())
    text = f"{short:,} rows look like nobody in it, or like fewer people than rows" if short else ""
    check = Check("original", PART, 0, short, not short, text)
    if short:
        return {}, [check]
    shares = sizes / inside
    # Of people who are in no class of the release nobody is present.
    least = 0.0 if people[-1] else float(shares.min())
    values = float(inside.min()), float(shares.max()), least
    return dict(zip(POPULATION_STATED, values, strict=True)), [check]


def _class_sizes(table: ReleasedTable, original: Original, manifest: Manifest) -> Integers:
    """Number of rows of a table in each class of a release and, last, in none; raises `NotDecided` where
    classes overlap."""
    columns = shown_columns(table, original.sets, manifest.recoding)
    placement = place_rows(columns, original.leaves)
    if not placement.settled:
        raise NotDecided("classes overlap")
    classes = len(columns[0].of_class)
    of_row = np.where(placement.of_row < 0, classes, placement.of_row)
    return np.bincount(of_row, original.counts, classes + 1).astype(np.int64)


def _released_sizes(table: ReleasedTable) -> Integers:
    """The rows of each class that `shown_columns` numbered."""
    rows = table.database.rows("select size from shown_classes order by class")
    return np.array([size for (size,) in rows], dtype=np.int64)


def check_population(manifest: Manifest, measured: Mapping[str, float], given: bool) -> Iterator[Check]:
    """The stated k-map and presence beside what was counted in a population. A number that cannot be verified
    fails: nothing else bounds it."""
    needed = f"cannot be decided: give {Field('population_file')} and {Field('schema')}"
    for name in (name for name in POPULATION_STATED if name in manifest.statements):
        stated, value = manifest.statements[name], measured.get(name)
        equal = same if name == "k-map" else same_rounded
        right = value is not None and equal(stated, value)
        reason = "" if value is not None else "the population does not show it" if given else needed
        yield _statement(name, stated, value, right, reason)


def check_both(table: ReleasedTable, original: Original | None, manifest: Manifest) -> Iterator[Check]:
    """k of added rows together with the older release: no class of the file may have fewer rows in the old
    table and in the file. A promise about rows that nobody shows cannot be decided, and fails."""
    if manifest.applied is None:
        return
    name, stated = "k of both releases", manifest.applied.k
    if original is None or original.old is None:
        text = f"cannot be decided: give {Field('original')}, {Field('old')} and {Field('schema')}"
        yield _statement(name, stated, None, False, text)
        return
    try:
        if manifest.persons:
            raise NotDecided("it counts the persons of both releases")
        before = _class_sizes(table, original.old, manifest)[:-1]
    except (NotDecided, UnreadableLabel) as reason:
        yield _statement(name, stated, None, None, f"cannot be decided: {reason}")
        return
    smallest = int((_released_sizes(table) + before).min())
    text = "the smallest class has no more rows in the old table and in the file"
    yield _statement(name, stated, smallest, 1 <= stated <= smallest, text)
