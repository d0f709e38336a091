"""A release compared with its original: its rows, and the measures that need the original."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from paretonym.audits.checks import Check, same_rounded
from paretonym.audits.manifest_completeness import (
    HOUSEHOLDS_STATED,
    STATEMENTS,
    published,
    published_block,
)
from paretonym.audits.manifest_reader import Manifest
from paretonym.audits.original_rows import KeptMeaning, Original
from paretonym.audits.population_estimates import Weighed
from paretonym.audits.row_comparison import (
    KEPT,
    Recoded,
    compare_kept,
    compare_rows,
    count_texts,
    measured_view,
    recode,
)
from paretonym.audits.shown_sets import NOWHERE, Shown, at_level, levels_of
from paretonym.audits.sql_classes import Counted, Reference, count
from paretonym.audits.sql_costs import COSTS, classification_error, costs, staying_generalization
from paretonym.audits.sql_engine import listed
from paretonym.audits.sql_households import smallest_household
from paretonym.audits.sql_measures import KnownMeasures, Measurer, NotMeasurable, Watched
from paretonym.audits.sql_persons import count_persons, of_persons
from paretonym.audits.stated_recoding import StatedRecoding
from paretonym.audits.table_file import TableFile
from paretonym.errors import Field
from paretonym.sql_literals import sql_text

MAY_BE_OLD = f"; if the table of the old rows has these values, give it with {Field('old')}"
OF_OLD_ROWS = "it counts the rows of the older release too"
OF_BOTH = "cannot be decided: whether a class of added rows stays depends on the older release too"
UNKNOWN_CLASSES = "the release does not show which classes the suppressed rows were in"

# Measures of the search for which an audit has no formula of its own.
NOT_REPEATED = {
    "utility-loss": "an audit does not estimate populations again",
    "query-error": "an audit does not repeat the random queries",
}


@dataclass(frozen=True, eq=False)
class Beside:
    """What the original said: a measurer that knows it, and the checks that need it."""

    measurer: Measurer
    checks: tuple[Check, ...]
    weighed: Weighed | None = None


def beside_original(file: TableFile, original: Original, manifest: Manifest) -> Beside:
    """Compare the release with its original, and measure every statement of the manifest again."""
    if set(original.roles) != set(file.names):
        why = "the columns that the schema releases are not those of the file"
        return _hopeless(file, manifest, why)
    try:
        whole = recode(file, original, Shown.by(_recoding_of_rows(manifest), file, original))
        recoded = whole if manifest.applied is not None else _left(file, whole, manifest)
    except NotMeasurable as reason:
        return _hopeless(file, manifest, f"{reason}{MAY_BE_OLD if manifest.applied else ''}")
    of_rows = measurer = _measurer(file, whole, manifest)
    if (homes := smallest_household(file, recoded)) is not None:
        of_rows = measurer = replace(of_rows, further={**of_rows.further, HOUSEHOLDS_STATED: homes})
    stated = manifest.estimates
    weighed = Weighed.of(file, whole, recoded, None if stated is None else stated.fraction)
    if weighed is not None and manifest.applied is None:
        of_rows = measurer = replace(of_rows, further={**of_rows.further, **weighed.known})
    if original.persons is not None:
        measurer = of_persons(file, of_rows, whole, recoded)
    checks = [
        check_order(file, original),
        *compare_rows(file, recoded, _together(manifest)),
        *_kept(file, recoded, measurer, manifest),
    ]
    if manifest.version == 1:
        hidden = hidden_classes(whole, of_rows.counted)
        said = manifest.statements.items()
        checks += [check_statement(measurer, name, value, hidden) for name, value in said]
    else:
        checks += check_published(file, of_rows.counted, recoded, manifest, original)
    return Beside(measurer, tuple(checks), weighed)


def _left(file: TableFile, whole: Recoded, manifest: Manifest) -> Recoded:
    """The original without the persons or households that were suppressed as a whole, by the manifest's own
    condition on classes."""
    look = np.stack([column.codes for column in whole.shown.columns], axis=1)
    looks = np.unique(look, axis=0, return_inverse=True)[1].reshape(-1)
    stay = whole.original.entries_that_stay(looks, manifest.suppressed_with, manifest.keep)
    if stay is None or stay.all():
        return whole
    if not stay.any():
        raise NotMeasurable(
            f"by the manifest's own rule (k{manifest.keep['k']}), no {manifest.suppressed_with} stays"
        )
    original = whole.original.only(stay)
    return recode(file, original, Shown.by(_recoding_of_rows(manifest), file, original), "recoded_left")


def _together(manifest: Manifest) -> str | None:
    """What added rows were suppressed with: a person or household, if not one by one."""
    unit = manifest.suppressed_with or "row"
    return unit if manifest.applied is not None and unit != "row" else None


def _recoding_of_rows(manifest: Manifest) -> StatedRecoding:
    """How the original rows are recoded."""
    return manifest.recoding if manifest.applied is None else manifest.recoding.of_added_rows


def check_both(file: TableFile, original: Original | None, manifest: Manifest) -> list[Check]:
    """k of added rows together with the older release. Which rows of the old table are in that is not known,
    but no class has more of them than the table."""
    if manifest.applied is None:
        return []
    said, name = manifest.applied["k"], "k of both releases"
    most = math.inf if original is None else _most_of_both(file, original, manifest)
    if said < 1:
        return [Check("statement", name, said, None, False, "it is at least 1")]
    if said > most:
        why = "the smallest class has no more rows in the old table and in the file"
        return [Check("statement", name, said, most, False, why)]
    return [Check("statement", name, said, None, None, f"cannot be decided: {OF_OLD_ROWS}")]


def _most_of_both(file: TableFile, original: Original, manifest: Manifest) -> float:
    """The rows of the smallest class of the file, with all rows of the old table that look the same."""
    try:
        levels = levels_of(manifest.recoding, original)
        columns = [at_level(column, levels[column.name]) for column in original.old]
    except NotMeasurable:
        return math.inf
    if not columns:
        return math.inf
    keys = [file.column(column.name) for column in columns]
    codes = {key: column.codes for key, column in zip(keys, columns, strict=True)}
    texts = {key: (*column.labels, NOWHERE) for key, column in zip(keys, columns, strict=True)}
    count_texts(file.engine, "old_rows", codes, texts, columns[0].meaning.weights)
    new = f"select {listed(keys)}, count(*) as new from {file.view} group by {listed(keys)}"
    return file.engine.number(
        f"select min(new + coalesce(n, 0)) from ({new}) left join old_rows using ({listed(keys)})"
    )


def check_order(file: TableFile, original: Original) -> Check:
    """Whether the columns are in the order of the original: rows are sorted by them, and another order could
    carry information."""
    right = list(original.roles) == list(file.names)
    why = "" if right else "the columns are not in the order of the original"
    return Check("original", "order of the columns", None, None, right, why)


def _hopeless(file: TableFile, manifest: Manifest, why: str) -> Beside:
    nothing = count(file.engine, f"(from {file.view} limit 0)", ["c0"], name="nothing")
    return Beside(Measurer(nothing, ()), tuple(hopeless(manifest, why)))


def hopeless(manifest: Manifest, why: str) -> list[Check]:
    """The checks if nothing can be compared: that is a failure, and so is every statement."""
    failed = [Check("original", "rows of the original", None, None, False, why)]
    failed += [Check("statement", name, said, None, False, why) for name, said in manifest.statements.items()]
    return failed


def _measurer(file: TableFile, recoded: Recoded, manifest: Manifest) -> Measurer:
    """Classes of the release with sensitive values at the level of their measures, the original as
    reference."""
    original = recoded.original
    quasi = {column.name: file.column(column.name) for column in original.quasi}
    places = measured_view(file, original)
    labels = [file.column(name) for name, role in original.roles.items() if role == "class"]
    counted = count(
        file.engine, "measured", list(quasi.values()), [*places.values(), *labels], "measured_classes"
    )
    watched = watched_beside(file, places, recoded)
    further = known_costs(counted, quasi, recoded)
    if not hidden_classes(recoded, counted):
        further["weighted-k"] = mean_class(file, recoded, counted)
    if len(labels) == 1:
        further["classification-error"] = classification_error(counted, labels[0], original)
    return Measurer(counted, watched, manifest.settings, further)


def known_costs(counted: Counted, quasi: Mapping[str, str], recoded: Recoded) -> dict[str, float]:
    """Every loss; where a label has no place at its level, none of them is a number."""
    try:
        return costs(counted, quasi, recoded.original, recoded.shown.columns)
    except NotMeasurable:
        return dict.fromkeys(COSTS, math.nan)


def hidden_classes(recoded: Recoded, counted: Counted) -> bool:
    """Whether rows were suppressed that would look like nothing in the release: the classes that they formed
    are unknown."""
    released = counted.engine.count(f"select sum(size) from {counted.name}")
    return released < recoded.original.rows and bool(recoded.shown.hidden or recoded.shown.unsettled)


def mean_class(file: TableFile, recoded: Recoded, counted: Counted) -> float:
    """The mean class size of a row before any suppression. If no row was suppressed, the file has all
    classes."""
    keys = ", ".join(file.column(column.name) for column in recoded.original.quasi)
    classes = f"select sum(n) as size from {recoded.view} group by {keys}"
    if recoded.shown.hidden or recoded.shown.unsettled:
        classes = f"select size from {counted.name}"
    return file.engine.number(f"select sum(size * size) / sum(size) from ({classes})")


def watched_beside(file: TableFile, places: Mapping[str, str], recoded: Recoded) -> tuple[Watched, ...]:
    """Every sensitive column with what the original says about it; `places` are their columns in the
    counts."""
    sensitive = (column for column in recoded.original.kept if column.values)
    return tuple(_watched(file, column, places[column.name], recoded) for column in sensitive)


def _watched(file: TableFile, column: KeptMeaning, place: str, recoded: Recoded) -> Watched:
    engine, name = file.engine, f"input_{place}"
    raw = file.column(column.name)
    engine.run(
        f"create or replace temp table {name} as select measured as v, sum(n) / {recoded.original.rows} as q "
        f"from {recoded.view} join (select unnest(?::varchar[]) as text, unnest(?::varchar[]) as measured) "
        f"on text = {raw} group by measured",
        [list(column.texts), list(column.measured)],
    )
    order = None
    if column.ordered:
        order = f"order_{place}"
        engine.lookup(order, column.values)
    levels = []
    for number, sets in enumerate(column.tree):
        levels.append(f"tree_{place}_{number}")
        engine.run(
            f"create or replace temp table {levels[-1]} as "
            "select unnest(?::varchar[]) as text, unnest(?::int[]) as code",
            [list(column.values), list(sets)],
        )
    return Watched(column.name, place, Reference(name), order, tuple(levels))


def _kept(file: TableFile, recoded: Recoded, measurer: Measurer, manifest: Manifest) -> list[Check]:
    keep, close = manifest.keep, manifest.recoding.further is not None
    if manifest.applied is not None:
        return [Check("original", KEPT, None, None, None, OF_BOTH)]
    if not keep and not close:
        return [_all_there(file, recoded)]
    try:
        by_rows = recoded.original.persons is None
        counted = (
            _whole_classes(file, recoded)
            if by_rows
            else count_persons(file, recoded, "whole_persons", shown=False)
        )
        kept = compare_kept(counted, measurer.watched, file, keep, close)
        return [*kept, *_nowhere(recoded, keep, close)]
    except NotMeasurable as reason:
        return [Check("original", KEPT, 0, None, False, str(reason))]


def _all_there(file: TableFile, recoded: Recoded) -> Check:
    """Check that every row stays if there is no condition on classes."""
    released = file.engine.count(f"select count(*) from {file.view}")
    gone = recoded.original.rows - released
    why = (
        "nothing is required of a class, so every row should stay; but rows were removed" if gone > 0 else ""
    )
    return Check("original", "rows of the original missing", 0, gone, gone <= 0, why)


def _nowhere(recoded: Recoded, keep: Mapping[str, str], close: bool) -> list[Check]:
    """Rows with a value that the release shows nowhere: they were suppressed, but their classes are unknown.
    Rows that no cut separates are in one class, which cannot be too small if they are k."""
    name, hidden = "rows with a value shown nowhere", recoded.shown.hidden
    if not hidden:
        return []
    if list(keep) == ["k"] and not close and recoded.shown.alike >= float(keep["k"].removeprefix(">=")):
        who = "rows that" if recoded.original.persons is None else "persons whose rows"
        why = (
            f"{recoded.shown.alike:,} {who} look the same in any case were suppressed although k{keep['k']} "
            "holds"
        )
        return [Check("original", name, None, hidden, False, why)]
    why = f"whether the rule suppressed them cannot be decided: {UNKNOWN_CLASSES}"
    return [Check("original", name, None, hidden, None, why)]


def _whole_classes(file: TableFile, recoded: Recoded) -> Counted:
    """The classes of the whole original, recoded; each of its rows counts n times. Rows that would look like
    nothing in the release make no class."""
    known = " and ".join(
        f"{file.column(column.name)} <> {sql_text(NOWHERE)}" for column in recoded.original.quasi
    )
    view = replace(file, view=f"(from {recoded.view} where {known})")
    places = measured_view(view, recoded.original)
    keys = [file.column(column.name) for column in recoded.original.quasi]
    return count(file.engine, "measured", keys, list(places.values()), "whole_classes", weight="n")


def check_published(
    file: TableFile, counted: Counted, recoded: Recoded, manifest: Manifest, whole: Original
) -> list[Check]:
    """The statements of version 2, each as it is to be published; `recoded` has the rows that may stay."""
    original, shown = recoded.original, recoded.shown
    quasi = {column.name: file.column(column.name) for column in original.quasi}
    stays = shown.staying(file)
    try:
        spent = staying_generalization(counted, quasi, shown.columns, stays)
    except NotMeasurable:
        spent = math.nan
    right = published(spent, whole.rows, manifest.rows, published_block(manifest, original.most_rows(stays)))
    return [
        Check("statement", name, said, right[name], same_rounded(said, right[name], 1 + (name == "loss")))
        for name, said in manifest.statements.items()
        if name in STATEMENTS
    ]


def check_statement(measurer: KnownMeasures, name: str, said: float, hidden: bool) -> Check:
    """A statement measured again. What needs classes that are `hidden` cannot be decided."""
    if name == "weighted-k" and hidden:
        return Check("statement", name, said, None, None, f"cannot be decided: {UNKNOWN_CLASSES}")
    if name in NOT_REPEATED:
        return Check("statement", name, said, None, None, f"cannot be decided: {NOT_REPEATED[name]}")
    try:
        found = measurer.value(name)
    except NotMeasurable as reason:
        return Check("statement", name, said, None, False, f"cannot be measured: {reason}")
    return Check("statement", name, said, found, same_rounded(said, found))
