"""Whether exactly the classes stayed that meet the conditions of a manifest, beside the original."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from paretonym.arrays import Mask
from paretonym.audit.checks import Check, counts_none, parse_requirement
from paretonym.audit.class_counts import ClassCounts, count_classes, count_persons
from paretonym.audit.manifest import LOCAL
from paretonym.audit.measurer import NotMeasurable, Watched, number_of_class
from paretonym.audit.original_comparison import MISSING, OriginalComparison
from paretonym.audit.placement import combined
from paretonym.audit.sql_formulas import line_of
from paretonym.errors import InputError

RULE = "classes kept against the rule"
NOWHERE = "rows with a value shown nowhere"


def check_rule(comparison: OriginalComparison) -> Iterator[Check]:
    """Whether exactly the classes stayed that meet the conditions of the manifest."""
    recoding = comparison.manifest.recoding
    if comparison.manifest.applied is not None:
        fault = "cannot be decided: whether a class of added rows stays depends on the older release too"
        yield Check("original", RULE, None, None, None, fault)
        return
    if not recoding.keep and recoding.further is None:
        missing = max(comparison.whole.rows - comparison.table.rows, 0)
        fault = "nothing is required of a class, so every row should stay; but rows were removed"
        yield counts_none("original", MISSING, missing, fault)
        return
    try:
        meets = _meeting(comparison, comparison.counted)
        counted = comparison.counted
        wrong = comparison.table.database.count(f"select count(*) from {counted.name} where not ({meets})")
        wrong, checks = wrong + _wrongly_suppressed(comparison), [*_undecided(comparison)]
    except NotMeasurable as reason:
        yield Check("original", RULE, 0, None, False, str(reason))
        return
    rule = ", ".join(f"{name}{text}" for name, text in recoding.keep.items()) or "closeness"
    fault = f"classes stayed or were suppressed contrary to {rule}"
    yield counts_none("original", RULE, wrong, fault)
    yield from checks


def _meeting(comparison: OriginalComparison, counted: ClassCounts) -> str:
    """The conditions of the manifest on a class, as SQL."""
    conditions = [
        f"class in ({_condition(counted, comparison.watched, name, text)})"
        for name, text in comparison.manifest.recoding.keep.items()
    ]
    return " and ".join(conditions) or "true"


def _hidden(comparison: OriginalComparison) -> Mask:
    """The suppressed entries with a value that nobody has who stays, where only labels are stated: their
    classes are unknown."""
    gone: Mask = ~comparison.placement.stays
    by_labels = comparison.manifest.recoding.levels is None
    return gone & (comparison.unshared > 0) if by_labels else np.zeros_like(gone)


def _wrongly_suppressed(comparison: OriginalComparison) -> int:
    """How many classes of suppressed rows meet the conditions. If classes also had to be close to the
    input, how close is not published: then such a class must be farther from it than all that stayed, by
    some distance of some sensitive column."""
    recoding, database = comparison.manifest.recoding, comparison.table.database
    gone = ~comparison.placement.stays & ~_hidden(comparison)
    if recoding.space == LOCAL or not gone.any():
        return 0
    database.load("looks", {"e": np.flatnonzero(gone), "look": comparison.looks[gone]})
    source = f"(select * exclude (class) from {comparison.entries} join looks using (e))"
    count = count_classes if comparison.original.persons is None else count_persons
    counted = count(database, source, ["look"], [one.column for one in comparison.watched], "suppressed")
    excused = ""
    if recoding.further is not None:
        farther = " union ".join(_farther(counted, comparison.counted, one) for one in comparison.watched)
        excused = f" and class not in ({farther})" if farther else ""
    return database.count(f"select count(*) from suppressed where {_meeting(comparison, counted)}{excused}")


def _undecided(comparison: OriginalComparison) -> Iterator[Check]:
    """Suppressed rows whose classes are unknown. Rows that no cut separates are in one class, which
    cannot be too small if they are k."""
    recoding, hidden = comparison.manifest.recoding, _hidden(comparison)
    number = int(comparison.original.counts[hidden].sum())
    if recoding.space == LOCAL:
        yield from _left_out(comparison)
        return
    if not number:
        return
    bounds = [bound for text in recoding.keep.values() for bound in text[2:].split(",")]
    if recoding.further is None and all(bound in ("0", "1") for bound in bounds):
        reason = "every class meets the conditions, but rows were suppressed"
        yield Check("original", NOWHERE, None, number, False, reason)
        return
    alike = int(comparison.original.sizes(comparison.looks, hidden).max(initial=0))
    least = recoding.smallest_class
    if least is not None and alike >= least:
        reason = f"{alike:,} rows or persons that look the same were suppressed although k>={least} holds"
        yield Check("original", NOWHERE, None, number, False, reason)
        return
    unknown = "the release does not show which classes the suppressed rows were in"
    reason = f"cannot be decided: whether the rule suppressed them; {unknown}"
    yield Check("original", NOWHERE, None, number, None, reason)


def _left_out(comparison: OriginalComparison) -> Iterator[Check]:
    """Rows that a partition leaves out. It may leave out anybody, except so many with equal values that their
    class cannot be too small."""
    name, least = "rows left out", comparison.manifest.recoding.smallest_class
    gone, original = ~comparison.placement.stays, comparison.original
    alike = int(original.sizes(combined(original.leaves), gone).max(initial=0))
    if least is not None and alike >= least:
        reason = f"{alike:,} rows or persons with equal values were suppressed although k>={least} holds"
        yield Check("original", name, 0, alike, False, reason)
    elif comparison.whole.rows > comparison.table.rows:
        reason = "cannot be decided: a partition may leave out anybody"
        yield Check("original", name, None, None, None, reason)


def _condition(counted: ClassCounts, watched: Sequence[Watched], name: str, text: str) -> str:
    """A query for the classes that meet a condition."""
    if "," in name:
        # `k,l-distinct>=20,4`: 21 of the first, or 20 of it and 4 of the second.
        names, bounds = name.split(","), text.removeprefix(">=").split(",")
        if len(names) != 2 or len(bounds) != 2 or not bounds[0].isdigit():
            raise NotMeasurable("the manifest's rule cannot be read")
        more = _condition(counted, watched, names[0], f">={int(bounds[0]) + 1}")
        enough, then = (
            _condition(counted, watched, one, f">={bound}") for one, bound in zip(names, bounds, strict=True)
        )
        return f"({more}) union (({enough}) intersect ({then}))"
    try:
        requirement = parse_requirement(f"{name}{text}")
    except InputError:
        raise NotMeasurable("the manifest's rule cannot be read") from None
    if math.isinf(requirement.bound):
        raise NotMeasurable("the manifest's rule has no finite bound")
    line, (_, at, column) = line_of(name), name.partition("@")
    comparison, bound = requirement.comparison, requirement.bound
    if line is not None and line.source == "sizes" and line.of_class:
        return f"select class from {counted.name} where {line.of_class} {comparison} {bound!r}"
    columns, number = [one for one in watched if not at or one.name == column], number_of_class(name)
    if not number or not columns:
        raise NotMeasurable(f"the rule {name}{text} is unknown")
    # By the digits that count, as everywhere.
    slack = 1e-9 * max(abs(bound), 1e-3)
    bound = bound - slack if comparison.startswith(">") else bound + slack
    tables = [counted.numbers(one.column, str(one.reference)) for one in columns]
    return " intersect ".join(
        f"select class from {table} where {number} {comparison} {bound!r}" for table in tables
    )


def _farther(counted: ClassCounts, stayed: ClassCounts, one: Watched) -> str:
    """A query for the classes that are farther from the input than all that stayed, by any distance."""
    pairs = zip(one.distances(counted), one.distances(stayed), strict=True)
    return " union ".join(
        f"select class from ({query}) where value > (select coalesce(max(value), 0) + 1e-11 from ({other}))"
        for query, other in pairs
    )
