"""Persons counted by SQL: the classes of an original whose rows say whose they are, and what a file alone
cannot show."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from paretonym.audits.checks import WHOLE, Check, Requirement, same
from paretonym.audits.manifest_completeness import PERSONS_STATED as STATED
from paretonym.audits.manifest_reader import Manifest
from paretonym.audits.row_comparison import Recoded, count_texts
from paretonym.audits.shown_sets import NOWHERE
from paretonym.audits.sql_classes import Counted, Reference
from paretonym.audits.sql_engine import listed
from paretonym.audits.sql_formulas import line_of
from paretonym.audits.sql_measures import Measurer, NotMeasurable, Watched
from paretonym.audits.table_file import TableFile
from paretonym.errors import Field
from paretonym.sql_literals import sql_text

ROWS, PERHAPS = "person_rows", "perhaps_person_rows"
UNSHOWN = (
    "the file does not say which person a row belongs to, so persons cannot be counted in it: give "
    f"{Field('original')} and {Field('schema')}"
)
# Measures that count rows, or that a file shows even less of.
OF_ROWS = ("input", "weights", "households", "population")
OF_BOTH = "cannot be decided: it counts the persons of the older release too, and was not verified"
OTHER_K = "where rows are added, it is k of both releases"
OVERLAPPING = "classes overlap, so that it is not known which persons are in which class"


@dataclass(frozen=True, eq=False)
class UnsettledPersons(Measurer):
    """Measures of persons where classes overlap: some rows may be in several, so only the smallest number of
    persons in a class is known, to lie from `fewest` to `most`, and what is counted in rows."""

    fewest: float = 0
    most: float = 0

    def value(self, name: str) -> float:
        if name == "k" and self.fewest == self.most:
            return self.fewest
        if name in self.further:
            return self.further[name]
        raise NotMeasurable(OVERLAPPING, "omit this requirement")


def person_rows(file: TableFile, recoded: Recoded) -> None:
    """Make a table of the recoded rows with their persons, sensitive values as they are measured."""
    original = recoded.original
    if original.persons is None:
        raise ValueError("nothing says whose the rows are")
    codes = {file.column(column.name): column.codes for column in recoded.shown.columns}
    texts = {file.column(column.name): (*column.labels, NOWHERE) for column in recoded.shown.columns}
    for column in original.kept:
        if column.values:
            codes[f"m{file.column(column.name)}"] = column.codes
            texts[f"m{file.column(column.name)}"] = column.measured
    number = int(original.persons.max(initial=0)) + 1
    codes["person"], texts["person"] = original.persons, tuple(map(str, range(number)))
    count_texts(file.engine, ROWS, codes, texts)


def count_persons(file: TableFile, recoded: Recoded, name: str, shown: bool) -> Counted:
    """The classes of the recoded original, each with its number of different persons; of each sensitive value
    how many persons of a class have it in some row. With `shown`, only the classes that the file shows."""
    keys = [file.column(column.name) for column in recoded.original.quasi]
    watched = [f"m{file.column(column.name)}" for column in recoded.original.kept if column.values]
    where = " and ".join(f"{key} <> {sql_text(NOWHERE)}" for key in keys)
    if shown:
        same_keys = " and ".join(f"own.{key} = other.{key}" for key in keys)
        where += f" and exists (select 1 from {file.view} as other where {same_keys})"
    file.engine.run(
        f"create or replace temp table {name} as select row_number() over () as class, * from "
        f"(select count(distinct person)::bigint as size, {listed(keys)} from {ROWS} as own where {where} "
        f"group by {listed(keys)})"
    )
    counted = Counted(file.engine, name, tuple(keys), tuple(watched), whole="mass")
    for column in watched:
        cells = (
            f"select class, size, {column} as v, count(distinct person)::bigint as n "
            f"from {ROWS} join {name} using ({listed(keys)}) group by class, size, {column}"
        )
        file.engine.run(
            f"create or replace temp table {counted.cells(column)} as "
            f"select *, sum(n) over (partition by class)::bigint as mass from ({cells})"
        )
    return counted


def of_persons(file: TableFile, rows: Measurer, whole: Recoded, left: Recoded) -> Measurer:
    """Measures of persons, given those of rows: costs stay those of rows. `left` is the original without the
    persons that were suppressed as a whole; the table of rows that remains is theirs."""
    person_rows(file, whole)
    further: dict[str, float] = {**rows.further, "average-class": rows.value("average-class")}
    if left.perhaps is not None:
        further.pop("weighted-k", None)
    if "weighted-k" in further:
        every = count_persons(file, whole, "all_persons", shown=False)
        mean = f"select sum(size * size) / sum(size) from {every.name}"
        further["weighted-k"] = file.engine.number(mean)
    watched = tuple(replace(one, reference=_reference(file, one)) for one in rows.watched)
    person_rows(file, left)
    counted = count_persons(file, left, "shown_persons", shown=True)
    known = (counted, watched, rows.settings, further)
    if left.perhaps is None:
        return Measurer(*known)
    return UnsettledPersons(*known, True, *_persons_between(file, left))


def _persons_between(file: TableFile, left: Recoded) -> tuple[float, float]:
    """The fewest and the most persons that the smallest class can have: those whose rows fit no other class
    are in it, and of those whose rows fit several, all may be. No class has more persons than rows."""
    several, original = left.shown.several, left.original
    if several is None or original.persons is None:
        raise ValueError("the class of every row is known")
    own = {file.column(column.name): several.labels[:, j] for j, column in enumerate(left.shown.columns)}
    texts = {file.column(column.name): column.labels for column in left.shown.columns}
    keys, number = list(own), int(np.max(original.persons, initial=0)) + 1
    codes = {**own, "person": original.persons[several.entries].astype(np.int64)}
    count_texts(file.engine, PERHAPS, codes, {**texts, "person": tuple(map(str, range(number)))})
    columns = listed(keys)
    either = " union all ".join(
        f"select {columns}, person, {sure} as sure from {table}" for table, sure in ((ROWS, 1), (PERHAPS, 0))
    )
    persons = (
        f"select {columns}, count(distinct person) filter (sure = 1) as fewest, "
        f"count(distinct person) as most from ({either}) group by {columns}"
    )
    released = f"select {columns}, count(*) as rows from {file.view} group by {columns}"
    found = f"({released}) left join ({persons}) using ({columns})"
    fewest = file.engine.number(f"select min(greatest(coalesce(fewest, 0), 1)) from {found}")
    return fewest, file.engine.number(f"select min(least(coalesce(most, rows), rows)) from {found}")


def _reference(file: TableFile, one: Watched) -> Reference:
    """How values are distributed over the persons of the original."""
    table = f"persons_{one.column}"
    file.engine.run(
        f"create or replace temp table {table} as select v, n / sum(n) over () as q from "
        f"(select {one.column} as v, count(distinct person) as n from {ROWS} group by 1)"
    )
    return Reference(table)


def check_stated(manifest: Manifest, own: Measurer, beside: Measurer | None) -> list[Check]:
    """The smallest number of persons: measured with the original; a file alone can only refute it, since a
    class has no more persons than rows."""
    if not manifest.persons:
        return []
    said = manifest.statements.get(STATED)
    if said is None:
        return [Check("statement", STATED, None, None, False, "a release must state it")]
    if not (1 <= said < WHOLE and said == int(said)):
        return [Check("statement", STATED, said, None, False, "it is not a number of people")]
    if manifest.applied is not None:
        if said != manifest.applied["k"]:
            return [Check("statement", STATED, said, manifest.applied["k"], False, OTHER_K)]
        return [Check("statement", STATED, said, None, None, OF_BOTH)]
    rows = own.value("k")
    if said > rows:
        why = f"the smallest class has {rows:,.0f} rows, so it has no more people"
        return [Check("statement", STATED, said, rows, False, why)]
    if beside is None:
        return [Check("statement", STATED, said, None, None, f"cannot be verified: {UNSHOWN}")]
    if isinstance(beside, UnsettledPersons) and beside.fewest < beside.most:
        within = beside.fewest <= said <= beside.most
        end = beside.fewest if said < beside.fewest else beside.most
        why = f"cannot be decided: {OVERLAPPING}" if within else ""
        return [Check("statement", STATED, said, None if within else end, None if within else False, why)]
    found = beside.value("k")
    return [Check("statement", STATED, said, found, same(said, found))]


def check_unshown(requirement: Requirement, own: Measurer) -> Check | None:
    """A requirement on persons that the file alone cannot prove: it fails, though what it requires may hold.
    None if it is not about persons."""
    line = line_of(requirement.measure)
    if line is None or line.source in OF_ROWS or requirement.measure == "average-class":
        return None
    found = own.value(requirement.measure) if requirement.measure == "k" else None
    if found is not None and requirement.is_above(found):
        why = "a class has no more persons than rows"
        return Check("requirement", str(requirement), None, found, False, why)
    return Check("requirement", str(requirement), None, None, False, f"cannot be verified: {UNSHOWN}")


def check_unsettled(requirement: Requirement, beside: Measurer) -> Check | None:
    """A requirement on persons where it is not known which of them are in which class: it holds, or fails, if
    that is so in any case, and fails if it cannot be verified. None if it can be measured."""
    line = line_of(requirement.measure)
    if not isinstance(beside, UnsettledPersons) or line is None or line.source in OF_ROWS:
        return None
    if requirement.measure in beside.further or (beside.fewest == beside.most and requirement.measure == "k"):
        return None
    if requirement.measure == "k" and requirement.comparison in (">=", ">"):
        if requirement.holds(beside.fewest):
            return Check("requirement", str(requirement), None, beside.fewest, True, "")
        if requirement.is_above(beside.most):
            return Check("requirement", str(requirement), None, beside.most, False, "")
    return Check("requirement", str(requirement), None, None, False, f"cannot be verified: {OVERLAPPING}")
