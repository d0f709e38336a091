"""Warnings before a release: what k counts, who is unique, whose sensitive value is disclosed."""

from __future__ import annotations

from paretonym.errors import InputError
from paretonym.frontier.microdata import Microdata
from paretonym.frontier.release_facts import ReleaseFacts
from paretonym.frontier.solution import Solution
from paretonym.measures import CLASS_SIZE
from paretonym.risk import MOST_GROUPS, Known
from paretonym.schema import PEOPLE, Unit
from paretonym.sentence_parts import listed, several

UNCOUNTED = (
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
    group = "bucket" if facts.mixed else "equivalence class"
    secrets = [_known(known, unit, _levelled(data, known), group) for known in facts.known]
    found = (*first, *_alone(facts, unit), *(each for each in secrets if each), *_vanished(facts))
    return (*found, *_exposed(data, facts.mixed))


def _facts(solution: Solution, data: Microdata | None) -> ReleaseFacts | None:
    if data is None:
        return None
    try:
        return data.facts(solution.recoding)
    except InputError:
        return None


def _levelled(data: Microdata, known: Known) -> bool:
    return data.schema.column(known.column).measured_coarser


def _exposed(data: Microdata, mixed: bool) -> tuple[str, ...]:
    """Columns whose exact values identify a row; in buckets a sensitive value identifies only a bucket."""
    return tuple(str(each) for each in data.exposures() if not (mixed and each.role == "sensitive"))


def _uncounted(data: Microdata | None) -> tuple[str, ...]:
    return () if data is None or not data.schema.with_role("sensitive") else (UNCOUNTED,)


def _some_alone(unit: Unit) -> tuple[str, ...]:
    return (
        f"k is 1: some {unit.many} look like {unit.no_other}. Somebody who knows the quasi-identifiers finds "
        f"their {'rows' if unit.several_rows else 'row'}.",
    )


def _alone(facts: ReleaseFacts, unit: Unit) -> tuple[str, ...]:
    if facts.smallest > 1:
        return ()
    looks = "looks" if facts.in_smallest == 1 else "look"
    alone = f"{unit.count(facts.in_smallest)} {looks} like {unit.no_other}"
    found = "their rows" if unit.several_rows else "the row"
    return (f"k is 1: {alone}. Somebody who knows the quasi-identifiers finds {found}.",)


def _vanished(facts: ReleaseFacts) -> tuple[str, ...]:
    """Groups of which nobody is left."""
    gone = [each for each in facts.suppressed if each.vanishes]
    if not gone:
        return ()
    named = listed([f"{each.column} '{each.value}' ({several(each.rows, 'row', 'rows')})" for each in gone])
    more = " More groups may be missing." if len(gone) == len(facts.suppressed) >= MOST_GROUPS else ""
    return (
        f"A group disappears altogether: all rows with {named} are suppressed, so the release says nothing "
        f"about them.{more}",
    )


def _known(known: Known, unit: Unit, levelled: bool, group: str) -> str:
    """What is known of one column, and what to do; empty if nothing is known."""
    if not known.certain and not known.likely:
        return ""
    value = f"The value of '{known.column}'" + (", at the level at which it is measured," if levelled else "")
    likely = f"known with more than 90 % confidence for {unit.count(known.likely)}"
    rows, nearly = f"all rows of their {group} have it", f"nearly all rows of their {group} have it"
    if unit.several_rows:
        rows = f"everybody in their {group} has it in some row"
        nearly = f"nearly everybody in their {group} has it in some row"
    if known.certain:
        found = (
            f"{value} is certain for {unit.count(known.certain)}: {rows}, so somebody who knows the "
            "quasi-identifiers learns it."
        )
        more = f" It is {likely} more." if known.likely else ""
    else:
        found, more = f"{value} is {likely}: {nearly}.", ""
    return f"{found}{more} Explore with l or alpha as an objective to find releases without this."
