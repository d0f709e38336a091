"""Checks that the rows of a release are those of its original, and none is missing that should be there.

Released rows and original rows are matched by a flow: unchanged columns are equal, and values lie in the sets
of a class. Where every row fits at most one class, counting is such a flow. The original rows that are left
must be those that the conditions of the manifest suppress.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from paretonym.audit.audit_database import listed
from paretonym.audit.checks import ROWS, Check, counts_none, parse_requirement, passes
from paretonym.audit.class_counts import ClassCounts, count_classes, count_persons
from paretonym.audit.manifest import LOCAL, Manifest
from paretonym.audit.measurer import NotMeasurable, Watched
from paretonym.audit.original_comparison import OriginalComparison
from paretonym.audit.placement import largest_flow
from paretonym.audit.sql_formulas import line_of
from paretonym.audit.stated_costs import UNKNOWN_ROWS
from paretonym.base.errors import Field, InputError

MISSING = "rows of the original missing"
FOREIGN = "rows not from the original"
TORN = "classes with rows missing"
RULE = "classes kept against the rule"
UNKNOWN_CLASS = "suppressed rows of unknown classes"
MAY_BE_OLD = f"; if the table of the old rows has these values, give it with {Field('old')}"
# The most rows that fit several classes, in all classes together, for which a flow is computed.
MOST_EDGES = 1 << 21


def not_comparable(manifest: Manifest, why: str, holds: bool | None = False) -> list[Check]:
    """The checks if nothing can be compared: a failure, or nothing decided, and so is every statement."""
    checks = [Check("original", ROWS, None, None, holds, why)]
    return checks + [
        Check("statement", name, stated, None, holds, why) for name, stated in manifest.statements.items()
    ]


def check_rows(comparison: OriginalComparison) -> Iterator[Check]:
    """Check that the release has no row that the original does not give, and every row that fits one of its
    classes."""
    in_order = list(comparison.original.roles) == list(comparison.table.names)
    reason = "" if in_order else "the columns are not in the order of the original"
    yield passes("original", "order of the columns", reason)
    foreign = unmatched_rows(comparison)
    if foreign is None:
        reason = "cannot be decided: classes overlap, and too many rows fit several of them"
        yield Check("original", FOREIGN, None, None, None, reason)
    else:
        reason = "cells were changed or not generalized, or rows were added"
        yield counts_none("original", FOREIGN, foreign, reason)
    torn = comparison.table.database.count(
        "select count(*) from (select class, sum(released) as released, sum(given) as given "
        f"from {comparison.beside} group by class) where released < given"
    )
    if torn and (reason := _why_short(comparison)):
        yield Check("original", TORN, None, torn, None, f"cannot be decided: {reason}")
    else:
        reason = "a class stays or is suppressed with all its rows; but rows were removed"
        yield counts_none("original", TORN, torn, reason)


def unmatched_rows(comparison: OriginalComparison) -> int | None:
    """Number of released rows that no flow covers; None if that is too much work."""
    database, unchanged = comparison.table.database, listed(comparison.kept) or "1"
    placement, beside, entries = comparison.placement, comparison.beside, comparison.entries
    wanted = database.count(f"select sum(greatest(released - given, 0)) from {beside}")
    if placement.settled or len(placement.several_rows) > MOST_EDGES:
        return wanted if placement.settled else None
    keys = database.make(
        "kept_keys",
        f"select row_number() over () as key, * from (select {unchanged} from {comparison.released} union "
        f"select {unchanged} from {entries} where class < -1)",
    )
    using = f"using ({unchanged})" if comparison.kept else "on true"
    demands = database.rows(
        f"select key, class, released - given from {beside} join {keys} {using} where released > given"
    )
    supplies = database.rows(f"select key, e, n from {entries} join {keys} {using} where class < -1")
    fits: dict[int, list[int]] = defaultdict(list)
    pairs = placement.several_rows.tolist(), placement.several_classes.tolist()
    for entry, number in zip(*pairs, strict=True):
        fits[entry].append(number)
    by_key: dict[int, tuple[dict[int, int], dict[int, int]]] = defaultdict(lambda: ({}, {}))
    for side, rows in enumerate((supplies, demands)):
        for key, place, number in rows:
            by_key[key][side][place] = number
    return wanted - sum(largest_flow(*sides, fits) for sides in by_key.values())


def _why_short(comparison: OriginalComparison) -> str:
    """Why a class may lack rows that lie in its sets; empty if none may."""
    manifest, local = comparison.manifest, comparison.manifest.recoding.space == LOCAL
    if (manifest.unit or "row") != "row" and (manifest.applied is not None or local):
        return f"rows go with their {manifest.unit}, and nothing shows which of them were in a class"
    if comparison.guessed:
        return UNKNOWN_ROWS
    if not local:
        return ""
    labels = ((column.sets, label) for column in comparison.columns for label in column.labels)
    ambiguous = any(len(sets.meanings(label)) > 1 for sets, label in labels)
    return "a label may mean everything, or only what the hierarchy does not have" if ambiguous else ""


def check_rule(comparison: OriginalComparison) -> Iterator[Check]:
    """Check that exactly the classes stayed that meet the conditions of the manifest."""
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
    if comparison.original.persons is not None and not comparison.placement.settled:
        reason = "cannot be decided: classes overlap, so that it is not known whose rows are where"
        yield Check("original", RULE, None, None, None, reason)
        return
    counted = comparison.counted
    try:
        wrong = comparison.table.database.count(
            f"select count(*) from {counted.name} where not ({_meeting(comparison, counted)})"
        )
        wrong += _wrongly_suppressed(comparison)
    except NotMeasurable as reason:
        yield Check("original", RULE, 0, None, False, str(reason))
        return
    rule = ", ".join(f"{name}{text}" for name, text in recoding.keep.items()) or "closeness"
    fault = f"classes stayed or were suppressed contrary to {rule}"
    yield counts_none("original", RULE, wrong, fault)
    yield from _check_unknown(comparison)


def _meeting(comparison: OriginalComparison, counted: ClassCounts) -> str:
    """The conditions of the manifest on a class, as SQL."""
    conditions = [
        f"class in ({_condition(counted, comparison.watched, name, text)})"
        for name, text in comparison.manifest.recoding.keep.items()
    ]
    return " and ".join(conditions) or "true"


def _wrongly_suppressed(comparison: OriginalComparison) -> int:
    """Number of classes of suppressed rows that meet the conditions, where known. If classes also had
    to be close to the input, how close is not published: then such a class must be farther from it than all
    that stayed, by some distance of some sensitive column."""
    recoding, database, (looks, known) = (
        comparison.manifest.recoding,
        comparison.table.database,
        comparison.looks,
    )
    gone = ~comparison.placement.stays & known
    if not gone.any():
        return 0
    database.load("looks", {"e": np.flatnonzero(gone), "look": looks[gone]})
    source = f"(select * exclude (class) from {comparison.entries} join looks using (e))"
    count = count_classes if comparison.original.persons is None else count_persons
    counted = count(database, source, ["look"], [one.column for one in comparison.watched], "suppressed")
    excused = ""
    if recoding.further is not None:
        farther = " union ".join(_farther(counted, comparison.counted, one) for one in comparison.watched)
        excused = f" and class not in ({farther})" if farther else ""
    return database.count(f"select count(*) from suppressed where {_meeting(comparison, counted)}{excused}")


def _check_unknown(comparison: OriginalComparison) -> Iterator[Check]:
    """Suppressed rows of which the release does not show what class they were in. Those that look alike for
    certain were in one class, which cannot have been too small if they are k."""
    (looks, known), least = comparison.looks, comparison.manifest.recoding.smallest_class
    gone = ~comparison.placement.stays & ~known
    alike = int(comparison.original.sizes(looks, gone).max(initial=0))
    if least is not None and alike >= least:
        reason = f"{alike:,} rows or persons that look the same were suppressed although k>={least} holds"
        yield Check("original", UNKNOWN_CLASS, None, alike, False, reason)
    elif not known.all() and comparison.whole.rows > comparison.table.rows:
        number = comparison.whole.rows - comparison.table.rows
        reason = "cannot be decided: the release does not show which class a suppressed row was in"
        yield Check("original", UNKNOWN_CLASS, None, number, None, reason)


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
    line, (measure, at, column) = line_of(name), name.partition("@")
    comparison, bound = requirement.comparison, requirement.bound
    if line is not None and line.source == "sizes" and line.conditional:
        return f"select class from {counted.name} where size {comparison} {bound!r}"
    columns = [one for one in watched if not at or one.name == column]
    if line is None or not line.conditional or not columns:
        raise NotMeasurable(f"the rule {name}{text} is unknown")
    # By the digits that count, as everywhere.
    slack = 1e-9 * max(abs(bound), 1e-3)
    bound = bound - slack if comparison.startswith(">") else bound + slack
    return " intersect ".join(
        f"select class from ({one.of_classes(counted, measure)}) where value {comparison} {bound!r}"
        for one in columns
    )


def _farther(counted: ClassCounts, stayed: ClassCounts, one: Watched) -> str:
    """A query for the classes that are farther from the input than all that stayed, by any distance, or lack
    more of its values."""
    varieties = (one.of_classes(classes, "l-distinct") for classes in (counted, stayed))
    lacking, most = (f"select class, -value as value from ({variety})" for variety in varieties)
    distances = ((one.of_classes(counted, name), one.of_classes(stayed, name)) for name in one.distances)
    return " union ".join(
        f"select class from ({these}) where value > (select coalesce(max(value), 0) + 1e-11 from ({others}))"
        for these, others in (*distances, (lacking, most))
    )
