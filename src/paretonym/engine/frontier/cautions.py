"""Warnings before a release: what k counts, who is unique, whose sensitive value is disclosed."""

from __future__ import annotations

from collections.abc import Iterator

from paretonym.base.errors import InputError
from paretonym.base.language import N_, _, ngettext
from paretonym.base.notice import Notice
from paretonym.base.sentence_parts import listed, percent
from paretonym.engine.frontier.microdata import Microdata
from paretonym.engine.frontier.release_facts import ReleaseFacts
from paretonym.engine.frontier.solution import Solution
from paretonym.engine.measures import CLASS_SIZE
from paretonym.engine.risk import MOST_GROUPS, Known
from paretonym.tables.schema import PEOPLE, Unit

UNCOUNTED = N_(
    "The data could not be read, so it is unknown for how many a sensitive value is certain in this release."
)


def cautions(solution: Solution, data: Microdata | None) -> tuple[str, ...]:
    """Warnings of a sentence or two each, the most serious first; they contain no sensitive value."""
    unit = PEOPLE if data is None else data.unit
    facts = _facts(solution, data)
    first = unit.warnings if facts is None or data is None else data.warnings
    if data is None or facts is None:
        alone = _some_alone(unit) if solution.values.get(CLASS_SIZE) == 1 else ()
        return (*first, *alone, *_uncounted(data))
    secrets = [
        _known(disclosure, unit, data.schema.column(disclosure.column).measured_coarser, facts.mixed)
        for disclosure in facts.known
    ]
    missing = (*_by_values(facts, unit), *_vanished(facts), *_dominated(facts))
    texts = (*first, *_alone(facts, unit), *filter(None, secrets), *missing)
    return (*texts, *_exposed(data, facts.mixed), *data.schema.notes)


def _facts(solution: Solution, data: Microdata | None) -> ReleaseFacts | None:
    if data is None:
        return None
    try:
        return data.facts(solution.recoding)
    except InputError:
        return None


def _exposed(data: Microdata, mixed: bool) -> tuple[str, ...]:
    """Columns whose exact values identify a row; in buckets a sensitive value identifies only a bucket."""
    return tuple(
        exposure.notice for exposure in data.exposures() if not (mixed and exposure.role == "sensitive")
    )


def _uncounted(data: Microdata | None) -> tuple[str, ...]:
    return () if data is None or not data.schema.with_role("sensitive") else (_(UNCOUNTED),)


def _some_alone(unit: Unit) -> tuple[str, ...]:
    names = {"many": _(unit.many), "no_other": _(unit.no_other)}
    if unit.several_rows:
        return (
            _(
                "k is 1: some {many} look like {no_other}. Somebody who knows the quasi-identifiers finds "
                "their rows.",
                **names,
            ),
        )
    return (
        _(
            "k is 1: some {many} look like {no_other}. Somebody who knows the quasi-identifiers finds their "
            "row.",
            **names,
        ),
    )


def _alone(facts: ReleaseFacts, unit: Unit) -> tuple[str, ...]:
    if facts.smallest > 1:
        return ()
    alone = unit.alone(facts.in_smallest)
    if unit.several_rows:
        message = N_("k is 1: {alone}. Somebody who knows the quasi-identifiers finds their rows.")
    else:
        message = N_("k is 1: {alone}. Somebody who knows the quasi-identifiers finds the row.")
    return (_(message, alone=alone),)


def _by_values(facts: ReleaseFacts, unit: Unit) -> tuple[str, ...]:
    """People who are missing for their sensitive values, not since they are too few."""
    if not facts.by_values:
        return ()
    return (
        _(
            "Suppression tells values: {people} are missing although enough others look like them, for their "
            "sensitive values. Who is missing is known to have values that fail the conditions of this "
            "release, such as one value for all; with a second release it may be certain which.",
            people=unit.count(facts.by_values),
        ),
    )


def _dominated(facts: ReleaseFacts) -> Iterator[str]:
    """Columns with means that one row decides."""
    for column, number in facts.dominated:
        classes = ngettext("{number} class", "{number} classes", number)
        yield _(
            "A mean of '{column}' tells a single value: in {classes}, one row makes more than half of the "
            "distance of the mean from the middle of the column. Set top or bottom for this column, or "
            "choose a release with a larger k.",
            column=column,
            classes=classes,
        )


def _vanished(facts: ReleaseFacts) -> tuple[str, ...]:
    """Groups of which nobody is left."""
    gone = [group for group in facts.suppressed if group.vanishes]
    if not gone:
        return ()
    named = [
        f"{group.column} '{group.value}' ({ngettext('{number} row', '{number} rows', group.rows)})"
        for group in gone
    ]
    text = _(
        "A group disappears altogether: all rows with {groups} are suppressed, so the release says nothing "
        "about them.",
        groups=listed(named, _("and")),
    )
    more = len(gone) == len(facts.suppressed) >= MOST_GROUPS
    return (f"{text} {_('More groups may be missing.')}" if more else text,)


SURE = ("a sensitive value is certain for some: {names}",) * 2
NEARLY_SURE = ("a sensitive value is nearly certain for some: {names}",) * 2
# What is known of a value, for what reason: of a release with equivalence classes, with buckets, and where a
# person may have several rows.
CERTAIN = {
    "class": N_(
        "{value} is certain for {people}: all rows of their equivalence class have it, so somebody who knows "
        "the quasi-identifiers learns it."
    ),
    "bucket": N_(
        "{value} is certain for {people}: all rows of their bucket have it, so somebody who knows the "
        "quasi-identifiers learns it."
    ),
    "persons": N_(
        "{value} is certain for {people}: everybody in their equivalence class has it in some row, so "
        "somebody who knows the quasi-identifiers learns it."
    ),
    "persons in buckets": N_(
        "{value} is certain for {people}: everybody in their bucket has it in some row, so somebody who "
        "knows the quasi-identifiers learns it."
    ),
}
LIKELY = {
    "class": N_(
        "{value} is known with more than 90 % confidence for {people}: nearly all rows of their equivalence "
        "class have it."
    ),
    "bucket": N_(
        "{value} is known with more than 90 % confidence for {people}: nearly all rows of their bucket have "
        "it."
    ),
    "persons": N_(
        "{value} is known with more than 90 % confidence for {people}: nearly everybody in their equivalence "
        "class has it in some row."
    ),
    "persons in buckets": N_(
        "{value} is known with more than 90 % confidence for {people}: nearly everybody in their bucket has "
        "it in some row."
    ),
}


def _known(known: Known, unit: Unit, levelled: bool, mixed: bool) -> str:
    """The notice of what is known of one column, and what to do; empty if nothing is known."""
    if not known.certain and not known.likely:
        return ""
    value = _("The value of '{column}'", column=known.column)
    if levelled:
        value = _("The value of '{column}', at the level at which it is measured,", column=known.column)
    where = (
        ("persons in buckets" if mixed else "persons")
        if unit.several_rows
        else "bucket"
        if mixed
        else "class"
    )
    if known.certain:
        sentences = [_(CERTAIN[where], value=value, people=unit.count(known.certain))]
        if known.likely:
            more = unit.count(known.likely)
            sentences.append(_("It is known with more than 90 % confidence for {people} more.", people=more))
        if known.usual:
            of_them, share = unit.count(known.usual), percent(known.share)
            sentences.append(
                _(
                    "For {people} of them that is no surprise: it is the value that {share} of all have.",
                    people=of_them,
                    share=share,
                )
            )
    else:
        sentences = [_(LIKELY[where], value=value, people=unit.count(known.likely))]
    remedy = _("Explore with l or alpha as an objective to find releases without this.")
    subject = f"{known.column} ({unit.count(known.certain or known.likely)})"
    return Notice(" ".join([*sentences, remedy]), SURE if known.certain else NEARLY_SURE, subject)
