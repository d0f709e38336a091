"""A guess at a column's role, with its reason: one table of rules, by what the name means and by the values.

A guess never releases a column unchanged. Ambiguous columns are left to a person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from paretonym.schema.draft.column_profile import FEWEST_ROWS, Profile
from paretonym.schema.draft.hierarchy_proposals import (
    FLAT,
    age_lines,
    code_lines,
    date_lines,
    number_lines,
    ready_lines,
    several_way_lines,
    value_lines,
)
from paretonym.schema.hierarchies.number_line import parse_number
from paretonym.schema.name_vocabulary import Meaning, ends_like_a_key, meaning_of
from paretonym.schema.roles import ROLE_RULES, Role
from paretonym.schema.schema_binding import MOST_SENSITIVE_NUMBERS

FEW_CODES = 10
NEVER_PROSE = ("key", "person", "contact", "person name", "place of one person")
# How a sensitive column of many numbers is published; the first is better, if it is enough.
INTERVALS = "# release_level = 1  # publish these intervals, and measure l and t by them"
EXACT = "# level = 1  # publish the exact numbers; only l and t are measured by these intervals"
PUBLISH = (
    "publish it in intervals (release_level = 1) or exactly (level = 1, by which it is only measured in "
    "intervals)"
)
CHOICES = (
    '"quasi" if others may know it about a person, "sensitive" if nobody should learn it, "other" '
    'to release it unchanged, "drop" to remove it'
)
GIVEN = "given, not guessed"
SOME_DAY = datetime(2020, 3, 31, 23, 59)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A role, why it was guessed, and the lines of TOML (comments too) that follow the role.

    `decide` says what a person must decide: the role if it is undecided, or how the column is published.
    """

    name: str
    role: Role
    reason: str
    lines: tuple[str, ...] = ()
    decide: str = ""


class Rule(NamedTuple):
    """A guess about columns that fit: `says` in the reason is what the name means."""

    fits: Callable[[Profile], object]
    role: Role
    reason: str = "{says}"
    lines: Callable[[Profile], Sequence[str]] = lambda profile: ()
    decide: str = ""


def guess(profile: Profile, role: Role | None = None) -> Suggestion:
    """The first rule that fits: of the values, whatever the name; of the name's meaning; of the values
    alone. If a person has given the `role`, the first that gives the same, or what the values suggest."""
    meaning = meaning_of(profile.name)
    form = "" if meaning is None else meaning.form
    rules = (
        *EMPTY,
        *(PROSE if form not in NEVER_PROSE else ()),
        *UNREADABLE,
        *(RECOGNIZED if form not in NEVER_PROSE else ()),
        *NAMED.get(form, ()),
        *OTHERWISE,
    )
    fitting = [rule for rule in rules if rule.fits(profile)]
    if role is not None:
        return _with_role(profile, role, fitting)
    rule = fitting[0]
    reason = rule.reason.format(
        says=_says(meaning),
        distinct=f"{profile.distinct:,}",
        present=f"{profile.present:,}",
        values="its 1 value show"
        if profile.distinct == 1
        else f"its {profile.distinct:,} different values show",
        sign=profile.sign,
        formats=" and as ".join(SOME_DAY.strftime(layout or "%Y-%m-%d") for layout in profile.layouts),
    )
    return Suggestion(profile.name, rule.role, reason, tuple(rule.lines(profile)), rule.decide)


def _with_role(profile: Profile, role: Role, fitting: Sequence[Rule]) -> Suggestion:
    """The entry of a column whose role is given. Dates with several readings stay open."""
    alike = next((rule for rule in fitting if rule.role == role), None)
    if fitting[0] in UNREADABLE and role in ("quasi", "sensitive"):
        alike = fitting[0]
    elif role == "sensitive":
        alike = next(rule for rule in NAMED["private"] + (Rule(_always, role),) if rule.fits(profile))
    elif alike is None and role == "quasi":
        alike = Rule(_always, role, lines=value_lines)
    lines, decide = ((), "") if alike is None else (tuple(alike.lines(profile)), alike.decide)
    return Suggestion(profile.name, role, GIVEN, lines, decide)


def _says(meaning: Meaning | None) -> str:
    return "" if meaning is None else f"the name suggests {meaning.says}"


def one_of_each(suggestions: Sequence[Suggestion]) -> tuple[Suggestion, ...]:
    """The same suggestions, with one column each that says whose a row is, which household's, or its weight:
    a schema has no more. The first of them stays."""
    seen = {one.role for one in suggestions if one.reason == GIVEN}
    distinct = []
    for one in suggestions:
        second = ROLE_RULES[one.role].second if one.role in seen and one.reason != GIVEN else None
        seen.add(one.role)
        # The reason without what follows from it.
        reason = f"{_says(meaning_of(one.name)) or one.reason}; another column is taken for that"
        distinct.append(one if second is None else replace(one, role=second, reason=reason))
    return tuple(distinct)


def repeating_keys(profiles: Mapping[str, Profile], suggestions: tuple[Suggestion, ...]) -> tuple[str, ...]:
    """The identifiers that occur in more than one row: perhaps rows are not people."""
    return tuple(one.name for one in suggestions if one.role == "identifier" and profiles[one.name].repeats)


def _always(profile: Profile) -> bool:
    return True


def _often(profile: Profile) -> bool:
    return not profile.near_unique


def _numeric(profile: Profile) -> bool:
    return profile.numeric


def _one_each(profile: Profile) -> bool:
    return not profile.repeats


def _few_of_many(profile: Profile) -> bool:
    return profile.present >= FEWEST_ROWS and profile.distinct <= FEW_CODES


def _person_key(profile: Profile) -> bool:
    """Whether a column may number persons: a word alone, with few values that repeat, may be anything."""
    alone = not ends_like_a_key(profile.name) and profile.repeats and profile.distinct <= FEW_CODES
    return not alone and profile.type != "decimal"


def _unweighted(profile: Profile) -> bool:
    """Whether some row has no number above 0, as a weight is."""
    above = (number is not None and number > 0 for number in map(parse_number, profile.texts))
    return profile.numeric and (profile.missing > 0 or not all(above))


def _lost_zeros(profile: Profile) -> bool:
    return profile.numeric and len(set(map(len, profile.texts))) > 1


def _unique(profile: Profile) -> bool:
    """Nearly every row has a value of its own: it identifies a person, unless it is a measurement."""
    return profile.near_unique and profile.type != "decimal"


def _numbered(profile: Profile) -> bool:
    """An id that repeats often: that of a person with several rows, or of something else."""
    repeated = profile.present >= FEWEST_ROWS and 10 * profile.distinct > profile.present
    return ends_like_a_key(profile.name) and repeated and profile.type != "decimal"


def _constant(profile: Profile) -> bool:
    return profile.distinct == 1 and not profile.missing and profile.rows > 1


def _in_intervals(profile: Profile) -> bool:
    many = profile.numeric and profile.distinct > MOST_SENSITIVE_NUMBERS
    return many and number_lines(profile, open_values=False) != [FLAT]


def _interval_lines(profile: Profile) -> list[str]:
    return [*number_lines(profile, open_values=False), INTERVALS, EXACT]


def _count_lines(profile: Profile) -> list[str]:
    return number_lines(profile, open_values=False)


def _coarser(profile: Profile) -> list[str]:
    """How to publish fewer details of a sensitive column, in a comment; nothing where no hierarchy is found
    that names none of its values."""
    lines = [FLAT]
    if profile.type == "date" and not profile.odd:
        lines = date_lines(profile)
    elif profile.numeric and not profile.odd:
        lines = number_lines(profile)
    elif not profile.numeric:
        lines = code_lines(profile) if profile.is_code else ready_lines(profile) or [FLAT]
    if lines == [FLAT]:
        return []
    notes = [line for line in lines if line.startswith("#")]
    offered = [f"# {line}" for line in (*lines, "release_level = 1") if line not in notes]
    return [*notes, "# It is published exactly. To publish coarser values, uncomment:", *offered]


def _shaped_lines(profile: Profile) -> list[str]:
    """The hierarchy of a column of which only the shape is known, and how it is published if it is
    sensitive."""
    if ready := ready_lines(profile):
        return ready
    if profile.numeric and profile.distinct > 2:
        lines = number_lines(profile, open_values=False)
        return lines if lines == [FLAT] else [*lines, "# If it is sensitive, one of:", INTERVALS, EXACT]
    return code_lines(profile) if profile.is_code and profile.distinct > 20 else [FLAT]


def _flat(profile: Profile) -> list[str]:
    return [FLAT]


_CATEGORY = (Rule(_often, "quasi", lines=value_lines),)
_NUMBER = (Rule(_numeric, "quasi", lines=number_lines), *_CATEGORY)
_POINTING = (
    Rule(_one_each, "identifier"),
    Rule(_always, "drop", "{says}; it repeats, so it is not released"),
)

EMPTY = (Rule(lambda profile: not profile.texts, "drop", "no row has a value"),)
PROSE = (
    Rule(lambda profile: profile.is_prose, "drop", "free text: it may disclose anything, so it is dropped"),
)
UNREADABLE = (
    Rule(
        lambda profile: profile.mixed,
        "undecided",
        "dates written in several ways (31 March 2020 as {formats})",
        decide='write all its dates in one way and draft again, or set "drop"; a column has one date format',
    ),
    Rule(
        lambda profile: len(profile.layouts) > 1,
        "undecided",
        "dates that can be read in more than one way",
        several_way_lines,
        'uncomment the right format, then set role = "quasi" (or "sensitive", or "drop")',
    ),
)
RECOGNIZED = (
    Rule(
        lambda profile: profile.doubtful_commas,
        "undecided",
        "numbers in which the comma marks decimals or thousands",
        _flat,
        f'does the comma mark decimals? Then set decimal = "," and {CHOICES}; if it marks thousands, '
        "remove it from the data and draft again",
    ),
    Rule(lambda profile: profile.sign and profile.repeats, "drop", "{sign}"),
    Rule(lambda profile: profile.sign, "identifier", "{sign}"),
)
NAMED: Mapping[str, tuple[Rule, ...]] = {
    "key": (Rule(_always, "identifier"),),
    "person": (
        Rule(lambda profile: _person_key(profile) and (not profile.repeats or profile.missing), "identifier"),
        Rule(
            _person_key,
            "person",
            "{says}, and it repeats: then k counts persons, and it is not released",
        ),
    ),
    "contact": _POINTING,
    "person name": _POINTING,
    "place of one person": (
        Rule(_always, "drop", "{says}: not released; keep the postal code or region instead"),
    ),
    "weight": (
        Rule(
            _unweighted,
            "drop",
            '{says}; some rows have none above 0, which the role "weight" needs, so it is not released',
        ),
        Rule(_numeric, "weight", "{says}: the population is estimated from it, and it is not released"),
    ),
    "body weight": (
        Rule(
            _numeric,
            "undecided",
            lines=_count_lines,
            decide='"quasi" or "sensitive" if it is body weight, "weight" if it is a sampling weight',
        ),
    ),
    "household": (
        Rule(lambda profile: _few_of_many(profile) and _often(profile), "quasi", lines=value_lines),
        Rule(
            lambda profile: profile.missing or not profile.repeats,
            "drop",
            '{says}; the role "household" measures whether households are unique, without releasing it',
        ),
        Rule(
            _always,
            "household",
            "{says}: whether households are unique is measured, and it is not released",
        ),
    ),
    "birth": (
        Rule(
            lambda profile: profile.type == "date",
            "quasi",
            lines=lambda profile: date_lines(profile, born=True),
        ),
        *_NUMBER,
    ),
    "year": _NUMBER,
    "age": (Rule(_numeric, "quasi", lines=age_lines), *_CATEGORY),
    "postal": (
        Rule(
            _lost_zeros,
            "quasi",
            "{says}; some are shorter than others, so leading zeros may have been lost before",
            code_lines,
            "have leading zeros been lost, so that codes of different places look alike? Then read the table "
            "anew with this column as text; if not, go on",
        ),
        Rule(
            lambda profile: any(text.startswith("0") for text in profile.texts),
            "quasi",
            "{says}; read as text to keep leading zeros",
            code_lines,
        ),
        Rule(_always, "quasi", "{says}; read as text, not as a number", code_lines),
    ),
    "place": (
        Rule(
            _numeric,
            "undecided",
            "{says}, its values are numbers: codes of places, or a count",
            _count_lines,
            '"quasi" if others may know it about a person, "sensitive" if it counts or measures something '
            "private",
        ),
        *_CATEGORY,
    ),
    "category": _CATEGORY,
    "number": _NUMBER,
    "date": (Rule(lambda profile: profile.type == "date", "quasi", lines=date_lines),),
    # None of the values of a sensitive column is written into the schema.
    "private": (
        Rule(_in_intervals, "sensitive", lines=_interval_lines, decide=PUBLISH),
        Rule(lambda profile: profile.numeric or not profile.near_unique, "sensitive", lines=_coarser),
    ),
    "free text": (Rule(_always, "drop", "{says}: free text may disclose anything, so it is dropped"),),
    "label": (
        Rule(
            _often,
            "undecided",
            lines=_flat,
            decide='"class" to release it unchanged, "sensitive" if nobody should learn it, "drop" to remove '
            "it",
        ),
    ),
    "class": (
        Rule(
            _often,
            "undecided",
            lines=_flat,
            decide='"quasi" if it is a class of a school, "class" or "sensitive" if it is a label to predict',
        ),
    ),
}
OTHERWISE = (
    Rule(
        lambda profile: profile.type == "date",
        "quasi",
        "dates: others may know when something happened to a person",
        date_lines,
    ),
    Rule(
        lambda profile: _unique(profile) and not profile.repeats,
        "identifier",
        "{distinct} values in {present} rows: each identifies one person",
    ),
    Rule(
        _unique,
        "drop",
        "nearly unique, {distinct} values in {present} rows: each identifies one person, so it is dropped",
    ),
    Rule(_numbered, "identifier", "the name suggests the number of something or somebody"),
    Rule(_constant, "drop", "every row has the same value, so it distinguishes nothing"),
    Rule(_always, "undecided", "neither the name nor {values} what it is", _shaped_lines, CHOICES),
)
