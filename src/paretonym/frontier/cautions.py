"""What whoever releases a solution should know first: what k counts, who is alone, whose secret is known."""

from __future__ import annotations

from paretonym.errors import InputError
from paretonym.frontier.solution import Solution
from paretonym.measures.recoded_counts import Realized
from paretonym.measures.registry import CLASS_SIZE
from paretonym.risk.attribute_disclosure import Known, known_values
from paretonym.risk.reidentification import Risk, risk
from paretonym.schema.row_unit import PEOPLE, Unit

UNCOUNTED = (
    "The data could not be read, so it is not counted for whom a sensitive value is certain in this release."
)


def unit_of(solution: Solution) -> Unit:
    """What the rows of a solution's table are."""
    return PEOPLE if solution.origin is None else solution.origin.schema.unit


def cautions(solution: Solution) -> tuple[str, ...]:
    """Warnings, a sentence or two each, the weightiest first; no value of a sensitive column is in them."""
    unit, realized = unit_of(solution), _realized(solution)
    if realized is None:
        alone = _some_alone(unit) if solution.values.get(CLASS_SIZE) == 1 else ()
        return (*unit.warnings, *alone, *_uncounted(solution))
    group = "equivalence class" if realized.classes.buckets is None else "bucket"
    secrets = [_known(known, unit, _levelled(solution, known), group) for known in known_values(realized)]
    told = (*unit.warnings, *_alone(risk(realized, unit)), *(each for each in secrets if each))
    return (*told, *_exposed(solution, mixed=realized.classes.buckets is not None))


def known_briefly(solution: Solution) -> tuple[str, ...]:
    """For how many each sensitive value is certain, in a few words; nothing where the data are not there."""
    unit, realized = unit_of(solution), _realized(solution)
    found = () if realized is None else known_values(realized)
    return tuple(
        f"'{known.column}' is certain for {unit.count(known.certain)}" for known in found if known.certain
    )


def _realized(solution: Solution) -> Realized | None:
    if solution.origin is None:
        return None
    try:
        return solution.origin.realized(solution.recoding)
    except InputError:
        return None


def _levelled(solution: Solution, known: Known) -> bool:
    return solution.origin is not None and solution.origin.schema.column(known.column).measured_coarser


def _exposed(solution: Solution, mixed: bool) -> tuple[str, ...]:
    """Columns whose exact values find a row; in buckets a sensitive value finds a bucket alone."""
    found = () if solution.origin is None else solution.origin.exposures()
    return tuple(str(each) for each in found if not (mixed and each.role == "sensitive"))


def _uncounted(solution: Solution) -> tuple[str, ...]:
    if solution.origin is None or not solution.origin.schema.with_role("sensitive"):
        return ()
    return (UNCOUNTED,)


def _some_alone(unit: Unit) -> tuple[str, ...]:
    return (
        f"k is 1: some {unit.many} look like {unit.no_other}. Somebody who knows the quasi-identifiers finds "
        "their row.",
    )


def _alone(found: Risk) -> tuple[str, ...]:
    if found.smallest > 1:
        return ()
    looks = "looks" if found.in_smallest == 1 else "look"
    alone = f"{found.unit.count(found.in_smallest)} {looks} like {found.unit.no_other}"
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
