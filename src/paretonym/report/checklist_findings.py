"""A release held against the items of a checklist: each is met, not met, or for a person to decide, with the
numbers behind it. Nothing here is a legal judgement."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from paretonym.base.errors import InputError
from paretonym.base.language import N_, _
from paretonym.base.sentence_parts import percent
from paretonym.engine.frontier import Microdata, Solution
from paretonym.engine.measures import Limit, measured
from paretonym.evidence.criteria import MeasuredCriteria, Referee, label_values, measure_criteria
from paretonym.release import released_table, released_texts
from paretonym.tables.schema.policies import Checklist, ChecklistItem, in_words, looks_like, name_contains

MET, NOT_MET, PERSON = N_("met"), N_("not met"), N_("for a person to decide")
# The label that stands for every value.
EVERY = "*"
AGES = ("age", "alter", "edad", "lebensalter")
POSTAL = ("zip", "zip code", "zipcode", "postal", "postcode", "postal code", "plz", "postleitzahl", "cp")
# A day, a month or a quarter; the first of January is the edge of a year.
FINER = re.compile(r"[0-9]{4}-(?:[0-9]{2}|Q[1-4])|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{2,4}")
YEAR_EDGE = re.compile(r"(?<=[0-9]{4})-01-01")


class Finding(NamedTuple):
    """Result of one check: whether it speaks for the item, against it, or for neither, and why."""

    speaks_for: bool | None
    words: str


class ItemFinding(NamedTuple):
    """One item of a checklist for a release."""

    item: ChecklistItem
    status: str
    evidence: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        texts = {"text": in_words(self.item.text), "note": in_words(self.item.note)}
        return {**texts, "status": self.status, "evidence": list(self.evidence)}


class CheckedList(NamedTuple):
    """A checklist for a release."""

    checklist: Checklist
    findings: tuple[ItemFinding, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.checklist.name,
            "title": in_words(self.checklist.title),
            "source": self.checklist.source,
            "url": self.checklist.url,
            "items": [finding.as_json() for finding in self.findings],
        }


@dataclass(frozen=True, eq=False)
class Evidence:
    """A release and what can be looked at of it; everything is counted when it is first needed."""

    data: Microdata
    solution: Solution

    @cached_property
    def labels(self) -> Mapping[str, tuple[str, ...]]:
        """The different values that each column of the release shows, without columns that show nothing."""
        texts = released_texts(self.data, self.solution.recoding)
        return {name: values for name, values in texts.items() if {*values} - {EVERY}}

    def original(self, name: str) -> frozenset[str]:
        """The values that a column of the table has."""
        return frozenset(self.data.source.column(name).texts)

    @cached_property
    def criteria(self) -> MeasuredCriteria | None:
        """The three criteria beside the control group of the run; None if it has none."""
        control = self.data.source.control
        if control is None:
            return None
        referee = Referee.of(self.data.source, control, self.data.schema)
        return measure_criteria(referee.read(released_table(self.data, self.solution.recoding)))

    def value(self, name: str) -> float:
        """The value of a measure."""
        if name in self.solution.values:
            return self.solution.values[name]
        return self.data.realized(self.solution.recoding).measure(name)[name]


def check_release(checklist: Checklist, evidence: Evidence) -> CheckedList:
    """Hold a release against every item of a checklist."""
    return CheckedList(checklist, tuple(_checked(item, evidence) for item in checklist.items))


def _checked(item: ChecklistItem, evidence: Evidence) -> ItemFinding:
    findings = [finding for finds in FINDERS if (finding := finds(item.checks, evidence)) is not None]
    words = tuple(finding.words for finding in findings)
    if any(finding.speaks_for is False for finding in findings):
        return ItemFinding(item, NOT_MET, words)
    proven = bool(findings) and all(finding.speaks_for for finding in findings)
    return ItemFinding(item, MET if proven and not item.person else PERSON, words)


def _identifiers(checks: Mapping[str, Any], evidence: Evidence) -> Finding | None:
    """Columns that a name or the form of their values gives away. A generalized column that only its name
    gives away is for a person to look at."""
    if "words" not in checks and "patterns" not in checks:
        return None
    rows = evidence.data.source.rows
    labels = evidence.labels
    by_form = [name for name in labels if looks_like(labels[name], rows, checks.get("patterns", ()))]
    named = [name for name in labels if name_contains(name, checks.get("words", ()))]
    alone = [name for name in named if not {*labels[name]}.isdisjoint(evidence.original(name))]
    if by_form or alone:
        columns = ", ".join(dict.fromkeys((*by_form, *alone)))
        return Finding(False, _("Columns that look like it: {columns}.", columns=columns))
    if named:
        columns = ", ".join(named)
        return Finding(None, _("Generalized columns with such a name: {columns}.", columns=columns))
    return Finding(True, _("None of {number} columns, by name and by values.", number=len(labels)))


def _ages(checks: Mapping[str, Any], evidence: Evidence) -> Finding | None:
    """Ages over a limit that are not all in one group."""
    if "oldest" not in checks:
        return None
    oldest, columns = checks["oldest"], [name for name in evidence.labels if name_contains(name, AGES)]
    labels = 0
    for name in columns:
        values, members = label_values(
            evidence.data.schema, evidence.data.source, name, evidence.labels[name]
        )
        if values is None:
            return Finding(None, _("The ages of column {column} are no numbers.", column=name))
        above = values > oldest
        exact = evidence.original(name)
        labels += sum(
            bool((mask & above).any()) and (label in exact or not mask[above].all())
            for label, mask in zip(evidence.labels[name], members, strict=True)
        )
    if not columns:
        return Finding(True, _("No column is called an age."))
    words = _("{number} labels show ages over {oldest} apart.", number=labels, oldest=oldest)
    return Finding(labels == 0, words)


def _postal(checks: Mapping[str, Any], evidence: Evidence) -> Finding | None:
    """Postal codes with too many digits, or of an area with too few people."""
    if "postal" not in checks:
        return None
    most, sparse = checks["postal"], tuple(checks.get("sparse", ()))
    columns = [name for name in evidence.labels if name_contains(name, POSTAL)]
    shown = [label.rstrip("*") for name in columns for label in evidence.labels[name]]
    if not columns:
        return Finding(True, _("No column is called a postal code."))
    longer = sum(len(label) > most for label in shown)
    few = sum(label.startswith(sparse) for label in shown) if sparse else 0
    words = _(
        "{longer} of {number} postal codes show more than {most} digits, {few} lie in sparse areas.",
        longer=longer, number=len(shown), most=most, few=few,
    )  # fmt: skip
    return Finding(not longer and not few, words)


def _dates(checks: Mapping[str, Any], evidence: Evidence) -> Finding | None:
    """Labels that are dates, more precise than a year."""
    if "dates" not in checks:
        return None
    columns = [
        name
        for name, labels in evidence.labels.items()
        if any(FINER.search(YEAR_EDGE.sub("", label)) for label in labels)
    ]
    if columns:
        return Finding(
            False, _("Columns with dates finer than a year: {columns}.", columns=", ".join(columns))
        )
    words = _("No label of {number} columns is a date finer than a year.", number=len(evidence.labels))
    return Finding(True, words)


def _limit(checks: Mapping[str, Any], evidence: Evidence) -> Finding | None:
    """A measure beside its bound."""
    if "limit" not in checks:
        return None
    limit = Limit.parsed(checks["limit"])
    try:
        value = evidence.value(limit.name)
    except InputError as error:
        return Finding(None, _("Not measured: {error}.", error=error))
    words = _(
        "{measure} is {value}; the item asks for {limit}.",
        measure=limit.name, value=measured(limit.name, value), limit=limit,
    )  # fmt: skip
    if not evidence.data.unit.is_person and limit.allows(value):
        return Finding(None, f"{words} {_('It counts rows, and rows are not people here.')}")
    return Finding(limit.allows(value), words)


def _criterion(checks: Mapping[str, Any], evidence: Evidence) -> Finding | None:
    """One of the three criteria, where it could be measured."""
    if "criterion" not in checks:
        return None
    if evidence.criteria is None:
        return Finding(None, _("Not measured: the run has no control group."))
    learned = evidence.criteria.highest(checks["criterion"])
    if learned is None or not learned.is_measurable:
        return Finding(None, _("Not measurable beside the control group."))
    words = _(
        "Measured beside the control group: {risk} ± {width}.",
        risk=percent(learned.risk), width=percent(learned.half_width),
    )  # fmt: skip
    return Finding(None, words)


def _values(checks: Mapping[str, Any], evidence: Evidence) -> Finding | None:
    """Values of measures, which help a person to decide."""
    names: Sequence[str] = checks.get("show", ())
    known = []
    for name in names:
        try:
            known.append(f"{name} {measured(name, evidence.value(name))}")
        except InputError:
            continue
    return Finding(True, f"{', '.join(known)}.") if known else None


FINDERS: tuple[Callable[[Mapping[str, Any], Evidence], Finding | None], ...] = (
    _identifiers, _ages, _postal, _dates, _limit, _criterion, _values,
)  # fmt: skip
