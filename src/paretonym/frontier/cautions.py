"""What whoever releases a solution should know first: what k counts, who is alone, whose secret is known."""

from __future__ import annotations

from paretonym.errors import InputError
from paretonym.frontier.microdata import Microdata
from paretonym.frontier.release_facts import ReleaseFacts
from paretonym.frontier.solution import Solution
from paretonym.measures import CLASS_SIZE
from paretonym.risk import Known
from paretonym.schema import PEOPLE, Unit

UNCOUNTED = (
    "The data could not be read, so it is not counted for whom a sensitive value is certain in this release."
)


def cautions(solution: Solution, data: Microdata | None) -> tuple[str, ...]:
    """Warnings, a sentence or two each, the weightiest first; no value of a sensitive column is in them."""
    unit = PEOPLE if data is None else data.unit
    facts = _facts(solution, data)
    if data is None or facts is None:
        alone = _some_alone(unit) if solution.values.get(CLASS_SIZE) == 1 else ()
        return (*unit.warnings, *alone, *_uncounted(data))
    group = "bucket" if facts.mixed else "equivalence class"
    secrets = [_known(known, unit, _levelled(data, known), group) for known in facts.known]
    told = (*unit.warnings, *_alone(facts, unit), *(each for each in secrets if each))
    return (*told, *_exposed(data, facts.mixed))


def known_briefly(solution: Solution, data: Microdata | None) -> tuple[str, ...]:
    """For how many each sensitive value is certain, in a few words; nothing where the data are not there."""
    facts = _facts(solution, data)
    if data is None or facts is None:
        return ()
    return tuple(
        f"'{known.column}' is certain for {data.unit.count(known.certain)}"
        for known in facts.known
        if known.certain
    )


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
    """Columns whose exact values find a row; in buckets a sensitive value finds a bucket alone."""
    return tuple(str(each) for each in data.exposures() if not (mixed and each.role == "sensitive"))


def _uncounted(data: Microdata | None) -> tuple[str, ...]:
    return () if data is None or not data.schema.with_role("sensitive") else (UNCOUNTED,)


def _some_alone(unit: Unit) -> tuple[str, ...]:
    return (
        f"k is 1: some {unit.many} look like {unit.no_other}. Somebody who knows the quasi-identifiers finds "
        "their row.",
    )


def _alone(facts: ReleaseFacts, unit: Unit) -> tuple[str, ...]:
    if facts.smallest > 1:
        return ()
    looks = "looks" if facts.in_smallest == 1 else "look"
    alone = f"{unit.count(facts.in_smallest)} {looks} like {unit.no_other}"
    return (f"k is 1: {alone}. Somebody who knows the quasi-identifiers finds the row.",)


def _known(known: Known, unit: Unit, levelled: bool, group: str) -> str:
    """What is known of one column, and what to do; nothing where nothing is."""
    if not known.certain and not known.likely:
        return ""
    value = f"The value of '{known.column}'" + (", at the level at which it is measured," if levelled else "")
    likely = f"known with more than 90 % confidence for {unit.count(known.likely)}"
    if known.certain:
        told = (
            f"{value} is certain for {unit.count(known.certain)}: all of their {group} have the same, so "
            "somebody who knows the quasi-identifiers learns it."
        )
        more = f" It is {likely} more." if known.likely else ""
    else:
        told, more = f"{value} is {likely}: nearly all of their {group} have the same.", ""
    return f"{told}{more} Explore with l or alpha as an objective to find releases without this."
